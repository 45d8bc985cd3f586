"""The one loop of the game: between the table, the line, the disk and whoever decides.

    due          what happens
    SPEAK        the table makes our next entry (in a thread: proofs take a while)
    DECIDE       the seat is asked for a decision
    CONSIDER     the seat is asked whether it agrees to end the game
    WAIT         everything we have is stored and sent, and the other side is listened to
    DONE         the record is complete, and the two may play again

An entry is on disk before it is sent or acted on: ours before they go out, the other side's
before the seat hears of them.

A sitting outlives its lines.  When one is lost, `play` is called again with the next; the two
sides then compare their records and send what is missing, byte for byte as it was sent before.
"""

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol

import trio

from engine.state import State
from peer.clocks import Clocks
from peer.errors import ExitCode, PeerError
from peer.link import Link, LinkLostError
from peer.narration import printable
from peer.parting import part
from peer.seat import Notice, Quit, Said, Seat
from peer.speech import mark, tr
from peer.tasks import background, unless
from peer.teller import Teller
from peer.world import Work, in_a_thread
from protocol.claim import Claim, Ground
from protocol.entries import NO_ENTRY, Kind
from protocol.errors import (
    Fault,
    IncompatibleError,
    InvalidError,
    LostEntriesError,
    RemoteProtocolError,
)
from protocol.line import (
    MAX_DETAIL_BYTES,
    Bye,
    Chat,
    Claimed,
    Clock,
    Entries,
    Message,
    Reason,
    Refusal,
    Sync,
    in_messages,
)
from protocol.script import HOST
from protocol.table import Table, Turn

FAREWELL_SECONDS: Final = 2
"""How long a last word may take on its way, and the other side to hang up."""
MAX_COPIES: Final = 10_000
"""Entries that we had already: a few after each break, but nobody needs to send so many."""
CHATS_A_MINUTE: Final = 60
ABSENCE_SECONDS: Final = 120
"""Who is due to speak and away for so long can be claimed against."""
GRACE_SECONDS: Final = 5
"""What somebody's time may be overstepped by before it is claimed: clocks differ."""


class LeftError(PeerError):
    """Somebody left the table before the game was over; it is kept."""

    exit_code = ExitCode.UNFINISHED


class DeclinedError(LeftError):
    """The other side doesn't take the offer, left before it did, or is at another game."""


class RefusedError(PeerError):
    """The other side says that we broke a rule, and has closed the line."""

    exit_code = ExitCode.CHEATED


class Book(Protocol):
    """Where a game is kept."""

    async def keep(self) -> None:
        """Return when every entry of the table is on the disk."""

    async def complete(self) -> None:
        """Both sides have the whole record: nothing of this game is needed any more."""

    async def make_claim(self, ground: Ground, seconds: float) -> Claim:
        """Sign a claim of ours, and keep it."""

    async def keep_claim(self, claim: Claim) -> None:
        """Keep a claim of the other side, which was checked."""


