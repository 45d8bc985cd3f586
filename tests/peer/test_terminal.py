"""A person at a terminal: what they see, what they type, and what becomes of it."""

import io
import re
from collections.abc import Iterable
from itertools import islice

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from engine.actions import CALL, DISCARD, action_name
from engine.board import DRACULA, HELSING, NONE
from engine.cards import UNKNOWN, card_name
from engine.events import DistrictScored, Event, RoundEnded
from engine.phases import DISCARDING, TURN
from engine.state import State
from peer.seat import Ended, Moved, News, Notice, Opponent, Quit, Seat, Seated, Ticking
from peer.terminal import TerminalSeat, WatchingSeat
from peer.terminal.choices import EFFECTS, describe, question
from peer.terminal.help import COMMANDS, help_lines, rules_lines
from peer.terminal.look import dressed
from protocol.course import Result
from tests.peer.games import positions
from tests.tools.local_game import play

BOX = re.compile("[\u2500-\u259f\u25a0-\u25ff\u263b\u263e]")
HINT = "Type a number from 1 to"


class Typed:
    """Lines typed beforehand; after the last the input ends, or falls silent if `open`."""

    def __init__(self, *lines: str, is_open: bool = False) -> None:
        self.lines = list(lines)
        self.is_open = is_open

    async def line(self) -> str | None:
        await trio.lowlevel.checkpoint()
        if self.lines:
            return self.lines.pop(0)
        if self.is_open:
            await trio.sleep_forever()
        return None


class Screen:
    """A console in memory."""

    def __init__(self, *, terminal: bool, environ: dict[str, str] | None = None) -> None:
        self.file = io.StringIO()
        self.console = Console(
            file=self.file,
            width=80,
            height=24,
            force_terminal=terminal,
            color_system="truecolor" if terminal else None,
            _environ={"TERM": "xterm", **(environ or {})},
        )

    def take(self) -> str:
        """What has been written since the last time."""
        text = self.file.getvalue()
        self.file.seek(0)
        self.file.truncate()
        return text


def bare(text: str) -> str:
    """Without escape sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@pytest.fixture(params=["picture", "plain"])
def screen(request: pytest.FixtureRequest) -> Screen:
    return Screen(terminal=request.param == "picture")


def seat_at(screen: Screen, *lines: str, player: int = DRACULA, is_open: bool = False) -> Seat:
    seat = TerminalSeat(screen.console, Typed(*lines, is_open=is_open))
    seat.tell(Seated(player, Opponent("Mina", "ab12 cd34")))
    screen.take()
    return seat


def first(seed: int = 0) -> State:
    """Dracula's first discard."""
    return next(positions(seed))


def decisions(seed: int) -> Iterable[State]:
    return (state for state in positions(seed) if not state.is_over)


# --- choosing ---


@pytest.mark.parametrize("seed", range(2))
async def test_numbers_and_words_choose_the_action_they_name(seed: int) -> None:
    screen = Screen(terminal=False)
    for state in islice(decisions(seed), 0, None, 3):
        view = state.view(state.player)
        for number, action in enumerate(view.actions, start=1):
            for line in (str(number), action_name(action), f"  {action_name(action).upper()} "):
                seat = seat_at(screen, line, player=state.player)
                assert await seat.choose(view) == action
                text = screen.take()
                assert f"\n{number}: {describe(view, action)}\n" in text


def test_every_action_is_explained() -> None:
    seen = set()
    for seed in range(12):
        for state in decisions(seed):
            view = state.view(state.player)
            full = [describe(view, action) for action in view.actions]
            brief = [describe(view, action, brief=True) for action in view.actions]
            assert len(set(full)) == len(set(brief)) == len(view.actions)
            assert all(cell_len(text) <= 90 for text in brief)
            assert question(view).isascii()
            seen |= set(view.actions)
    assert seen == set(range(37))


def test_a_discard_tells_the_card_its_place_and_its_effect() -> None:
    state = first()
    view = state.view(DRACULA)
    own, drawn = card_name(view.faces[view.rack[0]]), card_name(view.faces[view.hand])
    value = int(own[-1])
    assert describe(view, DISCARD) == (
        f"discard the {own} from district 1, the drawn {drawn} takes its place; "
        f"effect {value}: {EFFECTS[value - 1]}"
    )


