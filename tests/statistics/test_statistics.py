"""Chance and proofs in numbers, with fixed randomness; `python -m tests.statistics` does more."""

from collections.abc import Sequence

import pytest

from protocol import shuffle
from protocol.deck import MaskedCard, fresh_deck
from protocol.errors import InvalidError
from protocol.group import Element, Rng
from protocol.shuffle import shuffle_deck, verify_shuffle
from protocol.transcript import Context
from tests.protocol.scene import ELSEWHERE, HERE, JOINT, rng
from tests.statistics.honest import TOO_FAR, chi_square, deal, orders, play_game, toss

FIXED = b"\x07" * 32
SIZE = 4


def test_honest_games_never_fail_a_check() -> None:
    draw = rng("games")
    for _ in range(15):
        play_game(draw)


@pytest.mark.parametrize("size", [1, 2, 7, 31, 33, 64])
def test_honest_shuffles_never_fail_a_check(size: int) -> None:
    deal(size, rng(f"deck of {size}"))


def test_the_dealt_order_is_uniform() -> None:
    draw = rng("dealt")
    dealt = [deal(3, draw) for _ in range(180)]
    assert abs(chi_square(dealt, orders(3))) < TOO_FAR
    for place in range(3):
        assert abs(chi_square((order[place] for order in dealt), range(3))) < TOO_FAR


def test_the_order_is_uniform_if_the_other_side_does_not_shuffle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lazy(
        cards: Sequence[MaskedCard], joint: Element, context: Context, rng: Rng
    ) -> tuple[Sequence[MaskedCard], bytes]:
        with monkeypatch.context() as patch:
            patch.setattr(shuffle, "uniform_permutation", lambda size, rng: tuple(range(size)))
            return shuffle_deck(cards, joint, context, rng)

    draw = rng("lazy")
    dealt = [deal(3, draw, lazy) for _ in range(120)]
    assert abs(chi_square(dealt, orders(3))) < TOO_FAR


@pytest.mark.parametrize("seeds", [(None, None), (FIXED, None), (None, FIXED)])
def test_orders_by_coin_are_uniform(seeds: tuple[bytes | None, bytes | None]) -> None:
    draw = rng(f"coins {seeds}")
    assert abs(chi_square((toss(4, draw, seeds) for _ in range(1200)), orders(4))) < TOO_FAR


def test_chi_square_knows_what_is_not_fair() -> None:
    fair = list(range(6)) * 100
    assert chi_square(fair, range(6)) < 0  # better than chance ever is
    assert chi_square([*fair, *[0] * 80], range(6)) > TOO_FAR
    assert chi_square([face for face in fair if face != 3], range(6)) > TOO_FAR


# --- a generator that always gives the same ---------------------------------------------------


def permutation_from(
    proofs: Sequence[tuple[bytes, Context]], after: Sequence[MaskedCard]
) -> list[int]:
    """The permutation, if both proofs, of one and the same shuffle, used the same nonces.

    Place i answers with w + x*u[source]; x and all u are public, so of two answers with the same
    w the difference tells the source.
    """
    before = fresh_deck(JOINT, SIZE)
    statement = shuffle._statement(before, after, JOINT)
    claims = [shuffle._decode(proof, SIZE) for proof, _ in proofs]
    weights = [
        [claim.challenge * u for u in shuffle._challenges(statement, claim.c, context)]
        for claim, (_, context) in zip(claims, proofs, strict=True)
    ]
    differences = [one - other for one, other in zip(*weights, strict=True)]
    answers = zip(claims[0].s_tilde, claims[1].s_tilde, strict=True)
    found = [one - other for one, other in answers]
    return [differences.index(d) if d in differences else -1 for d in found]


def shuffled_twice() -> tuple[list[tuple[bytes, Context]], Sequence[MaskedCard]]:
    """The same shuffle proven in two contexts, as by a generator that gives only zeros."""
    proofs = []
    for context in (HERE, ELSEWHERE["head"]):
        after, proof = shuffle_deck(fresh_deck(JOINT, SIZE), JOINT, context, bytes)
        verify_shuffle(fresh_deck(JOINT, SIZE), tuple(after), proof, JOINT, context)
        proofs.append((proof, context))
    return proofs, after


def test_the_attack_works_on_repeated_nonces(monkeypatch: pytest.MonkeyPatch) -> None:
    real = shuffle._nonces
    monkeypatch.setattr(
        shuffle, "_nonces", lambda statement, witness, _, rng: real(statement, witness, HERE, rng)
    )
    assert sorted(permutation_from(*shuffled_twice())) == list(range(SIZE))


def test_a_broken_generator_does_not_leak_a_shuffle_through_two_proofs() -> None:
    assert permutation_from(*shuffled_twice()) == [-1] * SIZE


def test_nothing_that_was_not_shuffled_is_dealt() -> None:
    # The harness itself: a side that doubles a card is caught by what it measures with.
    def doubling(
        cards: Sequence[MaskedCard], joint: Element, context: Context, rng: Rng
    ) -> tuple[Sequence[MaskedCard], bytes]:
        after, proof = shuffle_deck(cards, joint, context, rng)
        return [after[0], after[0], *after[2:]], proof

    with pytest.raises(InvalidError):
        deal(3, rng("doubling"), doubling)
