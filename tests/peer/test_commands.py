"""The commands about games that were played, whatever the record, the file and the home are."""

import errno
import io
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from peer.cli import main
from peer.errors import ExitCode
from peer.games import GAMES
from protocol import codec
from protocol.entries import MAX_TIME, Accept, Act, Entry, Key, Offer
from protocol.record import FORMAT, MAX_RECORD_BYTES, read_record, write_record
from protocol.script import GUEST, HOST, SIDE_NAMES
from protocol.table import Table
from tests.peer.records import NAMES, keep, ours, resigned_game, whole_game
from tests.protocol.helpers import IDENTITIES, STRANGER, sign

Run = Callable[..., SimpleNamespace]
HOSTILE = "\x1b]0;owned\x07\x1b[2J\r\n\x9b31m\u202e"


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Carry out a command line: the exit code, and what was written to stdout and stderr."""
    monkeypatch.setenv("WHITBY_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, stdin: bytes = b"") -> SimpleNamespace:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        try:
            code: object = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        written = capsysbinary.readouterr()
        raw, err = written.out, written.err.decode()
        assert "Traceback" not in err
        return SimpleNamespace(code=code, raw=raw, out=raw.decode(errors="replace"), err=err)

    return run


def assert_one_sentence(result: SimpleNamespace) -> None:
    """See that a failed command says what is wrong, in one line, and nothing else."""
    assert result.raw == b""
    assert result.err.startswith("whitby: ")
    assert result.err.endswith((".\n", ").\n", "'.\n"))
    assert result.err.count("\n") == 1
    assert_harmless(result.err)


def assert_harmless(text: str) -> None:
    """See that a terminal is told nothing but characters and ends of lines."""
    for character in text:
        assert character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs")


# --- records that hold ------------------------------------------------------------------------


def test_a_whole_record_is_verified_wherever_it_comes_from(run: Run, tmp_path: Path) -> None:
    number = keep(tmp_path / "home", resigned_game())
    table = Table.replay(resigned_game(), GAMES)
    data = write_record(resigned_game())
    Path("game.whitby").write_bytes(data)
    for result in (
        run("verify", number),
        run("verify", table.game_id.hex()),
        run("verify", table.game_id.hex()[:4].upper()),
        run("verify", "game.whitby"),
        run("verify", tmp_path / "game.whitby"),
        run("verify", "-", stdin=data),
        run("--home", tmp_path / "elsewhere", "verify", "game.whitby"),
    ):
        assert result.code == ExitCode.DONE
        assert result.err == ""
        assert result.out.endswith("\nVERIFIED\n")
        assert table.head.hex() in result.out
        for name in NAMES:
            assert name in result.out


def test_verify_says_the_same_to_programs(run: Run) -> None:
    table = Table.replay(whole_game(), GAMES)
    result = run("verify", "-", "--json", stdin=write_record(whole_game()))
    assert result.code == ExitCode.DONE
    told = json.loads(result.out)
    assert told["verified"] is True
    assert told["finished"] is True
    assert told["keys_shown"] is True
    assert told["id"] == table.game_id.hex()
    assert told["head"] == table.head.hex()
    assert told["entries"] == len(whole_game())
    assert [side["name"] for side in told["sides"]] == list(NAMES)
    assert [side["identity"] for side in told["sides"]] == [i.public.hex() for i in IDENTITIES]
    assert table.result is not None
    assert told["result"]["winner"] == table.result.winner
    assert told["result"]["resigned"] is False


def test_a_record_that_stops_is_verified_so_far(run: Run) -> None:
    whole = resigned_game()
    ends = [len(whole) - 3, *range(0, len(whole) - 3, 5)]
    for end in ends:
        result = run("verify", "-", stdin=write_record(whole[:end]))
        assert result.code == ExitCode.UNFINISHED
        assert result.out.endswith("\nVERIFIED SO FAR\n")
        assert run("show", "-", stdin=write_record(whole[:end])).code == ExitCode.UNFINISHED
        told = run("verify", "-", "--json", stdin=write_record(whole[:end]))
        assert told.code == ExitCode.UNFINISHED
        assert json.loads(told.out)["finished"] is False


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_result_stands_even_if_somebody_does_not_show_the_keys(run: Run, missing: int) -> None:
    whole = resigned_game()
    result = run("verify", "-", stdin=write_record(whole[: len(whole) - missing]))
    assert result.code == ExitCode.DONE
    assert ("both shown", "one of the two", "neither of the two")[missing] in result.out
    assert "resigns" in result.out


def test_show_tells_the_game_and_what_was_hidden(run: Run) -> None:
    result = run("show", "-", stdin=write_record(whole_game()))
    assert result.code == ExitCode.DONE
    assert "Round 1 of 5 begins" in result.out
    assert "Dracula was dealt" in result.out
    assert result.out.splitlines()[-1].endswith(".")
    hidden = run("show", "-", stdin=write_record(resigned_game()[:-1]))
    assert "was dealt" not in hidden.out


def test_games_lists_the_newest_first(run: Run, tmp_path: Path) -> None:
    assert run("games").out.startswith("No games yet.")
    assert json.loads(run("games", "--json").out) == []
    keep(tmp_path / "home", resigned_game()[:10])
    keep(tmp_path / "home", whole_game(), GUEST)
    result = run("games")
    assert result.code == ExitCode.DONE
    newest, oldest = result.out.splitlines()
    assert "against Mina" in newest
    assert "Not finished" in oldest
    told = json.loads(run("games", "--json").out)
    assert [row["number"] for row in told] == [2, 1]
    assert told[0]["status"] == "complete"
    assert told[0]["entries"] == len(whole_game())
    assert told[1]["result"] is None
    text = run("games", "--json").out
    assert "invitation" not in text
    assert "seed" not in text


# --- records that don't -----------------------------------------------------------------------


def refused(run: Run, data: bytes) -> SimpleNamespace:
    """See a record refused, in words and to programs."""
    result = run("verify", "-", stdin=data)
    assert result.code in (ExitCode.CHEATED, ExitCode.FAILED)
    assert_one_sentence(result)
    assert run("show", "-", stdin=data).err == result.err
    told = run("verify", "-", "--json", stdin=data)
    assert told.code == result.code
    if result.code == ExitCode.CHEATED:
        answer = json.loads(told.out)
        assert answer.pop("verified") is False
        assert f"whitby: {answer['error']}\n" == result.err
    return result


def test_a_record_cut_off_anywhere_is_none(run: Run) -> None:
    data = write_record(resigned_game())
    for size in [*range(0, len(data), len(data) // 40), len(data) - 1]:
        result = run("verify", "-", stdin=data[:size])
        assert result.code == ExitCode.CHEATED
        assert "This is no record of a game" in result.err
        assert_one_sentence(result)


def test_no_byte_of_a_record_can_be_changed(run: Run) -> None:
    data = write_record(resigned_game())
    for place in [*range(24), *range(24, len(data), len(data) // 50), len(data) - 1]:
        for mask in (1, 0x80):
            broken = bytearray(data)
            broken[place] ^= mask
            result = run("verify", "-", stdin=bytes(broken))
            assert result.code in (ExitCode.CHEATED, ExitCode.FAILED), place
            assert_one_sentence(result)


def another_game() -> tuple[bytes, ...]:
    return resigned_game(("Lucy", "Renfield"))


Rearrange = Callable[[list[bytes]], Sequence[bytes]]
REARRANGED: dict[str, Rearrange] = {
    "the first one missing": lambda raws: raws[1:],
    "one missing": lambda raws: [*raws[:9], *raws[10:]],
    "the last but one missing": lambda raws: [*raws[:-2], raws[-1]],
    "two exchanged": lambda raws: [*raws[:9], raws[10], raws[9], *raws[11:]],
    "one twice": lambda raws: [*raws[:9], raws[8], *raws[9:]],
    "the last one twice": lambda raws: [*raws, raws[-1]],
    "all of them twice": lambda raws: [*raws, *raws],
    "backwards": lambda raws: raws[::-1],
    "an empty one": lambda raws: [*raws[:9], b"", *raws[9:]],
    "an empty one at the end": lambda raws: [*raws, b""],
    "one that is no entry": lambda raws: [*raws[:9], codec.encode((1, 2)), *raws[9:]],
    "one of another game": lambda raws: [*raws[:9], another_game()[9], *raws[10:]],
    "the beginning of another game": lambda raws: [*another_game()[:3], *raws[3:]],
    "one of another game at the end": lambda raws: [*raws, another_game()[9]],
    "the offer of another game at the end": lambda raws: [*raws, another_game()[0]],
    "one with something behind it": lambda raws: [*raws[:9], raws[9] + b"\0", *raws[10:]],
}


@pytest.mark.parametrize("name", REARRANGED)
def test_entries_have_one_order_and_each_its_place(run: Run, name: str) -> None:
    raws = REARRANGED[name](list(resigned_game()))
    result = refused(run, write_record(raws))
    assert result.code == ExitCode.CHEATED
    assert_nobody_is_blamed(result)
    assert "altered or damaged" in result.err


NOT_RECORDS: dict[str, tuple[bytes, int]] = {
    "nothing": (b"", 3),
    "a zero": (b"\0", 3),
    "text": (b"This is the record of our game.\n", 3),
    "JSON": (b'{"format": "whitby-record/1", "entries": []}', 3),
    "a database": (b"SQLite format 3\0" + bytes(1_000), 3),
    "noise": (bytes(range(256)) * 40, 3),
    "another array": (codec.encode((1, 2, 3)), 3),
    "no entries at all": (codec.encode((FORMAT,)), 3),
    "entries that are text": (codec.encode((FORMAT, ("abc",), ())), 3),
    "a later format": (codec.encode((f"{FORMAT}0", (), ())), 1),
    "a format to hurt": (codec.encode((HOSTILE, ())), 1),
    "a very long format": (codec.encode(("x" * 100_000, ())), 1),
    "a bomb of arrays": (b"\x91" * 100_000, 3),
    "a promise of four billion entries": (b"\x93\xaf" + FORMAT.encode() + b"\xdd" + b"\xff" * 4, 3),
    "too much": (b"\0" * (MAX_RECORD_BYTES + 10), 3),
    "too many entries": (codec.encode((FORMAT, (b"",) * 70_000, ())), 3),
    "a claim that is none": (codec.encode((FORMAT, (), (b"\xc0",))), 3),
    "a claim that is too long": (codec.encode((FORMAT, (), (bytes(10_000),))), 3),
}


@pytest.mark.parametrize("name", NOT_RECORDS)
def test_what_is_no_record_is_called_none(run: Run, name: str) -> None:
    data, code = NOT_RECORDS[name]
    assert run("verify", "-", stdin=data).code == code
    if name.startswith("a claim"):
        return  # `show` tells no claims
    refused(run, data)


def test_a_broken_claim_beside_a_good_record_is_refused(run: Run) -> None:
    for claim in (b"", b"\xc0", bytes(100)):
        result = run("verify", "-", stdin=write_record(resigned_game(), [claim]))
        assert result.code == ExitCode.CHEATED
        assert "claim" in result.err
        assert_one_sentence(result)


def test_who_signed_what_does_not_hold_is_named(run: Run) -> None:
    entries = [Entry.decode(raw) for raw in resigned_game()]
    place = next(entry.number for entry in entries if isinstance(entry.body, Act))
    author = entries[place].author
    forged = sign(entries[place], body=Act(36))
    assert SIDE_NAMES[author] in refused(run, write_record([*resigned_game()[:place], forged])).err
    two_stories = write_record([*resigned_game(), sign(entries[place], body=Act(1))])
    assert SIDE_NAMES[author] in refused(run, two_stories).err


def test_what_nobody_signed_is_nobodys_fault(run: Run) -> None:
    """Anybody can put bytes behind a record, and that must not look like a proof."""
    whole = resigned_game()
    entries = [Entry.decode(raw) for raw in whole]
    for raws in (
        [*whole[:9], sign(entries[9], STRANGER)],
        [*whole[:9], sign(entries[9], STRANGER), *whole[10:]],
        [*whole, sign(entries[1], STRANGER, state=bytes(32))],
    ):
        assert_nobody_is_blamed(refused(run, write_record(raws)))


def assert_nobody_is_blamed(result: SimpleNamespace) -> None:
    for name in SIDE_NAMES:
        assert name not in result.err


def test_a_second_acceptance_by_a_stranger_is_nobodys_fault(run: Run) -> None:
    accept = Entry.decode(resigned_game()[1])
    assert isinstance(accept.body, Accept)
    forged = sign(accept, STRANGER, body=replace(accept.body, identity=STRANGER.public))
    assert_nobody_is_blamed(refused(run, write_record([*resigned_game(), forged])))


def test_a_second_beginning_by_a_stranger_is_nobodys_fault(run: Run) -> None:
    offer = Entry.decode(resigned_game()[0])
    forged = sign(offer, STRANGER, body=Key(bytes(96)))
    assert_nobody_is_blamed(refused(run, write_record([resigned_game()[0], forged])))


# --- words that are meant to hurt -------------------------------------------------------------


def test_hostile_names_are_printed_harmlessly(run: Run, tmp_path: Path) -> None:
    names = (HOSTILE, "A\u202e\ufeff\x00\x7f\x85 b")
    hostile = resigned_game(names)
    for side in (HOST, GUEST):
        keep(tmp_path / "home", hostile, side)
    for arguments in (("verify", 1), ("show", 1), ("games",), ("games", "--json")):
        result = run(*arguments)
        assert_harmless(result.out)
        assert "owned" in result.out
    told = run("verify", 1, "--json")
    assert_harmless(told.out)
    assert [side["name"] for side in json.loads(told.out)["sides"]] == list(names)


@pytest.mark.parametrize("started", [0, 1 << 31, 253_402_300_800, MAX_TIME])
def test_any_time_of_the_hosts_clock_can_be_told(run: Run, started: int) -> None:
    data = write_record(resigned_game(started=started))
    assert run("verify", "-", stdin=data).code == ExitCode.DONE
    assert run("show", "-", stdin=data).code == ExitCode.DONE
    assert json.loads(run("verify", "-", "--json", stdin=data).out)["started"] == started


@pytest.mark.parametrize("change", ["game", "protocol", "options"])
def test_an_offer_of_something_unknown_is_nobodys_fault(run: Run, change: str) -> None:
    offer = Entry.decode(resigned_game()[0])
    body = offer.body
    assert isinstance(body, Offer)
    fields = {name: getattr(body, name) for name in body.__dataclass_fields__}
    fields[change] = HOSTILE[:20].encode() if change == "options" else HOSTILE[:20]
    result = refused(run, write_record([sign(offer, body=Offer(**fields))]))
    assert result.code == ExitCode.FAILED


# --- files and homes --------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["verify", "show", "export"])
@pytest.mark.parametrize("what", ["7", "0", "-1", "nowhere.whitby", "abcd", "", "*", "é"])
def test_a_game_that_is_not_there_is_named(run: Run, command: str, what: str) -> None:
    result = run(command, "--", what)
    assert result.code == ExitCode.FAILED
    assert_one_sentence(result)


def test_things_that_are_no_files_are_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    for what in ("folder", "dangling", "loop", "x" * 300, "folder/no/where"):
        result = run("verify", what)
        assert result.code == ExitCode.FAILED
        assert_one_sentence(result)


def test_a_record_may_come_through_a_pipe(run: Run, tmp_path: Path) -> None:
    read, write = os.pipe()
    data = write_record(resigned_game())
    assert os.write(write, data) == len(data)
    os.close(write)
    try:
        assert run("verify", f"/dev/fd/{read}").code == ExitCode.DONE
    finally:
        os.close(read)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="all may be read")
def test_a_file_that_may_not_be_read_is_named(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.whitby"
    path.write_bytes(write_record(resigned_game()))
    path.chmod(0)
    result = run("verify", "game.whitby")
    assert result.code == ExitCode.FAILED
    assert_one_sentence(result)


@pytest.mark.parametrize("arguments", [("games",), ("verify", "1"), ("bot", "host"), ("demo",)])
def test_a_home_that_is_a_file_is_named(
    run: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "home").write_text("I am a file.")
    result = run(*arguments)
    assert result.code == ExitCode.FAILED
    assert_one_sentence(result)
    assert "WHITBY_HOME" in result.err
    assert (tmp_path / "home").read_text() == "I am a file."


def test_a_damaged_store_is_named_and_left_alone(run: Run, tmp_path: Path) -> None:
    keep(tmp_path / "home", resigned_game())
    (tmp_path / "home" / "whitby.sqlite3").write_bytes(b"damage" * 1_000)
    for arguments in (("games",), ("verify", "1"), ("export", "1")):
        result = run(*arguments)
        assert result.code == ExitCode.FAILED
        assert_one_sentence(result)
    assert (tmp_path / "home" / "whitby.sqlite3").read_bytes() == b"damage" * 1_000


# --- export -----------------------------------------------------------------------------------


def test_what_is_exported_is_the_record(run: Run, tmp_path: Path) -> None:
    keep(tmp_path / "home", whole_game())
    result = run("export", 1)
    assert result.code == ExitCode.DONE
    data = Path("whitby-game-1.whitby").read_bytes()
    assert read_record(data).entries == whole_game()
    assert run("export", 1, "other.whitby").code == ExitCode.DONE
    assert Path("other.whitby").read_bytes() == data
    assert run("export", 1, "-").raw == data
    assert run("verify", "other.whitby").code == ExitCode.DONE
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "home",
        "other.whitby",
        "whitby-game-1.whitby",
    ]


def test_a_file_is_overwritten_only_on_demand(run: Run, tmp_path: Path) -> None:
    keep(tmp_path / "home", resigned_game())
    mine = Path("mine")
    mine.write_text("mine")
    Path("mine.part").write_text("mine too")
    result = run("export", 1, "mine")
    assert result.code == ExitCode.FAILED
    assert "--force" in result.err
    assert_one_sentence(result)
    assert mine.read_text() == "mine"
    assert run("export", "--force", 1, "mine").code == ExitCode.DONE
    assert read_record(mine.read_bytes()).entries == resigned_game()
    assert Path("mine.part").read_text() == "mine too"


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize(
    "place", ["folder", ".", "..", "/", "no/where", "game/inside", "x" * 300, "/dev/null/x", ""]
)
def test_a_place_that_takes_no_file_is_named_and_nothing_is_left(
    run: Run, tmp_path: Path, place: str, force: tuple[str, ...]
) -> None:
    keep(tmp_path / "home", resigned_game())
    (tmp_path / "folder").mkdir()
    (tmp_path / "game").write_text("mine")
    result = run("export", *force, "--", 1, place)
    assert result.code == ExitCode.FAILED
    assert_one_sentence(result)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "game", "home"]
    assert not list((tmp_path / "folder").iterdir())


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_full_disk_leaves_nothing_half_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: tuple[str, ...]
) -> None:
    keep(tmp_path / "home", resigned_game())
    if force:
        Path("out").write_text("mine")
    real_open = Path.open

    class Full(io.FileIO):
        def write(self, data: object) -> int:
            super().write(b"half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def open_full(path: Path, mode: str = "r", *arguments: object, **options: object) -> object:
        if "b" in mode and "r" not in mode:
            return Full(path, mode.replace("b", ""))
        return real_open(path, mode, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", open_full)
    result = run("export", *force, 1, "out")
    assert result.code == ExitCode.FAILED
    assert os.strerror(errno.ENOSPC) in result.err
    assert_one_sentence(result)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == (["home", "out"] if force else ["home"])
    if force:
        assert Path("out").read_text() == "mine"


# --- what was not understood ------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "",
        "dance",
        "--loud games",
        "games 1",
        "verify",
        "verify 1 2",
        "verify --yaml 1",
        "export",
        "export 1 a b",
        "join",
        "bot",
        "bot dance",
        "bot join",
        "host --port",
        "host --port -1",
        "host --port 65536",
        "host --port ٣",
        "host --port 1e3",
        "host --seat mina",
        "host --address",
        "host --address a_b",
        "host --address [::1",
        "host --address [::1]x",
        "host --address x:0x",
        "host --address x:99999",
        "host --address fe80::1%eth0",
        "host --address bücher.example",
        f"host --name {'n' * 49}",
        f"host --name {'é' * 25}",
        "host --name \udcff",
        "host --clock 0",
        "host --clock 5m",
        "host --clock 99999999",
        "host --clock 5+x",
        "host --clock \u0663",
        "resume 1 2",
        "--home",
    ],
)
def test_what_is_not_understood_is_said_and_nothing_is_done(
    run: Run, tmp_path: Path, line: str
) -> None:
    result = run(*line.split())
    assert result.code == ExitCode.MISUSED
    assert result.raw == b""
    assert result.err.startswith("usage: ")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("line", ["--help", "play --help", "bot host --help", "--version"])
def test_help_is_no_mistake(run: Run, line: str) -> None:
    result = run(*line.split())
    assert result.code == ExitCode.DONE
    assert result.out
    assert result.err == ""


@pytest.mark.parametrize("command", [("join",), ("bot", "join")])
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"whitby:",
        b"whitby:0",
        b"hello there",
        b"\xff\xfe\x00 not text",
        b"\x1b[2Jwhitby:abc",
        b"whitby:" + b"0" * 100_000,
        b"0" * 5_000_000,
    ],
    ids=range(9),
)
def test_what_is_no_invitation_is_explained(
    run: Run, tmp_path: Path, command: tuple[str, ...], text: bytes
) -> None:
    result = run(*command, "-", stdin=text)
    assert result.code == ExitCode.FAILED
    assert_one_sentence(result)
    assert not (tmp_path / "home").exists()


def test_a_table_without_its_secrets_is_all_that_a_verifier_needs() -> None:
    """What is verified here was played by two whose keys no verifier has."""
    assert Table.replay(resigned_game(), GAMES).side is None
    assert ours(HOST).side == HOST