def test_why_an_8_is_missing_is_said() -> None:
    for state in decisions(7):
        view = state.view(state.player)
        if view.phase is DISCARDING:
            is_short = len(view.actions) < 6
            assert ("An 8 needs 6 discards" in question(view)) == is_short


@pytest.mark.parametrize(
    "wrong",
    ["0", "7", "99", "-1", "1.5", "banana", "discard", "discard 9", "swap 1 1", "call", "\x1b[A",
     "", "   ", "\u0663", "9" * 600, "\ufffd\ufffd", "[bold]1", "resign now", "yes"],
)  # fmt: skip
async def test_a_wrong_line_costs_a_hint_and_nothing_else(screen: Screen, wrong: str) -> None:
    view = first(1).view(DRACULA)
    seat = seat_at(screen, wrong, "2")
    assert await seat.choose(view) == view.actions[1]
    text = screen.take()
    assert HINT in bare(text)
    assert "\x1b[A" not in text


async def test_a_cancelled_choice_is_asked_again(screen: Screen) -> None:
    view = first().view(DRACULA)
    typed = Typed(is_open=True)
    seat = TerminalSeat(screen.console, typed)
    for _ in range(2):
        with trio.move_on_after(0.01) as scope:
            await seat.choose(view)
        assert scope.cancelled_caught
        assert question(view)[-30:] in bare(screen.take())
    typed.lines = ["1"]
    assert await seat.choose(view) == view.actions[0]


# --- commands ---


def moved(state: State, player: int, events: int = 1000) -> Moved:
    assert state.log is not None
    return Moved(state.view(player), tuple(state.log[-events:]))


@pytest.mark.parametrize("turn", ["mine", "theirs"])
@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("help", "exchange two of your own cards"),
        ("?", "the game is kept"),
        ("Rules", "a trump beats any other colour"),
        ("board", "Round 1 of 5"),
        ("discards", "from the first:"),
        ("log", "Round 1 of 5 begins"),
    ],
)
async def test_commands_answer_at_any_time(
    screen: Screen, turn: str, command: str, answer: str
) -> None:
    state = next(islice(positions(4), 5, None))
    assert state.discards
    player = state.player if turn == "mine" else 1 - state.player
    view = state.view(player)
    seat = seat_at(screen, command, "quit", player=player)
    seat.tell(moved(state, player))
    screen.take()
    decision = seat.choose(view) if turn == "mine" else seat.wait(view)
    assert await decision is Quit.LEAVE
    assert answer in bare(screen.take())


async def test_help_names_every_command_and_effect(screen: Screen) -> None:
    seat = seat_at(screen, "help")
    await seat.wait(None)
    text = bare(screen.take())
    for words in (*COMMANDS, *EFFECTS):
        assert words in text


@pytest.mark.parametrize("page", [help_lines(plain=False), help_lines(plain=True), rules_lines()])
def test_a_page_fits_a_small_terminal(page: list[str]) -> None:
    assert len(page) < 24
    assert max(len(line) for line in page) <= 80
    assert max(dressed(line).cell_len for line in page) <= 80


async def test_all_discards_are_listed(screen: Screen) -> None:
    state = next(state for state in decisions(0) if len(state.discards) >= 9)
    seat = seat_at(screen, "discards", player=state.player)
    await seat.choose(state.view(state.player))
    listed = bare(screen.take())
    for colour in ("red", "purple", "yellow", "blue"):
        assert re.search(rf"{colour}: [1-8n]", listed)


@pytest.mark.parametrize("answer", ["yes", "YES", " y "])
async def test_resigning_is_asked_twice(screen: Screen, answer: str) -> None:
    view = first().view(DRACULA)
    assert await seat_at(screen, "resign", answer).choose(view) is Quit.RESIGN
    assert "Type yes to resign" in bare(screen.take())
    assert await seat_at(screen, "resign", answer).wait(view) is Quit.RESIGN


@pytest.mark.parametrize("answer", ["no", "", "resign", "1", "yes please"])
async def test_anything_but_yes_plays_on(screen: Screen, answer: str) -> None:
    view = first().view(DRACULA)
    assert await seat_at(screen, "resign", answer, "3").choose(view) == view.actions[2]
    assert await seat_at(screen, "resign", answer).wait(view) is Quit.LEAVE


async def test_before_the_game_there_is_nothing_to_resign(screen: Screen) -> None:
    assert await seat_at(screen, "board", "discards", "resign", "yes").wait(None) is Quit.LEAVE
    assert "nothing to resign" in screen.take()


