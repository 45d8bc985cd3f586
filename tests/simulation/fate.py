"""What chance decides in one simulated run: which faults happen, how often, and until when.

Every run draws some kinds of faults and a rate for each, so that some runs have one kind of
fault often and others have many kinds seldom.  Faults stop after a while: then all must end well.
"""

from collections import Counter
from hashlib import sha256
from random import Random
from typing import Any, Final

import trio

# The rates that a kind of fault may have in a run: so often it happens where it could.
CHANCES: Final[dict[str, tuple[float, ...]]] = {
    # On the line.
    "cut": (0, 0.01, 0.05),  # it breaks after some byte of what is sent
    "deaf": (0, 0.005, 0.02),  # one direction drops everything from now on
    "stall": (0, 0.02, 0.1),  # one direction holds everything back for a while
    "unreachable": (0, 0.1, 0.4),  # an attempt to connect gets no answer
    "refused": (0, 0.1, 0.4),  # or a refusal
    "late": (0, 0.3),  # a connection arrives at the host long after it was made
    # To a process.
    "kill": (0, 0, 0.002, 0.01, 0.04),  # it ends, and the system closes its connections
    "power cut": (0, 0, 0.002, 0.01, 0.04),  # it ends, and nobody says so
    "interrupt": (0, 0, 0.002, 0.01),  # its user presses Ctrl-C
    "second process": (0, 0, 0.3),  # its user starts another one beside it
    # On the disk.
    "disk error": (0, 0, 0.01, 0.05),  # something isn't written
    "disk lie": (0, 0, 0.01, 0.05),  # it is written, and an error says that it isn't
    "disk full": (0, 0, 0.01),  # nothing can be written for a while
    "slow": (0, 0.02, 0.2),  # the disk, or a proof, takes long
    # By people.
    "leave": (0, 0, 0.01, 0.05),
    "resign": (0.02, 0.1, 0.3),
    "propose": (0, 0.05, 0.2),
    "claim": (0, 0.2, 0.6),
    "long thought": (0, 0.02, 0.1),
    "move": (0, 0.3),  # the host has another address when it comes back
    "words": (0, 0.3),
    "again": (0, 0, 0.5, 1),
}
RESTARTS: Final = {
    *("kill", "power cut", "interrupt", "disk error", "disk lie", "disk full", "leave")
}
"""Faults after which a process has to be started again, and to check all of its record."""

CRITICAL: Final = 4
"""So much more often something goes wrong in a critical moment."""
CRITICAL_SECONDS: Final = 2


class Fate:
    """All that chance decides in one run, and a trace of what has happened in it."""

    def __init__(self, seed: int, *, keep_trace: bool = False, until: float | None = None) -> None:
        """Faults stop at the simulated second `until`, or when chance has it."""
        self.random: Final = Random(seed)
        self.rates: Final = {kind: self.random.choice(rates) for kind, rates in CHANCES.items()}
        some_time = self.random.choice((30, 120, 400, 900))
        self.until: Final = some_time if until is None else until
        """The simulated second after which nothing goes wrong any more."""
        self.counts: Final[Counter[str]] = Counter()
        self.trace: Final[list[str]] = []
        self._critical_until = 0.0
        self._claims = 5  # a record has room for 16
        self._restarts = self.random.choice((1, 3, 6))
        self._keeps_trace: Final = keep_trace
        self._hash: Final = sha256()

    def strikes(self, kind: str) -> bool:
        """Whether a fault of this kind happens here and now."""
        rate = self.rates[kind]
        if trio.current_time() < self._critical_until:
            rate *= CRITICAL
        if not rate or self.random.random() >= rate or self.is_quiet:
            return False
        if kind in RESTARTS:
            if not self._restarts:
                return False
            self._restarts -= 1
        if kind == "claim":
            if not self._claims:
                return False
            self._claims -= 1
        self.counts[kind] += 1
        self.note("fault", kind)
        return True

    def be_critical(self) -> None:
        """Something begins or ends: for a while, more may go wrong."""
        self._critical_until = trio.current_time() + CRITICAL_SECONDS

    def wants(self, kind: str) -> bool:
        """Whether somebody does this now, which may be at any time."""
        if self.random.random() >= self.rates[kind]:
            return False
        self.counts[kind] += 1
        self.note("wish", kind)
        return True

    @property
    def is_quiet(self) -> bool:
        """Whether faults have stopped."""
        return trio.current_time() >= self.until

    def seconds(self, mean: float) -> float:
        """How long something takes: mostly less than `mean` seconds, sometimes much longer."""
        return self.random.expovariate(1 / mean)

    def note(self, *event: Any) -> None:
        """Put down what happened."""
        line = f"{trio.current_time():10.3f}  {'  '.join(map(str, event))}"
        self._hash.update(line.encode())
        if self._keeps_trace:
            self.trace.append(line)

    @property
    def trace_hash(self) -> str:
        """Two runs with the same are the same, in every event and its time."""
        return self._hash.hexdigest()
