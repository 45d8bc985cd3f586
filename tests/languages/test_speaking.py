"""What is told in each language: whole, in every voice, and no wider than its place."""

import io
import re
from collections.abc import Iterator
from gettext import NullTranslations
from itertools import islice
from random import Random
from typing import get_args

import pytest
from rich.cells import cell_len
from rich.console import Console

from engine.board import BOTH, DRACULA, HELSING
from engine.cards import DECK
from engine.events import (
    Called,
    Decided,
    Discarded,
    DistrictScored,
    Drew,
    EffectSkipped,
    Ending,
    Event,
    Exchanged,
    Exposed,
    ExtraTurn,
    GameOver,
    RankingDrawn,
    Revealed,
    RoundEnd,
    RoundEnded,
    RoundStarted,
    Skip,
    Swapped,
    TopTurned,
    TrumpChanged,
)
from engine.phases import OVER
from peer import speech
from peer.languages import CHINESE, ENGLISH, FRENCH, LANGUAGES, RUSSIAN, Language
from peer.narration import card_words, colour_word, result_sentence, sentence
from peer.page.words import MESSAGES, Plural, messages
from peer.seat import Ended, Moved, Notice, Opponent, Quit, Said, Seated, Ticking
from peer.speech import speaking, tr
from peer.terminal import TerminalSeat, WatchingSeat, render_board
from peer.terminal.choices import describe, hint, question, usage
from peer.terminal.help import COMMANDS, help_lines, rules_lines
from peer.terminal.lines import split_sentences, wrapped
from peer.terminal.look import chip, dressed, human_mark, letter, vampire_mark
from peer.terminal.words import board_words
from protocol.course import Result
from tests.peer.games import positions
from tests.peer.test_terminal import Screen, Typed, bare

OTHERS = [language for language in LANGUAGES if language is not ENGLISH]
EVERY = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
EVERY_OTHER = pytest.mark.parametrize("language", OTHERS, ids=lambda language: language.code)
READERS = (None, DRACULA, HELSING)


def by(player: int) -> list[Event]:
    """Everything that a player can have done, and all that can come of it."""
    return [
        Drew(player, -1),
        Drew(player, 3),
        Called(player),
        Discarded(player, 1, 3),
        Discarded(player, 5, 3),
        Revealed(player, 2, 30),
        TopTurned(player, 30),
        Exposed(player, 0, 4),
        Swapped(player, 0, 4),
        ExtraTurn(player),
        Exchanged(player, 3, 30, 4),
        TrumpChanged(player, (3, 0, 1, 2)),
        *(EffectSkipped(player, 1, why) for why in Skip),
        *(DistrictScored(3, 30, 22, player, why, 2, 9) for why in Decided),
        *(GameOver(player, why) for why in Ending),
    ]


EVENTS: list[Event] = [
    RankingDrawn((2, 0, 1, 3)),
    RoundStarted(1),
    *by(DRACULA),
    *by(HELSING),
    *(RoundEnded(4, why) for why in RoundEnd),
]
RESULTS = [
    *(Result(player, "x", resigned=True) for player in BOTH),
    *(Result(player, why.value) for player in BOTH for why in Ending),
    Result(None, "both agreed to end it without a winner"),
]


def test_no_event_is_forgotten() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))


# --- the story --------------------------------------------------------------------------------


@EVERY_OTHER
def test_every_event_is_told_to_every_reader(language: Language) -> None:
    end = "。" if language is CHINESE else "."
    english = {words for event in EVENTS for words in told(event)}
    with speaking(language):
        for event in EVENTS:
            for words in told(event):
                assert words not in english, f"{words} is English"
                assert words.endswith(end)
                assert "{" not in words
                assert words.isprintable() or "\xa0" in words
        for result in RESULTS:
            for reader in READERS:
                assert result_sentence(result, reader) not in english


def told(event: Event) -> list[str]:
    return [sentence(event, reader) for reader in READERS]


@EVERY
def test_who_has_done_it_is_told_apart(language: Language) -> None:
    with speaking(language):
        for event in EVENTS:
            if hasattr(event, "player") and not isinstance(
                event, TopTurned | TrumpChanged | EffectSkipped
            ):
                mine, theirs, public = (sentence(event, who) for who in (DRACULA, HELSING, None))
                assert len({mine, theirs, public}) == 3


def test_samples() -> None:
    scored = DistrictScored(0, 30, 2, HELSING, Decided.TRUMP, 0, 9)
    samples = {
        FRENCH: (
            "District 1\xa0: votre 3 rouge bat le 7 bleu de votre adversaire\xa0: l'atout est "
            "rouge. Votre adversaire perd 1 point de vie (il en reste 9)."
        ),
        RUSSIAN: (
            "Округ 1: ваша карта «красная 3» бьёт карту соперника «синяя 7»: козырь — красный. "
            "Соперник теряет 1 очко здоровья (осталось: 9)."
        ),
        CHINESE: "地區 1：你的紅3勝過對手的藍7：紅色是王牌。對手失去 1 點生命值（剩 9）。",
    }
    for language, words in samples.items():
        with speaking(language):
            assert sentence(scored, HELSING) == words
            assert len(split_sentences(words)) == 2