async def test_an_answer_out_of_turn_is_refused(screen: Screen) -> None:
    view = first().view(HELSING)
    assert await seat_at(screen, "1", "draw", "", player=HELSING).wait(view) is Quit.LEAVE
    assert bare(screen.take()).count("It is not your turn") == 2


@pytest.mark.parametrize("lines", [(), ("help",), ("resign",), ("what",)])
async def test_the_end_of_the_input_leaves(screen: Screen, lines: tuple[str, ...]) -> None:
    view = first().view(DRACULA)
    assert await seat_at(screen, *lines).choose(view) is Quit.LEAVE
    assert await seat_at(screen, *lines).wait(view) is Quit.LEAVE


# --- what is shown ---


async def test_the_picture_fits_a_small_terminal_with_all_its_choices() -> None:
    screen = Screen(terminal=True)
    for state in islice(decisions(6), 0, None, 4):
        player = state.player
        seat = seat_at(screen, player=player)
        assert state.log is not None
        ends = (RoundEnded, DistrictScored)
        events = tuple(event for event in state.log[-8:] if not isinstance(event, ends))
        seat.tell(Moved(state.view(player), events))
        await seat.choose(state.view(player))
        lines = bare(screen.take()).splitlines()
        assert len(lines) <= 24
        assert max(map(cell_len, lines)) <= 80
        assert "Whitby" in lines[0]
        assert lines[-1].startswith("> ")


@pytest.mark.parametrize("terminal", [True, False])
async def test_plain_is_plain(terminal: bool) -> None:
    """Nothing but letters, on any console, through a whole game with every command."""
    screen = Screen(terminal=terminal)
    texts = []
    for state in islice(decisions(8), 0, None, 7):
        seat = TerminalSeat(screen.console, Typed(*COMMANDS, "?", "x", "resign"), plain=True)
        seat.tell(Seated(state.player, Opponent("Mina", "ab12")))
        seat.tell(moved(state, state.player))
        seat.tell(Notice("The line was cut."))
        await seat.choose(state.view(state.player))
        await seat.wait(state.view(state.player))
        seat.tell(Ended(state.view(state.player), Result(0, "x", resigned=True)))
        texts.append(screen.take())
    text = "".join(texts)
    assert text.isascii()
    assert "\x1b" not in text
    assert "\a" not in text
    assert not BOX.search(text)


async def test_without_a_terminal_lines_are_plain_by_themselves() -> None:
    for screen in (Screen(terminal=False), Screen(terminal=True, environ={"TERM": "dumb"})):
        await seat_at(screen).choose(first().view(DRACULA))
        assert screen.take().isascii()


async def test_plain_waiting_is_announced_once_a_turn() -> None:
    screen = Screen(terminal=False)
    view = first().view(HELSING)
    seat = seat_at(screen, player=HELSING, is_open=True)
    for _ in range(3):
        with trio.move_on_after(0.01):
            await seat.wait(view)
    assert screen.take().count("Waiting for Mina") == 1


async def test_no_colour_if_none_is_wanted() -> None:
    file = io.StringIO()
    console = Console(
        file=file, width=80, height=24, force_terminal=True, _environ={"NO_COLOR": "1"}
    )
    await TerminalSeat(console, Typed()).choose(first().view(DRACULA))
    for codes in re.findall(r"\x1b\[([0-9;]*)m", file.getvalue()):
        assert set(codes.split(";")) <= {"0", "1", "2", ""}
    assert "Whitby" in file.getvalue()


async def test_a_narrow_terminal_is_served_in_words() -> None:
    file = io.StringIO()
    console = Console(file=file, width=40, height=24, force_terminal=True, _environ={})
    await TerminalSeat(console, Typed("board")).choose(first().view(DRACULA))
    assert not BOX.search(file.getvalue())
    assert "District 5:" in file.getvalue()


async def test_a_terminal_without_unicode_is_served_in_words_it_has() -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    console = Console(file=file, width=80, height=24, force_terminal=True, _environ={})
    seat = TerminalSeat(console, Typed())
    seat.tell(Seated(0, Opponent("Мина", "ab")))
    await seat.choose(first().view(DRACULA))
    file.flush()
    assert b"Your opponent calls themselves ????; their key is ab." in raw.getvalue()


HOSTILE = "[red]\x1b]0;x\x07\x9b2J\u202e:bat:\r\n> quit"


