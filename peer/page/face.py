"""A page as long as a game lasts: the server, the seat, the browser that is opened with it."""

import os
import sys
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import trio

from peer.errors import PeerError, StoreError
from peer.languages import Language, from_browser, language_named
from peer.page.files import static_files
from peer.page.gate import LOOPBACK, Gate
from peer.page.hub import Hub, to_json
from peer.page.replays import ALL_OPEN, games_json, replay_json
from peer.page.seat import PageSeat
from peer.page.server import Request, Response, Server
from peer.page.tabs import Tab
from peer.page.words import messages
from peer.speech import speak, spoken
from peer.store import Store
from peer.tasks import background

GONE_SECONDS: Final = 3
"""A page that nobody looks at for so long, after the game, is not looked at any more."""
OPENING_SECONDS: Final = 5
"""What a browser may take to open, before bad news are told to nobody."""
TEXT_BROWSERS: Final = {"www-browser", "links", "elinks", "lynx", "w3m"}
"""They would take our terminal, and know no scripts."""
FLUSH_SECONDS: Final = 0.3
LANGUAGE_COOKIE: Final = "whitby_lang"


def has_browser() -> bool:
    """Whether this computer can show its user a page: not over SSH, not without a display."""
    if any(name in os.environ for name in ("SSH_CONNECTION", "SSH_TTY")):
        return False
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    return Path(getattr(browser, "name", "")).name not in TEXT_BROWSERS


class Face:
    """A page that is served: its hub, its seat, and how to get in.

    It speaks `language`, if the person has named one; else the one that was chosen at a page
    before, or that the browser likes best, or the terminal's.
    """

    def __init__(
        self, store: Store, gate: Gate, *, plays: bool, language: Language | None = None
    ) -> None:
        self._is_language_chosen = language is not None
        self.hub: Final = Hub()
        self.gate: Final = gate
        self.seat: Final = PageSeat(self.hub)
        self._store: Final = store
        is_first = not any(row.result for row in store.games())
        self.hub.show(plays=plays, first=is_first, lang=spoken().code)

    async def answer(self, request: Request) -> Response:
        """A file, or something that is computed for this page."""
        path = request.path
        if path == "/":
            self._greet(request)
        if (file := static_files().get(path)) is not None:
            return Response(200, file.data, file.type)
        if path == "/messages.json":
            return _json(messages())
        if path == "/games.json":
            return _json(await trio.to_thread.run_sync(games_json, self._store))
        if path.startswith("/games/"):
            return await self._replay(path.removeprefix("/games/"), request.query.get("seat", ""))
        return Response(404, b"There is nothing of that name.\n")

    async def _replay(self, number: str, seat: str) -> Response:
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            return Response(404, b"There is no such game.\n")
        if seat not in map(str, range(ALL_OPEN + 1)):
            return Response(400, b"A game is seen from seat 0 or 1, or 2 for all.\n")
        look = partial(replay_json, self._store, int(number), int(seat))
        try:
            replay = await trio.to_thread.run_sync(look)
        except StoreError:
            replay = None
        if replay is None:
            return Response(404, b"There is no such game that is over.\n")
        return _json(replay)

    def _greet(self, request: Request) -> None:
        """Speak the language of whoever opens the page, unless one was named."""
        if self._is_language_chosen:
            return
        language = _remembered(request.headers.get("cookie", "")) or from_browser(
            request.headers.get("accept-language", "")
        )
        if language is not None:
            self._speak(language)

    def _hear(self, message: Any) -> None:
        """Take a message of a tab: the seat's, or the wish for another language."""
        if isinstance(message, dict) and isinstance(code := message.get("lang"), str):
            language = language_named(code)
            if language is not None:
                self._is_language_chosen = True
                self._speak(language)
        self.seat.hear(message)

    def _speak(self, language: Language) -> None:
        """A tab that has the words of another language comes anew."""
        speak(language)
        self.hub.show(lang=language.code)

    async def serve_tab(self, tab: Tab) -> None:
        """One tab, as long as it is there."""
        with self.hub.tab() as outgoing:
            await tab.serve(outgoing, self._hear)

    async def wait_watched(self) -> None:
        """Return when somebody looks."""
        while not self.hub.tabs:
            await self.hub.changed.park()

    async def wait_unwatched(self) -> None:
        """Return when nobody has looked for a while, or the person has closed it."""
        with trio.CancelScope() as scope:
            async with background(partial(self._wait_closed, scope)):
                while True:
                    with trio.move_on_after(GONE_SECONDS if not self.hub.tabs else float("inf")):
                        await self.hub.changed.park()
                        continue
                    return

    async def _wait_closed(self, scope: trio.CancelScope) -> None:
        await self.seat.has_left.wait()
        scope.cancel()


@asynccontextmanager
async def page(
    store: Store,
    *,
    show: Callable[[Gate], Awaitable[bool]],
    plays: bool = True,
    language: Language | None = None,
) -> AsyncIterator[Face]:
    """Serve a page for the body of the `async with`, and as long after it as it is looked at.

    `show` is given the gate, whose addresses are to be opened, and returns whether it has opened
    one.  If the body raises a `PeerError`, the page says so.
    """
    (listener,) = await trio.open_tcp_listeners(0, host=LOOPBACK)
    gate = Gate(listener.socket.getsockname()[1])
    face = Face(store, gate, plays=plays, language=language)
    server = Server([listener], gate, face.answer, face.serve_tab)
    async with background(server.run):
        is_opened = await show(gate)
        try:
            yield face
        except PeerError as error:
            face.seat.close(str(error))
            with trio.move_on_after(OPENING_SECONDS if is_opened else 0):
                await face.wait_watched()
            await trio.sleep(FLUSH_SECONDS)
            raise
        face.seat.close("")
        await face.wait_unwatched()


async def open_browser(address: str) -> bool:
    """Open the browser at `address`, which may take a while; returns whether there is one."""
    try:
        return await trio.to_thread.run_sync(webbrowser.open, address, abandon_on_cancel=True)
    except (webbrowser.Error, OSError):
        return False


def _remembered(cookies: str) -> Language | None:
    """The language that was chosen at a page, which wrote it down."""
    for cookie in cookies.split(";"):
        name, _, value = cookie.strip().partition("=")
        if name == LANGUAGE_COOKIE:
            return language_named(value)
    return None


def _json(value: Any) -> Response:
    return Response(200, to_json(value).encode(), "application/json; charset=utf-8")
