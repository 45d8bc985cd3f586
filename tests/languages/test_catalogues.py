"""The catalogues hold every message of the program, and nothing is wrong with what they say."""

import ast
import re
from gettext import GNUTranslations
from pathlib import Path

import pytest
from babel import Locale

import peer
from peer.languages import LANGUAGES, Language
from peer.page.words import MESSAGES
from peer.speech import catalogue
from tests.tools import messages

PEER = Path(peer.__file__).parent
TRANSLATED = messages.TRANSLATED


@pytest.fixture(scope="module")
def keywords() -> set[str]:
    return {*messages.KEYWORDS, *messages.spoken_errors()}


def test_the_catalogues_are_complete_and_compiled() -> None:
    """Missing, fuzzy and obsolete messages, other places to fill in: all would be listed."""
    assert list(messages.faults()) == []


def test_what_would_be_wrong_is_found() -> None:
    """The check itself: an empty catalogue lacks everything, and a wrong form is named."""
    language = TRANSLATED[0]
    template = messages.extract()
    message = next(m for m in messages.messages(template) if m.id == "{name} says: {text}")
    for wrong in ("", "{name}: {texte}", "{name} {text} {more}", "{text}"):
        message.string = wrong
        assert list(messages._faults_of(message, language))
    message.string = "{name}: {text}"
    assert not list(messages._faults_of(message, language))
    message.string = "{name.__class__} {text}"
    with pytest.raises(AssertionError):
        list(messages._faults_of(message, language))


def test_extraction_finds_what_is_said(keywords: set[str]) -> None:
    template = messages.extract()
    found = {message.id for message in messages.messages(template)}
    for known in (
        "Your turn: draw a card, or call?",
        "interrupted",
        "Effect 5: {player} has another turn.",
    ):
        assert known in found
    assert {message.context for message in messages.messages(template)} >= set(MESSAGES)
    assert {"StoreError", "LinkLostError", "InvitationError", "RecordError"} <= keywords


@pytest.mark.parametrize(
    "path", sorted(PEER.rglob("*.py")), ids=lambda path: str(path.relative_to(PEER))
)
def test_messages_are_literals(path: Path, keywords: set[str]) -> None:
    """Only these are found by extraction.  A name stands for one that was marked elsewhere."""
    if path.name in ("speech.py", "errors.py"):
        return
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            inner = [call for call in ast.walk(node) if isinstance(call, ast.Call)]
            for call in inner:
                if isinstance(call.func, ast.Name) and call.func.id in keywords:
                    assert not isinstance(call.args[0], ast.Constant), f"line {node.lineno}"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id in keywords:
            texts = node.args[: 2 if node.func.id in ("trc", "trn", "markc") else 1]
            for text in texts:
                assert not isinstance(text, ast.JoinedStr | ast.BinOp), f"line {node.lineno}"
                if node.func.id in ("mark", "markc", "trn"):
                    assert isinstance(text, ast.Constant), f"line {node.lineno}"
        if node.func.id == "Notice":
            assert not isinstance(node.args[0], ast.Constant | ast.JoinedStr), f"line {node.lineno}"


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_plural_forms_are_those_of_the_language(language: Language) -> None:
    """The expression in the catalogue, the page's categories and the CLDR agree."""
    rule = Locale.parse(language.folder or "en").plural_form
    categories = [category for category, _ in language.plurals]
    for category, number in language.plurals:
        assert rule(number) == category
    if language.folder:
        said = catalogue(language)
        assert isinstance(said, GNUTranslations)
        for number in range(1_000):
            assert categories[said.plural(number)] == rule(number)  # type: ignore[attr-defined]
    assert len(categories) == {"en": 2, "fr": 2, "ru": 3, "zh-Hant": 1}[language.code]


def test_the_forms_of_a_noun() -> None:
    said = {language.code: catalogue(language) for language in LANGUAGES}

    def cards(code: str, number: int) -> str:
        text = said[code].ngettext("Draw pile: {n} card.", "Draw pile: {n} cards.", number)
        return text.format(n=number)

    assert [cards("ru", n) for n in (1, 2, 5, 11, 21, 22)] == [
        "В колоде 1 карта.",
        "В колоде 2 карты.",
        "В колоде 5 карт.",
        "В колоде 11 карт.",
        "В колоде 21 карта.",
        "В колоде 22 карты.",
    ]
    assert [cards("fr", n) for n in (0, 1, 2)] == [
        "Pioche\xa0: 0 carte.",
        "Pioche\xa0: 1 carte.",
        "Pioche\xa0: 2 cartes.",
    ]
    assert cards("zh-Hant", 2) == "牌庫：2 張。"


