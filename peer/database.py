"""A SQLite file that is private, durable, and never taken for what it isn't.

Private: only its owner may read it, and what is deleted is overwritten with zeros.  Durable: a
transaction that has returned survives a crash and a power cut.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Any, Final

from peer.errors import StoreError
from peer.speech import mark

_BUSY_SECONDS: Final = 10.0
_LEAST_BYTES: Final = 512
"""The smallest database.  SQLite checks what it reads, but takes a file of 1 byte for empty."""

_PRAGMAS: Final = (
    # The folder may be shared; only what we wrote is ours to run.
    "PRAGMA trusted_schema = OFF",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",  # macOS: without it the disk may reorder writes
)


class Database:
    """An open file.  Several threads may use it: they take turns."""

    def __init__(
        self, path: Path, *, application: int, version: int, create: Callable[["Database"], None]
    ) -> None:
        """Open `path`, or make it, with mode 0600, and call `create` in a transaction.

        `application` and `version` are written into a new file and checked in an old one.

        Raises:
            StoreError: it can't be opened, is no database of ours, or is of a newer version.
        """
        self.path: Final = path
        self._lock: Final = RLock()
        _make_private(path)
        with _errors(path):
            self._db: Final = sqlite3.connect(
                path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        try:
            with _errors(path):
                self._set_up(application, version, create)
        except BaseException:
            self._db.close()
            raise

    def _set_up(self, application: int, version: int, create: Callable[["Database"], None]) -> None:
        for pragma in _PRAGMAS:
            self._db.execute(pragma)
        if self._number("application_id") != application:
            with self.writing():
                if self._number("application_id") != application:  # else made meanwhile
                    if self.one("SELECT 1 FROM sqlite_schema") is not None:
                        raise StoreError(
                            "{path} belongs to another program. Move it away.", path=self.path
                        )
                    create(self)
                    self._db.execute(f"PRAGMA application_id = {application}")
                    self._db.execute(f"PRAGMA user_version = {version}")
        found = self._number("user_version")
        if found > version:
            raise StoreError(
                "{path} was written by a newer version of this program (format {found}, and this "
                "one knows {known}). Update the program.",
                path=self.path,
                found=found,
                known=version,
            )
        # Stays in the file, so mostly this changes nothing.  Two who change it at once collide
        # without waiting for each other; one of them does it.
        with suppress(sqlite3.OperationalError):
            self._db.execute("PRAGMA journal_mode = WAL")

    def _number(self, pragma: str) -> int:
        number: int = self._db.execute(f"PRAGMA {pragma}").fetchone()[0]
        return number

    def close(self) -> None:
        """Close the file.  Whoever closes it last clears the log that SQLite keeps beside it."""
        with self._lock, _errors(self.path):
            self._db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: all of it is on the disk when this is left, or none of it.

        Raises:
            StoreError: it couldn't be written, and nothing has changed.
        """
        with self._lock, _errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # some failures have undone it already
                    with suppress(sqlite3.Error):
                        self._db.execute("ROLLBACK")
                raise

    def run(self, sql: str, *values: Any) -> int:
        """Carry out a statement; returns the row number of what it inserted last."""
        with self._lock, _errors(self.path):
            return self._db.execute(sql, values).lastrowid or 0

    def all(self, sql: str, *values: Any) -> list[Any]:
        """Every row of the answer to a query, as a tuple."""
        with self._lock, _errors(self.path):
            return self._db.execute(sql, values).fetchall()

    def one(self, sql: str, *values: Any) -> Any:
        """The first row, or None if there is none."""
        with self._lock, _errors(self.path):
            return self._db.execute(sql, values).fetchone()

    def forget(self) -> None:
        """Clear the log of recent changes, which may still hold what has been deleted.

        Does less, without an error, while somebody else is reading.
        """
        with self._lock, _errors(self.path), suppress(sqlite3.OperationalError):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _make_private(path: Path) -> None:
    """Make the file before SQLite does, whose further files take its mode over.

    One that exists is not opened here: to close it would drop SQLite's locks in this process.
    """
    try:
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        path.chmod(0o600)
        size = path.stat().st_size
    except OSError as error:
        raise StoreError("{path} can't be opened: {why}.", path=path, why=error.strerror) from None
    if 0 < size < _LEAST_BYTES:
        raise StoreError(_MESSAGES[sqlite3.SQLITE_NOTADB], path=path)


_DAMAGED: Final = mark(
    "{path} is damaged. It was left as it is: move it away, and restore a copy if you have one."
)
_FORBIDDEN: Final = mark("{path} may not be written to. Change its permissions.")
_MESSAGES: Final = {
    sqlite3.SQLITE_ERROR: mark(
        "{path} is not laid out as it should be. It was left as it is: move it away, and restore "
        "a copy if you have one."
    ),
    sqlite3.SQLITE_FULL: mark("{path}: The disk is full. Make room on it and try again."),
    sqlite3.SQLITE_BUSY: mark("{path} is in use by another program. Try again."),
    sqlite3.SQLITE_READONLY: _FORBIDDEN,
    sqlite3.SQLITE_PERM: _FORBIDDEN,
    sqlite3.SQLITE_CANTOPEN: mark("{path} can't be opened. See whether its folder is still there."),
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: mark(
        "{path} is damaged, or not ours. It was left as it is: move it away, and restore a copy if "
        "you have one."
    ),
    sqlite3.SQLITE_IOERR: mark(
        "{path}: The disk can't be read or written. See whether it is full or failing."
    ),
}


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Turn what SQLite says of the world into a sentence; what it says of our code stays."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        message = _MESSAGES.get(code & 0xFF) if code is not None else None
        if message is None:
            raise
        raise StoreError(message, path=path) from error
