"""A person at a page: what they are shown, what they answer, and what they are never shown."""

import json
from collections.abc import Awaitable, Callable, Iterator
from random import Random
from typing import Any

import pytest
import trio
import trio.testing

from engine.actions import ACTIONS
from engine.board import BOTH
from engine.cards import DECK, UNKNOWN, card_name
from engine.phases import DISCARDING, EFFECT, TURN
from engine.state import State
from peer.page.hub import MAX_TABS, MAX_WAITING, Hub
from peer.page.scenes import choice_json, event_json, scene_json
from peer.page.seat import PageSeat
from peer.seat import Ended, Line, Moved, Notice, Opponent, Proven, Quit, Said, Seated, Ticking
from protocol.course import Result
from tests.peer.games import positions
from tests.tools.local_game import play

NAMES = {card_name(face): face for face in range(DECK)}


class Tab:
    """Somebody who looks at a hub and remembers everything."""

    def __init__(self, hub: Hub) -> None:
        self._tab = hub.tab()
        self._receive = self._tab.__enter__()
        self.raw: list[str] = []
        self.state: dict[str, Any] = {}
        self.lists: dict[str, list[Any]] = {}
        self.read()

    def read(self) -> dict[str, Any]:
        while True:
            try:
                raw = self._receive.receive_nowait()
            except (trio.WouldBlock, trio.EndOfChannel):
                return self.state
            self.raw.append(raw)
            message = json.loads(raw)
            if message["fresh"]:
                self.lists = {}
            self.state.update(message["set"])
            for name, items in message["add"].items():
                self.lists.setdefault(name, []).extend(items)

    def close(self) -> None:
        self._tab.__exit__(None, None, None)


def seated(player: int = 1) -> tuple[PageSeat, Tab, Hub]:
    hub = Hub()
    seat = PageSeat(hub)
    seat.tell(Seated(player, Opponent("Mina", "1234-5678")))
    return seat, Tab(hub), hub


def some(phase: object, seed: int = 3) -> State:
    """A view of whoever is to choose in this phase."""
    state = next(state for state in positions(seed) if state.phase is phase)
    return state.view(state.player)


# --- nothing that may not be known ------------------------------------------------------------


def faces_in(value: Any) -> Iterator[int]:
    """Every card in some JSON: by number where cards are told, by name in sentences."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("f", "face", "dracula", "helsing") and isinstance(inner, int):
                yield inner
            yield from faces_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from faces_in(inner)
    elif isinstance(value, str):
        yield from (face for name, face in NAMES.items() if name in value)


@pytest.mark.parametrize("player", BOTH)
@pytest.mark.parametrize("seed", range(6))
def test_no_card_is_shown_that_its_player_may_not_know(player: int, seed: int) -> None:
    """From the open state itself, so that a slip would have something to show."""
    hub = Hub()
    seat, tab = PageSeat(hub), Tab(hub)
    seat.tell(Seated(player, Opponent("Mina", "none")))
    told, rounds, allowed = 0, -1, {UNKNOWN}
    for state in positions(seed):
        if state.round != rounds:  # a new deck: what was known of the old one counts no more
            rounds, allowed = state.round, {UNKNOWN}
            earlier = {face for event in state.log or () for face in faces_in(event_json(event, 1))}
            allowed |= earlier  # events are public
        mask = state.known[player]
        allowed |= {state.faces[handle] for handle in range(DECK) if mask >> handle & 1}
        assert state.log is not None
        seat.tell(Moved(state, tuple(state.log[told:])))
        told = len(state.log)
        tab.raw.clear()
        hub.clear()  # everything, as a new tab would see it
        tab.read()
        shown = set(faces_in(tab.state["scene"]))
        assert shown <= {
            UNKNOWN,
            *(state.faces[handle] for handle in range(DECK) if mask >> handle & 1),
        }
        assert set(faces_in([json.loads(raw) for raw in tab.raw])) <= allowed | shown


@pytest.mark.parametrize("seed", range(4))
def test_the_scene_of_an_open_state_is_that_of_the_view(seed: int) -> None:
    for state in positions(seed):
        for player in BOTH:
            assert scene_json(state, player) == scene_json(state.view(player), player)


async def test_everything_sent_in_whole_games_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other way round: played through the seat, question by question."""
    hub = Hub()
    seat, tab = PageSeat(hub), Tab(hub)
    rng = Random(5)
    allowed: set[int] = {UNKNOWN}
    original = PageSeat.choose

    async def choose(self: PageSeat, view: State) -> int | Quit:
        allowed.update(view.faces)
        return await original(self, view)

    monkeypatch.setattr(PageSeat, "choose", choose)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_answer_all, seat, tab, rng)
        assert await play(seat, 1, 7, 0) is None
        nursery.cancel_scope.cancel()
    tab.read()
    assert tab.state["result"]["text"]
    assert len(tab.raw) > 50


