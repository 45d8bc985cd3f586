"""The bot: it plays by the rules, honestly, and well enough to be beaten with pleasure."""

from random import Random

import pytest
import trio
from trio.testing import MockClock

from engine import DRACULA, HELSING, State, action_name
from peer.bot import Bot, decide
from peer.judgement import Judge, outlook
from peer.seat import Notice
from tests.engine.helpers import Dealer, deal_open, situation
from tests.engine.helpers import play as act
from tests.peer.arena import at_random, bot, match, play

OLD = "b1 b2 b3 y1 y2 y3"
"""Six cards that lie in the discard pile: enough for a call and for an 8."""


def decision(state: State, seed: int = 0) -> str:
    return action_name(decide(state.view(state.player), state.player, Random(seed)))


def turn_up(state: State, player: int) -> State:
    """Show a whole rack to everybody."""
    for place in range(5 * player, 5 * player + 5):
        state.public |= 1 << state.rack[place]
        state.face_up |= 1 << place
    return state


# --- whole games -----------------------------------------------------------------------


def test_it_beats_chance_in_either_seat() -> None:
    """Of 1000 games in each seat it won 999 as Dracula and 998 as Van Helsing."""
    wins = match(bot, at_random, 100)
    assert wins.as_dracula >= 95
    assert wins.as_helsing >= 95


def test_neither_seat_is_hopeless_between_equals() -> None:
    wins = match(bot, bot, 30)
    assert 6 <= wins.as_dracula <= 24
    assert 6 <= wins.as_helsing <= 24


def test_the_same_seed_plays_the_same_game() -> None:
    one, again = (play(bot, bot, 7) for _ in range(2))
    assert one.to_bytes() == again.to_bytes()


@pytest.mark.parametrize("seed", range(8))
def test_it_decides_by_what_its_own_copy_sees(seed: int) -> None:
    """A copy that is told only what its player may know decides as the view of an open one."""
    dealer = Dealer.shuffling(Random(seed))
    whole = State.new()
    own = {player: State.new() for player in (DRACULA, HELSING)}
    dealers = {player: Dealer(dealer.ranking, dealer.decks, player) for player in own}
    while not deal_open(whole, dealer).is_over:
        for player, copy in own.items():
            dealers[player].answer(copy)
        player = whole.player
        before = own[player].to_bytes()
        action = decide(own[player], player, Random(seed))
        assert action in whole.actions
        assert own[player].to_bytes() == before
        assert action == decide(whole.view(player), player, Random(seed))
        imagined = whole.determinize(Random(seed), player)
        assert action == decide(imagined.view(player), player, Random(seed))
        for copy in (whole, *own.values()):
            copy.act(action)


def test_it_calls_now_and_then_and_never_behind() -> None:
    ahead: list[float] = []

    def noting(view: State, player: int, rng: Random) -> int:
        action = decide(view, player, rng)
        if action_name(action) == "call":
            judge = Judge(view, player)
            ahead.append(sum(judge.chances(judge.layout())) - 2.5)
        return action

    match(noting, noting, 20)
    assert len(ahead) >= 5
    assert min(ahead) > 0.5


# --- positions -------------------------------------------------------------------------


def test_it_calls_when_far_ahead_and_not_when_behind() -> None:
    ahead = situation("r4 r5 r6 r7 r8", "p2 p3 p4 p5 p6", discards=OLD)
    assert decision(turn_up(ahead, HELSING)) == "call"
    behind = situation("p2 p3 p4 p5 p6", "r4 r5 r6 r7 r8", discards=OLD)
    assert decision(turn_up(behind, HELSING)) == "draw"
    even = situation("p2 p3 p4 r5 r6", "r2 r3 r4 p5 p7", discards=OLD)
    assert decision(turn_up(even, HELSING)) == "draw"


def test_it_ends_the_round_with_an_8_that_wins_the_game() -> None:
    state = situation(
        "p2 p3 p4 p5 p6",
        "r3 r4 r5 r6 r7",
        "b8",
        discards=OLD,
        player=HELSING,
        hp=1,
        number=3,
        vampires=(1, 1, 1, 1, 0),
    )
    act(state, "draw")
    assert decision(state) == "discard drawn"


def test_it_keeps_an_8_that_would_end_a_round_that_is_being_lost() -> None:
    state = situation("p2 p3 p4 y4 y5", "r4 r5 r6 r7 r8", "b8", discards=OLD)
    act(turn_up(state, HELSING), "draw")
    assert decision(state) != "discard drawn"


