"""One tab of the browser: a WebSocket, read and written with limits.

What is wrong on it ends it, and the tab comes again with a new one.
"""

import json
from collections.abc import Callable
from typing import Any, Final

import h11
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Request,
    TextMessage,
)
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from peer.tasks import unless

MAX_MESSAGE_BYTES: Final = 4_096
PING_SECONDS: Final = 20
SILENCE_SECONDS: Final = 60
"""A browser answers pings by itself; one that doesn't is gone."""
WRITE_SECONDS: Final = 10
_CHUNK: Final = 4_096


class _ClosedError(Exception):
    """The tab is gone, or has to go."""


class Tab:
    """A WebSocket whose request `head` was read, and let in; `early` is what came behind it."""

    def __init__(self, stream: trio.abc.Stream, head: h11.Request, early: bytes) -> None:
        self._stream: Final = stream
        self._head: Final = head
        self._early: Final = early
        self._lock: Final = trio.Lock()
        self._ws: Final = WSConnection(ConnectionType.SERVER)
        self._text = ""

    async def serve(
        self, outgoing: trio.MemoryReceiveChannel[str], hear: Callable[[Any], None]
    ) -> None:
        """Send what is `outgoing` and `hear` what comes, decoded, until one of the two ends."""
        try:
            await self._accept()
            await unless(lambda: self._read(hear), lambda: self._write(outgoing))
            await self._send(CloseConnection(code=1001))
        except (_ClosedError, trio.BrokenResourceError, trio.ClosedResourceError):
            pass

    async def _accept(self) -> None:
        head = self._head
        try:
            self._ws.initiate_upgrade_connection(list(head.headers), head.target.decode("ascii"))
            is_asked = any(isinstance(event, Request) for event in self._ws.events())
        except RemoteProtocolError:
            is_asked = False
        if not is_asked:
            await self._stream.send_all(
                b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            )
            raise _ClosedError
        await self._send(AcceptConnection())

    async def _read(self, hear: Callable[[Any], None]) -> None:
        data = self._early
        while True:
            for answer in self._take(data, hear):
                await self._send(answer)
                if isinstance(answer, CloseConnection):
                    raise _ClosedError
            data = b""
            with trio.move_on_after(SILENCE_SECONDS):
                data = bytes(await self._stream.receive_some(_CHUNK))
            if not data:
                raise _ClosedError

    def _take(self, data: bytes, hear: Callable[[Any], None]) -> list[Event]:
        """Hear the messages in `data`; returns what is to be answered on the way."""
        answers: list[Event] = []
        try:
            self._ws.receive_data(data)
            for event in self._ws.events():
                match event:
                    case TextMessage():
                        self._text += event.data
                        if len(self._text) > MAX_MESSAGE_BYTES:
                            return [CloseConnection(code=1009)]
                        if event.message_finished:
                            text, self._text = self._text, ""
                            hear(_decoded(text))
                    case BytesMessage():
                        return [CloseConnection(code=1003)]
                    case Ping() | CloseConnection():
                        answers.append(event.response())
        except RemoteProtocolError as error:
            return [error.event_hint or CloseConnection(code=1002)]
        return answers

    async def _write(self, outgoing: trio.MemoryReceiveChannel[str]) -> None:
        """Send until nothing more will come, and a ping when nothing has for a while."""
        while True:
            event: Event = Ping()
            with trio.move_on_after(PING_SECONDS):
                try:
                    event = TextMessage(data=await outgoing.receive())
                except trio.EndOfChannel:
                    return
            await self._send(event)

    async def _send(self, event: Event) -> None:
        async with self._lock:
            try:
                data = self._ws.send(event)
            except LocalProtocolError:  # it is closing
                raise _ClosedError from None
            with trio.move_on_after(WRITE_SECONDS) as scope:
                await self._stream.send_all(data)
            if scope.cancelled_caught:
                raise _ClosedError


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