async def _answer_all(seat: PageSeat, tab: Tab, rng: Random) -> None:
    while True:
        await trio.testing.wait_all_tasks_blocked()
        ask = tab.read().get("ask")
        if ask:
            seat.hear({"choose": rng.choice(ask["options"])["a"], "n": ask["n"]})


# --- questions and answers --------------------------------------------------------------------


async def choosing(seat: PageSeat, view: State, answers: list[Any]) -> None:
    answers.append(await seat.choose(view))


@pytest.mark.parametrize("phase", [TURN, DISCARDING, EFFECT])
async def test_every_legal_action_is_offered_with_what_it_does(phase: object) -> None:
    view = some(phase)
    seat, tab, _ = seated(view.player)
    answers: list[Any] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(choosing, seat, view, answers)
        await trio.testing.wait_all_tasks_blocked()
        ask = tab.read()["ask"]
        assert [option["a"] for option in ask["options"]] == list(view.actions)
        assert all(option["does"] and option["brief"] for option in ask["options"])
        seat.hear({"choose": view.actions[-1], "n": ask["n"]})
    assert answers == [view.actions[-1]]
    assert tab.read()["ask"] is None


async def test_what_was_not_asked_is_no_answer() -> None:
    view = some(DISCARDING)
    seat, tab, _ = seated(view.player)
    answers: list[Any] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(choosing, seat, view, answers)
        await trio.testing.wait_all_tasks_blocked()
        number = tab.read()["ask"]["n"]
        wrong = next(action for action in range(ACTIONS) if action not in view.actions)
        messages: list[Any] = [
            {"choose": view.actions[0], "n": number - 1},
            {"choose": view.actions[0], "n": number + 1},
            {"choose": view.actions[0]},
            {"choose": wrong, "n": number},
            {"choose": str(view.actions[0]), "n": number},
            {"choose": True, "n": number},
            {"again": True, "n": number},
            {"agree": False, "n": number},
            [],
            None,
        ]
        for message in messages:
            seat.hear(message)
        await trio.testing.wait_all_tasks_blocked()
        assert answers == []
        seat.hear({"choose": view.actions[0], "n": number})
        seat.hear({"choose": view.actions[-1], "n": number})  # too late
    assert answers == [view.actions[0]]


async def test_a_question_outlives_an_interruption_and_its_answer_counts() -> None:
    view = some(TURN)
    seat, tab, _ = seated(view.player)
    with trio.move_on_after(0):
        await seat.choose(view)
    first = tab.read()["ask"]
    with trio.move_on_after(0):
        await seat.choose(view)
    assert tab.read()["ask"] == first
    seat.hear({"choose": view.actions[0], "n": first["n"]})
    assert await seat.choose(view) == view.actions[0]
    with trio.move_on_after(0):
        await seat.wait(view)
    with trio.move_on_after(0):
        await seat.choose(view)  # after the line was down
    assert tab.read()["ask"]["n"] > first["n"]


async def test_the_question_comes_with_the_position_it_is_about() -> None:
    view = some(DISCARDING)
    seat, tab, _ = seated(view.player)
    with trio.move_on_after(0):
        await seat.choose(view)
    assert tab.read()["scene"] == scene_json(view, view.player)
    assert tab.state["scene"]["drawn"]["f"] == view.faces[view.hand]


async def test_a_person_can_quit_in_each_way_while_asked_and_while_waiting() -> None:
    view = some(TURN)
    for quit_ in Quit:
        seat, _, _ = seated(view.player)
        seat.hear({"quit": quit_.value})
        assert await seat.choose(view) is quit_
        seat.hear({"quit": quit_.value})
        assert await seat.wait(None) is quit_
        seat.hear({"quit": quit_.value})
        assert await seat.consider(view) is quit_


