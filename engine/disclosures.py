"""Cards that are to be shown: which, to whom, and what follows when they are.

A state never looks under a card.  It asks, and a copy of the game that may see the face is given
it.  Here the answer is checked, completely before anything changes.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from engine.board import BOTH, DISCARDS_TO_END, DISTRICTS, DRACULA, HELSING, NONE
from engine.cards import DECK, UNKNOWN, VALUE
from engine.effects import conclude, shown_handles
from engine.errors import IllegalActionError, InvalidAnswerError, UnexpectedAnswerError
from engine.phases import (
    DEAL_DRACULA,
    DEAL_HELSING,
    DISCARDED,
    DRAWING,
    SHOWDOWN_DRACULA,
    SHOWDOWN_HELSING,
    SHOWING,
    Phase,
)
from engine.scoring import hidden_handles, show_racks
from engine.turns import ask_discard, begin_turn, end_turn, settle_discard

if TYPE_CHECKING:
    from engine.state import State

_DEALT: Final = (tuple(range(DISTRICTS)), tuple(range(DISTRICTS, 2 * DISTRICTS)))
"""For each player the handles of the cards they are dealt."""


def wanted(state: "State") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The handles that are to be disclosed now, and the players to whom; ((), ()) if none."""
    match state.phase:
        case Phase.DEAL_HELSING:
            return _DEALT[HELSING], (HELSING,)
        case Phase.DEAL_DRACULA:
            return _DEALT[DRACULA], (DRACULA,)
        case Phase.DRAWING:
            return (state.hand,), (state.player,)
        case Phase.DISCARDED:
            return (state.hand,), BOTH
        case Phase.SHOWING:
            hidden = (
                handle
                for handle in shown_handles(state, state.target)
                if not state.public >> handle & 1
            )
            return tuple(hidden), BOTH
        case Phase.SHOWDOWN_DRACULA:
            return hidden_handles(state, DRACULA), BOTH
        case Phase.SHOWDOWN_HELSING:
            return hidden_handles(state, HELSING), BOTH
        case _:
            return (), ()


def disclose(state: "State", faces: Sequence[int]) -> None:
    """Take one face for each handle that is wanted, and go on with the game.

    Raises, and changes nothing:
        UnexpectedAnswerError: no disclosure is pending.
        InvalidAnswerError: the number of faces is wrong, one is none of the 32, or is already
            seen elsewhere, or is not the one this copy saw at this handle before, or `UNKNOWN`
            stands for a card that everybody sees or for some of the cards only.
        IllegalActionError: an 8 was discarded too early.
    """
    handles, to = wanted(state)
    if not handles:
        raise UnexpectedAnswerError(f"faces were given, but the game waits for {state.phase.name}")
    merged = _merge(state.faces, handles, faces, may_be_unknown=to != BOTH)
    if state.phase is DISCARDED and VALUE[faces[0]] == 8 and len(state.discards) < DISCARDS_TO_END:
        raise IllegalActionError(
            f"an 8 was discarded onto {len(state.discards)} cards; it takes {DISCARDS_TO_END}"
        )
    state.faces = merged
    if to == BOTH:
        for handle in handles:
            state.public |= 1 << handle
    target, state.target = state.target, NONE
    _CONTINUE[state.phase](state, target)


def _merge(
    known: tuple[int, ...], handles: Sequence[int], faces: Sequence[int], *, may_be_unknown: bool
) -> tuple[int, ...]:
    """`known` with `faces` at `handles`, or `InvalidAnswerError`.  Messages name no face."""
    if len(faces) != len(handles):
        raise InvalidAnswerError(f"{len(handles)} faces were expected, not {len(faces)}")
    if may_be_unknown and all(face == UNKNOWN for face in faces):
        return known
    merged = list(known)
    for handle, face in zip(handles, faces, strict=True):
        if face not in range(DECK):
            raise InvalidAnswerError(f"handle {handle} needs a face 0 to {DECK - 1}")
        if merged[handle] not in (UNKNOWN, face):
            raise InvalidAnswerError(f"handle {handle} was seen before, with another face")
        merged[handle] = UNKNOWN
        if face in merged:
            raise InvalidAnswerError(f"handle {handle} shows a card that is seen elsewhere")
        merged[handle] = face
    return tuple(merged)


def _finish_effect(state: "State", target: int) -> None:
    conclude(state, target)
    end_turn(state)


_CONTINUE: Final[dict[Phase, Callable[["State", int], None]]] = {
    DEAL_HELSING: lambda state, _: state.wait_for(DEAL_DRACULA),
    DEAL_DRACULA: lambda state, _: begin_turn(state, DRACULA),
    DRAWING: lambda state, _: ask_discard(state),
    DISCARDED: settle_discard,
    SHOWING: _finish_effect,
    SHOWDOWN_DRACULA: lambda state, _: show_racks(state),
    SHOWDOWN_HELSING: lambda state, _: show_racks(state),
}
"""What follows each disclosure, given the district it was about."""
