"""What the table refuses: every field of every kind of entry, every wrong place, every liar.

Each case takes an honest game up at one entry and sends something else in its stead.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import codec
from protocol.entries import (
    BODIES,
    MAX_ACTION,
    MAX_TIME,
    Accept,
    Act,
    Answer,
    Body,
    Commit,
    Entry,
    Kind,
    Offer,
    Propose,
    Reply,
    Resign,
    Shuffle,
)
from protocol.errors import Fault, IncompatibleError, LostEntriesError, RemoteProtocolError
from protocol.group import ORDER
from protocol.identity import Identity
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn
from tests.protocol.duel import GAMES, SIZE
from tests.protocol.helpers import (
    IDENTITIES,
    IDENTITY_SEEDS,
    STRANGER,
    AnyTable,
    body_of,
    changed_body,
    content,
    entries,
    go_on,
    is_signed,
    ours,
    pair,
    places,
    play_out,
    raws,
    reader_at,
    record,
    refuse,
    refuse_any,
    sign,
    table_at,
)

LAST = len(record())
PLACES = range(LAST)


def named(place: int) -> str:
    return f"{place}-{entries()[place].kind.name}"


# --- the wrong moment -------------------------------------------------------------------------


PLAYED = range(3, LAST - 2)  # from the end of the opening until the game is over
INSTEAD = (Kind.RESIGN, Kind.PROPOSE)  # what may then come instead of anything else


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_of_each_kind_of_entry_only_what_is_due_may_come(place: int) -> None:
    due = entries()[place]
    for kind in Kind:
        body = body_of(kind)
        if kind is due.kind or (kind in INSTEAD and place in PLAYED):
            continue
        raw = sign(due, body=body)
        unexpected(reader_at(place), raw, place)


def unexpected(table: AnyTable, raw: bytes, place: int) -> None:
    error = refuse_any(table, raw)
    assert error.fault is Fault.UNEXPECTED
    assert error.evidence in ((), (raw,))
    if place > 1 and Entry.decode(raw).kind > Kind.ACCEPT:  # it is known whose signature it bears
        assert error.evidence == (raw,)


@pytest.mark.parametrize("place", PLACES[1:], ids=named)
def test_nobody_speaks_out_of_turn(place: int) -> None:
    """The peer sends an entry, however well made, while ours is due."""
    due = entries()[place]
    peer = 1 - due.author
    for kind in Kind:
        table = table_at(place, due.author)
        raw = sign(due, author=peer, body=body_of(kind))
        unexpected(table, raw, place)


@pytest.mark.parametrize("side", [HOST, GUEST])
def test_after_the_end_nothing_comes(side: int) -> None:
    last = entries()[-1]
    for kind in Kind:
        table = table_at(LAST, side)
        raw = sign(last, number=LAST, author=1 - side, previous=last.head, body=body_of(kind))
        unexpected(table, raw, LAST)


@pytest.mark.parametrize("skipped", [1, 2, 4])
@pytest.mark.parametrize("place", PLACES[4:], ids=named)
def test_an_entry_that_skips_others(place: int, skipped: int) -> None:
    table = table_at(place - skipped, 1 - entries()[place].author)
    error = refuse_any(table, record()[place])
    assert error.fault is Fault.BROKEN_CHAIN
    assert error.side == entries()[place].author


# --- the same place twice ---------------------------------------------------------------------


@pytest.mark.parametrize("side", [HOST, GUEST])
@pytest.mark.parametrize("place", range(LAST + 1))
def test_a_copy_of_what_we_have_is_ignored(place: int, side: int) -> None:
    table = table_at(place, side)
    for entry in entries()[:place]:
        if entry.author != side:
            assert table.receive(entry.raw) is None
    assert raws(table) == list(record()[:place])
    if table.turn is Turn.WAIT:
        assert table.receive(record()[place]) is not None


def other_version(entry: Entry) -> bytes:
    """Another signed entry for the same place; one that may come there, where that is possible."""
    match entry.body:
        case Offer():
            return sign(entry, body=changed_body(entry.body, name="Lucy"))
        case Accept():
            return sign(entry, body=changed_body(entry.body, name="Arthur"))
        case Commit() | Answer():
            return sign(entry, body=type(entry.body)(bytes(32)))
        case _ if entry.number in PLAYED:
            game = table_at(entry.number, entry.author)
            return game.resign().raw
        case _:
            return sign(entry, state=bytes(32))


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_two_entries_for_one_place_show_who_lied(place: int) -> None:
    entry = entries()[place]
    other = other_version(entry)
    fault = Fault.EQUIVOCATION if place else Fault.BROKEN_CHAIN
    for later in {place + 1, min(place + 3, LAST), LAST}:
        table = table_at(later, 1 - entry.author)
        refuse(table, other, fault, evidence=(entry.raw, other) if place else (other,))
    if entry.kind not in (Kind.KEY, Kind.UNSEAL):  # and the other way round
        table = reader_at(place)
        assert table.receive(other) is not None
        refuse(table, entry.raw, fault, evidence=(other, entry.raw) if place else (entry.raw,))


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_what_somebody_signed_in_another_game_accuses_nobody(place: int) -> None:
    """Whoever plays two games signs two entries with one number, and has not lied."""
    for entry in entries(0, "another game"):
        if entry.number == place:
            with pytest.raises(RemoteProtocolError) as caught:
                Table.replay([*record(), entry.raw], GAMES)
            assert caught.value.fault is Fault.BROKEN_CHAIN
            refuse(table_at(LAST, 1 - entry.author), entry.raw, Fault.BROKEN_CHAIN)


def unsigned_version(entry: Entry) -> bytes:
    return sign(entry, STRANGER, state=bytes(32))


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_two_entries_for_one_place_of_which_one_is_not_signed(place: int) -> None:
    entry = entries()[place]
    rival = unsigned_version(entry)
    error = refuse_any(table_at(LAST, 1 - entry.author), rival)
    assert error.fault is Fault.BAD_SIGNATURE
    assert rival not in error.evidence


def test_an_honest_entry_alone_is_no_evidence() -> None:
    entry = entries()[8]
    error = refuse_any(table_at(LAST, 1 - entry.author), unsigned_version(entry))
    assert error.evidence == ()


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_the_same_words_signed_twice_are_a_copy(place: int) -> None:
    """Ed25519 has many good signatures of one content for whoever has the key."""
    entry = entries()[place]
    inner = codec.encode(tuple(content(entry)))
    again = codec.encode((inner, sign_otherwise(entry.author, entry.head)))
    assert again != entry.raw
    assert is_signed(again)
    assert table_at(LAST, 1 - entry.author).receive(again) is None
    assert table_at(place + 1, 1 - entry.author).receive(again) is None
    taken = reader_at(place)
    assert taken.receive(again) is not None
    assert taken.receive(entry.raw) is None


def sign_otherwise(side: int, digest: bytes) -> bytes:
    """A signature as good as that of RFC 8032 section 5.1.6, with a nonce of our own choice."""
    a, r = (clamped(seed) for seed in (IDENTITY_SEEDS[side], b"nonce" + bytes(27)))
    big_r, public = Identity(b"nonce" + bytes(27)).public, IDENTITIES[side].public
    k = int.from_bytes(hashlib.sha512(big_r + public + digest).digest(), "little")
    return big_r + ((r + k * a) % ORDER).to_bytes(32, "little")


def clamped(seed: bytes) -> int:
    """The secret scalar of an identity (section 5.1.5)."""
    number = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return number % 2**254 // 8 * 8 + 2**254


@pytest.mark.parametrize("place", PLACES, ids=named)
def test_an_entry_for_a_place_that_was_ours(place: int) -> None:
    mine = entries()[place]
    table = table_at(LAST, mine.author)
    raw = sign(mine, author=1 - mine.author)
    error = refuse_any(table, raw)
    assert error.fault in (Fault.UNEXPECTED if place else Fault.BROKEN_CHAIN, Fault.BAD_SIGNATURE)
    assert error.side == 1 - mine.author


@pytest.mark.parametrize("side", [HOST, GUEST])
@pytest.mark.parametrize("kind", [kind for kind in Kind if kind > Kind.ACCEPT])
def test_another_kind_of_entry_in_the_place_of_the_offer(kind: Kind, side: int) -> None:
    raw = sign(entries()[0], author=1 - side, body=body_of(kind))
    assert refuse_any(table_at(1, side), raw).side == 1 - side


@pytest.mark.parametrize("place", [0, 1], ids=named)
def test_a_strangers_entry_for_a_place_that_is_taken_shows_nothing(place: int) -> None:
    entry = entries()[place]
    body = changed_body(entry.body, identity=STRANGER.public)
    for later in (place + 1, 6, LAST):
        table = table_at(later, 1 - entry.author)
        error = refuse_any(table, sign(entry, STRANGER, body=body))
        assert error.fault is Fault.BAD_SIGNATURE
        assert all(map(is_signed, error.evidence))


@pytest.mark.parametrize("kind", ["OFFER", "ACCEPT"])
def test_a_strangers_entry_out_of_turn_is_no_evidence(kind: str) -> None:
    for place in (4, 8):
        body = changed_body(entries()[places(kind)[0]].body, identity=STRANGER.public)
        error = refuse_any(reader_at(place), sign(entries()[place], STRANGER, body=body))
        assert error.evidence == ()


# --- the rules of the game --------------------------------------------------------------------


@pytest.mark.parametrize("place", places("ACT"), ids=named)
def test_an_action_that_the_rules_forbid(place: int) -> None:
    entry = entries()[place]
    legal = table_at(place, entry.author).game.pending.actions
    for action in (*range(SIZE + 1), MAX_ACTION):
        if action not in legal:
            table = reader_at(place)
            refuse(table, sign(entry, body=Act(action)), Fault.ILLEGAL_ACTION)
            go_on(table, place)


def cheat_the_leader(host: AnyTable, guest: AnyTable) -> tuple[int, Entry] | None:
    """Lead card 8 although that is forbidden; None if the leader hasn't got it."""
    tables = (host, guest)
    while host.step is None or host.step.kind is not Kind.ACT:
        play(tables)
    leader = host.step.side
    faces = tables[leader].game.faces
    if SIZE - 1 not in faces:
        return None
    pending = tables[leader].game.pending
    handle = faces.index(SIZE - 1)
    faces[handle] = 0  # it looks the other way
    assert handle in tables[leader].game.pending.actions != pending.actions
    entry = tables[leader].act(handle)
    tables[1 - leader].receive(entry.raw)
    return leader, entry


