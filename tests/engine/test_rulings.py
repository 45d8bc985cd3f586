"""One test for each rule and ruling of spec/rules.md, named after it."""

from collections.abc import Sequence

import pytest

from engine import (
    DECK,
    DISTRICTS,
    DRACULA,
    HELSING,
    Decided,
    Ending,
    IllegalActionError,
    Phase,
    RoundEnd,
    Skip,
    State,
    action_name,
    parse_action,
)
from engine.actions import EXCHANGES, EXPOSES, REVEALS, SWAPS
from engine.events import (
    Called,
    Discarded,
    DistrictScored,
    Drew,
    EffectSkipped,
    Event,
    Exchanged,
    Exposed,
    ExtraTurn,
    GameOver,
    Revealed,
    RoundEnded,
    Swapped,
    TopTurned,
    TrumpChanged,
)
from tests.engine.helpers import PLAIN, deck_of, face, face_up, faces, play, rack, situation


def log_of(state: State) -> list[Event]:
    assert state.log is not None
    return state.log


def names(state: State) -> list[str]:
    return [action_name(action) for action in state.actions]


def is_illegal(state: State, text: str) -> bool:
    before = state.to_bytes()
    with pytest.raises(IllegalActionError):
        state.act(parse_action(text))
    assert state.to_bytes() == before
    return True


# Set-up


def test_every_round_deals_five_cards_each_and_leaves_a_pile_of_22() -> None:
    deck = deck_of(("r1 r2 r3 r4 r5", 5), ("b1 b2 b3 b4 b5", 5), ("y7", 22))
    state = State.new()
    state.ordered(PLAIN)
    state.shuffled(deck)
    assert rack(state, DRACULA) == faces("r1 r2 r3 r4 r5")
    assert rack(state, HELSING) == faces("b1 b2 b3 b4 b5")
    assert state.faces[state.hand] == face("y7")
    assert DECK - state.top == 21
    assert not state.discards
    assert not state.face_up


def test_dracula_takes_the_first_turn_of_every_round() -> None:
    state = situation(discards="r2 r3 r4 r6 r7 p2", pile="r8", player=HELSING)
    play(state, "draw", "discard drawn")
    assert state.phase is Phase.SHUFFLE
    state.shuffled(range(DECK))
    assert state.round == 1
    assert state.player == DRACULA


def test_ranking_health_and_vampires_persist_while_cards_and_marks_are_cleared() -> None:
    state = situation("r1", pile="r7 p1 y8", discards="y2 y3 y4 y6 y7")
    play(state, "discard drawn", "trump blue")
    play(state, "draw", "discard drawn", "reveal 2", "draw", "discard drawn")
    ranking, hp, vampires = state.ranking, state.hp, state.vampires[:]
    assert ranking == (3, 1, 2, 0)
    assert 12 - hp + sum(vampires) == DISTRICTS
    state.shuffled(range(DECK))
    assert (state.ranking, state.hp, state.vampires) == (ranking, hp, vampires)
    assert not state.face_up
    assert not state.discards


# A turn


def test_the_drawn_card_takes_the_place_of_the_discarded_one() -> None:
    state = situation("r1 r2 r3 r4 r5", pile="b5")
    play(state, "discard 2")
    assert rack(state, DRACULA) == faces("r1 b5 r3 r4 r5")
    assert [state.faces[handle] for handle in state.discards] == faces("r2")
    assert log_of(state)[:2] == [Drew(DRACULA, -1), Discarded(DRACULA, 1, face("r2"))]


def test_the_drawn_card_itself_may_be_discarded() -> None:
    state = situation("r1 r2 r3 r4 r5", pile="b5")
    play(state, "discard drawn")
    assert rack(state, DRACULA) == faces("r1 r2 r3 r4 r5")
    assert [state.faces[handle] for handle in state.discards] == faces("b5")


def test_drawing_is_not_asked_about_while_a_call_is_not_allowed() -> None:
    state = situation(pile="b2 y2", discarded=4)
    assert state.phase is Phase.DISCARDING
    play(state, "discard drawn")
    assert state.phase is Phase.DISCARDING
    play(state, "discard drawn")
    assert names(state) == ["draw", "call"]


def test_a_call_needs_six_discards() -> None:
    assert names(situation(discarded=6)) == ["draw", "call"]
    assert is_illegal(situation(discarded=5), "call")


def test_the_caller_draws_nothing_and_the_opponent_has_one_last_turn() -> None:
    state = situation(pile="b2", discarded=6)
    top = state.top
    play(state, "call")
    assert state.player == HELSING
    assert state.top == top + 1
    play(state, "discard drawn")
    assert state.phase is Phase.SHUFFLE
    assert RoundEnded(0, RoundEnd.CALLED) in log_of(state)
    assert log_of(state)[0] == Called(DRACULA)


