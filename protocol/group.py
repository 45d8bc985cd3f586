"""The group ristretto255 (RFC 9496) and its scalars: the only file that touches libsodium.

`Scalar` and `Element` are always valid: whatever comes from outside passes `decode`, and what is
computed from valid values is valid.  Scalars are secret unless proven otherwise, so they have no
repr and no hash, and all arithmetic on them is libsodium's, which takes constant time.  What
Python does around a call (choosing what to call, comparing with zero) is not constant time.

libsodium comes in rbcl's wheel, but rbcl's own wrappers are not used, because some of them ignore
what libsodium answers.  Each call here has a buffer of its own and lets other threads run.
"""

import contextlib
import ctypes
import hashlib
import hmac
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn, Self, TypeAlias, final

from rbcl import _sodium as _libsodium  # type: ignore[import-untyped]

from protocol.errors import Fault, InvalidError

# rbcl unpacks the library into the temporary folder at every import.  Once loaded it needs no
# name there.  Windows insists on keeping it, and another rbcl may keep it elsewhere: no harm done.
with contextlib.suppress(OSError, AttributeError):
    Path(import_module("rbcl._sodium").lib_path).unlink()

Rng: TypeAlias = Callable[[int], bytes]
"""Gives as many random bytes as it is asked for."""

ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""The number of elements, a prime (RFC 9496 section 4)."""

SIZE: Final = 32
"""Bytes of an encoded scalar or element."""

_ZERO: Final = bytes(SIZE)
_Buffer: Final = ctypes.c_char * SIZE


def _native(name: str, inputs: int, answer: type[ctypes.c_int] | None) -> Any:
    """A function of libsodium with `inputs` byte strings in, one out, and perhaps an answer."""
    prototype = ctypes.CFUNCTYPE(answer, *[ctypes.c_char_p] * (1 + inputs))
    return prototype((name, _libsodium))


_scalar_add = _native("crypto_core_ristretto255_scalar_add", 2, None)
_scalar_sub = _native("crypto_core_ristretto255_scalar_sub", 2, None)
_scalar_mul = _native("crypto_core_ristretto255_scalar_mul", 2, None)
_scalar_negate = _native("crypto_core_ristretto255_scalar_negate", 1, None)
_scalar_reduce = _native("crypto_core_ristretto255_scalar_reduce", 1, None)
_scalar_invert = _native("crypto_core_ristretto255_scalar_invert", 1, ctypes.c_int)
_add = _native("crypto_core_ristretto255_add", 2, ctypes.c_int)
_sub = _native("crypto_core_ristretto255_sub", 2, ctypes.c_int)
_from_hash = _native("crypto_core_ristretto255_from_hash", 1, ctypes.c_int)
_multiply = _native("crypto_scalarmult_ristretto255", 2, ctypes.c_int)
_multiply_base = _native("crypto_scalarmult_ristretto255_base", 1, ctypes.c_int)
_is_valid = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(
    ("crypto_core_ristretto255_is_valid_point", _libsodium)
)


class _Value:
    """What scalars and elements share: 32 canonical bytes, and no way to make them unchecked."""

    __slots__ = ("_raw",)
    _raw: bytes

    def __init__(self) -> None:
        raise TypeError("use decode() or another class method")

    @classmethod
    def _of_valid(cls, raw: bytes) -> Self:
        value = object.__new__(cls)
        value._raw = raw
        return value

    def encode(self) -> bytes:
        """The one encoding, 32 bytes."""
        return self._raw


@final
class Scalar(_Value):
    """A number modulo `ORDER`, presumed SECRET."""

    __slots__ = ()
    __hash__: ClassVar[None]  # type: ignore[assignment]

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Read 32 bytes, little-endian, below `ORDER`.

        Raises:
            InvalidError: MALFORMED if it isn't 32 bytes, BAD_SCALAR if it isn't below the order.
        """
        if len(data) != SIZE:
            raise InvalidError(Fault.MALFORMED, f"a scalar has {SIZE} bytes, not {len(data)}")
        if int.from_bytes(data, "little") >= ORDER:
            raise InvalidError(Fault.BAD_SCALAR, "a scalar is not below the order of the group")
        return cls._of_valid(bytes(data))

    @classmethod
    def from_uniform(cls, data: bytes) -> Self:
        """Reduce 64 uniform bytes, little-endian; 64 so that the bias is below 2^-250."""
        if len(data) != 2 * SIZE:
            raise ValueError(f"needs 64 uniform bytes, not {len(data)}")
        out = _Buffer()
        _scalar_reduce(out, data)
        return cls._of_valid(out.raw)

    @classmethod
    def random(cls, rng: Rng) -> Self:
        """Draw 64 bytes from `rng`."""
        return cls.from_uniform(rng(2 * SIZE))

    @classmethod
    def of(cls, number: int) -> Self:
        """A known number, reduced."""
        return cls._of_valid((number % ORDER).to_bytes(SIZE, "little"))

    @property
    def is_zero(self) -> bool:
        return hmac.compare_digest(self._raw, _ZERO)

    def invert(self) -> "Scalar":
        """1 / self; ValueError for zero."""
        out = _Buffer()
        if _scalar_invert(out, self._raw):
            raise ValueError("zero has no inverse")
        return Scalar._of_valid(out.raw)

    def __add__(self, other: "Scalar") -> "Scalar":
        out = _Buffer()
        _scalar_add(out, self._raw, other._raw)
        return Scalar._of_valid(out.raw)

    def __sub__(self, other: "Scalar") -> "Scalar":
        out = _Buffer()
        _scalar_sub(out, self._raw, other._raw)
        return Scalar._of_valid(out.raw)

    def __mul__(self, other: "Scalar") -> "Scalar":
        if not isinstance(other, Scalar):
            return NotImplemented  # Element.__rmul__ takes over
        out = _Buffer()
        _scalar_mul(out, self._raw, other._raw)
        return Scalar._of_valid(out.raw)

    def __neg__(self) -> "Scalar":
        out = _Buffer()
        _scalar_negate(out, self._raw)
        return Scalar._of_valid(out.raw)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scalar):
            return NotImplemented
        return hmac.compare_digest(self._raw, other._raw)

    def __repr__(self) -> str:
        return "Scalar(<secret>)"


