"""One test for each common misreading of the rules."""

from collections import Counter

import pytest

from engine import (
    DISTRICTS,
    DRACULA,
    HELSING,
    STRENGTHS,
    IllegalActionError,
    MalformedActionError,
    Phase,
    Skip,
    action_name,
    parse_action,
)
from engine.actions import SWAPS
from engine.events import DistrictScored, EffectSkipped, Revealed, RoundEnded
from tests.engine.helpers import PLAIN, face, face_up, play, rack, situation


def test_an_eight_with_five_discards_is_not_the_sixth_itself() -> None:
    state = situation(pile="b8", discarded=5)
    with pytest.raises(IllegalActionError):
        play(state, "discard drawn")


def test_discarded_cards_are_counted_and_not_turns() -> None:
    state = situation(pile="b5 y5 r5 p5 r4 b4 y4 p4 b7")
    play(state, "discard drawn", "discard drawn", "discard drawn", "discard drawn")
    play(state, "discard drawn", "swap 1 2")
    assert state.player == HELSING
    assert state.phase is Phase.DISCARDING
    state = play(state, "discard drawn", "swap 1 2")
    assert state.phase is Phase.TURN, "Dracula's second turn but for the 5s, and six discards"


def test_a_call_is_no_discard_and_no_turn_that_counts() -> None:
    state = play(situation(pile="b2", discarded=6), "call")
    assert len(state.discards) == 6


def test_a_card_shown_by_2_is_not_hidden_again_when_kept() -> None:
    state = play(situation(pile="b2 y7 r4"), "discard drawn", "discard 5")
    assert face_up(state, HELSING) == {4}
    assert state.view(DRACULA).faces[state.rack[9]] == face("y7")


@pytest.mark.parametrize(("value", "owner"), [(1, DRACULA), (3, HELSING)])
def test_1_and_3_do_not_get_stuck_when_nothing_lies_face_down(value: int, owner: int) -> None:
    state = situation(pile=f"b{value}")
    state.face_up = 0b11111 << DISTRICTS * owner
    play(state, "discard drawn")
    assert state.log is not None
    assert EffectSkipped(DRACULA, value, Skip.ALL_FACE_UP) in state.log
    assert (state.phase, state.player) == (Phase.DISCARDING, HELSING)


def test_a_skipped_effect_needs_no_log() -> None:
    state = play(situation(pile="b2", discarded=21).clone(), "draw", "discard drawn")
    assert state.log is None
    assert state.phase is Phase.SHUFFLE


def test_the_effect_of_the_last_pile_card_is_not_skipped_before_scoring() -> None:
    state = situation("p7 b1", "b2 p1", pile="b4", discarded=21)
    play(state, "draw", "discard drawn")
    assert state.phase is Phase.EFFECT
    play(state, "swap 1 2")
    assert state.log is not None
    first = next(event for event in state.log if isinstance(event, DistrictScored))
    assert first.dracula == face("b1")


def test_an_effect_with_a_disclosure_is_done_before_the_round_ends() -> None:
    state = situation("r4", pile="b1", discarded=21)
    play(state, "draw", "discard drawn", "reveal 1")
    assert state.log is not None
    kinds = [type(event) for event in state.log]
    assert kinds.index(Revealed) < kinds.index(RoundEnded)


def test_7_exchanges_and_does_not_replace_or_shift() -> None:
    state = play(situation(pile="b7", ranking=(0, 1, 2, 3)), "discard drawn", "trump blue")
    assert state.ranking == (3, 1, 2, 0)


def test_value_comes_before_the_rank_of_the_colour() -> None:
    strength = STRENGTHS[PLAIN]
    assert strength[face("b5")] > strength[face("p4")]


def test_a_mandatory_effect_cannot_be_skipped() -> None:
    state = play(situation(pile="b4"), "discard drawn")
    assert {action_name(action).split()[0] for action in state.actions} == {"swap"}
    with pytest.raises(IllegalActionError):
        play(state, "draw")
    assert state.player == DRACULA


def test_4_cannot_name_the_same_card_twice() -> None:
    for district in range(1, DISTRICTS + 1):
        with pytest.raises(MalformedActionError):
            parse_action(f"swap {district} {district}")
    pairs = Counter(action_name(action) for action in SWAPS)
    assert len(pairs) == 10
    assert all(len(set(name.split())) == 3 for name in pairs)


def test_no_call_after_drawing() -> None:
    state = play(situation(discarded=6), "draw")
    with pytest.raises(IllegalActionError):
        play(state, "call")


def test_no_call_after_a_call() -> None:
    state = play(situation(discarded=6), "call")
    assert state.phase is Phase.DISCARDING, "nothing but drawing is left, so it was done"
    with pytest.raises(IllegalActionError):
        play(state, "call")


def test_effect_1_does_not_touch_the_opponents_cards_nor_3_ones_own() -> None:
    state = play(situation(pile="b1"), "discard drawn", "reveal 1")
    assert (face_up(state, DRACULA), face_up(state, HELSING)) == ({0}, set())
    state = play(situation(pile="b3"), "discard drawn", "expose 1")
    assert (face_up(state, DRACULA), face_up(state, HELSING)) == (set(), {0})


def test_the_discarded_card_is_compared_no_more() -> None:
    state = play(situation("p1", pile="b8", discarded=6), "draw", "discard drawn")
    assert face("b8") not in rack(state, DRACULA)
