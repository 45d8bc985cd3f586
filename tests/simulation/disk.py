"""The disk of one player: a real SQLite file, which survives the process that has it open.

When a process dies, what its files hold at that moment is copied, and that is all the next
process finds; the dead one may go on writing to the old files, and nobody will ever see it.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import trio

from peer.errors import StoreError
from peer.store import FILE, Store
from protocol.course import Result
from protocol.entries import Entry
from protocol.identity import Identity
from tests.simulation.fate import Fate


class Disk:
    """A folder, which moves when a process dies, and what has been written to it for good."""

    def __init__(self, fate: Fate, root: Path) -> None:
        self.fate: Final = fate
        self.entries: Final[dict[int, list[Entry]]] = {}
        """By game, every entry that was on the disk, in order."""
        self.completed: Final[set[int]] = set()
        """The games whose secrets are gone."""
        self.claims: Final[set[bytes]] = set()
        self.seeds: Final[dict[int, bytes]] = {}
        self.full_until = 0.0
        self._root: Final = root
        self._number = 0
        self.home.mkdir(parents=True)

    @property
    def home(self) -> Path:
        """The folder that the next process finds."""
        return self._root / str(self._number)

    def has(self, entry: Entry) -> bool:
        """Whether an entry is on the disk."""
        return any(
            entry.number < len(entries) and entries[entry.number].raw == entry.raw
            for entries in self.entries.values()
        )

    def number_of(self, offer: Entry) -> int | None:
        """The number of the game that begins with this offer."""
        for number, entries in self.entries.items():
            if entries[0].head == offer.head:
                return number
        return None

    def survive(self) -> None:
        """The process that uses the folder dies at this moment."""
        old = self.home
        self._number += 1
        self.home.mkdir()
        for suffix in ("", "-wal"):
            file = old / (FILE + suffix)
            if file.exists():
                shutil.copyfile(file, self.home / file.name)


class Owner(Protocol):
    """The process that has the store open."""

    @property
    def is_alive(self) -> bool: ...
    def step(self, where: str) -> None:
        """Reach a point at which it may die."""

    def stored(self, entries: Sequence[Entry]) -> None:
        """These have got to the disk."""


class SimulatedStore(Store):
    """A store on a disk that fails now and then."""

    def __init__(self, disk: Disk, owner: Owner, identity: Identity) -> None:
        super().__init__(disk.home)
        self._disk: Final = disk
        self._owner: Final = owner
        self._identity: Final = identity
        self.has_failed = False

    def identity(self) -> Identity:
        return self._identity

    @contextmanager
    def _risk(self, what: str) -> Iterator[None]:
        """Around a transaction: it may fail, or seem to; the process may die before or after it."""
        fate = self._disk.fate
        self._owner.step(f"before {what}")
        if not self._owner.is_alive:  # then nobody will ever know
            yield
            return
        if fate.strikes("disk full"):
            self._disk.full_until = trio.current_time() + fate.seconds(60)
        if fate.strikes("disk error") or trio.current_time() < self._disk.full_until:
            self._fail(what, "it is not written")
        yield
        fate.note("disk", what)
        if fate.strikes("disk lie"):
            self._fail(what, "it is written")
        self._owner.step(f"after {what}")

    def _fail(self, what: str, how: str) -> None:
        self.has_failed = True
        self._disk.fate.note("disk fails", what, how)
        raise StoreError("The disk is full. Make room on it and try again.")

    # What changes something.

    def new_game(self, *, seed: bytes, **values: Any) -> int:
        with self._risk("new_game"):
            number = super().new_game(seed=seed, **values)
            if self._owner.is_alive:
                self._disk.seeds[number] = seed
        return number

    def describe(self, game: int, **values: Any) -> None:
        with self._risk("describe"):
            super().describe(game, **values)

    def append(self, game: int, entries: Sequence[Entry]) -> None:
        with self._risk("append"):
            super().append(game, entries)
            if self._owner.is_alive and entries:
                kept = self._disk.entries.setdefault(game, [])
                kept += [entry for entry in entries if entry.number >= len(kept)]
                self._owner.stored(entries)

    def finish(self, game: int, result: Result) -> None:
        with self._risk("finish"):
            super().finish(game, result)

    def complete(self, game: int) -> None:
        with self._risk("complete"):
            super().complete(game)
            if self._owner.is_alive:
                self._disk.completed.add(game)

    def claim(self, game: int, raw: bytes) -> None:
        with self._risk("claim"):
            super().claim(game, raw)
            if self._owner.is_alive:
                self._disk.claims.add(raw)

    def discard(self, game: int) -> None:
        with self._risk("discard"):
            super().discard(game)
            if self._owner.is_alive:
                self._disk.entries.pop(game, None)