@pytest.mark.parametrize("make", [TerminalSeat, WatchingSeat])
async def test_a_hostile_name_is_printed_harmlessly(
    screen: Screen, make: type[TerminalSeat] | type[WatchingSeat]
) -> None:
    seat = TerminalSeat(screen.console, Typed()) if make is TerminalSeat else watching(screen)
    seat.tell(Seated(1, Opponent(HOSTILE, HOSTILE)))
    seat.tell(Notice(f"{HOSTILE} has gone."))
    seat.tell(moved(first(), 1))
    await seat.wait(first().view(1))
    text = screen.take()
    assert "[red]?]0;x??2J?:bat:" in text
    assert not re.search("[\x07\x9b\u202e\r]|\x1b[^\\[]", text)
    assert "\n> quit" not in text


async def test_what_the_other_did_is_seen_while_waiting() -> None:
    screen = Screen(terminal=True)
    state = first()
    seat = seat_at(screen, player=HELSING, is_open=True)
    state.act(next(action for action in state.actions if action != DISCARD))
    while state.player == HELSING:  # until Dracula has to decide again
        state.act(state.actions[0])
    seat.tell(moved(state, HELSING))
    for times in (1, 0):  # nothing new the second time
        with trio.move_on_after(0.01):
            await seat.wait(state.view(HELSING))
        assert bare(screen.take()).count("Your opponent discards") >= times


async def test_shares_of_cards_are_waited_for_in_silence(screen: Screen) -> None:
    state = State.new()
    state.ordered((0, 1, 2, 3))
    seat = seat_at(screen, player=HELSING, is_open=True)
    with trio.move_on_after(0.01):
        await seat.wait(state.view(HELSING))
    assert screen.take() == ""


def test_a_notice_stands_on_a_line_of_its_own(screen: Screen) -> None:
    seat = seat_at(screen)
    seat.tell(Notice("One."))
    seat.tell(Notice("Two."))
    assert bare(screen.take()) == "One.\nTwo.\n"


async def test_a_notice_breaks_into_typing_and_asks_again() -> None:
    screen = Screen(terminal=True)
    seat = seat_at(screen, is_open=True)
    with trio.move_on_after(0.01):
        await seat.choose(first().view(DRACULA))
    screen.take()
    seat.tell(Notice("The line was cut."))
    assert bare(screen.take()) == "\nThe line was cut.\n> "


async def test_a_game_taken_up_again_does_not_tell_everything(screen: Screen) -> None:
    *_, state = islice(positions(0), 35)
    assert state.log is not None
    assert len(state.log) > 60
    assert not state.is_over
    seat = seat_at(screen, "log", player=state.player)
    seat.tell(moved(state, state.player))
    assert screen.take().count("\n") <= 8
    await seat.choose(state.view(state.player))
    assert bare(screen.take()).count("begins") >= state.round + 1


def round_end(seed: int) -> tuple[State, tuple[Event, ...]]:
    """The first decision of round 2, and all events since the last one of round 1."""
    before = 0
    for state in positions(seed):
        assert state.log is not None
        if state.round == 1:
            return state, tuple(state.log[before:])
        before = len(state.log)
    raise AssertionError("no second round")


async def test_the_end_of_a_round_is_read_before_the_next() -> None:
    screen = Screen(terminal=True)
    state, events = round_end(3)
    view = state.view(DRACULA)
    seat = seat_at(screen, "", "1")
    seat.tell(Moved(view, events))
    assert await seat.choose(view) == view.actions[0]
    text = bare(screen.take())
    report, board = text.split("Press Enter to go on.")
    assert report.count("District ") == sum(isinstance(event, DistrictScored) for event in events)
    assert "Round 1 ends" in report
    assert "Round 2 of 5" in board


async def test_commands_at_the_end_of_a_round_are_kept_but_no_hasty_choice() -> None:
    screen = Screen(terminal=True)
    state, events = round_end(3)
    view = state.view(DRACULA)
    seat = seat_at(screen, "1", "2")
    seat.tell(Moved(view, events))
    assert await seat.choose(view) == view.actions[1]
    seat = seat_at(screen, "quit", "2")
    seat.tell(Moved(view, events))
    assert await seat.choose(view) is Quit.LEAVE
    seat = seat_at(screen)
    seat.tell(Moved(view, events))
    assert await seat.choose(view) is Quit.LEAVE


