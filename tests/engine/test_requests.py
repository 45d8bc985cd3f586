"""What a closed copy asks for, in which order, and the answers that it refuses."""

from collections.abc import Callable

import pytest

from engine import (
    DECK,
    DRACULA,
    HELSING,
    UNKNOWN,
    Choose,
    Disclose,
    IllegalActionError,
    InvalidAnswerError,
    InvalidOptionsError,
    Order,
    Over,
    Phase,
    Request,
    RulesError,
    Shuffle,
    State,
    UnexpectedAnswerError,
    parse_action,
)
from tests.engine.helpers import PLAIN, Dealer, deck_of, face, play, situation

BOTH = (DRACULA, HELSING)


def closed(
    dracula: str = "",
    helsing: str = "",
    pile: str = "",
    *,
    seat: int | None = DRACULA,
) -> tuple[State, Dealer]:
    """The copy of `seat` at its first choice, and the dealer that serves it."""
    dealer = Dealer(PLAIN, [deck_of((dracula, 5), (helsing, 5), (pile, 22))] * 5, seat)
    state = State.new()
    state.log = []
    return dealer.answer(state), dealer


def requests(state: State, dealer: Dealer) -> list[Request]:
    """What the copy asks for up to the next choice, which is included."""
    asked = [state.pending]
    while dealer.step(state):
        asked.append(state.pending)
    return asked


def unchanged_by(state: State, error: type[RulesError], act: Callable[[State], None]) -> None:
    before, log = state.to_bytes(), list(state.log or ())
    with pytest.raises(error):
        act(state)
    assert state.to_bytes() == before
    assert list(state.log or ()) == log


def test_a_game_asks_for_the_ranking_the_shuffle_the_racks_and_the_first_card() -> None:
    dealer = Dealer(PLAIN, [list(range(DECK))])
    assert requests(State.new(), dealer) == [
        Order(4, HELSING),
        Shuffle(0, 32, HELSING),
        Disclose(0, (5, 6, 7, 8, 9), (HELSING,)),
        Disclose(0, (0, 1, 2, 3, 4), (DRACULA,)),
        Disclose(0, (10,), (DRACULA,)),
        Choose(DRACULA, (2, 3, 4, 5, 6, 7)),
    ]


def test_a_discard_is_shown_to_both_and_the_next_card_to_the_opponent() -> None:
    state, dealer = closed("r1 r7")
    play(state, "discard 2")
    assert state.pending == Disclose(0, (1,), BOTH)
    dealer.answer(state)
    play(state, "trump blue")
    assert state.pending == Disclose(0, (11,), (HELSING,))


def test_a_face_that_is_public_is_not_disclosed_again() -> None:
    state, dealer = closed(pile="b2 y4")
    play(state, "discard drawn")
    assert requests(state, dealer) == [
        Disclose(0, (10,), BOTH),
        Disclose(0, (11,), BOTH),
        Choose(HELSING, (2, 3, 4, 5, 6, 7)),
    ]
    play(state, "discard drawn")
    assert isinstance(state.pending, Choose), "y4 lay face up: its effect begins at once"


@pytest.mark.parametrize(("value", "text", "handle"), [(1, "reveal 2", 1), (3, "expose 2", 6)])
def test_a_card_that_is_turned_up_is_shown_to_both(value: int, text: str, handle: int) -> None:
    state, dealer = closed(pile=f"b{value}")
    dealer.answer(play(state, "discard drawn"))
    play(state, text)
    assert state.pending == Disclose(0, (handle,), BOTH)


def test_an_exchange_shows_draculas_card_first_and_only_what_is_not_public() -> None:
    state, dealer = closed(pile="b6 y6")
    dealer.answer(play(state, "discard drawn"))
    play(state, "exchange 3")
    assert state.pending == Disclose(0, (2, 7), BOTH)
    dealer.answer(state)
    assert (state.rack[2], state.rack[7]) == (7, 2)
    dealer.answer(play(state, "discard drawn"))
    play(state, "exchange 3")
    assert state.pending == Disclose(0, (12,), (DRACULA,)), "both are public: done at once"
    assert (state.rack[2], state.rack[7]) == (2, 7)


