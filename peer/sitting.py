"""The one loop of the game: between the table, the line, the disk and whoever decides.

    due          what happens
    SPEAK        the table makes our next entry (in a thread: proofs take a while)
    DECIDE       the seat is asked
    WAIT         everything we have is stored and sent, and the other side is listened to
    DONE         the record is complete

An entry is on disk before it is sent or acted on: ours before they go out, the other side's
before the seat hears of them.  `keep` does that: it returns when all of the table's entries are
on the disk.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final

import trio

from engine.state import State
from peer.errors import ExitCode, PeerError
from peer.link import Link, LinkLostError
from peer.seat import Ended, Moved, Notice, Opponent, Quit, Seat, Seated
from peer.tasks import unless
from protocol.entries import NO_ENTRY
from protocol.errors import (
    Fault,
    IncompatibleError,
    InvalidError,
    RemoteProtocolError,
)
from protocol.identity import fingerprint
from protocol.line import (
    MAX_DETAIL_BYTES,
    Bye,
    Entries,
    Message,
    Reason,
    Refusal,
    Sync,
    in_messages,
)
from protocol.script import HOST
from protocol.table import Table, Turn

Keep = Callable[[], Awaitable[None]]

FAREWELL_SECONDS: Final = 5
"""How long the last to speak waits until the other has everything."""


class LeftError(PeerError):
    """Somebody left the table before the game was over; it is kept."""

    exit_code = ExitCode.UNFINISHED


class RefusedError(PeerError):
    """The other side says that we broke a rule, and has closed the line."""

    exit_code = ExitCode.CHEATED


async def sit(table: Table[State], link: Link, keep: Keep, seat: Seat) -> None:
    """Play at `table` until the record is complete, or can't be completed now.

    Returns when the game is over: with both keys unsealed, unless the other side went away after
    the result was settled.

    Raises:
        LeftError: we or they left before the end.
        LinkLostError: the line is gone.
        RemoteProtocolError: the other side broke a rule; it has been told.
        RefusedError: they say that we did.
        IncompatibleError: the two sides share no game or version.
    """
    sitting = _Sitting(table, link, keep, seat)
    try:
        await sitting.play()
    except RemoteProtocolError as error:
        await _refuse(link, error)
        raise
    except InvalidError as error:
        blamed = RemoteProtocolError(error.fault, error.detail, side=1 - (table.side or HOST))
        await _refuse(link, blamed)
        raise blamed from error
    except IncompatibleError:
        await _say(link, Bye(Reason.DECLINED))
        raise
    except (LinkLostError, LeftError):
        if table.result is None:
            raise
    except trio.Cancelled:
        with trio.CancelScope(shield=True):
            await _say(link, Bye(Reason.LEFT))
        raise


class _Sitting:
    def __init__(self, table: Table[State], link: Link, keep: Keep, seat: Seat) -> None:
        self._table = table
        self._link = link
        self._keep = keep
        self._seat = seat
        self._sent = 0  # so many entries the other side has, or will have if the line holds
        self._resigning = False
        self._is_seated = False
        self._has_ended = False

    async def play(self) -> None:
        await self._sync()
        table = self._table
        while table.turn is not Turn.DONE:
            self._tell()
            if self._resigning and table.may_resign:
                table.resign()
            elif table.turn is Turn.SPEAK:
                await trio.to_thread.run_sync(table.speak)
            elif table.turn is Turn.DECIDE:
                await self._decide()
            else:
                await self._listen()
        self._tell()
        await self._flush()
        await self._say_farewell()

    # --- the other side ----------------------------------------------------------------

    async def _sync(self) -> None:
        """Compare the two records and send what the other side lacks."""
        await self._keep()
        entries = self._table.entries
        await self._link.send(Sync(len(entries), self._table.head))
        message = await self._link.receive()
        if not isinstance(message, Sync):
            await self._handle(message)
            raise InvalidError(Fault.UNEXPECTED, "the other side did not say how far it is")
        if message.count <= len(entries):
            head = entries[message.count - 1].head if message.count else NO_ENTRY
            if head != message.head:
                raise InvalidError(
                    Fault.BROKEN_CHAIN, f"the two records differ within {message.count} entries"
                )
        self._sent = message.count
        await self._flush()

    async def _listen(self) -> None:
        await self._flush()
        view = self._view() if self._table.has_seats else None
        quit_ = await unless(lambda: self._seat.wait(view), self._link.wait_readable)
        match quit_:
            case None:
                await self._handle(await self._link.receive())
            case Quit.LEAVE:
                await self._leave()
            case Quit.RESIGN:
                self._resigning = True
                self._seat.tell(Notice("You resign as soon as it is your turn to speak."))

    async def _handle(self, message: Message) -> None:
        match message:
            case Entries():
                await self._take(message.raws)
            case Bye(reason=Reason.DECLINED):
                raise LeftError("The other side declined this game.")
            case Bye():
                raise LeftError("The other side has left the table.")
            case Refusal():
                raise RefusedError(
                    f"The other side refused what we sent: {message.detail} ({message.fault})."
                )
            case _:
                raise InvalidError(
                    Fault.UNEXPECTED, f"a {type(message).__name__} in the middle of a game"
                )

    async def _take(self, raws: Sequence[bytes]) -> None:
        """Take entries; those that hold are kept even if one after them doesn't."""

        def receive_all() -> None:
            for raw in raws:
                self._table.receive(raw)

        try:
            await trio.to_thread.run_sync(receive_all)
        finally:
            with trio.CancelScope(shield=True):
                await self._keep()
        self._sent = len(self._table.entries)

    async def _flush(self) -> None:
        """Store what we have written, then send it."""
        unsent = [entry.raw for entry in self._table.entries[self._sent :]]
        if unsent:
            with trio.CancelScope(shield=True):
                await self._keep()
            for batch in in_messages(unsent):
                await self._link.send(batch)
            self._sent += len(unsent)

    async def _leave(self) -> None:
        await self._flush()
        await _say(self._link, Bye(Reason.LEFT))
        raise LeftError("You have left the table.")

    async def _say_farewell(self) -> None:
        """See to it that the other side has the last entry before the line goes."""
        await _say(self._link, Bye(Reason.DONE))
        with trio.move_on_after(FAREWELL_SECONDS), suppress(LinkLostError, InvalidError):
            while not isinstance(await self._link.receive(), Bye | Refusal):
                pass

    # --- our side ----------------------------------------------------------------------

    async def _decide(self) -> None:
        await self._flush()
        view = self._view()
        decision = await unless(lambda: self._seat.choose(view), self._link.wait_readable)
        match decision:
            case None:
                await self._handle(await self._link.receive())
            case Quit.LEAVE:
                await self._leave()
            case Quit.RESIGN:
                self._table.resign()
            case int():
                self._table.act(decision)

    def _view(self) -> State:
        return self._table.game.view(self._table.player)

    def _tell(self) -> None:
        """Let the seat know what has happened since we told it last."""
        table = self._table
        if not table.has_seats:
            return
        if not self._is_seated:
            self._is_seated = True
            self._seat.tell(Seated(table.player, self._opponent()))
        if table.game.log:
            events = tuple(table.game.log)
            table.game.log.clear()
            self._seat.tell(Moved(self._view(), events))
        if table.result is not None and not self._has_ended:
            self._has_ended = True
            self._seat.tell(Ended(self._view(), table.result))

    def _opponent(self) -> Opponent:
        other = self._table.accept if self._table.side == HOST else self._table.offer
        assert other is not None
        return Opponent(other.name, fingerprint(other.identity))


async def _refuse(link: Link, error: RemoteProtocolError) -> None:
    detail = error.detail.encode()[:MAX_DETAIL_BYTES].decode(errors="ignore")
    await _say(link, Refusal(error.fault.value, detail))


async def _say(link: Link, message: Message) -> None:
    """Send a last word, if the line still takes one."""
    with trio.move_on_after(FAREWELL_SECONDS), suppress(LinkLostError):
        await link.send(message)
