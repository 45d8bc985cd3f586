"""Who gets in, and what becomes of those who come with anything else than a browser's manners."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import h11
import pytest
import trio
import trio.testing
from wsproto.events import BytesMessage, TextMessage

from peer.page.files import static_files
from peer.page.gate import Gate
from peer.page.hub import Hub
from peer.page.server import MAX_CONNECTIONS, MAX_HEADER_BYTES, Server
from peer.page.tabs import MAX_MESSAGE_BYTES, Tab
from tests.page.helpers import Served, fresh_token, served


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path / "home") as site:
        yield site


async def still_serves(site: Served) -> None:
    """See that another browser is served as if nothing had happened."""
    cookie = await site.enter()
    assert (await site.get("/", cookie=cookie)).status == 200
    async with site.socket(cookie) as socket:
        await socket.until(lambda state: "stage" in state)


# --- coming in --------------------------------------------------------------------------------


async def test_a_token_lets_one_browser_in_one_time(site: Served) -> None:
    path = site.gate.new_address().removeprefix(site.gate.origin)
    answer = await site.get(path)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert str(site.port) in cookie.partition("=")[0]
    assert (await site.get(path)).status == 403
    assert (await site.get(path, cookie=cookie.partition(";")[0])).status == 303


async def test_without_the_cookie_nothing_is_given_away(site: Served) -> None:
    for path in (*static_files(), "/games.json", "/messages.json", "/games/1?seat=2", "/x"):
        for cookie in (None, "", "whitby=1", f"whitby_{site.port}={fresh_token()}", "é=ü;;=;"):
            assert (await site.get(path, cookie=cookie)).status == 403
    assert (await site.get(f"/?token={fresh_token()}")).status == 403
    for cookie in ("", f"whitby_{site.port}=x"):
        async with site.socket(cookie) as socket:
            assert socket.status == 403


@pytest.mark.parametrize(
    "host", ["localhost", "evil.example", "127.0.0.1", "127.0.0.1:1", "[::1]:80", ""]
)
async def test_another_name_for_the_loopback_is_refused(site: Served, host: str) -> None:
    cookie = await site.enter()
    assert (await site.get("/", cookie=cookie, Host=host)).status == 421
    path = site.gate.new_address().removeprefix(site.gate.origin)
    assert (await site.get(path, Host=host)).status == 421
    if host:
        async with site.socket(cookie, Host=host) as socket:
            assert socket.status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{}", ""]
)
async def test_another_site_is_refused(site: Served, origin: str) -> None:
    origin = origin.format(site.port)
    cookie = await site.enter()
    assert (await site.get("/games.json", cookie=cookie, Origin=origin)).status == 403
    async with site.socket(cookie, Origin=origin) as socket:
        assert socket.status == 403


async def test_a_socket_without_an_origin_is_refused(site: Served) -> None:
    answer = await site.get(
        "/socket",
        cookie=await site.enter(),
        Connection="Upgrade",
        Upgrade="websocket",
        Sec_WebSocket_Key="AAAAAAAAAAAAAAAAAAAAAA==",
        Sec_WebSocket_Version="13",
    )
    assert answer.status == 403


async def test_two_hosts_or_origins_are_refused(site: Served) -> None:
    cookie = await site.enter()
    for twice in ("Host: x", f"Origin: {site.gate.origin}\r\nOrigin: http://evil.example"):
        head = f"GET / HTTP/1.1\r\nHost: {site.gate.host}\r\nCookie: {cookie}\r\n{twice}\r\n\r\n"
        assert (await site.raw(head.encode())).startswith(b"HTTP/1.1 400")


async def test_every_answer_says_what_a_page_may_do(site: Served) -> None:
    cookie = await site.enter()
    answers = [
        await site.get("/"),
        await site.get("/", cookie=cookie),
        await site.get("/main.js", cookie=cookie),
        await site.get("/nothing", cookie=cookie),
        await site.get("/", cookie=cookie, method="POST"),
        await site.get("/", cookie=cookie, Host="x"),
    ]
    assert [answer.status for answer in answers] == [403, 200, 200, 404, 405, 421]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in answer.headers


@pytest.mark.parametrize(
    "path",
    ["/../gate.py", "/static/index.html", "//", "/index.html/", "/main.js%00", "/%2e%2e/x", "*"],
)
async def test_only_files_of_the_page_are_served(site: Served, path: str) -> None:
    assert (await site.get(path, cookie=await site.enter())).status == 404


async def test_a_head_is_an_answer_without_its_body(site: Served) -> None:
    answer = await site.get("/", cookie=await site.enter(), method="HEAD")
    assert answer.status == 200
    assert int(answer.headers["content-length"]) > 100
    assert answer.body == b""


def test_a_gate_keeps_its_secrets_to_itself() -> None:
    gate = Gate(1234)
    assert "token" not in repr(gate)
    assert gate.new_address() != gate.new_address()


# --- bad manners ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
        b"GET / HTTP/1.1\r\nX: " + b"a" * (2 * MAX_HEADER_BYTES),
        b"X: a\r\n" * MAX_HEADER_BYTES,
    ],
)
async def test_nonsense_ends_its_own_connection_only(site: Served, data: bytes) -> None:
    with trio.fail_after(5):
        answer = await site.raw(data)
    assert not answer or answer.startswith(b"HTTP/1.1 4")
    await still_serves(site)


async def test_a_body_is_not_wanted(site: Served) -> None:
    cookie = await site.enter()
    data = (
        f"GET / HTTP/1.1\r\nHost: {site.gate.host}\r\nCookie: {cookie}\r\nContent-Length: 9\r\n\r\n"
    )
    answer = await site.raw(data.encode() + b"whatever!")
    assert answer.startswith(b"HTTP/1.1 413")
    await still_serves(site)


@pytest.mark.parametrize(
    "stray",
    [b"\x00", b"\xff\xff", b"\x81\x05hello", b"\x83\x80\x00\x00\x00\x00", b"GET / HTTP/1.1\r\n"],
)
async def test_a_stray_byte_after_the_upgrade_ends_that_tab_only(
    site: Served, stray: bytes
) -> None:
    cookie = await site.enter()
    async with site.socket(cookie) as other, site.socket(cookie) as socket:
        await socket.stream.send_all(stray)
        await socket.stream.send_eof()
        assert await socket.until_closed() in (1002, 1006)
        site.face.hub.show(marked=True)
        await other.until(lambda state: state.get("marked"))
    await still_serves(site)


async def test_bytes_right_behind_the_upgrade_end_that_tab_only(site: Served) -> None:
    cookie = await site.enter()
    head = (
        f"GET /socket HTTP/1.1\r\nHost: {site.gate.host}\r\nCookie: {cookie}\r\n"
        f"Origin: {site.gate.origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()
    with trio.fail_after(5):
        answer = await site.raw(head + b"\x83\x80\x00\x00\x00\x00")
    assert answer.startswith(b"HTTP/1.1 101")
    await still_serves(site)


@pytest.mark.parametrize(
    "headers",
    [
        "",
        "Connection: Upgrade\r\nUpgrade: websocket\r\n",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
        "Connection: Upgrade\r\nUpgrade: h2c\r\n",
    ],
)
async def test_what_is_no_websocket_is_refused(site: Served, headers: str) -> None:
    head = (
        f"GET /socket HTTP/1.1\r\nHost: {site.gate.host}\r\nCookie: {await site.enter()}\r\n"
        f"Origin: {site.gate.origin}\r\n{headers}\r\n"
    )
    with trio.fail_after(5):
        answer = await site.raw(head.encode())
    assert answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 426"))
    await still_serves(site)


async def test_what_a_tab_says_has_limits(site: Served) -> None:
    cookie = await site.enter()
    async with site.socket(cookie) as socket:
        await socket.raw(TextMessage(data="x" * (MAX_MESSAGE_BYTES + 1)))
        assert await socket.until_closed() == 1009
    async with site.socket(cookie) as socket:
        for _ in range(9):  # the same in pieces
            await socket.raw(TextMessage(data="x" * 500, message_finished=False))
        assert await socket.until_closed() == 1009
    async with site.socket(cookie) as socket:
        await socket.raw(BytesMessage(data=b"x"))
        assert await socket.until_closed() == 1003
    await still_serves(site)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "7", "null", '"say"', "[" * 4000, '{"n": {}}', '{"say": 7}'),
        *('{"quit": "x"}', '{"choose": true, "n": 1}', '{"choose": 1e999, "n": 1}'),
        '{"again": 1, "n": 0}',
    ],
)
async def test_what_a_tab_says_may_be_anything(site: Served, text: str) -> None:
    cookie = await site.enter()
    async with site.socket(cookie) as socket:
        await socket.raw(TextMessage(data=text))
        await socket.send({"say": "still there"})
        await trio.testing.wait_all_tasks_blocked()
        assert socket.closed is None
    await still_serves(site)


async def test_a_crowd_that_says_nothing_keeps_nobody_out(site: Served) -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(MAX_CONNECTIONS + 10):
            nursery.start_soon(_stand_there, site)
        await trio.testing.wait_all_tasks_blocked()
        await still_serves(site)
        nursery.cancel_scope.cancel()


async def _stand_there(site: Served) -> None:
    async with await site.connect() as stream:
        await stream.send_all(b"GET / HTTP/1.1\r\nHo")
        await trio.sleep_forever()


async def test_who_is_slow_is_let_go(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    ours, theirs = trio.testing.memory_stream_pair()
    async with served(tmp_path / "home") as site, trio.open_nursery() as nursery:
        nursery.start_soon(_server(site).greet, theirs)
        await ours.send_all(b"GET / HT")
        with trio.fail_after(120):
            assert await ours.receive_some() == b""


def _head() -> h11.Request:
    return h11.Request(
        method="GET",
        target="/socket",
        headers=[
            ("Host", "x"),
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
            ("Sec-WebSocket-Version", "13"),
        ],
    )


@pytest.mark.parametrize("reads", [False, True], ids=["reads nothing", "answers no ping"])
async def test_a_tab_that_hangs_is_let_go(
    reads: bool, autojump_clock: trio.testing.MockClock
) -> None:
    ours, theirs = trio.testing.lockstep_stream_pair()
    hub = Hub()

    async def read() -> None:
        async for _ in ours:
            pass

    async with trio.open_nursery() as nursery:
        if reads:
            nursery.start_soon(read)
        with trio.fail_after(120), hub.tab() as outgoing:
            await Tab(theirs, _head(), b"").serve(outgoing, print)
        nursery.cancel_scope.cancel()
    assert hub.tabs == 0


def _server(site: Served) -> Server:
    return Server([], site.gate, site.face.answer, site.face.serve_tab)


# --- the files --------------------------------------------------------------------------------


def test_the_page_is_light() -> None:
    files = static_files()
    assert sum(len(file.data) for path, file in files.items() if path != "/") < 200_000


def test_the_page_uses_nothing_from_elsewhere() -> None:
    for path, file in static_files().items():
        text = file.data.decode()
        for address in re.findall(r"(?:https?|wss?)://[^\s\"'`]+", text):
            assert address.startswith(("http://www.w3.org/", "ws://${location.host}")), path
        assert "innerHTML" not in text, path
        assert "eval(" not in text, path
        if path.endswith(".html"):
            assert not re.search(r"<script(?![^>]*src=)|<style| style=| on\w+=", text)
