"""One simulated run: two people, their computers and the network, from one seed."""

import logging
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

import trio
from trio.testing import MockClock

from protocol import group
from protocol.script import GUEST, HOST
from tests.simulation.fate import Fate
from tests.simulation.network import Fabric
from tests.simulation.people import Person, Telephone
from tests.simulation.verdict import examine
from tests.simulation.watch import SPEAKER, Watch

BOUND: Final = 3_600
"""So many simulated seconds after the last fault, everything has to have ended well."""
_RAM: Final = Path("/dev/shm")


@dataclass(slots=True)
class Outcome:
    """What became of a run."""

    seed: int
    trace_hash: str = ""
    violations: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    trace: list[str] = field(default_factory=list)


def run(seed: int, *, keep_trace: bool = False) -> Outcome:
    """Play with everything that goes wrong under this seed."""
    outcome = Outcome(seed)
    root = _RAM if _RAM.is_dir() else None
    with (
        tempfile.TemporaryDirectory(dir=root) as folder,
        _deterministic_trio(seed),
        _nothing_multiplied_twice(),
    ):
        clock = MockClock(autojump_threshold=0)
        trio.run(_main, outcome, Path(folder), keep_trace, clock=clock)
    return outcome


@contextmanager
def _deterministic_trio(seed: int) -> Iterator[None]:
    """Let trio choose among tasks that are ready by the seed, as its plugin for Hypothesis does."""
    from trio._core import _run

    before = _run._ALLOW_DETERMINISTIC_SCHEDULING
    setattr(_run, "_ALLOW_DETERMINISTIC_SCHEDULING", True)  # noqa: B010
    _run._r.seed(seed)
    try:
        yield
    finally:
        setattr(_run, "_ALLOW_DETERMINISTIC_SCHEDULING", before)  # noqa: B010
        _run._r.seed()


@contextmanager
def _nothing_multiplied_twice() -> Iterator[None]:
    """Remember products of the group: in a run, proofs are checked by both sides again and again.

    They take most of the time, and a function of its arguments gives the same again.
    """
    product = group._product
    setattr(group, "_product", lru_cache(100_000)(product))  # noqa: B010
    try:
        yield
    finally:
        setattr(group, "_product", product)  # noqa: B010


async def _main(outcome: Outcome, root: Path, keep_trace: bool) -> None:
    fate = Fate(outcome.seed, keep_trace=keep_trace)
    watch = Watch(fate)
    fabric, telephone = Fabric(fate), Telephone()
    people = [Person(side, outcome.seed, root, fabric, watch, telephone) for side in (HOST, GUEST)]
    with watch.listening(), _log_heard_by(watch), trio.move_on_after(fate.until + BOUND) as limit:
        async with trio.open_nursery() as nursery:
            for person in people:
                nursery.start_soon(person.live)
            # A simulated second costs nothing.
            while not watch.violations and not all(p.is_done for p in people):  # noqa: ASYNC110
                await trio.sleep(5)
            nursery.cancel_scope.cancel()
    if limit.cancelled_caught:
        watch.report("the games have not ended")
    if not watch.violations:
        examine(people, watch)
    outcome.trace_hash, outcome.trace = fate.trace_hash, fate.trace
    outcome.violations, outcome.counts = watch.violations, fate.counts


@contextmanager
def _log_heard_by(watch: Watch) -> Iterator[None]:
    """An error in the log is one that nobody has foreseen."""

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            speaker = SPEAKER.get(None)
            if speaker is None or speaker.is_alive:
                error = record.exc_info[1] if record.exc_info else None
                watch.report(f"the log has: {record.getMessage()}", error)

    handler, log = Handler(logging.ERROR), logging.getLogger("whitby")
    log.addHandler(handler)
    was_propagated, log.propagate = log.propagate, False
    try:
        yield
    finally:
        log.propagate = was_propagated
        log.removeHandler(handler)
