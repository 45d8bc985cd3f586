"""Games against a second implementation of the protocol, in JavaScript.

It was written from spec/ alone (see README.md here), so whatever both agree on is in the
specification, and what they don't agree on is a mistake in one of the three. Skipped where
Node.js or its packages are missing:

    npm install --no-package-lock --prefix tests/interop
"""

import contextlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
NODE = shutil.which("node")
WHITBY = [sys.executable, "-c", "import sys; from peer.cli import main; sys.exit(main())"]
SECONDS = 240  # for a game, on a machine that has much else to do
SOON = "30"  # entries, after which a game that needn't be whole is resigned
SEATS = {"dracula": 0, "helsing": 1}

pytestmark = pytest.mark.skipif(
    NODE is None or not (HERE / "node_modules" / "@noble" / "curves").is_dir(),
    reason="Node.js or the packages of tests/interop/package.json are not installed",
)


class Program:
    """One of the two programs, started. What it says is read to its end by `wait`."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            arguments,
            cwd=HERE.parent.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def invitation(self) -> str:
        """Read what it says up to the invitation that it prints."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"whitby:[0-9a-z]+", line):
                return found[0]
        raise AssertionError(self._process.communicate()[1])

    def wait(self) -> str:
        out, errors = self._process.communicate(timeout=SECONDS)
        assert self._process.returncode == 0, out + errors
        return out

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def node(*arguments: str) -> Program:
    assert NODE is not None
    return Program([NODE, str(HERE / "peer.mjs"), *arguments])


def whitby(home: Path, *arguments: str) -> Program:
    return Program([*WHITBY, "--home", str(home), *arguments])


@contextlib.contextmanager
def playing(host: Program) -> Iterator[str]:
    with contextlib.closing(host):
        yield host.invitation()


def results(out: str) -> list[dict[str, Any]]:
    """Of the games that the program in JavaScript tells of."""
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def exported(home: Path, game: int = 1) -> bytes:
    """The record that the program in Python kept, which it has verified once more."""
    file = home / f"exported-{game}"
    whitby(home, "export", str(game), str(file)).wait()
    assert "VERIFIED" in whitby(home, "verify", str(file)).wait()
    return file.read_bytes()


def node_invited(tmp_path: Path, offer: Sequence[str], *options: str) -> list[dict[str, Any]]:
    """A game at the table of our program, with the other as guest. Both keep the same record."""
    record = tmp_path / "record"
    host = whitby(tmp_path, "bot", "host", "--quiet", "--address", "127.0.0.1", *offer)
    with playing(host) as invitation:
        guest = node("join", invitation, "--record", str(record), *options)
        with contextlib.closing(guest):
            games = results(guest.wait())
        host.wait()
    assert exported(tmp_path) == record.read_bytes()
    return games


def node_inviting(tmp_path: Path, offer: Sequence[str], *options: str) -> list[dict[str, Any]]:
    """A game at the table of the other program, with ours as guest. Both keep the same record."""
    record = tmp_path / "record"
    host = node("host", "--record", str(record), *offer)
    with playing(host) as invitation:
        guest = whitby(tmp_path, "bot", "join", "--quiet", *options, invitation)
        with contextlib.closing(guest):
            guest.wait()
        games = results(host.wait())
    assert exported(tmp_path) == record.read_bytes()
    return games


def test_it_holds_against_all_vectors() -> None:
    assert NODE is not None
    run = subprocess.run(
        [NODE, str(HERE / "vectors.mjs")], capture_output=True, text=True, timeout=SECONDS
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("seat", ["dracula", "helsing"])
def test_a_whole_game_as_guest_with_the_line_cut_once(tmp_path: Path, seat: str) -> None:
    [game] = node_invited(tmp_path, ["--seat", seat], "--cut", "50")
    assert game["player"] == 1 - SEATS[seat]
    assert game["winner"] in (0, 1)
    assert game["lines"] == 2


@pytest.mark.parametrize("seat", ["dracula", "helsing"])
def test_a_whole_game_as_host_with_the_line_cut_once(tmp_path: Path, seat: str) -> None:
    offer = ["--seat", seat, "--hp", "11", "--clock", "600+10", "--cut", "50"]
    [game] = node_inviting(tmp_path, offer)
    assert game["player"] == SEATS[seat]
    assert game["winner"] in (0, 1)
    assert game["lines"] == 2


def test_a_coin_for_the_seats_and_a_game_resigned(tmp_path: Path) -> None:
    [game] = node_invited(tmp_path, ["--seat", "random"], "--resign", SOON)
    assert game["resigned"]
    assert game["winner"] == 1 - game["player"]


def test_another_game_with_the_seats_exchanged(tmp_path: Path) -> None:
    offer = ["--seat", "random", "--resign", SOON, "--games", "2"]
    games = node_inviting(tmp_path, offer, "--again")
    assert len(games) == 2
    assert {game["player"] for game in games} == {0, 1}
    assert exported(tmp_path, 2) == (tmp_path / "record.1").read_bytes()


def test_many_guests_at_one_table(tmp_path: Path) -> None:
    host = node("serve", "--seat", "dracula", "--resign", SOON)
    homes = [tmp_path / name for name in "ab"]
    with playing(host) as invitation:
        guests = [whitby(home, "bot", "join", "--quiet", invitation) for home in homes]
        with contextlib.ExitStack() as stack:
            for guest in guests:
                stack.enter_context(contextlib.closing(guest))
            for guest in guests:
                guest.wait()
    assert exported(homes[0]) != exported(homes[1])
