"""Joint randomness: commitments that bind, and choices that are uniform."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.coin import check_opening, commit, uniform_bit, uniform_order
from protocol.errors import Fault, InvalidError
from protocol.sampling import uniform_below, uniform_permutation
from protocol.transcript import Context
from tests.protocol.scene import ELSEWHERE, HERE, rng

SEEDS = (b"a" * 32, b"b" * 32)


def test_an_opening_is_what_was_committed_to() -> None:
    commitment = commit(SEEDS[0], HERE)
    assert len(commitment) == 32
    check_opening(commitment, SEEDS[0], HERE)
    for opening, fault in ((SEEDS[1], Fault.BAD_OPENING), (b"a" * 31, Fault.MALFORMED)):
        with pytest.raises(InvalidError) as caught:
            check_opening(commitment, opening, HERE)
        assert caught.value.fault is fault


@pytest.mark.parametrize("context", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_a_commitment_opens_nowhere_else(context: Context) -> None:
    with pytest.raises(InvalidError) as caught:
        check_opening(commit(SEEDS[0], HERE), SEEDS[0], context)
    assert caught.value.fault is Fault.BAD_OPENING
    assert uniform_order(SEEDS, 20, HERE) != uniform_order(SEEDS, 20, context)


def test_seeds_have_32_bytes() -> None:
    for mistake in (
        lambda: commit(b"a", HERE),
        lambda: uniform_order((b"a" * 32, b"b"), 4, HERE),
        lambda: uniform_bit((b"",), HERE),
    ):
        with pytest.raises(ValueError, match="32"):
            mistake()


def test_an_order_depends_on_both_seeds_and_their_places() -> None:
    other = b"c" * 32
    orders = {
        uniform_order(seeds, 20, HERE)
        for seeds in (SEEDS, SEEDS[::-1], (SEEDS[0], other), (other, SEEDS[1]))
    }
    assert len(orders) == 4
    assert uniform_order(SEEDS, 20, HERE) in orders
    assert all(sorted(order) == list(range(20)) for order in orders)


def test_bits_are_fair() -> None:
    bits = [uniform_bit((bytes([i]) * 32, SEEDS[1]), HERE) for i in range(256)]
    assert set(bits) == {0, 1}
    assert 96 <= sum(bits) <= 160  # four standard deviations


@given(st.integers(0, 40), st.binary(min_size=32, max_size=32))
def test_permutations_are_permutations(size: int, seed: bytes) -> None:
    assert sorted(uniform_permutation(size, rng(seed.hex()))) == list(range(size))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_permutations_are_uniform(size: int) -> None:
    draws = 240 * len(list(permutations(range(size))))
    draw = rng("uniform")
    counts = Counter(uniform_permutation(size, draw) for _ in range(draws))
    assert len(counts) == draws // 240
    chi_square = sum((count - 240) ** 2 / 240 for count in counts.values())
    freedom = len(counts) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5  # mean and standard deviation


def test_a_draw_that_would_favour_small_numbers_is_thrown_away() -> None:
    def answers(*numbers: int) -> int:
        script = iter(numbers)
        return uniform_below(3, lambda size: next(script).to_bytes(size, "big"))

    limit = 2**64 - 1  # the largest multiple of 3 below 2^64
    assert answers(limit - 1) == 2
    assert answers(limit, 4) == 1
    assert answers(limit, limit, 0) == 0
    assert uniform_below(1, rng("one")) == 0
    for bound in (0, -1, 2**64 + 1):
        with pytest.raises(ValueError, match="below"):
            uniform_below(bound, rng("bound"))