@EVERY
def test_cards_and_colours_become_chips_in_every_sentence(language: Language) -> None:
    with speaking(language):
        for face in range(DECK):
            assert (
                chip(face).plain in dressed(tr("You drew the {card}.", card=card_words(face))).plain
            )
            assert dressed(card_words(face)).plain == chip(face).plain
        for event in (Exchanged(0, 3, 30, 4), DistrictScored(3, 30, 22, 0, Decided.VALUE, 2, 9)):
            for reader in READERS:
                shown = dressed(sentence(event, reader)).plain
                assert chip(30).plain in shown
        ranking = dressed(sentence(RankingDrawn((2, 0, 1, 3)))).plain
        assert len(re.findall("[◆●▲■]", ranking)) == 4
        names = [card_words(face) for face in range(DECK)] + [colour_word(c) for c in range(4)]
        assert len(set(names)) == len(names)


# --- nothing is glued together ----------------------------------------------------------------


class Marked(NullTranslations):
    """A language in which every message stands in brackets: what has none was never translated."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def pgettext(self, context: str, message: str) -> str:
        return message if "letter" in context or "cell" in context else f"⟦{message}⟧"

    def ngettext(self, one: str, many: str, n: int) -> str:
        return f"⟦{one if n == 1 else many}⟧"


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Language]:
    language = Language("en-x-marked", "marked")
    known = speech.catalogue
    monkeypatch.setattr(
        speech, "catalogue", lambda asked: Marked() if asked is language else known(asked)
    )
    with speaking(language):
        yield language


def bald(words: str) -> str:
    """What stands outside of all brackets."""
    while (less := re.sub("⟦[^⟦⟧]*⟧", "", words)) != words:
        words = less
    return words.strip()


@pytest.mark.usefixtures("marked")
def test_every_sentence_is_whole_in_the_catalogue() -> None:
    for event in EVENTS:
        for words in told(event):
            assert bald(words) == ""
    for result in RESULTS:
        assert all(bald(result_sentence(result, reader)) == "" for reader in READERS)
    for state in islice(positions(3), 0, None, 5):
        player = state.player if state.phase is not OVER else 0
        view = state.view(player)
        for line in board_words(view, player, opponent="Mina"):
            assert bald(line) == "", line
        if not state.is_over:
            assert bald(question(view)) == ""
            assert bald(hint(view)) == ""
            for action in view.actions:
                assert bald(describe(view, action)) == ""
                assert bald(describe(view, action, brief=True)) == ""
    for words in ("discard 9", "swap", "trump", "banana"):
        assert bald(usage(words)) == ""


@pytest.mark.usefixtures("marked")
async def test_a_person_at_a_terminal_reads_nothing_that_is_not_translated() -> None:
    screen = Screen(terminal=False)
    state = next(islice(positions(4), 5, None))
    view = state.view(state.player)
    typed = ["board", "discards", "log", "x", "99", "draw", "swap", "resign", "no", "say hello"]
    seat = TerminalSeat(screen.console, Typed(*typed))
    for name in ("Mina", ""):
        seat.tell(Seated(state.player, Opponent(name, "ab12")))
        seat.tell(Said("hello"))
    seat.tell(Ticking((60, 70), 0))
    assert await seat.choose(view) is Quit.LEAVE
    await TerminalSeat(screen.console, Typed("what", "board", "discards", "log", "resign")).wait(
        None
    )
    await TerminalSeat(screen.console, Typed("what", "yes")).consider(view)
    await TerminalSeat(screen.console, Typed("what", "no")).again()
    watching = WatchingSeat(seat, screen.console)
    watching.tell(Seated(0, Opponent("", "ab12")))
    watching.tell(Said("hello"))
    watching.tell(Ended(view, Result(0, "x", resigned=True)))
    for line in screen.take().splitlines():
        rest = re.sub(r"^ *(\d+:) +(?=⟦)", "", line)
        assert bald(rest) == "", line
    for page in (help_lines(plain=False), rules_lines()):
        text = " ".join(line.strip() for line in page)
        for typed_word in COMMANDS:
            text = text.replace(f" {typed_word} ", " ")
        assert bald(re.sub(r" \d  ⟦", " ⟦", text)) == ""


# --- what fits --------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("plain", [True, False])
def test_the_pages_fit_a_small_terminal(language: Language, plain: bool) -> None:
    with speaking(language):
        for page in (help_lines(plain=plain), rules_lines()):
            assert len(page) < 24
            for line in page:
                assert cell_len(line) <= 80
                assert dressed(line).cell_len <= 80


@EVERY
def test_letters_and_marks_are_one_cell_wide_and_told_apart(language: Language) -> None:
    with speaking(language):
        letters = [letter(colour) for colour in range(4)]
        assert len(set(letters)) == 4
        assert all(cell_len(one) == 1 for one in letters)
        assert cell_len(human_mark()) == cell_len(vampire_mark()) == 2
        assert human_mark()[1] != vampire_mark()[1]
        assert all(chip(face).cell_len == 3 for face in range(DECK))


@EVERY
@pytest.mark.parametrize("width", [79, 80, 120])
def test_the_board_keeps_its_width(language: Language, width: int) -> None:
    console = Console(width=width, file=io.StringIO(), color_system=None, _environ={})
    with speaking(language):
        for state in islice(positions(11), 0, None, 6):
            for player in BOTH:
                with console.capture() as capture:
                    console.print(render_board(state, player, opponent="Mina Harker", width=width))
                lines = capture.get().splitlines()
                assert len(lines) == 11
                assert all(cell_len(line) <= width for line in lines)
                for left in ("╭", "╔"):
                    for line in lines:
                        for match in re.finditer(f"{left}[^╮╗]*[╮╗]", line):
                            assert cell_len(match[0]) == 11


@EVERY
async def test_a_whole_game_at_a_small_terminal(language: Language) -> None:
    """Every choice fits on the screen with its board, and no line is wider than it."""
    rng = Random(1)
    screen = Screen(terminal=True)
    with speaking(language):
        for state in islice(positions(6), 0, None, 9):
            if state.is_over:
                break
            view = state.view(state.player)
            number = rng.randrange(len(view.actions))
            seat = TerminalSeat(screen.console, Typed(str(number + 1)))
            seat.tell(Seated(state.player, Opponent("Mina", "ab12")))
            screen.take()
            seat.tell(Moved(view, ()))
            assert await seat.choose(view) == view.actions[number]
            lines = bare(screen.take()).splitlines()
            assert len(lines) <= 24
            assert max(map(cell_len, lines)) <= 80


def test_chinese_breaks_between_characters_but_not_before_a_mark() -> None:
    with speaking(CHINESE):
        assert wrapped("一二三四，五六", 8) == ["一二三", "四，五六"]
        assert wrapped("按 Enter 繼續", 8) == ["按 Enter", "繼續"]
    with speaking(FRENCH):
        assert wrapped("un deux\xa0: trois", 8) == ["un", "deux\xa0:", "trois"]


# --- what is typed ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "yes", "no"),
    [(FRENCH, "oui", "non"), (RUSSIAN, "да", "нет"), (CHINESE, "是", "否"), (ENGLISH, "yes", "no")],
)
async def test_yes_and_no_can_be_typed_in_english_too(
    language: Language, yes: str, no: str
) -> None:
    view = next(positions(0)).view(0)
    with speaking(language):
        for word in (yes, yes.upper(), yes[0], "yes", "y"):
            assert (
                await TerminalSeat(Screen(terminal=False).console, Typed(word)).consider(view)
                is True
            )
        for word in (no, no[0], "no", "n"):
            assert (
                await TerminalSeat(Screen(terminal=False).console, Typed(word)).consider(view)
                is False
            )


@EVERY_OTHER
async def test_a_notice_and_a_hint_are_in_the_language(language: Language) -> None:
    screen = Screen(terminal=False)
    with speaking(language):
        seat = TerminalSeat(screen.console, Typed("swap 1 1"))
        seat.tell(Notice(tr("The other side would like to play again.")))
        await seat.choose(next(positions(0)).view(0))
        assert tr('"swap" needs two different districts 1 to 5.') in screen.take()


# --- the page's words -------------------------------------------------------------------------


@EVERY
def test_the_page_is_told_all_its_words(language: Language) -> None:
    with speaking(language):
        said = messages()
        assert said["lang"] == language.code
        assert said["languages"] == {one.code: one.name for one in LANGUAGES}
        assert set(said["messages"]) == set(MESSAGES)
        for key, text in MESSAGES.items():
            forms = said["messages"][key]
            if isinstance(text, Plural):
                assert [*forms] == [category for category, _ in language.plurals]
            else:
                assert isinstance(forms, str)
                assert forms


@EVERY
def test_the_page_names_cards_as_the_story_does(language: Language) -> None:
    """Else it could not put its pictures beside them."""
    with speaking(language):
        said = messages()["messages"]
        for face in range(DECK):
            assert said[f"card.{face // 8}"].format(value=face % 8 + 1) == card_words(face)
        for colour in range(4):
            assert said[f"colour.{colour}"] == colour_word(colour)
        for stem in ("letter", "press"):
            assert len({said[f"{stem}.{colour}"] for colour in range(4)}) == 4
        pressed = [said[f"press.{colour}"] for colour in range(4)]
        assert said["key.colours"].split() == pressed
