"""A tiny game for the protocol's tests: it asks for everything a game can ask for.

Nine cards, three for each player, and a public order of two that says who leads.  The leader
plays a card face up, then the other does; the higher face wins.  Card 8 may not be led: an
illegality that shows only when the card does.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from protocol.game import UNKNOWN

GAME = "duel/1"
SIZE, HAND = 9, 3


class Duel:
    def __init__(self, options: bytes = b"") -> None:
        if options not in (b"", b"short"):
            raise ValueError("a duel is short or isn't")
        self.faces = [UNKNOWN] * SIZE
        self.leader = -1
        self.played: list[int] = []
        self.public: list[int] = []
        self.steps = ["order", "shuffle", "deal 0", "deal 1", "play", "show", "play", "show"]
        self.seen: list[tuple[str, Any]] = []

    @property
    def turn(self) -> int:
        return self.leader ^ (len(self.played) & 1)

    @property
    def pending(self) -> Any:
        step = self.steps[0] if self.steps else "over"
        match step.split():
            case ["order"]:
                return SimpleNamespace(kind="order", size=2, first=1)
            case ["shuffle"]:
                return SimpleNamespace(kind="shuffle", deck=0, size=SIZE, first=0)
            case ["deal", player]:
                first = int(player) * HAND
                handles = tuple(range(first, first + HAND))
                return SimpleNamespace(kind="disclose", deck=0, handles=handles, to=(int(player),))
            case ["play"]:
                first = self.turn * HAND
                actions = tuple(
                    h
                    for h in range(first, first + HAND)
                    if self.played or self.faces[h] != SIZE - 1
                )
                return SimpleNamespace(kind="choose", player=self.turn, actions=actions)
            case ["show"]:
                return SimpleNamespace(
                    kind="disclose", deck=0, handles=(self.played[-1],), to=(0, 1)
                )
        winner = self.leader ^ (self.public[1] > self.public[0])
        return SimpleNamespace(kind="over", winner=winner, reason="the higher card")

    def ordered(self, order: Sequence[int]) -> None:
        self._answer("order")
        self.leader = order[0]

    def shuffled(self) -> None:
        self._answer("shuffle")

    def act(self, action: int) -> None:
        if self.steps[:1] != ["play"] or action not in range(
            self.turn * HAND, self.turn * HAND + HAND
        ):
            raise ValueError("not a card of yours")
        self._answer("play")
        self.played.append(action)

    def disclosed(self, faces: Sequence[int]) -> None:
        handles = self.pending.handles
        if self.steps[0] == "show":
            if faces[0] == SIZE - 1 and len(self.played) == 1:
                raise ValueError("card 8 may not be led")
            self.public.append(faces[0])
        self.seen.append((self.steps.pop(0), tuple(faces)))
        for handle, face in zip(handles, faces, strict=True):
            if face != UNKNOWN:
                self.faces[handle] = face

    def public_bytes(self) -> bytes:
        return repr((len(self.steps), self.leader, self.played, self.public)).encode()

    def _answer(self, step: str) -> None:
        if self.steps[:1] != [step]:
            raise ValueError(f"{step} was not asked for")
        self.steps.pop(0)


GAMES = {GAME: Duel}
