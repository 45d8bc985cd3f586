"""High card: a whole game of hidden cards for `protocol`, to show what it takes.

A deck of 20 cards, five for each player.  Player 0 puts one card on the table, then player 1 does,
who has seen it; the higher card takes the trick, and who takes it leads to the next.  Whoever has
more of the five tricks wins.
"""

from collections.abc import Sequence
from types import SimpleNamespace as Request
from typing import Any

from protocol import UNKNOWN

NAME = "high-card/1"
DECK, HAND = 20, 5


class HighCard:
    """A card is a handle: 0..4 are dealt to player 0, 5..9 to player 1."""

    def __init__(self, options: bytes = b"") -> None:
        if options:
            raise ValueError("this game has no options")
        self.faces = [UNKNOWN] * DECK  # what this copy of the game may see
        self.table: list[int] = []  # handles, in the order they were played
        self.tricks: list[int] = []  # who took each
        self.todo = ["shuffle", "deal 0", "deal 1", "choose"]

    @property
    def pending(self) -> Any:
        """What has to be answered next."""
        match self.todo[0].split():
            case ["shuffle"]:
                return Request(kind="shuffle", deck=0, size=DECK, first=0)
            case ["deal", player]:
                hand = self.hand(int(player))
                return Request(kind="disclose", deck=0, handles=hand, to=(int(player),))
            case ["choose"]:
                free = tuple(h for h in self.hand(self.turn) if h not in self.table)
                return Request(kind="choose", player=self.turn, actions=free)
            case ["show"]:
                return Request(kind="disclose", deck=0, handles=(self.table[-1],), to=(0, 1))
        winner = int(self.tricks.count(1) > self.tricks.count(0))
        return Request(kind="over", winner=winner, reason="more tricks")

    @property
    def turn(self) -> int:
        leader = self.tricks[-1] if self.tricks else 0
        return leader ^ (len(self.table) & 1)

    @staticmethod
    def hand(player: int) -> tuple[int, ...]:
        return tuple(range(HAND * player, HAND * player + HAND))

    def shuffled(self) -> None:
        self.todo.pop(0)

    def ordered(self, order: Sequence[int]) -> None:
        raise ValueError("this game asks for no order")

    def act(self, action: int) -> None:
        if action not in self.pending.actions:
            raise ValueError("not one of your cards")
        self.table.append(action)
        self.todo = ["show"]

    def disclosed(self, faces: Sequence[int]) -> None:
        for handle, face in zip(self.pending.handles, faces, strict=True):
            self.faces[handle] = face if face != UNKNOWN else self.faces[handle]
        if self.todo.pop(0) == "show":
            self.todo = ["choose"]
            if len(self.table) % 2 == 0:
                first, second = self.table[-2:]
                leader = self.tricks[-1] if self.tricks else 0
                self.tricks.append(leader ^ (self.faces[second] > self.faces[first]))
                if len(self.tricks) == HAND:
                    self.todo = ["over"]

    def public_bytes(self) -> bytes:
        public = self.table[:-1] if self.todo == ["show"] else self.table
        shown = [self.faces[handle] for handle in public]
        return repr((self.todo, self.table, self.tricks, shown)).encode()