@final
class Element(_Value):
    """An element of the group, written additively; public."""

    __slots__ = ()

    @classmethod
    def decode(cls, data: bytes, *, allow_identity: bool = False) -> Self:
        """Read the canonical encoding of an element, 32 bytes (RFC 9496 section 4.3.1).

        Raises:
            InvalidError: MALFORMED if it isn't 32 bytes; BAD_ELEMENT if it is no canonical
                encoding, or is the identity and `allow_identity` doesn't say that it may be.
        """
        if len(data) != SIZE:
            raise InvalidError(Fault.MALFORMED, f"an element has {SIZE} bytes, not {len(data)}")
        # libsodium ignores the top bit, which would give every element a second spelling.
        if data[-1] & 0x80 or not _is_valid(bytes(data)):
            raise InvalidError(Fault.BAD_ELEMENT, "not a canonical encoding of a group element")
        # libsodium calls the identity valid.
        if not allow_identity and data == _ZERO:
            raise InvalidError(Fault.BAD_ELEMENT, "the identity where it must not be")
        return cls._of_valid(bytes(data))

    @classmethod
    def from_uniform(cls, data: bytes) -> Self:
        """Map 64 uniform bytes to a uniform element (RFC 9496 section 4.3.4)."""
        if len(data) != 2 * SIZE:
            raise ValueError(f"needs 64 uniform bytes, not {len(data)}")
        out = _Buffer()
        if _from_hash(out, data):
            _refused()
        return cls._of_valid(out.raw)

    @classmethod
    def base(cls, scalar: Scalar) -> Self:
        """`scalar` times the generator, three times as fast as any other multiplication."""
        out = _Buffer()
        # libsodium answers -1 when the result is the identity, and leaves that in the buffer.
        if _multiply_base(out, scalar._raw) and not scalar.is_zero:
            _refused()
        return cls._of_valid(out.raw)

    @property
    def is_identity(self) -> bool:
        return self._raw == _ZERO

    def __add__(self, other: "Element") -> "Element":
        out = _Buffer()
        if _add(out, self._raw, other._raw):
            _refused()
        return Element._of_valid(out.raw)

    def __sub__(self, other: "Element") -> "Element":
        out = _Buffer()
        if _sub(out, self._raw, other._raw):
            _refused()
        return Element._of_valid(out.raw)

    def __neg__(self) -> "Element":
        return IDENTITY - self

    def __mul__(self, scalar: Scalar) -> "Element":
        if not isinstance(scalar, Scalar):
            return NotImplemented
        return Element._of_valid(_product(scalar._raw, self._raw))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Element):
            return NotImplemented
        return self._raw == other._raw

    def __hash__(self) -> int:
        return hash(self._raw)

    def __repr__(self) -> str:
        return f"Element({self._raw.hex()})"


