"""What travels beside the entries: read back as it was, held to its limits, bound to its line."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol import codec
from protocol.claim import MAX_CLAIM_BYTES
from protocol.entries import MAX_ENTRIES, MAX_ENTRY_BYTES
from protocol.errors import Fault, IncompatibleError, InvalidError
from protocol.line import (
    MAX_CHAT_BYTES,
    MAX_DETAIL_BYTES,
    MAX_MESSAGE_BYTES,
    MESSAGES,
    Again,
    Bye,
    Chat,
    Claimed,
    Clock,
    Entries,
    Hello,
    Kind,
    Message,
    Ping,
    Pong,
    Reason,
    Refusal,
    Sync,
    decode,
    in_messages,
)
from protocol.noise import MAX_PLAINTEXT
from protocol.script import GUEST, HOST
from protocol.transcript import PROLOGUE, PROTOCOL
from tests.protocol.helpers import IDENTITIES, record

LINE = b"\x5a" * 32


def text(size: int) -> st.SearchStrategy[str]:
    return st.text(max_size=size // 4)  # a character takes four bytes at most


tokens = st.integers(0, 2**32 - 1)
messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(
        Hello, text(32), st.binary(min_size=32, max_size=32), st.binary(min_size=64, max_size=64)
    ),
    st.builds(
        Sync,
        st.none() | st.binary(min_size=32, max_size=32),
        st.integers(0, MAX_ENTRIES),
        st.binary(min_size=32, max_size=32),
    ),
    st.builds(Entries, st.lists(st.binary(max_size=300), min_size=1, max_size=5).map(tuple)),
    st.builds(Bye, st.sampled_from(Reason).map(int)),
    st.builds(Refusal, text(32), text(100)),
    st.builds(Ping, tokens),
    st.builds(Pong, tokens),
    st.builds(Clock, st.integers(0, 2**40 - 1)),
    st.builds(Claimed, st.binary(max_size=MAX_CLAIM_BYTES)),
    st.just(Again()),
    st.builds(Chat, text(MAX_CHAT_BYTES)),
)


def test_the_numbers_that_travel() -> None:
    assert [kind.name for kind in sorted(Kind)] == [
        *("HELLO", "SYNC", "ENTRIES", "BYE", "REFUSAL", "PING", "PONG", "CLOCK", "CLAIM", "AGAIN"),
        "CHAT",
    ]
    assert sorted(Kind) == list(range(11))
    assert {kind: message.kind for kind, message in MESSAGES.items()} == {k: k for k in Kind}
    assert [(reason.name, reason.value) for reason in Reason] == [
        ("DONE", 0),
        ("LEFT", 1),
        ("DECLINED", 2),
    ]


def test_the_bytes_are_those_of_the_specification() -> None:
    assert Ping(300).encode() == b"\x92\x05\xcd\x01\x2c"
    assert Pong(0).encode() == b"\x92\x06\x00"
    assert Bye(Reason.LEFT).encode() == b"\x92\x03\x01"
    head = b"\xc4\x20" + b"\1" * 32
    assert Sync(None, 3, b"\1" * 32).encode() == b"\x94\x01\xc0\x03" + head
    assert Sync(b"\1" * 32, 0, b"\1" * 32).encode() == b"\x94\x01" + head + b"\x00" + head
    assert Refusal("bad-proof", "no").encode() == b"\x93\x04\xa9bad-proof\xa2no"
    assert Entries((b"a", b"bc")).encode() == b"\x92\x02\x92\xc4\x01a\xc4\x02bc"


@given(messages)
def test_what_was_written_is_read_back(message: Message) -> None:
    again = decode(message.encode())
    assert again == message
    assert type(again) is type(message)
    assert again.encode() == message.encode()


@given(st.binary(max_size=200))
@example(b"")
@example(b"\x90")
@example(b"\x91\xc0")
@example(b"\x92\xc3\x00")
@example(b"\xc0")
def test_random_bytes_are_a_message_or_none(data: bytes) -> None:
    try:
        message = decode(data)
    except InvalidError:
        return
    assert message.encode() == data


@given(messages, st.data())
def test_whatever_is_read_has_no_other_spelling(message: Message, data: st.DataObject) -> None:
    altered = bytearray(message.encode())
    altered[data.draw(st.integers(0, len(altered) - 1))] = data.draw(st.integers(0, 255))
    try:
        again = decode(bytes(altered))
    except InvalidError:
        return
    assert again.encode() == bytes(altered)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ((11,), Fault.UNEXPECTED),
        ((-1,), Fault.UNEXPECTED),
        ((True, 0), Fault.MALFORMED),
        (("5", 0), Fault.MALFORMED),
        ((), Fault.MALFORMED),
        (5, Fault.MALFORMED),
        (None, Fault.MALFORMED),
        ((Kind.HELLO, "whitby/1", bytes(31), bytes(64)), Fault.MALFORMED),
        ((Kind.HELLO, "whitby/1", bytes(32), bytes(65)), Fault.MALFORMED),
        ((Kind.HELLO, "w" * 33, bytes(32), bytes(64)), Fault.MALFORMED),
        ((Kind.SYNC, None, MAX_ENTRIES + 1, bytes(32)), Fault.MALFORMED),
        ((Kind.SYNC, None, 0, bytes(33)), Fault.MALFORMED),
        ((Kind.SYNC, b"", 0, bytes(32)), Fault.MALFORMED),
        ((Kind.SYNC, bytes(33), 0, bytes(32)), Fault.MALFORMED),
        ((Kind.SYNC, 0, bytes(32)), Fault.MALFORMED),
        ((Kind.ENTRIES, ()), Fault.MALFORMED),
        ((Kind.ENTRIES, (b"",) * 257), Fault.MALFORMED),
        ((Kind.ENTRIES, (bytes(MAX_ENTRY_BYTES + 1),)), Fault.MALFORMED),
        ((Kind.ENTRIES, b"raw"), Fault.MALFORMED),
        ((Kind.BYE, max(Reason) + 1), Fault.MALFORMED),
        ((Kind.REFUSAL, "x" * 33, ""), Fault.MALFORMED),
        ((Kind.REFUSAL, "bad-proof", "x" * (MAX_DETAIL_BYTES + 1)), Fault.MALFORMED),
        ((Kind.PING, 2**32), Fault.MALFORMED),
        ((Kind.PING, -1), Fault.MALFORMED),
        ((Kind.PONG, 0, 0), Fault.MALFORMED),
        ((Kind.PONG,), Fault.MALFORMED),
        ((Kind.CLOCK, 2**40), Fault.MALFORMED),
        ((Kind.CLAIM, bytes(MAX_CLAIM_BYTES + 1)), Fault.MALFORMED),
        ((Kind.AGAIN, 0), Fault.MALFORMED),
        ((Kind.CHAT, "x" * (MAX_CHAT_BYTES + 1)), Fault.MALFORMED),
        ((Kind.CHAT, b"x"), Fault.MALFORMED),
    ],
    ids=str,
)
def test_what_is_no_message(value: codec.Value, fault: Fault) -> None:
    with pytest.raises(InvalidError) as caught:
        decode(codec.encode(value))
    assert caught.value.fault is fault


def test_too_long_or_spelled_otherwise() -> None:
    with pytest.raises(InvalidError) as caught:
        decode(bytes(MAX_MESSAGE_BYTES + 1))
    assert caught.value.fault is Fault.TOO_LARGE
    with pytest.raises(InvalidError) as caught:
        decode(b"\x92\x05\xcc\x07")
    assert caught.value.fault is Fault.NON_CANONICAL


def test_the_longest_message_fits_one_sealed_message() -> None:
    assert MAX_MESSAGE_BYTES == MAX_PLAINTEXT


# --- hello ------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [HOST, GUEST])
def test_a_hello_holds_for_its_side_of_its_line(side: int) -> None:
    hello = Hello.sign(IDENTITIES[side], side, LINE)
    assert hello.identity == IDENTITIES[side].public
    hello.check(side, LINE)
    again = decode(hello.encode())
    assert isinstance(again, Hello)
    again.check(side, LINE)


@pytest.mark.parametrize("side", [HOST, GUEST])
def test_a_hello_played_back_moved_or_altered_is_refused(side: int) -> None:
    hello = Hello.sign(IDENTITIES[side], side, LINE)
    other = IDENTITIES[1 - side].public
    for wrong, at, line in [
        (hello, 1 - side, LINE),
        (hello, side, bytes(32)),
        (hello, side, LINE[:31] + b"\0"),
        (Hello(hello.protocol, other, hello.signature), side, LINE),
        (Hello(hello.protocol, hello.identity, bytes(64)), side, LINE),
        (Hello(hello.protocol, bytes(32), hello.signature), side, LINE),
        (Hello(hello.protocol, b"\xff" * 32, hello.signature), side, LINE),
    ]:
        with pytest.raises(InvalidError) as caught:
            wrong.check(at, line)
        assert caught.value.fault is Fault.BAD_SIGNATURE


def test_another_version_is_nobodys_fault() -> None:
    hello = Hello.sign(IDENTITIES[HOST], HOST, LINE)
    with pytest.raises(IncompatibleError, match="the other side speaks 'whitby/2', we speak"):
        Hello("whitby/2", hello.identity, hello.signature).check(HOST, LINE)


def test_two_versions_meet_on_the_line_and_say_so_there() -> None:
    """The handshake has no version in it, so that people read words and no broken seal."""
    assert (PROLOGUE, PROTOCOL) == (b"whitby", b"whitby/1")


# --- entries in messages ----------------------------------------------------------------------


@settings(max_examples=40)
@given(
    st.lists(
        st.one_of(st.integers(0, 300), st.sampled_from([6_553, 30_000, 32_700, MAX_ENTRY_BYTES])),
        max_size=40,
    )
)
def test_entries_are_packed_in_order_and_every_message_can_be_read(sizes: list[int]) -> None:
    raws = [bytes([at % 256]) * size for at, size in enumerate(sizes)]
    packed = in_messages(raws)
    assert [raw for message in packed for raw in message.raws] == raws
    for message in packed:
        assert decode(message.encode()) == message
    for one, following in pairwise(packed):  # none could have been fuller
        whole = Entries((*one.raws, following.raws[0]))
        assert len(whole.encode()) > MAX_MESSAGE_BYTES - 64


def test_many_small_entries_take_more_than_one_message() -> None:
    assert [len(message.raws) for message in in_messages([b""] * 600)] == [256, 256, 88]
    assert in_messages([]) == []
    assert in_messages(list(record())) == [Entries(record())]
