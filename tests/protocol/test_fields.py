"""Every field of every kind of entry, wrong in every way: refused, each by its own fault."""

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import codec
from protocol.codec import Value
from protocol.entries import (
    BODIES,
    MAX_ACTION,
    MAX_CLOCK,
    MAX_ENTRY_BYTES,
    MAX_OPTIONS_BYTES,
    MAX_TIME,
    Accept,
    Act,
    Answer,
    Body,
    Commit,
    Entry,
    Kind,
    Offer,
    Open,
    Reply,
    Shuffle,
    Unseal,
)
from protocol.errors import Fault, InvalidError, RemoteProtocolError
from tests.protocol.duel import SIZE
from tests.protocol.helpers import (
    IDENTITIES,
    STRANGER,
    body_of,
    changed_body,
    content,
    entries,
    go_on,
    places,
    raws,
    reader_at,
    record,
    refuse,
    sign,
    sign_content,
)

LAST = len(record())
PLACES = range(LAST)
ONE_OF_EACH = sorted({entry.kind: entry.number for entry in reversed(entries())}.values())


def named(place: int) -> str:
    return f"{place}-{entries()[place].kind.name}"


# --- the fields around the body ---------------------------------------------------------------


def flipped(data: bytes, at: int = 0) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def halves(raw: bytes) -> tuple[bytes, bytes]:
    """Content and signature."""
    value = codec.decode(raw, limit=MAX_ENTRY_BYTES)
    return codec.array(value, "entry", codec.blob(maximum=MAX_ENTRY_BYTES), codec.blob(64))


@pytest.mark.parametrize("place", PLACES, ids=named)
@pytest.mark.parametrize(
    ("field", "fault"),
    [
        ("previous", Fault.BROKEN_CHAIN),
        ("number", Fault.BROKEN_CHAIN),
        ("state", Fault.STATE_MISMATCH),
    ],
)
def test_a_signed_entry_with_a_wrong_field_is_evidence(
    place: int, field: str, fault: Fault
) -> None:
    entry, table = entries()[place], reader_at(place)
    value = getattr(entry, field)
    changes: dict[str, Any] = {field: value + 1 if field == "number" else flipped(value, 31)}
    refuse(table, sign(entry, **changes), fault)
    go_on(table, place)


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_our_own_side_as_the_author_is_a_reflection(place: int) -> None:
    table = reader_at(place)
    assert table.side is not None
    raw = sign(entries()[place], IDENTITIES[1 - table.side], author=table.side)
    refuse(table, raw, Fault.REFLECTION, evidence=())
    go_on(table, place)


@pytest.mark.parametrize("place", PLACES[1:], ids=named)
def test_our_own_entry_played_back_is_a_reflection(place: int) -> None:
    for own in entries()[max(0, place - 3) : place]:
        table = reader_at(place)
        if own.author == table.side:
            refuse(table, own.raw, Fault.REFLECTION, evidence=())


WRONG_CONTENT: list[tuple[str, int, Value, Fault]] = [
    ("number as text", 0, "0", Fault.MALFORMED),
    ("number as a boolean", 0, True, Fault.MALFORMED),
    ("number below zero", 0, -1, Fault.MALFORMED),
    ("number too large", 0, 1 << 20, Fault.MALFORMED),
    ("a third side", 1, 2, Fault.MALFORMED),
    ("no author", 1, None, Fault.MALFORMED),
    ("a short previous", 2, bytes(31), Fault.MALFORMED),
    ("a long previous", 2, bytes(33), Fault.MALFORMED),
    ("an unknown kind", 3, 13, Fault.UNEXPECTED),
    ("a kind too large", 3, 256, Fault.MALFORMED),
    ("a body that is no array", 4, b"", Fault.MALFORMED),
    ("no body", 4, None, Fault.MALFORMED),
    ("a body that is empty", 4, (), Fault.MALFORMED),
    ("a short state", 5, bytes(31), Fault.MALFORMED),
    ("a state as text", 5, "0" * 32, Fault.MALFORMED),
]


