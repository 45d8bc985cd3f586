"""A whole game, from an invitation to a record that is complete: host's and guest's side.

Here the store, the meeting of two peers and the sitting at their table are put together.
"""

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio

from engine.state import State
from peer.errors import ExitCode, PeerError, StoreError
from peer.games import DRACULA_VS_VAN_HELSING, GAMES
from peer.invitation import Address, Invitation
from peer.link import Link, line_key
from peer.meeting import Credentials, dial, listen, own_addresses, port_of, welcome
from peer.seat import Seat
from peer.sitting import sit
from peer.store import Store
from protocol.course import Ours, Terms
from protocol.errors import RemoteProtocolError
from protocol.identity import Identity
from protocol.record import write_record
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn


class CheatError(PeerError):
    """The other side broke a rule of the protocol or of the game."""

    exit_code = ExitCode.CHEATED


@dataclass(frozen=True, slots=True)
class Host:
    """How we host: where we listen, what the invitation says, and the seat that we take."""

    bind: str | None = None
    port: int = 0
    addresses: tuple[tuple[str, int | None], ...] = ()
    """What to put into the invitation: hosts and ports, None for the one we listen on; if empty,
    our own addresses."""
    seat: int | None = None
    options: bytes = b""
    clock: tuple[int, int] | None = None
    """Seconds to think in the whole game, and seconds more for each decision."""


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played here: its number in the store, and its table."""

    number: int
    table: Table[State]


class Playing:
    """One who plays: the store that keeps the games, a nickname, and who decides."""

    def __init__(self, store: Store, home: Path, seat: Seat, name: str = "") -> None:
        self._store: Final = store
        self._home: Final = home
        self._seat: Final = seat
        self._name: Final = name

    async def host(self, how: Host, announce: Callable[[Invitation], None]) -> Played:
        """Invite somebody and play with whoever comes; `announce` is given the invitation.

        Raises:
            PeerError: the game could not be played to its end; it says what happened.
        """
        seed = secrets.token_bytes(32)
        ours = await self._credentials(seed)
        listeners = await listen(how.bind, how.port)
        port = port_of(listeners)
        addresses = [Address(host, named or port) for host, named in how.addresses]
        if not addresses:
            addresses = own_addresses(how.bind, port)
        public = ours.key.public_key().public_bytes_raw()
        invitation = Invitation.create(public, addresses, secrets.token_bytes)
        announce(invitation)
        started = int(time.time())
        terms = Terms(DRACULA_VS_VAN_HELSING, how.options, how.seat, started, how.clock)
        async with welcome(listeners, invitation, ours) as link:
            number = await self._keep_new(seed, invitation, terms, how.bind, port)
            return await self._play(number, link, self._ours(ours.identity, seed, terms))

    async def join(self, invitation: Invitation) -> Played:
        """Play with the host who made `invitation`.

        Raises:
            PeerError: the host can't be reached, or the game could not be played to its end.
        """
        seed = secrets.token_bytes(32)
        ours = await self._credentials(seed)
        async with dial(invitation, ours) as link:
            number = await self._keep_new(seed, invitation)
            return await self._play(number, link, self._ours(ours.identity, seed))

    async def _credentials(self, seed: bytes) -> Credentials:
        identity = await trio.to_thread.run_sync(self._store.identity)
        return Credentials(line_key(seed), identity, secrets.token_bytes)

    def _ours(self, identity: Identity, seed: bytes, terms: Terms | None = None) -> Ours:
        return Ours(identity, seed, secrets.token_bytes, self._name, terms)

    async def _keep_new(
        self,
        seed: bytes,
        invitation: Invitation,
        terms: Terms | None = None,
        bind: str | None = None,
        port: int | None = None,
    ) -> int:
        def new_game() -> int:
            return self._store.new_game(
                side=GUEST if terms is None else HOST,
                seed=seed,
                line_seed=seed,
                created=int(time.time()),
                name=self._name,
                invitation=invitation.to_text(),
                address=bind,
                port=port,
            )

        return await trio.to_thread.run_sync(new_game)

    async def _play(self, number: int, link: Link, ours: Ours) -> Played:
        table = Table(GAMES, ours)
        book = _Book(self._store, number, table)
        with self._store.lock(number):
            try:
                await sit(table, link, book.keep, self._seat)
            except RemoteProtocolError as error:
                path = await trio.to_thread.run_sync(self._keep_evidence, number, table, error)
                raise CheatError(_accusation(error, path)) from error
            finally:
                with trio.CancelScope(shield=True):
                    await book.close()
        return Played(number, table)

    def _keep_evidence(
        self, number: int, table: Table[State], error: RemoteProtocolError
    ) -> Path | None:
        """Write the record, and behind it what was signed against the rules, to a file."""
        kept = [entry.raw for entry in table.entries]
        new = [raw for raw in error.evidence if raw not in kept]
        if not new:
            return None
        path = self._home / f"evidence-game-{number}.whitby"
        path.write_bytes(write_record([*kept, *new]))
        return path


class _Book:
    """Keeps one game in the store: its entries, and what they tell of it."""

    def __init__(self, store: Store, number: int, table: Table[State]) -> None:
        self._store = store
        self._number = number
        self._table = table
        self._kept = 0
        self._is_described = False

    async def keep(self) -> None:
        """Have all entries of the table on the disk."""
        await trio.to_thread.run_sync(self._keep)

    def _keep(self) -> None:
        table = self._table
        new = table.entries[self._kept :]
        if not new:
            return
        self._store.append(self._number, new)
        self._kept += len(new)
        if table.has_seats and not self._is_described:
            other = table.accept if table.side == HOST else table.offer
            assert other is not None
            self._store.describe(
                self._number,
                game_id=table.game_id,
                opponent=other.name,
                opponent_identity=other.identity,
                player=table.player,
            )
            self._is_described = True
        if table.result is not None:
            self._store.finish(self._number, table.result)
            if table.turn is Turn.DONE:
                self._store.complete(self._number)

    async def close(self) -> None:
        """Forget a game that never began: there is nothing to go on with."""
        if not self._is_described:
            with suppress(StoreError):
                await trio.to_thread.run_sync(self._store.discard, self._number)


def _accusation(error: RemoteProtocolError, path: Path | None) -> str:
    proof = (
        f" The signed evidence is in {path}: anybody can check it with 'whitby verify'."
        if path
        else ""
    )
    return f"The other side broke the rules: {error.detail} ({error.fault.value}).{proof}"