async def test_the_report_of_a_round_is_drawn_once_however_often_it_is_interrupted() -> None:
    screen = Screen(terminal=True)
    state, events = round_end(3)
    typed = Typed(is_open=True)
    seat = TerminalSeat(screen.console, typed)
    seat.tell(Seated(HELSING, Opponent("Mina", "")))
    seat.tell(Moved(state.view(HELSING), events))
    screen.take()
    for _ in range(3):
        with trio.move_on_after(0.01):
            await seat.wait(state.view(HELSING))
    assert bare(screen.take()).count("Press Enter") == 1
    typed.lines = [""]
    with trio.move_on_after(0.01):
        await seat.wait(state.view(HELSING))
    assert "Round 2 of 5" in bare(screen.take())


async def test_the_report_of_a_round_waits_for_the_cards_to_be_shown() -> None:
    screen = Screen(terminal=True)
    state, events = round_end(3)
    shown = next(i for i, event in enumerate(events) if isinstance(event, DistrictScored))
    seat = seat_at(screen, is_open=True)
    for part in (events[:shown], events[shown:]):
        seat.tell(Moved(state.view(DRACULA), part))
        with trio.move_on_after(0.01):
            await seat.wait(None)
    assert bare(screen.take()).count("Press Enter") == 1


async def test_plain_lines_do_not_stop_at_the_end_of_a_round() -> None:
    screen = Screen(terminal=False)
    state, events = round_end(3)
    view = state.view(DRACULA)
    seat = seat_at(screen, "1")
    seat.tell(Moved(view, events))
    assert await seat.choose(view) == view.actions[0]
    assert "Round 1 ends" in screen.take()


async def test_the_result_is_told_once(screen: Screen) -> None:
    *_, state = positions(0)
    assert state.winner is not None
    assert state.ending is not None
    seat = seat_at(screen, player=state.winner)
    seat.tell(moved(state, state.winner, 8))
    seat.tell(Ended(state.view(state.winner), Result(state.winner, state.ending.value)))
    text = bare(screen.take())
    assert text.count(f"You win: {state.ending.value}.") == 1
    assert "District " in text


def test_a_resignation_is_told(screen: Screen) -> None:
    seat = seat_at(screen)
    seat.tell(Ended(first().view(DRACULA), Result(DRACULA, "x", resigned=True)))
    assert "Your opponent resigns: you win." in screen.take()


async def test_a_bell_rings_when_it_becomes_my_turn() -> None:
    screen = Screen(terminal=True)
    view = first().view(DRACULA)
    seat = TerminalSeat(screen.console, Typed(), bell=True)
    await seat.choose(view)
    assert "\a" not in screen.take()
    await seat.wait(view)
    await seat.choose(view)
    assert screen.take().count("\a") == 1


# --- whole games ---


class FirstAction:
    """A seat that always takes the first action, and remembers what it was told."""

    def __init__(self) -> None:
        self.news: list[News] = []

    def tell(self, news: News) -> None:
        self.news.append(news)

    async def choose(self, view: State) -> int | Quit:
        return view.actions[0]

    async def wait(self, view: State | None) -> Quit:
        return Quit.LEAVE if view is not None and self.news else Quit.RESIGN

    async def consider(self, view: State) -> bool | Quit:
        return view.round > 0

    async def words(self) -> str:
        await trio.sleep_forever()
        raise AssertionError

    async def again(self) -> bool:
        return bool(self.news)


def watching(screen: Screen) -> WatchingSeat:
    inner = FirstAction()
    inner.tell(Notice("here"))
    return WatchingSeat(inner, screen.console)


@pytest.mark.parametrize("seed", range(3))
async def test_a_person_can_play_a_whole_game(screen: Screen, seed: int) -> None:
    class Ones:
        async def line(self) -> str | None:
            await trio.lowlevel.checkpoint()
            return "1"

    class NeverWaits(TerminalSeat):
        async def wait(self, view: State | None) -> Quit:
            await trio.sleep_forever()
            raise AssertionError

    seat = NeverWaits(screen.console, Ones())
    assert await play(seat, seed % 2, seed, 0) is None
    assert re.search(r"(You win|Your opponent wins): ", bare(screen.take()))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
