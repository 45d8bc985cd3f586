"""Nothing secret gets out: a whole game by two programs, with everything that leaves them kept.

The two play through a proxy that keeps every byte of the line.  Their secrets are read from their
stores while they play, and looked for, in many spellings, in all that others could see: the line,
what the programs print, their arguments, and the record that is given away.
"""

import base64
import os
import socket
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any, Final

import pytest
import trio

from engine.cards import DECK, UNKNOWN
from peer.games import GAMES
from peer.invitation import Invitation, _write_base32
from peer.link import line_key
from protocol.entries import Entry, Kind
from protocol.keys import SecretKey
from protocol.record import read_record
from protocol.table import Table

SECONDS: Final = 150  # so that a test that hangs ends
WINDOW: Final = 16
"""Bytes in a row that can't be equal by chance."""

Homes = tuple[Path, Path]


# --- what is secret --------------------------------------------------------------------------


def stored(home: Path) -> tuple[bytes, bytes, bytes, str] | None:
    """The identity's seed, the game's seed, the line's seed and the invitation, once they are."""
    for path in home.glob("*.sqlite3"):
        with suppress(sqlite3.OperationalError), closing(_read_only(path)) as store:
            (identity,) = store.execute("SELECT seed FROM identity").fetchone() or (None,)
            game = store.execute("SELECT seed, line_seed, invitation FROM games").fetchone()
            if identity and game and None not in game:
                return identity, *game
    return None


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)


async def secrets_of(home: Path) -> dict[str, bytes]:
    """Everything that only the owner of `home` may know, by name."""
    while (found := stored(home)) is None:  # noqa: ASYNC110 - another program's store
        await trio.sleep(0.01)
    identity, seed, line_seed, text = found
    invitation = Invitation.parse(text)
    return {
        "identity": identity,
        "seed": seed,
        "line seed": line_seed,
        "line key": line_key(line_seed).private_bytes_raw(),
        "game key": SecretKey.derive(seed).reveal(),
        "invitation": invitation.secret,
        "psk": invitation.psk,
    }