def play(tables: Sequence[AnyTable]) -> None:
    entry = tables[tables[0].step.side].speak()  # type: ignore[union-attr]
    tables[1 - entry.author].receive(entry.raw)


def test_an_illegality_that_was_hidden_shows_with_the_card_and_who_acted_is_blamed() -> None:
    blamed = set()
    for salt in map(str, range(30)):
        tables = pair(salt=salt)
        if (cheated := cheat_the_leader(*tables)) is None:
            continue
        leader, act = cheated
        blamed.add(leader)
        place = len(tables[0].entries)
        share = honest_share(tables[leader], place)
        victim = tables[1 - leader]
        error = refuse_any(victim, share)
        assert error.fault is Fault.ILLEGAL_ACTION
        assert error.side == leader
        assert error.evidence == (act.raw, share)
        assert raws(victim)[-1] == act.raw
        with pytest.raises(RemoteProtocolError) as caught:
            Table.replay([*raws(victim), share], GAMES)
        assert (caught.value.fault, caught.value.side) == (Fault.ILLEGAL_ACTION, leader)
        assert caught.value.evidence == error.evidence
        if len(blamed) == 2:
            return
    raise AssertionError("card 8 was never on both sides")


def honest_share(table: AnyTable, place: int) -> bytes:
    """The share that is due, from a table that would itself see the illegality in it."""
    body = table._course.say(Kind.SHARE, table.head)
    author = table.side
    assert author is not None
    return Entry.sign(place, author, table.head, body, bytes(32), IDENTITIES[author]).raw


