"""Series of games over lines that break at the worst moments, found by the simulation."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from peer import playing
from peer.errors import StoreError
from peer.invitation import Invitation
from peer.link import Link, LinkLostError
from peer.playing import Listen, Offering
from peer.seat import Quit
from peer.series import AFTERWARDS_SECONDS, Played, Profile
from peer.sitting import DeclinedError, LeftError
from peer.store import Status, Store
from peer.tasks import background
from peer.world import World
from protocol.entries import Accept, Entry, Kind, Unseal
from protocol.line import Again, Chat, Entries, Message
from protocol.script import GUEST, HOST
from tests.peer.sitters import Player, at_once
from tests.simulation.fate import Fate
from tests.simulation.network import ADDRESS, Fabric, Nic

SIDES = (HOST, GUEST)
NAMES = ("host", "guest")
by_both = pytest.mark.parametrize("side", SIDES, ids=NAMES)


class Loser(Player):
    """Resigns at its first decision, and plays again so often."""

    def __init__(self, games: int = 1) -> None:
        super().__init__(choosing=lambda times: Quit.RESIGN)
        self._left = games - 1

    async def again(self) -> bool:
        await trio.lowlevel.checkpoint()
        self._left -= 1
        return self._left >= 0


class Pair:
    """Host and guest, their stores, and the network between them, which can be cut."""

    def __init__(self, root: Path) -> None:
        self.fabric = Fabric(Fate(0, until=0))
        self.players: list[Player] = [Loser(), Loser()]
        self.invitation: Invitation | None = None
        self.announced = trio.Event()
        self.homes = [root / name for name in NAMES]
        for home in self.homes:
            home.mkdir()
        self.stores = [Store.open(home) for home in self.homes]

    def profile(self, side: int) -> Profile:
        world = World(work=at_once, network=Nic(self.fabric, NAMES[side]))
        return Profile(self.stores[side], self.homes[side], self.players[side], world=world)

    def sender(self, link: Link) -> int:
        """Who sends over this end of a line."""
        return GUEST if link.identity == self.stores[HOST].identity().public else HOST

    async def host(self) -> list[Played]:
        where = Listen(None, 0, ((ADDRESS, None),))
        return await playing.host(self.profile(HOST), where, Offering(), self._invite)

    def _invite(self, invitation: Invitation) -> None:
        self.invitation = invitation
        self.announced.set()

    async def join(self) -> list[Played]:
        await self.announced.wait()
        assert self.invitation is not None
        return await playing.join(self.profile(GUEST), self.invitation)

    async def resume(self, side: int) -> list[Played]:
        row = self.stores[side].game(1)
        where = Listen(None, row.port or 0, ((ADDRESS, None),)) if side == HOST else None
        return await playing.resume(self.profile(side), row, where=where)

    async def play(self) -> list[list[Played]]:
        """Both play until it is over for both; what each has played."""
        return await both(self.host, self.join)

    def assert_complete(self, *numbers: int) -> None:
        """See that these games, and no others, are complete on both sides, and equal."""
        for store in self.stores:
            assert [row.number for row in store.games()] == sorted(numbers, reverse=True)
        for number in numbers:
            rows = [store.game(number) for store in self.stores]
            assert [row.status for row in rows] == [Status.COMPLETE] * 2
            host, guest = (store.entries(number) for store in self.stores)
            assert host == guest


async def both(
    host: Callable[[], Awaitable[list[Played]]], guest: Callable[[], Awaitable[list[Played]]]
) -> list[list[Played]]:
    results: list[list[Played]] = [[], []]

    async def run(side: int) -> None:
        results[side] = await (host, guest)[side]()

    with trio.fail_after(3_600):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run, HOST)
            nursery.start_soon(run, GUEST)
    return results


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    two = Pair(tmp_path)
    yield two
    for store in two.stores:
        store.close()


Sent = Callable[[int, Message], bool]


@pytest.fixture
def cut(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> Callable[[Sent], list[Message]]:
    """Break the line at the first message of some kind, which is lost."""

    def cut_at(is_it: Sent) -> list[Message]:
        send = Link.send
        lost: list[Message] = []

        async def send_or_cut(link: Link, message: Message) -> None:
            if not lost and is_it(pair.sender(link), message):
                lost.append(message)
                pair.fabric.cut()
            else:
                await send(link, message)

        monkeypatch.setattr(Link, "send", send_or_cut)
        return lost

    return cut_at


def has(kind: type[Any]) -> Sent:
    """Whether a message brings an entry of this kind."""
    return lambda _, message: (
        isinstance(message, Entries)
        and any(isinstance(Entry.decode(raw).body, kind) for raw in message.raws)
    )


async def test_a_host_keeps_waiting_for_a_guest_whose_acceptance_was_lost(
    pair: Pair, autojump_clock: MockClock, cut: Callable[[Sent], list[Message]]
) -> None:
    lost = cut(has(Accept))
    await pair.play()
    assert lost
    pair.assert_complete(1)
    (entries,) = [message.raws for message in lost if isinstance(message, Entries)]
    assert pair.stores[HOST].entries(1)[1] == entries[0], "sent again, not made again"


async def test_a_host_keeps_an_offer_that_may_have_been_accepted(
    pair: Pair, autojump_clock: MockClock, cut: Callable[[Sent], list[Message]]
) -> None:
    cut(has(Accept))
    pair.players[HOST] = Player(waiting=lambda times: Quit.LEAVE if times == 2 else None)
    async with background(partial(_until_cancelled, pair.join)):
        with pytest.raises(LeftError):
            await pair.host()
        (row,) = pair.stores[HOST].games()
        assert row.game_id is None
        pair.players[HOST] = Loser()
        (played,) = await pair.resume(HOST)
        await trio.sleep(10)
    assert played.table.result is not None
    pair.assert_complete(1)


async def _until_cancelled(play: Callable[[], Awaitable[object]]) -> None:
    await play()
    await trio.sleep_forever()


async def test_an_offer_to_a_guest_who_leaves_without_accepting_is_forgotten(
    pair: Pair, autojump_clock: MockClock
) -> None:
    pair.players[GUEST] = Player(waiting=lambda times: Quit.LEAVE if times == 1 else None)

    async def leave(play: Callable[[], Awaitable[object]], error: type[LeftError]) -> list[Played]:
        with pytest.raises(error):
            await play()
        return []

    await both(partial(leave, pair.host, DeclinedError), partial(leave, pair.join, LeftError))
    assert [store.games() for store in pair.stores] == [[], []]


async def test_what_could_not_be_stored_is_not_sent_back(
    pair: Pair, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaving = trio.CancelScope()

    def fail(game: int, entries: Sequence[Entry]) -> None:
        if entries:
            monkeypatch.undo()
            leaving.cancel()
            raise StoreError("The disk is full.")

    async def join() -> list[Played]:
        with suppress(StoreError), leaving:
            await pair.join()
        return await pair.join()

    monkeypatch.setattr(pair.stores[GUEST], "append", fail)

    async def host() -> list[Played]:
        with suppress(DeclinedError):
            return await pair.host()
        return await pair.host()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(host)
        await join()
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("count", [1, 2])
async def test_the_end_of_a_record_follows_when_the_line_is_back(
    pair: Pair, autojump_clock: MockClock, cut: Callable[[Sent], list[Message]], count: int
) -> None:
    unseals = iter(range(1, 3))
    lost = cut(lambda side, message: has(Unseal)(side, message) and next(unseals) == count)
    played = await pair.play()
    assert lost
    assert [len(games) for games in played] == [1, 1]
    pair.assert_complete(1)


@by_both
async def test_nobody_waits_for_ever_for_the_end_of_a_record(
    pair: Pair, autojump_clock: MockClock, cut: Callable[[Sent], list[Message]], side: int
) -> None:
    leaving = trio.CancelScope()

    def is_key_of_the_other(sender: int, message: Message) -> bool:
        if sender != side and has(Unseal)(sender, message):
            leaving.cancel()
        return leaving.cancel_called

    async def go() -> list[Played]:
        with leaving:
            await (pair.host, pair.join)[1 - side]()
        return []

    cut(is_key_of_the_other)
    results = await both(*((pair.host, go) if side == HOST else (go, pair.join)))
    assert trio.current_time() > AFTERWARDS_SECONDS
    (played,) = results[side]
    assert played.table.result is not None
    assert pair.stores[side].game(1).status is Status.OVER


@by_both
async def test_who_has_not_heard_that_both_play_again_follows_the_other_into_the_next_game(
    pair: Pair, autojump_clock: MockClock, cut: Callable[[Sent], list[Message]], side: int
) -> None:
    pair.players = [Loser(games=3), Loser(games=3)]
    wishes: set[int] = set()

    def is_second_wish(sender: int, message: Message) -> bool:
        if isinstance(message, Again):
            wishes.add(sender)
        return isinstance(message, Again) and sender == side and len(wishes) == 2

    lost = cut(is_second_wish)
    await pair.play()
    assert lost
    assert {row.number for row in pair.stores[HOST].games()} >= {1, 2}
    pair.assert_complete(*(row.number for row in pair.stores[HOST].games()))


async def test_a_word_on_its_way_while_the_next_game_begins_is_nobodys_fault(
    pair: Pair, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = Link.send

    async def send_and_chat(link: Link, message: Message) -> None:
        await send(link, message)
        if isinstance(message, Again):
            await send(link, Chat("Another one!"))

    monkeypatch.setattr(Link, "send", send_and_chat)
    pair.players = [Loser(games=2), Loser(games=2)]
    await pair.play()
    pair.assert_complete(1, 2)


@pytest.mark.parametrize("method", ["describe", "finish", "complete"])
async def test_what_a_crash_has_left_undone_is_done_when_the_game_is_taken_up(
    pair: Pair, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    guest = pair.stores[GUEST]
    append = guest.append

    def append_and_break(game: int, entries: Sequence[Entry]) -> None:
        append(game, entries)
        kinds = [Entry.decode(raw).kind for raw in guest.entries(game)]
        if kinds.count(Kind.UNSEAL) == 2:
            monkeypatch.setattr(guest, method, fail)

    def fail(*arguments: object, **values: object) -> None:
        raise StoreError("The disk is full.")

    monkeypatch.setattr(guest, "append", append_and_break)
    pair.players[GUEST] = Player()  # the host resigns, and so shows its key last

    async def join() -> list[Played]:
        with pytest.raises(StoreError):
            await pair.join()
        return []

    await both(pair.host, join)
    assert guest.game(1).status is not Status.COMPLETE
    monkeypatch.undo()
    (played,) = await pair.resume(GUEST)
    assert played.number == 1
    assert guest.game(1).status is Status.COMPLETE
    assert guest.game(1).result == played.table.result
    assert guest.entries(1) == pair.stores[HOST].entries(1)


async def test_two_processes_never_accept_one_offer(pair: Pair, autojump_clock: MockClock) -> None:
    async def join_in_two_windows() -> list[Played]:
        played: list[Played] = []

        async def join() -> None:
            with suppress(StoreError, LinkLostError):
                played.extend(await pair.join())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(join)
            nursery.start_soon(join)
        return played or await pair.join()

    _, played = await both(pair.host, join_in_two_windows)
    assert len(played) == 1
    (row,) = pair.stores[GUEST].games()
    assert row.status is Status.COMPLETE
    assert pair.stores[GUEST].entries(row.number) == pair.stores[HOST].entries(1)


@by_both
async def test_a_second_process_changes_nothing_of_a_game_that_is_played(
    pair: Pair, autojump_clock: MockClock, side: int
) -> None:
    pair.players = [Player(choosing=lambda times: Quit.LEAVE) for _ in SIDES]

    async def leave(play: Callable[[], Awaitable[object]]) -> list[Played]:
        with pytest.raises(LeftError):
            await play()
        return []

    await both(partial(leave, pair.host), partial(leave, pair.join))
    before = pair.stores[side].game(1)
    elsewhere = Listen(None, 0, (("elsewhere.example", None),))
    with pair.stores[side].lock(1), pytest.raises(StoreError, match="another whitby"):
        await playing.resume(
            pair.profile(side), before, where=elsewhere, announce=lambda _: pytest.fail("told")
        )
    assert pair.stores[side].game(1) == before
