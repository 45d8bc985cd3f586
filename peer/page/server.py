"""HTTP on the loopback for one page: h11 and wsproto do the grammar, this does the reading.

Each connection is on its own: whatever comes over it, and however slowly, ends that connection at
most.  Everything that a stranger can make grow has a limit here.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import h11
import trio

from peer.page.gate import Gate
from peer.page.tabs import Tab
from peer.speech import mark, tr

MAX_HEADER_BYTES: Final = 16_384
MAX_BODY_BYTES: Final = 0
"""Nobody has a reason to send one: choices come over the WebSocket."""
MAX_CONNECTIONS: Final = 64
"""At once; for one more, the one that is open longest and is no WebSocket is closed."""
READ_SECONDS: Final = 10
"""For the head of a request, from its first byte or from the connection's beginning."""
IDLE_SECONDS: Final = 60
WRITE_SECONDS: Final = 10
_CHUNK: Final = 16_384
_log: Final = logging.getLogger("whitby.page")


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Response:
    """What is answered."""

    status: int
    body: bytes = b""
    type: str = "text/plain; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()


Answer = Callable[[Request], Awaitable[Response]]


_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script';"
)


def secured(gate: Gate) -> list[tuple[str, str]]:
    """The headers of every answer: a page may use what comes from here, and nothing else."""
    return [
        (
            "Content-Security-Policy",
            f"{_POLICY} connect-src 'self' ws://{gate.host}",
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
        ("Cache-Control", "no-store"),
    ]


@dataclass(eq=False, slots=True)
class _Visit:
    """One connection that is no WebSocket yet."""

    stream: trio.abc.Stream
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)


class Server:
    """Serves one page to whoever `gate` lets in: `answer` for what is read, `tab` for the rest."""

    def __init__(
        self,
        listeners: Sequence[trio.SocketListener],
        gate: Gate,
        answer: Answer,
        tab: Callable[[Tab], Awaitable[None]],
    ) -> None:
        self._listeners: Final = listeners
        self._gate: Final = gate
        self._answer: Final = answer
        self._tab: Final = tab
        self._visits: Final[list[_Visit]] = []  # the oldest first

    async def run(self) -> None:
        """Serve until cancelled."""
        await trio.serve_listeners(self.greet, list(self._listeners))

    async def greet(self, stream: trio.abc.Stream) -> None:
        """Everything over one connection.  Nothing that happens here ends another."""
        if len(self._visits) == MAX_CONNECTIONS:
            self._visits.pop(0).scope.cancel()
        visit = _Visit(stream)
        self._visits.append(visit)
        try:
            with visit.scope:
                await self._serve(visit)
        except (h11.RemoteProtocolError, trio.BrokenResourceError, trio.ClosedResourceError):
            _log.info("a browser's connection broke off")
        except Exception:
            _log.exception("a browser's connection failed in a way that nobody has foreseen")
        finally:
            self._leave(visit)
            await trio.aclose_forcefully(stream)

    def _leave(self, visit: _Visit) -> None:
        if visit in self._visits:
            self._visits.remove(visit)

    async def _serve(self, visit: _Visit) -> None:
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEADER_BYTES)
        seconds = READ_SECONDS
        while True:
            try:
                with trio.fail_after(seconds):
                    head = await self._head(visit.stream, connection)
            except trio.TooSlowError:
                return
            except h11.RemoteProtocolError as error:
                status = error.error_status_hint
                await self._send(visit.stream, connection, Response(status, b"No.\n"), ends=True)
                return
            if head is None:
                return
            if await self._is_web_socket(visit, connection, head):
                return
            response = await self._respond(connection, head)
            await self._send(visit.stream, connection, response, is_head=head.method == b"HEAD")
            if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
                return
            connection.start_next_cycle()
            seconds = IDLE_SECONDS

    async def _head(
        self, stream: trio.abc.Stream, connection: h11.Connection
    ) -> h11.Request | None:
        """The head of the next request; None if none comes any more."""
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(bytes(await stream.receive_some(_CHUNK)))
            elif isinstance(event, h11.Request):
                return event
            else:
                return None

    # --- one request ------------------------------------------------------------------------

    async def _respond(self, connection: h11.Connection, head: h11.Request) -> Response:
        request = _request(head)
        if request is None:
            return Response(400, b"This can't be read.\n")
        refused = self._gate.refusal(request.headers, needs_origin=False)
        if refused is not None:
            return Response(refused, b"This page is for its owner's browser only.\n")
        if head.method not in (b"GET", b"HEAD"):
            return Response(405, b"Only GET.\n", headers=(("Allow", "GET, HEAD"),))
        if not isinstance(connection.next_event(), h11.EndOfMessage):
            return Response(413, b"No body is wanted.\n")
        if request.path == "/" and "token" in request.query:
            cookie = self._gate.redeem(request.query["token"])
            if cookie is not None:
                return Response(303, headers=(("Location", "/"), ("Set-Cookie", cookie)))
            if self._gate.knows(request.headers):
                return Response(303, headers=(("Location", "/"),))
        if not self._gate.knows(request.headers):
            return Response(403, f"{tr(_LOCKED)}\n".encode())
        return await self._answer(request)

    async def _send(
        self,
        stream: trio.abc.Stream,
        connection: h11.Connection,
        response: Response,
        *,
        is_head: bool = False,
        ends: bool = False,
    ) -> None:
        if connection.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        headers = [
            *secured(self._gate),
            *response.headers,
            ("Content-Type", response.type),
            ("Content-Length", str(len(response.body))),
        ]
        if ends or connection.their_state is not h11.DONE:  # with a body that nobody will read
            headers.append(("Connection", "close"))
        head = h11.Response(status_code=response.status, headers=headers)
        data = connection.send(head)
        body = b"" if is_head else connection.send(h11.Data(data=response.body))
        end = connection.send(h11.EndOfMessage())
        with trio.move_on_after(WRITE_SECONDS) as scope:
            await stream.send_all((data or b"") + (body or b"") + (end or b""))
        if scope.cancelled_caught:
            raise trio.BrokenResourceError

    # --- WebSockets -------------------------------------------------------------------------

    async def _is_web_socket(
        self, visit: _Visit, connection: h11.Connection, head: h11.Request
    ) -> bool:
        """Serve it to its end, if this request asks for one and may."""
        request = _request(head)
        if request is None or request.path != "/socket":
            return False
        refused = self._gate.refusal(request.headers, needs_origin=True)
        if refused is None and not self._gate.knows(request.headers):
            refused = 403
        if refused is None and request.headers.get("upgrade", "").lower() != "websocket":
            refused = 426
        if refused is not None:
            response = Response(refused, b"Not from there.\n")
            await self._send(visit.stream, connection, response, ends=True)
            return True
        connection.next_event()  # the end of the request: what follows is not HTTP any more
        early, _ = connection.trailing_data
        self._leave(visit)
        await self._tab(Tab(visit.stream, head, early))
        return True


_LOCKED: Final = mark(
    "This page is for the browser that was opened with it. The address that was printed works "
    "one time; start whitby again for another."
)


def _request(head: h11.Request) -> Request | None:
    path, _, asked = head.target.decode("latin-1").partition("?")
    query = dict(
        pair.partition("=")[::2] for pair in asked.split("&")
    )  # nothing of ours is escaped
    headers: dict[str, str] = {}
    for name, value in head.headers:
        key = name.decode("latin-1")
        if key in headers and key in ("host", "origin", "upgrade"):
            return None  # two of these are a trick
        headers[key] = value.decode("latin-1")
    return Request(path, query, headers)
