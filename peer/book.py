"""Keeps one game: its entries, what they tell of it, its clocks and claims."""

from functools import partial
from pathlib import Path
from typing import Final

import trio

from engine.state import State
from peer.clocks import Clocks
from peer.store import GameRow, Store
from peer.world import REAL, World
from protocol.claim import Claim, Ground
from protocol.errors import RemoteProtocolError
from protocol.identity import Identity
from protocol.record import write_record
from protocol.script import HOST
from protocol.table import Table


class Book:
    """One game in the store, and the table that it is kept from."""

    def __init__(
        self,
        store: Store,
        number: int,
        table: Table[State],
        clocks: Clocks,
        identity: Identity,
        world: World = REAL,
    ) -> None:
        self.number: Final = number
        self.was_declined = False
        self._store: Final = store
        self._table: Final = table
        self._clocks: Final = clocks
        self._identity: Final = identity
        self._world: Final = world
        self._kept = store.game(number).entries
        self._is_new = True

    async def keep(self) -> None:
        """Return when every entry of the table is on the disk, and what they tell of the game."""
        # At first also without a new entry: we may have been killed between the two.
        if self._is_new or len(self._table.entries) > self._kept:
            side = self._table.side or HOST
            used, their_used = (round(1000 * self._clocks.used(s)) for s in (side, 1 - side))
            await self._world.work(partial(self._keep, side, used, their_used))

    def _keep(self, side: int, used: int, their_used: int) -> None:
        table = self._table
        new = table.entries[self._kept :]
        self._store.append(self.number, new)
        self._kept += len(new)
        other = table.accept if side == HOST else table.offer
        self._store.describe(
            self.number,
            game_id=table.game_id if table.accept else None,
            opponent=other.name if other else None,
            opponent_identity=other.identity if other else None,
            player=table.player if table.has_seats else None,
            used=used,
            their_used=their_used,
        )
        if table.result is not None:
            self._store.finish(self.number, table.result)
        self._is_new = False

    async def complete(self) -> None:
        """Both sides have the whole record: overwrite what is secret."""
        await self._world.work(partial(self._store.complete, self.number))

    async def make_claim(self, ground: Ground, seconds: float) -> Claim:
        """Sign a claim of ours, and keep it."""
        table = self._table
        claim = Claim.sign(
            table.game_id,
            table.side or HOST,
            len(table.entries),
            table.head,
            ground,
            round(seconds),
            int(self._world.date()),
            self._identity,
        )
        await self.keep_claim(claim)
        return claim

    async def keep_claim(self, claim: Claim) -> None:
        """Keep a claim of the other side, which was checked."""
        await self._world.work(partial(self._store.claim, self.number, claim.encode()))

    async def keep_evidence(self, home: Path, error: RemoteProtocolError) -> Path | None:
        """Write the record, and behind it what was signed against the rules, to a file in `home`.

        Whoever verifies the file finds the same fault.  None if nothing was signed, or the disk
        takes nothing more: that must not hide who was caught.
        """
        kept = [entry.raw for entry in self._table.entries]
        new = [raw for raw in error.evidence if raw not in kept]
        if not new:
            return None
        path = home / f"evidence-game-{self.number}.whitby"
        try:
            await self._world.work(partial(path.write_bytes, write_record([*kept, *new])))
        except OSError:
            return None
        return path

    @property
    def is_worth_keeping(self) -> bool:
        """Whether we have spoken.  From then on we must never speak in another way."""
        side = self._table.side
        return any(entry.author == side for entry in self._table.entries)

    async def close(self) -> None:
        """Forget a game that never began: there is nothing to go on with."""
        if self._table.accept is None and (self.was_declined or not self.is_worth_keeping):
            await self._world.work(partial(self._store.discard, self.number))


def clocks_of(row: GameRow, table: Table[State]) -> Clocks:
    """The clocks of a game as they stood when it was kept last."""
    used = row.used / 1000, row.their_used / 1000
    control = table.offer.clock if table.offer else None
    return Clocks(trio.current_time, control, used if row.side == HOST else used[::-1])