class Sitting:
    """One game, as long as it takes, over as many lines as it takes."""

    def __init__(
        self,
        table: Table[State],
        seat: Seat,
        book: Book,
        clocks: Clocks,
        work: Work = in_a_thread,
    ) -> None:
        self.table: Final = table
        self.clocks: Final = clocks
        self._seat: Final = seat
        self._teller: Final = Teller(table, seat, clocks)
        self._book: Final = book
        self._work: Final = work
        self._link: Link
        self._has_gone_on = False  # the other side, to the next game
        self._theirs: Sync | None = None  # what the other side has said on this line that it has
        self._copies = 0
        self._sent = 0  # so many entries the other side has, or will have if the line holds
        self._known = 0  # so many it is known to have
        for entry in table.entries:
            if entry.author != table.side:
                self._known = entry.number + 1  # it could not have gone on without them
        self._wish: Quit | None = None  # to be fulfilled when we may speak
        self._heard: Final[Counter[int]] = Counter()  # by the minute
        self._away_since: float | None = trio.current_time()

    async def play(self, link: Link) -> bool:
        """Play over `link` until the record is complete, or the game can't go on now.

        Returns whether both want another game over the same line.  Returns also, with no such
        wish, if the other side left after the result was settled.

        Raises:
            LeftError: we or they left before the end, or claimed the game.
            LinkLostError: the line is gone, and one side may not know that both have all.
            RemoteProtocolError: the other side broke a rule; it has been told.
            RefusedError: they say that we did.
            IncompatibleError: the two sides share no game or version.
            LostEntriesError: we have lost entries of ours: this is an old copy of the game.
        """
        self._link, self._away_since, self._theirs = link, None, None
        try:
            self.table.expect(link.identity)
            await self._sync()
            if self._has_gone_on:
                return await self._catch_up()
            async with background(self._speak_up):
                await self._play()
                again = await part(link, self._seat)
            self._known = len(self.table.entries)
            await self.settle()
            return again
        except RemoteProtocolError as error:
            await self._refuse(error)
            raise
        except InvalidError as error:
            side = 1 - (self.table.side or HOST)
            blamed = RemoteProtocolError(error.fault, error.detail, side=side)
            await self._refuse(blamed)
            raise blamed from error
        except (IncompatibleError, LostEntriesError):
            await self._say_at_last(Bye(Reason.DECLINED))
            raise
        except LinkLostError:
            if self.table.result is None:
                await self._hear_last_words()
            raise
        except LeftError:
            if self.table.result is None:
                raise
            return False
        finally:
            self._away_since = trio.current_time()
            if trio.current_effective_deadline() == -math.inf:
                # We are cancelled.  It can't be caught: nurseries make groups of it.
                with trio.CancelScope(shield=True):
                    await self._leave()

    async def _leave(self) -> None:
        """Send what we have written, and a last word.

        Who hears a goodbye instead of an acceptance may forget the game, so none must be behind.
        """
        with trio.move_on_after(FAREWELL_SECONDS), suppress(PeerError):
            if self._theirs is not None:
                await self._flush()
        await self._say_at_last(Bye(Reason.LEFT))

    async def settle(self) -> bool:
        """If both sides have the whole record, keep no secret of it; returns whether they have."""
        if self._is_settled:
            with trio.CancelScope(shield=True):
                await self._book.keep()
                await self._book.complete()
        return self._is_settled

    @property
    def _is_settled(self) -> bool:
        return self.table.turn is Turn.DONE and self._known == len(self.table.entries)

    async def wait(self) -> None:
        """Wait while there is no line.  Returns if whoever decides has had enough.

        Raises:
            LeftError: the game was claimed.
        """
        while True:
            quit_ = await self._seat.wait(self._view_if_dealt())
            if quit_ is Quit.LEAVE:
                return
            await self._heed(quit_)

    async def _play(self) -> None:
        table = self.table
        while table.turn is not Turn.DONE:
            self._teller.tell()
            if self._wish is Quit.RESIGN and table.may_resign:
                table.resign()
            elif self._wish is Quit.PROPOSE and table.may_propose:
                self._wish = None
                table.propose()
            elif table.turn is Turn.SPEAK:
                await self._work(table.speak)
            else:
                await self._flush()
                match table.turn:
                    case Turn.DECIDE:
                        await self._decide()
                    case Turn.CONSIDER:
                        await self._consider()
                    case _:
                        await self._listen()
        self._teller.tell()
        await self._flush()
        await self.settle()

    # --- the other side ----------------------------------------------------------------

    async def _sync(self) -> None:
        """Compare the two records and send what the other side lacks."""
        await self._book.keep()
        await self._say_how_far()
        message = await self._link.receive()
        while isinstance(message, Chat):  # of the game before this one, and late
            self._hear(message.text)
            message = await self._link.receive()
        if not isinstance(message, Sync):
            if isinstance(message, Bye | Refusal):
                await self._handle(message)
            raise InvalidError(Fault.UNEXPECTED, "the other side did not say how far it is")
        await self._compare(message)

    async def _say_how_far(self) -> None:
        await self._link.send(Sync(self._game_id, len(self.table.entries), self.table.head))

    async def _compare(self, message: Sync) -> None:
        """Send what the other side lacks, now that it has said what it has."""
        entries = self.table.entries
        if None not in (message.game_id, self._game_id) and message.game_id != self._game_id:
            await self._say_at_last(Bye(Reason.DECLINED))
            raise DeclinedError("The other side is at another game than this one.")
        is_offer = message.count == 1 and entries and message.head == entries[0].head
        if message.game_id is None and self.table.turn is Turn.DONE and not is_offer:
            self._has_gone_on = True
            return
        if message.count <= len(entries):
            head = entries[message.count - 1].head if message.count else NO_ENTRY
            if head != message.head:
                raise InvalidError(
                    Fault.BROKEN_CHAIN, f"the two records differ within {message.count} entries"
                )
        self._theirs, self._sent = message, message.count
        self._known = min(message.count, len(entries))
        await self._flush()

    async def _catch_up(self) -> bool:
        """The other side has all of this game, and is at the next: whether we play that too.

        It went on because we wished to; but before we heard of it the line was lost.
        """
        self._teller.tell()
        self._known = len(self.table.entries)
        await self.settle()
        again = await unless(self._seat.again, self._link.wait_readable)
        if not again:
            await self._say_at_last(Bye(Reason.DECLINED))
        return bool(again)

    @property
    def _game_id(self) -> bytes | None:
        return self.table.game_id if self.table.accept else None

    async def _listen(self) -> None:
        view = self._view_if_dealt()
        quit_ = await unless(lambda: self._seat.wait(view), self._link.wait_readable)
        if quit_ is None:
            await self._handle(await self._link.receive())
        else:
            await self._heed(quit_)

    async def _handle(self, message: Message) -> None:
        match message:
            case Entries():
                await self._take(message.raws)
            case Chat():
                self._hear(message.text)
            case Sync() if self._theirs and self._theirs.game_id and not self.table.accept:
                # It was at the game before this one.
                await self._say_how_far()
                await self._compare(message)
            case Clock():
                self.clocks.hear(self._other, message.used / 1000)
            case Claimed():
                await self._take_claim(message.claim)
            case Bye(reason=Reason.DECLINED):
                raise DeclinedError("The other side declined this game.")
            case Bye() if self._theirs and not self._theirs.game_id and not self.table.accept:
                raise DeclinedError("The other side has left. The game had not begun.")
            case Bye():
                raise LeftError("The other side has left the table. The game is kept.")
            case Refusal():
                what = printable(f"{message.detail} ({message.fault})", MAX_DETAIL_BYTES)
                raise RefusedError("The other side refused what we sent: {what}.", what=what)
            case _:
                raise InvalidError(
                    Fault.UNEXPECTED, f"a {type(message).__name__} in the middle of a game"
                )

    def _hear(self, text: str) -> None:
        """Pass on what the other player says, unless it says far too much."""
        minute = int(trio.current_time() // 60)
        self._heard[minute] += 1
        if self._heard[minute] <= CHATS_A_MINUTE:
            self._seat.tell(Said(text))

    async def _speak_up(self) -> None:
        """Send what our player says, for as long as the line is there."""
        with suppress(LinkLostError):
            while True:
                await self._link.send(Chat(await self._seat.words()))

    async def _take(self, raws: Sequence[bytes]) -> None:
        """Take entries; those that hold are kept even if one after them doesn't."""

        def receive_all() -> None:
            for raw in raws:
                if self.table.receive(raw) is None:
                    self._copies += 1
            if self._copies > MAX_COPIES:
                raise InvalidError(Fault.UNEXPECTED, "the same entries again and again")

        try:
            await self._work(receive_all)
        finally:
            self._sent = self._known = len(self.table.entries)
            with trio.CancelScope(shield=True):
                await self._book.keep()

    async def _take_claim(self, raw: bytes) -> None:
        claim = Claim.decode(raw)
        if claim.side != self._other or claim.game_id != self._game_id:
            raise InvalidError(Fault.UNEXPECTED, "a claim about another game")
        claim.check_signature(self.table.identities[claim.side])
        await self._book.keep_claim(claim)
        raise LeftError(_CLAIMED[claim.ground], seconds=claim.seconds)

    async def _flush(self) -> None:
        """Store what we have written, then send it."""
        unsent = self.table.entries[self._sent :]
        if unsent:
            with trio.CancelScope(shield=True):
                await self._book.keep()
            for batch in in_messages([entry.raw for entry in unsent]):
                await self._link.send(batch)
            self._sent += len(unsent)
            if self.clocks.control and any(entry.kind is Kind.ACT for entry in unsent):
                used = self.clocks.used(1 - self._other)
                await self._link.send(Clock(round(1000 * used)))

    async def _refuse(self, error: RemoteProtocolError) -> None:
        detail = error.detail.encode()[:MAX_DETAIL_BYTES].decode(errors="ignore")
        await self._say_at_last(Refusal(error.fault.value, detail))

    async def _say_at_last(self, message: Message) -> None:
        """Send a last word, if the line still takes one, and let the other side hang up first.

        Whoever closes a line with something unread takes away what it has just sent (RFC 9293,
        section 3.6.1), and we would be missed, waited for and dialled in vain.
        """
        with trio.move_on_after(FAREWELL_SECONDS), suppress(LinkLostError, InvalidError):
            await self._link.send(message)
            while not isinstance(await self._link.receive(), Bye | Refusal):
                pass

    async def _hear_last_words(self) -> None:
        """A line that is lost while we speak may have brought the reason already.

        Raises:
            LeftError, RefusedError: it has.
        """
        with trio.move_on_after(FAREWELL_SECONDS), suppress(LinkLostError, InvalidError):
            while True:
                message = await self._link.receive()
                if isinstance(message, Bye | Refusal):
                    await self._handle(message)

    # --- our side ----------------------------------------------------------------------

    async def _decide(self) -> None:
        view = self._view()
        decision = await unless(lambda: self._seat.choose(view), self._link.wait_readable)
        match decision:
            case None:
                await self._handle(await self._link.receive())
            case Quit():
                await self._heed(decision)
            case action:
                self.table.act(action)

    async def _consider(self) -> None:
        view = self._view()
        answer = await unless(lambda: self._seat.consider(view), self._link.wait_readable)
        match answer:
            case None:
                await self._handle(await self._link.receive())
            case Quit():
                await self._heed(answer)
            case agrees:
                self.table.reply(agrees)

    async def _heed(self, quit_: Quit) -> None:
        """Do what whoever decides has asked for, now or when we may speak."""
        match quit_:
            case Quit.LEAVE:
                await self._leave()
                raise LeftError("You have left the table. The game is kept.")
            case Quit.CLAIM:
                await self._claim()
            case Quit.RESIGN | Quit.PROPOSE:
                if not self.table.has_seats or self.table.result is not None:
                    self._seat.tell(Notice(tr("There is no game to end now.")))
                    return
                self._wish = quit_
                if self.table.turn is Turn.WAIT:
                    self._seat.tell(Notice(tr("That will be said as soon as you may speak.")))
                elif quit_ is Quit.PROPOSE and not self.table.may_propose:
                    self._wish = None
                    self._seat.tell(Notice(tr("You can propose that again after the next move.")))

    async def _claim(self) -> None:
        """Claim the game, if there is a ground to."""
        ground, seconds = self._ground()
        if ground is None:
            self._seat.tell(Notice(tr(_NOTHING_TO_CLAIM, seconds=ABSENCE_SECONDS)))
            return
        claim = await self._book.make_claim(ground, seconds)
        if self._away_since is None:
            await self._say_at_last(Claimed(claim.encode()))
        raise LeftError(
            "You have claimed the game. Your claim is kept with the record, as your word: "
            "nobody can prove how much time has passed."
        )

    def _ground(self) -> tuple[Ground | None, float]:
        step = self.table.step
        if (
            not self.table.has_seats
            or self.table.result
            or step is None
            or step.side != self._other
        ):
            return None, 0
        left = self.clocks.left(self._other)
        if left is not None and left < -GRACE_SECONDS:
            return Ground.TIME, self.clocks.used(self._other)
        away = trio.current_time() - self._away_since if self._away_since is not None else 0
        return (Ground.ABSENCE, away) if away >= ABSENCE_SECONDS else (None, 0)

    @property
    def _other(self) -> int:
        return 1 - (self.table.side or HOST)

    def _view(self) -> State:
        return self.table.game.view(self.table.player)

    def _view_if_dealt(self) -> State | None:
        return self._view() if self.table.has_seats else None


_NOTHING_TO_CLAIM: Final = mark(
    "There is nothing to claim yet. You can when the other side is due to speak and has been away "
    "for {seconds} seconds, or has used up its time where a clock was agreed."
)
_CLAIMED: Final = {
    Ground.TIME: mark(
        "The other side says that your time is up ({seconds} seconds), claims the game and has "
        "left. That is its word, kept beside the record; it is no result."
    ),
    Ground.ABSENCE: mark(
        "The other side says that you were away too long ({seconds} seconds), claims the game and "
        "has left. That is its word, kept beside the record; it is no result."
    ),
}