@pytest.mark.parametrize("place", ONE_OF_EACH, ids=named)
@pytest.mark.parametrize(
    ("at", "value", "fault"),
    [case[1:] for case in WRONG_CONTENT],
    ids=[c[0] for c in WRONG_CONTENT],
)
def test_content_of_another_shape(place: int, at: int, value: Value, fault: Fault) -> None:
    entry, table = entries()[place], reader_at(place)
    fields = content(entry)
    fields[at] = value
    raw = sign_content(tuple(fields), IDENTITIES[entry.author])
    refuse(table, raw, fault, evidence=())
    go_on(table, place)


@pytest.mark.parametrize("place", ONE_OF_EACH, ids=named)
def test_a_field_more_or_less_anywhere(place: int) -> None:
    entry = entries()[place]
    whole, signer = content(entry), IDENTITIES[entry.author]
    body = entry.body.values()
    inner = codec.encode(tuple(whole))
    for raw in [
        sign_content(tuple(whole[:5]), signer),
        sign_content((*whole, 0), signer),
        sign_content((*whole[:4], body[:-1], whole[5]), signer),
        sign_content((*whole[:4], (*body, 0), whole[5]), signer),
        codec.encode((inner,)),
        codec.encode((inner, entry.signature, 0)),
        codec.encode((inner, entry.signature[:63])),
        codec.encode((inner, entry.signature + b"\0")),
        codec.encode((tuple(whole), entry.signature)),
        codec.encode(inner),
    ]:
        refuse(reader_at(place), raw, Fault.MALFORMED, evidence=())


def test_bytes_too_long_too_deep_or_spelled_otherwise() -> None:
    raw = record()[0]
    inner, signature = halves(raw)
    long_name = content(entries()[0])
    cases = {
        Fault.TOO_LARGE: [
            raw + bytes(MAX_ENTRY_BYTES),
            b"\x91" * 100 + b"\xc0",
            codec.encode((b"\x91" * 20 + b"\xc0", signature)),
        ],
        Fault.NON_CANONICAL: [
            b"\xdc\x00\x02" + raw[1:],  # the array of two in three bytes
            codec.encode((b"\x96\xcc\x00" + inner[2:], signature)),  # number 0 in two bytes
        ],
        Fault.MALFORMED: [
            b"",
            raw[:-1],
            raw + b"\0",
            raw + raw,
            codec.encode((inner + b"\0", signature)),
            codec.encode((tuple(long_name), signature)),
        ],
    }
    for fault, wrong in cases.items():
        for data in wrong:
            refuse(reader_at(0), data, fault, evidence=())


# --- the fields of the bodies -----------------------------------------------------------------

EXACT = {  # fields of one length: bytes
    Offer: {"identity": 32, "nonce": 32},
    Accept: {"identity": 32, "nonce": 32, "key_share": 96},
    BODIES[Kind.KEY]: {"key_share": 96},
    Commit: {"commitment": 32},
    Answer: {"value": 32},
    Open: {"value": 32},
    BODIES[Kind.SHARE]: {"proof": 64},
    Unseal: {"secret": 32},
}
BEYOND: dict[type[Body], dict[str, Value]] = {  # the first value that is too much
    Offer: {
        "protocol": "é" * 16 + "x",
        "game": "g" * 65,
        "options": bytes(MAX_OPTIONS_BYTES + 1),
        "seat": 2,
        "clock": (MAX_CLOCK + 1, 0),
        "name": "é" * 24 + "x",
        "started": MAX_TIME + 1,
    },
    Accept: {"name": "n" * 49},
    Shuffle: {"cards": bytes(16_385), "proof": bytes(32_929)},
    BODIES[Kind.SHARE]: {"shares": bytes(8_193)},
    Act: {"action": MAX_ACTION + 1},
    Reply: {"agrees": 2},
}


def names(body: type[Body]) -> list[str]:
    return [field.name for field in fields(body)]  # type: ignore[arg-type]


