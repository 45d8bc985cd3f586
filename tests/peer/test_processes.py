"""The program as people run it: processes, pipes, signals and kills."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from peer.errors import ExitCode
from peer.store import Store

ROOT = Path(__file__).parents[2]
SECONDS = 60
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and shells of Unix")


class Person:
    """Somebody's home, and the programs that run for them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.running: list[subprocess.Popen[str]] = []

    def start(
        self, *arguments: str, stdin: int | IO[str] = subprocess.DEVNULL
    ) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "peer", *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "WHITBY_HOME": str(self.home)},
        )
        self.running.append(process)
        return process

    def run(self, *arguments: str) -> str:
        """Run a command that works; returns what it prints."""
        code, out, err = finish(self.start(*arguments))
        assert (code, err) == (0, "")
        return out

    def export(self, number: int = 1) -> bytes:
        path = self.home / "exported"
        self.run("export", str(number), str(path), "--force")
        return path.read_bytes()


def finish(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """Wait for a program to end: its exit code, and what it printed since we looked."""
    out, err = process.communicate(timeout=SECONDS)
    assert "Traceback" not in err
    assert "mistake in the program" not in err
    return process.returncode, out, err


def wait_for(process: "subprocess.Popen[str]", words: str) -> None:
    """Read what a program prints until a line has these words."""
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return
    raise AssertionError(f"it never said {words!r}")


@pytest.fixture
def people(tmp_path: Path) -> Iterator[tuple[Person, Person]]:
    both = Person(tmp_path / "host"), Person(tmp_path / "guest")
    yield both
    for person in both:
        for process in person.running:
            process.kill()
            process.communicate()


def host_a_bot(person: Person) -> tuple["subprocess.Popen[str]", str]:
    """A bot that waits for a guest, and its invitation."""
    process = person.start("bot", "host", "--bind", "127.0.0.1", "--name", "Host")
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            found += [child, *descendants(child)]
    return found


# --- games ------------------------------------------------------------------------------------


def test_without_a_terminal_the_bots_play_in_two_processes(
    people: tuple[Person, Person],
) -> None:
    person = people[0]
    process = person.start("play")
    wait_for(process, "Round 1")
    if Path("/proc/self/task").exists():
        children = descendants(process.pid)
        assert children
        for child in [process.pid, *children]:
            arguments = Path(f"/proc/{child}/cmdline").read_bytes()
            assert b"whitby:" not in arguments  # no secret where everybody sees it
    code, out, err = finish(process)
    assert (code, err) == (ExitCode.DONE, "")
    assert "\nVERIFIED\n" in out
    assert "both shown" in out
    bot = Person(person.home / "bot")
    assert person.export() == bot.export()
    (row,) = json.loads(person.run("games", "--json"))
    assert row["status"] == "complete"
    assert row["opponent"] == "Bot"


def test_two_bots_meet_by_an_invitation(people: tuple[Person, Person]) -> None:
    host, guest = people
    hosting, invitation = host_a_bot(host)
    assert invitation.startswith("whitby:")
    joining = guest.start("bot", "join", "-", "--quiet", stdin=subprocess.PIPE)
    assert joining.stdin is not None
    joining.stdin.write(f"  {invitation.upper()}  \n")
    joining.stdin.flush()
    for process in (joining, hosting):
        code, out, err = finish(process)
        assert (code, err) == (ExitCode.DONE, "")
        assert "\nVERIFIED\n" in out
        assert invitation not in out
    assert host.export() == guest.export()
    for person in people:
        assert "VERIFIED" in person.run("verify", "1")
        secret = Path(person.home / "whitby.sqlite3").read_bytes()
        assert invitation.encode() not in secret


def test_an_invitation_is_good_for_one_guest(people: tuple[Person, Person]) -> None:
    host, guest = people
    hosting, invitation = host_a_bot(host)
    first = guest.start("bot", "join", invitation)
    wait_for(first, "Round 1")
    thief = Person(guest.home.parent / "thief")
    code, _, err = finish(thief.start("bot", "join", invitation))
    assert code in (ExitCode.UNFINISHED, ExitCode.FAILED)
    assert err.startswith("whitby: ")
    assert json.loads(thief.run("games", "--json")) == []
    assert first.poll() in (None, ExitCode.DONE)
    assert hosting.poll() in (None, ExitCode.DONE)


# --- signals and kills ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_a_game_in_good_order_for_both(
    people: tuple[Person, Person], name: str
) -> None:
    host, guest = people
    hosting, invitation = host_a_bot(host)
    joining = guest.start("bot", "join", invitation)
    wait_for(joining, "Round 1")
    number = getattr(signal, name)
    joining.send_signal(number)
    code, _, err = finish(joining)
    assert code == 128 + number
    assert "What was played is kept" in err
    code, _, err = finish(hosting)
    assert code == ExitCode.UNFINISHED
    assert "left" in err
    for person in people:
        (row,) = json.loads(person.run("games", "--json"))
        assert row["status"] == "playing"
        code, out, _ = finish(person.start("verify", "1"))
        assert code == ExitCode.UNFINISHED
        assert "VERIFIED SO FAR" in out


