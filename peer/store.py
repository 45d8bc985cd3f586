"""What is kept on this computer: who we are, our games and every entry of their records.

    with Store.open(open_home()) as store:
        game = store.new_game(side=HOST, seed=seed, line_seed=line_seed, created=now)
        with store.lock(game):
            store.append(game, [entry])    # on the disk when this returns

A game is *playing* until its result is known, then *over*, and *complete* when nothing is missing
in its record any more.  What is secret of it, its seeds and its invitation, is overwritten then.
All methods may block for the disk; call them from a thread.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Self

from peer.database import Database
from peer.errors import StoreError
from peer.lock import locked
from peer.tables import APPLICATION, COLUMNS, VERSION, GameRow, Status, create_tables, game_row
from protocol.course import Result
from protocol.entries import Entry
from protocol.identity import SEED_BYTES, Identity
from protocol.record import MAX_RECORD_CLAIMS
from protocol.transcript import Label, Transcript

__all__ = ["FILE", "MIN_PREFIX", "GameRow", "Status", "Store"]

FILE: Final = "whitby.sqlite3"
MIN_PREFIX: Final = 4
"""So many hexadecimal digits of a game id name a game; fewer are likely a slip."""


class Store:
    """Everything kept in one folder.  Several threads, and several processes, may use it."""

    def __init__(self, home: Path) -> None:
        """Open the store in the folder `home`, or make it; see `open`."""
        self._home: Final = home
        self._db: Final = Database(
            home / FILE, application=APPLICATION, version=VERSION, create=create_tables
        )

    @classmethod
    def open(cls, home: Path) -> Self:
        """The store in the folder `home`, which `peer.home.open_home` has found.

        Raises:
            StoreError: what is there can't be read, is not ours, or is of a newer version.
        """
        return cls(home)

    def close(self) -> None:
        """Close it.  It can't be used any more."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({str(self._home)!r})"

    # --- who we are --------------------------------------------------------------------

    def identity(self) -> Identity:
        """Our signing key: made at random on first use, and the same ever after."""
        with self._db.writing():
            self._db.run(
                "INSERT OR IGNORE INTO identity VALUES (1, ?)", secrets.token_bytes(SEED_BYTES)
            )
            (seed,) = self._db.one("SELECT seed FROM identity")
        return Identity(seed)

    def derive(self, purpose: str) -> bytes:
        """32 SECRET bytes that are always the same for one `purpose`, and ours alone."""
        self.identity()  # which makes it, if it isn't there
        (seed,) = self._db.one("SELECT seed FROM identity")
        return Transcript(Label.STANDING).append(seed, purpose.encode()).digest()

    # --- a game from its beginning to its end ------------------------------------------

    def new_game(
        self,
        *,
        side: int,
        seed: bytes,
        line_seed: bytes,
        created: int,
        name: str = "",
        invitation: str | None = None,
        address: str | None = None,
        port: int | None = None,
    ) -> int:
        """Keep a new game, and return its number.  For the arguments see `GameRow`."""
        with self._db.writing():
            return self._db.run(
                "INSERT INTO games (side, created, name, seed, line_seed, invitation, address,"
                " port, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'playing')",
                *(side, created, name, seed, line_seed, invitation, address, port),
            )

    def describe(
        self,
        game: int,
        *,
        game_id: bytes | None = None,
        opponent: str | None = None,
        opponent_identity: bytes | None = None,
        player: int | None = None,
        address: str | None = None,
        port: int | None = None,
        invitation: str | None = None,
        used: int | None = None,
        their_used: int | None = None,
    ) -> None:
        """Keep what has been learnt of a game; what is None stays as it was.

        Raises:
            StoreError: there is no such game.
        """
        with self._db.writing():
            self.game(game)
            self._db.run(
                "UPDATE games SET game_id = ifnull(?, game_id), opponent = ifnull(?, opponent),"
                " opponent_identity = ifnull(?, opponent_identity), player = ifnull(?, player),"
                " address = ifnull(?, address), port = ifnull(?, port),"
                " invitation = ifnull(?, invitation), used = ifnull(?, used),"
                " their_used = ifnull(?, their_used) WHERE number = ?",
                *(game_id, opponent, opponent_identity, player, address, port, invitation),
                *(used, their_used, game),
            )

    def append(self, game: int, entries: Sequence[Entry]) -> None:
        """Keep these entries, all or none.  They are on the disk when this returns.

        An entry that is kept already may come again.

        Raises:
            StoreError: it couldn't be written, an entry is missing before one of these, or
                another one is kept in its place.
        """
        with self._db.writing():
            kept = self.game(game).entries
            for entry in entries:
                if entry.number > kept:
                    raise StoreError(
                        "Entry {entry} of game {game} came before entry {kept}, so it was not"
                        " kept.",
                        entry=entry.number,
                        game=game,
                        kept=kept,
                    )
                if entry.number == kept:
                    self._db.run(
                        "INSERT INTO entries VALUES (?, ?, ?)", game, entry.number, entry.raw
                    )
                    kept += 1
                elif self._raw(game, entry.number) != entry.raw:
                    raise StoreError(
                        "Game {game} has another entry {entry} already. The old one was kept. Was"
                        " the game played on elsewhere, from a copy of the folder?",
                        game=game,
                        entry=entry.number,
                    )

    def finish(self, game: int, result: Result) -> None:
        """Keep the result of a game.  Its secrets stay, for its record may go on.

        Raises:
            StoreError: there is no such game, or another result is kept already.
        """
        with self._db.writing():
            known = self.game(game).result
            if known not in (None, result):
                raise StoreError(
                    "Game {game} has ended in another way already; that was kept.", game=game
                )
            if known is None:
                self._db.run(
                    "UPDATE games SET status = 'over', winner = ?, reason = ?, resigned = ?"
                    " WHERE number = ?",
                    *(result.winner, result.reason, result.resigned, game),
                )

    def complete(self, game: int) -> None:
        """Nothing is missing in the record: overwrite the seeds and the invitation.

        Raises:
            StoreError: there is no such game, or its result is not known.
        """
        with self._db.writing():
            if self.game(game).status is Status.PLAYING:
                raise StoreError("Game {game} is not over, so its secrets were kept.", game=game)
            self._db.run(
                "UPDATE games SET status = 'complete', seed = NULL, line_seed = NULL,"
                " invitation = NULL WHERE number = ?",
                game,
            )
        self._db.forget()

    def claim(self, game: int, raw: bytes) -> None:
        """Keep a claim (`protocol.claim`) that one of the two has made.  Once is enough.

        Raises:
            StoreError: there is no such game, or it has as many claims as a record may hold.
        """
        with self._db.writing():
            self.game(game)
            if len(self.claims(game)) >= MAX_RECORD_CLAIMS:
                raise StoreError(
                    "Game {game} has {n} claims, and needs no more.", game=game, n=MAX_RECORD_CLAIMS
                )
            self._db.run("INSERT OR IGNORE INTO claims VALUES (?, ?)", game, raw)

    def discard(self, game: int) -> None:
        """Delete a game that never started: nobody came, or nothing was agreed.

        Raises:
            StoreError: there is no such game, or it has started.
        """
        with self._db.writing():
            if self.game(game).game_id is not None:
                raise StoreError("Game {game} has started, so it was kept.", game=game)
            self._db.run("DELETE FROM games WHERE number = ?", game)
        self._db.forget()

    @contextmanager
    def lock(self, game: int) -> Iterator[None]:
        """Hold a game, so that nobody else plays it meanwhile.

        Raises:
            StoreError: it is open elsewhere, in this process or another.
        """
        path = self._home / "locks" / f"{game}.lock"
        with ExitStack() as held:
            try:
                path.parent.mkdir(mode=0o700, exist_ok=True)
                held.enter_context(locked(path))
            except BlockingIOError:
                raise StoreError(
                    "Game {game} is open in another whitby. Close it there first.", game=game
                ) from None
            except OSError as error:
                raise StoreError(
                    "{path} can't be locked: {why}.", path=path, why=error.strerror
                ) from None
            yield

    # --- looking -----------------------------------------------------------------------

    def game(self, game: int) -> GameRow:
        """The game with this number.  Raises `StoreError` if there is none."""
        row = self._db.one(f"SELECT {COLUMNS} FROM games WHERE number = ?", game)  # noqa: S608
        if row is None:
            raise StoreError("There is no game {game}.", game=game)
        return game_row(row)

    def games(self) -> list[GameRow]:
        """All games, the newest first."""
        rows = self._db.all(f"SELECT {COLUMNS} FROM games ORDER BY number DESC")  # noqa: S608
        return [game_row(row) for row in rows]

    def find(self, text: str) -> GameRow:
        """The game that a user means by its number, or by the beginning of its id in hexadecimal.

        Raises:
            StoreError: there is none, or more than one.
        """
        wanted = text.strip().lower()
        games = self.games()
        found = [game for game in games if str(game.number) == wanted]
        if not found and len(wanted) >= MIN_PREFIX:
            found = [game for game in games if game.game_id and _starts(game.game_id, wanted)]
        if not found:
            raise StoreError("There is no game {game}.", game=repr(text.strip()[:64]))
        if len(found) > 1:
            numbers = ", ".join(str(game.number) for game in reversed(found))
            raise StoreError(
                "{text} could be any of the games {numbers}. Use the number.",
                text=repr(wanted),
                numbers=numbers,
            )
        return found[0]

    def entries(self, game: int) -> list[bytes]:
        """The bytes of every entry of a game, for `Table.replay`.

        Raises:
            StoreError: there is no such game.
        """
        self.game(game)
        rows = self._db.all("SELECT raw FROM entries WHERE game = ? ORDER BY number", game)
        return [raw for (raw,) in rows]

    def claims(self, game: int) -> list[bytes]:
        """The bytes of every claim that was made in a game, in the order they came."""
        rows = self._db.all("SELECT raw FROM claims WHERE game = ? ORDER BY rowid", game)
        return [raw for (raw,) in rows]

    def _raw(self, game: int, number: int) -> Any:
        (raw,) = self._db.one("SELECT raw FROM entries WHERE game = ? AND number = ?", game, number)
        return raw


def _starts(game_id: bytes, digits: str) -> bool:
    return game_id.hex().startswith(digits)
