"""Our own peer as the peer under test, inside this process: quick, and open to mutation.

`MUTANT` says which mutant a task belongs to.  Tasks and threads inherit it, so that a mutated
peer and an honest suite can meet in one process, and many such pairs at once.
"""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import trio

from peer import playing
from peer.bot import Bot
from peer.errors import PeerError
from peer.invitation import Invitation
from peer.playing import Listen, Offering
from peer.seat import Quit, Seat
from peer.series import Profile
from peer.store import Store
from peer.tasks import background
from tests.conformance.subject import LOOPBACK, Hosting, Joining

MUTANT: Final = ContextVar("MUTANT", default="")

NewSeat = Callable[[], Seat]


class Stubborn(Bot):
    """A bot that agrees to no end."""

    async def consider(self, view: object) -> bool | Quit:
        await trio.lowlevel.checkpoint()
        return False


def new_bot() -> Seat:
    """A bot that always decides in the same way, and plays as often as the other likes."""
    return Bot(0, again=True)


def new_stubborn_bot() -> Seat:
    return Stubborn(0, again=True)


@asynccontextmanager
async def our_host(
    home: Path, *, mutant: str = "", new_seat: NewSeat = new_bot
) -> AsyncIterator[Hosting]:
    """Our own peer, hosting on the loopback for everybody, as this mutant if one is named."""
    send, receive = trio.open_memory_channel[Invitation](1)

    async def serve() -> None:
        MUTANT.set(mutant)
        with Store.open(home) as store:
            await playing.serve(
                Profile(store, home, new_seat()),
                Listen(LOOPBACK),
                Offering(),
                send.send_nowait,
                new_seat=new_seat,
                max_games=1000,
            )

    async with background(serve):
        invitation = await receive.receive()
        yield Hosting(invitation)


def our_guest(*, mutant: str = "", new_seat: NewSeat = new_bot) -> Joining:
    """Our own peer, joining anew for every case."""

    async def start(invitation: str) -> str:
        MUTANT.set(mutant)
        with TemporaryDirectory() as folder, Store.open(Path(folder)) as store:
            try:
                profile = Profile(store, Path(folder), new_seat())
                await playing.join(profile, Invitation.parse(invitation))
            except PeerError as error:
                return str(error)
            except Exception as error:
                if not mutant:
                    raise
                return repr(error)  # it would have ended the program, and the line with it
        return "the game is over"

    return Joining(start)


class Surprises(logging.Handler):
    """Collects what our own host calls unforeseen: whatever a guest does, there should be none."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: Final[list[str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not MUTANT.get():
            self.found.append(record.getMessage() + repr(record.exc_info))