def test_a_host_who_waits_ends_at_a_signal(people: tuple[Person, Person]) -> None:
    host, _ = people
    hosting, _ = host_a_bot(host)
    hosting.terminate()
    code, _, err = finish(hosting)
    assert code == 128 + signal.SIGTERM
    assert "Interrupted" in err
    assert json.loads(host.run("games", "--json")) == []


def test_a_killed_guest_comes_back_and_the_game_goes_on(people: tuple[Person, Person]) -> None:
    host, guest = people
    hosting, invitation = host_a_bot(host)
    killed = guest.start("bot", "join", invitation)
    wait_for(killed, "Round 1")
    killed.kill()
    killed.communicate()
    joining = guest.start("bot", "join", invitation)
    for process in (joining, hosting):
        code, out, err = finish(process)
        assert (code, err) == (ExitCode.DONE, "")
        assert "\nVERIFIED\n" in out
    assert host.export() == guest.export()
    assert len(json.loads(guest.run("games", "--json"))) == 1


def test_a_killed_player_leaves_no_bot_behind(people: tuple[Person, Person]) -> None:
    if not Path("/proc/self/task").exists():
        pytest.skip("needs /proc")
    process = people[0].start("demo")
    wait_for(process, "Round 1")
    (bot,) = descendants(process.pid)
    watched = os.pidfd_open(bot)
    try:
        process.kill()
        process.communicate()
        import select

        ended, _, _ = select.select([watched], [], [], SECONDS)
        assert ended
    finally:
        os.close(watched)


def test_a_killed_bot_is_missed(people: tuple[Person, Person]) -> None:
    if not Path("/proc/self/task").exists():
        pytest.skip("needs /proc")
    process = people[0].start("demo")
    wait_for(process, "Round 1")
    (bot,) = descendants(process.pid)
    os.kill(bot, signal.SIGKILL)
    code, _, err = finish(process)
    assert code in (ExitCode.FAILED, ExitCode.UNFINISHED)
    assert "The bot has gone away" in err
    (row,) = json.loads(people[0].run("games", "--json"))
    assert row["status"] == "playing"


# --- pipes ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Person:
    """Somebody who has a game to look at."""
    from tests.peer.records import keep, resigned_game

    home = tmp_path_factory.mktemp("played") / "home"
    keep(home, resigned_game())
    return Person(home)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{whitby} show 1 | head -1", 0),
        ("{whitby} games --json | true", 0),
        ("{whitby} show 1 > /dev/full", ExitCode.FAILED),
        ("{whitby} export 1 - > /dev/full", ExitCode.FAILED),
        ("{whitby} show 1 >&-", ExitCode.DONE),
        ("{whitby} verify 1 2>&-", ExitCode.DONE),
        ("{whitby} verify - <&-", ExitCode.CHEATED),
        ("{whitby} join - <&-", ExitCode.FAILED),
        ("{whitby} join - </dev/zero", ExitCode.FAILED),
        ("{whitby} join - </dev/urandom", ExitCode.FAILED),
        ("{whitby} export 1 - | {whitby} verify -", ExitCode.DONE),
        ("PYTHONIOENCODING=ascii {whitby} show 1 | cat", ExitCode.DONE),
    ],
)
def test_pipes_may_be_closed_or_full_or_full_of_noise(played: Person, line: str, code: int) -> None:
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    ended = subprocess.run(
        ["sh", "-c", line.format(whitby=f"'{sys.executable}' -m peer")],
        cwd=ROOT,
        env={**os.environ, "WHITBY_HOME": str(played.home)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    assert "mistake in the program" not in ended.stderr
    if code == ExitCode.FAILED:
        assert ended.stderr.startswith("whitby: ")


def test_a_reader_who_goes_away_ends_a_bot_quietly(people: tuple[Person, Person]) -> None:
    hosting, invitation = host_a_bot(people[0])
    assert hosting.stdout is not None
    hosting.stdout.close()
    people[1].start("bot", "join", invitation, "--quiet")
    assert hosting.stderr is not None
    hosting.wait(SECONDS)
    err = hosting.stderr.read()
    assert "Traceback" not in err
    assert "mistake in the program" not in err
    assert hosting.returncode == ExitCode.FAILED


def test_the_store_of_a_killed_process_opens(people: tuple[Person, Person]) -> None:
    host, guest = people
    hosting, invitation = host_a_bot(host)
    joining = guest.start("bot", "join", invitation)
    wait_for(joining, "Round 1")
    for process in (hosting, joining):
        process.kill()
        process.communicate()
    for person in people:
        with Store.open(person.home) as store:
            (row,) = store.games()
            assert len(store.entries(row.number)) == row.entries > 0
