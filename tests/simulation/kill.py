"""Real processes killed at random moments: `python -m tests.simulation.kill --rounds 200`.

In each round two bots play a game over the loopback, in processes of their own.  Now and then one
of them, or both, get a `kill -9`, and are started again as a user would: with `resume`, or with
the invitation if nothing had begun.  In the end both have the same whole record, which holds, and
no process has ever found its database damaged.
"""

import argparse
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from peer.games import GAMES
from peer.store import FILE, GameRow, Status, Store
from protocol.entries import Entry, Kind
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn

ROOT: Final = Path(__file__).parents[2]
LOOPBACK: Final = "127.0.0.1"
LIMIT: Final = 120.0
"""So many seconds a round may take on a slow computer."""


class RoundFailedError(Exception):
    """Something that must not be: the message says what."""


@dataclass(slots=True)
class Report:
    """What happened in a round."""

    kills: int = 0
    killed_after: list[int] = field(default_factory=list)
    """For each kill, how many entries the one who was killed had."""
    entries: int = 0


class Player:
    """One side: its home, and the process that plays for it."""

    def __init__(self, side: int, home: Path) -> None:
        home.mkdir()
        self.side: Final = side
        self.home: Final = home
        self._errors: Final[IO[str]] = (home / "stderr").open("w+")
        self._process: subprocess.Popen[str] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start the program."""
        self.kill()
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "peer", "--home", str(self.home), *arguments],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        return process

    def kill(self) -> None:
        """Leave the process no time for anything, if it hasn't ended."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def game(self) -> tuple[GameRow | None, list[bytes]]:
        """The game that has something in it, and its entries."""
        if not (self.home / FILE).exists():
            return None, []
        with Store.open(self.home) as store:
            for row in store.games():
                if row.entries:
                    return row, store.entries(row.number)
        return None, []

    def check(self) -> None:
        """See that the database is sound, and that the program has found nothing wrong."""
        with closing(sqlite3.connect(self.home / FILE)) as db:
            (answer,) = db.execute("PRAGMA integrity_check").fetchone()
        if answer != "ok":
            raise RoundFailedError(f"side {self.side} has a damaged database: {answer}")
        self._errors.seek(0)
        errors = self._errors.read()
        for sign in ("Traceback", "damaged", "broke the rules", "refused what we sent", "old copy"):
            if sign in errors:
                raise RoundFailedError(f"side {self.side} says:\n{errors}")

    def close(self) -> None:
        self.kill()
        self._errors.close()


def play_a_round(folder: Path, seed: int) -> Report:
    """Play a game with kills at moments that `seed` fixes (but not what they meet with).

    Raises:
        RoundFailedError: the game has suffered from them.
    """
    rng = random.Random(seed)
    report = Report()
    players = Player(HOST, folder / "host"), Player(GUEST, folder / "guest")
    began = time.monotonic()
    # When so many entries are kept: the same moments on a fast computer and a slow one.
    kills = sorted(rng.randrange(100) for _ in range(rng.randint(1, 4)))
    invitation = ""
    try:
        while not all(_is_whole(player.game()[1]) for player in players):
            if time.monotonic() > began + LIMIT:
                raise RoundFailedError(f"not over after {LIMIT:.0f} s")
            for player in players:
                if not player.is_running:
                    invitation = _start(player, invitation)
            if kills and len(players[HOST].game()[1]) >= kills[0]:
                kills.pop(0)
                for player in rng.choice((players[:1], players[1:], players)):
                    player.kill()
                    report.kills += 1
                    report.killed_after.append(len(player.game()[1]))
            time.sleep(0.02)
        _let_them_part(players)
        report.entries = _compare(players)
    finally:
        for player in players:
            player.close()
    return report


def _start(player: Player, invitation: str) -> str:
    """Do what its user would; returns the invitation that holds now."""
    row, entries = player.game()
    if row is not None:
        if not _is_whole(entries):
            player.start("resume", str(row.number), "--bot")
        return invitation
    if player.side == GUEST:
        if invitation:
            player.start("bot", "join", invitation, "--quiet")
        return invitation
    process = player.start("bot", "host", "--bind", LOOPBACK, "--quiet")
    assert process.stdout is not None
    return process.stdout.readline().strip()


def _is_whole(entries: list[bytes]) -> bool:
    return [Entry.decode(raw).kind for raw in entries[-2:]] == [Kind.UNSEAL] * 2


def _let_them_part(players: tuple[Player, Player]) -> None:
    """Give who is still there the time to say goodbye."""
    until = time.monotonic() + 3
    while any(player.is_running for player in players) and time.monotonic() < until:
        time.sleep(0.02)


def _compare(players: tuple[Player, Player]) -> int:
    """See that both have the same record, and that it holds; returns its length."""
    for player in players:
        player.check()
    (host, ours), (guest, theirs) = (player.game() for player in players)
    if ours != theirs:
        raise RoundFailedError("the two records differ")
    table = Table.replay(ours, GAMES)
    if table.turn is not Turn.DONE:
        raise RoundFailedError(f"{table.step} is due")
    for row in (host, guest):
        assert row is not None
        if row.status is Status.PLAYING or row.result != table.result:
            raise RoundFailedError(f"side {row.side} has {row.result} for {table.result}")
    return len(ours)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.kill", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, metavar="N", help="how many (200)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed (0)")
    options = parser.parse_args()
    kills, failed, began = Counter[str](), 0, time.monotonic()
    for number in range(options.rounds):
        seed = options.first + number
        with tempfile.TemporaryDirectory() as folder:
            try:
                report = play_a_round(Path(folder), seed)
            except RoundFailedError as error:
                failed += 1
                print(f"round {seed} FAILED: {error}", flush=True)
                continue
        kills.update(_stage(count) for count in report.killed_after)
        if number % 10 == 9:
            passed = time.monotonic() - began
            print(f"{number + 1} rounds, {failed} failed, {passed:.0f} s", flush=True)
    print(f"{options.rounds} rounds, {failed} failed, {kills.total()} kills: {dict(kills)}")
    return 1 if failed else 0


def _stage(entries: int) -> str:
    if entries < 2:
        return "before the game"
    return "in the opening" if entries < 22 else "in play"


if __name__ == "__main__":
    sys.exit(main())
