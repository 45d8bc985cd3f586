"""Who somebody is: an Ed25519 key (RFC 8032) that signs the record, and says whose line this is.

An identity outlives games.  It never encrypts and never masks a card: those keys are made anew
for every line and every game.
"""

from typing import Final, final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from protocol.errors import Fault, InvalidError
from protocol.transcript import Label, Transcript

SEED_BYTES: Final = 32
PUBLIC_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

_FIELD: Final = 2**255 - 19
_SIGN: Final = 1 << 255
_ORDER_EIGHT: Final = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER: Final = frozenset({0, 1, _FIELD - 1, _ORDER_EIGHT, _FIELD - _ORDER_EIGHT})
"""The y of the eight points whose order divides 8 (Chalkias, Garillot and Nikolaenko, "Taming the
many EdDSAs", table 1)."""


@final
class Identity:
    """A signing key.  Never printed; `public` (32 bytes) is what others know."""

    __slots__ = ("_key", "public")

    def __init__(self, seed: bytes) -> None:
        """`seed` is the 32-byte secret of RFC 8032 section 5.1.5, kept by whoever made it."""
        self._key: Final = Ed25519PrivateKey.from_private_bytes(seed)
        self.public: Final = self._key.public_key().public_bytes_raw()

    def sign(self, digest: bytes) -> bytes:
        """A 64-byte signature of a 32-byte digest, which a labelled transcript must have made."""
        return self._key.sign(digest)

    def __repr__(self) -> str:
        return f"Identity({fingerprint(self.public)})"


def check_signature(public: bytes, digest: bytes, signature: bytes) -> None:
    """Raise `InvalidError` (BAD_SIGNATURE) unless the owner of `public` signed `digest`.

    A public key that anybody can sign for is nobody's: those of small order, and with them all
    that are not canonical, are refused.
    """
    if _y(public) >= _FIELD or _y(public) in _SMALL_ORDER:
        raise InvalidError(Fault.BAD_SIGNATURE, "a public key that anybody can sign for")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, digest)
    except (InvalidSignature, ValueError):
        raise InvalidError(Fault.BAD_SIGNATURE, f"not signed by {fingerprint(public)}") from None


def _y(public: bytes) -> int:
    return int.from_bytes(public, "little") & ~_SIGN


def fingerprint(public: bytes) -> str:
    """A short name for an identity, for people to compare: 80 bits in four-letter groups."""
    digest = Transcript(Label.IDENTITY).append(public).digest()
    return "-".join(digest[i : i + 2].hex() for i in range(0, 10, 2))