def wrong_shapes() -> list[Any]:
    """(kind, place in the body, value): one case for each way a field can have no such value."""
    cases = []
    for body in BODIES.values():
        for at, name in enumerate(names(body)):
            is_text = name in ("protocol", "game", "name")
            values: list[Value] = [(), False, -1, b"text" if is_text else "bytes"]
            if length := EXACT.get(body, {}).get(name):
                values += [bytes(length - 1), bytes(length + 1), b""]
            if name in BEYOND.get(body, {}):
                values.append(BEYOND[body][name])
            if name not in ("seat", "clock"):
                values.append(None)
            cases += [
                pytest.param(body.kind, at, value, id=f"{body.__name__}.{name}-{n}")
                for n, value in enumerate(values)
            ]
    return cases


@pytest.mark.parametrize(("kind", "at", "value"), wrong_shapes())
def test_a_field_of_a_body_with_another_shape(kind: Kind, at: int, value: Value) -> None:
    whole, body = content(entries()[0]), list(body_of(kind).values())
    body[at] = value
    whole[3:5] = [kind, tuple(body)]
    with pytest.raises(InvalidError) as caught:
        Entry.decode(sign_content(tuple(whole), IDENTITIES[0]))
    assert caught.value.fault is Fault.MALFORMED


# Changing these is the author's right, as long as nothing has been built on the first version.
FREE = {
    ("OFFER", "seat"), ("OFFER", "clock"), ("OFFER", "name"), ("OFFER", "nonce"),
    ("OFFER", "started"), ("ACCEPT", "name"), ("COMMIT", "commitment"), ("ANSWER", "value"),
}  # fmt: skip
FAULTS = {
    ("OFFER", "identity"): Fault.BAD_SIGNATURE,
    ("ACCEPT", "identity"): Fault.BAD_SIGNATURE,
    ("ACCEPT", "nonce"): Fault.BAD_PROOF,  # another game id
    ("OPEN", "value"): Fault.BAD_OPENING,
    ("ACT", "action"): Fault.ILLEGAL_ACTION,
    ("UNSEAL", "secret"): Fault.BAD_OPENING,
}


def changed(value: Any, at: int = 0) -> Any:
    match value:
        case bytes():
            return flipped(value, at)
        case str():
            return value + "!"
        case int():
            return value + SIZE
    raise AssertionError(value)


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_a_changed_field_signed_anew(place: int) -> None:
    """One bit of every field of every body, under a signature that is right."""
    entry = entries()[place]
    for name in names(type(entry.body)):
        key = entry.kind.name, name
        value = getattr(entry.body, name)
        if key in FREE:
            others = {"seat": 1, "clock": (600, 5)}
            other = others[name] if name in others else changed(value)
            raw = sign(entry, body=changed_body(entry.body, **{name: other}))
            assert reader_at(place).receive(raw) is not None
            continue
        if key in (("OFFER", "protocol"), ("OFFER", "game"), ("OFFER", "options")):
            continue  # below: nobody's fault
        spots = range(0, len(value), 32) if isinstance(value, bytes) and len(value) > 64 else [0]
        for at in spots:
            raw = sign(entry, body=changed_body(entry.body, **{name: changed(value, at)}))
            table = reader_at(place)
            with pytest.raises(RemoteProtocolError) as caught:
                table.receive(raw)
            faults = {FAULTS.get(key, Fault.BAD_PROOF)}
            if key not in FAULTS:  # or it isn't even the encoding of a scalar or an element
                faults |= {Fault.BAD_ELEMENT, Fault.BAD_SCALAR}
            assert caught.value.fault in faults
            assert caught.value.side == entry.author
            unsigned = Fault.BAD_SIGNATURE in faults
            assert caught.value.evidence == (() if unsigned else (raw,))
            assert raws(table) == list(record()[:place])


ELEMENTS = [("ACCEPT", "key_share", 0), ("KEY", "key_share", 0), ("SHARE", "shares", 32)]
ELEMENTS += [("SHUFFLE", "cards", at) for at in (0, 32, 64 * SIZE - 32)]
ELEMENTS += [("SHUFFLE", "proof", 32 * at) for at in (5 + 2 * SIZE, 4 + 4 * SIZE)]
SCALARS = [("ACCEPT", "key_share", at) for at in (32, 64)]
SCALARS += [("SHARE", "proof", 0), ("SHARE", "proof", 32), ("UNSEAL", "secret", 0)]
SCALARS += [("SHUFFLE", "proof", 32 * at) for at in (0, 1, 4, 5, 4 + 2 * SIZE)]
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493