def test_an_exchange_of_one_public_card_shows_the_other() -> None:
    state, dealer = closed(pile="b1 y6")
    dealer.answer(play(state, "discard drawn"))
    dealer.answer(play(state, "reveal 1"))
    dealer.answer(play(state, "discard drawn"))
    play(state, "exchange 1")
    assert state.pending == Disclose(0, (5,), BOTH)


def test_1_on_a_card_that_is_public_asks_for_nothing() -> None:
    state, dealer = closed(pile="b6 y3")
    dealer.answer(play(state, "discard drawn"))
    dealer.answer(play(state, "exchange 1"))
    dealer.answer(play(state, "discard drawn"))
    play(state, "expose 1")
    assert state.pending == Disclose(0, (12,), (DRACULA,))


def test_the_end_of_a_round_shows_draculas_rack_and_then_van_helsings() -> None:
    state = situation(pile="b8", discarded=6).view(DRACULA)
    dealer = Dealer(PLAIN, [situation(pile="b8", discarded=6).faces] * 5, DRACULA)
    play(state, "draw")
    dealer.answer(state)
    play(state, "discard drawn")
    assert requests(state, dealer)[:4] == [
        Disclose(0, (16,), BOTH),
        Disclose(0, (0, 1, 2, 3, 4), BOTH),
        Disclose(0, (5, 6, 7, 8, 9), BOTH),
        Shuffle(1, 32, HELSING),
    ]


def test_the_end_of_a_round_skips_what_is_public() -> None:
    state = situation(pile="b8", discarded=6)
    state.public |= 0b11111 | 0b10101 << 5
    copy = play(state, "draw").view(DRACULA)
    dealer = Dealer(PLAIN, [state.faces], DRACULA)
    play(copy, "discard drawn")
    dealer.step(copy)
    assert copy.pending == Disclose(0, (6, 8), BOTH)


def test_the_end_of_the_game_names_winner_and_reason() -> None:
    state = situation("r1", "b1", "b8", discarded=6, number=3, vampires=(3, 0, 0, 0, 0))
    play(state, "draw", "discard drawn")
    assert state.pending == Over(DRACULA, "four vampires live in one district")
    unchanged_by(state, UnexpectedAnswerError, lambda s: s.shuffled())
    unchanged_by(state, IllegalActionError, lambda s: s.act(0))


def test_an_open_copy_never_waits_for_a_disclosure() -> None:
    state = State.new()
    state.ordered(PLAIN)
    state.shuffled(range(DECK))
    assert isinstance(state.pending, Choose)


# Refusals: each changes nothing.


def test_an_early_eight_is_refused_when_it_is_shown() -> None:
    state, _ = closed("r8", pile="b4", seat=HELSING)
    play(state, "discard 1")
    unchanged_by(state, IllegalActionError, lambda s: s.disclosed([face("r8")]))
    assert state.phase is Phase.DISCARDED
    assert not state.discards
    state.disclosed([face("r4")])
    assert len(state.discards) == 1


def test_an_early_eight_is_refused_at_once_by_the_copy_that_sees_it() -> None:
    state, _ = closed("r8", pile="b4")
    unchanged_by(state, IllegalActionError, lambda s: s.act(parse_action("discard 1")))


def test_an_eight_in_time_is_accepted_when_it_is_shown() -> None:
    state = play(situation("r8", discarded=6), "draw").view(HELSING)
    play(state, "discard 1").disclosed([face("r8")])
    assert state.phase is Phase.SHOWDOWN_DRACULA


