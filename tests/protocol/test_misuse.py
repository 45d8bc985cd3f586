"""Our own code calling out of turn: refused, and nothing is changed by it; and nothing printed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from protocol.entries import Kind
from protocol.errors import Fault, LocalProtocolError, RemoteProtocolError
from protocol.script import GUEST, HOST, Step
from protocol.table import Table, Turn
from tests.protocol.duel import GAMES, SIZE
from tests.protocol.helpers import (
    AnyTable,
    assert_no_secret,
    entries,
    ours,
    pair,
    places,
    play_one,
    raws,
    record,
    secret,
    table_at,
    write_next,
)
from tests.protocol.scripted import NAME, Scripted

LAST = len(record(0))


def misuses(table: AnyTable) -> list[Callable[[], Any]]:
    """All the calls that are wrong at this moment."""
    wrong: list[Callable[[], Any]] = []
    if table.turn is not Turn.SPEAK:
        wrong.append(table.speak)
    if table.turn is Turn.DECIDE:
        legal = table.game.pending.actions
        wrong += [partial(table.act, a) for a in range(-1, SIZE + 1) if a not in legal]
    else:
        wrong += [partial(table.act, a) for a in range(SIZE)]
    if not table.may_resign:
        wrong.append(table.resign)
    if not table.may_propose:
        wrong.append(table.propose)
    if table.turn is not Turn.CONSIDER:
        wrong += [partial(table.reply, True), partial(table.reply, False)]
    if table.turn is not Turn.DONE:
        wrong.append(lambda: table.all_faces(0))
    if table.offer is None:
        wrong.append(lambda: table.game)
    if table.accept is None:
        wrong.append(lambda: table.identities)
    if not table.has_seats:
        wrong += [lambda: table.player, lambda: table.player_of(0)]
    return wrong


@pytest.mark.parametrize("side", [HOST, GUEST])
@pytest.mark.parametrize("place", range(LAST + 1))
def test_misuse_is_refused_and_changes_nothing(place: int, side: int) -> None:
    table = table_at(place, side)
    before = table.head, table.step, table.turn, table.result
    state = table.game.public_bytes() if table.offer else None
    for call in misuses(table):
        with pytest.raises(LocalProtocolError):
            call()
        assert (table.head, table.step, table.turn, table.result) == before
    assert (table.game.public_bytes() if table.offer else None) == state
    if table.turn is Turn.WAIT:
        assert table.receive(record()[place]) is not None
    elif table.turn is not Turn.DONE:
        assert write_next(table).number == place


@pytest.mark.parametrize("place", [0, 1, 5, LAST])
def test_a_witness_only_looks(place: int) -> None:
    witness = Table.replay(record()[:place], GAMES)
    assert witness.side is None
    assert witness.turn is (Turn.DONE if place == LAST else Turn.WAIT)
    assert not witness.may_resign
    assert not witness.may_propose
    for call in (
        witness.speak,
        witness.resign,
        witness.propose,
        lambda: witness.reply(True),
        lambda: witness.act(0),
        lambda: witness.receive(record()[0]),
        lambda: witness.player,
    ):
        with pytest.raises(LocalProtocolError):
            call()
    assert raws(witness) == list(record()[:place])


def test_a_card_that_may_not_be_led_is_no_legal_choice() -> None:
    for salt in map(str, range(20)):
        place = places("ACT")[0]
        table = table_at(place, entries(0, salt)[place].author, salt=salt)
        if SIZE - 1 in table.game.faces:
            handle = table.game.faces.index(SIZE - 1)
            with pytest.raises(LocalProtocolError):
                table.act(handle)
            return
    raise AssertionError("no leader held card 8")


class Strict(Scripted):
    """A game that finds out too late: whatever is shown breaks a rule."""

    def disclosed(self, faces: Any) -> None:
        raise ValueError("this card may not be shown")


def test_a_rule_that_was_broken_shows_only_with_our_own_share() -> None:
    options = b"shuffle 2 0\nchoose 0 1\nshow 0 0 01"
    host, guest = pair({NAME: Strict}, game=NAME, options=options)
    while guest.step != Step(GUEST, Kind.SHARE):
        play_one((host, guest))
    with pytest.raises(RemoteProtocolError) as caught:
        guest.speak()
    error = caught.value
    assert (error.fault, error.side) == (Fault.ILLEGAL_ACTION, HOST)
    assert error.evidence == tuple(e.raw for e in guest.entries if e.kind is Kind.ACT)
    with pytest.raises(LocalProtocolError):
        guest.speak()


@pytest.mark.parametrize("side", [HOST, GUEST])
@pytest.mark.parametrize("place", range(LAST + 1))
def test_nothing_prints_a_secret(place: int, side: int) -> None:
    table, mine = table_at(place, side), ours(side)
    course = table._course
    things = [table, mine, mine.identity, course, course._dealer, secret(side)]
    if table.turn is Turn.SPEAK and table.step != Step(side, Kind.UNSEAL):
        things.append(table.speak())
    assert_no_secret(" ".join(f"{thing!r} {thing!s}" for thing in things))
    for call in misuses(table):
        with pytest.raises(LocalProtocolError) as caught:
            call()
        assert_no_secret(f"{caught.value!r}")
