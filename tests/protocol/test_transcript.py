"""Transcripts: framing, separation, and what a context binds."""

import hashlib
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.group import Scalar
from protocol.transcript import PROTOCOL, Context, Label, Transcript, domain, number
from tests.protocol.scene import ELSEWHERE, HERE


def test_the_bytes_that_are_hashed() -> None:
    data = b"\0\0\0\x08whitby/1" + b"\0\0\0\x05entry" + b"\0\0\0\x03abc" + b"\0\0\0\0"
    transcript = Transcript(Label.ENTRY).append(b"abc", b"")
    whole = hashlib.sha512(data).digest()
    assert transcript.digest() == whole[:32]
    assert transcript.scalar() == Scalar.from_uniform(whole)
    blocks = [hashlib.sha512(data + b"\0\0\0\x08" + number(i)).digest() for i in range(3)]
    draw = transcript.stream()
    assert draw(1) + draw(99) + draw(0) + draw(92) == b"".join(blocks)


@given(st.lists(st.binary(max_size=6), max_size=4), st.lists(st.binary(max_size=6), max_size=4))
def test_different_parts_never_hash_alike(one: list[bytes], other: list[bytes]) -> None:
    digests = [Transcript("test").append(*parts).digest() for parts in (one, other)]
    assert (digests[0] == digests[1]) == (one == other)


def test_parts_may_come_one_by_one() -> None:
    whole = Transcript("test").append(b"a", b"b")
    assert Transcript("test").append(b"a").append(b"b").digest() == whole.digest()


def test_copies_and_streams_leave_the_transcript_alone() -> None:
    transcript = Transcript("test")
    before = transcript.digest()
    transcript.copy().append(b"more")
    transcript.stream()(100)
    assert transcript.digest() == before
    stream = transcript.stream()
    transcript.append(b"later")
    assert stream(64) == Transcript("test").stream()(64)


def test_labels_are_distinct_and_so_are_their_domains() -> None:
    assert len({label.value for label in Label}) == len(list(Label)) == len(Label.__members__)
    digests = {Transcript(label).digest() for label in Label}
    tags = {domain(label) for label in Label}
    assert len(digests) == len(tags) == len(list(Label))
    assert all(tag.startswith(PROTOCOL) for tag in tags)
    assert all(len(tag) >= 16 for tag in tags)  # RFC 9380 section 3.1
    assert domain(Label.CARD) == b"whitby/1-ristretto255-card"


def test_a_context_binds_each_of_its_parts() -> None:
    contexts = [HERE, *ELSEWHERE.values()]
    digests = [context.transcript(Label.SHARE).digest() for context in contexts]
    assert all(one != other for one, other in combinations(digests, 2))
    assert HERE.transcript(Label.SHARE).digest() != HERE.transcript(Label.KEY).digest()


def test_the_parts_of_a_context() -> None:
    expected = Transcript(Label.COIN).append(
        HERE.game_id, *HERE.identities, number(0), number(1), HERE.head
    )
    assert HERE.transcript(Label.COIN).digest() == expected.digest()


@pytest.mark.parametrize(
    ("game_id", "host", "guest", "side", "deck", "head"),
    [
        (31, 32, 32, 0, 0, 32),
        (32, 33, 32, 0, 0, 32),
        (32, 32, 0, 0, 0, 32),
        (32, 32, 32, 2, 0, 32),
        (32, 32, 32, -1, 0, 32),
        (32, 32, 32, 0, -2, 32),
        (32, 32, 32, 0, 0, 64),
    ],
)
def test_impossible_contexts(
    game_id: int, host: int, guest: int, side: int, deck: int, head: int
) -> None:
    with pytest.raises(ValueError, match=r"32 bytes|side"):
        Context(bytes(game_id), (bytes(host), bytes(guest)), side, deck, bytes(head))


def test_transcripts_are_silent() -> None:
    assert repr(Transcript("test").append(b"secret")) == "Transcript(<state omitted>)"
