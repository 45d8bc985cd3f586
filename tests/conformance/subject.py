"""Ways to the peer under test: it hosts, and is given as its invitation, or joins by a command.

In every case there is one *visit* to it: as many connections as the case wants, all made with one
invitation and one static key of ours.
"""

import os
import secrets
import shlex
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Final

import trio
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from peer.invitation import Address, Invitation
from protocol.script import GUEST, HOST
from tests.conformance.case import FailedError
from tests.conformance.line import PrivateKey

LOOPBACK: Final = "127.0.0.1"
LAST_CALL_SECONDS: Final = 0.2
"""A guest that has ended may have connected just before."""


class Visit(ABC):
    """What one case needs to reach the peer under test."""

    def __init__(self, invitation: Invitation, key: PrivateKey) -> None:
        self.invitation: Final = invitation
        self.key: Final = key

    @abstractmethod
    async def connect(self) -> trio.abc.Stream:
        """The next connection."""


class Subject(ABC):
    """The peer under test.  `side` is its own: 0 where it hosts, 1 where it joins."""

    side: int

    @abstractmethod
    def visit(self, key: PrivateKey | None = None) -> AbstractAsyncContextManager[Visit]:
        """Prepare one case.  `key` is our static key, if it is to be a certain one."""


# --- it hosts --------------------------------------------------------------------------------


class _Dialling(Visit):
    async def connect(self) -> trio.abc.Stream:
        failures = []
        for address in self.invitation.addresses:
            try:
                return await trio.open_tcp_stream(address.host, address.port)
            except OSError as error:
                failures.append(f"{address}: {error}")
        raise FailedError(f"it can't be reached ({'; '.join(failures)})")


class Hosting(Subject):
    """A peer that plays with everybody who holds `invitation`."""

    side = HOST

    def __init__(self, invitation: Invitation) -> None:
        self._invitation: Final = invitation

    @asynccontextmanager
    async def visit(self, key: PrivateKey | None = None) -> AsyncIterator[Visit]:
        yield _Dialling(self._invitation, key or X25519PrivateKey.generate())


# --- it joins --------------------------------------------------------------------------------

Start = Callable[[str], Awaitable[str]]
"""Runs a guest with an invitation until it ends by itself; returns what it has said at last."""


class _Listening(Visit):
    def __init__(
        self, invitation: Invitation, key: PrivateKey, listener: trio.SocketListener
    ) -> None:
        super().__init__(invitation, key)
        self._listener: Final = listener
        self._last_words = ""
        self._ended: Final = trio.Event()

    def end(self, last_words: str) -> None:
        """The guest has ended."""
        self._last_words = last_words
        self._ended.set()

    async def connect(self) -> trio.abc.Stream:
        stream: trio.abc.Stream | None = None
        async with trio.open_nursery() as nursery:

            async def give_up() -> None:
                await self._ended.wait()
                await trio.sleep(LAST_CALL_SECONDS)
                nursery.cancel_scope.cancel()

            nursery.start_soon(give_up)
            stream = await self._listener.accept()
            nursery.cancel_scope.cancel()
        if stream is None:
            raise FailedError(f"it has ended and does not connect. {self._last_words}")
        return stream


class Joining(Subject):
    """A peer that `start` makes join a table, anew for every case."""

    side = GUEST

    def __init__(self, start: Start) -> None:
        self._start: Final = start

    @asynccontextmanager
    async def visit(self, key: PrivateKey | None = None) -> AsyncIterator[Visit]:
        key = key or X25519PrivateKey.generate()
        (listener,) = await trio.open_tcp_listeners(0, host=LOOPBACK)
        port = listener.socket.getsockname()[1]
        invitation = Invitation.create(
            key.public_key().public_bytes_raw(), [Address(LOOPBACK, port)], secrets.token_bytes
        )
        visit = _Listening(invitation, key, listener)

        async def run() -> None:
            visit.end(await self._start(invitation.to_text()))

        async with listener, trio.open_nursery() as nursery:
            nursery.start_soon(run)
            yield visit
            nursery.cancel_scope.cancel()


def command(line: str) -> Start:
    """A guest that is a program: `line` is run with the invitation on its standard input.

    `{dir}` in it stands for an empty folder, made for this run and removed after it.
    """
    words = shlex.split(line)

    async def start(invitation: str) -> str:
        with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
            ended = await trio.run_process(
                [word.replace("{dir}", folder) for word in words],
                stdin=invitation.encode() + b"\n",
                stdout=subprocess.DEVNULL,
                capture_stderr=True,
                check=False,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(_path())},
            )
        said = ended.stderr.decode(errors="replace").strip().splitlines()
        return f"status {ended.returncode} {said[-1] if said else ''}".strip()

    return start


def _path() -> list[str]:
    """Where our own program is found from any folder, when it is the one under test."""
    return [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
