"""What the makers of vectors share: chance that anybody can repeat, and JSON for our values."""

import hashlib
from dataclasses import dataclass, fields
from typing import Any, Final

from protocol.codec import Value
from protocol.entries import Body
from protocol.errors import InvalidError
from protocol.group import Rng
from protocol.transcript import Context

Json = Any
"""What the json module writes."""


@dataclass(slots=True)
class Chance:
    """Bytes by name: SHA-512(name, a zero byte, a block number of 8 bytes), block after block.

    `drawn` counts the bytes that were taken.  Every draw goes on where the one before ended, so
    only the order and the sizes matter, and not how they were divided into calls.
    """

    name: str
    drawn: int = 0

    def __call__(self, size: int) -> bytes:
        first, last = self.drawn // 64, (self.drawn + size) // 64
        data = b"".join(
            hashlib.sha512(self.name.encode() + b"\0" + block.to_bytes(8, "big")).digest()
            for block in range(first, last + 1)
        )
        start = self.drawn - 64 * first
        self.drawn += size
        return data[start : start + size]


def seed(name: str) -> bytes:
    """The first 32 bytes of a chance."""
    return Chance(name)(32)


def recorded(rng: Rng, log: list[bytes]) -> Rng:
    """The same generator, whose draws are written down in `log`."""

    def draw(size: int) -> bytes:
        log.append(rng(size))
        return log[-1]

    return draw


def hexes(parts: Any) -> list[str]:
    """Everything in `parts` that encodes to bytes, in hexadecimal."""
    return [part.encode().hex() for part in parts]


def context_json(context: Context) -> Json:
    return {
        "game_id": context.game_id.hex(),
        "host": context.identities[0].hex(),
        "guest": context.identities[1].hex(),
        "side": context.side,
        "deck": context.deck,
        "head": context.head.hex(),
    }


def context_of(data: Json) -> Context:
    return Context(
        bytes.fromhex(data["game_id"]),
        (bytes.fromhex(data["host"]), bytes.fromhex(data["guest"])),
        data["side"],
        data["deck"],
        bytes.fromhex(data["head"]),
    )


def value_json(value: Value) -> Json:
    """A msgpack value: null, booleans and arrays as such, the rest behind the name of its type."""
    match value:
        case None | bool():
            return value
        case int():
            return {"int": str(value)}  # text, for JSON readers with 53 bits
        case bytes():
            return {"bin": value.hex()}
        case str():
            return {"str": value}
        case _:
            return [value_json(part) for part in value]


def value_of(data: Json) -> Value:
    match data:
        case {"int": number}:
            return int(number)
        case {"bin": digits}:
            return bytes.fromhex(digits)
        case {"str": text}:
            return str(text)
        case list():
            return tuple(value_of(part) for part in data)
        case _:
            assert data is None or isinstance(data, bool)
            return data


def body_json(body: Body) -> Json:
    """The fields of the body of an entry, by name."""
    values = zip(fields(body), body.values(), strict=True)  # type: ignore[arg-type]
    return {field.name: value_json(value) for field, value in values}


def fault_of(check: Any) -> str:
    """The fault that `check()` is refused with; a maker of bad vectors asks before it writes."""
    try:
        check()
    except InvalidError as error:
        return error.fault.value
    raise AssertionError("this was to be refused")


HERE: Final = Context(
    game_id=seed("game id"),
    identities=(seed("identity of the host"), seed("identity of the guest")),
    side=0,
    deck=0,
    head=seed("head"),
)
"""The context of the vectors that are not part of a game."""
