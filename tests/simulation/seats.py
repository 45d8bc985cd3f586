"""Who decides in a simulation: somebody who takes any action, and likes to end a game early."""

from typing import TYPE_CHECKING, Final

import trio

from engine.actions import CALL
from engine.state import State
from peer.seat import Ended, Line, Moved, News, Notice, Quit, Seat

if TYPE_CHECKING:
    from tests.simulation.process import Process

LONG: Final = 30
"""So many seconds a player waits before thinking of a claim."""
MAX_GAMES: Final = 2


class SimulatedSeat(Seat):
    """Decides by chance, after a while."""

    def __init__(self, process: "Process") -> None:
        self._process: Final = process
        self._fate: Final = process.fate

    def tell(self, news: News) -> None:
        self._fate.note(self._process.name, "hears", _describe(news))
        if isinstance(news, Line | Ended):
            self._fate.be_critical()
        if isinstance(news, Moved | Ended) and self._process.is_alive:
            self._process.watch.tell(self._process, news.view)
        self._process.step("told")

    async def choose(self, view: State) -> int | Quit:
        await self._think()
        if self._fate.strikes("leave"):
            return Quit.LEAVE
        if self._fate.wants("resign"):
            return Quit.RESIGN
        if self._fate.wants("propose"):
            return Quit.PROPOSE
        return CALL if CALL in view.actions else self._fate.random.choice(view.actions)

    async def consider(self, view: State) -> bool | Quit:
        await self._think()
        if self._fate.strikes("leave"):
            return Quit.LEAVE
        return self._fate.random.random() < 0.5

    async def _think(self) -> None:
        await trio.sleep(self._fate.seconds(100 if self._fate.strikes("long thought") else 1))
        self._process.step("decided")

    async def wait(self, view: State | None) -> Quit:
        since = trio.current_time()
        while not self._fate.is_quiet:
            await trio.sleep(self._fate.seconds(20))
            if self._fate.strikes("leave"):
                return Quit.LEAVE
            if view is None:
                continue
            if trio.current_time() > since + LONG and self._fate.strikes("claim"):
                return Quit.CLAIM  # whether there is a ground to is for the program to say
            if self._fate.wants("propose"):
                return Quit.PROPOSE
            if self._fate.wants("resign"):
                return Quit.RESIGN
        await trio.sleep_forever()
        raise AssertionError

    async def words(self) -> str:
        while True:
            await trio.sleep(1 + self._fate.seconds(20))
            if self._fate.strikes("words"):
                return "Your turn, I believe?"

    async def again(self) -> bool:
        await self._think()
        return len(self._process.disk.entries) < MAX_GAMES and self._fate.wants("again")


def _describe(news: News) -> str:
    match news:
        case Notice(text):
            return text
        case Ended(_, result):
            return f"the end: {result.reason}"
        case _:
            return type(news).__name__