def test_it_keeps_a_strong_card() -> None:
    state = situation("b1 p4 y5 b6 p7", "", "r8", discards="y1 y2 y3")
    assert decision(state) != "discard drawn"


@pytest.mark.parametrize("player", [DRACULA, HELSING])
def test_it_takes_what_beats_it(player: int) -> None:
    racks = "b5 p5 b1 p6 y7", "b4 p4 r8 p3 y3"
    state = situation(*(racks if player == DRACULA else racks[::-1]), "y6", player=player)
    act(turn_up(state, 1 - player), "discard drawn")
    assert decision(state) == "exchange 3"


def test_it_makes_the_colour_trump_that_wins_most() -> None:
    state = situation("y2 y3 y4 y5 p1", "r3 r4 r5 r6 r2", "b7")
    act(turn_up(state, HELSING), "discard drawn")
    assert decision(state) == "trump yellow"


def test_it_puts_the_strong_card_where_three_vampires_wait() -> None:
    racks = "r8 b2 b3 y3 b5", "b6 p7 p6 p5 p4"
    state = situation(*racks, "y4", number=3, vampires=(1, 3, 1, 1, 1), hp=4)
    act(turn_up(state, HELSING), "discard drawn")
    assert decision(state) == "swap 1 2"


def test_it_looks_at_the_card_it_knows_nothing_of() -> None:
    state = situation("r8 p5 p6 p7 p8", "b1 b2 b3 b4 b5", "y3")
    for district in (0, 2, 3, 4):
        state.public |= 1 << state.rack[5 + district]  # as after an exchange
    act(state, "discard drawn")
    assert decision(state) == "expose 2"


def test_it_makes_the_best_of_a_last_turn() -> None:
    """After a call nothing is left to wait for: the one card that turns a district is played."""
    state = situation("r5 r6 r7 b5 b7", "r1 r2 r3 b4 b6", "b8", discards=OLD)
    turn_up(state, DRACULA)
    act(state, "call")
    assert state.player == HELSING
    assert decision(state) in ("discard 4", "discard 5")


# --- what a position is worth ----------------------------------------------------------


def test_an_outlook_counts_the_districts_that_matter() -> None:
    state = situation(number=3, hp=12 - 8, vampires=(3, 1, 1, 1, 1))
    even = [0.5] * 5
    sure = [[1.0 if d == sure else 0.5 for d in range(5)] for sure in range(5)]
    assert outlook(state, DRACULA, sure[0]) == 1.0
    assert outlook(state, DRACULA, even) < outlook(state, DRACULA, sure[1]) < 1.0
    assert outlook(state, HELSING, [1.0] * 5) == 1.0
    assert outlook(state, HELSING, [0.0] * 5) == 0.0
    for chances in (even, *sure):
        other = [1.0 - chance for chance in chances]
        ours, theirs = outlook(state, DRACULA, chances), outlook(state, HELSING, other)
        assert ours + theirs == pytest.approx(1.0)


def test_after_five_rounds_dracula_has_won() -> None:
    state = situation(number=4, hp=6, vampires=(3, 3, 3, 3, 2))
    assert outlook(state, DRACULA, [0.0] * 5) == 1.0
    state.hp = 5
    assert outlook(state, DRACULA, [0.0] * 5) == 0.0


def test_chances_follow_from_what_is_known() -> None:
    state = situation("r8 r7 b1 p5 b2", "r1 r2 r3 p4 r4")
    state.public |= 1 << state.rack[8]
    judge = Judge(state.view(DRACULA), DRACULA)
    chances = judge.chances(judge.layout())
    assert chances[0] == 1.0, "nothing beats it"
    assert chances[2] == 0.0, "it beats nothing"
    assert chances[3] == 1.0, "both cards are known"
    assert 0.0 < chances[4] < chances[1]


# --- its seat --------------------------------------------------------------------------


async def test_it_sits_at_a_table(autojump_clock: MockClock) -> None:
    view = situation().view(DRACULA)
    decided = await Bot(3).choose(view)
    assert decided in view.actions
    assert await Bot(3).choose(view) == decided
    assert await Bot().consider(view) is True
    assert not await Bot().again()
    assert await Bot(again=True).again()
    Bot().tell(Notice("The line is gone."))
    with trio.move_on_after(10**6) as patience:
        await Bot().wait(None)
    assert patience.cancelled_caught
