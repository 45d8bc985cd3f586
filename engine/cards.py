"""The 32 cards, and which of two is the stronger.

A face is a number, colour * 8 + value - 1, so that a card costs nothing to move or compare.
"""

from itertools import permutations
from typing import Final

COLOURS: Final = ("red", "purple", "yellow", "blue")
RED: Final = 0
PURPLE: Final = 1
YELLOW: Final = 2
BLUE: Final = 3

DECK: Final = 32
UNKNOWN: Final = -1
"""The face of a card that the holder of this copy of the game may not see."""

COLOUR: Final = tuple(face // 8 for face in range(DECK))
"""The colour of each face."""

VALUE: Final = (*(face % 8 + 1 for face in range(DECK)), 0)
"""The value of each face, 1..8.  The entry too many makes `VALUE[UNKNOWN]` 0, no card's value."""

Ranking = tuple[int, ...]
"""The four colours from the strongest; the first is the trump.  Empty before it is drawn."""

RANKINGS: Final[tuple[Ranking, ...]] = tuple(permutations(range(len(COLOURS))))


def card(colour: int, value: int) -> int:
    """The face with this colour (0..3) and value (1..8)."""
    return colour * 8 + value - 1


def card_name(face: int) -> str:
    """The card as people say it: "red 8"; "unknown" for `UNKNOWN`."""
    return "unknown" if face == UNKNOWN else f"{COLOURS[COLOUR[face]]} {VALUE[face]}"


def _strength(face: int, ranking: Ranking) -> int:
    """A number that orders all cards: trumps, then values, then the rank of the colour."""
    if COLOUR[face] == ranking[0]:
        return DECK + VALUE[face]
    return VALUE[face] * len(COLOURS) - ranking.index(COLOUR[face])


STRENGTHS: Final = {
    ranking: tuple(_strength(face, ranking) for face in range(DECK)) for ranking in RANKINGS
}
"""For each ranking the strength of each face: all different, and the higher wins."""


def _promote(ranking: Ranking, colour: int) -> Ranking:
    """The ranking after `colour` and the trump have changed places."""
    exchanged = {colour: ranking[0], ranking[0]: colour}
    return tuple(exchanged.get(other, other) for other in ranking)


PROMOTIONS: Final = {
    ranking: tuple(_promote(ranking, colour) for colour in range(len(COLOURS)))
    for ranking in RANKINGS
}
"""For each ranking what it becomes when each colour is made the trump."""
