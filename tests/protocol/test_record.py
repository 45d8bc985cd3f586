"""A record as a file: read back as it was, refused if it is none, checked with nobody's help."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol import codec
from protocol.claim import MAX_CLAIM_BYTES
from protocol.entries import MAX_ENTRIES, MAX_ENTRY_BYTES
from protocol.errors import (
    Fault,
    IncompatibleError,
    InvalidError,
    ProtocolError,
    RemoteProtocolError,
)
from protocol.record import (
    FORMAT,
    MAX_RECORD_BYTES,
    MAX_RECORD_CLAIMS,
    Record,
    read_record,
    write_record,
)
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn
from tests.protocol.duel import GAMES
from tests.protocol.helpers import (
    IDENTITIES,
    IDENTITY_SEEDS,
    SEATS,
    entries,
    places,
    record,
    secret,
    seed,
    sign,
    table_at,
)

blobs = st.lists(st.binary(max_size=100), max_size=16)


@given(blobs, blobs)
def test_what_was_written_is_read_back(raws: list[bytes], claims: list[bytes]) -> None:
    data = write_record(raws, claims)
    assert read_record(data) == Record(tuple(raws), tuple(claims))
    assert written(read_record(data)) == data


def written(contents: Record) -> bytes:
    return write_record(contents.entries, contents.claims)


def test_the_bytes_are_those_of_the_specification() -> None:
    head = b"\x93\xafwhitby-record/1\x92\xc4\x01a\xc4\x02bc"
    assert write_record([b"a", b"bc"]) == head + b"\x90"
    assert write_record([b"a", b"bc"], [b"d"]) == head + b"\x91\xc4\x01d"


@pytest.mark.parametrize("seat", SEATS)
def test_a_file_is_all_it_takes_to_verify_a_game(seat: int | None) -> None:
    raws = read_record(write_record(record(seat))).entries
    witness = Table.replay(raws, GAMES)
    assert witness.turn is Turn.DONE
    assert witness.identities == (IDENTITIES[HOST].public, IDENTITIES[GUEST].public)


@given(st.binary(max_size=200))
@example(b"")
@example(write_record(record())[:-1])
def test_random_bytes_are_a_record_or_none(data: bytes) -> None:
    try:
        contents = read_record(data)
    except (InvalidError, IncompatibleError):
        return
    assert written(contents) == data


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, Fault.MALFORMED),
        ((), Fault.MALFORMED),
        (FORMAT, Fault.MALFORMED),
        ((FORMAT,), Fault.MALFORMED),
        ((FORMAT, ()), Fault.MALFORMED),
        ((FORMAT, (), (), ()), Fault.MALFORMED),
        ((FORMAT, b"raw", ()), Fault.MALFORMED),
        ((FORMAT, ("text",), ()), Fault.MALFORMED),
        ((FORMAT, ((b"raw",),), ()), Fault.MALFORMED),
        ((FORMAT, (), ("text",)), Fault.MALFORMED),
        ((FORMAT.encode(), (), ()), Fault.MALFORMED),
        ((FORMAT, (bytes(MAX_ENTRY_BYTES + 1),), ()), Fault.MALFORMED),
        ((FORMAT, (), (bytes(MAX_CLAIM_BYTES + 1),)), Fault.MALFORMED),
        ((FORMAT, (b"",) * (MAX_ENTRIES + 1), ()), Fault.MALFORMED),
        ((FORMAT, (), (b"",) * (MAX_RECORD_CLAIMS + 1)), Fault.MALFORMED),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_record(value: codec.Value, fault: Fault) -> None:
    with pytest.raises(InvalidError) as caught:
        read_record(codec.encode(value))
    assert caught.value.fault is fault


def test_too_long_or_with_something_after_it() -> None:
    with pytest.raises(InvalidError) as caught:
        read_record(bytes(MAX_RECORD_BYTES + 1))
    assert caught.value.fault is Fault.TOO_LARGE
    with pytest.raises(InvalidError) as caught:
        read_record(write_record(record()) + b"\0")
    assert caught.value.fault is Fault.MALFORMED


def test_another_format_is_nobodys_fault() -> None:
    for value in (("whitby-record/2", ()), ("whitby-record/2", 1, 2, 3), ("x" * 1000,)):
        with pytest.raises(IncompatibleError):
            read_record(codec.encode(value))


# --- a record that was tampered with ----------------------------------------------------------


@pytest.mark.parametrize("place", range(len(record())))
def test_an_entry_that_is_missing_doubled_or_moved(place: int) -> None:
    whole = list(record())
    raw = whole.pop(place)
    for changed in (whole, [*whole[:place], raw, raw, *whole[place:]], [*whole, raw]):
        if changed == list(record()) or (place == len(whole) and changed == whole):
            continue  # at the end, nothing shows that something is missing
        with pytest.raises(RemoteProtocolError) as caught:
            Table.replay(changed, GAMES)
        assert caught.value.fault in (Fault.BROKEN_CHAIN, Fault.UNEXPECTED)


@pytest.mark.parametrize("place", range(len(record())))
def test_an_altered_entry_signed_anew_breaks_at_the_next(place: int) -> None:
    """The author may have signed another history: then the other side's answer shows it."""
    whole = list(record())
    whole[place] = sign(entries()[place], state=bytes(32))
    with pytest.raises(RemoteProtocolError) as caught:
        Table.replay(whole, GAMES)
    assert caught.value.fault is Fault.STATE_MISMATCH
    assert caught.value.side == entries()[place].author
    assert caught.value.evidence == (whole[place],)


def test_the_verifier_says_who_is_to_blame_by_who_signed() -> None:
    for place in places("SHUFFLE", "SHARE", "UNSEAL"):
        other = next(e for e in entries() if e.kind is entries()[place].kind and e.number != place)
        forged = sign(entries()[place], body=other.body)
        with pytest.raises(RemoteProtocolError) as caught:
            Table.replay([*record()[:place], forged], GAMES)
        assert caught.value.side == entries()[place].author
        assert caught.value.evidence == (forged,)


@given(st.data())
def test_any_byte_of_a_file_matters(data: st.DataObject) -> None:
    good = write_record(record()[:6])
    altered = bytearray(good)
    altered[data.draw(st.integers(0, len(good) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ProtocolError):
        Table.replay(read_record(bytes(altered)).entries, GAMES)


# --- what a record gives away -----------------------------------------------------------------


@pytest.mark.parametrize("seat", SEATS)
def test_no_secret_is_in_a_record_before_it_is_unsealed(seat: int | None) -> None:
    first, second = places("UNSEAL", seat=seat)
    for side in (HOST, GUEST):
        unsealed = next(at for at in (first, second) if entries(seat)[at].author == side)
        key = secret(side).reveal()
        assert key not in b"".join(record(seat)[:unsealed])
        assert key in record(seat)[unsealed]
        for hidden in (seed(side), IDENTITY_SEEDS[side]):
            assert hidden not in b"".join(record(seat))
            assert hidden.hex().encode() not in b"".join(record(seat))


def test_half_a_coin_is_hidden_until_it_is_opened() -> None:
    for place in places("OPEN", seat=None):
        half = entries(None)[place].body.value  # type: ignore[attr-defined]
        assert half not in b"".join(record(None)[:place])


def test_the_state_in_an_entry_tells_nothing_of_hidden_cards() -> None:
    """It is the same for a witness, who sees none of them."""
    for place in range(1, len(record())):
        states = {table_at(place, side).game.public_bytes() for side in (HOST, GUEST)}
        assert states == {Table.replay(record()[:place], GAMES).game.public_bytes()}
