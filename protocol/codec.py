"""Bytes and values: a small, canonical part of msgpack, and how to take a value apart.

One value has one encoding, so that what is signed and hashed can't be spelled a second way.
The values are nil, booleans, integers from -2**63 to 2**64 - 1, byte strings (bin), text (str,
UTF-8) and arrays, each in the shortest form of the msgpack specification.  There are no maps,
no floats and no extension types.  This file knows no message: those are put together from the
fields at its end.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgpack  # type: ignore[import-untyped]

from protocol.errors import Fault, InvalidError

T = TypeVar("T")

Value: TypeAlias = "bool | int | bytes | str | tuple[Value, ...] | None"

DEPTH: Final = 8
"""Arrays within arrays, the outermost one counted, that a value may have unless told otherwise."""


def encode(value: Value) -> bytes:
    """The only encoding of `value`.

    Raises:
        TypeError: `value` is, or holds, something that is no `Value`.
        ValueError: text that is not Unicode, or arrays nested deeper than `DEPTH`.
        OverflowError: an integer outside -2**63 .. 2**64 - 1.
    """
    data: bytes = msgpack.packb(value, use_bin_type=True)
    try:
        _scan(data, DEPTH)  # the library would also write floats, maps and extension types
    except InvalidError as error:
        raise (ValueError if error.fault is Fault.TOO_LARGE else TypeError)(error.detail) from None
    return data


def decode(data: bytes, *, limit: int, depth: int = DEPTH) -> Value:
    """Read the one value that `data` is the encoding of.

    `limit` is the greatest length in bytes, `depth` the greatest number of arrays within each
    other.  Both are held against the bytes before anything is built from them, and a length
    that the bytes announce is believed only if that much is there.

    Raises:
        InvalidError: TOO_LARGE beyond a limit; MALFORMED if this isn't one value of the kinds
            above and nothing after it; NON_CANONICAL if `encode` would have written it
            differently.
    """
    if len(data) > limit:
        raise InvalidError(Fault.TOO_LARGE, f"{len(data)} bytes where at most {limit} may come")
    _scan(data, depth)
    try:
        value: Value = msgpack.unpackb(data, use_list=False, raw=False)
    except UnicodeDecodeError:
        raise InvalidError(Fault.MALFORMED, "text that is not UTF-8") from None
    if msgpack.packb(value, use_bin_type=True) != data:
        raise InvalidError(Fault.NON_CANONICAL, "a value that is not in its shortest form")
    return value


# --- the shape of the bytes, before they are believed ---------------------------------------


class _Head(NamedTuple):
    """What the first byte of a value says of the rest.

    After it comes a big-endian number of `width` bytes, or, where `width` is 0, that number is
    `number`.  It counts values if `is_array`, else bytes.
    """

    width: int
    number: int
    is_array: bool = False


def _heads() -> tuple[_Head | None, ...]:
    """The head for each first byte, or None where no value may start with it.

    From the table of formats in the msgpack specification, without what has no place here.
    """
    heads: list[_Head | None] = [None] * 256
    heads[0x00:0x80] = [_Head(0, 0)] * 128  # positive fixint
    heads[0x90:0xA0] = [_Head(0, n, is_array=True) for n in range(16)]  # fixarray
    heads[0xA0:0xC0] = [_Head(0, n) for n in range(32)]  # fixstr
    heads[0xC0] = heads[0xC2] = heads[0xC3] = _Head(0, 0)  # nil, false, true
    heads[0xC4:0xC7] = [_Head(width, 0) for width in (1, 2, 4)]  # bin
    heads[0xCC:0xD0] = [_Head(0, n) for n in (1, 2, 4, 8)]  # uint
    heads[0xD0:0xD4] = [_Head(0, n) for n in (1, 2, 4, 8)]  # int
    heads[0xD9:0xDC] = [_Head(width, 0) for width in (1, 2, 4)]  # str
    heads[0xDC:0xDE] = [_Head(width, 0, is_array=True) for width in (2, 4)]  # array
    heads[0xE0:0x100] = [_Head(0, 0)] * 32  # negative fixint
    return tuple(heads)


_HEADS: Final = _heads()


def _scan(data: bytes, depth: int) -> None:
    """Walk over the heads of all values in `data`, building none of them.

    Raises InvalidError, MALFORMED or TOO_LARGE, unless `data` is exactly one value, all of it
    is there, and arrays nest no deeper than `depth`.
    """
    at = 0
    unfilled = [1]  # values still to come in each array that is open, the first being the whole
    while unfilled:
        if at >= len(data):
            raise InvalidError(Fault.MALFORMED, "the bytes end before the value does")
        head = _HEADS[data[at]]
        if head is None:
            raise InvalidError(Fault.MALFORMED, f"no value here starts with {data[at]:#04x}")
        after = at + 1 + head.width
        number = int.from_bytes(data[at + 1 : after], "big") if head.width else head.number
        unfilled[-1] -= 1
        if head.is_array:
            at = after
            unfilled.append(number)
            if len(unfilled) - 1 > depth:
                raise InvalidError(Fault.TOO_LARGE, f"arrays nested deeper than {depth}")
        else:
            at = after + number
        while unfilled and not unfilled[-1]:
            unfilled.pop()
    if at > len(data):
        raise InvalidError(Fault.MALFORMED, "the bytes end before the value does")
    if at < len(data):
        raise InvalidError(Fault.MALFORMED, f"{len(data) - at} bytes after the end of the value")


# --- taking a value apart -------------------------------------------------------------------

Field: TypeAlias = Callable[[Value, str], T]
"""Checks one value, named by the text for the error, and returns it as the type it has.

