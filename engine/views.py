"""Who knows which cards: a player's view of a game, and the games that look the same to them.

A player knows what is public and what lies in front of them.  Nothing else is ever learnt: a card
that leaves a rack is discarded or exchanged, and so becomes public.
"""

from random import Random
from typing import TYPE_CHECKING, TypeVar

from engine.actions import DRAW_OR_CALL, Actions
from engine.board import DISTRICTS, HELSING, NONE
from engine.cards import DECK, UNKNOWN
from engine.effects import effect_options
from engine.errors import UnexpectedAnswerError
from engine.phases import (
    DEAL_DRACULA,
    DEAL_HELSING,
    DISCARDING,
    DRAWING,
    EFFECT,
    ORDER,
    OVER,
    SHUFFLE,
    TURN,
)
from engine.turns import discard_options

if TYPE_CHECKING:
    from engine.state import State

S = TypeVar("S", bound="State")


def known(state: "State", player: int) -> int:
    """The mask of the handles whose faces `player` knows."""
    mask = state.public
    if _has_seen_rack(state, player):
        first = DISTRICTS * player
        for handle in state.rack[first : first + DISTRICTS]:
            mask |= 1 << handle
    if state.hand != NONE and state.player == player and state.phase is not DRAWING:
        mask |= 1 << state.hand
    return mask


def _has_seen_rack(state: "State", player: int) -> bool:
    """Whether the cards dealt to `player` were shown to them: before the deal nothing is."""
    if state.phase is DEAL_DRACULA:
        return player == HELSING
    return state.phase not in (ORDER, DEAL_HELSING) and not (
        state.phase is SHUFFLE and state.round == 0
    )


def options(state: "State") -> Actions:
    """The actions of the player who is to choose, as far as this copy can see."""
    if state.phase is TURN:
        return DRAW_OR_CALL
    if state.phase is DISCARDING:
        return discard_options(state)
    return effect_options(state) if state.phase is EFFECT else ()


def view(state: S, player: int) -> S:
    """A closed copy that sees what `player` knows and nothing else."""
    copy = state.clone()
    copy.faces = _seen(state.faces, known(state, player))
    copy.open = False
    copy.actions = options(copy)
    return copy


def determinize(state: S, rng: Random, player: int) -> S:
    """An open copy in which `player` knows what they know here, and all other cards are random.

    Every arrangement of the cards that `player` does not know is equally likely, whatever else
    this copy sees.

    Raises `UnexpectedAnswerError` if a disclosure is pending, for then nobody is to choose, or if
    this copy doesn't see the cards that `player` knows.
    """
    if not (state.actions or state.phase in (ORDER, SHUFFLE, OVER)):
        raise UnexpectedAnswerError(f"the game waits for {state.phase.name}, not for a decision")
    mask = known(state, player)
    faces = list(_seen(state.faces, mask))
    hidden = [handle for handle, face in enumerate(faces) if face == UNKNOWN]
    if len(hidden) + mask.bit_count() != DECK:
        raise UnexpectedAnswerError(f"this copy does not see all that player {player} knows")
    missing = list(set(range(DECK)).difference(faces))
    rng.shuffle(missing)
    for handle, face in zip(hidden, missing, strict=True):
        faces[handle] = face
    copy = state.clone()
    copy.faces = tuple(faces)
    copy.open = True
    copy.actions = options(copy)
    return copy


def _seen(faces: tuple[int, ...], mask: int) -> tuple[int, ...]:
    return tuple(face if mask >> handle & 1 else UNKNOWN for handle, face in enumerate(faces))
