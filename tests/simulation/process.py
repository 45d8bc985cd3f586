"""The program as it runs once for one player, until it ends or is ended."""

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Final, TypeVar

import trio

from peer.errors import PeerError, StoreError
from peer.link import HandshakeError, LinkLostError
from peer.meeting import UnreachableError
from peer.series import Profile
from peer.sitting import LeftError
from peer.tasks import unless
from peer.world import World
from protocol.entries import Entry
from tests.simulation.disk import Disk, SimulatedStore
from tests.simulation.fate import Fate
from tests.simulation.network import Nic
from tests.simulation.seats import SimulatedSeat
from tests.simulation.watch import SPEAKER, Doubt, Watch

if TYPE_CHECKING:
    from tests.simulation.people import Person, Plan

T = TypeVar("T")

DATE: Final = 1_700_000_000
EXPECTED: Final = (LeftError, LinkLostError, HandshakeError, UnreachableError)
"""How a game among honest people may be broken off, beside an error of the disk."""


class Process:
    """One run of the program.  It may die at any of its steps.

    A dead one goes on until it notices: but nothing of what it does gets anywhere.  A second one
    beside the `first` dies with that one.
    """

    def __init__(self, person: "Person", number: int, first: "Process | None" = None) -> None:
        self.name: Final = f"{person.name} {number}"
        self.side: Final = person.side
        self.disk: Final[Disk] = person.disk
        self.signed: Final[set[tuple[bytes, int]]] = set()
        self.doubts: Final[list[Doubt]] = []
        self.is_alive = True
        self._first: Final = first
        self._second: Process | None = None
        if first is not None:
            first._second = self
        self._person: Final = person
        self._fate: Final = person.fate
        self._nic: Final = Nic(person.fabric, self.name)
        self._scope: Final = trio.CancelScope()
        self._world: Final = World(
            Random(f"{person.seed} {self.name}").randbytes,
            lambda: DATE + trio.current_time(),
            self.work,
            self._nic,
        )

    async def run(self, plan: "Plan") -> None:
        """Run until the program ends, and see whether it ended as it may."""
        token = SPEAKER.set(self)
        self._person.fabric.wake_up(self.side)
        self._fate.note(self.name, "starts")
        disk, store = self.disk, None
        try:
            with self._scope:
                store = SimulatedStore(disk, self, self._person.identity)
                seat = SimulatedSeat(self)
                profile = Profile(store, disk.home, seat, self.name, self._world)
                await unless(lambda: plan(profile), self._person.get_up)
        except PeerError as error:
            if self.is_alive:
                self._explain(error, has_failed=store is not None and store.has_failed)
        except Exception as error:
            if self.is_alive:
                self._person.watch.report(f"{self.name} ended with {error!r}", error)
        finally:
            if store is not None:
                store.close()
            SPEAKER.reset(token)
        if self.is_alive:
            self._nic.cut_off(silently=False)
        self._fate.note(self.name, "has ended")

    def _explain(self, error: PeerError, *, has_failed: bool) -> None:
        self._fate.note(self.name, "says", error)
        has_company = self._first is not None or self._second is not None
        is_expected = isinstance(error, StoreError) and (has_failed or has_company)
        if not isinstance(error, EXPECTED) and not is_expected:
            self._person.watch.report(f"{self.name} ended with {error!r}", error)

    def stored(self, entries: Sequence[Entry]) -> None:
        self._person.watch.store(self, entries)

    # --- steps -------------------------------------------------------------------------

    def step(self, where: str) -> None:
        """A point at which the program may be ended."""
        if not self.is_alive or self._first is not None:
            return
        for kind in ("kill", "power cut"):
            if self._fate.strikes(kind):
                self._die(where, silently=kind == "power cut")
                return
        if self._fate.strikes("interrupt"):
            self._fate.note(self.name, "is interrupted", where)
            self._scope.cancel()

    def _die(self, where: str, *, silently: bool) -> None:
        self._fate.note(self.name, "dies", where)
        self._fate.counts[f"died {where}"] += 1
        self.disk.survive()
        self._end(silently=silently)
        if self._second is not None:
            self._second._end(silently=silently)
        if silently:
            self._person.fabric.go_dark(self.side)

    def _end(self, *, silently: bool) -> None:
        self.is_alive = False
        self._nic.cut_off(silently=silently)
        self._scope.cancel()

    async def work(self, task: Callable[[], T], /) -> T:
        """Do what takes a while, as a thread would: once begun, it isn't broken off."""
        await trio.lowlevel.checkpoint()
        with trio.CancelScope(shield=True):
            await self._pass_time()
            self.step("before work")
            result = task()
            self.step("after work")
            await self._pass_time()
        return result

    async def _pass_time(self) -> None:
        if self.is_alive:
            mean = 10 if self._fate.strikes("slow") else 0.005
            await trio.sleep(self._fate.seconds(mean))

    # --- for its seat ------------------------------------------------------------------

    @property
    def fate(self) -> Fate:
        return self._fate

    @property
    def watch(self) -> Watch:
        return self._person.watch
