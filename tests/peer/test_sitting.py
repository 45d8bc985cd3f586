"""One game between two seats, over one line or many, with a friend, a cheat, or nobody opposite.

Time is simulated, so nothing here waits for real.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from random import Random
from typing import Any

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from engine.actions import CALL
from peer.games import DRACULA_VS_VAN_HELSING, GAMES
from peer.link import LINGER_SECONDS, HandshakeError, Link, LinkLostError
from peer.parting import FAREWELL_SECONDS
from peer.seat import Ended, Moved, Notice, Quit, Seated, Ticking
from peer.sitting import (
    ABSENCE_SECONDS,
    GRACE_SECONDS,
    LeftError,
    RefusedError,
)
from peer.tasks import background
from protocol.claim import Claim, Ground
from protocol.entries import Act, Commit, Entry, Kind, Resign, Share, Shuffle
from protocol.errors import Fault, IncompatibleError, RemoteProtocolError
from protocol.identity import fingerprint
from protocol.line import (
    Again,
    Bye,
    Claimed,
    Clock,
    Entries,
    Hello,
    Message,
    Reason,
    Refusal,
    Sync,
)
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn
from tests.peer.helpers import CutStream, ours, two_links
from tests.peer.sitters import Cheat, Make, Player, Sitter, after, at_the_second, play, spy, two
from tests.protocol.helpers import IDENTITIES, STRANGER, play_out, sign, sign_content

SIDES = (HOST, GUEST)
by_both = pytest.mark.parametrize("side", SIDES, ids=["host", "guest"])


def assert_same_game(host: Sitter, guest: Sitter) -> None:
    """See that both have stored the whole record, and the same one, and that it holds."""
    assert host.kept == guest.kept
    for one in (host, guest):
        assert one.kept == [entry.raw for entry in one.table.entries]
        assert one.table.turn is Turn.DONE
    witness = Table.replay(host.kept, GAMES)
    assert witness.result == host.table.result == guest.table.result
    assert witness.result is not None


def assert_one_is_ahead(host: Sitter, guest: Sitter) -> None:
    """See that neither has stored anything that the other would have differently."""
    shorter, longer = sorted((host.kept, guest.kept), key=len)
    assert longer[: len(shorter)] == shorter


@cache
def whole_record() -> list[bytes]:
    """The record of a whole game in which the host is Dracula."""
    rng = Random(1)
    both = [Table(GAMES, ours(side, seat=0)) for side in SIDES]
    return play_out(both, lambda actions: CALL if CALL in actions else rng.choice(actions))


# --- a game, and another ----------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1, None])
async def test_a_whole_game(seat: int | None, autojump_clock: MockClock) -> None:
    host, guest = two(seat=seat)
    await play((host, guest))
    assert (host.outcome, guest.outcome) == (False, False)
    assert_same_game(host, guest)
    assert seat in (None, host.table.player)
    for one, other in ((host, guest), (guest, host)):
        told = one.player.told
        name = ("Mina", "Abraham")[other.side]
        assert isinstance(told[0], Seated)
        assert told[0].player == one.table.player == 1 - other.table.player
        assert told[0].opponent.name == name
        assert told[0].opponent.fingerprint == fingerprint(IDENTITIES[other.side].public)
        (ended,) = one.player.of(Ended)
        assert ended.result == one.table.result
        assert not one.player.of(Ticking)
    stories = [
        [event for news in one.player.of(Moved) for event in news.events] for one in (host, guest)
    ]
    assert stories[HOST] == stories[GUEST]
    assert stories[HOST]


async def test_no_seat_is_shown_what_its_player_may_not_know(autojump_clock: MockClock) -> None:
    host, guest = two(seat=0)
    await play((host, guest))
    for one in (host, guest):
        player = one.table.player
        hidden = range(5 * (1 - player), 5 * (1 - player) + 5)
        first_deal = next(news.view for news in one.player.of(Moved) if news.view.round == 0)
        assert all(first_deal.faces[handle] == -1 for handle in hidden)
        for news in one.player.of(Moved):
            for handle, face in enumerate(news.view.faces):
                if handle in hidden and face != -1:
                    assert news.view.public >> handle & 1 or news.view.round > 0


@pytest.mark.parametrize("wishes", [(True, True), (True, False), (False, True)])
async def test_another_game_is_played_if_both_would_like_one(
    wishes: tuple[bool, bool], autojump_clock: MockClock
) -> None:
    resigning = after(0, Quit.RESIGN)
    players = [Player(choosing=resigning, again=wish) for wish in wishes]
    host, guest = two(*players, seat=0)
    await play((host, guest))
    assert host.outcome is all(wishes)
    assert guest.outcome is all(wishes)
    assert_same_game(host, guest)


# --- stored, then sent, then told -------------------------------------------------------------


class Watched(Sitter):
    """A sitter whose every word and decision is held against what it has stored by then."""

    def __init__(self, side: int, **terms: Any) -> None:
        super().__init__(side, WatchedPlayer(chance=side), **terms)
        assert isinstance(self.player, WatchedPlayer)
        self.player.sitter = self
        self.times_sent = 0

    async def keep(self) -> None:
        await trio.sleep(1)  # a slow disk
        await super().keep()

    def wrap(self, link: Link) -> Link:
        async def send(message: Message) -> None:
            if isinstance(message, Entries):
                self.times_sent += 1
                assert set(message.raws) <= set(self.kept)
            if isinstance(message, Sync):
                assert message.count == len(self.kept)
            await link.send(message)

        return spy(link, send=send)

    def assert_kept(self, authors: Iterable[int]) -> None:
        for entry in self.table.entries:
            assert entry.author not in authors or entry.raw in self.kept


class WatchedPlayer(Player):
    sitter: Watched

    def tell(self, news: Any) -> None:
        super().tell(news)
        self.sitter.assert_kept([1 - self.sitter.side])

    async def choose(self, view: Any) -> Any:
        self.sitter.assert_kept(SIDES)
        return await super().choose(view)

    async def wait(self, view: Any) -> Any:
        self.sitter.assert_kept(SIDES)
        return await super().wait(view)


async def test_every_entry_is_stored_before_it_is_sent_or_told(autojump_clock: MockClock) -> None:
    host, guest = Watched(HOST), Watched(GUEST)
    await play((host, guest))
    assert_same_game(host, guest)
    assert host.times_sent > 10
    assert guest.times_sent > 10


@by_both
async def test_what_cannot_be_stored_is_neither_sent_nor_told(
    side: int, autojump_clock: MockClock
) -> None:
    class Full(Watched):
        async def keep(self) -> None:
            if len(self.table.entries) > 20:
                raise KeyError("the disk is full")
            await super().keep()

    sitters: list[Sitter] = [Sitter(HOST), Sitter(GUEST)]
    sitters[side] = Full(side)
    ends = memory_stream_pair()

    async def sit_down() -> None:
        await sitters[side].play(ends[side])

    async with trio.open_nursery() as nursery:
        nursery.start_soon(sitters[1 - side].play, ends[1 - side])
        with pytest.raises(KeyError, match="full"):
            await sit_down()
    assert isinstance(sitters[1 - side].outcome, LinkLostError)
    assert_one_is_ahead(sitters[HOST], sitters[GUEST])


# --- going away -------------------------------------------------------------------------------


@by_both
@pytest.mark.parametrize(
    "when",
    [
        *({"waiting": after(times, Quit.LEAVE)} for times in (0, 1, 2, 7)),
        *({"choosing": after(times, Quit.LEAVE)} for times in (0, 3)),
    ],
    ids=["w0", "w1", "w2", "w7", "c0", "c3"],
)
async def test_who_leaves_is_named_and_the_game_can_go_on(
    side: int, when: dict[str, Any], autojump_clock: MockClock
) -> None:
    players = [Player(chance=0), Player(chance=1)]
    players[side] = Player(chance=side, **when)
    sitters = two(*players)
    await play(sitters)
    assert isinstance(sitters[side].outcome, LeftError)
    assert "You have left" in str(sitters[side].outcome)
    other = sitters[1 - side].outcome
    assert isinstance(other, LeftError)
    assert "The other side has left" in str(other)
    assert_one_is_ahead(*sitters)
    resigning = Player(choosing=after(0, Quit.RESIGN))
    resumed = [one.again(resigning) for one in sitters]
    await play(resumed)
    assert [one.outcome for one in resumed] == [False, False]
    assert_same_game(*resumed)


@by_both
async def test_to_be_cancelled_is_to_leave_in_good_order(
    side: int, autojump_clock: MockClock
) -> None:
    outcomes = set()
    for checkpoints in range(0, 240, 40):
        sitters = two()
        ends = memory_stream_pair()
        async with trio.open_nursery() as nursery:
            scope = trio.CancelScope()

            async def cancelled(
                one: Sitter = sitters[side],
                end: trio.abc.Stream = ends[side],
                scope: trio.CancelScope = scope,
            ) -> None:
                with scope:
                    await one.play(end)

            nursery.start_soon(cancelled)
            nursery.start_soon(sitters[1 - side].play, ends[1 - side])
            for _ in range(checkpoints):
                await trio.lowlevel.checkpoint()
            scope.cancel()
        outcome = sitters[1 - side].outcome
        if all(one.table.entries for one in sitters):  # else it was amid the handshake
            outcomes.add(type(outcome))
        assert_one_is_ahead(*sitters)
    assert LeftError in outcomes
    assert outcomes <= {LeftError, LinkLostError}  # the latter if it was amid a message


# --- giving up, and agreeing to ---------------------------------------------------------------


@by_both
async def test_one_may_resign_when_one_is_to_decide(side: int, autojump_clock: MockClock) -> None:
    players = [Player(chance=0), Player(chance=1)]
    players[side] = Player(choosing=after(2, Quit.RESIGN))
    sitters = two(*players)
    await play(sitters)
    assert_same_game(*sitters)
    result = sitters[HOST].table.result
    assert result is not None
    assert result.resigned
    assert result.winner == sitters[1 - side].table.player


@by_both
async def test_who_resigns_while_the_other_thinks_does_so_when_it_may_speak(
    side: int, autojump_clock: MockClock
) -> None:
    players = [Player(chance=0), Player(chance=1)]
    players[side] = Player(waiting=after(12, Quit.RESIGN))
    sitters = two(*players, seat=0)
    await play(sitters)
    assert_same_game(*sitters)
    result = sitters[HOST].table.result
    assert result is not None
    assert result.resigned
    assert result.winner == sitters[1 - side].table.player
    assert [n.text for n in players[side].of(Notice)] == [
        "That will be said as soon as you may speak."
    ]
    resign = next(entry for entry in sitters[HOST].table.entries if isinstance(entry.body, Resign))
    assert resign.author == side


@by_both
async def test_there_is_nothing_to_resign_before_the_seats_are_taken(
    side: int, autojump_clock: MockClock
) -> None:
    players = [Player(chance=0), Player(chance=1)]
    waits = iter([Quit.RESIGN, Quit.LEAVE])
    players[side] = Player(waiting=lambda asked: next(waits, None))
    sitters = two(*players, seat=None)
    await play(sitters)
    assert [n.text for n in players[side].of(Notice)] == ["There is no game to end now."]
    assert isinstance(sitters[side].outcome, LeftError)


@by_both
@pytest.mark.parametrize("thinking", [True, False])
async def test_both_may_agree_that_nobody_wins(
    side: int, thinking: bool, autojump_clock: MockClock
) -> None:
    players = [Player(chance=0, considering=True), Player(chance=1, considering=True)]
    proposing, calm = after(10, Quit.PROPOSE), after(-1, Quit.LEAVE)
    players[side] = Player(
        chance=side,
        choosing=proposing if thinking else calm,
        waiting=calm if thinking else proposing,
    )
    sitters = two(*players, seat=0)
    await play(sitters)
    assert_same_game(*sitters)
    result = sitters[HOST].table.result
    assert result is not None
    assert result.winner is None
    assert players[1 - side].times_considered == 1


@by_both
async def test_who_does_not_agree_plays_on_and_is_asked_once_a_move(
    side: int, autojump_clock: MockClock
) -> None:
    stubborn = Player(chance=1)
    players = [stubborn, stubborn]
    players[side] = Player(chance=side, choosing=lambda asked: Quit.PROPOSE if asked < 4 else None)
    sitters = two(*players, seat=0)
    await play(sitters)
    assert_same_game(*sitters)
    assert sitters[HOST].table.result is not None
    assert sitters[HOST].table.result.winner is not None
    assert stubborn.times_considered == 1
    assert len(players[side].of(Notice)) == 3


@by_both
async def test_one_may_leave_or_resign_instead_of_answering_a_proposal(
    side: int, autojump_clock: MockClock
) -> None:
    for answer in (Quit.LEAVE, Quit.RESIGN):
        players = [Player(considering=answer), Player(considering=answer)]
        players[side] = Player(choosing=after(0, Quit.PROPOSE))
        sitters = two(*players, seat=0)
        await play(sitters)
        if answer is Quit.LEAVE:
            assert isinstance(sitters[side].outcome, LeftError)
            assert_one_is_ahead(*sitters)
        else:
            assert_same_game(*sitters)
            result = sitters[HOST].table.result
            assert result is not None
            assert result.winner == sitters[side].table.player


# --- lines that break -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
async def test_a_game_survives_any_number_of_lines_and_restarts(
    seed: int, autojump_clock: MockClock
) -> None:
    rng = Random(seed)
    sitters = list(two(seat=None))
    lines = 0
    while not all(one.table.turn is Turn.DONE for one in sitters):
        lines += 1
        assert lines < 500
        streams: list[trio.abc.Stream] = list(memory_stream_pair())
        cut = rng.randrange(2)
        streams[cut] = CutStream(streams[cut], rng.choice((150, 700, 3_000, 20_000)))
        await play(sitters, streams)
        assert_one_is_ahead(*sitters)
        for one in sitters:
            done = one.table.result is not None and one.outcome is False
            assert done or isinstance(one.outcome, LinkLostError | HandshakeError)
        sitters = [one.again() if rng.random() < 0.5 else one for one in sitters]
    assert lines > 3
    assert_same_game(*sitters)


async def test_what_is_sent_again_is_byte_for_byte_what_was_sent_before(
    autojump_clock: MockClock,
) -> None:
    said: dict[tuple[int, int], bytes] = {}

    class Recorded(Sitter):
        def wrap(self, link: Link) -> Link:
            async def send(message: Message) -> None:
                if isinstance(message, Entries):
                    for raw in message.raws:
                        entry = Entry.decode(raw)
                        assert said.setdefault((entry.author, entry.number), raw) == raw
                await link.send(message)

            return spy(link, send=send)

    rng = Random(7)
    sitters: list[Sitter] = [Recorded(HOST), Recorded(GUEST)]
    while not all(one.table.turn is Turn.DONE for one in sitters):
        streams: list[trio.abc.Stream] = list(memory_stream_pair())
        cut = rng.randrange(2)
        streams[cut] = CutStream(streams[cut], rng.randrange(1_000, 20_000))
        await play(sitters, streams)
        sitters = [Recorded(one.side, kept=one.kept) for one in sitters]
    assert_same_game(*sitters)


@by_both
@pytest.mark.parametrize("missing", [1, 30])
async def test_a_side_that_has_lost_the_end_is_given_the_other_sides_part(
    side: int, missing: int, autojump_clock: MockClock
) -> None:
    whole = whole_record()
    place = len(whole) - missing
    while Entry.decode(whole[place]).author == side:
        place += 1
        if place == len(whole):
            return
    # An entry of its own is never sent before it is stored, so it ends before one of the other's.
    ends = [place, place]
    ends[1 - side] += 1
    sitters = [Sitter(one, kept=whole[: ends[one]], seat=0) for one in SIDES]
    await play(sitters)
    assert_same_game(*sitters)
    assert sitters[HOST].kept[: place + 1] == whole[: place + 1]


async def test_two_who_have_the_whole_record_part_at_once(autojump_clock: MockClock) -> None:
    resumed = [Sitter(side, kept=whole_record(), seat=0) for side in SIDES]
    await play(resumed)
    assert [one.outcome for one in resumed] == [False, False]
    assert [len(one.player.of(Ended)) for one in resumed] == [1, 1]


async def test_a_resumed_game_is_told_from_where_it_stands(autojump_clock: MockClock) -> None:
    sitters = two(Player(chance=0), Player(choosing=after(8, Quit.LEAVE)), seat=0)
    await play(sitters)
    resumed = [one.again(Player(choosing=after(0, Quit.RESIGN)), seat=0) for one in sitters]
    await play(resumed)
    for one in resumed:
        assert isinstance(one.player.told[0], Seated)
        assert isinstance(one.player.told[1], Moved)
        assert len(one.player.told[1].events) <= 12


@by_both
@pytest.mark.parametrize("longer", [0, 1, 3])
async def test_records_that_differ_are_refused_by_who_sees_it(
    side: int, longer: int, autojump_clock: MockClock
) -> None:
    whole = whole_record()
    place = next(
        entry.number
        for entry in map(Entry.decode, whole)
        if isinstance(entry.body, Act) and entry.author == side and entry.number > 40
    )
    table = Table.replay(whole[:place], GAMES, ours(side, seat=0))
    old = Entry.decode(whole[place]).body
    assert isinstance(old, Act)
    other = next(action for action in table.game.pending.actions if action != old.action)  # type: ignore[union-attr]
    table.act(other)
    sitters = [Sitter(HOST, seat=0), Sitter(GUEST, seat=0)]
    liar = [entry.raw for entry in table.entries]
    sitters[side] = Sitter(side, kept=liar, seat=0)
    sitters[1 - side] = Sitter(1 - side, kept=whole[: place + 1 + longer], seat=0)
    await play(sitters)
    honest = sitters[1 - side].outcome
    assert isinstance(honest, RemoteProtocolError | RefusedError)
    assert isinstance(sitters[side].outcome, RemoteProtocolError | RefusedError)
    if isinstance(honest, RemoteProtocolError):
        assert honest.fault is Fault.BROKEN_CHAIN
    assert sitters[1 - side].kept == whole[: place + 1 + longer]


async def test_two_who_are_at_different_games_say_so_and_keep_both(
    autojump_clock: MockClock,
) -> None:
    both = [two(Player(choosing=after(1, Quit.LEAVE)), seat=0, salt=salt) for salt in "ab"]
    for pair in both:
        await play(pair)
    kept = [pair[HOST].kept[:] for pair in both]
    mixed = [both[side][side].again(seat=0, salt="ab"[side]) for side in SIDES]
    await play(mixed)
    for one in mixed:
        assert isinstance(one.outcome, LeftError)
    assert [pair[HOST].kept for pair in both] == kept


# --- cheating ---------------------------------------------------------------------------------


def flipped(data: bytes, place: int = 0) -> bytes:
    altered = bytearray(data)
    altered[place] ^= 1
    return bytes(altered)


def last_of(before: Sequence[Entry], author: int) -> Entry:
    return next(entry for entry in reversed(before) if entry.author == author)


def bad_share(entry: Entry, before: Sequence[Entry]) -> Sequence[bytes]:
    assert isinstance(entry.body, Share)
    body = replace(entry.body, proof=flipped(entry.body.proof, 3))
    return [sign(entry, body=body)]


def bad_shuffle(entry: Entry, before: Sequence[Entry]) -> Sequence[bytes]:
    assert isinstance(entry.body, Shuffle)
    body = replace(entry.body, cards=b"\xff" * len(entry.body.cards))
    return [sign(entry, body=body)]


def another_story(entry: Entry, before: Sequence[Entry]) -> Sequence[bytes]:
    earlier = last_of(before, entry.author)
    return [entry.raw, sign(earlier, state=bytes(32))]


def wide_content(entry: Entry, before: Sequence[Entry]) -> Sequence[bytes]:
    content: Any = (entry.number, 7, entry.previous, entry.kind, entry.body.values(), entry.state)
    return [sign_content(content, IDENTITIES[entry.author])]


CHEATS: dict[str, tuple[Kind, Make, Fault, bool]] = {
    "an action that is none": (
        Kind.ACT,
        lambda entry, _: [sign(entry, body=Act(4_000))],
        Fault.ILLEGAL_ACTION,
        True,
    ),
    "an action that is not possible now": (
        Kind.ACT,
        lambda entry, _: [sign(entry, body=Act(36))],
        Fault.ILLEGAL_ACTION,
        True,
    ),
    "two entries for one": (
        Kind.SHARE,
        lambda e, _: [e.raw, sign(e, number=e.number + 1, previous=e.head, body=Commit(bytes(32)))],
        Fault.UNEXPECTED,
        True,
    ),
    "another kind": (
        Kind.ACT,
        lambda entry, _: [sign(entry, body=Commit(bytes(32)))],
        Fault.UNEXPECTED,
        True,
    ),
    "an entry left out": (
        Kind.ACT,
        lambda entry, _: [sign(entry, number=entry.number + 1)],
        Fault.BROKEN_CHAIN,
        True,
    ),
    "another past": (
        Kind.ACT,
        lambda entry, _: [sign(entry, previous=bytes(32))],
        Fault.BROKEN_CHAIN,
        True,
    ),
    "another state": (
        Kind.ACT,
        lambda entry, _: [sign(entry, state=bytes(32))],
        Fault.STATE_MISMATCH,
        True,
    ),
    "a stranger's signature": (
        Kind.ACT,
        lambda entry, _: [sign(entry, STRANGER)],
        Fault.BAD_SIGNATURE,
        False,
    ),
    "two stories": (Kind.ACT, another_story, Fault.EQUIVOCATION, True),
    "our own entry": (
        Kind.ACT,
        lambda entry, before: [last_of(before, 1 - entry.author).raw],
        Fault.REFLECTION,
        False,
    ),
    "an entry in our name": (
        Kind.ACT,
        lambda e, _: [sign(e, IDENTITIES[e.author], author=1 - e.author)],
        Fault.REFLECTION,
        False,
    ),
    "a broken proof": (Kind.SHARE, bad_share, Fault.BAD_PROOF, True),
    "another deck": (Kind.SHUFFLE, bad_shuffle, Fault.BAD_ELEMENT, True),
    "noise": (Kind.ACT, lambda entry, _: [b"\xc1" * 50], Fault.MALFORMED, False),
    "nothing": (Kind.ACT, lambda entry, _: [b""], Fault.MALFORMED, False),
    "a side that isn't": (Kind.ACT, wide_content, Fault.MALFORMED, False),
}


@by_both
@pytest.mark.parametrize("name", CHEATS)
async def test_who_cheats_is_found_out_at_once(
    name: str, side: int, autojump_clock: MockClock
) -> None:
    kind, make, fault, is_signed = CHEATS[name]
    sitters: list[Sitter] = [Sitter(HOST), Sitter(GUEST)]
    cheat = sitters[side] = Cheat(side, at_the_second(kind, make))
    await play(sitters)
    honest = sitters[1 - side]
    error = honest.outcome
    assert cheat.has_cheated
    assert isinstance(error, RemoteProtocolError), error
    assert error.fault is fault
    assert error.side == side
    assert bool(error.evidence) is is_signed
    assert honest.kept == [entry.raw for entry in honest.table.entries]
    told = cheat.outcome
    assert isinstance(told, RefusedError)
    assert fault.value in str(told)
    if is_signed:
        kept = honest.kept
        with pytest.raises(RemoteProtocolError) as caught:
            Table.replay([*kept, *(raw for raw in error.evidence if raw not in kept)], GAMES)
        assert caught.value.fault is fault
        assert caught.value.side == side


UNEXPECTED: dict[str, Message] = {
    "how far it is, again": Sync(None, 0, bytes(32)),
    "hello, again": Hello("whitby/1", bytes(32), bytes(64)),
    "another game, in the middle of this": Again(),
}


@by_both
@pytest.mark.parametrize("name", UNEXPECTED)
async def test_messages_at_the_wrong_time_are_refused(
    name: str, side: int, autojump_clock: MockClock
) -> None:
    error, refusal = await opposite_of(side, [UNEXPECTED[name]])
    assert isinstance(error, RemoteProtocolError)
    assert error.fault is Fault.UNEXPECTED
    assert error.side == 1 - side
    assert isinstance(refusal, Refusal)
    assert refusal.fault == Fault.UNEXPECTED.value


async def opposite_of(
    side: int, messages: Sequence[Message], *, sync: Message | None = None
) -> tuple[Any, Message | None]:
    """How `side`, before its first entry, takes these messages, and what it says at last."""
    one = Sitter(side)
    last: Message | None = None
    async with two_links() as links:

        async def sit_down() -> None:
            try:
                one.outcome = await one.sitting.play(links[side])
            except Exception as error:
                one.outcome = error  # type: ignore[assignment]
            links[side].close()

        async with background(sit_down):
            await links[1 - side].send(sync or Sync(None, 0, bytes(32)))
            for message in messages:
                await links[1 - side].send(message)
            await wait_all_tasks_blocked()
            for _ in range(10):
                with trio.move_on_after(1):
                    last = await links[1 - side].receive()
            await trio.sleep(1)
    return one.outcome, last


@by_both
@pytest.mark.parametrize("first", [Entries((b"\0",)), Again(), Clock(1), Bye(0), Refusal("x", "y")])
async def test_before_anything_else_both_say_how_far_they_are(
    side: int, first: Message, autojump_clock: MockClock
) -> None:
    outcome, last = await opposite_of(side, [], sync=first)
    assert isinstance(outcome, RemoteProtocolError | LeftError | RefusedError)
    if isinstance(outcome, RemoteProtocolError):
        assert isinstance(last, Refusal)


@by_both
async def test_the_words_of_a_refusal_are_made_harmless(
    side: int, autojump_clock: MockClock
) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\r\n\u202e"
    outcome, _ = await opposite_of(side, [Refusal(hostile, hostile)])
    assert isinstance(outcome, RefusedError)
    assert "owned" in str(outcome)
    assert str(outcome).isprintable()


@by_both
async def test_a_side_that_claims_to_have_everything_gets_nothing_for_it(
    side: int, autojump_clock: MockClock
) -> None:
    """It says that it has sixty thousand entries, and sends none of them."""
    outcome, _ = await opposite_of(side, [Bye(Reason.LEFT)], sync=Sync(None, 60_000, b"\1" * 32))
    assert isinstance(outcome, LeftError)


async def test_an_offer_of_a_game_that_we_do_not_have_is_declined(
    autojump_clock: MockClock,
) -> None:
    host, guest = two()
    games = {"chess/1": GAMES[DRACULA_VS_VAN_HELSING]}
    host.take_seat(Table(games, ours(HOST, game="chess/1")))
    await play((host, guest))
    assert isinstance(guest.outcome, IncompatibleError)
    assert "chess/1" in str(guest.outcome)
    assert isinstance(host.outcome, LeftError)
    assert "declined" in str(host.outcome)


# --- after the result -------------------------------------------------------------------------


@pytest.mark.parametrize("lost", range(1, 4))
async def test_the_end_of_a_record_is_resent_until_both_are_known_to_have_it(
    lost: int, autojump_clock: MockClock
) -> None:
    class Stammering(Sitter):
        """Its last entries don't arrive, and then its line is cut."""

        def wrap(self, link: Link) -> Link:
            async def send(message: Message) -> None:
                if isinstance(message, Entries) and self.table.result is not None:
                    self.left -= 1
                    if self.left >= 0:
                        raise LinkLostError("Cut.")
                await link.send(message)

            return spy(link, send=send)

        left = lost

    resigning = Player(choosing=after(0, Quit.RESIGN))
    sitters = Sitter(HOST, resigning), Stammering(GUEST, resigning)
    for _ in range(lost):
        await play(sitters)
        assert not any(sitter.is_complete for sitter in sitters)
    await play(sitters)
    assert all(sitter.is_complete for sitter in sitters)
    assert all(sitter.outcome is False for sitter in sitters)
    assert sitters[HOST].kept == sitters[GUEST].kept


