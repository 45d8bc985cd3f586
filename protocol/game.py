"""What the table asks of a game: an interface that any game can satisfy without importing it.

A game is a deterministic state machine over public information.  It says what it needs next
(`pending`), is given it, and says what its public state is in bytes.  It knows no network and
no cryptography; this package knows no rule.  The two meet here.

The requests are structural types told apart by `kind`, so a game brings its own classes.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

UNKNOWN = -1
"""The face of a card that the holder of this copy of the game may not see."""


class Shuffle(Protocol):
    """A fresh deck, numbered `deck`, of the cards 0..size-1; player `first` shuffles first."""

    @property
    def kind(self) -> Literal["shuffle"]: ...
    @property
    def deck(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def first(self) -> int: ...


class Order(Protocol):
    """A public random permutation of range(size); player `first` commits first."""

    @property
    def kind(self) -> Literal["order"]: ...
    @property
    def size(self) -> int: ...
    @property
    def first(self) -> int: ...


class Disclose(Protocol):
    """Show the cards at `handles` of deck `deck` to the players `to`."""

    @property
    def kind(self) -> Literal["disclose"]: ...
    @property
    def deck(self) -> int: ...
    @property
    def handles(self) -> Sequence[int]: ...
    @property
    def to(self) -> Sequence[int]: ...


class Choose(Protocol):
    """A decision of `player`, out of `actions`."""

    @property
    def kind(self) -> Literal["choose"]: ...
    @property
    def player(self) -> int: ...
    @property
    def actions(self) -> Sequence[int]: ...


class Over(Protocol):
    """The end, and who won."""

    @property
    def kind(self) -> Literal["over"]: ...
    @property
    def winner(self) -> int: ...
    @property
    def reason(self) -> str: ...


Request = Shuffle | Order | Disclose | Choose | Over


class Game(Protocol):
    """The rules of a game of two players, 0 and 1.

    Every method that takes an answer raises `ValueError`, and changes nothing, if the rules do
    not allow it; the table blames the peer whose doing it was.  `public_bytes` is equal in all
    copies of a game that were given the same public answers, whatever faces each may see.
    """

    @property
    def pending(self) -> Request: ...
    def shuffled(self) -> None: ...
    def ordered(self, order: Sequence[int]) -> None: ...
    def disclosed(self, faces: Sequence[int]) -> None: ...
    def act(self, action: int) -> None: ...
    def public_bytes(self) -> bytes: ...
