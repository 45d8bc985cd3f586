"""The vectors of claims, which stand beside a record and change nothing in it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from protocol import codec
from protocol.claim import Claim, Ground
from protocol.codec import Value
from protocol.errors import Fault
from protocol.group import ORDER
from protocol.identity import Identity
from protocol.script import GUEST, HOST
from protocol.transcript import Label, Transcript
from tests.tools.vectors.chance import Json, fault_of, seed
from tests.tools.vectors.games import STARTED, WHOLE, play

COUNT: Final = 14
STRANGER: Final = Identity(seed("a stranger"))


def _claim(side: int, ground: Ground, identity: Identity | None = None) -> Claim:
    tables = WHOLE.tables()
    play(WHOLE, tables, stop=COUNT)
    return Claim.sign(
        tables[HOST].game_id,
        side,
        COUNT,
        tables[HOST].head,
        ground,
        600,
        STARTED + 900,
        identity or WHOLE.identity(side),
    )


def _fields(claim: Claim) -> tuple[Value, ...]:
    return (
        claim.game_id,
        claim.side,
        claim.count,
        claim.head,
        int(claim.ground),
        claim.seconds,
        claim.made,
    )


def _json(claim: Claim) -> Json:
    content = codec.encode(_fields(claim))
    return {
        "game": WHOLE.name,
        "side": claim.side,
        "count": claim.count,
        "head": claim.head.hex(),
        "ground": claim.ground.value,
        "seconds": claim.seconds,
        "made": claim.made,
        "identity": WHOLE.identity(claim.side).public.hex(),
        "content": content.hex(),
        "digest": Transcript(Label.CLAIM).append(content).digest().hex(),
        "signature": claim.signature.hex(),
        "raw": claim.encode().hex(),
    }


def _bad() -> Iterator[tuple[str, bytes]]:
    good = _claim(HOST, Ground.TIME)
    raw, fields = good.encode(), _fields(good)
    s = int.from_bytes(good.signature[32:], "little") + ORDER
    longer = good.signature[:32] + s.to_bytes(32, "little")

    def content(data: bytes) -> bytes:
        digest = Transcript(Label.CLAIM).append(data).digest()
        return codec.encode((data, WHOLE.identity(HOST).sign(digest)))

    def field(place: int, value: Value) -> bytes:
        return content(codec.encode((*fields[:place], value, *fields[place + 1 :])))

    yield "no bytes", b""
    yield "bytes behind the claim", raw + b"\0"
    yield "too long", raw + bytes(256)
    yield "a field too few", content(codec.encode(fields[:-1]))
    yield "a field too many", content(codec.encode((*fields, 0)))
    yield "a game id of 31 bytes", field(0, bytes(31))
    yield "side 2", field(1, 2)
    yield "a count beyond the longest record", field(2, 65_537)
    yield "ground 2", field(4, 2)
    yield "seconds below zero", field(5, -1)
    yield "a signature of 63 bytes", codec.encode((codec.encode(fields), bytes(63)))
    yield "a length in a longer form", raw.replace(b"\xc4", b"\xc5\0", 1)
    yield (
        "a number in a longer form",
        content(codec.encode(fields).replace(b"\x0e\xc4", b"\xcc\x0e\xc4", 1)),
    )
    yield "signed by the other side", _claim(HOST, Ground.TIME, WHOLE.identity(GUEST)).encode()
    yield "signed by a stranger", _claim(HOST, Ground.TIME, STRANGER).encode()
    yield "the signature of other words", replace(good, seconds=601).encode()
    yield "an S that is not below the order", replace(good, signature=longer).encode()


def read(raw: bytes, identities: Any) -> Claim:
    """A claim with a good signature of the side that it names."""
    claim = Claim.decode(raw)
    claim.check_signature(identities[claim.side])
    return claim


def claim() -> Json:
    """claim.json"""
    identities = [WHOLE.identity(side).public for side in (HOST, GUEST)]
    bad = [
        {
            "comment": comment,
            "raw": raw.hex(),
            "fault": fault_of(lambda raw=raw: read(raw, identities)),
        }
        for comment, raw in _bad()
    ]
    assert {case["fault"] for case in bad} == {
        fault.value
        for fault in (
            Fault.MALFORMED, Fault.TOO_LARGE, Fault.NON_CANONICAL, Fault.BAD_SIGNATURE,
        )
    }  # fmt: skip
    return {
        "about": (
            "Claims about the first game of game.json, taken apart: 'content' (whose digest is "
            "signed) and 'raw' (what is sent and kept). The bad ones are refused when they are "
            "read, or when their signature is checked against the side that they name."
        ),
        "section": "12.5",
        "claims": [_json(_claim(side, ground)) for side in (HOST, GUEST) for ground in Ground],
        "bad": bad,
    }