def spellings(secret: bytes) -> Iterator[bytes]:
    """The ways in which bytes get into a text."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex(" ").encode()
    yield repr(secret)[2:-1].encode()
    yield repr(list(secret))[1:-1].encode()
    yield base64.b64encode(secret).rstrip(b"=")[:-1]
    yield base64.urlsafe_b64encode(secret).rstrip(b"=")[:-1]
    yield base64.b32encode(secret).rstrip(b"=")[:-1]
    for order in ("little", "big"):
        number = int.from_bytes(secret, order)
        yield b"%d" % number
        yield b"%x" % number


def assert_absent(secrets: dict[str, bytes], data: bytes, where: str) -> None:
    """No secret is anywhere in `data`."""
    lower = data.lower()
    for name, secret in secrets.items():
        for spelled in spellings(secret):
            assert spelled not in data, f"{name} in {where}"
            assert spelled.lower() not in lower, f"{name} in {where}"
    # In the letters of an invitation, the secret begins after the byte of the version.
    letters = _write_base32(b"\1" + secrets["invitation"])[2:-1].encode()
    assert letters not in lower, f"the invitation in {where}"


def test_a_secret_is_found_however_it_is_spelled() -> None:
    names = ("identity", "seed", "line seed", "line key", "game key", "invitation", "psk")
    secrets = {name: os.urandom(16 if name == "invitation" else 32) for name in names}
    assert_absent(secrets, os.urandom(10_000), "noise")
    for secret in secrets.values():
        for spelled in spellings(secret):
            with pytest.raises(AssertionError):
                assert_absent(secrets, b"Some words, " + spelled + b" and others", "a text")


# --- two programs and what is between them ---------------------------------------------------


class Proxy:
    """Passes the connection on, and keeps all of it: first what the guest sent, then the host."""

    def __init__(self, port: int) -> None:
        self.sent = (bytearray(), bytearray())
        self._port: Final = port

    async def carry(self, guest: trio.SocketStream) -> None:
        host = await trio.open_tcp_stream("127.0.0.1", self._port)
        async with guest, host, trio.open_nursery() as nursery:
            nursery.start_soon(self._copy, guest, host, self.sent[0])
            nursery.start_soon(self._copy, host, guest, self.sent[1])

    @staticmethod
    async def _copy(source: trio.SocketStream, sink: trio.SocketStream, kept: bytearray) -> None:
        with suppress(trio.BrokenResourceError):
            async for data in source:
                kept += data
                await sink.send_all(data)
            await sink.send_eof()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def whitby(home: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "peer", "--home", str(home), "--verbose", *arguments]


def processes(parent: int) -> Iterator[Path]:
    """The folders in /proc of a process and all that it has started."""
    yield Path("/proc", str(parent))
    for thread in Path(f"/proc/{parent}/task").iterdir():
        for child in (thread / "children").read_text().split():
            yield from processes(int(child))


@asynccontextmanager
async def started(command: Sequence[str], printed: bytearray) -> AsyncIterator[trio.Process]:
    """A program that runs, and is gone in the end; what it prints goes to `printed`."""
    process = await trio.lowlevel.open_process(command, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    errors = bytearray()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_collect, process.stdout, printed)
            nursery.start_soon(_collect, process.stderr, errors)
            yield process
    finally:
        printed += errors
        with trio.CancelScope(shield=True):
            process.kill()
            await process.wait()


async def _collect(stream: Any, kept: bytearray) -> None:
    async for data in stream:
        kept += data


class Play:
    """A whole game between two bots, and everything that anybody else could see of it."""

    def __init__(self, homes: Homes) -> None:
        self.homes: Final = homes
        self.secrets: list[dict[str, bytes]] = []
        self.printed = (bytearray(), bytearray())
        self.invitation = b""

    async def run(self) -> None:
        port = free_port()
        self.proxy = Proxy(port)
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        at = listener.socket.getsockname()[1]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, self.proxy.carry, [listener])
            where = ("--bind", "127.0.0.1", "--port", str(port), "--address", f"127.0.0.1:{at}")
            hosting = whitby(self.homes[0], "bot", "host", *where)
            joining = whitby(self.homes[1], "bot", "join", "-")
            async with started(hosting, self.printed[0]) as host:
                while b"\n" not in self.printed[0]:  # noqa: ASYNC110 - another program's output
                    await trio.sleep(0.01)
                self.invitation = bytes(self.printed[0]).splitlines(keepends=True)[0]
                async with started(joining, self.printed[1]) as guest:
                    assert guest.stdin is not None
                    await guest.stdin.send_all(self.invitation)
                    self.secrets = [await secrets_of(home) for home in self.homes]
                    assert await host.wait() == await guest.wait() == 0, self.printed
            nursery.cancel_scope.cancel()


async def test_nothing_secret_leaves_two_programs(tmp_path: Path) -> None:
    game = Play((tmp_path / "host", tmp_path / "guest"))
    with trio.fail_after(SECONDS):
        await game.run()
        for home in game.homes:
            export = whitby(home, "export", "1", str(home / "record"))
            await trio.run_process(export, stdout=DEVNULL)
    files = [(home / "record").read_bytes() for home in game.homes]
    assert files[0] == files[1]
    entries = read_record(files[0]).entries
    sent = [bytes(data) for data in game.proxy.sent]
    # The harness sees what it is to see: this invitation, and all of the line.
    assert Invitation.parse(game.invitation.decode()).secret == game.secrets[0]["invitation"]
    assert sum(map(len, sent)) > sum(map(len, entries))

    host, guest = map(bytes, game.printed)
    printed = (host.replace(game.invitation, b"", 1), guest)  # this once it is on purpose
    for secrets in game.secrets:
        for data in printed:
            assert_absent(secrets, data, "what was printed")
        for data in sent:
            assert_absent(secrets, data, "the line")
        unsealed = {**secrets, "game key": secrets["seed"]}  # which the record is to show
        assert_absent(unsealed, files[0], "the record")
    _assert_unreadable(sent, entries)
    _assert_hidden(entries, [secrets["game key"] for secrets in game.secrets])


def _assert_unreadable(sent: Sequence[bytes], entries: Sequence[bytes]) -> None:
    """No part of an entry can be read on the line."""
    windows = {data[i : i + WINDOW] for data in sent for i in range(len(data) - WINDOW + 1)}
    for raw in entries:
        for at in range(len(raw) - WINDOW + 1):
            assert raw[at : at + WINDOW] not in windows
    assert not any(word in data for data in sent for word in (b"whitby", b"dracula", b"Dracula"))


def _assert_hidden(entries: Sequence[bytes], keys: Sequence[bytes]) -> None:
    """Before the keys are shown, the record tells the faces that both players know, no others."""
    kinds = [Entry.decode(raw).kind for raw in entries]
    assert kinds[-2:] == [Kind.UNSEAL, Kind.UNSEAL]
    played = entries[:-2]
    for key in keys:
        assert not any(key in raw for raw in played)
    for part in (4, 3, 2, 1):
        state = Table.replay(played[: len(played) // part], GAMES).game
        known = {handle for handle in range(DECK) if state.faces[handle] != UNKNOWN}
        assert known == {handle for handle in range(DECK) if state.public >> handle & 1}


@pytest.mark.skipif(sys.platform != "linux", reason="/proc shows the arguments of a process")
async def test_a_game_against_the_bot_shows_nothing_to_other_users(tmp_path: Path) -> None:
    home = tmp_path / "home"
    seen: set[bytes] = set()
    printed = bytearray()
    with trio.fail_after(SECONDS):
        async with started(whitby(home, "play"), printed) as process:
            assert process.stdin is not None
            await process.stdin.aclose()
            mine, bots = await secrets_of(home), await secrets_of(home / "bot")
            with suppress(FileNotFoundError, ProcessLookupError):
                for folder in processes(process.pid):
                    seen |= {(folder / name).read_bytes() for name in ("cmdline", "environ")}
            process.terminate()
    assert any(b"join" in data for data in seen), "the bot was not seen"
    for secrets in (mine, bots):
        assert_absent(secrets, bytes(printed), "what was printed")
        for data in seen:
            assert_absent(secrets, data, "the arguments")