Every field raises InvalidError with MALFORMED if the value isn't what it is to be.
"""


def array(value: Value, what: str, *fields: Field[Any]) -> tuple[Any, ...]:
    """The elements of `value`, which is an array of exactly these `fields`.

        seq, author, body = array(value, "entry", uint(2**32), uint(1), blob(maximum=9000))

    `what` names the whole in errors; an element is named by its place, as "entry[1]".

    Raises:
        InvalidError: MALFORMED, and which place is wrong, what it holds and what was expected.
    """
    if type(value) is not tuple or len(value) != len(fields):
        raise _malformed(what, f"an array of {len(fields)}", value)
    return tuple(
        field(part, f"{what}[{i}]")
        for i, (part, field) in enumerate(zip(value, fields, strict=True))
    )


def uint(maximum: int) -> Field[int]:
    """An integer from 0 to `maximum` inclusive.  A boolean is none."""

    def field(value: Value, what: str) -> int:
        if type(value) is not int or not 0 <= value <= maximum:
            raise _malformed(what, f"an integer from 0 to {maximum}", value)
        return value

    return field


def blob(exact: int | None = None, *, maximum: int | None = None) -> Field[bytes]:
    """A byte string of `exact` bytes, or of 0 to `maximum` bytes; give one of the two."""
    if (exact is None) == (maximum is None):
        raise TypeError("blob() takes an exact length or a maximum")

    def field(value: Value, what: str) -> bytes:
        if type(value) is bytes:
            if exact is not None and len(value) == exact:
                return value
            if maximum is not None and len(value) <= maximum:
                return value
        size = f"{exact}" if exact is not None else f"at most {maximum}"
        raise _malformed(what, f"a byte string of {size} bytes", value)

    return field


def text(maximum: int) -> Field[str]:
    """Text of at most `maximum` bytes in UTF-8."""

    def field(value: Value, what: str) -> str:
        if type(value) is not str or len(value.encode()) > maximum:
            raise _malformed(what, f"text of at most {maximum} bytes", value)
        return value

    return field


def optional(inner: Field[T]) -> Field[T | None]:
    """Nil, or what `inner` takes."""
    return lambda value, what: None if value is None else inner(value, what)


def array_of(inner: Field[T], minimum: int, maximum: int) -> Field[tuple[T, ...]]:
    """An array of `minimum` to `maximum` elements, both inclusive, each as `inner` takes."""

    def field(value: Value, what: str) -> tuple[T, ...]:
        if type(value) is not tuple or not minimum <= len(value) <= maximum:
            count = f"{minimum}" if minimum == maximum else f"{minimum} to {maximum}"
            raise _malformed(what, f"an array of {count}", value)
        return tuple(inner(part, f"{what}[{i}]") for i, part in enumerate(value))

    return field


def tuple_of(*fields: Field[Any]) -> Field[tuple[Any, ...]]:
    """An array of exactly these `fields`: `array` as a field of something larger."""
    return lambda value, what: array(value, what, *fields)


def anything(value: Value, what: str) -> Value:  # noqa: ARG001 - the signature of a field
    """Any value at all, for parts that are taken apart later.  A field itself: no brackets."""
    return value


def _malformed(what: str, expected: str, value: Value) -> InvalidError:
    match value:  # never the contents of a string: they may be long, or not for others' eyes
        case None:
            found = "nil"
        case bool() | int():
            found = str(value)
        case bytes():
            found = f"a byte string of {len(value)}"
        case str():
            found = f"text of {len(value.encode())} bytes"
        case _:
            found = f"an array of {len(value)}"
    return InvalidError(Fault.MALFORMED, f"{what} is {found}, expected {expected}")
