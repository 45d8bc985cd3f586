"""What a state is waiting for.  The numbers are part of the public bytes."""

from enum import IntEnum, unique
from typing import Final


@unique
class Phase(IntEnum):
    """One member for each kind of thing that can be pending."""

    ORDER = 0
    """The ranking of the colours."""
    SHUFFLE = 1
    """The deck of the round."""
    DEAL_HELSING = 2
    """Van Helsing's five cards, shown to him."""
    DEAL_DRACULA = 3
    """Dracula's five cards, shown to him."""
    TURN = 4
    """The choice between drawing and calling."""
    DRAWING = 5
    """The drawn card, shown to the player."""
    DISCARDING = 6
    """The choice of the card to discard."""
    DISCARDED = 7
    """The discarded card, shown to both."""
    EFFECT = 8
    """The choice of a target for the effect of the card just discarded."""
    SHOWING = 9
    """What that effect has turned up or exchanged, shown to both."""
    SHOWDOWN_DRACULA = 10
    """Dracula's cards at the end of a round, shown to both."""
    SHOWDOWN_HELSING = 11
    """Van Helsing's cards at the end of a round, shown to both."""
    OVER = 12
    """Nothing any more."""


# Names of their own, because a global is found faster than a member of an enumeration.
ORDER: Final = Phase.ORDER
SHUFFLE: Final = Phase.SHUFFLE
DEAL_HELSING: Final = Phase.DEAL_HELSING
DEAL_DRACULA: Final = Phase.DEAL_DRACULA
TURN: Final = Phase.TURN
DRAWING: Final = Phase.DRAWING
DISCARDING: Final = Phase.DISCARDING
DISCARDED: Final = Phase.DISCARDED
EFFECT: Final = Phase.EFFECT
SHOWING: Final = Phase.SHOWING
SHOWDOWN_DRACULA: Final = Phase.SHOWDOWN_DRACULA
SHOWDOWN_HELSING: Final = Phase.SHOWDOWN_HELSING
OVER: Final = Phase.OVER
