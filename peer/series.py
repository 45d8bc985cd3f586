"""The games of two at one table: one after the other, over one line after the other.

A line may be lost at any moment, a game may be left and resumed, and after a game the two may
play again.  Here that is kept together; how lines are opened is `new_line`'s business.
"""

import math
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import trio

from engine.state import State
from peer.book import Book, clocks_of
from peer.errors import ExitCode, PeerError, StoreError
from peer.games import GAMES
from peer.invitation import Invitation
from peer.link import Link, LinkLostError
from peer.seat import Line, Notice, Quit, Seat
from peer.sitting import DeclinedError, LeftError, Sitting
from peer.speech import sentences, tr
from peer.store import GameRow, Store
from peer.tasks import unless
from peer.world import REAL, World
from protocol.course import Ours, Terms
from protocol.errors import IncompatibleError, LostEntriesError, RemoteProtocolError
from protocol.script import GUEST, HOST
from protocol.table import Table

NewLine = Callable[[], AbstractAsyncContextManager[Link]]
"""Opens the next line to the other side, however long that takes."""


AFTERWARDS_SECONDS: Final = 120
"""So long the end of a record is waited for when the line is lost after the game."""


class CheatError(PeerError):
    """The other side broke a rule of the protocol or of the game."""

    exit_code = ExitCode.CHEATED


@dataclass(frozen=True, slots=True)
class Profile:
    """Who plays here: where games are kept, who decides, a nickname, and the world around.

    `patience` is for how many seconds one waits for a line, at first or again.
    """

    store: Store
    home: Path
    seat: Seat
    name: str = ""
    world: World = REAL
    patience: float = math.inf


