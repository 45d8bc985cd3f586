"""What the tests of the page share: a page on the loopback, and clients without manners."""

import json
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, RejectConnection, TextMessage
from wsproto.events import Request as Upgrade

from peer.page.face import Face, page
from peer.page.gate import LOOPBACK, Gate
from peer.store import Store


@dataclass
class Served:
    """A page that is served, and how to get at it."""

    gate: Gate
    told: Face | None = None

    @property
    def face(self) -> Face:
        assert self.told is not None
        return self.told

    @property
    def port(self) -> int:
        return int(self.gate.host.rpartition(":")[2])

    async def connect(self) -> trio.SocketStream:
        return await trio.open_tcp_stream(LOOPBACK, self.port)

    async def raw(self, data: bytes) -> bytes:
        """Send these bytes, and read until the other side closes."""
        stream = await self.connect()
        async with stream:
            with suppress(trio.BrokenResourceError):
                await stream.send_all(data)
            answer = b""
            with suppress(trio.BrokenResourceError):
                async for chunk in stream:
                    answer += chunk
            return answer

    async def get(
        self, path: str = "/", *, cookie: str | None = None, method: str = "GET", **headers: str
    ) -> "Answer":
        """One request, as a browser with this cookie would send it, but for `headers`."""
        told = {"Host": self.gate.host, "Connection": "close"}
        if cookie is not None:
            told["Cookie"] = cookie
        told |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in told.items())]
        return Answer.parse(await self.raw("\r\n".join([*lines, "", ""]).encode("latin-1")))

    async def enter(self) -> str:
        """Come in with a token; returns the cookie."""
        path = self.gate.new_address().removeprefix(self.gate.origin)
        answer = await self.get(path)
        assert answer.status == 303
        return answer.headers["set-cookie"].partition(";")[0]

    @asynccontextmanager
    async def socket(self, cookie: str, **headers: str) -> AsyncIterator["Socket"]:
        async with await self.connect() as stream:
            socket = Socket(stream)
            await socket.open(self.gate, cookie, headers)
            yield socket


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @classmethod
    def parse(cls, data: bytes) -> "Answer":
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = (line.split(": ", 1) for line in lines)
        return cls(int(first.split()[1]), {name.lower(): value for name, value in pairs}, body)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Socket:
    """A tab, driven by hand."""

    stream: trio.SocketStream
    ws: WSConnection = field(default_factory=lambda: WSConnection(ConnectionType.CLIENT))
    messages: list[Any] = field(default_factory=list)
    status: int = 0
    closed: int | None = None
    state: dict[str, Any] = field(default_factory=dict)

    async def open(self, gate: Gate, cookie: str, headers: dict[str, str]) -> None:
        told = {"Cookie": cookie, "Origin": gate.origin} | headers
        host = told.pop("Host", gate.host)
        request = Upgrade(
            host=host,
            target="/socket",
            extra_headers=[(name.encode(), value.encode()) for name, value in told.items()],
        )
        await self.stream.send_all(self.ws.send(request))
        while not self.status:
            await self._read()

    async def _read(self) -> None:
        data = await self.stream.receive_some(65536)
        self.ws.receive_data(bytes(data) or None)
        text = ""
        for event in self.ws.events():
            match event:
                case AcceptConnection():
                    self.status = 101
                case RejectConnection():
                    self.status = event.status_code
                case TextMessage():
                    text += event.data
                    if event.message_finished:
                        self._take(json.loads(text))
                        text = ""
                case CloseConnection():
                    self.closed = event.code
                case Ping():
                    await self.stream.send_all(self.ws.send(event.response()))
        if not data and self.closed is None:
            self.closed = 1006

    def _take(self, message: Any) -> None:
        self.messages.append(message)
        self.state.update(message["set"])

    async def until(self, condition: Any) -> None:
        """Read until the condition holds for the state."""
        with trio.fail_after(20):
            while not condition(self.state):
                assert self.closed is None
                await self._read()

    async def until_closed(self) -> int:
        with trio.fail_after(20):
            while self.closed is None:
                try:
                    await self._read()
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    self.closed = 1006
        return self.closed

    async def send(self, message: Any) -> None:
        await self.raw(TextMessage(data=json.dumps(message)))

    async def raw(self, event: Any) -> None:
        await self.stream.send_all(self.ws.send(event))


@asynccontextmanager
async def served(home: Path, *, plays: bool = True) -> AsyncIterator[Served]:
    """A page with its store in `home`."""
    home.mkdir(exist_ok=True)  # noqa: ASYNC240 - once, before anything waits
    gates: list[Gate] = []

    async def show(gate: Gate) -> bool:
        gates.append(gate)
        return False

    with Store.open(home) as store:
        async with page(store, show=show, plays=plays) as face:
            yield Served(gates[0], face)
            face.seat.has_left.set()


def everything(messages: Sequence[Any]) -> str:
    """All that was sent, as one text to search."""
    return json.dumps(list(messages), ensure_ascii=False)


def fresh_token() -> str:
    return secrets.token_urlsafe(32)