@by_both
@pytest.mark.parametrize("farewell", [None, Bye(Reason.LEFT), Bye(Reason.DONE)])
async def test_who_goes_without_showing_its_key_does_not_change_the_result(
    side: int, farewell: Message | None, autojump_clock: MockClock
) -> None:
    class Sulking(Sitter):
        def wrap(self, link: Link) -> Link:
            async def send(message: Message) -> None:
                if isinstance(message, Entries):
                    open_ = [r for r in message.raws if Entry.decode(r).kind is not Kind.UNSEAL]
                    if len(open_) < len(message.raws):
                        if open_:
                            await link.send(Entries(tuple(open_)))
                        if farewell is not None:
                            await link.send(farewell)
                        raise LinkLostError("I have gone.")
                await link.send(message)

            return spy(link, send=send)

    sitters: list[Sitter] = [Sitter(HOST), Sitter(GUEST)]
    sitters[side] = Sulking(side)
    await play(sitters)
    honest = sitters[1 - side]
    if farewell is None:
        assert isinstance(honest.outcome, LinkLostError), "its line may be back in a moment"
    else:
        assert honest.outcome is False
    assert honest.table.result is not None
    assert honest.table.turn is Turn.WAIT
    assert not honest.is_complete
    assert len(honest.player.of(Ended)) == 1