async def test_onlookers_see_what_is_public_and_no_more(seed: int) -> None:
    screen = Screen(terminal=False)
    seat = watching(screen)
    seat.tell(Seated(HELSING, Opponent("Bot", "ab12")))
    assert "Dracula is played by Bot." in screen.take()
    told = 0
    for state in positions(seed):
        assert state.log is not None
        events, told = tuple(state.log[told:]), len(state.log)
        seat.tell(Moved(state.view(HELSING), events))
        public = {state.public_face(handle) for handle in range(32)} - {UNKNOWN}
        text = screen.take()
        if not any(isinstance(event, RoundEnded) for event in events):
            named = {card_name(face) for face in range(32) if card_name(face) in text}
            assert named <= {card_name(face) for face in public}
        assert "you" not in text.lower()


async def test_the_inner_seat_decides_and_hears_everything() -> None:
    screen = Screen(terminal=False)
    inner = FirstAction()
    seat = WatchingSeat(inner, screen.console)
    view = first().view(DRACULA)
    news: list[News] = [
        Seated(DRACULA, Opponent("Bot", "")),
        Notice("Hello."),
        moved(first(), DRACULA),
    ]
    for item in news:
        seat.tell(item)
    seat.tell(Ended(view, Result(DRACULA, "x", resigned=True)))
    assert inner.news[:3] == news
    assert await seat.choose(view) == view.actions[0]
    assert await seat.wait(view) is Quit.LEAVE
    assert await seat.consider(view) is False
    assert await seat.again() is True
    assert "Van Helsing resigns: Dracula wins." in screen.take()


async def test_call_is_offered_with_what_it_means() -> None:
    state = next(state for state in decisions(1) if state.phase is TURN)
    assert state.caller == NONE
    assert "one last turn" in describe(state.view(state.player), CALL)


# --- agreements, clocks, and the game after this one ---


@pytest.mark.parametrize(("command", "meaning"), [("abandon", Quit.PROPOSE), ("claim", Quit.CLAIM)])
async def test_other_ways_to_end_a_game(screen: Screen, command: str, meaning: Quit) -> None:
    view = first().view(DRACULA)
    assert await seat_at(screen, command).choose(view) is meaning
    assert await seat_at(screen, command.upper()).wait(view) is meaning


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (("yes",), True),
        ((" Y ",), True),
        (("no",), False),
        (("", "1", "help", "n"), False),
        (("resign", "yes"), Quit.RESIGN),
        (("resign", "no", "yes"), True),
        ((), Quit.LEAVE),
    ],
)
async def test_a_proposal_is_agreed_to_or_not(
    screen: Screen, lines: tuple[str, ...], answer: bool | Quit
) -> None:
    assert await seat_at(screen, *lines).consider(first().view(DRACULA)) is answer
    text = bare(screen.take())
    assert "proposes to end the game without a winner" in text
    assert text.count("Do you agree?") >= (1 if len(lines) == 1 else len(lines) - 1)


async def test_another_game_begins_with_a_clean_slate(screen: Screen) -> None:
    *_, state = positions(0)
    seat = seat_at(screen, "yes", "log", player=DRACULA)
    seat.tell(moved(state, DRACULA, 8))
    assert await seat.again() is True
    seat.tell(Seated(HELSING, Opponent("Mina", "")))
    assert await seat.wait(None) is Quit.LEAVE
    assert "Nothing has happened yet." in bare(screen.take())
    for lines in (("no",), ("quit",), ()):
        assert await seat_at(screen, *lines).again() is False


async def test_clocks_are_shown_with_the_choice(screen: Screen) -> None:
    seat = seat_at(screen)
    seat.tell(Ticking((245.2, -10.5), DRACULA))
    await seat.choose(first().view(DRACULA))
    text = bare(screen.take())
    assert "Time left: you 4:05, your opponent -0:10." in text
    assert len(text.splitlines()) <= 24


async def test_a_notice_outlives_the_page_that_follows() -> None:
    screen = Screen(terminal=True)
    seat = seat_at(screen)
    notice = "There is nothing to claim yet. " * 4
    seat.tell(Notice(notice))
    screen.take()
    await seat.choose(first().view(DRACULA))
    text = bare(screen.take())
    assert notice.strip() in " ".join(text.split())
    assert len(text.splitlines()) <= 24


async def test_without_a_line_nothing_can_be_chosen(screen: Screen) -> None:
    assert await seat_at(screen, "1").wait(first().view(DRACULA)) is Quit.LEAVE
    assert "Not now." in bare(screen.take())
