"""What holds of every position, whichever way it was reached: the guard against hostile bytes."""

from typing import TYPE_CHECKING, Final

from engine.board import (
    DISCARDS_TO_END,
    DISTRICTS,
    DRACULA,
    INHABITANTS,
    NONE,
    PILE,
    PLACES,
    ROUNDS,
)
from engine.cards import DECK
from engine.disclosures import wanted
from engine.effects import effect_options
from engine.errors import MalformedStateError
from engine.phases import DISCARDED, DISCARDING, DRAWING, ORDER, OVER, SHOWING, Phase
from engine.scoring import hidden_handles

if TYPE_CHECKING:
    from engine.state import State


def check_consistent(state: "State") -> None:
    """Raise `MalformedStateError` unless play can go on from `state` by the rules.

    Every field must be within its range already.
    """
    for holds, rule in _RULES:
        if not holds(state):
            raise MalformedStateError(f"the state breaks a rule: {rule}")


def _has_every_card_once(state: "State") -> bool:
    moved = [*state.rack, *state.discards]
    if state.phase in (DRAWING, DISCARDING, DISCARDED):
        moved.append(state.hand)
    elif state.hand != NONE:
        return False
    return sorted(moved) == list(range(state.top))


def _has_its_target(state: "State") -> bool:
    value = state.last_value if state.discards else 0
    match state.phase:
        case Phase.DISCARDED:
            return state.target != NONE
        case Phase.SHOWING if value == 2:
            return state.target == NONE and state.top < DECK
        case Phase.SHOWING:
            return value in (1, 3, 6) and state.target in range(DISTRICTS)
        case Phase.EFFECT:
            return value in (1, 3, 4, 6, 7) and state.target == NONE
        case _:
            return state.target == NONE


def _shows_what_is_public(state: "State") -> bool:
    top = state.top if state.hand == NONE else state.hand
    face_up = [h for place, h in enumerate((*state.rack, top)) if state.face_up >> place & 1]
    must_be_public = {*state.discards, *face_up}
    if state.phase is SHOWING:
        must_be_public.difference_update(wanted(state)[0])
    public = {handle for handle in range(DECK) if state.public >> handle & 1}
    faces = [state.faces[handle] for handle in public]
    return (
        len(set(faces)) == len(faces)
        and must_be_public <= public
        and public <= {*state.rack, *must_be_public}
    )


def _fits_its_phase(state: "State") -> bool:
    phase = state.phase
    if (phase is ORDER) != (state.ranking == ()):
        return False
    match phase:
        case Phase.ORDER:
            return state.round == 0 and _is_untouched(state)
        case Phase.DEAL_HELSING | Phase.DEAL_DRACULA:
            return _is_untouched(state)
        case Phase.SHUFFLE if state.round == 0:
            return _is_untouched(state)
        case Phase.SHUFFLE | Phase.OVER:
            return all(state.public >> handle & 1 for handle in state.rack)
        case Phase.TURN:
            may_call = len(state.discards) >= DISCARDS_TO_END and state.caller == NONE
            return may_call and state.top < DECK
        case Phase.DRAWING | Phase.DISCARDED:
            return not state.public >> state.hand & 1
        case Phase.DISCARDING:
            return True
        case Phase.EFFECT:
            return len(effect_options(state)) > 1
        case Phase.SHOWDOWN_HELSING if hidden_handles(state, DRACULA):
            return False
        case _:
            return bool(wanted(state)[0])


def _is_untouched(state: "State") -> bool:
    return (
        state.top == PILE
        and state.rack == list(range(PLACES))
        and (state.player, state.caller) == (DRACULA, NONE)
        and not state.face_up
        and not state.public
    )


def _is_scored(state: "State") -> bool:
    resolved = sum(state.vampires) + state.start_hp - state.hp
    decided = state.hp == 0 or INHABITANTS in state.vampires
    before = DISTRICTS * state.round
    if state.phase is not OVER:
        return resolved == before and not decided
    last = before + DISTRICTS
    return before < resolved <= last and (decided or resolved == DISTRICTS * ROUNDS)


_RULES: Final = (
    (_has_every_card_once, "each card lies in one place, and the pile is what is left"),
    (_has_its_target, "a discard or an effect being shown has a target, nothing else has"),
    (_shows_what_is_public, "public is what lies open or was exchanged, each face once"),
    (_fits_its_phase, "what is pending follows from the position"),
    (_is_scored, "each district resolved costs a human or a health point"),
)
"""In this order, for each relies on those before it."""