async def test_to_wait_for_a_goodbye_takes_no_longer_than_it_should(
    autojump_clock: MockClock,
) -> None:
    class Silent(Sitter):
        def wrap(self, link: Link) -> Link:
            async def send(message: Message) -> None:
                if not isinstance(message, Bye):
                    await link.send(message)

            async def receive() -> Message:
                message = await link.receive()
                if isinstance(message, Bye):
                    await trio.sleep(10 * FAREWELL_SECONDS)
                return message

            return spy(link, send=send, receive=receive)

    resigning = Player(choosing=after(0, Quit.RESIGN))
    host, guest = Sitter(HOST, resigning), Silent(GUEST, resigning)
    ends = memory_stream_pair()
    async with background(partial(guest.play, ends[GUEST])):
        await host.play(ends[HOST])
    assert isinstance(host.outcome, LinkLostError)
    assert not host.is_complete, "nobody knows whether the guest has the end of the record"
    assert trio.current_time() <= FAREWELL_SECONDS + LINGER_SECONDS + 1


# --- time -------------------------------------------------------------------------------------


def slow(seconds: float) -> type[Player]:
    """A player who takes so long to decide."""

    class Slow(Player):
        async def choose(self, view: Any) -> Any:
            await trio.sleep(seconds)
            return await super().choose(view)

    return Slow


