"""What a case is given: lines to the peer under test, games with it, and bystanders."""

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Final

import trio
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from peer.games import DRACULA_VS_VAN_HELSING, GAMES
from protocol.course import Ours, Terms
from protocol.errors import InvalidError, ProtocolError
from protocol.identity import Identity
from protocol.line import Bye, Entries, Reason, Refusal, Sync
from protocol.script import GUEST, HOST
from protocol.table import Table
from tests.conformance.case import FailedError, SkippedError
from tests.conformance.line import ClosedError, Line, PrivateKey
from tests.conformance.player import Player, describe
from tests.conformance.subject import Subject, Visit

DRACULA: Final = 0
HELSING: Final = 1
START_SECONDS: Final = 30
"""A program that joins may take a while to start."""
TRIES: Final = 40
"""Games that are begun until a coin gives us the player that a case needs."""


class Bench:
    """One case's way to the peer under test.  `side` is ours; `patience` how long we wait."""

    def __init__(self, subject: Subject, patience: float, seed: str, stack: AsyncExitStack) -> None:
        self.subject: Final = subject
        self.side: Final = 1 - subject.side
        self.patience: Final = patience
        self.rng: Final = Random(seed)
        self.seeds: Final[dict[bytes, bytes]] = {}
        self._stack: Final = stack
        self._visit: Visit | None = None
        self._lines: Final[list[Line]] = []

    @classmethod
    @asynccontextmanager
    async def set_up(cls, subject: Subject, patience: float, seed: str) -> AsyncIterator["Bench"]:
        """A bench for one case; at the end every line is left in good order."""
        async with AsyncExitStack() as stack:
            bench = cls(subject, patience, seed, stack)
            try:
                yield bench
            finally:
                await bench._leave()

    @property
    def hosts(self) -> bool:
        """Whether the peer under test is the host."""
        return self.side == GUEST

    async def visit(self, key: PrivateKey | None = None) -> Visit:
        """Begin, with this static key of ours: by itself with any, when a line is opened."""
        if self._visit is None:
            self._visit = await self._stack.enter_async_context(self.subject.visit(key))
        return self._visit

    @asynccontextmanager
    async def in_time(self, failure: str, seconds: float | None = None) -> AsyncIterator[None]:
        """What is inside must not take longer than our patience lasts."""
        limit = self.patience if seconds is None else seconds
        with trio.move_on_after(limit) as scope:
            yield
        if scope.cancelled_caught:
            raise FailedError(f"{failure} within {limit:g} s")

    # --- lines -------------------------------------------------------------------------

    async def connected(self, *, prologue: bytes | None = None, psk: bytes | None = None) -> Line:
        """A new connection, on which nothing was said."""
        visit = await self.visit()
        async with self.in_time("it did not connect", max(self.patience, START_SECONDS)):
            stream = await visit.connect()
        await self._stack.enter_async_context(stream)
        return Line(stream, self.side, visit.invitation, visit.key, prologue=prologue, psk=psk)

    async def connected_as_another_host(self) -> Line:
        """A new connection, on which we are a host with another key than was announced."""
        visit = await self.visit()
        async with self.in_time("it did not connect", max(self.patience, START_SECONDS)):
            stream = await visit.connect()
        await self._stack.enter_async_context(stream)
        return Line(stream, self.side, visit.invitation, X25519PrivateKey.generate())

    async def shaken(self) -> Line:
        """A line after the handshake."""
        line = await self.connected()
        async with self.in_time("the handshake did not end"):
            try:
                await line.shake_hands()
            except ClosedError:
                raise FailedError("it hung up during the handshake") from None
            except InvalidError as error:
                raise FailedError(f"its handshake is wrong: {error}") from None
        self._lines.append(line)
        return line

    async def introduced(self, identity: Identity) -> Line:
        """A line after the hellos."""
        line = await self.shaken()
        async with self.in_time("no HELLO came"):
            try:
                await line.introduce(identity)
            except ClosedError:
                raise FailedError("it hung up at our HELLO") from None
            except ProtocolError as error:
                raise FailedError(f"its HELLO is wrong: {error}") from None
        return line

    async def is_closed(self, line: Line) -> None:
        """See the line closed.  What was on its way is overlooked."""
        async with self.in_time("the line was not closed"):
            try:
                while True:
                    await line.next()
            except ClosedError:
                return

    async def is_turned_away(self, line: Line, *, may_sync: bool = False) -> None:
        """See the line closed, perhaps with a REFUSAL or BYE 2, before anything of a game comes."""
        async with self.in_time("the line was not closed"):
            while True:
                try:
                    message = await line.hear()
                except (ClosedError, InvalidError):
                    break
                match message:
                    case Refusal() | Bye(reason=Reason.DECLINED):
                        break
                    case Sync() if may_sync:
                        pass
                    case Sync() | Entries():
                        raise FailedError(f"{describe(message)} came: we were let in")
        await self.is_closed(line)

    async def _leave(self) -> None:
        """Leave politely, so that nobody waits for us to come back."""
        with trio.move_on_after(1, shield=True):
            for line in self._lines:
                if hasattr(line, "transport"):
                    await line.say(Bye(Reason.LEFT))

    # --- games -------------------------------------------------------------------------

    def identity(self) -> Identity:
        """Somebody whom the peer under test has not met."""
        seed = secrets.token_bytes(32)
        identity = Identity(seed)
        self.seeds[identity.public] = seed
        return identity

    def player(
        self,
        identity: Identity | None = None,
        *,
        seat: int | None = HELSING,
        options: bytes = b"",
        game: str = DRACULA_VS_VAN_HELSING,
    ) -> Player:
        """Our side of a new game, before any line.  As the host we offer these terms."""
        who = identity or self.identity()
        terms = Terms(game, options, seat, 1_700_000_000) if self.side == HOST else None
        ours = Ours(who, secrets.token_bytes(32), secrets.token_bytes, "Conformance", terms)
        return Player(self, Table(GAMES, ours), who, self.rng)

    async def game(
        self, identity: Identity | None = None, *, seat: int | None = HELSING, options: bytes = b""
    ) -> Player:
        """A new game, after SYNC."""
        player = self.player(identity, seat=seat, options=options)
        await player.connect()
        await player.sync()
        return player

    async def game_as(self, wanted: int) -> Player:
        """A new game in which we are this player, at the moment when that is known."""
        for _ in range(TRIES):
            player = await self.game(seat=wanted)
            await player.until_seated()
            if player.table.player == wanted:
                return player
            await player.line.say(Bye(Reason.LEFT))
            await self.is_closed(player.line)
        raise SkippedError(f"in {TRIES} games it never let us be player {wanted}")

    # --- bystanders --------------------------------------------------------------------

    async def still_serves(self) -> None:
        """See that an honest guest is served, whatever has happened: it plays, and resigns."""
        if not self.hosts:
            return
        self._visit = None  # the case may have come with an odd key
        try:
            await (await self.game()).resign()
        except FailedError as error:
            raise FailedError(f"afterwards an honest guest was not served: {error}") from None
