"""The eight effects of a discarded card.  None is optional; one that is impossible is skipped.

Every function that carries out an effect returns whether it is done.  It is not done while the
state waits for a choice of the player or for a face to become public.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from engine.actions import (
    EXCHANGES,
    EXPOSES,
    PAIRS,
    REVEAL,
    REVEALS,
    SWAPS,
    TRUMPS,
    Actions,
)
from engine.board import DISTRICTS, NONE, TOP
from engine.cards import COLOURS, DECK, PROMOTIONS
from engine.events import (
    EffectSkipped,
    Event,
    Exchanged,
    Exposed,
    ExtraTurn,
    Revealed,
    Skip,
    Swapped,
    TopTurned,
    TrumpChanged,
)
from engine.phases import EFFECT, SHOWING

if TYPE_CHECKING:
    from engine.state import State

_RACK: Final = (1 << DISTRICTS) - 1


def begin_effect(state: "State", value: int) -> bool:
    """Start the effect of a card of this value, just discarded by the player."""
    options = _OPTIONS.get(value)
    return _ask(state, options(state)) if options else _WITHOUT_CHOICE[value](state)


def carry_out(state: "State", action: int) -> bool:
    """Apply an effect to the target that `action` names."""
    apply, target = _CARRY_OUT[action - REVEAL]
    return apply(state, target)


def effect_options(state: "State") -> Actions:
    """The targets of the card discarded last; empty for an effect that has none to choose."""
    options = _OPTIONS.get(state.last_value)
    return options(state) if options else ()


# 1 and 3: turn up a card that lies face down, one's own or the opponent's.


def reveal_options(state: "State") -> Actions:
    return REVEALS[~state.face_up >> DISTRICTS * state.player & _RACK]


def expose_options(state: "State") -> Actions:
    return EXPOSES[~state.face_up >> DISTRICTS * (1 - state.player) & _RACK]


def reveal(state: "State", district: int) -> bool:
    return _turn_up(state, district, DISTRICTS * state.player + district)


def expose(state: "State", district: int) -> bool:
    return _turn_up(state, district, DISTRICTS * (1 - state.player) + district)


def _turn_up(state: "State", district: int, place: int) -> bool:
    state.face_up |= 1 << place
    return _show(state, district, 1 << state.rack[place])


# 2: turn up the top card of the pile.


def turn_top(state: "State") -> bool:
    if state.top == DECK:
        return _skip(state, Skip.PILE_EMPTY)
    state.face_up |= 1 << TOP
    return _show(state, NONE, 1 << state.top)


# 4: exchange two of one's own cards.  A card takes its face-up mark along.


def swap_options(_state: "State") -> Actions:
    return SWAPS


def swap(state: "State", pair: int) -> bool:
    first, second = PAIRS[pair]
    own = DISTRICTS * state.player
    _trade_places(state, own + first, own + second)
    if state.log is not None:
        state.log.append(Swapped(state.player, first, second))
    return True


def _trade_places(state: "State", one: int, other: int) -> None:
    rack = state.rack
    rack[one], rack[other] = rack[other], rack[one]
    if (state.face_up >> one ^ state.face_up >> other) & 1:
        state.face_up ^= 1 << one | 1 << other


# 5: another turn, which `end_turn` gives.


def extra_turn(state: "State") -> bool:
    if state.top == DECK:
        return _skip(state, Skip.PILE_EMPTY)
    if state.log is not None:
        state.log.append(ExtraTurn(state.player))
    return True


# 6: exchange the two cards of a district.  Both players know both cards from then on, one as
# given and one as received; a card that lay face down still does.


def exchange_options(_state: "State") -> Actions:
    return EXCHANGES


def exchange(state: "State", district: int) -> bool:
    _trade_places(state, district, DISTRICTS + district)
    return _show(state, district, 1 << state.rack[district] | 1 << state.rack[DISTRICTS + district])


# 7: exchange the trump with another colour; the other two keep their ranks.


def trump_options(state: "State") -> Actions:
    return TRUMPS[state.ranking[0]]


def change_trump(state: "State", colour: int) -> bool:
    state.ranking = PROMOTIONS[state.ranking][colour]
    if state.log is not None:
        state.log.append(TrumpChanged(state.player, state.ranking))
    return True


# 8: the round ends, which `end_turn` sees to.


def end_of_round(_state: "State") -> bool:
    return True


# What the effects share.


def _ask(state: "State", options: Actions) -> bool:
    """Let the player choose; a choice among one is no choice."""
    if len(options) > 1:
        state.phase = EFFECT
        state.actions = options
        return False
    if options:
        return carry_out(state, options[0])
    return _skip(state, Skip.ALL_FACE_UP)


def _skip(state: "State", why: Skip) -> bool:
    if state.log is not None:
        state.log.append(EffectSkipped(state.player, state.last_value, why))
    return True


def _show(state: "State", target: int, cards: int) -> bool:
    """Make the faces of `cards`, a mask of handles, public."""
    if not state.open and cards & ~state.public:
        state.wait_for(SHOWING, target)
        return False
    state.public |= cards
    if state.log is not None:
        state.log.append(shown_event(state, target))
    return True


def shown_handles(state: "State", target: int) -> tuple[int, ...]:
    """The cards that the card discarded last shows to both players, in the district `target`.

    Of an exchange, Dracula's new card comes first.
    """
    player, rack = state.player, state.rack
    match state.last_value:
        case 1:
            return (rack[DISTRICTS * player + target],)
        case 2:
            return (state.top,)
        case 3:
            return (rack[DISTRICTS * (1 - player) + target],)
        case _:
            return (rack[target], rack[DISTRICTS + target])


def shown_event(state: "State", target: int) -> Event:
    """What to log when the faces of `shown_handles` are public."""
    player = state.player
    face, *other = (state.faces[handle] for handle in shown_handles(state, target))
    match state.last_value:
        case 1:
            return Revealed(player, target, face)
        case 2:
            return TopTurned(player, face)
        case 3:
            return Exposed(player, target, face)
        case _:
            return Exchanged(player, target, face, *other)


_OPTIONS: Final[dict[int, Callable[["State"], Actions]]] = {
    1: reveal_options,
    3: expose_options,
    4: swap_options,
    6: exchange_options,
    7: trump_options,
}

_WITHOUT_CHOICE: Final[dict[int, Callable[["State"], bool]]] = {
    2: turn_top,
    5: extra_turn,
    8: end_of_round,
}

_CARRY_OUT: Final[tuple[tuple[Callable[["State", int], bool], int], ...]] = (
    *((reveal, district) for district in range(DISTRICTS)),
    *((expose, district) for district in range(DISTRICTS)),
    *((swap, pair) for pair in range(len(PAIRS))),
    *((exchange, district) for district in range(DISTRICTS)),
    *((change_trump, colour) for colour in range(len(COLOURS))),
)
"""For each action from `REVEAL` on, what carries it out and its target."""