# --- offers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [{"protocol": "whitby/2"}, {"game": "chess/1"}, {"options": b"long"}],
    ids=["version", "game", "options"],
)
def test_an_offer_of_what_we_do_not_have_is_nobodys_fault(changes: dict[str, Any]) -> None:
    offer = entries()[0]
    raw = sign(offer, body=changed_body(offer.body, **changes))
    table = reader_at(0)
    with pytest.raises(IncompatibleError):
        table.receive(raw)
    assert table.entries == []
    with pytest.raises(Exception, match="ended"):
        table.receive(record()[0])
    with pytest.raises(IncompatibleError):
        Table.replay([raw], GAMES)


def test_a_host_cannot_offer_what_it_does_not_have() -> None:
    host, _ = pair(game="chess/1")
    with pytest.raises(IncompatibleError):
        host.speak()
    assert host.entries == []


def test_options_reach_the_game() -> None:
    assert Table.replay(play_out(pair(options=b"short")), GAMES).turn is Turn.DONE


def test_nobody_plays_against_the_own_identity() -> None:
    accept = entries()[1]
    body = changed_body(accept.body, identity=IDENTITIES[HOST].public)
    raw = sign(accept, IDENTITIES[HOST], body=body)
    with pytest.raises(RemoteProtocolError) as caught:
        reader_at(1).receive(raw)
    assert caught.value.fault is Fault.REFLECTION
    assert caught.value.side == GUEST