def test_a_call_adds_nothing_to_the_discard_pile() -> None:
    state = play(situation(discarded=6), "call")
    assert len(state.discards) == 6


def test_helsing_may_call_too() -> None:
    state = situation(pile="b2", discarded=6, player=HELSING)
    play(state, "call", "discard drawn")
    assert state.phase is Phase.SHUFFLE


def test_an_eight_needs_six_discards_without_itself() -> None:
    early = situation("r8 p8", pile="y8", discarded=5)
    assert names(early) == ["discard 3", "discard 4", "discard 5"]
    assert is_illegal(early, "discard 1")
    assert is_illegal(early, "discard drawn")
    late = play(situation("r8 p8", pile="y8", discarded=6), "draw")
    assert "discard 1" in names(late)
    assert "discard drawn" in names(late)


def test_four_eights_too_early_leave_two_legal_discards() -> None:
    state = situation("r8 p8 y8 b8 r1", pile="b4")
    assert names(state) == ["discard 5", "discard drawn"]


# Effect 1


def test_1_turns_up_one_of_ones_own_face_down_cards() -> None:
    state = play(situation("r2 r3 r4 r5 r6", pile="b1"), "discard drawn")
    assert state.actions == REVEALS[0b11111]
    play(state, "reveal 3")
    assert face_up(state, DRACULA) == {2}
    assert log_of(state)[2] == Revealed(DRACULA, 2, face("r4"))


def test_1_may_turn_up_the_card_just_placed() -> None:
    state = play(situation("r1", pile="b4"), "discard 1", "reveal 1")
    assert face_up(state, DRACULA) == {0}
    assert state.known[HELSING] >> state.rack[0] & 1


def test_1_is_skipped_when_all_five_are_face_up() -> None:
    state = situation(pile="b1")
    state.face_up = 0b11111
    play(state, "discard drawn")
    assert EffectSkipped(DRACULA, 1, Skip.ALL_FACE_UP) in log_of(state)
    assert state.player == HELSING


def test_1_with_one_face_down_card_resolves_itself() -> None:
    state = situation(pile="b1")
    state.face_up = 0b10111
    play(state, "discard drawn")
    assert face_up(state, DRACULA) == {0, 1, 2, 3, 4}
    assert state.player == HELSING


# Effect 2


def test_2_turns_up_the_top_card_of_the_pile() -> None:
    state = play(situation(pile="b2 y7"), "discard drawn")
    assert log_of(state)[2:] == [TopTurned(DRACULA, face("y7")), Drew(HELSING, face("y7"))]
    assert all(known >> state.hand & 1 for known in state.known)


def test_2_is_skipped_when_the_pile_is_empty() -> None:
    state = play(situation(pile="b2", discarded=21), "draw", "discard drawn")
    assert EffectSkipped(DRACULA, 2, Skip.PILE_EMPTY) in log_of(state)
    assert RoundEnded(0, RoundEnd.PILE_EMPTY) in log_of(state)


def test_a_card_turned_up_by_2_stays_face_up_when_it_is_kept() -> None:
    state = play(situation(helsing="r4", pile="b2 y7"), "discard drawn", "discard 1")
    assert face_up(state, HELSING) == {0}
    assert rack(state, HELSING)[0] == face("y7")


def test_a_card_turned_up_by_2_leaves_no_mark_when_it_is_discarded() -> None:
    state = play(situation(pile="b2 y7"), "discard drawn", "discard drawn")
    assert not state.face_up


def test_a_card_drawn_face_down_lies_face_down_where_a_face_up_card_was() -> None:
    state = situation("r4", pile="b5")
    state.face_up = 1
    play(state, "discard 1")
    assert not state.face_up


# Effect 3


def test_3_exposes_a_face_down_card_of_the_opponent_chosen_by_the_active_player() -> None:
    state = play(situation(helsing="r2 p2 y4 b2 r4", pile="b3"), "discard drawn")
    assert state.player == DRACULA
    assert state.actions == EXPOSES[0b11111]
    play(state, "expose 3")
    assert face_up(state, HELSING) == {2}
    assert face_up(state, DRACULA) == set()
    assert log_of(state)[2] == Exposed(DRACULA, 2, face("y4"))


def test_3_offers_only_face_down_cards() -> None:
    state = situation(pile="b3")
    state.face_up = 0b01010 << DISTRICTS
    assert names(play(state, "discard drawn")) == ["expose 1", "expose 3", "expose 5"]


