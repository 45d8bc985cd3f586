"""Bytes taken for choices, and bytes changed at random."""

from collections.abc import Sequence
from random import Random
from typing import Final, TypeVar

from protocol.codec import Value
from protocol.group import GENERATOR, ORDER

T = TypeVar("T")

CURIOUS: Final = (
    bytes(32),
    b"\xff" * 32,
    b"\x01" + bytes(31),
    ORDER.to_bytes(32, "little"),
    (ORDER - 1).to_bytes(32, "little"),
    GENERATOR.encode(),
    GENERATOR.encode()[:31] + bytes([GENERATOR.encode()[31] | 0x80]),
)
"""Values of 32 bytes that readers of scalars, elements and keys have to think about."""

NUMBERS: Final = (0, 1, 2, 31, 127, 128, 255, 256, 2**16, 2**32 - 1, 2**32, 2**63, 2**64 - 1, -1)


class Source:
    """Choices out of bytes, the first of all where there are no more bytes."""

    def __init__(self, data: bytes) -> None:
        self._data: Final = data
        self._at = 0

    @property
    def is_empty(self) -> bool:
        return self._at >= len(self._data)

    def blob(self, size: int) -> bytes:
        """The next bytes; fewer at the end."""
        drawn = self._data[self._at : self._at + size]
        self._at += size
        return drawn

    def below(self, bound: int) -> int:
        """A number; small bounds take one byte."""
        return int.from_bytes(self.blob(1 if bound <= 256 else 2), "big") % bound

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.below(len(choices))]

    def number(self) -> int:
        return self.pick(NUMBERS) if self.below(2) else int.from_bytes(self.blob(8), "big")

    def changed(self, data: bytes) -> bytes:
        """Other bytes like `data`."""
        at = self.below(len(data)) if data else 0
        size = self.below(64)
        match self.below(8):
            case 0:
                return data[:at]
            case 1:
                return data + self.blob(size)
            case 2:
                return data[:at] + self.blob(size) + data[at + size :]
            case 3:
                return data[:at] + data[at + size :]
            case 4:  # a whole part of 32 bytes, as scalars and elements are
                at -= at % 32
                return data[:at] + self.pick(CURIOUS) + data[at + 32 :]
            case 5:  # two such parts exchanged
                at, other = sorted((at - at % 32, (size * 32) % max(len(data), 1)))
                first, second = data[at : at + 32], data[other : other + 32]
                middle = data[at + 32 : other]
                return data[:at] + second + middle + first + data[other + 32 :]
            case 6:
                return self.blob(size)
            case _:
                bit = 1 << self.below(8)
                return data[:at] + bytes(b ^ bit for b in data[at : at + 1]) + data[at + 1 :]

    def value(self, depth: int = 0) -> Value:
        """Any value that can be encoded."""
        match self.below(8 if depth < 6 else 6):
            case 0:
                return None
            case 1:
                return bool(self.below(2))
            case 2:
                return self.number()
            case 3:
                return self.pick(CURIOUS)
            case 4:
                return self.blob(self.below(100))
            case 5:
                return self.blob(self.below(40)).decode(errors="replace")
            case _:
                return tuple(self.value(depth + 1) for _ in range(self.below(6)))

    def like(self, value: Value) -> Value:
        """Another value, mostly of the same kind."""
        if not self.below(8):
            return self.value()
        match value:
            case bytes():
                return self.changed(value)
            case bool():
                return not value
            case int():
                return self.number()
            case str():
                return self.changed(value.encode()).decode(errors="replace")
            case tuple() if value:
                at = self.below(len(value))
                return (*value[:at], self.like(value[at]), *value[at + 1 :])
            case _:
                return self.value()


def changed(data: bytes, rng: Random) -> bytes:
    """`data` with a few changes at random, for runs without a guide."""
    for _ in range(rng.randint(1, 3)):
        data = Source(rng.randbytes(80)).changed(data)
    return data
