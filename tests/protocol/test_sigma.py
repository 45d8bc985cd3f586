"""Proofs about discrete logarithms: published vectors, tampering, transplanting, nonces."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import Fault, InvalidError
from protocol.group import GENERATOR, IDENTITY, ORDER, Element, Scalar, hash_to_group
from protocol.sigma import (
    generate_proof,
    prove_equality,
    prove_knowledge,
    verify_equality,
    verify_knowledge,
    verify_proof,
)
from protocol.transcript import Context
from tests.protocol.scene import ELSEWHERE, GUEST, HERE, HOST, rng, vectors

(VOPRF,) = vectors("rfc9497_ristretto255_voprf.json")["suites"]
VOPRF_CONTEXT = b"OPRFV1-" + bytes([VOPRF["mode"]]) + b"-" + VOPRF["identifier"].encode()

SECRET, PUBLIC = HOST.scalar, HOST.public
BASES = [hash_to_group(bytes([i]), b"test") for i in range(3)]
IMAGES = [base * SECRET for base in BASES]

few = settings(max_examples=20, deadline=None)


def elements(text: str) -> list[Element]:
    return [Element.decode(bytes.fromhex(part)) for part in text.split(",")]


def refused(proof: bytes, public: Element = PUBLIC, context: Context = HERE) -> Fault:
    with pytest.raises(InvalidError) as caught:
        verify_knowledge(proof, public, context)
    return caught.value.fault


def refused_equality(
    proof: bytes,
    public: Element = PUBLIC,
    bases: Sequence[Element] = BASES,
    images: Sequence[Element] = IMAGES,
    context: Context = HERE,
) -> Fault:
    with pytest.raises(InvalidError) as caught:
        verify_equality(proof, public, bases, images, context)
    return caught.value.fault


def altered(proof: bytes, half: int) -> bytes:
    """The proof with one added to its challenge (0) or its response (1)."""
    halves = [Scalar.decode(proof[:32]), Scalar.decode(proof[32:])]
    halves[half] += Scalar.of(1)
    return halves[0].encode() + halves[1].encode()


KNOWLEDGE = prove_knowledge(SECRET, PUBLIC, HERE, rng("knowledge"))
EQUALITY = prove_equality(SECRET, PUBLIC, BASES, IMAGES, HERE, rng("equality"))


# Published vectors


@pytest.mark.parametrize("vector", VOPRF["vectors"])
def test_the_proofs_of_rfc_9497(vector: dict[str, object]) -> None:
    secret = Scalar.decode(bytes.fromhex(VOPRF["skSm"]))
    public = Element.decode(bytes.fromhex(VOPRF["pkSm"]))
    bases = elements(str(vector["BlindedElement"]))
    images = elements(str(vector["EvaluationElement"]))
    expected = vector["Proof"]
    assert isinstance(expected, dict)
    nonce = Scalar.decode(bytes.fromhex(expected["r"]))
    proof = generate_proof(secret, public, bases, images, nonce, VOPRF_CONTEXT)
    assert proof.hex() == expected["proof"]
    verify_proof(proof, public, bases, images, VOPRF_CONTEXT)


# Honest proofs hold, others don't


@given(st.integers(1, ORDER - 1), st.binary(min_size=32, max_size=32), st.integers(1, 6))
@few
def test_honest_proofs_hold(number: int, fresh: bytes, size: int) -> None:
    secret = Scalar.of(number)
    public = Element.base(secret)
    verify_knowledge(prove_knowledge(secret, public, HERE, lambda _: fresh), public, HERE)
    bases = [hash_to_group(bytes([i]), fresh) for i in range(size)]
    images = [base * secret for base in bases]
    proof = prove_equality(secret, public, bases, images, HERE, lambda _: fresh)
    assert len(proof) == 64
    verify_equality(proof, public, bases, images, HERE)


def test_another_key_is_refused() -> None:
    assert refused(KNOWLEDGE, GUEST.public) is Fault.BAD_PROOF
    assert refused(KNOWLEDGE, PUBLIC + GENERATOR) is Fault.BAD_PROOF
    assert refused_equality(EQUALITY, GUEST.public) is Fault.BAD_PROOF


def test_a_proof_of_another_secret_is_refused() -> None:
    wrong = prove_knowledge(GUEST.scalar, PUBLIC, HERE, rng("wrong"))
    assert refused(wrong) is Fault.BAD_PROOF
    wrong = prove_equality(GUEST.scalar, PUBLIC, BASES, IMAGES, HERE, rng("wrong"))
    assert refused_equality(wrong) is Fault.BAD_PROOF


@pytest.mark.parametrize("context", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_a_transplanted_proof_is_refused(context: Context) -> None:
    assert refused(KNOWLEDGE, context=context) is Fault.BAD_PROOF
    assert refused_equality(EQUALITY, context=context) is Fault.BAD_PROOF


@pytest.mark.parametrize("half", [0, 1])
def test_an_altered_proof_is_refused(half: int) -> None:
    assert refused(altered(KNOWLEDGE, half)) is Fault.BAD_PROOF
    assert refused_equality(altered(EQUALITY, half)) is Fault.BAD_PROOF


@pytest.mark.parametrize("index", range(3))
def test_each_base_and_image_counts(index: int) -> None:
    for wrong in (GENERATOR, IDENTITY, BASES[index - 1], IMAGES[index - 1]):
        bases, images = BASES.copy(), IMAGES.copy()
        bases[index] = wrong
        assert refused_equality(EQUALITY, bases=bases) is Fault.BAD_PROOF
        images[index] = wrong
        assert refused_equality(EQUALITY, images=images) is Fault.BAD_PROOF


def test_errors_that_cancel_in_the_sum_are_refused() -> None:
    images = [IMAGES[0] + GENERATOR, IMAGES[1] - GENERATOR, IMAGES[2]]
    forged = prove_equality(SECRET, PUBLIC, BASES, images, HERE, rng("forged"))
    assert refused_equality(forged, images=images) is Fault.BAD_PROOF
    swapped = [IMAGES[1], IMAGES[0], IMAGES[2]]
    forged = prove_equality(SECRET, PUBLIC, BASES, swapped, HERE, rng("forged"))
    assert refused_equality(forged, images=swapped) is Fault.BAD_PROOF


def test_the_order_and_number_of_shares_count() -> None:
    assert refused_equality(EQUALITY, bases=BASES[::-1], images=IMAGES[::-1]) is Fault.BAD_PROOF
    assert refused_equality(EQUALITY, bases=BASES[:2], images=IMAGES[:2]) is Fault.BAD_PROOF
    assert refused_equality(EQUALITY, images=IMAGES[:2]) is Fault.MALFORMED
    assert refused_equality(EQUALITY, bases=[], images=[]) is Fault.MALFORMED
    for bases, images in (([], []), (BASES, IMAGES[:2])):
        with pytest.raises(ValueError, match="image"):
            prove_equality(SECRET, PUBLIC, bases, images, HERE, rng("number"))


def test_what_the_challenges_hash() -> None:
    challenge, response = Scalar.decode(KNOWLEDGE[:32]), Scalar.decode(KNOWLEDGE[32:])
    commitment = Element.base(response) + PUBLIC * challenge
    parts = [element.encode() for element in (GENERATOR, commitment, PUBLIC)]
    assert HERE.transcript("key").append(*parts).scalar() == challenge
    context = b"whitby/1-ristretto255-share-" + HERE.transcript("share").digest()
    verify_proof(EQUALITY, PUBLIC, BASES, IMAGES, context)


def test_one_kind_of_proof_is_not_the_other() -> None:
    single = prove_equality(SECRET, PUBLIC, [GENERATOR], [PUBLIC], HERE, rng("kind"))
    assert refused(single) is Fault.BAD_PROOF
    assert refused_equality(KNOWLEDGE, bases=[GENERATOR], images=[PUBLIC]) is Fault.BAD_PROOF


def test_what_cannot_be_read_is_refused() -> None:
    above = ORDER.to_bytes(32, "little")
    for size in (0, 63, 65):
        assert refused(bytes(size)) is Fault.MALFORMED
        assert refused_equality(bytes(size)) is Fault.MALFORMED
    for proof in (above + KNOWLEDGE[32:], KNOWLEDGE[:32] + above):
        assert refused(proof) is Fault.BAD_SCALAR
        assert refused_equality(proof) is Fault.BAD_SCALAR
    assert refused(KNOWLEDGE, IDENTITY) is Fault.BAD_ELEMENT
    assert refused(bytes(64)) is Fault.BAD_PROOF
    assert refused_equality(bytes(64)) is Fault.BAD_PROOF


# Nonces


def solve(one: bytes, other: bytes) -> Scalar:
    """The secret, if both proofs used the same nonce: s = r - c*x twice, r eliminated."""
    c1, s1, c2, s2 = (Scalar.decode(x) for x in (one[:32], one[32:], other[:32], other[32:]))
    return (s1 - s2) * (c2 - c1).invert()


def broken(size: int) -> bytes:
    """A random generator that is broken in the worst way."""
    return bytes(size)


def test_the_attack_works_on_a_repeated_nonce() -> None:
    nonce = Scalar.of(12345)
    proofs = [generate_proof(SECRET, PUBLIC, [b], [b * SECRET], nonce, b"x") for b in BASES]
    assert solve(proofs[0], proofs[1]) == SECRET


@pytest.mark.parametrize("context", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_a_broken_generator_does_not_leak_the_key_across_contexts(context: Context) -> None:
    one = prove_knowledge(SECRET, PUBLIC, HERE, broken)
    other = prove_knowledge(SECRET, PUBLIC, context, broken)
    assert solve(one, other) != SECRET
    one = prove_equality(SECRET, PUBLIC, BASES, IMAGES, HERE, broken)
    other = prove_equality(SECRET, PUBLIC, BASES, IMAGES, context, broken)
    assert solve(one, other) != SECRET


def test_a_broken_generator_does_not_leak_the_key_across_statements() -> None:
    statements = [
        (PUBLIC, BASES[:1], IMAGES[:1]),
        (PUBLIC, BASES[1:2], IMAGES[1:2]),
        (PUBLIC, BASES[:2], IMAGES[:2]),
        (PUBLIC, BASES[1::-1], IMAGES[1::-1]),
        (PUBLIC, BASES[:1], IMAGES[1:2]),  # a wrong statement that we were led to prove
        (GUEST.public, BASES[:1], IMAGES[:1]),
    ]
    proofs = [prove_equality(SECRET, *statement, HERE, broken) for statement in statements]
    proofs.append(prove_knowledge(SECRET, PUBLIC, HERE, broken))
    for index, one in enumerate(proofs):
        for other in proofs[:index]:
            assert solve(one, other) != SECRET


def test_fresh_bytes_make_fresh_proofs() -> None:
    assert prove_knowledge(SECRET, PUBLIC, HERE, rng("other")) != KNOWLEDGE
    again = prove_equality(SECRET, PUBLIC, BASES, IMAGES, HERE, rng("other"))
    assert again != EQUALITY


def test_a_broken_generator_does_not_make_nonces_public() -> None:
    nonces = []
    for secret in (SECRET, GUEST.scalar):  # one statement, so only the secret can differ
        proof = prove_knowledge(secret, PUBLIC, HERE, broken)
        nonces.append(Scalar.decode(proof[32:]) + Scalar.decode(proof[:32]) * secret)
    assert nonces[0] != nonces[1]