@dataclass(frozen=True, slots=True)
class Place:
    """What the lines of a table are made with.  It is kept with each game, to resume it."""

    invitation: Invitation
    line_seed: bytes = field(repr=False)
    bind: str | None = None
    port: int | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played here: its number in the store, and its table."""

    number: int
    table: Table[State]


@dataclass(frozen=True, slots=True)
class Game:
    """A game under way."""

    sitting: Sitting
    book: Book

    @property
    def has_begun(self) -> bool:
        """Whether both have agreed to play it."""
        return self.sitting.table.accept is not None

    @property
    def is_over(self) -> bool:
        """Whether its result is known."""
        return self.sitting.table.result is not None

    @property
    def played(self) -> Played:
        return Played(self.book.number, self.sitting.table)


class Series:
    """Games of the same two.  Each game is locked as long as it is played here."""

    def __init__(self, profile: Profile, place: Place, new_line: NewLine) -> None:
        self._profile: Final = profile
        self._place: Final = place
        self._new_line: Final = new_line
        self._game: Game | None = None
        self._has_met = False
        self._played: Final[list[Played]] = []
        self._locks: Final = ExitStack()

    async def start(self, terms: Terms | None) -> list[Played]:
        """Play a new game, and others after it: as the host if there are `terms`.

        Raises:
            PeerError: a game could not be played to its end; it says what happened.
        """
        with self._locks:
            return await self._play(lambda: self._new_game(terms))

    async def resume(self, row: GameRow) -> list[Played]:
        """Go on with a game that is kept, and play others after it."""
        with self._locks:
            self._game = game = self._old_game(row)
            if await game.sitting.settle():
                return [game.played]
            return await self._play(lambda: game)

    async def _play(self, first: Callable[[], Game]) -> list[Played]:
        try:
            return await self._play_on(first)
        finally:
            if self._game is not None:
                with trio.CancelScope(shield=True):
                    await self._game.book.close()

    async def _play_on(self, first: Callable[[], Game]) -> list[Played]:
        while True:
            connected = trio.Event()

            async def over_one_line(connected: trio.Event = connected) -> bool:
                async with self._new_line() as link:
                    connected.set()
                    self._has_met = True
                    self._profile.seat.tell(Line(is_up=True))
                    self._game = self._game or first()
                    while await self._sit(self._game, link):
                        self._game = self._next_game(self._game)
                    return True

            async def while_nobody_is_there(connected: trio.Event = connected) -> None:
                is_afterwards = self._has_met and self._is_between_games
                limit = AFTERWARDS_SECONDS if is_afterwards else math.inf
                with trio.move_on_after(min(limit, self._profile.patience)):
                    await unless(self._wait, connected.wait)
                if connected.is_set():
                    await trio.sleep_forever()

            try:
                if await unless(over_one_line, while_nobody_is_there) is None:
                    if self._game is None or not self._is_between_games:
                        raise LeftError("You have stopped waiting. What was played is kept.")
                    if self._game.is_over:
                        self._played.append(self._game.played)
                return self._played
            except LinkLostError as error:
                if self._game is None or not self._is_worth_waiting_for(self._game):
                    raise
                self._profile.seat.tell(Line(is_up=False))
                if self._game.is_over:
                    then = tr("The end of the record follows when the line is back.")
                else:
                    then = tr("The game is kept, and goes on when the line is back.")
                self._notice(sentences(str(error), then))

    def _is_worth_waiting_for(self, game: Game) -> bool:
        """A guest who has agreed to nothing may go and come again; a host waits for that."""
        is_new = not self._played and not game.book.is_worth_keeping
        return game.sitting.table.side == HOST or not is_new

    @property
    def _is_between_games(self) -> bool:
        """Whether one game is over, and no other has been agreed on."""
        game = self._game
        return game is not None and (game.is_over or (bool(self._played) and not game.has_begun))

    async def _sit(self, game: Game, link: Link) -> bool:
        """Play over one line; returns whether both want another game."""
        try:
            again = await game.sitting.play(link)
        except RemoteProtocolError as error:
            path = await game.book.keep_evidence(self._profile.home, error)
            raise _accusation(error, path) from error
        except DeclinedError:
            game.book.was_declined = True
            raise
        except IncompatibleError as error:
            game.book.was_declined = True
            raise PeerError("You two can't play together: {why}.", why=error) from error
        except LostEntriesError as error:
            raise PeerError(
                "This computer has an old copy of the game ({why}). Go on with the newest one: "
                "nobody may sign two different moves in one place.",
                why=error,
            ) from error
        self._played.append(game.played)
        return again

    async def _wait(self) -> None:
        """Nobody is there: return when whoever decides doesn't want to wait any longer."""
        if self._game is not None:
            return await self._game.sitting.wait()
        while await self._profile.seat.wait(None) is not Quit.LEAVE:
            self._notice(tr("Nobody has come yet."))
        return None

    def _notice(self, text: str) -> None:
        self._profile.seat.tell(Notice(text))

    # --- games -------------------------------------------------------------------------

    def _new_game(self, terms: Terms | None) -> Game:
        place, store, seed = self._place, self._profile.store, self._profile.world.rng(32)
        number = store.new_game(
            side=GUEST if terms is None else HOST,
            seed=seed,
            line_seed=place.line_seed,
            created=int(self._profile.world.date()),
            name=self._profile.name,
            invitation=place.invitation.to_text(),
            address=place.bind,
            port=place.port,
        )
        self._locks.enter_context(store.lock(number))
        if terms is None:
            self._check_that_it_is_the_only_one(number)
        ours = Ours(store.identity(), seed, self._profile.world.rng, self._profile.name, terms)
        return self._set_up(store.game(number), Table(GAMES, ours))

    def _check_that_it_is_the_only_one(self, number: int) -> None:
        """Two games here over one invitation would accept one offer in two ways: that is a lie.

        Raises:
            StoreError: there is another, which somebody plays at this moment, or did just now.
        """
        store, invitation = self._profile.store, self._place.invitation
        try:
            for row in store.games():
                if row.number != number and row.side == GUEST and leads_to(invitation, row):
                    _check_that_nobody_plays(store, row)
        except StoreError:
            store.discard(number)
            raise

    def _next_game(self, last: Game) -> Game:
        """Another game of the same terms, with the seats exchanged."""
        table, offer = last.sitting.table, last.sitting.table.offer
        assert offer is not None
        if table.side == GUEST:
            return self._new_game(None)
        seat = 1 - table.player_of(HOST)
        return self._new_game(
            Terms(offer.game, offer.options, seat, int(self._profile.world.date()), offer.clock)
        )

    def _old_game(self, row: GameRow) -> Game:
        store = self._profile.store
        self._locks.enter_context(store.lock(row.number))
        row = store.game(row.number)  # as it is now that nobody else has it
        if row.seed is None:
            raise PeerError("Game {game} is over: there is nothing to go on with.", game=row.number)
        terms = Terms("") if row.side == HOST else None  # what was offered is in the record
        ours = Ours(store.identity(), row.seed, self._profile.world.rng, row.name, terms)
        return self._set_up(row, Table.replay(store.entries(row.number), GAMES, ours))

    def _set_up(self, row: GameRow, table: Table[State]) -> Game:
        store, world = self._profile.store, self._profile.world
        clocks = clocks_of(row, table)
        book = Book(store, row.number, table, clocks, store.identity(), world)
        return Game(Sitting(table, self._profile.seat, book, clocks, world.work), book)


def leads_to(invitation: Invitation, row: GameRow) -> bool:
    """Whether a game goes over this invitation, or one that names other addresses."""
    return row.invitation is not None and (
        Invitation.parse(row.invitation).secret == invitation.secret
    )


def _check_that_nobody_plays(store: Store, row: GameRow) -> None:
    with store.lock(row.number):
        if row.entries:
            raise StoreError(
                "Game {game} is open in another whitby. Close it there first.", game=row.number
            )


def _accusation(error: RemoteProtocolError, path: Path | None) -> CheatError:
    detail, fault = error.detail, error.fault.value
    if path is None:
        return CheatError(
            "The other side broke the rules: {detail} ({fault}).", detail=detail, fault=fault
        )
    return CheatError(
        "The other side broke the rules: {detail} ({fault}). The signed evidence is in {path}: "
        "anybody can check it with 'whitby verify'.",
        detail=detail,
        fault=fault,
        path=path,
    )
