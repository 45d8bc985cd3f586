"""The suite's side of one game: honest until a case departs, and then all eyes.

It knows the other side only by what comes over the line.  Whatever does not hold there fails the
case by itself, since the table that receives it is the library's own.
"""

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Final

import trio

from engine.state import State
from protocol.entries import NO_ENTRY, Entry, Kind
from protocol.errors import Fault, InvalidError, ProtocolError
from protocol.identity import Identity
from protocol.line import (
    Again,
    Bye,
    Chat,
    Clock,
    Entries,
    Message,
    Ping,
    Pong,
    Reason,
    Refusal,
    Sync,
    in_messages,
)
from protocol.script import Step
from protocol.table import Table, Turn
from tests.conformance.case import FailedError, SkippedError
from tests.conformance.line import ClosedError, Line

if TYPE_CHECKING:
    from tests.conformance.bench import Bench

Moment = Callable[["Player"], bool]


def any_moment(player: "Player") -> bool:
    return True


class Player:
    """One game with the peer under test, over one line after the other."""

    def __init__(
        self, bench: "Bench", table: Table[State], identity: Identity, rng: Random
    ) -> None:
        self.bench: Final = bench
        self.table: Final = table
        self.identity = identity
        self.line: Line
        self.pongs: Final[list[int]] = []
        self._kept: Final[list[Message]] = []
        self.theirs: Sync
        self._rng: Final = rng

    @property
    def side(self) -> int:
        assert self.table.side is not None
        return self.table.side

    @property
    def due(self) -> Step:
        if self.table.step is None:
            raise FailedError("the record is complete already")
        return self.table.step

    @property
    def is_ours(self) -> bool:
        """Whether the next entry is ours."""
        return self.table.step is not None and self.table.step.side == self.side

    @property
    def game_id(self) -> bytes | None:
        return self.table.game_id if self.table.accept else None

    # --- lines -------------------------------------------------------------------------

    async def connect(self) -> None:
        """Open a line, the first or another one, up to the hellos."""
        self.line = await self.bench.introduced(self.identity)

    async def sync(self, *, lost: int = 0) -> None:
        """Exchange SYNCs.  We say that we lack the last `lost` entries, and are sent them again.

        What the peer lacks is sent.
        """
        have = len(self.table.entries) - lost
        head = self.table.entries[have - 1].head if have else NO_ENTRY
        await self.line.say(Sync(self.game_id, have, head))
        answer = await self.hear()
        if not isinstance(answer, Sync):
            raise FailedError(f"{describe(answer)} came where its SYNC was due")
        self.theirs = answer
        if None not in (answer.game_id, self.game_id) and answer.game_id != self.game_id:
            raise FailedError("its SYNC is about another game")
        if answer.count <= len(self.table.entries):
            expected = self.table.entries[answer.count - 1].head if answer.count else NO_ENTRY
            if answer.head != expected:
                raise FailedError("its SYNC has another head than our record")
        await self.send(*(entry.raw for entry in self.table.entries[answer.count :]))

    # --- what comes --------------------------------------------------------------------

    async def hear(self) -> Message:
        """The next message that is no small talk.  A PING is answered."""
        if self._kept:
            return self._kept.pop(0)
        with trio.move_on_after(self.bench.patience):
            while (message := await self._small_talk()) is None:
                pass
            return message
        raise FailedError(f"nothing came for {self.bench.patience:g} s ({self._waiting_for()})")

    async def _small_talk(self) -> Message | None:
        """The next message, or None if it was dealt with here."""
        try:
            message = await self.line.hear()
        except ClosedError:
            raise FailedError("it has closed the line") from None
        except InvalidError as error:
            raise FailedError(f"it sent what can't be read: {error}") from None
        match message:
            case Ping():
                await self.line.say(Pong(message.token))
            case Pong():
                self.pongs.append(message.token)
            case Clock() | Chat():
                pass
            case _:
                return message
        return None

    def _waiting_for(self) -> str:
        return f"{self.table.step} is due" if self.table.step else "the record is complete"

    async def listen(self) -> None:
        """Take the entries that come next."""
        message = await self.hear()
        if not isinstance(message, Entries):
            raise FailedError(f"{describe(message)} came where {self.table.step} was due")
        for raw in message.raws:
            try:
                self.table.receive(raw)
            except ProtocolError as error:
                raise FailedError(
                    f"its entry {len(self.table.entries)} is wrong: {error}"
                ) from None

    async def ping(self, token: int) -> None:
        """Send a PING, and see its PONG come.  To be used while nothing else is due to come."""
        await self.line.say(Ping(token))
        with trio.move_on_after(self.bench.patience):
            while token not in self.pongs:
                message = await self._small_talk()
                if message is not None:
                    self._kept.append(message)
            self.pongs.clear()
            return
        raise FailedError(f"no PONG for {self.bench.patience:g} s")

    # --- playing -----------------------------------------------------------------------

    def write(self) -> Entry:
        """Our next entry, as an honest player would make it.  It is not sent yet."""
        match self.table.turn:
            case Turn.DECIDE:
                request = self.table.game.pending
                assert request.kind == "choose"
                return self.table.act(self._rng.choice(request.actions))
            case Turn.CONSIDER:
                return self.table.reply(agrees=False)
            case _:
                return self.table.speak()

    async def send(self, *raws: bytes) -> None:
        """Send entries, in as few messages as will carry them."""
        for message in in_messages(list(raws)):
            await self.line.say(message)

    async def step(self) -> None:
        """Write what is due from us, or take what is due from them."""
        if self.is_ours:
            await self.send(self.write().raw)
        else:
            await self.listen()

    async def until(self, *kinds: Kind, when: Moment = any_moment) -> Entry:
        """Play until we are to write an entry of one of `kinds`, write it, and keep it back."""
        while not (self.is_ours and self.due.kind in kinds and when(self)):
            if self.table.step is None:
                raise SkippedError("the game was over before this moment came")
            await self.step()
        return self.write()

    async def until_our_turn(self, *kinds: Kind, when: Moment = any_moment) -> Step:
        """Play until we are to write an entry, of one of `kinds` if any are named."""
        while not (self.is_ours and (not kinds or self.due.kind in kinds) and when(self)):
            if self.table.step is None:
                raise SkippedError("the game was over before this moment came")
            await self.step()
        return self.due

    async def until_their_turn(self, *kinds: Kind) -> Step:
        """Play until they are to write an entry, of one of `kinds` if any are named."""
        while self.is_ours or (kinds and self.due.kind not in kinds):
            await self.step()
        return self.due

    async def until_seated(self) -> None:
        while not self.table.has_seats:
            await self.step()

    async def go_on(self) -> None:
        """See that the game goes on: an entry of ours is taken, and one of theirs comes."""
        before = len(self.table.entries)
        while not any(e.author != self.side for e in self.table.entries[before:]):
            if self.table.step is None:
                return
            await self.step()

    async def resign(self) -> None:
        """Give the game up as soon as we may, and see it to its end."""
        while not self.table.may_resign:
            if self.table.result is not None:
                break
            await self.step()
        if self.table.result is None:
            await self.send(self.table.resign().raw)
        await self.finish()

    async def finish(self) -> None:
        """Play until the record is complete, and part in good order."""
        while self.table.step is not None:
            await self.step()
        await self.line.say(Bye(Reason.DONE))
        while not isinstance(message := await self.hear_last(), Bye | None):
            if not isinstance(message, Again | Entries):
                raise FailedError(f"{describe(message)} came after the end of the game")

    async def hear_last(self) -> Message | None:
        """The next message, or None if the line was closed."""
        try:
            return await self.hear()
        except FailedError as error:
            if "closed" in str(error):
                return None
            raise

    # --- seeing what becomes of a departure ----------------------------------------------

    async def is_refused(self, *faults: Fault, after: int | None = None) -> None:
        """See a REFUSAL with one of these faults come; then hang up, as one does.

        Entries that were on their way are overlooked, but not those with a number above `after`:
        they would mean that what we sent was taken.
        """
        names = " or ".join(fault.value for fault in faults)
        while True:
            match message := await self._what_comes_of_it(f"a REFUSAL with {names}"):
                case Refusal():
                    if message.fault not in {fault.value for fault in faults}:
                        raise FailedError(
                            f"REFUSAL {message.fault} ({message.detail}) where {names} was expected"
                        )
                    return await self.line.cut()
                case Entries():
                    numbers = [Entry.decode(raw).number for raw in message.raws]
                    if after is not None and max(numbers) > after:
                        raise FailedError(f"it was taken, where a REFUSAL with {names} was due")
                case _:
                    raise FailedError(f"{describe(message)} where a REFUSAL {names} was expected")

    async def _what_comes_of_it(self, expected: str) -> Message:
        try:
            return await self.hear()
        except FailedError as error:
            raise FailedError(f"{error}, where {expected} was expected") from None

    async def is_declined(self) -> None:
        """See BYE 2 come; then hang up, as one does."""
        match message := await self._what_comes_of_it("BYE 2"):
            case Bye(reason=Reason.DECLINED):
                await self.line.cut()
            case _:
                raise FailedError(f"{describe(message)} where BYE 2 was expected")

    async def is_closed(self) -> None:
        """See the line closed, and nothing of the game coming over it any more."""
        await self.bench.is_closed(self.line)


def describe(message: Message) -> str:
    """A message in a few words."""
    match message:
        case Refusal():
            return f"REFUSAL {message.fault} ({message.detail})"
        case Bye():
            return f"BYE {message.reason}"
        case Entries():
            kinds = []
            for raw in message.raws:
                try:
                    entry = Entry.decode(raw)
                    kinds.append(f"{entry.kind.name} {entry.number}")
                except InvalidError:
                    kinds.append("?")
            return f"ENTRIES ({', '.join(kinds)})"
        case _:
            return type(message).__name__.upper()
