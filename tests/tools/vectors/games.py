"""The vectors of a whole game, of every kind of entry, and of what must be refused."""

from dataclasses import dataclass
from typing import Any, Final

from protocol import codec
from protocol.course import Ours, Terms
from protocol.entries import (
    Entry,
    Kind,
)
from protocol.identity import Identity
from protocol.keys import SecretKey
from protocol.record import write_record
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn
from tests.protocol.duel import GAME, GAMES
from tests.tools.vectors.chance import Chance, Json, body_json, seed

NAMES: Final = ("Mina", "Vlad")
STARTED: Final = 1_700_000_000


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything that decides the bytes of one game."""

    name: str
    seat: int | None = None
    resigns: int | None = None
    clock: tuple[int, int] | None = None
    proposes: tuple[int, ...] = ()
    agrees: int | None = None

    def identity_seed(self, side: int) -> bytes:
        return seed(f"{self.name}: identity {side}")

    def identity(self, side: int) -> Identity:
        return Identity(self.identity_seed(side))

    def game_seed(self, side: int) -> bytes:
        return seed(f"{self.name}: seed {side}")

    def rng_name(self, side: int) -> str:
        return f"{self.name}: rng {side}"

    def ours(self, side: int) -> Ours:
        terms = Terms(GAME, seat=self.seat, clock=self.clock, started=STARTED)
        return Ours(
            self.identity(side),
            self.game_seed(side),
            Chance(self.rng_name(side)),
            NAMES[side],
            terms if side == HOST else None,
        )

    def to_json(self) -> Json:
        """What there is to know before the first entry."""
        return {
            "name": self.name,
            "game": GAME,
            "options": "",
            "seat": self.seat,
            "clock": self.clock,
            "started": STARTED,
            "sides": [
                {
                    "name": NAMES[side],
                    "identity_seed": self.identity_seed(side).hex(),
                    "identity": self.identity(side).public.hex(),
                    "seed": self.game_seed(side).hex(),
                    "secret": SecretKey.derive(self.game_seed(side)).reveal().hex(),
                    "rng": self.rng_name(side),
                }
                for side in (HOST, GUEST)
            ],
        }

    def tables(self, games: Any = GAMES) -> tuple[Table[Any], Table[Any]]:
        return Table(games, self.ours(HOST)), Table(games, self.ours(GUEST))


def play(setting: Setting, tables: tuple[Table[Any], Table[Any]], *, stop: int = 1000) -> None:
    """Play a game, everybody with the first card that they may; or its first `stop` entries."""
    while (step := tables[HOST].step) is not None and len(tables[HOST].entries) < stop:
        writer, reader = tables[step.side], tables[1 - step.side]
        if len(writer.entries) == setting.resigns:
            entry = writer.resign()
        elif len(writer.entries) in setting.proposes:
            entry = writer.propose()
        elif writer.turn is Turn.CONSIDER:
            entry = writer.reply(len(writer.entries) == setting.agrees)
        elif writer.turn is Turn.DECIDE:
            entry = writer.act(writer.game.pending.actions[0])
        else:
            entry = writer.speak()
        assert reader.receive(entry.raw) == entry


WHOLE: Final = Setting("duel")
RESIGNED: Final = Setting("duel with an early end", seat=1, resigns=12)
UNDECIDED: Final = Setting(
    "duel without a winner", seat=0, clock=(600, 5), proposes=(7, 14), agrees=15
)
SETTINGS: Final = (WHOLE, RESIGNED, UNDECIDED)


def game() -> Json:
    """game.json"""
    return {
        "about": (
            "Three whole records of the game 'duel/1' (see README.md), byte for byte, and what "
            "each side must have known and drawn to write them. 'rng' names the chance of a side "
            "(see README.md), 'drawn' is how many of its bytes had been taken after an entry."
        ),
        "section": "14",
        "games": [_game(setting) for setting in SETTINGS],
    }


def _game(setting: Setting) -> Json:
    tables = setting.tables()
    steps = []
    while tables[HOST].step is not None:
        play(setting, tables, stop=len(tables[HOST].entries) + 1)
        entry = tables[HOST].entries[-1]
        # Our own tables say nothing of what they drew: the generator at the writer's side does.
        steps.append(
            {
                "number": entry.number,
                "author": entry.author,
                "kind": entry.kind.name,
                "state": tables[HOST].game.public_bytes().decode(),
                "head": entry.head.hex(),
                "drawn": _drawn(tables[entry.author]),
                "raw": entry.raw.hex(),
            }
        )
    host = tables[HOST]
    assert host.result is not None
    record = write_record([entry.raw for entry in host.entries])
    given = setting.to_json()
    for side in (HOST, GUEST):
        given["sides"][side] |= {
            "player": host.player_of(side),
            "saw": [[name, list(faces)] for name, faces in tables[side].game.seen],
        }
    return {
        **given,
        "game_id": host.game_id.hex(),
        "entries": steps,
        "deck": host.all_faces(0),
        "winner": host.result.winner,
        "resigned": host.result.resigned,
        "record_size": len(record),
        "record_starts": record[:32].hex(),
    }


def _drawn(table: Table[Any]) -> int:
    ours = table._ours
    assert ours is not None
    assert isinstance(ours.rng, Chance)
    return ours.rng.drawn


def entries() -> Json:
    """entries.json"""
    found: dict[str, Json] = {}
    for setting in SETTINGS:
        tables = setting.tables()
        play(setting, tables)
        for entry in tables[HOST].entries:
            found.setdefault(entry.kind.name, _entry(setting, entry))
    return {
        "about": (
            "One entry of each kind, taken apart: the fields of its body in their order, "
            "'content' (what is hashed), 'head' (the hash, which is signed) and 'raw' (what is "
            "stored and sent). Values are written as in codec.json."
        ),
        "section": "12",
        "entries": [found[kind.name] for kind in Kind],
    }


def _entry(setting: Setting, entry: Entry) -> Json:
    content = entry.raw[entry.raw.index(b"\x96") : -66]  # before the head of the signature
    assert codec.encode((content, entry.signature)) == entry.raw
    return {
        "kind": entry.kind.name,
        "identity_seed": setting.identity_seed(entry.author).hex(),
        "identity": setting.identity(entry.author).public.hex(),
        "number": entry.number,
        "author": entry.author,
        "previous": entry.previous.hex(),
        "body": body_json(entry.body),
        "state": entry.state.hex(),
        "content": content.hex(),
        "head": entry.head.hex(),
        "signature": entry.signature.hex(),
        "raw": entry.raw.hex(),
    }