def test_3_is_skipped_when_all_five_are_face_up() -> None:
    state = situation(pile="b3")
    state.face_up = 0b11111 << DISTRICTS
    play(state, "discard drawn")
    assert EffectSkipped(DRACULA, 3, Skip.ALL_FACE_UP) in log_of(state)


# Effect 4


def test_4_exchanges_two_of_ones_own_cards_with_their_marks() -> None:
    state = situation(helsing="r1 r2 r3 r4 r5", pile="b4", player=HELSING)
    state.face_up = 0b00001 << DISTRICTS
    play(state, "discard drawn")
    assert state.actions == SWAPS
    play(state, "swap 1 4")
    assert rack(state, HELSING) == faces("r4 r2 r3 r1 r5")
    assert face_up(state, HELSING) == {3}
    assert Swapped(HELSING, 0, 3) in log_of(state)


def test_4_with_two_face_up_cards_changes_no_mark() -> None:
    state = situation("r1 r2 r3 r4 r5", pile="b4")
    state.face_up = 0b00011
    play(state, "discard drawn", "swap 1 2")
    assert face_up(state, DRACULA) == {0, 1}


def test_4_moves_a_card_but_tells_nobody_its_face() -> None:
    state = situation("r1 r2 r3 r4 r5", pile="b4")
    before = state.known[HELSING]
    play(state, "discard drawn", "swap 1 2")
    shown_since = state.known[HELSING] & ~before
    assert not any(shown_since >> handle & 1 for handle in state.rack[:DISTRICTS])


# Effect 5


def test_5_gives_the_same_player_another_turn_at_once_and_chains() -> None:
    state = play(situation(pile="b5 y5 b4"), "discard drawn", "discard drawn")
    assert state.player == DRACULA
    assert log_of(state).count(ExtraTurn(DRACULA)) == 2


def test_5_lets_the_player_call_in_the_extra_turn() -> None:
    state = play(situation(pile="b5 y4", discarded=5), "discard drawn")
    assert state.player == DRACULA
    assert names(state) == ["draw", "call"]
    assert play(state, "call").player == HELSING


def test_5_in_a_last_turn_gives_another_turn_without_a_call() -> None:
    state = play(situation(pile="b5 y2", discarded=6), "call", "discard drawn")
    assert state.player == HELSING
    assert state.phase is Phase.DISCARDING
    assert is_illegal(state, "call")
    assert play(state, "discard drawn").phase is Phase.SHUFFLE


def test_5_with_an_empty_pile_does_nothing() -> None:
    state = play(situation(pile="b5", discarded=21), "draw", "discard drawn")
    assert EffectSkipped(DRACULA, 5, Skip.PILE_EMPTY) in log_of(state)
    assert state.phase is Phase.SHUFFLE


# Effect 6


def test_6_changes_the_owners_of_the_two_cards_of_a_district() -> None:
    state = play(situation("r1 r2", helsing="b1 b2", pile="b6"), "discard drawn")
    assert state.actions == EXCHANGES
    play(state, "exchange 2")
    assert rack(state, DRACULA)[:2] == faces("r1 b2")
    assert rack(state, HELSING)[:2] == faces("b1 r2")
    assert Exchanged(DRACULA, 1, face("b2"), face("r2")) in log_of(state)


def test_6_takes_the_marks_along() -> None:
    state = situation(pile="b6")
    state.face_up = 0b00001
    play(state, "discard drawn", "exchange 1")
    assert face_up(state, DRACULA) == set()
    assert face_up(state, HELSING) == {0}


def test_6_lets_both_know_both_cards_which_still_lie_face_down() -> None:
    state = play(situation(helsing="r2", pile="b6 y3"), "discard drawn", "exchange 1")
    handles = (state.rack[0], state.rack[DISTRICTS])
    assert all(known >> handle & 1 for known in state.known for handle in handles)
    assert not state.face_up
    play(state, "discard drawn")
    assert "expose 1" in names(state)


# Effect 7


def test_7_exchanges_the_trump_with_a_chosen_colour_and_leaves_the_other_two() -> None:
    state = play(situation(pile="b7", ranking=(2, 0, 3, 1)), "discard drawn")
    assert names(state) == ["trump red", "trump purple", "trump blue"]
    play(state, "trump blue")
    assert state.ranking == (3, 0, 2, 1)
    assert TrumpChanged(DRACULA, (3, 0, 2, 1)) in log_of(state)


# Effect 8 and the end of a round


def test_8_ends_the_round_at_once_without_a_last_turn() -> None:
    state = play(situation(pile="b8", discarded=6), "draw", "discard drawn")
    assert state.phase is Phase.SHUFFLE
    assert RoundEnded(0, RoundEnd.EIGHT) in log_of(state)


