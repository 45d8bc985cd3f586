"""Lines from a keyboard or a pipe, for as long as a program runs.

A thread reads the file descriptor and a channel holds the lines, so that what was typed ahead
is not lost when whoever waited for a line is cancelled.  The thread calls `os.read` and never
touches `sys.stdin`: one left behind in `sys.stdin.readline` brings the interpreter down at exit.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Protocol

import trio

MAX_LINE: Final = 512
"""Bytes of a line that are kept.  No command has more than twenty."""
_TYPED_AHEAD: Final = 64
_CHUNK: Final = 4096


class Lines(Protocol):
    """Where a person's lines come from."""

    async def line(self) -> str | None:
        """The next line without its end, or None when there will be no more."""


class LineSplitter:
    """Bytes in, lines out.  A line that is too long ends in "..." and so is no command."""

    def __init__(self) -> None:
        self._rest = b""
        self._too_long = False

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes."""
        *ends, rest = data.split(b"\n")
        lines = []
        for end in ends:
            self._add(end)
            lines.append(self._take())
        self._add(rest)
        return lines

    def close(self) -> list[str]:
        """The last line, if it lacks its end."""
        return [self._take()] if self._rest else []

    def _add(self, data: bytes) -> None:
        room = MAX_LINE - len(self._rest)
        self._too_long |= len(data) > room
        self._rest += data[:room]

    def _take(self) -> str:
        line = self._rest.decode("utf-8", "replace").rstrip("\r") + "..." * self._too_long
        self._rest, self._too_long = b"", False
        return line


class Keyboard:
    """The lines of a file descriptor; made by `Keyboard.open`."""

    def __init__(self, lines: "trio.MemoryReceiveChannel[str]") -> None:
        self._lines = lines

    @classmethod
    @asynccontextmanager
    async def open(cls, descriptor: int = 0) -> AsyncIterator["Keyboard"]:
        """Read `descriptor` from now on.  Open it once; it serves any number of games.

        The descriptor is left as it is.  At the end a thread may be left waiting in it, which
        takes one more chunk of input if the program goes on.  What the body raises comes out
        as it is, in no group.
        """
        send, receive = trio.open_memory_channel[str](_TYPED_AHEAD)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_read, descriptor, send)
                yield cls(receive)
                nursery.cancel_scope.cancel()
        except BaseExceptionGroup as group:
            if len(group.exceptions) > 1:
                raise
            raise group.exceptions[0] from None

    async def line(self) -> str | None:
        """The next line, or None after the end of the input or when the terminal is gone."""
        try:
            return await self._lines.receive()
        except trio.EndOfChannel:
            return None


async def _read(descriptor: int, send: "trio.MemorySendChannel[str]") -> None:
    splitter = LineSplitter()
    async with send:
        while data := await trio.to_thread.run_sync(
            _read_chunk, descriptor, abandon_on_cancel=True
        ):
            for line in splitter.feed(data):
                await send.send(line)
        for line in splitter.close():
            await send.send(line)


def _read_chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:  # the terminal was closed, or there never was one
        return b""
