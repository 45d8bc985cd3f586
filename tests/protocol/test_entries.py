"""How entries look: one encoding each, signed as a whole, and nothing read that isn't one."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol import codec
from protocol.entries import (
    BODIES,
    HASH_BYTES,
    MAX_ACTION,
    MAX_CLOCK,
    MAX_ENTRIES,
    MAX_ENTRY_BYTES,
    MAX_TIME,
    NO_ENTRY,
    Accept,
    Act,
    Answer,
    Body,
    Commit,
    Entry,
    Key,
    Kind,
    Offer,
    Open,
    Propose,
    Reply,
    Resign,
    Share,
    Shuffle,
    Unseal,
    game_id,
    state_hash,
)
from protocol.errors import Fault, InvalidError
from protocol.line import MAX_MESSAGE_BYTES, Entries
from protocol.transcript import Label, Transcript
from tests.protocol.helpers import IDENTITIES, STRANGER, content, entries, record, sign_content

Bodies = st.SearchStrategy[Body]


def blob(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


def text(size: int) -> st.SearchStrategy[str]:
    return st.text(max_size=size // 4)  # a character takes four bytes at most


BODY: dict[Kind, Bodies] = {
    Kind.OFFER: st.builds(
        Offer,
        text(32),
        text(64),
        st.binary(max_size=256),
        st.sampled_from([None, 0, 1]),
        st.none() | st.tuples(st.integers(0, MAX_CLOCK), st.integers(0, MAX_CLOCK)),
        blob(32),
        text(48),
        blob(32),
        st.integers(0, MAX_TIME),
    ),
    Kind.ACCEPT: st.builds(Accept, blob(32), text(48), blob(32), blob(96)),
    Kind.KEY: st.builds(Key, blob(96)),
    Kind.COMMIT: st.builds(Commit, blob(32)),
    Kind.ANSWER: st.builds(Answer, blob(32)),
    Kind.OPEN: st.builds(Open, blob(32)),
    Kind.SHUFFLE: st.builds(Shuffle, st.binary(max_size=700), st.binary(max_size=700)),
    Kind.SHARE: st.builds(Share, st.binary(max_size=400), blob(64)),
    Kind.ACT: st.builds(Act, st.integers(0, MAX_ACTION)),
    Kind.RESIGN: st.just(Resign()),
    Kind.UNSEAL: st.builds(Unseal, blob(32)),
    Kind.PROPOSE: st.just(Propose()),
    Kind.REPLY: st.builds(Reply, st.integers(0, 1)),
}


def signed(
    body: Body,
    number: int = 7,
    author: int = 1,
    previous: bytes = NO_ENTRY,
    state: bytes = NO_ENTRY,
) -> Entry:
    return Entry.sign(number, author, previous, body, state, IDENTITIES[author])


ANY = st.builds(
    signed,
    st.one_of(*BODY.values()),
    st.integers(0, MAX_ENTRIES - 1),
    st.sampled_from([0, 1]),
    blob(32),
    blob(32),
)


def test_the_numbers_that_travel() -> None:
    assert {kind.name: kind.value for kind in Kind} == {
        "OFFER": 0,
        "ACCEPT": 1,
        "KEY": 2,
        "COMMIT": 3,
        "ANSWER": 4,
        "OPEN": 5,
        "SHUFFLE": 6,
        "SHARE": 7,
        "ACT": 8,
        "RESIGN": 9,
        "UNSEAL": 10,
        "PROPOSE": 11,
        "REPLY": 12,
    }
    assert {kind: body.kind for kind, body in BODIES.items()} == {kind: kind for kind in Kind}
    assert set(BODY) == set(Kind)


@given(ANY)
def test_what_was_signed_is_read_back(entry: Entry) -> None:
    again = Entry.decode(entry.raw)
    assert again == entry
    assert again.head == entry.head
    again.check_signature(IDENTITIES[entry.author].public)
    with pytest.raises(InvalidError) as caught:
        again.check_signature(STRANGER.public)
    assert caught.value.fault is Fault.BAD_SIGNATURE


def test_the_bytes_are_those_of_the_specification() -> None:
    entry = signed(Act(3), number=5, author=1, previous=b"\1" * 32, state=b"\2" * 32)
    content = b"\x96\x05\x01\xc4\x20" + b"\1" * 32 + b"\x08\x91\x03\xc4\x20" + b"\2" * 32
    signature = b"\xc4\x40" + entry.signature
    assert entry.raw == b"\x92\xc4" + bytes([len(content)]) + content + signature
    assert entry.head == Transcript(Label.ENTRY).append(content).digest()
    assert len(entry.head) == HASH_BYTES


@given(ANY, st.data())
def test_the_head_covers_all_that_is_signed(entry: Entry, data: st.DataObject) -> None:
    other = data.draw(ANY)
    fields = ("number", "author", "previous", "body", "state")
    same = all(getattr(entry, name) == getattr(other, name) for name in fields)
    assert (entry.head == other.head) == same


@pytest.mark.parametrize(
    "change",
    [{"number": 8}, {"author": 0}, {"previous": b"\1" * 32}, {"state": b"\1" * 32}],
    ids=["number", "author", "previous", "state"],
)
def test_the_signature_covers_every_field(change: dict[str, Any]) -> None:
    entry, other = signed(Act(1)), signed(Act(1), **change)
    forged = codec.encode((codec.encode(tuple(content(other))), entry.signature))
    with pytest.raises(InvalidError):
        Entry.decode(forged).check_signature(IDENTITIES[1].public)


@given(st.binary(max_size=300))
@example(record()[0][:-1])
@example(b"")
def test_random_bytes_are_no_entry(data: bytes) -> None:
    with pytest.raises(InvalidError):
        Entry.decode(data)


@given(ANY, st.data())
def test_whatever_is_read_has_no_other_spelling(entry: Entry, data: st.DataObject) -> None:
    """Any change of one byte is refused, or read as something that these very bytes spell."""
    altered = bytearray(entry.raw)
    altered[data.draw(st.integers(0, len(altered) - 1))] = data.draw(st.integers(0, 255))
    try:
        again = Entry.decode(bytes(altered))
    except InvalidError:
        return
    inner = codec.encode(tuple(content(again)))
    assert codec.encode((inner, again.signature)) == again.raw == bytes(altered)


@given(ANY, st.integers(13, 255))
def test_unknown_kinds(entry: Entry, kind: int) -> None:
    fields = content(entry)
    fields[3] = kind
    with pytest.raises(InvalidError) as caught:
        Entry.decode(sign_content(tuple(fields), IDENTITIES[0]))
    assert caught.value.fault is Fault.UNEXPECTED


def test_the_longest_entry_fits_in_one_message() -> None:
    """A shuffle of 256 cards: 64 bytes a card, (4 * 256 + 5) * 32 of proof."""
    largest = signed(Shuffle(bytes(256 * 64), bytes((4 * 256 + 5) * 32)), number=MAX_ENTRIES - 1)
    assert Entry.decode(largest.raw) == largest
    assert len(largest.raw) <= MAX_ENTRY_BYTES
    assert len(Entries((largest.raw,)).encode()) <= MAX_MESSAGE_BYTES
    with pytest.raises(InvalidError) as caught:
        Entry.decode(largest.raw + bytes(MAX_ENTRY_BYTES))
    assert caught.value.fault is Fault.TOO_LARGE


def test_names_are_measured_in_bytes() -> None:
    offer = entries()[0].body
    assert isinstance(offer, Offer)
    longest = signed(Accept(bytes(32), "é" * 24, bytes(32), bytes(96)))
    assert Entry.decode(longest.raw) == longest
    with pytest.raises(InvalidError) as caught:
        Entry.decode(signed(Accept(bytes(32), "é" * 25, bytes(32), bytes(96))).raw)
    assert caught.value.fault is Fault.MALFORMED


def test_a_game_is_named_by_everything_that_makes_it() -> None:
    parts = (b"\1" * 32, b"\2" * 32, b"\3" * 32)
    ids = {game_id(*parts)}
    for at in range(3):
        changed = list(parts)
        changed[at] = bytes(32)
        ids.add(game_id(*changed))
    ids.add(game_id(parts[1], parts[0], parts[2]))
    assert len(ids) == 5
    assert {len(name) for name in ids} == {32}


@given(st.binary(max_size=50), st.binary(max_size=50))
def test_a_state_is_known_by_its_hash(one: bytes, other: bytes) -> None:
    assert (state_hash(one) == state_hash(other)) == (one == other)
    assert len(state_hash(one)) == HASH_BYTES
