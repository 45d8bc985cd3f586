"""What follows from the rules: how early and how a game can end, and who draws the last card."""

from engine import DECK, DRACULA, HELSING, ROUNDS, Ending, Phase, State
from engine.actions import CALL, DISCARD, DRAW, DRAWN
from engine.events import Drew, GameOver, RoundStarted
from tests.engine.helpers import PLAIN, deck_of, play, situation

WEAK = "p1 y1 b1 p2 y2"
TRUMPS = "r1 r2 r3 r4 r6"
SIX_DISCARDS = "p5 y5 b5 p4 y4 b4"


def one_sided_round(state: State, winner: int) -> None:
    """Play a round in which `winner` wins every district that is resolved."""
    racks = (TRUMPS, WEAK) if winner == DRACULA else (WEAK, TRUMPS)
    state.shuffled(deck_of((racks[0], 5), (racks[1], 5), (f"{SIX_DISCARDS} p8", 22)))
    play(state, "discard drawn", "discard drawn", "discard drawn")
    for _ in range(3):
        play(state, "discard drawn", "swap 1 2")
    play(state, "draw", "discard drawn")


def one_sided_game(hp: int, winner: int) -> State:
    state = State.new(hp)
    state.log = []
    state.ordered(PLAIN)
    while not state.is_over:
        one_sided_round(state, winner)
    return state


def test_helsing_wins_in_round_three_at_the_earliest() -> None:
    for hp in (11, 12, 13):
        state = one_sided_game(hp, HELSING)
        assert (state.winner, state.ending) == (HELSING, Ending.NO_HEALTH)
        assert state.round == 2


def test_dracula_wins_in_round_four_at_the_earliest() -> None:
    state = one_sided_game(12, DRACULA)
    assert (state.winner, state.ending) == (DRACULA, Ending.FOUR_VAMPIRES)
    assert state.round == 3
    assert state.vampires == [4, 3, 3, 3, 3], "the first district decides, the rest is left"


def test_a_game_has_at_most_five_rounds() -> None:
    state = State.new(13)
    state.log = []
    state.ordered(PLAIN)
    for number in range(ROUNDS):
        assert not state.is_over
        one_sided_round(state, DRACULA if number < 3 else HELSING)
    assert state.log[-1] == GameOver(DRACULA, Ending.FIVE_ROUNDS)
    assert sum(isinstance(event, RoundStarted) for event in state.log) == ROUNDS


def test_without_5s_the_first_possible_call_is_draculas_fourth_turn() -> None:
    state = situation(pile="r2 p2 y2 b2 r1 p1")
    play(state, "discard drawn", "discard drawn", "discard drawn", "discard drawn")
    play(state, "discard drawn", "reveal 1", "discard drawn")
    assert CALL not in state.actions
    play(state, "reveal 1")
    assert state.player == DRACULA
    assert CALL in state.actions
    assert state.log is not None
    draws = [event.player for event in state.log if isinstance(event, Drew)]
    assert draws == [DRACULA, HELSING] * 3


def test_without_5s_and_calls_helsing_takes_the_last_card() -> None:
    state = situation("r5 p5 y5 b5 r1", "r8 p8 y8 b8 p1")
    while state.phase is not Phase.SHUFFLE:
        wanted = {DRAW, DISCARD + DRAWN}.intersection(state.actions)
        state.act(wanted.pop() if wanted else state.actions[0])
    assert state.log is not None
    draws = [event.player for event in state.log if isinstance(event, Drew)]
    assert draws[-1] == HELSING
    assert state.top == DECK
