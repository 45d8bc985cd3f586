"""What can be told of a game: every sentence, whole, for each of the readers it can have.

`narration` chooses among these and fills them in.
"""

from dataclasses import dataclass
from typing import Final

from engine.events import Decided, Ending, RoundEnd, Skip
from peer.speech import mark, tr

PLAYERS: Final = (mark("Dracula"), mark("Van Helsing"))
COLOUR_NAMES: Final = (mark("red"), mark("purple"), mark("yellow"), mark("blue"))
"""As the engine has them, which speaks to nobody."""


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence about a player, for each of its readers.

    `you` is for that player, `opponent` for the other, and `public` for anybody else: it may have
    the names of both filled in, `{player}` and `{other}`.
    """

    you: str
    opponent: str
    public: str

    def by(self, player: int, reader: int | None, **values: object) -> str:
        """The sentence about `player` for `reader`."""
        if reader is None:
            names = {"player": tr(PLAYERS[player]), "other": tr(PLAYERS[1 - player])}
            return tr(self.public, **names, **values)
        return tr(self.you if reader == player else self.opponent, **values)


CARDS: Final = (
    mark("red {value}"),
    mark("purple {value}"),
    mark("yellow {value}"),
    mark("blue {value}"),
)
DREW: Final = Told(
    mark("You draw a card."),
    mark("Your opponent draws a card."),
    mark("{player} draws a card."),
)
DREW_OPEN: Final = Told(
    mark("You draw the {card}, which lay face up."),
    mark("Your opponent draws the {card}, which lay face up."),
    mark("{player} draws the {card}, which lay face up."),
)
CALLED: Final = Told(
    mark("You call. Your opponent has one last turn, then the round ends."),
    mark("Your opponent calls. You have one last turn, then the round ends."),
    mark("{player} calls. {other} has one last turn, then the round ends."),
)
DISCARDED_DRAWN: Final = Told(
    mark("You discard the {card}, just drawn."),
    mark("Your opponent discards the {card}, just drawn."),
    mark("{player} discards the {card}, just drawn."),
)
DISCARDED: Final = Told(
    mark("You discard the {card} from district {district}."),
    mark("Your opponent discards the {card} from district {district}."),
    mark("{player} discards the {card} from district {district}."),
)
REVEALED: Final = Told(
    mark("Effect 1: you turn up the {card} in district {district}."),
    mark("Effect 1: your opponent turns up the {card} in district {district}."),
    mark("Effect 1: {player} turns up the {card} in district {district}."),
)
EXPOSED: Final = Told(
    mark("Effect 3: you turn up your opponent's {card} in district {district}."),
    mark("Effect 3: your opponent turns up your {card} in district {district}."),
    mark("Effect 3: {player} turns up {other}'s {card} in district {district}."),
)
SWAPPED: Final = Told(
    mark("Effect 4: your cards in districts {first} and {second} change places."),
    mark("Effect 4: your opponent's cards in districts {first} and {second} change places."),
    mark("Effect 4: {player}'s cards in districts {first} and {second} change places."),
)
EXTRA: Final = Told(
    mark("Effect 5: you have another turn."),
    mark("Effect 5: your opponent has another turn."),
    mark("Effect 5: {player} has another turn."),
)
EXCHANGED: Final = Told(
    mark("Effect 6, district {district}: you get the {dracula}, your opponent the {helsing}."),
    mark("Effect 6, district {district}: your opponent gets the {dracula}, you the {helsing}."),
    mark("Effect 6, district {district}: {player} gets the {dracula}, {other} the {helsing}."),
)
SKIPPED: Final = {
    Skip.ALL_FACE_UP: mark("Effect {value} is skipped: all five cards are face up already."),
    Skip.PILE_EMPTY: mark("Effect {value} is skipped: the draw pile is empty."),
}
ROUND_ENDED: Final = {
    RoundEnd.EIGHT: mark("Round {round} ends: an 8 was discarded."),
    RoundEnd.PILE_EMPTY: mark("Round {round} ends: the draw pile is empty."),
    RoundEnd.CALLED: mark("Round {round} ends: the last turn after a call is over."),
}
BEATS: Final = {
    Decided.TRUMP: Told(
        mark(
            "District {district}: your {best} beats your opponent's {beaten}: "
            "{colour} is the trump."
        ),
        mark(
            "District {district}: your opponent's {best} beats your {beaten}: "
            "{colour} is the trump."
        ),
        mark(
            "District {district}: {player}'s {best} beats {other}'s {beaten}: "
            "{colour} is the trump."
        ),
    ),
    Decided.VALUE: Told(
        mark(
            "District {district}: your {best} beats your opponent's {beaten}: "
            "{value} is more than {less}."
        ),
        mark(
            "District {district}: your opponent's {best} beats your {beaten}: "
            "{value} is more than {less}."
        ),
        mark(
            "District {district}: {player}'s {best} beats {other}'s {beaten}: "
            "{value} is more than {less}."
        ),
    ),
    Decided.RANK: Told(
        mark(
            "District {district}: your {best} beats your opponent's {beaten}: "
            "{colour} ranks above {lower}."
        ),
        mark(
            "District {district}: your opponent's {best} beats your {beaten}: "
            "{colour} ranks above {lower}."
        ),
        mark(
            "District {district}: {player}'s {best} beats {other}'s {beaten}: "
            "{colour} ranks above {lower}."
        ),
    ),
}
LOST_HEALTH: Final = Told(
    mark("You lose 1 health point ({hp} left)."),
    mark("Your opponent loses 1 health point ({hp} left)."),
    mark("{player} loses 1 health point ({hp} left)."),
)
WON: Final = {
    Ending.FOUR_VAMPIRES: Told(
        mark("You win: four vampires live in one district."),
        mark("Your opponent wins: four vampires live in one district."),
        mark("{player} wins: four vampires live in one district."),
    ),
    Ending.NO_HEALTH: Told(
        mark("You win: Dracula has no health points left."),
        mark("Your opponent wins: Dracula has no health points left."),
        mark("{player} wins: Dracula has no health points left."),
    ),
    Ending.FIVE_ROUNDS: Told(
        mark("You win: Dracula has survived five rounds."),
        mark("Your opponent wins: Dracula has survived five rounds."),
        mark("{player} wins: Dracula has survived five rounds."),
    ),
}
RESIGNED: Final = Told(
    mark("You resign: your opponent wins."),
    mark("Your opponent resigns: you win."),
    mark("{player} resigns: {other} wins."),
)
WON_SOMEHOW: Final = Told(
    mark("You win: {reason}."),
    mark("Your opponent wins: {reason}."),
    mark("{player} wins: {reason}."),
)
ENDINGS: Final = {ending.value: ending for ending in Ending}
AGREED: Final = "both agreed to end it without a winner"
"""How a record says it: the reason of a result is English, whoever reads it."""
