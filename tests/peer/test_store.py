"""The store: what comes back, what is refused, and what survives."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peer.errors import HomeError, StoreError
from peer.home import VARIABLE, open_home
from peer.store import FILE, Status, Store
from protocol.course import Result
from protocol.entries import Entry
from protocol.identity import Identity
from protocol.record import MAX_RECORD_CLAIMS
from tests.peer import writer
from tests.peer.writer import SEED, entry

ROOT = Path(__file__).parents[2]
INVITATION = "whitby:an-unlikely-invitation"
RESULT = Result(1, "Dracula has no health points left")
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and signals of POSIX")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path) as opened:
        yield opened


LINE_SEED = b"another string of thirty-two byt"


def new_game(store: Store, **more: Any) -> int:
    return store.new_game(
        side=0,
        seed=SEED,
        line_seed=LINE_SEED,
        created=1_700_000_000,
        invitation=INVITATION,
        **more,
    )


def start(what: str, home: Path) -> subprocess.Popen[str]:
    """A process of `writer`, which waits for a line."""
    return subprocess.Popen(
        [sys.executable, "-m", writer.__name__, what, str(home)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def let_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def bytes_of(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.iterdir() if path.is_file())


# --- the folder ------------------------------------------------------------------------


def test_the_folder_is_the_one_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "named"))
    monkeypatch.setattr(platformdirs, "user_data_path", lambda name, **_: tmp_path / name)
    assert open_home(tmp_path / "chosen") == tmp_path / "chosen"
    assert open_home() == tmp_path / "named"
    monkeypatch.setenv(VARIABLE, "")
    assert open_home() == tmp_path / "whitby"
    assert all((tmp_path / name).is_dir() for name in ("chosen", "named", "whitby"))


def test_the_folder_may_be_given_from_here_or_from_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    assert open_home(Path("here")) == tmp_path / "here"
    assert open_home(Path("~/games")) == tmp_path / "home" / "games"
    with pytest.raises(HomeError, match="~nobody-of-that-name"):
        open_home(Path("~nobody-of-that-name/games"))


@on_posix
@pytest.mark.parametrize("umask", [0o000, 0o077, 0o277])
def test_a_new_folder_is_private_and_an_old_one_keeps_its_mode(tmp_path: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        home = open_home(tmp_path / "home")
    finally:
        os.umask(old)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    home.chmod(0o755)
    assert open_home(home) == home
    assert stat.S_IMODE(home.stat().st_mode) == 0o755


def test_what_cannot_be_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HomeError, match=rf"file is not a folder.*{VARIABLE}"):
        open_home(tmp_path / "file")
    with pytest.raises(HomeError, match="can't be made"):
        open_home(tmp_path / "file" / "below")


@on_posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(HomeError, match="permissions"):
        open_home(tmp_path)


# --- who we are ------------------------------------------------------------------------


def test_the_identity_is_made_once(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        first = store.identity().public
        assert store.identity().public == first
    with Store.open(tmp_path) as store:
        assert store.identity().public == first


def test_two_stores_have_two_identities(tmp_path: Path) -> None:
    public = set()
    for name in ("one", "other"):
        with Store.open(open_home(tmp_path / name)) as store:
            public.add(store.identity().public)
    assert len(public) == 2


def test_processes_that_start_at_once_agree_who_we_are(tmp_path: Path) -> None:
    processes = [start("say_identity", tmp_path) for _ in range(3)]
    for process in processes:
        let_go(process)
    said = {process.communicate()[0] for process in processes}
    with Store.open(tmp_path) as store:
        assert said == {store.identity().public.hex() + "\n"}


# --- games -----------------------------------------------------------------------------


def test_a_new_game_is_as_it_was_given(store: Store) -> None:
    number = store.new_game(
        side=1,
        seed=SEED,
        line_seed=LINE_SEED,
        created=1_700_000_000,
        name="Mina",
        invitation=INVITATION,
        address="::",
        port=4711,
    )
    row = store.game(number)
    assert (row.number, row.side, row.created, row.name) == (number, 1, 1_700_000_000, "Mina")
    assert (row.seed, row.invitation, row.address, row.port) == (SEED, INVITATION, "::", 4711)
    assert (row.line_seed, row.status, row.entries) == (LINE_SEED, Status.PLAYING, 0)
    assert (row.used, row.their_used) == (0, 0)
    assert {row.game_id, row.opponent, row.opponent_identity, row.player, row.result} == {None}


def test_what_is_learnt_is_added_bit_by_bit(store: Store) -> None:
    number = new_game(store, port=1)
    store.describe(number, game_id=b"g" * 32)
    store.describe(number, opponent="Bram", opponent_identity=b"i" * 32)
    store.describe(number, player=0, address="192.0.2.1", port=2)
    row = store.game(number)
    assert (row.game_id, row.opponent, row.opponent_identity) == (b"g" * 32, "Bram", b"i" * 32)
    assert (row.player, row.address, row.port) == (0, "192.0.2.1", 2)
    assert (row.seed, row.invitation) == (SEED, INVITATION)


def test_games_are_listed_from_the_newest(store: Store) -> None:
    assert store.games() == []
    numbers = [new_game(store) for _ in range(3)]
    assert [row.number for row in store.games()] == numbers[::-1]


def test_secrets_are_not_shown(store: Store) -> None:
    shown = repr(store.game(new_game(store))) + repr(store) + repr(store.identity())
    assert "unlikely" not in shown


def test_a_game_is_found_by_its_number_or_by_the_beginning_of_its_id(store: Store) -> None:
    one, other, third = (new_game(store) for _ in range(3))
    store.describe(one, game_id=bytes.fromhex("abcd01") + bytes(29))
    store.describe(other, game_id=bytes.fromhex("abcd02") + bytes(29))
    store.describe(third, game_id=bytes.fromhex("2345") + bytes(30))
    assert store.find(f" {other} ").number == other
    assert store.find("ABCD01").number == one
    assert store.find("2345").number == third
    with pytest.raises(StoreError, match=f"games {one}, {other}\\. Use the number"):
        store.find("abcd")


@pytest.mark.parametrize(
    "text", ["", "0", "9", "-1", "abc", "abcdef", "\u0661", "9" * 99, "%", "1.0"]
)
def test_what_names_no_game_is_refused(store: Store, text: str) -> None:
    new_game(store)
    with pytest.raises(StoreError, match="no game"):
        store.find(text)


def test_an_unknown_game_is_refused_everywhere(store: Store) -> None:
    for call in (
        lambda: store.game(7),
        lambda: store.entries(7),
        lambda: store.describe(7, player=0),
        lambda: store.append(7, [entry(0)]),
        lambda: store.finish(7, RESULT),
        lambda: store.complete(7),
        lambda: store.discard(7),
    ):
        with pytest.raises(StoreError, match="no game 7"):
            call()


def test_a_result_ends_a_game_and_its_completion_ends_its_secrets(store: Store) -> None:
    number = new_game(store)
    store.append(number, [entry(0)])
    with pytest.raises(StoreError, match="not over"):
        store.complete(number)
    store.finish(number, RESULT)
    row = store.game(number)
    assert (row.status, row.result) == (Status.OVER, RESULT)
    assert (row.seed, row.invitation) == (SEED, INVITATION)
    store.append(number, [entry(1)])
    for _ in range(2):
        store.finish(number, RESULT)
        store.complete(number)
        row = store.game(number)
        assert (row.status, row.result, row.entries) == (Status.COMPLETE, RESULT, 2)
        assert {row.seed, row.line_seed, row.invitation} == {None}


def test_claims_are_kept_once_in_their_order_and_in_no_great_number(store: Store) -> None:
    number = new_game(store)
    for raw in (b"second thoughts", b"first", b"second thoughts"):
        store.claim(number, raw)
    assert store.claims(number) == [b"second thoughts", b"first"]
    for i in range(MAX_RECORD_CLAIMS - 2):
        store.claim(number, bytes([i]))
    with pytest.raises(StoreError, match="needs no more"):
        store.claim(number, b"one too many")
    assert len(store.claims(number)) == MAX_RECORD_CLAIMS


def test_time_that_was_used_is_kept(store: Store) -> None:
    number = new_game(store)
    store.describe(number, used=1_500, their_used=2_500)
    store.describe(number, used=1_600)
    assert (store.game(number).used, store.game(number).their_used) == (1_600, 2_500)


def test_a_result_does_not_change(store: Store) -> None:
    number = new_game(store)
    resigned = Result(0, "resigned", resigned=True)
    store.finish(number, resigned)
    with pytest.raises(StoreError, match="another way"):
        store.finish(number, RESULT)
    assert store.game(number).result == resigned


@pytest.mark.parametrize("end", ["complete", "discard"])
def test_secrets_leave_the_disk_while_the_store_is_open(
    store: Store, tmp_path: Path, end: str
) -> None:
    number = new_game(store)
    assert SEED in bytes_of(tmp_path)
    assert INVITATION.encode() in bytes_of(tmp_path)
    if end == "complete":
        store.finish(number, RESULT)
        store.complete(number)
    else:
        store.discard(number)
    assert b"unlikely" not in bytes_of(tmp_path)


def test_only_a_game_that_never_started_is_discarded(store: Store) -> None:
    waiting, started = new_game(store), new_game(store)
    store.append(waiting, [entry(0), entry(1)])
    store.describe(started, game_id=bytes(32))
    with pytest.raises(StoreError, match="started"):
        store.discard(started)
    store.discard(waiting)
    assert [row.number for row in store.games()] == [started]
    assert new_game(store) > started
    store.discard(new_game(store))
    assert new_game(store) == started + 3, "a number is not given twice"


# --- entries ---------------------------------------------------------------------------


def test_entries_come_back_in_their_order(store: Store) -> None:
    number, other = new_game(store), new_game(store)
    entries = [entry(i) for i in range(5)]
    store.append(number, entries[:1])
    store.append(number, [])
    store.append(number, entries[1:])
    assert store.entries(number) == [each.raw for each in entries]
    assert store.entries(other) == []
    assert store.game(number).entries == 5


def test_an_entry_may_come_again(store: Store) -> None:
    number = new_game(store)
    entries = [entry(i) for i in range(5)]
    store.append(number, entries[:3])
    store.append(number, entries)
    store.append(number, entries[1:2])
    assert store.entries(number) == [each.raw for each in entries]


@pytest.mark.parametrize("wrong", [entry(4), entry(1, action=1), entry(3)])
def test_a_gap_or_another_entry_is_refused_with_all_that_came_along(
    store: Store, wrong: Entry
) -> None:
    number = new_game(store)
    store.append(number, [entry(0), entry(1)])
    with pytest.raises(StoreError, match=f"(?i)entry {wrong.number}"):
        store.append(number, [wrong] if wrong.number == 3 else [entry(2), wrong])
    assert store.entries(number) == [entry(0).raw, entry(1).raw]


@given(
    batches=st.lists(st.lists(st.integers(0, 2**32 - 1), max_size=4), max_size=6),
    secret=st.binary(min_size=32, max_size=32),
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=48),
    game_id=st.binary(min_size=32, max_size=32),
    winner=st.none() | st.integers(0, 1),
    resigned=st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_what_was_kept_comes_back_from_the_disk(
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[list[int]],
    secret: bytes,
    text: str,
    game_id: bytes,
    winner: int | None,
    resigned: bool,
) -> None:
    home = tmp_path_factory.mktemp("home")
    raws: list[bytes] = []
    with Store.open(home) as store:
        number = store.new_game(
            side=1, seed=secret, line_seed=secret, created=0, name=text, invitation=text
        )
        store.describe(number, game_id=game_id, opponent=text, opponent_identity=secret, player=0)
        for actions in batches:
            entries = [entry(len(raws) + i, action) for i, action in enumerate(actions)]
            store.append(number, entries)
            raws += [each.raw for each in entries]
        store.finish(number, Result(winner, text, resigned))
        before = store.games()
    with Store.open(home) as store:
        assert store.games() == before
        assert store.find(game_id.hex()) == before[0]
        assert store.entries(number) == raws
    row = before[0]
    assert (row.seed, row.name, row.invitation, row.opponent) == (secret, text, text, text)
    assert (row.game_id, row.opponent_identity) == (game_id, secret)
    assert row.result == Result(winner, text, resigned)
    shutil.rmtree(home)


def test_several_threads_take_turns(store: Store) -> None:
    numbers = [new_game(store) for _ in range(4)]

    def fill(number: int) -> None:
        for i in range(10):
            store.append(number, [entry(i)])
            store.games()

    threads = [threading.Thread(target=fill, args=[number]) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [row.entries for row in store.games()] == [10] * 4


# --- what the world does ---------------------------------------------------------------


@on_posix
def test_no_entry_that_was_accepted_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    with start("append_until_killed", tmp_path) as process:
        let_go(process)
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(20)]
        process.kill()
        said += process.stdout.readlines()
    accepted = int(said[-1])
    with Store.open(tmp_path) as store:
        kept = store.entries(1)
        assert len(kept) in (accepted, accepted + 2), "pairs are kept whole"
        assert kept == [entry(i).raw for i in range(len(kept))]
        store.append(1, [entry(len(kept))])


@on_posix
def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    process = start("append_until_refused", tmp_path)
    let_go(process)
    accepted, sentence = process.communicate()[0].split(" ", 1)
    assert "disk" in sentence
    assert str(tmp_path / FILE) in sentence
    with Store.open(tmp_path) as store:
        assert store.entries(1) == [entry(i).raw for i in range(int(accepted))]
        store.append(1, [entry(int(accepted))])


def test_a_full_disk_is_named(store: Store) -> None:
    number = new_game(store)
    store._db.run("PRAGMA max_page_count = 1")  # SQLite's own way to feign one
    with pytest.raises(StoreError, match="disk is full"):
        store.append(number, [entry(i) for i in range(100)])
    assert store.entries(number) == []
    store._db.run("PRAGMA max_page_count = 1000000")
    store.append(number, [entry(0)])


@on_posix
@pytest.mark.parametrize("umask", [0o000, 0o277])
def test_the_files_are_private_from_the_first(tmp_path: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        with Store.open(tmp_path) as store, store.lock(new_game(store)):
            files = [path for path in tmp_path.rglob("*") if path.is_file()]
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in files}
    finally:
        os.umask(old)
    assert set(modes) == {FILE, f"{FILE}-wal", f"{FILE}-shm", "1.lock"}
    assert all(mode & 0o077 == 0 for mode in modes.values()), modes


@on_posix
def test_a_file_that_was_opened_to_others_is_closed_to_them(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    (tmp_path / FILE).chmod(0o644)
    Store.open(tmp_path).close()
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_writes_wait_for_the_disk(store: Store) -> None:
    for pragma, value in {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
    }.items():
        assert store._db.one(f"PRAGMA {pragma}") == (value,)


def test_a_newer_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("PRAGMA user_version = 2")
    db.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StoreError, match=r"newer version.*Update"):
        Store.open(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.parametrize("data", [b"x", b"SQLite format 3\0", b"not a database\n" * 1000])
def test_what_is_no_database_is_refused_and_left_alone(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        Store.open(tmp_path)
    assert (tmp_path / FILE).read_bytes() == data


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("CREATE TABLE games (title)")
    db.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store.open(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.append(new_game(store), [entry(i) for i in range(200)])
    data = bytearray((tmp_path / FILE).read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    (tmp_path / FILE).write_bytes(data)
    with Store.open(tmp_path) as store, pytest.raises(StoreError, match="damaged"):
        store.entries(1)
    assert (tmp_path / FILE).read_bytes() == data


def test_an_empty_file_is_a_new_store(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    with Store.open(tmp_path) as store:
        assert isinstance(store.identity(), Identity)


def test_a_folder_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(StoreError, match="can't be opened"):
        Store.open(tmp_path)
    with pytest.raises(StoreError, match="can't be opened"):
        Store.open(tmp_path / "nowhere")


# --- one game, one player --------------------------------------------------------------


def test_a_game_is_open_once(store: Store, tmp_path: Path) -> None:
    number, other = new_game(store), new_game(store)
    with Store.open(tmp_path) as second:
        with store.lock(number):
            with pytest.raises(StoreError, match=f"Game {number} is open in another"):
                second.lock(number).__enter__()
            with second.lock(other):
                pass
        with second.lock(number):
            pass


@on_posix
def test_a_killed_process_leaves_no_game_locked(store: Store, tmp_path: Path) -> None:
    number = new_game(store)
    process = start("hold", tmp_path)
    let_go(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with pytest.raises(StoreError, match="open in another"), store.lock(number):
        pass
    process.kill()
    process.communicate()
    with store.lock(number):
        pass


def test_a_lock_that_cannot_be_had_is_named(store: Store, tmp_path: Path) -> None:
    (tmp_path / "locks").touch()
    with pytest.raises(StoreError, match="can't be locked"), store.lock(1):
        pass
