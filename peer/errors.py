"""What can go wrong around a game: with the computer, the line, or what a person asked for."""

from enum import IntEnum
from typing import ClassVar

from peer.languages import ENGLISH
from peer.speech import speaking, tr


class ExitCode(IntEnum):
    """What a command ends with, for scripts."""

    DONE = 0
    """The game was played to its end; the record is verified."""
    FAILED = 1
    """It didn't work, and the message says what to do."""
    MISUSED = 2
    """The command line was not understood."""
    CHEATED = 3
    """Somebody broke the rules: a peer, or a record that doesn't hold."""
    UNFINISHED = 4
    """Somebody left, the line was lost, or a record ends before its game does."""
    BUG = 70
    """The program failed in a way that nobody foresaw.  (EX_SOFTWARE of sysexits.h.)"""
    INTERRUPTED = 130
    """Ctrl-C.  Other signals give 128 and their number, as shells have it."""


class SpokenError(Exception):
    """An error whose message is for a person: what happened, and what to do.  It holds no secret.

    `message` is whole sentences in English, a literal that is found in the catalogues, and
    `values` are filled into it; other errors can be among them.  `str` gives it in the language
    spoken, `english` as it stands in a log.
    """

    def __init__(self, message: str, **values: object) -> None:
        super().__init__(message)
        self.message = message
        self.values = values

    def __str__(self) -> str:
        return tr(self.message, **self.values)

    @property
    def english(self) -> str:
        """The message for logs."""
        with speaking(ENGLISH):
            return str(self)


class PeerError(SpokenError):
    """The world failed, or the user asked for something impossible."""

    exit_code: ClassVar[ExitCode] = ExitCode.FAILED


class HomeError(PeerError):
    """The folder where everything is kept can't be used."""


class StoreError(PeerError):
    """What is kept can't be read or written, or isn't there.  Nothing was changed."""
