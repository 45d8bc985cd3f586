"""What must never happen, looked for in everything that is signed, stored, sent and told.

Nothing of the program is replaced: `Entry.sign` and `Link.send` are listened to.
"""

import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from engine.state import State
from peer.link import Link
from protocol.entries import Entry, state_hash
from protocol.line import Claimed, Entries, Message
from tests.simulation.disk import Disk
from tests.simulation.fate import Fate


class Speaker(Protocol):
    """The process at work."""

    @property
    def name(self) -> str: ...
    @property
    def side(self) -> int: ...
    @property
    def is_alive(self) -> bool: ...
    @property
    def disk(self) -> Disk: ...
    @property
    def signed(self) -> set[tuple[bytes, int]]:
        """The places, as (previous head, number), for which it has signed an entry."""

    @property
    def doubts(self) -> "list[Doubt]": ...
    def step(self, where: str) -> None: ...


SPEAKER: Final[ContextVar[Speaker]] = ContextVar("SPEAKER")
"""Whose code runs: tasks inherit it."""


@dataclass(slots=True)
class Doubt:
    """A view that a seat was shown, and whose state stands in no entry on the disk yet."""

    state: bytes
    stored_since: list[Entry] = field(default_factory=list)


@dataclass(slots=True)
class Watch:
    """Looks on, and keeps what is wrong."""

    fate: Fate
    violations: list[str] = field(default_factory=list)
    signed: int = 0
    _places: dict[tuple[bytes, int, int], bytes] = field(default_factory=dict)

    def report(self, violation: str, error: BaseException | None = None) -> None:
        """Something is wrong."""
        self.fate.note("WRONG", violation)
        where = "".join(traceback.format_exception(error)) if error else ""
        self.violations.append(f"{violation}\n{where}".rstrip())

    # --- signed ------------------------------------------------------------------------

    def sign(self, entry: Entry) -> None:
        """`entry` has been signed."""
        speaker = SPEAKER.get(None)
        if speaker is None or not speaker.is_alive:
            return
        self.signed += 1
        self.fate.note(speaker.name, "signs", entry.number, entry.kind.name, entry.head.hex()[:8])
        place = entry.previous, entry.number
        if entry.number and place in speaker.signed:
            self.report(f"{speaker.name} has signed entry {entry.number} twice in one process")
        speaker.signed.add(place)

    def release(self, entry: Entry) -> None:
        """An entry has got to a line or to a disk: from now on it is the only one in its place."""
        if not entry.number:
            return  # every game has an offer of its own
        place = entry.previous, entry.number, entry.author
        if self._places.setdefault(place, entry.raw) != entry.raw:
            self.report(f"there are two different entries {entry.number} of side {entry.author}")

    # --- sent --------------------------------------------------------------------------

    def send(self, message: Message) -> None:
        """A message is about to go out."""
        speaker = SPEAKER.get(None)
        if speaker is None or not speaker.is_alive:
            return
        self.fate.note(speaker.name, "sends", _describe(message))
        if isinstance(message, Claimed) and message.claim not in speaker.disk.claims:
            self.report(f"{speaker.name} sends a claim that isn't on its disk")
        if isinstance(message, Entries):
            for entry in map(Entry.decode, message.raws):
                self.release(entry)
                if not speaker.disk.has(entry):
                    self.report(f"{speaker.name} sends {entry.number}, which isn't on its disk")

    # --- told --------------------------------------------------------------------------

    def tell(self, speaker: Speaker, view: State) -> None:
        """A seat is shown `view`.

        What it shows follows from entries on the disk, and perhaps from entries of our own that
        are about to get there.
        """
        state = state_hash(view.public_bytes())
        games = speaker.disk.entries.values()
        if not any(entry.state == state for entries in games for entry in entries):
            speaker.doubts.append(Doubt(state))

    def store(self, speaker: Speaker, entries: Sequence[Entry]) -> None:
        """Entries have got to the disk: was the seat told of any before?"""
        for entry in entries:
            self.release(entry)
            for doubt in speaker.doubts[:]:
                doubt.stored_since.append(entry)
                if entry.state == doubt.state:
                    speaker.doubts.remove(doubt)
                    self._settle(speaker, doubt)

    def _settle(self, speaker: Speaker, doubt: Doubt) -> None:
        for entry in doubt.stored_since:
            if entry.author != speaker.side:
                self.report(f"{speaker.name} was told of entry {entry.number} before it was stored")

    # --- listening ---------------------------------------------------------------------

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear of everything that is signed and sent, as long as this lasts."""
        sign, send = Entry.__dict__["sign"], Link.send

        def heard_sign(cls: type[Entry], *arguments: Any) -> Entry:
            entry: Entry = sign.__func__(cls, *arguments)
            self.sign(entry)
            return entry

        async def heard_send(link: Link, message: Message) -> None:
            self.send(message)
            if speaker := SPEAKER.get(None):
                speaker.step("before sending")
            await send(link, message)
            if speaker:
                speaker.step("after sending")

        setattr(Entry, "sign", classmethod(heard_sign))  # noqa: B010 - mypy minds an assignment
        setattr(Link, "send", heard_send)  # noqa: B010
        try:
            yield
        finally:
            setattr(Entry, "sign", sign)  # noqa: B010
            setattr(Link, "send", send)  # noqa: B010


def _describe(message: Message) -> str:
    if isinstance(message, Entries):
        numbers = [Entry.decode(raw).number for raw in message.raws]
        return f"entries {numbers[0]}-{numbers[-1]}"
    return type(message).__name__
