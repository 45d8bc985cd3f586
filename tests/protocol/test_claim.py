"""A claim: one side's word about the other's time, spelled one way, about one game."""

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import codec
from protocol.claim import MAX_CLAIM_BYTES, Claim, Ground
from protocol.codec import Value
from protocol.entries import MAX_ENTRIES, MAX_TIME
from protocol.errors import Fault, InvalidError
from protocol.group import ORDER
from protocol.script import GUEST, HOST
from protocol.transcript import Label, Transcript
from tests.protocol.helpers import IDENTITIES, STRANGER

GAME_ID, HEAD = b"\x07" * 32, b"\x08" * 32
CONTENT: list[Value] = [GAME_ID, HOST, 14, HEAD, Ground.TIME, 600, 1_700_000_900]


def claim(side: int = HOST, **changes: Any) -> Claim:
    given: dict[str, Any] = {"game_id": GAME_ID, "count": 14, "head": HEAD, "ground": Ground.TIME}
    given |= {"seconds": 600, "made": 1_700_000_900} | changes
    return Claim.sign(side=side, identity=IDENTITIES[side], **given)


hashes = st.binary(min_size=32, max_size=32)
times = st.integers(0, MAX_TIME)
claims = st.builds(
    claim,
    st.sampled_from([HOST, GUEST]),
    game_id=hashes,
    count=st.integers(0, MAX_ENTRIES),
    head=hashes,
    ground=st.sampled_from(Ground),
    seconds=times,
    made=times,
)


@given(claims)
def test_what_was_signed_is_read_back(made: Claim) -> None:
    again = Claim.decode(made.encode())
    assert again == made
    assert type(again.ground) is Ground
    assert again.encode() == made.encode()
    again.check_signature(IDENTITIES[made.side].public)


def test_the_numbers_that_travel() -> None:
    assert {ground.name: ground.value for ground in Ground} == {"TIME": 0, "ABSENCE": 1}


def test_the_bytes_are_those_of_the_specification() -> None:
    made = claim(GUEST, count=5, seconds=300, made=2)
    content = b"\x97\xc4\x20" + GAME_ID + b"\x01\x05\xc4\x20" + HEAD + b"\x00\xcd\x01\x2c\x02"
    signature = IDENTITIES[GUEST].sign(Transcript(Label.CLAIM).append(content).digest())
    assert made.encode() == b"\x92\xc4" + bytes([len(content)]) + content + b"\xc4\x40" + signature


def test_the_longest_claim_fits() -> None:
    longest = claim(count=MAX_ENTRIES, seconds=MAX_TIME, made=MAX_TIME)
    assert len(longest.encode()) <= MAX_CLAIM_BYTES


# --- whose word it is -------------------------------------------------------------------------


def refused(made: Claim, public: bytes) -> None:
    with pytest.raises(InvalidError) as caught:
        made.check_signature(public)
    assert caught.value.fault is Fault.BAD_SIGNATURE


def test_it_is_its_authors_word_and_nobody_elses() -> None:
    for other in (IDENTITIES[GUEST], STRANGER):
        refused(claim(HOST), other.public)
    refused(replace(claim(), signature=bytes(64)), IDENTITIES[HOST].public)
    refused(claim(), b"\1" + bytes(31))


OTHERS: dict[str, Any] = {
    "game_id": b"\x09" * 32,
    "side": GUEST,
    "count": 15,
    "head": b"\x09" * 32,
    "ground": Ground.ABSENCE,
    "seconds": 601,
    "made": 1_700_000_901,
}


@pytest.mark.parametrize("field", OTHERS)
def test_the_signature_covers_every_field(field: str) -> None:
    """So a claim about one game is none about another."""
    assert {*OTHERS, "signature"} == {field.name for field in fields(Claim)}
    refused(replace(claim(), **{field: OTHERS[field]}), IDENTITIES[HOST].public)


def test_a_signature_has_one_spelling() -> None:
    made = claim()
    s = int.from_bytes(made.signature[32:], "little") + ORDER
    refused(
        replace(made, signature=made.signature[:32] + s.to_bytes(32, "little")),
        IDENTITIES[HOST].public,
    )


# --- what is no claim -------------------------------------------------------------------------


def with_content(content: bytes) -> bytes:
    """Any content whatsoever, rightly signed."""
    digest = Transcript(Label.CLAIM).append(content).digest()
    return codec.encode((content, IDENTITIES[HOST].sign(digest)))


def unread(data: bytes, fault: Fault) -> None:
    with pytest.raises(InvalidError) as caught:
        Claim.decode(data)
    assert caught.value.fault is fault


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *[(0, bytes(31)), (0, bytes(33)), (0, None)],
        *[(1, 2), (1, -1), (1, True)],
        *[(2, MAX_ENTRIES + 1), (2, -1)],
        *[(3, bytes(31)), (3, "x" * 32)],
        *[(4, 2), (4, False), (4, None)],
        *[(5, MAX_TIME + 1), (5, -1), (6, MAX_TIME + 1), (6, -1)],
    ],
)
def test_every_field_has_its_bounds(place: int, value: Value) -> None:
    assert Claim.decode(with_content(codec.encode(tuple(CONTENT)))) == claim()
    wrong = [*CONTENT[:place], value, *CONTENT[place + 1 :]]
    unread(with_content(codec.encode(tuple(wrong))), Fault.MALFORMED)


def test_other_shapes() -> None:
    made = claim().encode()
    content = codec.encode(tuple(CONTENT))
    for wrong in (tuple(CONTENT[:-1]), (*CONTENT, 0), None, ()):
        unread(with_content(codec.encode(wrong)), Fault.MALFORMED)
    for data in (b"", made[:-1], made + b"\0", codec.encode(7), codec.encode((content,))):
        unread(data, Fault.MALFORMED)
    unread(codec.encode((content, bytes(63))), Fault.MALFORMED)
    unread(made + bytes(MAX_CLAIM_BYTES), Fault.TOO_LARGE)


def test_no_second_spelling() -> None:
    made, content = claim().encode(), codec.encode(tuple(CONTENT))
    unread(made.replace(b"\xc4", b"\xc5\0", 1), Fault.NON_CANONICAL)
    longer = content.replace(b"\x00\x0e\xc4", b"\x00\xcc\x0e\xc4", 1)  # 14 in two bytes
    assert longer != content
    unread(with_content(longer), Fault.NON_CANONICAL)


@given(claims, st.data())
def test_whatever_is_read_is_spelled_by_these_very_bytes(made: Claim, data: st.DataObject) -> None:
    altered = bytearray(made.encode())
    altered[data.draw(st.integers(0, len(altered) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        again = Claim.decode(bytes(altered))
    except InvalidError:
        return
    assert again.encode() == bytes(altered)
    refused(again, IDENTITIES[made.side].public)