IDENTITY: Final = Element._of_valid(_ZERO)
GENERATOR: Final = Element.base(Scalar.of(1))


def multi_mul(scalars: Sequence[Scalar], elements: Sequence[Element]) -> Element:
    """The sum of scalars[i] * elements[i]; the identity for none.

    Scalars of equal elements are added up first, and the generator's go through the fast base
    multiplication: a fresh deck, whose cards all have the same first half, costs half as much.
    (Interleaved methods do not pay here: one multiplication costs less than four additions.)
    """
    merged: dict[bytes, Scalar] = {}
    for scalar, element in zip(scalars, elements, strict=True):
        known = merged.get(element._raw)
        merged[element._raw] = scalar if known is None else known + scalar
    on_base = merged.pop(GENERATOR._raw, None)
    products = [_product(scalar._raw, raw) for raw, scalar in merged.items()]
    if on_base is not None:
        products.append(Element.base(on_base)._raw)
    total = products.pop() if products else _ZERO
    for product in products:
        out = _Buffer()
        if _add(out, total, product):
            _refused()
        total = out.raw
    return Element._of_valid(total)


def hash_to_group(message: bytes, dst: bytes) -> Element:
    """hash_to_ristretto255 of RFC 9380 appendix B, with expand_message_xmd and SHA-512.

    Nobody knows a discrete logarithm between results for different (`message`, `dst`).
    """
    return Element.from_uniform(expand_message_xmd(message, dst, 64))


def hash_to_scalar(message: bytes, dst: bytes) -> Scalar:
    """HashToScalar of the suite ristretto255-SHA512 (RFC 9497 section 4.1)."""
    return Scalar.from_uniform(expand_message_xmd(message, dst, 64))


def expand_message_xmd(message: bytes, dst: bytes, length: int) -> bytes:
    """`length` uniform bytes (RFC 9380 section 5.3.1, with SHA-512).

    `dst`, the domain separation tag, has 1 to 255 bytes: longer ones are legal there, but we
    have none.
    """
    if not 1 <= len(dst) <= 255:
        raise ValueError(f"a domain separation tag has 1 to 255 bytes, not {len(dst)}")
    count = -(-length // 64)
    if not 1 <= count <= 255:
        raise ValueError(f"cannot expand to {length} bytes")
    tag = dst + bytes([len(dst)])
    seed = _sha512(bytes(128) + message + length.to_bytes(2, "big") + b"\0" + tag)
    block = _sha512(seed + b"\1" + tag)
    blocks = [block]
    for index in range(2, count + 1):
        mixed = bytes(x ^ y for x, y in zip(seed, block, strict=True))
        block = _sha512(mixed + bytes([index]) + tag)
        blocks.append(block)
    return b"".join(blocks)[:length]


def _sha512(data: bytes) -> bytes:
    return hashlib.sha512(data).digest()


def _product(scalar: bytes, element: bytes) -> bytes:
    out = _Buffer()
    if _multiply(out, scalar, element):
        # libsodium answers -1 when the result is the identity.  In a group of prime order that
        # takes a zero scalar or the identity itself; an invalid element cannot come here.
        if _ZERO not in (scalar, element):
            _refused()
        return _ZERO
    return out.raw


def _refused() -> NoReturn:
    raise AssertionError("libsodium refused a value that was valid")
