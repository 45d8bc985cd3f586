"""A game for the protocol's tests that asks for whatever a test wants: several decks, for one."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Final

NAME: Final = "scripted/1"


class Scripted:
    """A game that is nothing but a list of requests, one for each line of its options.

        shuffle SIZE FIRST | order SIZE FIRST | show DECK HANDLES TO | choose PLAYER COUNT

    as in "show 0 1,2 01".  Decks are numbered as they come.  Player 0 wins.
    """

    def __init__(self, options: bytes = b"") -> None:
        self.decks = 0
        self.requests = [self._read(line) for line in options.decode().splitlines()]
        self.requests.append(SimpleNamespace(kind="over", winner=0, reason="the end"))
        self.public: list[object] = []
        self.seen: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []

    def _read(self, line: str) -> Any:
        match line.split():
            case ["shuffle", size, first]:
                self.decks += 1
                return SimpleNamespace(
                    kind="shuffle", deck=self.decks - 1, size=int(size), first=int(first)
                )
            case ["order", size, first]:
                return SimpleNamespace(kind="order", size=int(size), first=int(first))
            case ["show", deck, handles, to]:
                return SimpleNamespace(
                    kind="disclose",
                    deck=int(deck),
                    handles=tuple(map(int, handles.split(","))),
                    to=tuple(map(int, to)),
                )
            case ["choose", player, amount]:
                return SimpleNamespace(
                    kind="choose", player=int(player), actions=tuple(range(int(amount)))
                )
        raise ValueError(f"no request: {line}")

    @property
    def pending(self) -> Any:
        return self.requests[0]

    def _answered(self, kind: str, answer: object) -> None:
        if self.pending.kind != kind:
            raise ValueError(f"{kind} was not asked for")
        self.requests.pop(0)
        self.public.append(answer)

    def shuffled(self) -> None:
        self._answered("shuffle", None)

    def ordered(self, order: Sequence[int]) -> None:
        self._answered("order", tuple(order))

    def disclosed(self, faces: Sequence[int]) -> None:
        request = self.pending
        self._answered("disclose", tuple(faces) if len(request.to) == 2 else None)
        self.seen.append((request.deck, request.handles, tuple(faces)))

    def act(self, action: int) -> None:
        if self.pending.kind != "choose" or action not in self.pending.actions:
            raise ValueError("no such action")
        self._answered("choose", action)

    def public_bytes(self) -> bytes:
        return repr(self.public).encode()


SCRIPTED: Final = {NAME: Scripted}
