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
class Ended:
    """The game is over, and this is how it looks."""

    view: State
    result: Result


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the connection that a person wants to know, in a sentence."""

    text: str


News = Seated | Moved | Ended | Notice


class Seat(Protocol):
    """What a table asks of whoever decides."""

    def tell(self, news: News) -> None:
        """Take notice.  Must return at once."""

    async def choose(self, view: State) -> int | Quit:
        """Decide for one of `view.actions`.  Cancelled if the game can't go on meanwhile."""

    async def wait(self, view: State | None) -> Quit:
        """The other side's turn.  Returns only to quit; cancelled when it is over.

        `view` is None before the cards are dealt.
        """
