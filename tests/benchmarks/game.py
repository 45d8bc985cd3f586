"""What a whole game takes: bytes, entries, one-way trips a turn, seconds over a real connection.

    python -m tests.benchmarks.game

A one-way trip is a change of speaker: everything one side can say before the other must is one.
A turn is what the rules call one; the trips of dealing and scoring are counted in.
"""

import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import pairwise
from random import Random
from statistics import mean

from engine.events import Called, Drew
from engine.state import State
from peer.bot import decide
from peer.games import DRACULA_VS_VAN_HELSING, GAMES
from protocol.course import Ours, Terms
from protocol.entries import Kind
from protocol.identity import Identity
from protocol.table import Table, Turn

GAMES_IN_MEMORY = 10
GAMES_ON_LOOPBACK = 5


def play_in_memory(seed: int) -> tuple[Table[State], Table[State], float]:
    """A game of two bots, without a line or a disk, and how many seconds it took."""
    tables = [_table(Terms(DRACULA_VS_VAN_HELSING)), _table(None)]
    rng = Random(seed)
    start = time.perf_counter()
    while any(table.turn is not Turn.DONE for table in tables):
        speaker, listener = tables if tables[0].turn is not Turn.WAIT else tables[::-1]
        if speaker.turn is Turn.DECIDE:
            view = speaker.game.view(speaker.player)
            entry = speaker.act(decide(view, speaker.player, rng))
        else:
            entry = speaker.speak()
        listener.receive(entry.raw)
    return tables[0], tables[1], time.perf_counter() - start


def _table(terms: Terms | None) -> Table[State]:
    token = secrets.token_bytes
    return Table(GAMES, Ours(Identity(token(32)), token(32), token, "Bot", terms))


def one_way_trips(table: Table[State]) -> int:
    """How often the line changes its direction in the course of the record."""
    authors = [entry.author for entry in table.entries]
    return 1 + sum(this != last for last, this in pairwise(authors))


def report_games() -> None:
    sizes: Counter[Kind] = Counter()
    turns, trips, entries, seconds, replays = [], [], [], [], []
    for seed in range(GAMES_IN_MEMORY):
        table, _, elapsed = play_in_memory(seed)
        for entry in table.entries:
            sizes[entry.kind] += len(entry.raw)
        assert table.game.log is not None
        turns.append(sum(isinstance(event, Drew | Called) for event in table.game.log))
        trips.append(one_way_trips(table))
        entries.append(len(table.entries))
        seconds.append(elapsed)
        start = time.perf_counter()
        Table.replay([entry.raw for entry in table.entries], GAMES)
        replays.append(time.perf_counter() - start)
    print(f"{GAMES_IN_MEMORY} games of two bots in memory, both sides in one thread")
    print(f"  seconds a game       {mean(seconds):8.2f}   to verify its record {mean(replays):.2f}")
    print(f"  turns a game         {mean(turns):8.1f}")
    print(f"  entries a game       {mean(entries):8.1f}")
    print(f"  one-way trips a turn {sum(trips) / sum(turns):8.2f}   a game {mean(trips):.1f}")
    print(f"  bytes a game         {sum(sizes.values()) / GAMES_IN_MEMORY:8,.0f}, of which")
    for kind, size in sizes.most_common(3):
        print(f"    {kind.name:<18} {size / GAMES_IN_MEMORY:8,.0f}")


def report_loopback() -> None:
    """`whitby demo` as a user runs it: two processes, TCP, the line's encryption, both disks."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as home:
        for _ in range(GAMES_ON_LOOPBACK):
            command = [sys.executable, "-m", "peer", "--home", home, "demo"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    elapsed = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{GAMES_ON_LOOPBACK} games of two bots in two processes over loopback")
    print(f"  seconds a game       {elapsed / GAMES_ON_LOOPBACK:8.2f}")
    print(f"  CPU seconds a game   {cpu / GAMES_ON_LOOPBACK:8.2f}   both processes, start included")


def main() -> None:
    report_games()
    report_loopback()


if __name__ == "__main__":
    main()
