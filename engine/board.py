"""The numbers of the game: who plays, where, and how long.

A *place* is where a card can lie and be face up or face down: Dracula's districts 0..4 are the
places 0..4, Van Helsing's are 5..9, and place 10 is the top of the draw pile.  A card stays in
place 10 while it is in the drawer's hand.
"""

from typing import Final

DRACULA: Final = 0
HELSING: Final = 1
BOTH: Final = (DRACULA, HELSING)
PLAYER_NAMES: Final = ("Dracula", "Van Helsing")

DISTRICTS: Final = 5
INHABITANTS: Final = 4
"""Humans in a district.  When all have become vampires, Dracula has won."""

STANDARD_HP: Final = 12
HANDICAPS: Final = range(11, 14)
"""Health points that Dracula may start with."""

ROUNDS: Final = 5
DISCARDS_TO_END: Final = 6
"""So many cards must lie in the discard pile before a call, and before an 8 is discarded."""

PLACES: Final = 2 * DISTRICTS
TOP: Final = PLACES
"""The place of the top card of the pile, and of the drawn card until a discard is chosen."""
PILE: Final = PLACES
"""The handle of the first card of the draw pile.  The handles before it are dealt in order."""

NONE: Final = -1
"""No player, no card or no district, where one could be."""
