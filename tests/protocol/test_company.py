"""Who may be at the table: the one on the line and nobody else, and not with an old copy."""

from typing import Any

import pytest

from protocol.errors import Fault, InvalidError, LostEntriesError
from protocol.script import GUEST, HOST
from protocol.table import Table
from tests.protocol.duel import GAMES
from tests.protocol.helpers import (
    IDENTITIES,
    STRANGER,
    changed_body,
    entries,
    go_on,
    ours,
    raws,
    record,
    refuse,
    refuse_any,
    sign,
    table_at,
)

LAST = len(record())
INTRODUCTION = (0, 1)  # where host and guest say who they are


# --- the identity on the line -----------------------------------------------------------------


@pytest.mark.parametrize("side", [HOST, GUEST])
@pytest.mark.parametrize("place", range(LAST))
def test_the_one_who_was_expected_may_play(place: int, side: int) -> None:
    table = table_at(place, side)
    table.expect(IDENTITIES[1 - side].public)
    if entries()[place].author != side:
        assert table.receive(record()[place]) is not None


@pytest.mark.parametrize("side", [HOST, GUEST])
def test_somebody_else_than_was_expected_can_not_begin(side: int) -> None:
    """Such as a friend of the host, whose game the host passes on."""
    table = table_at(INTRODUCTION[1 - side], side)
    table.expect(STRANGER.public)
    raw = record()[INTRODUCTION[1 - side]]
    refuse(table, raw, Fault.UNEXPECTED, evidence=())
    again = table_at(INTRODUCTION[1 - side], side)
    again.expect(IDENTITIES[1 - side].public)
    assert again.receive(raw) is not None


@pytest.mark.parametrize("side", [HOST, GUEST])
@pytest.mark.parametrize("place", [2, 8, LAST])
def test_somebody_else_than_is_in_the_record_can_not_go_on(place: int, side: int) -> None:
    table = table_at(place, side)
    for wrong in (STRANGER, IDENTITIES[side]):
        with pytest.raises(InvalidError) as caught:
            table.expect(wrong.public)
        assert caught.value.fault is Fault.UNEXPECTED
    assert raws(table) == list(record()[:place])
    if place < LAST:
        go_on(table, place) if entries()[place].author != side else table.speak()


def test_a_witness_expects_nobody() -> None:
    witness: Table[Any] = Table.replay(record()[:5], GAMES)
    witness.expect(STRANGER.public)
    assert witness.identities == (IDENTITIES[HOST].public, IDENTITIES[GUEST].public)


# --- entries of ours that we have lost --------------------------------------------------------


@pytest.mark.parametrize("place", range(LAST), ids=str)
def test_an_old_copy_of_a_game_is_told_from_a_lie(place: int) -> None:
    """What we have signed and lost comes back: nobody's fault, but we can't go on."""
    table = table_at(place, entries()[place].author)
    with pytest.raises(LostEntriesError, match=f"entry {place} is ours"):
        table.receive(record()[place])
    assert raws(table) == list(record()[:place])


@pytest.mark.parametrize("place", range(1, LAST), ids=str)
def test_our_own_words_from_elsewhere_are_played_back(place: int) -> None:
    entry = entries()[place]
    elsewhere = [
        sign(entry, previous=bytes(32)),
        sign(entry, STRANGER),
        sign(entry, number=place + 1),
        *[other.raw for other in entries(0, "another game") if other.author == entry.author],
        *[other.raw for other in entries()[:place] if other.author == entry.author],
    ]
    for raw in elsewhere:
        assert refuse_any(table_at(place, entry.author), raw).fault is Fault.REFLECTION


@pytest.mark.parametrize("side", [HOST, GUEST])
def test_a_stranger_who_begins_in_our_name_is_not_what_we_have_lost(side: int) -> None:
    entry = entries()[INTRODUCTION[side]]
    body = changed_body(entry.body, identity=STRANGER.public)
    error = refuse_any(table_at(entry.number, side), sign(entry, STRANGER, body=body))
    assert (error.fault, error.side) == (Fault.REFLECTION, 1 - side)


def test_the_other_sides_lost_entries_are_just_taken() -> None:
    table = Table[Any](GAMES, ours(GUEST))
    assert table.receive(record()[0]) is not None
