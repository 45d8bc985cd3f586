"""The keys of one game: a secret each, shared with a proof, and the joint key they add up to.

A card masked under the joint key opens only with both secrets.  The proof of knowledge keeps a
peer from choosing its share as a function of the other's (a rogue key), and from repeating it.
After the last move both secrets are revealed, which opens every card for the replay.
"""

from dataclasses import dataclass
from typing import ClassVar, Self, final

from protocol.errors import Fault, InvalidError
from protocol.group import SIZE, Element, Rng, Scalar
from protocol.sigma import PROOF_SIZE, prove_knowledge, verify_knowledge
from protocol.transcript import Context, Label, Transcript

KEY_SHARE_SIZE = SIZE + PROOF_SIZE
"""Bytes of an encoded key share."""


@dataclass(frozen=True, slots=True)
class KeyShare:
    """One side's half of the joint key, and a proof that it knows the secret."""

    public: Element
    proof: bytes

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Read 96 bytes: element and proof.  The proof isn't checked: `verify_key_share` is.

        Raises:
            InvalidError: MALFORMED if it isn't 96 bytes, BAD_ELEMENT as `Element.decode` does.
        """
        if len(data) != KEY_SHARE_SIZE:
            detail = f"a key share has {KEY_SHARE_SIZE} bytes, not {len(data)}"
            raise InvalidError(Fault.MALFORMED, detail)
        return cls(Element.decode(data[:SIZE]), bytes(data[SIZE:]))

    def encode(self) -> bytes:
        return self.public.encode() + self.proof


@final
class SecretKey:
    """One side's secret for one game.  SECRET until it is revealed on purpose; no repr, no hash."""

    __slots__ = ("_scalar", "public")
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __init__(self, scalar: Scalar) -> None:
        if scalar.is_zero:
            raise ValueError("zero is no secret")
        self._scalar = scalar
        self.public = Element.base(scalar)

    @classmethod
    def derive(cls, seed: bytes) -> Self:
        """The key of a `seed` of 32 bytes, which is SECRET and must serve one game only."""
        if len(seed) != 32:
            raise ValueError(f"a seed has 32 bytes, not {len(seed)}")
        return cls(Transcript(Label.SECRET_KEY).append(seed).scalar())

    @property
    def scalar(self) -> Scalar:
        return self._scalar

    def share(self, context: Context, rng: Rng) -> KeyShare:
        """Our key share, with its proof for this context.  Draws 32 bytes from `rng`."""
        return KeyShare(self.public, prove_knowledge(self._scalar, self.public, context, rng))

    def reveal(self) -> bytes:
        """The secret itself, 32 bytes, for after the last move: it opens every card of the game."""
        return self._scalar.encode()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SecretKey):
            return NotImplemented
        return self._scalar == other._scalar

    def __repr__(self) -> str:
        return "SecretKey(<secret>)"


def verify_key_share(share: KeyShare, context: Context) -> None:
    """Check that who sent `share` knows its secret; `context.side` is the sender's.

    Raises:
        InvalidError: as `verify_knowledge` does.
    """
    verify_knowledge(share.proof, share.public, context)


def joint_key(host: Element, guest: Element) -> Element:
    """The key that cards are masked under, host + guest.

    Raises:
        InvalidError: BAD_KEY_SHARE if a share is the identity, or they are equal or cancel.
    """
    joint = host + guest
    if host == guest:
        raise InvalidError(Fault.BAD_KEY_SHARE, "a key share repeats the other side's")
    if host.is_identity or guest.is_identity or joint.is_identity:
        raise InvalidError(
            Fault.BAD_KEY_SHARE, "a key share is the identity or cancels the other's"
        )
    return joint


def check_revealed(secret: bytes, public: Element) -> SecretKey:
    """Read a secret (32 bytes) that its owner reveals, and check that it is the one of `public`.

    Raises:
        InvalidError: MALFORMED or BAD_SCALAR as `Scalar.decode` does, BAD_OPENING if it is
            another key's secret.
    """
    scalar = Scalar.decode(secret)
    if scalar.is_zero or Element.base(scalar) != public:
        raise InvalidError(Fault.BAD_OPENING, "the revealed secret is not the one of the key share")
    return SecretKey(scalar)