@pytest.mark.parametrize("yes", [True, False])
async def test_yes_and_no(yes: bool) -> None:
    seat, tab, _ = seated()
    view = some(TURN)
    asks: dict[str, Callable[[], Awaitable[object]]] = {
        "agree": lambda: seat.consider(view),
        "again": seat.again,
    }
    for kind, ask in asks.items():
        with trio.move_on_after(0):
            await ask()
        assert tab.read()["ask"]["kind"] == kind
        seat.hear({kind: yes, "n": tab.state["ask"]["n"]})
        assert await ask() is yes


async def test_words_go_out_and_come_in_harmless() -> None:
    seat, tab, _ = seated()
    seat.hear({"say": "  Good evening.  "})
    assert await seat.words() == "Good evening."
    seat.hear({"say": "é" * 2000})
    assert len((await seat.words()).encode()) <= 500
    seat.hear({"say": "\ud800"})
    assert await seat.words() == "?"
    seat.hear({"say": "   "})
    for _ in range(50):
        seat.hear({"say": "flood"})
    seat.tell(Said("\x1b[2J\u202e<b>hi</b>"))
    tab.read()
    assert tab.lists["chat"][-1]["text"] == "?[2J?<b>hi</b>"
    assert len(tab.lists["chat"]) < 20


def test_news_are_shown() -> None:
    seat, tab, _ = seated(0)
    seat.tell(Ticking((10.04, 20.0), 1))
    seat.tell(Line(is_up=False))
    seat.tell(Notice("a\nb"))
    seat.tell(Proven(5, 2, 9, 1, bytes(32), is_complete=False))
    state = tab.read()
    assert state["clocks"] == {"left": [10.0, 20.0], "running": 1}
    assert state["line"] is False
    assert tab.lists["notices"] == [{"text": "a b"}]
    assert state["proven"]["shuffles"] == 2
    assert state["proven"]["head"] == "00" * 32
    view = some(TURN)
    seat.tell(Ended(view, Result(0, "the other side resigned", True)))
    assert tab.read()["result"]["winner"] == 0
    seat.tell(Seated(1, Opponent("Mina", "1234")))  # a rematch
    state = tab.read()
    assert state["result"] is None
    assert state["scene"] is None
    assert "notices" not in tab.lists
    assert state["seat"] == {"player": 1, "name": "Mina", "fingerprint": "1234"}


# --- tabs -------------------------------------------------------------------------------------


def test_a_new_tab_is_told_everything_and_the_same_as_the_old() -> None:
    seat, tab, hub = seated()
    for state in positions(2):
        assert state.log is not None
        seat.tell(Moved(state.view(1), tuple(state.log)))
        state.log.clear()
    seat.tell(Said("hello"))
    new = Tab(hub)
    assert new.state == tab.read()
    assert new.lists == tab.lists


def test_a_tab_that_does_not_read_is_let_go_and_the_others_are_not() -> None:
    hub = Hub()
    dead, living = Tab(hub), Tab(hub)
    for number in range(MAX_WAITING + 5):
        hub.show(number=number)
        living.read()
    assert living.state["number"] == MAX_WAITING + 4
    assert hub.tabs == 1
    dead.close()


def test_there_are_not_too_many_tabs() -> None:
    hub = Hub()
    tabs = [Tab(hub) for _ in range(MAX_TABS + 3)]
    assert hub.tabs == MAX_TABS
    hub.show(x=1)
    assert tabs[-1].read()["x"] == 1
    for tab in tabs:
        tab.close()
    assert hub.tabs == 0


def test_what_has_not_changed_is_not_sent() -> None:
    hub = Hub()
    tab = Tab(hub)
    hub.show(a=1)
    hub.show(a=1)
    hub.show({"log": []})
    tab.read()
    assert len(tab.raw) == 2


def test_choices_name_what_they_are_about() -> None:
    for seed in range(5):
        for state in positions(seed):
            if state.actions:
                for option in choice_json(state.view(state.player))["options"]:
                    assert option["k"] in {
                        *("draw", "call", "discard", "reveal", "expose", "swap"),
                        *("exchange", "trump"),
                    }
                    sizes = {"draw": 0, "call": 0, "swap": 2}
                    assert len(option["on"]) == sizes.get(option["k"], 1)
