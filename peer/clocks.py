"""How long each side has thought, by our own clock.

Time runs for the side that has a decision to make, also while the line is down; dealing and
proving cost nobody anything.  Each side reports after a decision how long it took by its own
clock, since ours also counts the way through the network: we believe a report unless it falls
short of our own measure by more than `LAG_SECONDS`.
"""

from collections.abc import Callable
from typing import Final

LAG_SECONDS: Final = 2.0
"""For each decision, what the way there and back may take."""


class Clocks:
    """The clocks of host and guest.  `control` is (seconds, seconds more a decision) or None."""

    def __init__(
        self,
        now: Callable[[], float],
        control: tuple[int, int] | None = None,
        used: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        self.control = control
        self._now: Final = now
        self._used = list(used)
        self._decisions = [0, 0]
        self._heard = [0, 0]  # the number of decisions at the last report
        self._running: int | None = None
        self._since = now()

    def run(self, side: int | None) -> None:
        """From now on the time of `side` runs, or nobody's."""
        now = self._now()
        if self._running is not None:
            self._used[self._running] += now - self._since
        self._running, self._since = side, now

    @property
    def running(self) -> int | None:
        """Whose time runs."""
        return self._running

    def used(self, side: int) -> float:
        """How many seconds `side` has thought so far."""
        running = self._now() - self._since if self._running == side else 0.0
        return self._used[side] + running

    def decided(self, side: int, count: int) -> None:
        """`side` has made `count` decisions so far, each of which gave it time."""
        self._decisions[side] = count

    def hear(self, side: int, used: float) -> None:
        """Take the report of `side` that it has thought for `used` seconds: one a decision."""
        if self._heard[side] == self._decisions[side]:
            return  # else many reports could take off any time, a little each
        self._heard[side] = self._decisions[side]
        self._used[side] = max(min(used, self._used[side]), self._used[side] - LAG_SECONDS)

    def left(self, side: int) -> float | None:
        """How many seconds `side` has left, below zero if it has overstepped; None: no limit."""
        if self.control is None:
            return None
        base, more = self.control
        return base + more * self._decisions[side] - self.used(side)
