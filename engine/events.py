"""What has happened, in public: for telling the story of a game and for moving its pieces.

A state whose `log` is a list appends these to it, in the order of play.  They hold nothing that
is not public, so all copies of a game write the same log.  Districts are 0..4, faces card
numbers, players 0 and 1.
"""

from dataclasses import dataclass
from enum import Enum

from engine.cards import Ranking


class Skip(Enum):
    """Why an effect did nothing."""

    ALL_FACE_UP = "all five cards are face up already"
    PILE_EMPTY = "the draw pile is empty"


class RoundEnd(Enum):
    """Why a round has ended."""

    EIGHT = "an 8 was discarded"
    PILE_EMPTY = "the draw pile is empty"
    CALLED = "the last turn after a call is over"


class Decided(Enum):
    """What decided a district."""

    TRUMP = "a trump beats any other colour"
    VALUE = "the higher value wins"
    RANK = "equal values, the higher colour wins"


class Ending(Enum):
    """The rule that ended the game."""

    FOUR_VAMPIRES = "four vampires live in one district"
    NO_HEALTH = "Dracula has no health points left"
    FIVE_ROUNDS = "Dracula has survived five rounds"


@dataclass(frozen=True, slots=True)
class RankingDrawn:
    """The colours were ranked, once a game; the first of `ranking` is the trump."""

    ranking: Ranking


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """The deck of round `number` (0..4) was shuffled and dealt."""

    number: int


@dataclass(frozen=True, slots=True)
class Drew:
    """`player` took the top card of the pile; `face` is `UNKNOWN` unless it lay face up."""

    player: int
    face: int


@dataclass(frozen=True, slots=True)
class Called:
    """`player` called: the opponent has one last turn."""

    player: int


@dataclass(frozen=True, slots=True)
class Discarded:
    """`player` discarded the card `face` from district `source`, or the drawn one (5)."""

    player: int
    source: int
    face: int


@dataclass(frozen=True, slots=True)
class Revealed:
    """Effect 1: `player` turned up their own card, `face`, in `district`."""

    player: int
    district: int
    face: int


@dataclass(frozen=True, slots=True)
class TopTurned:
    """Effect 2: `player` turned up the top card of the pile, `face`."""

    player: int
    face: int


@dataclass(frozen=True, slots=True)
class Exposed:
    """Effect 3: `player` turned up the opponent's card, `face`, in `district`."""

    player: int
    district: int
    face: int


@dataclass(frozen=True, slots=True)
class Swapped:
    """Effect 4: `player` exchanged their own cards in the districts `first` and `second`."""

    player: int
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class ExtraTurn:
    """Effect 5: `player` has another turn."""

    player: int


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Effect 6, by `player`: Dracula now has the card `dracula` in `district`, Van Helsing
    `helsing`.  Both players know both cards, even where they lie face down.
    """

    player: int
    district: int
    dracula: int
    helsing: int


@dataclass(frozen=True, slots=True)
class TrumpChanged:
    """Effect 7: `player` exchanged the trump; the colours now rank as in `ranking`."""

    player: int
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class EffectSkipped:
    """The effect of the card of this `value`, discarded by `player`, was impossible."""

    player: int
    value: int
    why: Skip


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """Round `number` (0..4) is over; the districts are resolved next."""

    number: int
    why: RoundEnd


@dataclass(frozen=True, slots=True)
class DistrictScored:
    """`winner` won `district`, with the card `dracula` against `helsing`, by the rule `why`.

    `vampires` live there now, and Dracula has `hp` health points: one of the two has changed.
    """

    district: int
    dracula: int
    helsing: int
    winner: int
    why: Decided
    vampires: int
    hp: int


@dataclass(frozen=True, slots=True)
class GameOver:
    """`winner` has won."""

    winner: int
    why: Ending


Event = (
    RankingDrawn
    | RoundStarted
    | Drew
    | Called
    | Discarded
    | Revealed
    | TopTurned
    | Exposed
    | Swapped
    | ExtraTurn
    | Exchanged
    | TrumpChanged
    | EffectSkipped
    | RoundEnded
    | DistrictScored
    | GameOver
)
