"""Two people who play: how each goes on when the program has ended, for whatever reason.

They do what the program tells them to: they start it again, with `resume` or the invitation.
They talk to each other by telephone, which has no faults.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import trio

from engine.board import HANDICAPS
from peer import playing
from peer.invitation import Invitation
from peer.playing import Listen, Offering
from peer.series import Profile
from peer.store import GameRow, Status, Store
from protocol.identity import Identity
from protocol.script import GUEST, HOST
from tests.simulation.disk import Disk
from tests.simulation.network import ADDRESS, Fabric
from tests.simulation.process import Process
from tests.simulation.watch import Watch

NAMES: Final = ("host", "guest")
Plan = Callable[[Profile], Awaitable[object]]
"""What to start the program for."""


class Telephone:
    """What the two tell each other."""

    def __init__(self) -> None:
        self.invitation: Invitation | None = None
        self.people: Final[list[Person]] = []

    def other(self, person: "Person") -> "Person":
        return self.people[1 - person.side]


class Person:
    """One player and the computer of theirs."""

    def __init__(
        self, side: int, seed: int, root: Path, fabric: Fabric, watch: Watch, telephone: Telephone
    ) -> None:
        self.side: Final = side
        self.name: Final = NAMES[side]
        self.seed: Final = seed
        self.fabric: Final = fabric
        self.fate: Final = fabric.fate
        self.watch: Final = watch
        self.telephone: Final = telephone
        self.disk: Final = Disk(self.fate, root / self.name)
        self.identity: Final = self.identity_of(side)
        self.processes = 0
        self.is_idle = False
        """Whether there is nothing for this person to do."""
        self._process: Process | None = None
        self._watched_invitation: Invitation | None = None
        rng = self.fate.random
        self._offering: Final = Offering(
            rng.choice((None, 0, 1)),
            rng.choice((b"", bytes([min(HANDICAPS)]))),
            rng.choice((None, None, (60, 5), (600, 0))),
        )
        telephone.people.append(self)

    @staticmethod
    def identity_of(side: int) -> Identity:
        """Who plays on a side: in every run the same."""
        return Identity(bytes([1 + side]) * 32)

    @property
    def is_done(self) -> bool:
        """Whether this person has nothing to do, and does nothing."""
        return self.is_idle and self._process is None

    async def live(self) -> None:
        """Start the program, and start it again, as long as there is something to do."""
        while True:
            plan = self._plan()
            self.is_idle = plan is None
            if plan is not None:
                await self._run(plan)
            await trio.sleep(0.1 + self.fate.seconds(5))

    async def _run(self, plan: Plan) -> None:
        self._watched_invitation = self.telephone.invitation
        self.processes += 1
        async with trio.open_nursery() as nursery:
            self._process = Process(self, self.processes)
            if self.fate.strikes("second process"):
                nursery.start_soon(self._run_another, self._process)
            await self._process.run(plan)
        self._process = None

    async def _run_another(self, first: Process) -> None:
        """Start the program once more, while it runs: perhaps in another window."""
        await trio.sleep(self.fate.seconds(1))
        plan = self._plan()
        has_game = any(len(entries) > 1 for entries in self.disk.entries.values())
        if plan is not None and first.is_alive and (self.side == GUEST or has_game):
            self.processes += 1
            await Process(self, self.processes, first).run(plan)

    # --- plans -------------------------------------------------------------------------

    def _plan(self) -> Plan | None:
        """What to start the program for next, if for anything."""
        with Store.open(self.disk.home) as store:
            rows = [row for row in store.games() if row.entries]
        for row in rows:
            if row.entries != len(self.disk.entries.get(row.number, ())):
                self.watch.report(f"{self.name} has lost entries of game {row.number}")
        for row in rows:
            if self._can_go_on(row):
                return self._to_resume(row)
        if any(row.entries > 1 for row in rows):
            return None  # one game is enough, if it leads to no other
        if self.side == HOST and rows and not self._may_begin_anew():
            return self._to_resume(rows[0])
        return self._to_begin()

    def _can_go_on(self, row: GameRow) -> bool:
        """Whether the other one has this game too, and still has something to say or to hear."""
        other = self.telephone.other(self).disk
        number = other.number_of(self.disk.entries[row.number][0])
        if number is None and row.entries > 1:
            self.watch.report(f"{self.name} has game {row.number}, and the other has lost it")
        return (
            row.status is not Status.COMPLETE
            and number is not None
            and number not in other.completed
            and max(row.entries, len(other.entries[number])) > 1
        )

    def _may_begin_anew(self) -> bool:
        """Whether the guest has not accepted the offer that we made, and won't any more."""
        other = self.telephone.other(self)
        return other._process is None and self.fate.random.random() < 0.5

    def _to_begin(self) -> Plan | None:
        if self.side == HOST:
            where = Listen(None, 0, ((ADDRESS, None),))
            return lambda profile: playing.host(profile, where, self._offering, self._invite)
        invitation = self.telephone.invitation
        if invitation is None:
            return None
        return lambda profile: playing.join(profile, invitation)

    def _to_resume(self, row: GameRow) -> Plan:
        if self.side == GUEST:
            invitation = self.telephone.invitation
            assert invitation is not None
            assert invitation.secret == Invitation.parse(row.invitation or "").secret
            if self.fate.random.random() < 0.5:
                return lambda profile: playing.join(profile, invitation)
            return lambda profile: playing.resume(profile, row, invitation=invitation)
        port = 0 if self.fate.strikes("move") else row.port or 0
        where = Listen(None, port, ((ADDRESS, None),))
        return lambda profile: playing.resume(profile, row, where=where, announce=self._invite)

    def _invite(self, invitation: Invitation) -> None:
        if self._process is not None and self._process.is_alive:
            self.telephone.invitation = invitation

    # --- while the program runs --------------------------------------------------------

    async def get_up(self) -> None:
        """Return when there is no point in waiting any longer for what the program waits for."""
        while True:
            await trio.sleep(20 + self.fate.seconds(20))
            if self.side == GUEST and self.telephone.invitation != self._watched_invitation:
                return  # the host is elsewhere now
            if self.telephone.other(self).is_idle:
                return
