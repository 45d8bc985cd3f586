"""Who decides at a table: a person at a terminal, a bot, a script.  All satisfy `Seat`.

A seat sees views of the game (`State.view`): what its player may know, and nothing else.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from engine.events import Event
from engine.state import State
from protocol.course import Result


class Quit(Enum):
    """Ways to end a game early."""

    RESIGN = "resign"
    """Give it up: the other side has won, and the record says so."""
    PROPOSE = "propose"
    """Propose to end it without a winner; the other side may agree or go on."""
    CLAIM = "claim"
    """Say that the other side is out of time or stays away.  Kept as our word, and no result."""
    LEAVE = "leave"
    """Go away for now: the game is kept as it is."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """Who sits opposite: a name nobody has verified, and the fingerprint of a key."""

    name: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Seated:
    """The seats are taken: `player` is ours (0 Dracula, 1 Van Helsing)."""

    player: int
    opponent: Opponent


@dataclass(frozen=True, slots=True)
class Moved:
    """The game has gone on: `events` since the last news, and how it looks now."""

    view: State
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Ticking:
    """The clocks, by player: seconds left to think, and whose time runs.  Only where agreed."""

    left: tuple[float, float]
    running: int | None


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over, and this is how it looks."""

    view: State
    result: Result


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the other side or the connection, in sentences for a person."""

    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """What the other player says.  A stranger's text: make it harmless before it is shown."""

    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """The line to the other side is there, or lost for now."""

    is_up: bool


@dataclass(frozen=True, slots=True)
class Proven:
    """What our own check of the record has found good so far, and where the record stands."""

    entries: int
    """All of them, each signed by its author and chained to the one before."""
    shuffles: int
    shares: int
    """Of cards: each proves that it opens that card and no other."""
    coins: int
    head: bytes
    """32 bytes that stand for every entry: equal on both sides, or the records differ."""
    is_complete: bool
    """Whether the result is settled and both keys are shown: nothing is missing any more."""


News = Said | Seated | Moved | Ticking | Ended | Notice | Line | Proven


class Seat(Protocol):
    """What a table asks of whoever decides.

    What is asked may be cancelled when the game can't go on, and asked again later.
    """

    def tell(self, news: News) -> None:
        """Take notice.  Must return at once."""

    async def choose(self, view: State) -> int | Quit:
        """Decide for one of `view.actions`."""

    async def consider(self, view: State) -> bool | Quit:
        """The other side proposes to end the game without a winner: whether we agree."""

    async def wait(self, view: State | None) -> Quit:
        """The other side's turn, or nobody there.  Returns only to quit.

        `view` is None before the cards are dealt.
        """

    async def words(self) -> str:
        """The next thing to say to the other player, at most 500 bytes, when there is one."""

    async def again(self) -> bool:
        """The game is over: whether we would play another, with the seats exchanged."""
