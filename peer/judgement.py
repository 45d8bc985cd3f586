"""What a position is worth to a player: the chance to win the game, roughly.

Each district is judged alone: who wins it is certain if both cards are known, else it follows
from the cards that could lie there.  What a round's outcome is worth is then computed to the end
of the game, as if every district of the rounds to come were a toss of a coin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import exp
from typing import Final

from engine.board import DISTRICTS, DRACULA, INHABITANTS, PILE, ROUNDS
from engine.cards import DECK, STRENGTHS, UNKNOWN, Ranking
from engine.state import State

_OUTCOMES: Final = tuple(product((False, True), repeat=DISTRICTS))
"""For each outcome of a round, whether Dracula wins each district."""


@cache
def outlooks(number: int, hp: int, vampires: tuple[int, ...]) -> tuple[float, ...]:
    """For each of the 32 outcomes of round `number`, the chance that Dracula wins the game."""
    return tuple(_after(number, hp, list(vampires), outcome) for outcome in _OUTCOMES)


def _after(number: int, hp: int, vampires: list[int], outcome: tuple[bool, ...]) -> float:
    for district, bitten in enumerate(outcome):
        if bitten:
            vampires[district] += 1
            if vampires[district] == INHABITANTS:
                return 1.0
        else:
            hp -= 1
            if hp == 0:
                return 0.0
    if number + 1 == ROUNDS:
        return 1.0
    # The order of the districts hardly matters in the rounds to come.
    values = outlooks(number + 1, hp, tuple(sorted(vampires)))
    return sum(values) / len(values)


def outlook(state: State, player: int, chances: Sequence[float]) -> float:
    """The chance that `player` wins the game, who wins each district with these chances now."""
    values: Sequence[float] = outlooks(state.round, state.hp, tuple(state.vampires))
    for chance in chances:
        # Dracula loses the first half of the outcomes that are left, and wins the second.
        bitten = chance if player == DRACULA else 1.0 - chance
        half = len(values) // 2
        values = [
            lost + bitten * (won - lost)
            for lost, won in zip(values[:half], values[half:], strict=True)
        ]
    return values[0] if player == DRACULA else 1.0 - values[0]


@dataclass(frozen=True, slots=True)
class Layout:
    """Which cards lie in the districts, and how the colours rank.

    `mine` are faces, `theirs` handles: of an unknown card, that is all there is to know.
    """

    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    ranking: Ranking


KEPT: Final = 0.5
"""How much better a card is likely to be that the opponent drew and kept, unseen."""
DEALT: Final = 0.3
"""The same for a card that they were dealt and still have, for each card discarded since."""


class Judge:
    """Judges what may come of `view`, a closed copy that sees what `player` knows."""

    def __init__(self, view: State, player: int) -> None:
        self._view: Final = view
        self._player: Final = player
        self._faces: Final = view.faces
        self._unseen: Final = frozenset(range(DECK)).difference(view.faces)
        self._beaten: Final[dict[tuple[Ranking, bool], dict[int, float]]] = {}

    def layout(self) -> Layout:
        """The cards as they lie."""
        rack = tuple(self._view.rack)
        first = DISTRICTS * self._player
        other = DISTRICTS - first
        return Layout(
            tuple(self._faces[handle] for handle in rack[first : first + DISTRICTS]),
            rack[other : other + DISTRICTS],
            self._view.ranking,
        )

    def is_public(self, face: int) -> bool:
        """Whether everybody knows where the card `face` lies."""
        return self._view.public >> self._faces.index(face) & 1 == 1

    def chances(self, layout: Layout) -> list[float]:
        """For each district, the chance that `player` wins it if the round ends now."""
        strength = STRENGTHS[layout.ranking]
        result = []
        for mine, handle in zip(layout.mine, layout.theirs, strict=True):
            theirs = self._faces[handle]
            if theirs == UNKNOWN:
                result.append(self._beats(layout.ranking, handle >= PILE)[mine])
            else:
                result.append(float(strength[mine] > strength[theirs]))
        return result

    def _beats(self, ranking: Ranking, kept: bool) -> dict[int, float]:
        """For each face the chance that it beats an unknown card."""
        table = self._beaten.get((ranking, kept))
        if table is None:
            table = self._beaten[ranking, kept] = self._count(ranking, kept)
        return table

    def _count(self, ranking: Ranking, kept: bool) -> dict[int, float]:
        """From the weakest card to the strongest, add up how likely each lies there."""
        taste = KEPT if kept else DEALT * len(self._view.discards)
        table = {}
        weaker = 0
        weight = 0.0
        for face in sorted(range(DECK), key=STRENGTHS[ranking].__getitem__):
            table[face] = weight
            if face in self._unseen:
                weight += exp(taste * weaker / len(self._unseen))
                weaker += 1
        return {face: below / weight for face, below in table.items()}
