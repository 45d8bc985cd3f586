"""What the tests of sittings share: seats that decide by a script, and two who sit down together.

Nothing here uses threads, so time may be simulated.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar, cast

import trio
from trio.testing import memory_stream_pair

from engine.actions import CALL
from engine.state import State
from peer.clocks import Clocks
from peer.errors import PeerError
from peer.games import GAMES
from peer.invitation import Invitation
from peer.link import Link
from peer.seat import News, Quit, Seat
from peer.sitting import Sitting
from protocol.claim import Claim, Ground
from protocol.entries import Entry, Kind
from protocol.errors import ProtocolError
from protocol.line import Entries, Message
from protocol.script import GUEST, HOST
from protocol.table import Table
from tests.peer.helpers import INVITATION, meet, ours
from tests.protocol.helpers import IDENTITIES

T = TypeVar("T")
Asked = Callable[[int], Any]
"""What to answer, given how often one was asked before; None: nothing special."""


def never(times: int) -> None:
    return None


def after(times: int, quit_: Quit) -> Callable[[int], Quit | None]:
    """Quit, once, after having been asked so often."""
    return lambda asked: quit_ if asked == times else None


class Player(Seat):
    """A seat that decides at once, remembers what it was told, and quits when it is to.

    It takes any action, but the one that ends the round soonest where there is one.
    """

    def __init__(
        self,
        *,
        chance: int = 0,
        choosing: Asked = never,
        waiting: Asked = never,
        considering: bool | Quit = False,
        again: bool = False,
    ) -> None:
        self.told: list[News] = []
        self.times_chosen = 0
        self.times_waited = 0
        self.times_considered = 0
        self._rng = Random(chance)
        self._choosing = choosing
        self._waiting = waiting
        self._considering = considering
        self._again = again

    def tell(self, news: News) -> None:
        self.told.append(news)

    def of(self, kind: type[T]) -> list[T]:
        """All news of one kind."""
        return [news for news in self.told if isinstance(news, kind)]

    async def choose(self, view: State) -> int | Quit:
        await trio.lowlevel.checkpoint()
        self.times_chosen += 1
        special: int | Quit | None = self._choosing(self.times_chosen - 1)
        if special is not None:
            return special
        return CALL if CALL in view.actions else self._rng.choice(view.actions)

    async def consider(self, view: State) -> bool | Quit:
        await trio.lowlevel.checkpoint()
        self.times_considered += 1
        return self._considering

    async def wait(self, view: State | None) -> Quit:
        self.times_waited += 1
        special: Quit | None = self._waiting(self.times_waited - 1)
        if special is not None:
            return special
        await trio.sleep_forever()
        raise AssertionError

    async def words(self) -> str:
        await trio.sleep_forever()
        raise AssertionError

    async def again(self) -> bool:
        await trio.lowlevel.checkpoint()
        return self._again


def spy(link: Link, **methods: Any) -> Link:
    """`link` with some of its methods replaced."""
    return cast(Link, _Spy(link, methods))


class _Spy:
    def __init__(self, link: Link, methods: dict[str, Any]) -> None:
        self.__dict__.update(methods)
        self._link = link

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)


async def at_once(task: Callable[[], T]) -> T:
    """Do something that takes a while, without a thread."""
    await trio.lowlevel.checkpoint()
    return task()


class Sitter:
    """One side of a game: its table, its seat, what it has stored, and how it went on each line.

    `kept` is what it has stored before, if it comes back after a restart.
    """

    def __init__(
        self,
        side: int,
        player: Player | None = None,
        *,
        kept: Sequence[bytes] = (),
        **terms: Any,
    ) -> None:
        self.side = side
        self.player = player or Player(chance=side)
        self.kept = list(kept)
        self.claims: list[Claim] = []
        self.is_complete = False
        self.clocks = Clocks(trio.current_time)
        self.outcome: bool | PeerError | ProtocolError | None = None
        self.take_seat(Table.replay(kept, GAMES, ours(side, **terms)))

    def take_seat(self, table: Table[State]) -> None:
        """Sit down at this table."""
        self.table = table
        self.sitting = Sitting(table, self.player, self, self.clocks, at_once)

    # Satisfies `peer.sitting.Book`, and takes a moment for it.

    async def keep(self) -> None:
        await trio.lowlevel.checkpoint()
        self.kept += [entry.raw for entry in self.table.entries[len(self.kept) :]]
        await trio.lowlevel.checkpoint()

    async def complete(self) -> None:
        await trio.lowlevel.checkpoint()
        self.is_complete = True

    async def make_claim(self, ground: Ground, seconds: float) -> Claim:
        table = self.table
        claim = Claim.sign(
            table.game_id,
            self.side,
            len(table.entries),
            table.head,
            ground,
            round(seconds),
            0,
            IDENTITIES[self.side],
        )
        await self.keep_claim(claim)
        return claim

    async def keep_claim(self, claim: Claim) -> None:
        self.claims.append(claim)

    async def play(self, stream: trio.abc.Stream, invitation: Invitation = INVITATION) -> None:
        """Play over one line.  Whatever a caller has to expect of it is kept as `outcome`."""
        self.outcome = None
        try:
            async with meet(stream, self.side, invitation=invitation) as link:
                self.outcome = await self.sitting.play(self.wrap(link))
        except (PeerError, ProtocolError) as error:
            self.outcome = error

    def wrap(self, link: Link) -> Link:
        """Something between the line and the sitting, for those who want to look."""
        return link

    def again(self, player: Player | None = None, **terms: Any) -> "Sitter":
        """The same side after a restart: all that it has is what it stored."""
        return Sitter(self.side, player, kept=self.kept, **terms)


def two(
    host: Player | None = None, guest: Player | None = None, **terms: Any
) -> tuple[Sitter, Sitter]:
    """Host and guest before a new game."""
    return Sitter(HOST, host, **terms), Sitter(GUEST, guest, **terms)


async def play(sitters: Sequence[Sitter], streams: Sequence[trio.abc.Stream] | None = None) -> None:
    """Let two sit down with each other, until it is over for both."""
    ends = streams or memory_stream_pair()
    with trio.fail_after(3_600):  # of simulated time
        async with trio.open_nursery() as nursery:
            for one, stream in zip(sitters, ends, strict=True):
                nursery.start_soon(one.play, stream)


class Cheat(Sitter):
    """Plays as it should, but what it sends goes through `forge`, which says what is sent.

    `forge` is given an entry that is due and all before it; None: this one is not for us.
    """

    def __init__(self, side: int, forge: "Forge", **terms: Any) -> None:
        super().__init__(side, **terms)
        self._forge = forge
        self.has_cheated = False

    def wrap(self, link: Link) -> Link:
        async def send(message: Message) -> None:
            if isinstance(message, Entries) and not self.has_cheated:
                raws: list[bytes] = []
                for raw in message.raws:
                    entry = Entry.decode(raw)
                    forged = self._forge(entry, self.table.entries[: entry.number])
                    if forged is not None:
                        self.has_cheated = True
                        raws += forged
                        break
                    raws.append(raw)
                message = Entries(tuple(raws)) if raws else message
            await link.send(message)

        return spy(link, send=send)


Forge = Callable[[Entry, Sequence[Entry]], Sequence[bytes] | None]
Make = Callable[[Entry, Sequence[Entry]], Sequence[bytes]]


def at_the_second(kind: Kind, make: Make) -> Forge:
    """Cheat at the second entry of this kind, when the game is well under way."""
    seen = 0

    def forge(entry: Entry, before: Sequence[Entry]) -> Sequence[bytes] | None:
        nonlocal seen
        seen += entry.kind is kind
        return make(entry, before) if entry.kind is kind and seen == 2 else None

    return forge