async def test_clocks_run_for_who_thinks_and_both_agree_on_them(autojump_clock: MockClock) -> None:
    host, guest = two(slow(10)(chance=0), slow(2)(chance=1), seat=0, clock=(3_600, 1))
    await play((host, guest))
    assert_same_game(host, guest)
    for one in (host, guest):
        decisions = [
            sum(e.author == side and e.kind is Kind.ACT for e in one.table.entries)
            for side in SIDES
        ]
        assert one.clocks.used(HOST) == pytest.approx(10 * decisions[HOST], abs=1)
        assert one.clocks.used(GUEST) == pytest.approx(2 * decisions[GUEST], abs=1)
        assert one.player.of(Ticking)
        assert one.player.of(Ticking)[0].left == pytest.approx((3_600, 3_600), abs=1)


@by_both
async def test_who_oversteps_its_time_can_be_claimed_against(
    side: int, autojump_clock: MockClock
) -> None:
    players: list[Player] = [Player(), Player()]
    players[1 - side] = slow(100_000)()
    claimed = iter(range(100))

    class Impatient(Player):
        async def wait(self, view: Any) -> Quit:
            if view is None or next(claimed) > 40:
                await trio.sleep_forever()
            await trio.sleep(20)
            return Quit.CLAIM

    players[side] = Impatient()
    sitters = two(*players, seat=0, clock=(60, 0))
    await play(sitters)
    for one in sitters:
        assert isinstance(one.outcome, LeftError)
        (claim,) = one.claims
        assert claim.side == side
        assert claim.ground is Ground.TIME
        assert claim.seconds > 60 + GRACE_SECONDS
        claim.check_signature(IDENTITIES[side].public)
    assert all("nothing to claim yet" in n.text for n in players[side].of(Notice))
    assert players[side].of(Notice)