def put(entry: Entry, field: str, at: int, part: bytes) -> bytes:
    value = getattr(entry.body, field)
    value = value[:at] + part + value[at + 32 :]
    return sign(entry, body=changed_body(entry.body, **{field: value}))


@pytest.mark.parametrize(("kind", "field", "at"), ELEMENTS)
def test_no_element_is_the_identity_or_spelled_otherwise(kind: str, field: str, at: int) -> None:
    place = places(kind)[0]
    entry = entries()[place]
    honest = int.from_bytes(getattr(entry.body, field)[at : at + 32], "little")
    for number in (0, P, P - honest, honest | 1, 2**256 - 1):
        refuse(
            reader_at(place),
            put(entry, field, at, number.to_bytes(32, "little")),
            Fault.BAD_ELEMENT,
        )


TOP_BIT = 1 << 255


@pytest.mark.parametrize(("kind", "field", "at"), ELEMENTS)
def test_no_element_has_its_top_bit_set(kind: str, field: str, at: int) -> None:
    place = places(kind)[0]
    entry = entries()[place]
    honest = int.from_bytes(getattr(entry.body, field)[at : at + 32], "little")
    for number in (TOP_BIT, honest | TOP_BIT):  # the identity, and the honest element, once more
        raw = put(entry, field, at, number.to_bytes(32, "little"))
        refuse(reader_at(place), raw, Fault.BAD_ELEMENT)


@pytest.mark.parametrize(("kind", "field", "at"), SCALARS)
def test_no_scalar_is_spelled_otherwise(kind: str, field: str, at: int) -> None:
    place = places(kind)[0]
    entry = entries()[place]
    honest = int.from_bytes(getattr(entry.body, field)[at : at + 32], "little")
    for number in (honest + ORDER, ORDER, honest | TOP_BIT, 2**256 - 1):
        refuse(
            reader_at(place), put(entry, field, at, number.to_bytes(32, "little")), Fault.BAD_SCALAR
        )


@pytest.mark.parametrize("secret", [bytes(32), b"\1" + bytes(31)])
def test_another_secret_is_not_unsealed(secret: bytes) -> None:
    for place in places("UNSEAL"):
        raw = sign(entries()[place], body=Unseal(secret))
        refuse(reader_at(place), raw, Fault.BAD_OPENING)


def test_the_other_sides_secret_is_not_unsealed() -> None:
    one, other = (entries()[place] for place in places("UNSEAL"))
    refuse(reader_at(other.number), sign(other, body=one.body), Fault.BAD_OPENING)
    refuse(reader_at(one.number), sign(one, body=other.body), Fault.BAD_OPENING)


# --- signatures -------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_nobody_else_signs(place: int) -> None:
    entry = entries()[place]
    inner, _ = halves(entry.raw)
    s = int.from_bytes(entry.signature[32:], "little") + ORDER  # RFC 8032 wants s below the order
    for raw in [
        sign(entry, STRANGER),
        sign(entry, IDENTITIES[1 - entry.author]),
        codec.encode((inner, bytes(64))),
        codec.encode((inner, flipped(entry.signature))),
        codec.encode((inner, flipped(entry.signature, 63))),
        codec.encode((inner, entry.signature[:32] + s.to_bytes(32, "little"))),
    ]:
        table = reader_at(place)
        refuse(table, raw, Fault.BAD_SIGNATURE, evidence=())
        go_on(table, place)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_bit_of_an_entry_can_be_changed_on_the_way(data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(PLACES))
    raw = record()[place]
    bit = data.draw(st.integers(0, 8 * len(raw) - 1))
    altered = bytearray(raw)
    altered[bit // 8] ^= 1 << bit % 8
    table = reader_at(place)
    with pytest.raises(RemoteProtocolError) as caught:
        table.receive(bytes(altered))
    assert caught.value.side == 1 - table.side  # type: ignore[operator]
    assert bytes(altered) not in caught.value.evidence
    go_on(table, place)
