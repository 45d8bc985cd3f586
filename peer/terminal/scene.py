"""A position as one player sees it, sorted for drawing or for telling.

It is made from a view and holds nothing that the view does not show.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from engine.board import BOTH, DISTRICTS, NONE, TOP
from engine.cards import DECK, UNKNOWN
from engine.phases import DISCARDED, OVER, TURN
from engine.state import State
from peer.speech import mark, tr


class Lies(Enum):
    """How a card lies before us."""

    HIDDEN = "hidden"
    """Face down, and only its owner knows it."""
    KNOWN = "both know"
    """Face down, and yet both players know it, since an exchange."""
    UP = "face up"


@dataclass(frozen=True, slots=True)
class Spot:
    """A card on the table: its face, or `UNKNOWN`, and how it lies."""

    face: int
    lies: Lies


@dataclass(frozen=True, slots=True)
class Scene:
    """What `player` sees.  `racks` are Dracula's and Van Helsing's; `drawn` is the card in hand."""

    view: State
    player: int
    racks: tuple[tuple[Spot, ...], ...]
    drawn: Spot | None
    top: Spot | None
    pile: int
    discards: tuple[int, ...]

    @classmethod
    def of(cls, view: State, player: int) -> "Scene":
        """The scene of `view`, which `player` sees: what they may not know must not be in it."""
        racks = tuple(
            tuple(
                _spot(view, view.rack[place], place)
                for place in range(DISTRICTS * owner, DISTRICTS * (owner + 1))
            )
            for owner in BOTH
        )
        drawn = None if view.hand == NONE else _spot(view, view.hand, TOP)
        top = None
        if view.top < DECK:
            is_up = drawn is None and view.face_up >> TOP & 1
            top = _spot(view, view.top, TOP) if is_up else Spot(UNKNOWN, Lies.HIDDEN)
        return cls(
            view,
            player,
            racks,
            drawn,
            top,
            DECK - view.top,
            tuple(view.faces[handle] for handle in view.discards),
        )

    @property
    def has_drawn(self) -> bool:
        """Whether the card in hand is a drawn one, not one on its way to the discard pile."""
        return self.drawn is not None and self.view.phase is not DISCARDED

    def moment(self) -> str:
        """Whose turn it is, and whether it is the last, in a few words."""
        view = self.view
        if view.phase is OVER:
            return tr("the game is over")
        if view.phase < TURN:
            return tr("the cards are dealt")
        turn, last = _TURNS[view.player == self.player]
        return tr(turn if view.caller == NONE else last)


_TURNS: Final = {
    True: (mark("your turn"), mark("your last turn")),
    False: (mark("your opponent's turn"), mark("your opponent's last turn")),
}


def _spot(view: State, handle: int, place: int) -> Spot:
    """The card `handle` at `place`; a known card that is not up is known to one or to both."""
    if view.face_up >> place & 1:
        return Spot(view.faces[handle], Lies.UP)
    lies = Lies.KNOWN if view.public >> handle & 1 else Lies.HIDDEN
    return Spot(view.faces[handle], lies)
