"""Shuffles and their proofs, as they travel."""

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import pytest

from protocol import argument, shuffle
from protocol.deck import (
    MAX_DECK,
    MaskedCard,
    decryption_share,
    face_of,
    fresh_deck,
    remask,
    unmask,
)
from protocol.errors import Fault, InvalidError
from protocol.group import (
    GENERATOR,
    IDENTITY,
    ORDER,
    Element,
    Rng,
    Scalar,
    hash_to_group,
    multi_mul,
)
from protocol.shuffle import (
    VerifiedDeck,
    commitment_key,
    proof_size,
    shuffle_deck,
    verify_shuffle,
)
from protocol.transcript import Context, number
from tests.protocol.scene import ELSEWHERE, GUEST, HERE, HOST, JOINT, rng

SIZE = 3
BEFORE = fresh_deck(JOINT, SIZE)
AFTER, PROOF = shuffle_deck(BEFORE, JOINT, HERE, rng("shuffle"))


def faces(cards: Sequence[MaskedCard], size: int = SIZE) -> list[int]:
    return [
        face_of(unmask(card, [decryption_share(key, card) for key in (HOST, GUEST)]), size)
        for card in cards
    ]


def refused(
    before: Sequence[MaskedCard] = BEFORE,
    after: Sequence[MaskedCard] = AFTER,
    proof: bytes = PROOF,
    joint: Element = JOINT,
    context: Context = HERE,
) -> Fault:
    with pytest.raises(InvalidError) as caught:
        verify_shuffle(before, after, proof, joint, context)
    return caught.value.fault


# Honest shuffles


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 13])
def test_both_shuffle_and_both_check(size: int) -> None:
    for seed in range(4):
        draw = rng(f"{size} {seed}")
        fresh = fresh_deck(JOINT, size)
        first, proof = shuffle_deck(fresh, JOINT, HERE, draw)
        assert verify_shuffle(fresh, tuple(first), proof, JOINT, HERE) == first
        there = ELSEWHERE["side"]
        second, proof = shuffle_deck(first, JOINT, there, draw)
        assert verify_shuffle(first, tuple(second), proof, JOINT, there) == second
        assert sorted(faces(second, size)) == list(range(size))
        assert not {card.a for card in first} & {card.a for card in second}


def test_a_whole_deck() -> None:
    fresh = fresh_deck(JOINT, 32)
    after, proof = shuffle_deck(fresh, JOINT, HERE, rng("whole"))
    assert len(proof) == proof_size(32) == 4256
    verify_shuffle(fresh, after, proof, JOINT, HERE)
    assert faces(after, 32) != list(range(32))


def test_every_order_is_equally_likely() -> None:
    # What the sampling does is tested with `protocol.sampling`; here, that the deck follows it.
    draw = rng("orders")
    counts = Counter(tuple(faces(shuffle_deck(BEFORE, JOINT, HERE, draw)[0])) for _ in range(180))
    assert set(counts) == set(permutations(range(SIZE)))
    assert sum((count - 30) ** 2 / 30 for count in counts.values()) < 5 + 4 * 10**0.5


def test_shuffling_nothing_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffle, "uniform_permutation", lambda size, rng: tuple(range(size)))
    after, proof = shuffle_deck(BEFORE, JOINT, HERE, zeros_then(rng("nothing"), 64 * SIZE))
    assert tuple(after) == BEFORE
    verify_shuffle(BEFORE, BEFORE, proof, JOINT, HERE)


def zeros_then(draw: Rng, size: int) -> Rng:
    """A generator whose first `size` bytes are zero: masks of zero."""
    left = [size]

    def zeros(wanted: int) -> bytes:
        if left[0] > 0:
            left[0] -= wanted
            return bytes(wanted)
        return draw(wanted)

    return zeros


# Transplants


