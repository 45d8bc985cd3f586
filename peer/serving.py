"""A peer that plays many at once, on one port, for weeks.

Everybody who holds its invitation may come; each identity plays one game at a time, and comes
back to it after a break, also after a restart of ours.  Whatever happens in one game ends at most
that one.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import trio

from peer.errors import PeerError
from peer.meeting import Credentials, Entrance, Slot
from peer.seat import Seat
from peer.series import Place, Profile, Series
from peer.store import GameRow, Status
from protocol.course import Terms
from protocol.identity import fingerprint
from protocol.script import HOST

_log: Final = logging.getLogger("whitby.serving")


PATIENCE_SECONDS: Final = 300
"""So long a table is held for a guest who has gone; after that the game waits on the disk."""


@dataclass(slots=True)
class Tally:
    """What has happened since the start."""

    started: int = 0
    finished: int = 0
    suspended: int = 0
    refused: int = 0


class Hall(Entrance):
    """Tables for everybody who holds the invitation, up to `max_games` at once.

    `terms` makes what is offered to the next guest, and `new_seat` who plays against it.
    """

    def __init__(
        self,
        listeners: Sequence[trio.SocketListener],
        place: Place,
        ours: Credentials,
        profile: Profile,
        *,
        terms: Callable[[], Terms],
        new_seat: Callable[[], Seat],
        max_games: int,
    ) -> None:
        super().__init__(listeners, place.invitation, ours)
        self.tally: Final = Tally()
        self._place: Final = place
        self._profile: Final = profile
        self._terms: Final = terms
        self._new_seat: Final = new_seat
        self._max_games: Final = max_games
        self._slots: Final[dict[bytes, Slot]] = {}
        self._games: trio.Nursery

    @property
    def playing(self) -> int:
        """How many games are under way."""
        return len(self._slots)

    async def serve(self) -> None:
        """Play until cancelled.  What is not finished then is kept, and can be resumed."""
        async with trio.open_nursery() as self._games:
            await self.run()

    def slot_for(self, identity: bytes) -> Slot | None:
        if identity not in self._slots:
            if len(self._slots) >= self._max_games:
                self.tally.refused += 1
                return None
            self._slots[identity] = Slot()
            self._games.start_soon(self._play, identity)
        return self._slots[identity]

    async def _play(self, identity: bytes) -> None:
        """All games with one guest, until it goes.

        It may come in again just when the game with it ends: then it is not left standing.
        """
        slot = self._slots[identity]
        try:
            await self._play_series(identity, slot)
            while slot.is_taken:
                await self._play_series(identity, slot)
        finally:
            del self._slots[identity]

    async def _play_series(self, identity: bytes, slot: Slot) -> None:
        name = fingerprint(identity)
        profile = replace(self._profile, seat=self._new_seat(), patience=PATIENCE_SECONDS)
        series = Series(profile, self._place, slot.link)
        self.tally.started += 1
        try:
            row = self._unfinished_with(identity)
            _log.info("game with %s %s", name, "started" if row is None else "resumed")
            played = await (series.start(self._terms()) if row is None else series.resume(row))
            self.tally.finished += len(played)
            _log.info("game with %s finished", name)
        except PeerError as error:
            self.tally.suspended += 1
            _log.info("game with %s ended: %s", name, error.english)
        except Exception:
            self.tally.suspended += 1
            _log.exception("game with %s failed in a way that nobody has foreseen", name)

    def _unfinished_with(self, identity: bytes) -> GameRow | None:
        for row in self._profile.store.games():
            if (
                row.side == HOST
                and row.status is Status.PLAYING
                and row.opponent_identity == identity
                and row.line_seed == self._place.line_seed
            ):
                return row
        return None
