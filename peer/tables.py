"""The tables of the store, and a row of the one that lists the games."""

from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, Final

from peer.database import Database
from protocol.course import Result

APPLICATION: Final = int.from_bytes(b"whtb", "big")
"""What marks the file as ours, in SQLite's header."""
VERSION: Final = 1
"""Of the tables below."""

# No table WITHOUT ROWID: for rows as large as entries SQLite is better off with it.
_TABLES: Final = (
    """
    CREATE TABLE identity (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        seed BLOB NOT NULL CHECK (length(seed) = 32)
    )
    """,
    """
    CREATE TABLE games (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        side INTEGER NOT NULL CHECK (side IN (0, 1)),
        created INTEGER NOT NULL,
        name TEXT NOT NULL,
        seed BLOB CHECK (length(seed) = 32),
        line_seed BLOB CHECK (length(line_seed) = 32),
        invitation TEXT,
        address TEXT,
        port INTEGER,
        game_id BLOB CHECK (length(game_id) = 32),
        opponent TEXT,
        opponent_identity BLOB CHECK (length(opponent_identity) = 32),
        player INTEGER CHECK (player IN (0, 1)),
        status TEXT NOT NULL CHECK (status IN ('playing', 'over', 'complete')),
        winner INTEGER CHECK (winner IN (0, 1)),
        reason TEXT,
        resigned INTEGER CHECK (resigned IN (0, 1)),
        used INTEGER NOT NULL DEFAULT 0,
        their_used INTEGER NOT NULL DEFAULT 0,
        CHECK ((status = 'playing') = (reason IS NULL)),
        CHECK (status = 'complete' OR (seed IS NOT NULL AND line_seed IS NOT NULL))
    )
    """,
    """
    CREATE TABLE entries (
        game INTEGER NOT NULL REFERENCES games (number) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        raw BLOB NOT NULL,
        PRIMARY KEY (game, number)
    )
    """,
    """
    CREATE TABLE claims (
        game INTEGER NOT NULL REFERENCES games (number) ON DELETE CASCADE,
        raw BLOB NOT NULL,
        PRIMARY KEY (game, raw)
    )
    """,
)


class Status(Enum):
    """How far a game has come."""

    PLAYING = "playing"
    """Its result is not known."""
    OVER = "over"
    """Its result is known, but entries of its record are still to come."""
    COMPLETE = "complete"
    """Nothing is missing, and its secrets are gone."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game as it is kept, without its entries.

    Attributes:
        number: how the user calls the game: 1, 2, 3...; never given twice.
        side: ours, 0 host or 1 guest.
        created: seconds since 1970.
        name: our nickname in it.
        seed: 32 bytes, for `protocol.course.Ours`.  SECRET; None once the game is complete.
        line_seed: 32 bytes, for the Noise key of its line, which a rematch shares.  SECRET; None
            once the game is complete.
        invitation: the line that we sent or were sent.  SECRET; None once it is complete.
        address: where the host listens, or what the guest dialled at last; None if it's not known.
        port: the same.
        game_id: 32 bytes, once both have spoken.
        opponent: their nickname, which nobody has verified.
        opponent_identity: their public key, 32 bytes.
        player: ours, 0 or 1, once the seats are taken.
        result: once it is known.
        used: how long we have thought in it, in milliseconds.
        their_used: how long they have, by our clock.
        entries: how many there are.
    """

    number: int
    side: int
    created: int
    name: str
    seed: bytes | None = field(repr=False)
    line_seed: bytes | None = field(repr=False)
    invitation: str | None = field(repr=False)
    address: str | None
    port: int | None
    game_id: bytes | None
    opponent: str | None
    opponent_identity: bytes | None
    player: int | None
    status: Status
    used: int
    their_used: int
    result: Result | None
    entries: int


_STORED: Final = tuple(f.name for f in fields(GameRow) if f.name not in ("result", "entries"))
_COUNT: Final = "(SELECT count(*) FROM entries WHERE game = games.number)"
COLUMNS: Final = ", ".join((*_STORED, "winner", "reason", "resigned", _COUNT))
"""What to select from the table `games` for `game_row`."""


def create_tables(db: Database) -> None:
    """Make the tables in a new file."""
    for table in _TABLES:
        db.run(table)


def game_row(row: tuple[Any, ...]) -> GameRow:
    """The game whose `COLUMNS` are these."""
    *stored, winner, reason, resigned, entries = row
    values = dict(zip(_STORED, stored, strict=True))
    values["status"] = Status(values["status"])
    result = None if reason is None else Result(winner, reason, bool(resigned))
    return GameRow(**values, result=result, entries=entries)