@pytest.mark.parametrize("context", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_a_proof_holds_in_one_context_only(context: Context) -> None:
    assert refused(context=context) is Fault.BAD_PROOF


def test_a_proof_holds_for_one_key_only() -> None:
    assert refused(joint=JOINT + GENERATOR) is Fault.BAD_PROOF
    assert refused(joint=HOST.public) is Fault.BAD_PROOF


def test_a_proof_holds_for_one_deck_before_only() -> None:
    for index in range(SIZE):
        deck = list(BEFORE)
        deck[index] = remask(deck[index], JOINT, Scalar.of(1))
        assert refused(before=deck) is Fault.BAD_PROOF
    assert refused(before=BEFORE[::-1]) is Fault.BAD_PROOF
    assert refused(before=AFTER) is Fault.BAD_PROOF


def test_a_proof_holds_for_one_deck_after_only() -> None:
    for index in range(SIZE):
        card = AFTER[index]
        for wrong in (
            remask(card, JOINT, Scalar.of(1)),
            MaskedCard(card.a, card.b + GENERATOR),
            MaskedCard(card.a + GENERATOR, card.b),
            MaskedCard(card.b, card.a),
            AFTER[index - 1],
            BEFORE[index],
        ):
            deck = list(AFTER)
            deck[index] = wrong
            assert refused(after=deck) is Fault.BAD_PROOF
    assert refused(after=AFTER[::-1]) is Fault.BAD_PROOF
    assert refused(after=BEFORE) is Fault.BAD_PROOF


def test_what_the_challenges_hash() -> None:
    # Spelt out, because a verifier that hashes too little still refuses what is merely altered.
    parts = [PROOF[start : start + 32] for start in range(0, len(PROOF), 32)]
    scalars = [Scalar.decode(part) for part in parts[: 5 + 2 * SIZE]]
    elements = [Element.decode(part) for part in parts[5 + 2 * SIZE :]]
    cards = [card.encode() for card in (*BEFORE, *AFTER)]
    statement = [JOINT.encode(), number(SIZE), *cards]
    c, c_hat = parts[5 + 2 * SIZE : -SIZE], parts[-SIZE:]
    draw = HERE.transcript("shuffle-challenges").append(*statement, *c).stream()
    u = [Scalar.from_uniform(draw(64)) for _ in range(SIZE)]
    t = argument.announcements(
        argument.Group(generator=GENERATOR, scalar=Scalar.of, combine=multi_mul),
        argument.Statement(
            before=[(card.a, card.b) for card in BEFORE],
            after=[(card.a, card.b) for card in AFTER],
            joint=JOINT,
            key=commitment_key(SIZE),
        ),
        argument.Proof(
            challenge=scalars[0],
            s=(scalars[1], scalars[2], scalars[3], scalars[4]),
            s_hat=scalars[5 : 5 + SIZE],
            s_tilde=scalars[5 + SIZE :],
            c=elements[:SIZE],
            c_hat=elements[SIZE:],
        ),
        u,
    )
    transcript = HERE.transcript("shuffle").append(*statement, *c, *c_hat)
    assert transcript.append(*(element.encode() for element in t)).scalar() == scalars[0]


# Tampering


@pytest.mark.parametrize("index", range(4 * SIZE + 5))
def test_each_part_of_a_proof_counts(index: int) -> None:
    start, scalars = 32 * index, 5 + 2 * SIZE
    part = PROOF[start : start + 32]
    if index < scalars:
        scalar = Scalar.decode(part)
        others = [(scalar + Scalar.of(1)).encode(), (-scalar).encode(), bytes(32)]
        unreadable, fault = ORDER.to_bytes(32, "little"), Fault.BAD_SCALAR
    else:
        element = Element.decode(part)
        others = [(element + GENERATOR).encode(), (-element).encode()]
        unreadable, fault = IDENTITY.encode(), Fault.BAD_ELEMENT
    for other in others:
        wrong = PROOF[:start] + other + PROOF[start + 32 :]
        assert refused(proof=wrong) is Fault.BAD_PROOF
    assert refused(proof=PROOF[:start] + unreadable + PROOF[start + 32 :]) is fault
    assert refused(proof=PROOF[:start] + b"\xff" * 32 + PROOF[start + 32 :]) is fault


def test_lengths_are_checked() -> None:
    for proof in (b"", PROOF[:-1], PROOF[:-32], PROOF + b"\0", PROOF + bytes(32)):
        assert refused(proof=proof) is Fault.MALFORMED
    assert refused(after=AFTER[:2]) is Fault.MALFORMED
    assert refused(after=(*AFTER, AFTER[0])) is Fault.MALFORMED
    assert refused(after=()) is Fault.MALFORMED
    for size in (0, MAX_DECK + 1):
        with pytest.raises(ValueError, match="256"):
            shuffle_deck([BEFORE[0]] * size, JOINT, HERE, rng("size"))
        with pytest.raises(ValueError, match="256"):
            verify_shuffle([BEFORE[0]] * size, [BEFORE[0]] * size, b"", JOINT, HERE)


@pytest.mark.parametrize("sources", [(0, 0, 1), (2, 2, 2), (1, 0, 0)])
def test_doubling_a_card_has_no_proof(
    sources: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shuffle, "uniform_permutation", lambda size, rng: sources)
    after, proof = shuffle_deck(BEFORE, JOINT, HERE, rng("doubling"))
    assert faces(after) == list(sources)
    assert refused(after=after, proof=proof) is Fault.BAD_PROOF


def test_swapping_in_another_card_has_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    point = hash_to_group(b"ace", b"test")

    def swap(card: MaskedCard, joint: Element, mask: Scalar) -> MaskedCard:
        masked = remask(card, joint, mask)
        return MaskedCard(masked.a, masked.b + point) if card == BEFORE[1] else masked

    monkeypatch.setattr(shuffle, "remask", swap)
    after, proof = shuffle_deck(BEFORE, JOINT, HERE, rng("swapping"))
    assert refused(after=after, proof=proof) is Fault.BAD_PROOF


# Values


def test_only_checking_makes_a_verified_deck() -> None:
    with pytest.raises(TypeError, match="verify_shuffle"):
        VerifiedDeck(BEFORE, object())
    assert len(AFTER) == SIZE
    assert AFTER[0] == AFTER.cards[0]
    assert AFTER[:2] == AFTER.cards[:2]
    assert list(AFTER) == list(AFTER.cards)


def test_commitment_generators_are_nobody_s_choice() -> None:
    key = commitment_key(MAX_DECK)
    elements = [key.chain_base, *key.generators]
    assert len({GENERATOR, IDENTITY, *elements}) == MAX_DECK + 3
    assert key.chain_base == hash_to_group(bytes(8), b"whitby/1-ristretto255-generator")
    assert sum(key.generators, start=IDENTITY) == key.generator_sum
    assert list(commitment_key(5).generators) == list(key.generators)[:5]


def test_a_broken_generator_still_has_fresh_nonces_for_each_statement() -> None:
    # The same permutation and masks, another statement: no part of the two proofs is the same.
    one = shuffle_deck(BEFORE, JOINT, HERE, bytes)[1]
    for context in ELSEWHERE.values():
        other = shuffle_deck(BEFORE, JOINT, context, bytes)[1]
        parts = [{data[i : i + 32] for i in range(0, len(data), 32)} for data in (one, other)]
        assert not parts[0] & parts[1]


def test_fresh_bytes_make_fresh_nonces() -> None:
    spent = 8 * (SIZE - 1) + 64 * SIZE  # on the permutation and the masks
    made = [
        shuffle_deck(BEFORE, JOINT, HERE, zeros_then(rng(seed), spent)) for seed in ("one", "other")
    ]
    assert made[0][0] == made[1][0]
    parts = [{proof[i : i + 32] for i in range(0, len(proof), 32)} for _, proof in made]
    assert not parts[0] & parts[1]
