"""Mental poker between two sides, as a library: cards, keys, proofs and a signed record.

Give `Table` a game (anything that satisfies `Game`) and carry its entries to the other side; the
rest of the package is how that is done.  Nothing here reads a socket, a clock, a file or a random
source of its own.

    table = Table(games, Ours(identity, seed, secrets.token_bytes, terms=Terms("my-game/1")))
    while table.turn is not Turn.DONE:
        match table.turn:
            case Turn.SPEAK:
                send(table.speak().raw)
            case Turn.DECIDE:
                send(table.act(choose(table.game)).raw)
            case Turn.WAIT:
                table.receive(next_entry())

`spec/protocol.md` has every byte of it.
"""

from protocol.course import Ours, Result, Terms
from protocol.entries import Entry, Kind
from protocol.errors import (
    Fault,
    IncompatibleError,
    InvalidError,
    LocalProtocolError,
    LostEntriesError,
    ProtocolError,
    RemoteProtocolError,
)
from protocol.game import UNKNOWN, Game
from protocol.identity import Identity, fingerprint
from protocol.record import Record, read_record, write_record
from protocol.table import Table, Turn

__all__ = [
    "Table",
    "Turn",
    "Ours",
    "Terms",
    "Result",
    "Game",
    "UNKNOWN",
    "Identity",
    "fingerprint",
    "Entry",
    "Kind",
    "Record",
    "read_record",
    "write_record",
    "ProtocolError",
    "LocalProtocolError",
    "InvalidError",
    "RemoteProtocolError",
    "IncompatibleError",
    "LostEntriesError",
    "Fault",
]