@by_both
async def test_who_stays_away_can_be_claimed_against(side: int, autojump_clock: MockClock) -> None:
    players = [Player(), Player()]
    players[1 - side] = Player(choosing=after(1, Quit.LEAVE))
    sitters = two(*players, seat=0)
    await play(sitters)
    asked = iter(range(100))

    class Impatient(Player):
        async def wait(self, view: Any) -> Quit:
            await trio.sleep(50)
            return Quit.CLAIM if next(asked) < 90 else Quit.LEAVE

    lonely = sitters[side].again(Impatient(), seat=0)
    with pytest.raises(LeftError, match="You have claimed the game"):
        await lonely.sitting.wait()
    assert len(lonely.player.of(Notice)) == 2
    (claim,) = lonely.claims
    assert claim.ground is Ground.ABSENCE
    assert claim.seconds >= ABSENCE_SECONDS


async def test_one_who_waits_alone_may_leave(autojump_clock: MockClock) -> None:
    wishes = (Quit.RESIGN, Quit.CLAIM, Quit.LEAVE)
    one = Sitter(HOST, Player(waiting=lambda asked: wishes[asked]))
    await one.sitting.wait()
    assert len(one.player.of(Notice)) == 2


@by_both
async def test_claims_that_are_not_what_they_seem_are_refused(
    side: int, autojump_clock: MockClock
) -> None:
    first = two(Player(choosing=after(4, Quit.LEAVE)), seat=0)
    await play(first)
    other = 1 - side
    table = first[side].table

    def claim(**changes: Any) -> bytes:
        fields = {
            "game_id": table.game_id,
            "side": other,
            "count": 1,
            "head": bytes(32),
            "ground": Ground.TIME,
            "seconds": 1,
            "made": 1,
            "identity": IDENTITIES[other],
        }
        return Claim.sign(**{**fields, **changes}).encode()

    for raw, fault in (
        (b"", Fault.MALFORMED),
        (claim()[:-1], Fault.MALFORMED),
        (claim(identity=STRANGER), Fault.BAD_SIGNATURE),
        (claim(game_id=bytes(32)), Fault.UNEXPECTED),
        (claim(side=side), Fault.UNEXPECTED),
    ):
        one = first[side].again(seat=0)
        async with two_links() as links:
            await links[other].send(Sync(table.game_id, len(table.entries), table.head))
            await links[other].send(Claimed(raw))
            with pytest.raises(RemoteProtocolError) as caught:
                await one.sitting.play(links[side])
            assert caught.value.fault is fault
        assert not one.claims
