"""Records of real games, played once in memory, and homes in which they are kept."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from engine.actions import CALL
from engine.state import State
from peer.games import DRACULA_VS_VAN_HELSING, GAMES
from peer.store import Store
from protocol.course import Ours, Terms
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn
from tests.protocol.helpers import IDENTITIES, chance, play_one, raws, seed

STARTED: Final = 1_700_000_000
NAMES: Final = ("Mina", "Abraham")


def ours(
    side: int, *, name: str | None = None, started: int = STARTED, options: bytes = b""
) -> Ours:
    """What makes a table of the real game the host's or the guest's."""
    terms = Terms(DRACULA_VS_VAN_HELSING, options, None, started) if side == HOST else None
    called = NAMES[side] if name is None else name
    return Ours(IDENTITIES[side], seed(side), chance(f"{side}"), called, terms)


def tables(
    *, names: tuple[str, str] = NAMES, started: int = STARTED, options: bytes = b""
) -> tuple[Table[State], Table[State]]:
    """The two tables of a new game."""
    both = [ours(side, name=names[side], started=started, options=options) for side in (0, 1)]
    return Table(GAMES, both[HOST]), Table(GAMES, both[GUEST])


@cache
def whole_game() -> tuple[bytes, ...]:
    """A game to its end, with both keys shown; each round is ended as soon as possible."""
    rng = Random(1)
    both = tables()
    while both[HOST].step is not None:
        play_one(both, lambda actions: CALL if CALL in actions else rng.choice(actions))
    return tuple(raws(both[HOST]))


@cache
def resigned_game(
    names: tuple[str, str] = NAMES, started: int = STARTED, actions: int = 3
) -> tuple[bytes, ...]:
    """A game that somebody gives up after so many decisions, with both keys shown."""
    both = tables(names=names, started=started)
    while actions:
        actions -= any(table.turn is Turn.DECIDE for table in both)
        play_one(both)
    speaker = next(table for table in both if table.may_resign)
    entry = speaker.resign()
    both[1 - entry.author].receive(entry.raw)
    while both[HOST].step is not None:
        play_one(both)
    return tuple(raws(both[HOST]))


def keep(home: Path, entries: tuple[bytes, ...], side: int = HOST) -> int:
    """Keep this record in the store at `home`, as the side that played it; returns its number."""
    home.mkdir(exist_ok=True)
    table = Table.replay(entries, GAMES, ours(side))
    with Store.open(home) as store:
        number = store.new_game(
            side=side,
            seed=seed(side),
            line_seed=seed(side, "line"),
            created=STARTED,
            name=NAMES[side],
            invitation="whitby:abc",
        )
        store.append(number, table.entries)
        if table.has_seats:
            other = table.accept if side == HOST else table.offer
            assert other is not None
            store.describe(
                number,
                game_id=table.game_id,
                opponent=other.name,
                opponent_identity=other.identity,
                player=table.player,
            )
        if table.result is not None:
            store.finish(number, table.result)
        if table.turn is Turn.DONE:
            store.complete(number)
    return number
