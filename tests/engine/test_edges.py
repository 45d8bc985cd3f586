"""Corners of the rules that random play seldom reaches; each was found by changing the program
there (`tests.tools.mutate`) and seeing no test fail.
"""

from random import Random

import pytest

from engine import (
    DISTRICTS,
    DRACULA,
    HELSING,
    VALUE,
    Ending,
    InvalidOptionsError,
    MalformedStateError,
    Phase,
    State,
)
from engine.actions import DISCARD
from tests.engine.helpers import face, play, situation
from tests.engine.test_encoding import CHOOSING, NEW, at, patched


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (patched(NEW, hand=10), "one place"),
        (patched(at(Phase.SHOWING), target=5), "has a target"),
        (patched(NEW, round=1, vampires=b"\x01" * 5), "pending follows"),
        (patched(NEW, rack=b"\x01\x00"), "pending follows"),
        (patched(CHOOSING, round=3, hp=0, vampires=b"\x03\x00\x00\x00\x00"), "each district"),
        (patched(CHOOSING, round=1, vampires=b"\x04\x01\x00\x00\x00"), "each district"),
    ],
    ids=["a drawn card", "target", "round", "rack", "no health", "four vampires"],
)
def test_positions_that_are_almost_possible(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedStateError, match=reason):
        State.from_public_bytes(data)


def test_a_turn_before_the_sixth_discard_is_no_question() -> None:
    state = situation(discarded=6)
    state.public &= ~(1 << state.discards.pop())
    state.top -= 1
    with pytest.raises(MalformedStateError, match="pending follows"):
        State.from_public_bytes(state.public_bytes())


def test_a_game_that_nobody_has_decided_ends_after_five_rounds() -> None:
    state = situation(
        "r1 r2 r3 r4 r5", "b1 b2 b3 b4 b5", "b8", discarded=6, number=4,
        vampires=(2, 2, 2, 2, 2), hp=2,
    )  # fmt: skip
    play(state, "draw", "discard drawn")
    assert (state.winner, state.ending) == (DRACULA, Ending.FIVE_ROUNDS)
    copy = State.from_public_bytes(state.public_bytes())
    assert (copy.winner, copy.ending) == (DRACULA, Ending.FIVE_ROUNDS)


@pytest.mark.parametrize("known", [DRACULA, HELSING])
def test_an_exchange_asks_only_for_the_card_that_is_not_known(known: int) -> None:
    state = situation("r1", "b1", "y6").view(DRACULA)
    state.public = 1 << 5 * known
    faces = list(state.faces)
    faces[5 * known] = face(("r1", "b1")[known])
    state.faces = tuple(faces)
    play(state, "discard drawn")
    state.disclosed([face("y6")])
    play(state, "exchange 1")
    request = state.pending
    assert request.kind == "disclose"
    assert request.handles == (5 * (1 - known),)
    assert State.from_public_bytes(state.public_bytes()).pending == request


def test_who_imagines_a_game_sees_every_card_and_which_may_not_be_discarded() -> None:
    state = situation("r1 r2 r3 r4 r5", player=HELSING).view(DRACULA)
    assert len(state.actions) == DISTRICTS + 1
    eights = 0
    for seed in range(20):
        imagined = state.determinize(Random(seed), DRACULA)
        assert imagined.open
        held = [imagined.faces[handle] for handle in (*imagined.rack[DISTRICTS:], imagined.hand)]
        legal = [source for source, number in enumerate(held) if VALUE[number] != 8]
        assert imagined.actions == tuple(DISCARD + source for source in legal)
        eights += len(held) - len(legal)
    assert eights


@pytest.mark.parametrize("hp", [0, 10, 14, 255])
def test_no_other_handicap_is_played(hp: int) -> None:
    with pytest.raises(InvalidOptionsError):
        State.new(hp)
    with pytest.raises(InvalidOptionsError):
        State.from_options(bytes([hp]))
