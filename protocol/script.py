"""Who speaks next, and with what: the whole order of a game as one table.

At every moment exactly one side may add an entry to the record.  The opening, and everything
that a game can ask for, is a script of one to three entries with a leading side.

    opening    the host leads
    seats      the host leads; only where a coin decides who plays whom
    order      the game says who leads
    shuffle    the game says who leads
    disclose   whoever spoke last leads; a side that owes no share is left out
    choose     the player who decides
    over       the winner leads; without one, the host

Besides, from the end of the opening until the game is over, a side that may speak may instead

    RESIGN     what is due then is "over";
    PROPOSE    to end the game without a winner: what is due next is "proposal", and after a 0 in
               REPLY what was due before; after a 1 it is "over".  Once between two ACTs.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from protocol.entries import Kind

HOST: Final = 0
GUEST: Final = 1
SIDE_NAMES: Final = ("the host", "the guest")

LEAD: Final = 0
FOLLOW: Final = 1

SCRIPTS: Final[Mapping[str, tuple[tuple[int, Kind], ...]]] = {
    "opening": ((LEAD, Kind.OFFER), (FOLLOW, Kind.ACCEPT), (LEAD, Kind.KEY)),
    "seats": ((LEAD, Kind.COMMIT), (FOLLOW, Kind.ANSWER), (LEAD, Kind.OPEN)),
    "order": ((LEAD, Kind.COMMIT), (FOLLOW, Kind.ANSWER), (LEAD, Kind.OPEN)),
    "shuffle": ((LEAD, Kind.SHUFFLE), (FOLLOW, Kind.SHUFFLE)),
    "disclose": ((LEAD, Kind.SHARE), (FOLLOW, Kind.SHARE)),
    "choose": ((LEAD, Kind.ACT),),
    "proposal": ((FOLLOW, Kind.REPLY),),
    "over": ((LEAD, Kind.UNSEAL), (FOLLOW, Kind.UNSEAL)),
}


class Step(NamedTuple):
    """One entry that is due: whose it is, and of what kind."""

    side: int
    kind: Kind

    def __str__(self) -> str:
        return f"{self.kind.name} of {SIDE_NAMES[self.side]}"


def script(name: str, lead: int) -> list[Step]:
    """The steps of one of `SCRIPTS`, led by side `lead`."""
    return [Step(lead ^ part, kind) for part, kind in SCRIPTS[name]]
