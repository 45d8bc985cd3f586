"""What a game can ask for: the whole interface between rules and the world around them.

A game never deals, never flips a coin and never looks under a card.  It says what it needs next
and is given it, by a peer that runs a cryptographic protocol, by a test that holds the whole
deck, or by a bot that imagines one.

A card is a *handle*: its position in a shuffled deck.  Its *face* may be known to everybody, to
some players or to nobody.
"""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle `size` cards; answered by `shuffled()`.

    `deck` numbers the decks of a game 0, 1, 2...; `first` is the player who shuffles first,
    which decides nothing but the number of messages.
    """

    deck: int
    size: int
    first: int
    kind: Literal["shuffle"] = field(default="shuffle", init=False)


@dataclass(frozen=True, slots=True)
class Order:
    """A public, uniformly random permutation of range(`size`); answered by `ordered()`.

    `first` is the player who commits first (see `Shuffle.first`).
    """

    size: int
    first: int
    kind: Literal["order"] = field(default="order", init=False)


@dataclass(frozen=True, slots=True)
class Disclose:
    """Show the faces of `handles` of deck number `deck` to the players `to`.

    Answered by `disclosed()` with one face a handle; a copy of the game that may not see a face
    is given `UNKNOWN` for it.
    """

    deck: int
    handles: tuple[int, ...]
    to: tuple[int, ...]
    kind: Literal["disclose"] = field(default="disclose", init=False)


@dataclass(frozen=True, slots=True)
class Choose:
    """`player` decides for one of `actions`, in ascending order, never empty.

    Where legality depends on a face that this copy of the game may not see, the action is
    listed; if it turns out illegal, `disclosed()` raises.
    """

    player: int
    actions: tuple[int, ...]
    kind: Literal["choose"] = field(default="choose", init=False)


@dataclass(frozen=True, slots=True)
class Over:
    """The game has ended: `winner`, and the rule that ended it in a short sentence."""

    winner: int
    reason: str
    kind: Literal["over"] = field(default="over", init=False)


Request = Shuffle | Order | Disclose | Choose | Over