def test_8_is_legal_in_a_last_turn() -> None:
    state = play(situation(pile="b8", discarded=6), "call", "discard drawn")
    assert RoundEnded(0, RoundEnd.EIGHT) in log_of(state)


def test_an_empty_pile_ends_the_round_without_a_last_turn() -> None:
    state = situation("r3", pile="b4", discarded=21)
    play(state, "draw", "discard drawn", "swap 1 2")
    assert state.phase is Phase.SHUFFLE
    assert RoundEnded(0, RoundEnd.PILE_EMPTY) in log_of(state)


# Scoring


def scored(state: State) -> list[DistrictScored]:
    return [event for event in log_of(state) if isinstance(event, DistrictScored)]


def showdown(
    dracula: str,
    helsing: str,
    *,
    number: int = 0,
    hp: int = 12,
    vampires: Sequence[int] = (0, 0, 0, 0, 0),
) -> State:
    """The end of a round in which the racks hold these cards."""
    state = situation(dracula, helsing, "b8", discarded=6, number=number, hp=hp, vampires=vampires)
    return play(state, "draw", "discard drawn")


@pytest.mark.parametrize(
    ("dracula", "helsing", "winner", "why"),
    [
        ("r1", "b7", DRACULA, Decided.TRUMP),
        ("p7", "r2", HELSING, Decided.TRUMP),
        ("r3", "r5", HELSING, Decided.VALUE),
        ("b7", "p6", DRACULA, Decided.VALUE),
        ("p4", "b4", DRACULA, Decided.RANK),
        ("b4", "y4", HELSING, Decided.RANK),
    ],
)
def test_trump_then_value_then_rank_decides_a_district(
    dracula: str, helsing: str, winner: int, why: Decided
) -> None:
    first = scored(showdown(dracula, helsing))[0]
    assert (first.winner, first.why) == (winner, why)
    assert (first.dracula, first.helsing) == (face(dracula), face(helsing))


def test_dracula_makes_a_vampire_and_helsing_takes_a_health_point() -> None:
    state = showdown("r1 r2 p1 p2 r3", "b1 b2 b3 b4 b5")
    assert state.vampires == [1, 1, 0, 0, 1]
    assert state.hp == 10
    assert [event.district for event in scored(state)] == [0, 1, 2, 3, 4]
    assert [(event.vampires, event.hp) for event in scored(state)] == [
        (1, 12),
        (1, 12),
        (0, 11),
        (0, 10),
        (1, 10),
    ]


def test_all_cards_are_face_up_and_public_after_scoring() -> None:
    state = showdown("r1", "b1")
    assert face_up(state, DRACULA) == face_up(state, HELSING) == {0, 1, 2, 3, 4}
    assert all(known >> handle & 1 for known in state.known for handle in state.rack)


def test_the_fourth_vampire_in_a_district_wins_at_once() -> None:
    state = showdown("p1 r1", "b4 b5", number=3, vampires=[0, 3, 0, 0, 0])
    assert (state.winner, state.ending) == (DRACULA, Ending.FOUR_VAMPIRES)
    assert len(scored(state)) == 2
    assert log_of(state)[-1] == GameOver(DRACULA, Ending.FOUR_VAMPIRES)


def test_no_health_left_wins_at_once() -> None:
    state = showdown("p1 r1 p2 r2", "b4 b5 b6 b7", number=3, hp=2)
    assert (state.winner, state.ending) == (HELSING, Ending.NO_HEALTH)
    assert len(scored(state)) == 3
    assert state.vampires == [0, 1, 0, 0, 0]
    assert log_of(state)[-1] == GameOver(HELSING, Ending.NO_HEALTH)


def test_dracula_wins_after_five_rounds() -> None:
    state = showdown("p1 p2 p3 p4 p5", "b4 b5 b6 b7 b1", number=4)
    assert (state.winner, state.ending) == (DRACULA, Ending.FIVE_ROUNDS)
    assert len(scored(state)) == 5


def test_the_last_health_point_counts_in_the_last_district_of_round_five() -> None:
    state = showdown("r1 r2 r3 r4 p1", "b4 b5 b6 b7 b3", number=4, hp=1)
    assert state.winner == HELSING


# The choice that is none


def test_no_request_offers_a_single_action() -> None:
    for marks in range(32):
        for value in (1, 3):
            state = situation(pile=f"b{value} r2")
            state.face_up = marks << (DISTRICTS if value == 3 else 0)
            play(state, "discard drawn")
            assert len(state.actions) >= 2
