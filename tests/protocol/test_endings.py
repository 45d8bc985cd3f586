"""How a game ends before its rules end it: by giving up, or because both agree to end it."""

import pytest

from protocol.course import Result
from protocol.entries import Act, Answer, Body, Kind, Propose, Reply
from protocol.errors import Fault, LocalProtocolError, RemoteProtocolError
from protocol.script import GUEST, HOST, Step
from protocol.table import Table, Turn
from tests.protocol.duel import GAMES, SIZE
from tests.protocol.helpers import (
    AnyTable,
    entries,
    ours,
    places,
    play_one,
    play_out,
    raws,
    record,
    refuse,
    refuse_any,
    sign,
    table_at,
)

LAST = len(record(0))


# --- giving up --------------------------------------------------------------------------------


PLAYED = range(3, LAST - 2)  # from the end of the opening until the game is over


@pytest.mark.parametrize("place", PLAYED)
def test_whoever_may_speak_may_resign(place: int) -> None:
    tables = [table_at(place, HOST), table_at(place, GUEST)]
    speaker = entries()[place].author
    assert [table.may_resign for table in tables] == [speaker == HOST, speaker == GUEST]
    entry = tables[speaker].resign()
    tables[1 - speaker].receive(entry.raw)
    winner = tables[HOST].player_of(1 - speaker)
    for table in tables:
        assert table.result == Result(winner, "the other side resigned", resigned=True)
        assert table.step == Step(1 - speaker, Kind.UNSEAL)
        assert not table.may_resign
    played = play_out(tables)
    witness = Table.replay(played, GAMES)
    assert [e.kind for e in witness.entries[place:]] == [Kind.RESIGN, Kind.UNSEAL, Kind.UNSEAL]
    assert witness.result == tables[HOST].result
    if place > places("SHUFFLE")[1]:
        assert sorted(witness.all_faces(0)) == list(range(SIZE))


@pytest.mark.parametrize("side", [HOST, GUEST])
@pytest.mark.parametrize("place", [*range(6), len(record(None)) - 2, len(record(None)) - 1])
def test_nobody_resigns_before_the_seats_are_taken_or_after_the_end(place: int, side: int) -> None:
    table = table_at(place, side, None)
    assert not table.may_resign
    with pytest.raises(LocalProtocolError):
        table.resign()


def test_a_deck_that_was_never_shuffled_has_no_faces() -> None:
    place = places("SHUFFLE")[1]
    tables = [table_at(place, HOST), table_at(place, GUEST)]
    speaker = entries()[place].author
    tables[1 - speaker].receive(tables[speaker].resign().raw)
    play_out(tables)
    with pytest.raises(LocalProtocolError):
        tables[0].all_faces(0)


def test_a_deck_that_was_never_laid_out_has_no_faces() -> None:
    tables = [table_at(3, HOST), table_at(3, GUEST)]
    tables[HOST].receive(tables[GUEST].resign().raw)
    play_out(tables)
    with pytest.raises(LocalProtocolError):
        tables[HOST].all_faces(0)


# --- ending it without a winner ---------------------------------------------------------------


@pytest.mark.parametrize("agrees", [True, False])
@pytest.mark.parametrize("place", PLAYED)
def test_whoever_may_speak_may_propose_an_end(place: int, agrees: bool) -> None:
    tables = [table_at(place, HOST), table_at(place, GUEST)]
    speaker = entries()[place].author
    one, other = tables[speaker], tables[1 - speaker]
    due, state = one.step, one.game.public_bytes()
    assert [table.may_propose for table in tables] == [speaker == HOST, speaker == GUEST]
    other.receive(one.propose().raw)
    assert (one.turn, other.turn) == (Turn.WAIT, Turn.CONSIDER)
    assert one.step == other.step == Step(1 - speaker, Kind.REPLY)
    assert not one.may_propose
    assert not other.may_propose
    assert not one.may_resign
    assert other.may_resign
    one.receive(other.reply(agrees).raw)
    assert one.game.public_bytes() == other.game.public_bytes() == state
    for table in tables:
        assert not table.may_propose
        if agrees:
            assert table.result == Result(None, "both agreed to end it without a winner")
            assert table.step == Step(HOST, Kind.UNSEAL)
        else:
            assert table.result is None
            assert table.step == due
    played = play_out(tables)
    witness = Table.replay(played, GAMES)
    assert witness.result == tables[HOST].result == tables[GUEST].result
    assert witness.turn is Turn.DONE
    assert [e.kind for e in witness.entries[place : place + 2]] == [Kind.PROPOSE, Kind.REPLY]
    assert len(played) == (place + 4 if agrees else LAST + 2)


