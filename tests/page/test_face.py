"""Where a person plays: at a page or in the terminal, and how long the page is there."""

import sys
import webbrowser
from argparse import Namespace
from pathlib import Path

import pytest
import trio

from peer.commands import tables
from peer.errors import PeerError
from peer.page import has_browser, page
from peer.page.gate import Gate
from peer.store import Store
from tests.page.helpers import Served, Socket


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A computer with a screen and a browser."""
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("SSH_CONNECTION", "SSH_TTY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.BackgroundBrowser("firefox"))
    return monkeypatch


def test_there_is_a_browser_where_a_page_can_be_seen(desktop: pytest.MonkeyPatch) -> None:
    assert has_browser()
    desktop.delenv("DISPLAY")
    assert not has_browser()
    desktop.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_browser()
    desktop.setenv("SSH_CONNECTION", "192.0.2.1 1 192.0.2.2 22")
    assert not has_browser()


def test_a_browser_for_terminals_is_none(desktop: pytest.MonkeyPatch) -> None:
    desktop.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("/usr/bin/lynx"))
    assert not has_browser()
    desktop.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("wslview"))
    assert has_browser()

    def nothing() -> webbrowser.BaseBrowser:
        raise webbrowser.Error("could not locate runnable browser")

    desktop.setattr(webbrowser, "get", nothing)
    assert not has_browser()


@pytest.mark.parametrize(
    ("flags", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"terminal": True}, True, False),
        ({"plain": True}, True, False),
        ({"page": True}, False, True),
        ({"page": True, "plain": True}, True, True),
    ],
)
def test_the_page_is_the_default_and_the_terminal_a_wish(
    flags: dict[str, bool], terminal: bool, expected: bool, desktop: pytest.MonkeyPatch
) -> None:
    desktop.setattr(tables, "_has_terminal", lambda: terminal)
    options = Namespace(**({"page": False, "terminal": False, "plain": False} | flags))
    assert tables._wants_page(options) is expected


async def test_a_page_stays_as_long_as_it_is_looked_at(tmp_path: Path) -> None:
    is_over = trio.Event()
    gates: list[Gate] = []

    async def show(gate: Gate) -> bool:
        gates.append(gate)
        return False

    async def play(store: Store) -> None:
        async with page(store, show=show) as face:
            is_looked_at.set()
            await face.wait_watched()
        is_over.set()

    is_looked_at = trio.Event()
    with Store.open(tmp_path) as store:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, store)
            await is_looked_at.wait()
            site = Served(gates[0])
            async with site.socket(await site.enter()) as socket:
                await socket.until(lambda state: state.get("stage") == "closed")
                assert not is_over.is_set()
                await socket.send({"quit": "close"})
                await is_over.wait()


async def test_bad_news_are_told_on_the_page(tmp_path: Path) -> None:
    gates: list[Gate] = []
    tab: list[Socket] = []

    async def show(gate: Gate) -> bool:
        gates.append(gate)
        return True

    async def look() -> None:
        site = Served(gates[0])
        async with site.socket(await site.enter()) as socket:
            tab.append(socket)
            await socket.until(lambda state: state.get("stage") == "closed")

    async def fail(store: Store, nursery: trio.Nursery) -> None:
        async with page(store, show=show):
            nursery.start_soon(look)  # the browser is slow, and comes too late
            raise PeerError("The host is not there.")

    with Store.open(tmp_path) as store:
        async with trio.open_nursery() as nursery:
            with pytest.raises(PeerError, match="not there"):
                await fail(store, nursery)
    assert tab[0].state["closing"] == "The host is not there."
