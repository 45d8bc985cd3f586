"""The course of a turn: draw or call, discard, effect, and whose turn is next."""

from typing import TYPE_CHECKING, Final

from engine.actions import DISCARDS, DRAW_OR_CALL, DRAWN, Actions
from engine.board import DISCARDS_TO_END, DISTRICTS, NONE, TOP
from engine.cards import DECK, VALUE
from engine.effects import begin_effect
from engine.events import Called, Discarded, Drew, RoundEnd
from engine.phases import DISCARDED, DISCARDING, DRAWING, TURN
from engine.scoring import end_round

if TYPE_CHECKING:
    from engine.state import State

_ANY_DISCARD: Final = DISCARDS[-1]
_TOP_UP: Final = 1 << TOP


def begin_turn(state: "State", player: int) -> None:
    """Start a turn of `player`.  Where a call is not allowed the card is drawn without asking."""
    state.player = player
    if state.caller == NONE and len(state.discards) >= DISCARDS_TO_END:
        state.phase = TURN
        state.actions = DRAW_OR_CALL
    else:
        draw(state)


def call(state: "State") -> None:
    """End the round after one last turn of the opponent."""
    state.caller = state.player
    if state.log is not None:
        state.log.append(Called(state.player))
    begin_turn(state, 1 - state.player)


def draw(state: "State") -> None:
    """Take the top card of the pile.  Only the drawer sees it, unless it lay face up."""
    handle = state.hand = state.top
    state.top = handle + 1
    if state.log is not None:
        state.log.append(Drew(state.player, state.public_face(handle)))
    if state.open or state.public >> handle & 1:
        ask_discard(state)
    else:
        state.wait_for(DRAWING)


def ask_discard(state: "State") -> None:
    """Let the player choose one of their six cards."""
    state.phase = DISCARDING
    state.actions = discard_options(state)


def discard_options(state: "State") -> Actions:
    """The discards that are legal as far as this copy can see: an 8 may have to wait.

    Of six cards at most four are 8s, so there are always two or more.
    """
    if len(state.discards) >= DISCARDS_TO_END:
        return _ANY_DISCARD
    faces = state.faces
    first = DISTRICTS * state.player
    allowed = 0
    for source, handle in enumerate((*state.rack[first : first + DISTRICTS], state.hand)):
        if VALUE[faces[handle]] != 8:
            allowed |= 1 << source
    return DISCARDS[allowed]


def discard(state: "State", source: int) -> None:
    """Let go of the card in the district `source`, which the drawn one takes over, or of the
    drawn card itself (`DRAWN`).

    The card waits in `hand` until its face is public: only then is it settled.
    """
    drawn_up = state.face_up & _TOP_UP
    state.face_up ^= drawn_up
    if source != DRAWN:
        place = DISTRICTS * state.player + source
        rack = state.rack
        rack[place], state.hand = state.hand, rack[place]
        if drawn_up:
            state.face_up |= 1 << place
        else:
            state.face_up &= ~(1 << place)
    if state.open or state.public >> state.hand & 1:
        settle_discard(state, source)
    else:
        state.wait_for(DISCARDED, source)


def settle_discard(state: "State", source: int) -> None:
    """Put the card on the discard pile, for all to see, and start its effect."""
    handle = state.hand
    face = state.faces[handle]
    state.hand = NONE
    state.public |= 1 << handle
    state.discards.append(handle)
    if state.log is not None:
        state.log.append(Discarded(state.player, source, face))
    if begin_effect(state, VALUE[face]):
        end_turn(state)


def end_turn(state: "State") -> None:
    """The effect is done: go on with the same player, the opponent or the end of the round."""
    value = state.last_value
    if value == 8:
        end_round(state, RoundEnd.EIGHT)
    elif state.top == DECK:
        end_round(state, RoundEnd.PILE_EMPTY)
    elif value == 5:
        begin_turn(state, state.player)
    elif state.caller != NONE:
        end_round(state, RoundEnd.CALLED)
    else:
        begin_turn(state, 1 - state.player)