def test_a_guest_does_not_take_an_offer_of_its_own_identity() -> None:
    guest = Table(GAMES, ours(GUEST, identity=IDENTITIES[HOST]))
    assert refuse_any(guest, record()[0]).fault is Fault.REFLECTION


# --- anything at all --------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(st.integers(0, LAST), st.sampled_from([HOST, GUEST]), st.binary(max_size=400))
def test_random_bytes_are_refused_at_every_stage(place: int, side: int, data: bytes) -> None:
    error = refuse_any(table_at(place, side), data)
    assert error.side == 1 - side
    assert error.evidence == ()


def blobs(size: int) -> st.SearchStrategy[bytes]:
    known_parts = [bytes(size), b"\xff" * size]
    known_parts += [
        value
        for entry in entries()
        for value in (entry.previous, entry.state, *entry.body.values())
        if isinstance(value, bytes) and len(value) == size
    ]
    return st.sampled_from(known_parts) | st.binary(min_size=size, max_size=size)


def bodies() -> st.SearchStrategy[Body]:
    pieces = st.integers(0, SIZE).flatmap(lambda n: blobs(64 * n) | blobs(32 * n))
    proofs = blobs(32 * (4 * SIZE + 5)) | st.binary(max_size=100)
    names = st.text(max_size=12)
    return st.one_of(
        st.builds(
            Offer, st.just("whitby/1"), st.just("duel/1"), st.just(b""),
            st.sampled_from([0, 1, None]), st.sampled_from([None, (60, 0)]), blobs(32), names,
            blobs(32), st.integers(0, MAX_TIME),
        ),
        st.builds(Accept, blobs(32), names, blobs(32), blobs(96)),
        *(
            st.builds(BODIES[kind], blobs(size))
            for kind, size in [
                (Kind.KEY, 96), (Kind.COMMIT, 32), (Kind.ANSWER, 32), (Kind.OPEN, 32),
                (Kind.UNSEAL, 32),
            ]
        ),
        st.builds(Shuffle, pieces, proofs),
        st.builds(BODIES[Kind.SHARE], pieces, blobs(64)),
        st.builds(Act, st.integers(0, SIZE) | st.integers(0, MAX_ACTION)),
        st.sampled_from([Resign(), Propose(), Reply(0), Reply(1)]),
    )  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(st.integers(0, LAST), st.sampled_from([HOST, GUEST]), bodies(), st.data())
def test_anything_well_formed_and_well_signed_is_taken_or_refused(
    place: int, side: int, body: Body, data: st.DataObject
) -> None:
    """Never another exception; and what was taken can be replayed."""
    table = table_at(place, side)
    raw = Entry.sign(
        data.draw(st.sampled_from([place, place, place, 0, max(place - 1, 0), place + 1])),
        data.draw(st.sampled_from([1 - side, 1 - side, 1 - side, side])),
        data.draw(st.just(table.head) | blobs(32)),
        body,
        data.draw(st.sampled_from([entry.state for entry in entries()])),
        data.draw(st.sampled_from([*IDENTITIES, IDENTITIES[1 - side], STRANGER])),
    ).raw
    taken: Entry | RemoteProtocolError | LostEntriesError | None
    try:
        taken = table.receive(raw)
    except (RemoteProtocolError, LostEntriesError) as refusal:
        taken = refusal
    match taken:
        case LostEntriesError():
            assert Entry.decode(raw).author == side
            assert is_signed(raw)
            assert raws(table) == list(record()[:place])
        case RemoteProtocolError():
            assert taken.side == 1 - side
            assert raws(table) == list(record()[:place])
        case Entry():
            assert raws(Table.replay(raws(table), GAMES, ours(side))) == [*record()[:place], raw]
        case None:
            assert raw in record()[:place]
