"""The schema of the specification fits what the code writes, and nothing else.

`spec/protocol.cddl` is CDDL, which describes CBOR; so each value is read as the msgpack that it
is, written once more as CBOR, and then given to a validator that knows none of our code.  (This one
counts text in characters where RFC 8610 has bytes, so what is too long here is ASCII.)
"""

import re
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

import cbor2
import pytest
from zcbor import CddlValidationError, DataTranslator  # type: ignore[import-untyped]

from protocol import codec, entries, line
from protocol.claim import MAX_CLAIM_BYTES, Claim, Ground
from protocol.codec import Value
from protocol.entries import MAX_ENTRY_BYTES, NO_ENTRY, Entry, Shuffle
from protocol.errors import Fault
from protocol.record import MAX_RECORD_BYTES, write_record
from protocol.script import GUEST, HOST
from tests.peer.records import resigned_game, whole_game
from tests.protocol.helpers import IDENTITIES, body_of, content, record

SCHEMA: Final = (Path(__file__).parents[2] / "spec" / "protocol.cddl").read_text("utf-8")
RULES: Final[dict[str, Any]] = DataTranslator.from_cddl(SCHEMA, 16).my_types

HASH: Final = b"\x07" * 32
SIGNATURE: Final = b"\x09" * 64
MESSAGES: Final = (
    line.Hello.sign(IDENTITIES[HOST], HOST, HASH),
    line.Sync(None, 0, NO_ENTRY),
    line.Sync(HASH, 65_536, HASH),
    line.Entries(record()[:1]),
    line.Entries((b"",) * 256),
    *(line.Bye(reason) for reason in line.Reason),
    line.Refusal(Fault.BAD_PROOF.value, "\u00e9" * 250),
    line.Ping(0),
    line.Pong(2**32 - 1),
    line.Clock(2**40 - 1),
    line.Claimed(b"c" * MAX_CLAIM_BYTES),
    line.Again(),
    line.Chat("Children of the night"),
)


def fits(rule: str, value: Value) -> bool:
    """Whether the validator finds that `value` is what the rule of this name says."""
    try:
        RULES[rule].validate_str(cbor2.dumps(value))
    except CddlValidationError:
        return False
    return True


def read(data: bytes) -> Any:
    return codec.decode(data, limit=MAX_RECORD_BYTES)


def claims() -> list[Claim]:
    return [
        Claim.sign(HASH, side, 14, HASH, ground, 600, 1_700_000_900, IDENTITIES[side])
        for side in (HOST, GUEST)
        for ground in Ground
    ]


@pytest.mark.parametrize(
    "raws",
    [record(), record(None), whole_game(), resigned_game()],
    ids=["duel", "coin", "real", "resigned"],
)
def test_every_entry_of_a_game_fits(raws: tuple[bytes, ...]) -> None:
    for raw in raws:
        outer = read(raw)
        assert fits("entry", outer)
        inner = read(outer[0])
        assert fits("content", inner)
        assert fits(Entry.decode(raw).kind.name, inner)


@pytest.mark.parametrize("kind", entries.Kind, ids=lambda kind: kind.name)
def test_each_kind_of_entry_has_its_own_rule(kind: entries.Kind) -> None:
    head, body = (3, GUEST, HASH), body_of(kind).values()
    others = [
        name for name in entries.Kind.__members__ if fits(name, (*head, kind.value, body, HASH))
    ]
    assert others == [kind.name]
    other = (kind + 1) % len(entries.Kind)
    assert not fits(kind.name, (*head, other, body, HASH))


def test_an_entry_fits_at_its_limits() -> None:
    largest = Shuffle(bytes(16_384), bytes(32_928)).values()
    clocked = (*offer()[:4], (0, 1_000_000), *offer()[5:])
    assert fits("content", (65_535, 1, HASH, entries.Kind.SHUFFLE, largest, HASH))
    assert fits("content", (0, 0, HASH, entries.Kind.OFFER, clocked, HASH))
    assert fits("entry", (bytes(MAX_ENTRY_BYTES), SIGNATURE))


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.kind.name)
def test_every_message_fits(message: line.Message) -> None:
    value = read(message.encode())
    assert fits("message", value)
    assert [name for name in line.Kind.__members__ if fits(name, value)] == [message.kind.name]
    assert not fits("message", (*value, 0))
    if len(value) > 1:
        assert not fits("message", value[:-1])


