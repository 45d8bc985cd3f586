"""A process that the tests of the store kill, starve or race: `python writer.py WHAT HOME`."""

import sys
import time
from pathlib import Path

from peer.errors import StoreError
from peer.store import Store
from protocol.entries import NO_ENTRY, Act, Entry
from protocol.identity import Identity

KEY = Identity(bytes(32))
SEED = b"an unlikely string of 32 bytes!!"


def entry(number: int, action: int = 0) -> Entry:
    """An entry with this number; what it says does not matter to a store."""
    return Entry.sign(number, 0, NO_ENTRY, Act(action), bytes(32), KEY)


def append_until_killed(store: Store) -> None:
    """Append two entries at a time, and say so of each pair after it was accepted."""
    game = store.new_game(side=0, seed=SEED, line_seed=SEED, created=0)
    for number in range(0, 1_000_000, 2):
        store.append(game, [entry(number), entry(number + 1)])
        print(number + 2, flush=True)


def append_until_refused(store: Store) -> None:
    """Append until the system lets no file grow further."""
    import resource

    game = store.new_game(side=0, seed=SEED, line_seed=SEED, created=0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    number = 0
    try:
        while True:
            store.append(game, [entry(number), entry(number + 1)])
            number += 2
    except StoreError as error:
        print(number, error, flush=True)


def hold(store: Store) -> None:
    """Hold game 1."""
    with store.lock(1):
        print("held", flush=True)
        time.sleep(60)


def say_identity(store: Store) -> None:
    print(store.identity().public.hex(), flush=True)


if __name__ == "__main__":
    sys.stdin.readline()  # so that two processes can be let go together
    with Store.open(Path(sys.argv[2])) as opened:
        globals()[sys.argv[1]](opened)