def test_one_proposal_between_two_actions_is_enough() -> None:
    place = places("ACT")[0]
    tables = [table_at(place, HOST), table_at(place, GUEST)]
    proposals = 0
    while tables[HOST].result is None:
        speaker = tables[HOST].step.side  # type: ignore[union-attr]
        if tables[speaker].may_propose:
            tables[1 - speaker].receive(tables[speaker].propose().raw)
            tables[speaker].receive(tables[1 - speaker].reply(False).raw)
            proposals += 1
        play_one(tables)
    assert proposals == 1 + len(places("ACT"))


def test_who_has_to_reply_may_resign_instead() -> None:
    tables = [table_at(5, HOST), table_at(5, GUEST)]
    speaker = entries()[5].author
    tables[1 - speaker].receive(tables[speaker].propose().raw)
    tables[speaker].receive(tables[1 - speaker].resign().raw)
    assert Table.replay(play_out(tables), GAMES).result == Result(
        tables[speaker].player, "the other side resigned", resigned=True
    )


@pytest.mark.parametrize("agrees", [None, True, False])
def test_a_proposal_outlives_a_break(agrees: bool | None) -> None:
    """Tables rebuilt with a proposal in the record know what has become of it."""
    place = places("SHUFFLE")[1]
    speaker = entries()[place].author
    tables = [table_at(place, HOST), table_at(place, GUEST)]
    tables[1 - speaker].receive(tables[speaker].propose().raw)
    if agrees is not None:
        tables[speaker].receive(tables[1 - speaker].reply(agrees).raw)
    again = [Table.replay(raws(table), GAMES, ours(at)) for at, table in enumerate(tables)]
    for before, after in zip(tables, again, strict=True):
        assert after.turn is before.turn
        assert after.result == before.result
        assert not after.may_propose
    if agrees is None:
        again[speaker].receive(again[1 - speaker].reply(False).raw)
    assert Table.replay(play_out(again), GAMES).turn is Turn.DONE


# --- what may not come around a proposal ------------------------------------------------------


def proposed(place: int) -> tuple[AnyTable, AnyTable]:
    """The tables of whoever proposes an end at `place`, and of the other, who has to reply."""
    speaker = entries()[place].author
    one, other = table_at(place, speaker), table_at(place, 1 - speaker)
    other.receive(one.propose().raw)
    return one, other


def following(table: AnyTable, author: int, body: Body) -> bytes:
    """A well-signed entry of `author` that comes next at this table, with this body."""
    return sign(
        table.entries[-1],
        number=len(table.entries),
        author=author,
        previous=table.head,
        body=body,
    )


@pytest.mark.parametrize("place", PLAYED)
def test_a_proposal_wants_a_reply_and_nothing_else(place: int) -> None:
    for body in (Propose(), Act(0), Answer(bytes(32)), entries()[place].body):
        one, other = proposed(place)
        assert other.side is not None
        refuse(one, following(one, other.side, body), Fault.UNEXPECTED)


@pytest.mark.parametrize("place", PLAYED)
def test_nobody_replies_to_the_own_proposal_or_goes_on_before_the_reply(place: int) -> None:
    for body in (Reply(1), Reply(0), Propose(), entries()[place].body):
        one, other = proposed(place)
        assert one.side is not None
        refuse(other, following(other, one.side, body), Fault.UNEXPECTED)


@pytest.mark.parametrize("place", [place for place in PLAYED if place not in places("SHUFFLE")])
def test_a_second_proposal_before_an_action_is_refused(place: int) -> None:
    """By either side: once is enough, and more would keep the other from playing."""
    one, other = proposed(place)
    one.receive(other.reply(False).raw)
    assert one.side is not None
    refuse(other, following(other, one.side, Propose()), Fault.UNEXPECTED)


def test_after_a_reply_the_game_goes_on_only_if_it_was_no() -> None:
    place = places("ACT")[0]
    for agrees, body in ((True, entries()[place].body), (False, Reply(1))):
        one, other = proposed(place)
        one.receive(other.reply(agrees).raw)
        speaker = other.step.side  # type: ignore[union-attr]
        reader = one if speaker == other.side else other
        assert refuse_any(reader, following(reader, speaker, body)).fault is Fault.UNEXPECTED


def test_what_a_witness_says_of_a_forged_agreement() -> None:
    """An end that only one side has signed is none."""
    one, other = proposed(6)
    assert one.side is not None
    forged = following(one, one.side, Reply(1))
    with pytest.raises(RemoteProtocolError) as caught:
        Table.replay([*raws(one), forged], GAMES)
    assert (caught.value.fault, caught.value.side) == (Fault.UNEXPECTED, one.side)
    assert caught.value.evidence == (forged,)
    assert other.result is None