def test_claims_and_a_record_file_fit() -> None:
    for claim in claims():
        outer = read(claim.encode())
        assert fits("claim", outer)
        assert fits("claim-content", read(outer[0]))
    assert fits("record", read(write_record(whole_game(), [c.encode() for c in claims()])))
    assert fits("record", read(write_record(())))


def offer() -> tuple[Value, ...]:
    return body_of(entries.Kind.OFFER).values()


def with_offer(place: int, value: Value) -> Value:
    body = (*offer()[:place], value, *offer()[place + 1 :])
    return (0, 0, NO_ENTRY, 0, body, HASH)


def with_content(place: int, value: Value) -> Value:
    whole = content(Entry.decode(record()[3]))
    whole[place] = value
    return tuple(whole)


WRONG: Final[list[tuple[str, Value]]] = [
    ("entry", (b"content", SIGNATURE[1:])),
    ("entry", (b"content", SIGNATURE, b"")),
    ("entry", (b"content",)),
    ("entry", ("content", SIGNATURE)),
    ("entry", (bytes(MAX_ENTRY_BYTES + 1), SIGNATURE)),
    ("entry", b"content"),
    ("content", ()),
    ("content", with_content(0, 65_536)),
    ("content", with_content(0, -1)),
    ("content", with_content(1, 2)),
    ("content", with_content(1, True)),
    ("content", with_content(2, HASH[1:])),
    ("content", with_content(3, 13)),
    ("content", with_content(4, None)),
    ("content", with_content(5, HASH + b"\x00")),
    ("content", with_offer(0, b"whitby/1")),
    ("content", with_offer(1, "g" * 65)),
    ("content", with_offer(2, bytes(257))),
    ("content", with_offer(3, 2)),
    ("content", with_offer(4, (600,))),
    ("content", with_offer(4, (600, 1_000_001))),
    ("content", with_offer(6, "m" * 49)),
    ("content", with_offer(8, 2**40)),
    ("content", (3, 0, HASH, entries.Kind.SHUFFLE, (bytes(16_385), b""), HASH)),
    ("content", (3, 0, HASH, entries.Kind.ACT, (2**32,), HASH)),
    ("content", (3, 0, HASH, entries.Kind.RESIGN, (0,), HASH)),
    ("content", (3, 0, HASH, entries.Kind.REPLY, (2,), HASH)),
    ("claim", (b"content", SIGNATURE, None)),
    ("claim", (bytes(257), SIGNATURE)),
    ("claim-content", (HASH, 0, 14, HASH, 2, 600, 0)),
    ("claim-content", (HASH, 0, 65_537, HASH, 0, 600, 0)),
    ("claim-content", (HASH, 0, 14, HASH, 0, 600)),
    ("message", ()),
    ("message", (11,)),
    ("message", (1, HASH, 65_537, HASH)),
    ("message", (2, ())),
    ("message", (2, (b"",) * 257)),
    ("message", (2, ("entry",))),
    ("message", (2, b"entry")),
    ("message", (3, 3)),
    ("message", (4, "bad-proof", "e" * 501)),
    ("message", (5, 2**32)),
    ("message", (8, bytes(257))),
    ("record", ("whitby-record/2", (), ())),
    ("record", ("whitby-record/1", (b"", 3), ())),
    ("record", ("whitby-record/1", (), (b"",) * 17)),
    ("record", ("whitby-record/1", ())),
]


@pytest.mark.parametrize(("rule", "value"), WRONG)
def test_what_the_code_refuses_does_not_fit(rule: str, value: Value) -> None:
    assert not fits(rule, value)


@pytest.mark.parametrize(
    ("kinds", "pattern"),
    [
        (entries.Kind, r"^([A-Z]+) *= \[place, kind: (\d+)"),
        (line.Kind, r"^([A-Z]+) *= \[kind: (\d+)"),
    ],
    ids=["entries", "line"],
)
def test_the_schema_has_the_kinds_of_the_code(kinds: type[IntEnum], pattern: str) -> None:
    found = {name: int(number) for name, number in re.findall(pattern, SCHEMA, re.MULTILINE)}
    assert found == {kind.name: kind.value for kind in kinds}
