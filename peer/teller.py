"""Keeps whoever decides up to date: what has happened, how it looks, and whose time runs."""

from collections import Counter
from typing import Final

from engine.state import State
from peer.clocks import Clocks
from peer.seat import Ended, Moved, Opponent, Proven, Seat, Seated, Ticking
from protocol.entries import Kind, Share
from protocol.identity import fingerprint
from protocol.script import HOST
from protocol.table import Table, Turn

_RECENT_EVENTS: Final = 12
"""So much of the story is told again when a game is resumed."""
_SHARE_BYTES: Final = 32


class Teller:
    """Tells the seat at a table what it has not been told yet."""

    def __init__(self, table: Table[State], seat: Seat, clocks: Clocks) -> None:
        self._table: Final = table
        self._seat: Final = seat
        self._clocks: Final = clocks
        self._is_seated = False
        self._has_ended = False
        self._counted = 0  # entries
        self._counts: Final[Counter[Kind]] = Counter()

    def tell(self) -> None:
        """Let the clocks run for whoever has to think, and tell what is new."""
        table = self._table
        if table.offer is not None:  # before it, a guest doesn't know whether there is a clock
            self._clocks.control = table.offer.clock
        thinking = table.step is not None and table.step.kind in (Kind.ACT, Kind.REPLY)
        self._clocks.run(table.step.side if table.step and thinking else None)
        if not table.has_seats:
            return
        if not self._is_seated:
            self._is_seated = True
            self._seat.tell(Seated(table.player, self._opponent()))
            if table.game.log:
                del table.game.log[:-_RECENT_EVENTS]
        if table.game.log:
            events = tuple(table.game.log)
            table.game.log.clear()
            self._seat.tell(Moved(self._view(), events))
        if table.result is not None and not self._has_ended:
            self._has_ended = True
            self._seat.tell(Ended(self._view(), table.result))
        if table.result is None:
            self._tell_clocks()
        self._tell_proven()

    def _tell_proven(self) -> None:
        """What the table has taken, it has checked."""
        table = self._table
        new = table.entries[self._counted :]
        if not new:
            return
        self._counted += len(new)
        for entry in new:
            body = entry.body
            self._counts[entry.kind] += (
                len(body.shares) // _SHARE_BYTES if isinstance(body, Share) else 1
            )
        counts = self._counts
        self._seat.tell(
            Proven(
                entries=self._counted,
                shuffles=counts[Kind.SHUFFLE],
                shares=counts[Kind.SHARE],
                coins=counts[Kind.OPEN],
                head=table.head,
                is_complete=table.turn is Turn.DONE,
            )
        )

    def _tell_clocks(self) -> None:
        table = self._table
        for side in (0, 1):
            decisions = sum(
                entry.author == side and entry.kind is Kind.ACT for entry in table.entries
            )
            self._clocks.decided(side, decisions)
        first, second = (self._clocks.left(table.player_of(player)) for player in (0, 1))
        if first is not None and second is not None:
            running = self._clocks.running
            self._seat.tell(
                Ticking((first, second), None if running is None else table.player_of(running))
            )

    def _view(self) -> State:
        return self._table.game.view(self._table.player)

    def _opponent(self) -> Opponent:
        other = self._table.accept if self._table.side == HOST else self._table.offer
        assert other is not None
        return Opponent(other.name, fingerprint(other.identity))