# --- the words that players know --------------------------------------------------------------

TERMS = {
    # English, then the stem of what each language must have where it stands
    r"\btrump": {"fr": "atout", "ru": "[Кк]озыр", "zh-Hant": "王牌"},
    r"\b[Dd]istrict": {"fr": "istrict", "ru": "круг", "zh-Hant": "地區"},
    r"\bvampire": {"fr": "ampire", "ru": "ампир", "zh-Hant": "吸血鬼"},
    r"health point": {"fr": "oint[s]? de vie", "ru": "[Оо]ч.* здоровья", "zh-Hant": "生命值"},
    r"\b[Dd]raw pile": {"fr": "ioche", "ru": "олод", "zh-Hant": "牌庫"},
    r"\b[Dd]iscard pile": {"fr": "éfausse", "ru": "сброс|Сброс", "zh-Hant": "棄牌堆"},
    r"\b[Rr]ounds?\b": {"fr": "anche", "ru": "аунд|онец|осьмёрк", "zh-Hant": "回合"},
    r"\bVan Helsing": {"fr": "Van Helsing", "ru": "Ван Хельсинг", "zh-Hant": "范海辛"},
    r"\bDracula": {"fr": "Dracula", "ru": "Дракул", "zh-Hant": "德古拉"},
    r"\b[Cc]all(s|ed)?\b(?! them| it)": {
        "fr": "nonc|call",
        "ru": "бъяв|call",
        "zh-Hant": "宣告|call",
    },
}
NO_TERM = re.compile(
    r'^(The other side calls|Your opponent calls themselves)|"trump"|"call"|discard drawn'
)
"""Another meaning, or words that are typed: those are English."""


@pytest.mark.parametrize("language", TRANSLATED, ids=lambda language: language.code)
@pytest.mark.parametrize("term", TERMS)
def test_terms_are_those_that_players_know(term: str, language: Language) -> None:
    wanted = TERMS[term][language.code]
    found = 0
    for message in messages.messages(messages.read(language)):
        source, said = (" ".join(messages._all(text)) for text in (message.id, message.string))
        if re.search(term, source) and not NO_TERM.search(source):
            found += 1
            assert re.search(wanted, said), f"{source}: {said}"
    assert found


def test_french_keeps_rounds_and_turns_apart() -> None:
    for message in messages.messages(messages.read(TRANSLATED[0])):
        source, said = (
            " ".join(messages._all(text)).lower() for text in (message.id, message.string)
        )
        if re.search(r"\bround", source) and not re.search(r"\bturns?\b", source):
            assert not re.search(r"\btours?\b", said), said
        if re.search(r"\bturn\b(?! (?:up|a|one))", source) and "round" not in source:
            assert "manche" not in said, said


def test_russian_never_speaks_of_what_a_player_did_by_their_sex() -> None:
    """«Вы» takes the plural, and so does what is said of it."""
    for message in messages.messages(messages.read(TRANSLATED[1])):
        for said in messages._all(message.string):
            assert not re.search(r"\b[Вв]ы \w+(ал|ил|ел|ала|ила|ела)\b", said), said
            assert not re.search(r"\w\((а|ла|на)\)", said), said


def test_chinese_is_traditional_and_punctuated_as_such() -> None:
    for message in messages.messages(messages.read(TRANSLATED[2])):
        for said in messages._all(message.string):
            assert not set(said) & set("区弃发张对换开结轮没这蓝红黄库们说话题与为"), said
            assert not re.search(r"[\u4e00-\u9fff][,.:;?!]", said), said


def test_effect_7_is_an_exchange_and_dracula_needs_a_whole_district() -> None:
    exchange = {"fr": "échange sa place", "ru": "меняется местами", "zh-Hant": "交換位置"}
    whole = {"fr": "les quatre habitants", "ru": "все четыре жителя", "zh-Hant": "四位居民全部"}
    for language in TRANSLATED:
        said = catalogue(language)
        assert exchange[language.code] in said.pgettext("effect.7", str(MESSAGES["effect.7"]))
        assert whole[language.code] in said.pgettext("rules.5", str(MESSAGES["rules.5"]))
