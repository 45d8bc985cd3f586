"""Two proofs about discrete logarithms: that one is known, and that several are equal.

Both are sigma protocols made non-interactive, and travel as challenge || response (64 bytes).

- Knowledge: the Schnorr proof of RFC 8235 sections 2 and 3, its challenge bound to our context.
- Equality: the batched proof of RFC 9497 section 2.2 exactly as it stands there, with a context
  string that carries our context.

A nonce that repeats under two challenges gives the secret away.  Nonces are therefore hashed from
the secret, the whole statement and fresh random bytes: a broken random generator alone does
no harm.
"""

import hashlib
from collections.abc import Sequence

from protocol.errors import Fault, InvalidError
from protocol.group import GENERATOR, SIZE, Element, Rng, Scalar, hash_to_scalar, multi_mul
from protocol.transcript import Context, Label, Transcript, domain

PROOF_SIZE = 2 * SIZE
"""Bytes of either proof."""


def prove_knowledge(secret: Scalar, public: Element, context: Context, rng: Rng) -> bytes:
    """Prove that we know the `secret` of `public` = secret * G (RFC 8235 section 3.2).

    `secret` is SECRET and not part of the 64 bytes.  Draws 32 bytes from `rng`.
    """
    nonce = _nonce(secret, context.transcript(Label.KEY).append(public.encode()), rng)
    challenge = _knowledge_challenge(Element.base(nonce), public, context)
    return challenge.encode() + (nonce - secret * challenge).encode()


def verify_knowledge(proof: bytes, public: Element, context: Context) -> None:
    """Check `prove_knowledge` (RFC 8235 section 3.3).

    Raises:
        InvalidError: MALFORMED if the proof isn't 64 bytes, BAD_SCALAR if a half is no scalar,
            BAD_ELEMENT if `public` is the identity, BAD_PROOF if it doesn't hold.
    """
    challenge, response = _read(proof)
    if public.is_identity:
        raise InvalidError(Fault.BAD_ELEMENT, "the identity is no public key")
    commitment = Element.base(response) + public * challenge
    _check(challenge, _knowledge_challenge(commitment, public, context))


def prove_equality(
    secret: Scalar,
    public: Element,
    bases: Sequence[Element],
    images: Sequence[Element],
    context: Context,
    rng: Rng,
) -> bytes:
    """Prove that `secret` takes G to `public` and each of `bases` to its one of `images`.

    `secret` is SECRET and not part of the 64 bytes.  Draws 32 bytes from `rng`.
    ValueError if there are no bases or not as many images.
    """
    if not bases or len(bases) != len(images):
        raise ValueError("needs at least one base, and an image of each")
    statement = context.transcript(Label.SHARE).append(public.encode())
    for base, image in zip(bases, images, strict=True):
        statement.append(base.encode(), image.encode())
    nonce = _nonce(secret, statement, rng)
    return generate_proof(secret, public, bases, images, nonce, _equality_context(context))


def verify_equality(
    proof: bytes,
    public: Element,
    bases: Sequence[Element],
    images: Sequence[Element],
    context: Context,
) -> None:
    """Check `prove_equality`.

    Raises:
        InvalidError: MALFORMED if the proof isn't 64 bytes, or there are not as many images as
            bases or none; BAD_SCALAR if a half of the proof is no scalar; BAD_PROOF if it
            doesn't hold.
    """
    if not bases or len(bases) != len(images):
        raise InvalidError(Fault.MALFORMED, f"{len(images)} shares for {len(bases)} cards")
    verify_proof(proof, public, bases, images, _equality_context(context))


def generate_proof(
    secret: Scalar,
    public: Element,
    bases: Sequence[Element],
    images: Sequence[Element],
    nonce: Scalar,
    context: bytes,
) -> bytes:
    """GenerateProof of RFC 9497 section 2.2.1 with A = G; `nonce` is its r and SECRET."""
    weights = _weights(public, bases, images, context)
    base = multi_mul(weights, bases)  # ComputeCompositesFast: the image is one product, not many
    image = base * secret
    challenge = _equality_challenge(
        public, base, image, Element.base(nonce), base * nonce, context=context
    )
    return challenge.encode() + (nonce - challenge * secret).encode()


def verify_proof(
    proof: bytes,
    public: Element,
    bases: Sequence[Element],
    images: Sequence[Element],
    context: bytes,
) -> None:
    """VerifyProof of RFC 9497 section 2.2.2 with A = G; raises as `verify_equality` does."""
    challenge, response = _read(proof)
    weights = _weights(public, bases, images, context)
    base = multi_mul(weights, bases)
    image = multi_mul(weights, images)
    on_generator = Element.base(response) + public * challenge
    on_base = base * response + image * challenge
    expected = _equality_challenge(public, base, image, on_generator, on_base, context=context)
    _check(challenge, expected)


def _weights(
    public: Element, bases: Sequence[Element], images: Sequence[Element], context: bytes
) -> list[Scalar]:
    """The d_i of ComputeComposites: weights that nobody chose, so no term makes up for another."""
    seed = hashlib.sha512(_framed(public.encode(), b"Seed-" + context)).digest()
    return [
        hash_to_scalar(
            _framed(seed)
            + index.to_bytes(2, "big")
            + _framed(base.encode(), image.encode())
            + b"Composite",
            b"HashToScalar-" + context,
        )
        for index, (base, image) in enumerate(zip(bases, images, strict=True))
    ]


def _equality_challenge(*elements: Element, context: bytes) -> Scalar:
    framed = _framed(*(element.encode() for element in elements))
    return hash_to_scalar(framed + b"Challenge", b"HashToScalar-" + context)


def _equality_context(context: Context) -> bytes:
    return domain(Label.SHARE) + b"-" + context.transcript(Label.SHARE).digest()


def _framed(*parts: bytes) -> bytes:
    """The frames of RFC 9497, which has lengths of 2 bytes where `Transcript` has 4."""
    return b"".join(len(part).to_bytes(2, "big") + part for part in parts)


def _knowledge_challenge(commitment: Element, public: Element, context: Context) -> Scalar:
    # RFC 8235 section 3.2: c = H(G || V || A || UserID || OtherInfo); the context comes first here.
    transcript = context.transcript(Label.KEY)
    transcript.append(GENERATOR.encode(), commitment.encode(), public.encode())
    return transcript.scalar()


def _nonce(secret: Scalar, statement: Transcript, rng: Rng) -> Scalar:
    return Transcript(Label.NONCE).append(secret.encode(), statement.digest(), rng(32)).scalar()


def _read(proof: bytes) -> tuple[Scalar, Scalar]:
    if len(proof) != PROOF_SIZE:
        raise InvalidError(Fault.MALFORMED, f"a proof has {PROOF_SIZE} bytes, not {len(proof)}")
    return Scalar.decode(proof[:SIZE]), Scalar.decode(proof[SIZE:])


def _check(challenge: Scalar, expected: Scalar) -> None:
    if challenge != expected:
        raise InvalidError(Fault.BAD_PROOF, "the proof does not hold for this statement")
