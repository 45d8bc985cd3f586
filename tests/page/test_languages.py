"""The page speaks the language of its browser, of `--lang`, or the one that was chosen on it."""

from pathlib import Path

import pytest
import trio

from peer.languages import CHINESE, ENGLISH, FRENCH, RUSSIAN, Language
from peer.page.face import page
from peer.page.gate import Gate
from peer.page.hub import Hub, to_json
from peer.page.seat import PageSeat
from peer.seat import Ended, Moved, Opponent, Seated
from peer.speech import speak, spoken
from peer.store import Store
from protocol.course import Result
from tests.page.helpers import Served, served
from tests.peer.games import positions


@pytest.mark.parametrize(
    ("headers", "language"),
    [
        ({}, ENGLISH),
        ({"Accept_Language": "de,fr;q=0.5"}, FRENCH),
        ({"Accept_Language": "zh-TW,zh;q=0.9"}, CHINESE),
        ({"Accept_Language": "de"}, ENGLISH),
        ({"Accept_Language": "\x1b[2J,../../x;q=9"}, ENGLISH),
    ],
)
async def test_the_browser_chooses(
    tmp_path: Path, headers: dict[str, str], language: Language
) -> None:
    async with served(tmp_path) as at:
        cookie = await at.enter()
        assert (await at.get("/", cookie=cookie, **headers)).status in (200, 400)
        told = (await at.get("/messages.json", cookie=cookie)).json
    assert told["lang"] == language.code
    assert spoken() is language


async def test_a_language_that_was_chosen_before_counts_more(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        cookie = await at.enter()
        await at.get("/", cookie=f"a=b; whitby_lang=ru; {cookie}", Accept_Language="fr")
        assert spoken() is RUSSIAN
        await at.get("/", cookie=f"whitby_lang=../../x; {cookie}", Accept_Language="fr")
        assert spoken() is FRENCH


async def test_a_stranger_changes_nothing(tmp_path: Path) -> None:
    async with served(tmp_path) as at:
        await at.get("/", Accept_Language="fr", cookie="whitby_lang=ru")
        assert spoken() is ENGLISH


async def test_a_named_language_counts_most_until_another_is_chosen(tmp_path: Path) -> None:
    gates: list[Gate] = []

    async def show(gate: Gate) -> bool:
        gates.append(gate)
        return False

    speak(CHINESE)
    with Store.open(tmp_path) as store:
        async with page(store, show=show, language=CHINESE) as face:
            at = Served(gates[0], face)
            cookie = await at.enter()
            await at.get("/", cookie=f"whitby_lang=ru; {cookie}", Accept_Language="fr")
            assert spoken() is CHINESE
            async with at.socket(cookie) as first, at.socket(cookie) as second:
                await first.until(lambda state: state.get("lang") == "zh-Hant")
                for wrong in ("xx", "", 7, None, ["fr"], "../fr/../x"):
                    await first.send({"lang": wrong})
                await first.send({"lang": "fr"})
                await first.until(lambda state: state.get("lang") == "fr")
                await second.until(lambda state: state.get("lang") == "fr")
            await at.get("/", cookie=cookie, Accept_Language="ru")
            assert spoken() is FRENCH
            face.seat.has_left.set()


async def test_what_was_told_is_told_again_in_the_new_language() -> None:
    hub = Hub()
    seat = PageSeat(hub)
    state = next(positions(1))
    view = state.view(0)
    seat.tell(Seated(0, Opponent("Mina", "ab")))
    seat.tell(Moved(view, tuple(state.log or ())))
    with trio.move_on_after(0.01):
        await seat.choose(view)
    seat.tell(Ended(view, Result(0, "x", resigned=True)))
    told = []
    for language in (ENGLISH, RUSSIAN):
        speak(language)
        with hub.tab() as messages:
            told.append(await messages.receive())
    english, russian = told
    assert "Round 1 of 5 begins" in english
    assert "Начинается раунд 1 из 5" in russian
    assert "Соперник сдаётся: вы побеждаете." in russian
    assert "begins" not in russian


def test_only_texts_are_made_late() -> None:
    assert to_json({"a": lambda: "b"}) == '{"a":"b"}'
    with pytest.raises(TypeError, match="can't be told"):
        to_json({"a": object()})