def test_answers_to_other_questions_are_refused() -> None:
    new = State.new()
    unchanged_by(new, UnexpectedAnswerError, lambda s: s.shuffled())
    unchanged_by(new, UnexpectedAnswerError, lambda s: s.disclosed([0]))
    unchanged_by(new, IllegalActionError, lambda s: s.act(0))
    state, _ = closed()
    unchanged_by(state, UnexpectedAnswerError, lambda s: s.ordered(PLAIN))
    unchanged_by(state, UnexpectedAnswerError, lambda s: s.shuffled())
    unchanged_by(state, UnexpectedAnswerError, lambda s: s.disclosed([0]))
    play(state, "discard 2")
    unchanged_by(state, IllegalActionError, lambda s: s.act(2))


@pytest.mark.parametrize("order", [(), (0, 1, 2), (0, 1, 2, 2), (1, 2, 3, 4), (0, 1, 2, 3, 3)])
def test_a_ranking_must_be_a_permutation(order: tuple[int, ...]) -> None:
    unchanged_by(State.new(), InvalidAnswerError, lambda s: s.ordered(order))


@pytest.mark.parametrize("deck", [[], [0] * 32, list(range(31)), list(range(1, 33))])
def test_a_deck_must_be_a_permutation(deck: list[int]) -> None:
    state = State.new()
    state.ordered(PLAIN)
    unchanged_by(state, InvalidAnswerError, lambda s: s.shuffled(deck))


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        [0, 1, 2, 3],
        [0, 1, 2, 3, 4, 5],
        [0, 1, 2, 3, 3],
        [0, 1, 2, 3, 32],
        [0, 1, 2, 3, -2],
        [0, 1, 2, 3, UNKNOWN],
        [UNKNOWN] * 4,
    ],
)
def test_private_faces_are_all_real_and_different_or_all_unknown(wrong: list[int]) -> None:
    state = State.new()
    state.ordered(PLAIN)
    state.shuffled()
    unchanged_by(state, InvalidAnswerError, lambda s: s.disclosed(wrong))
    for right in ([UNKNOWN] * 5, [4, 3, 2, 1, 0]):
        copy = state.clone()
        copy.disclosed(right)
        assert copy.phase is Phase.DEAL_DRACULA
        assert copy.faces[5:10] == tuple(right)


def test_a_face_shown_to_both_must_be_real_new_and_the_one_seen_before() -> None:
    state, _ = closed("r1 r2 r3 r4 r5")
    play(state, "discard 2")
    for wrong in (UNKNOWN, face("r1"), face("b8"), DECK):
        unchanged_by(state, InvalidAnswerError, lambda s, wrong=wrong: s.disclosed([wrong]))  # type: ignore[misc]
    state.disclosed([face("r2")])
    assert state.discards == [1]


def test_errors_do_not_tell_hidden_faces() -> None:
    state, _ = closed("r1 r2 r3 r4 r5")
    play(state, "discard 2")
    with pytest.raises(InvalidAnswerError) as caught:
        state.disclosed([face("b8")])
    assert str(caught.value) == "handle 1 was seen before, with another face"


# Options


@pytest.mark.parametrize(("options", "hp"), [(b"", 12), (b"\x0b", 11), (b"\x0d", 13)])
def test_options_set_draculas_health(options: bytes, hp: int) -> None:
    state = State.from_options(options)
    assert (state.hp, state.start_hp) == (hp, hp)
    assert State.from_options(state.options()).public_bytes() == state.public_bytes()
    assert state.options() == options


@pytest.mark.parametrize("options", [b"\x0a", b"\x0e", b"\x00", b"\x0b\x0b", b"\xff" * 9])
def test_other_options_are_refused(options: bytes) -> None:
    with pytest.raises(InvalidOptionsError):
        State.from_options(options)


def test_the_standard_game_has_one_spelling() -> None:
    with pytest.raises(InvalidOptionsError, match="standard"):
        State.from_options(b"\x0c")
    assert State.new().options() == State.new(12).options() == b""
