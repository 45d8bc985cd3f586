"""The eight effects of a discarded card.  None is optional; one that is impossible is skipped.

What carries out an effect returns whether it is done.  It is not, while the state waits for a
choice of the player or for a face to become public.
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
    """Start the effect of the card of this value that the player has just discarded.

    A choice among one is no choice, and one among none skips the effect.
    """
    options = _OPTIONS.get(value)
    if options is None:
        return _WITHOUT_CHOICE[value](state)
    actions = options(state)
    if len(actions) > 1:
        state.phase = EFFECT
        state.actions = actions
        return False
    return carry_out(state, actions[0]) if actions else _skip(state, Skip.ALL_FACE_UP)


def effect_options(state: "State") -> Actions:
    """What there is to choose for the effect of the card discarded last."""
    return _OPTIONS[state.last_value](state)


def carry_out(state: "State", action: int) -> bool:
    """Do what `action`, which names an effect and its target, says."""
    effect, target = _CARRY_OUT[action - REVEAL]
    return effect(state, target)


def _reveal(state: "State", district: int) -> bool:
    """1: turn up one of one's own cards that lie face down."""
    return _turn_up(state, district, state.player)


def _turn_top(state: "State") -> bool:
    """2: turn up the top card of the pile."""
    if state.top == DECK:
        return _skip(state, Skip.PILE_EMPTY)
    state.face_up |= 1 << TOP
    return _show(state, NONE, 1 << state.top)


def _expose(state: "State", district: int) -> bool:
    """3: turn up one of the opponent's cards that lie face down."""
    return _turn_up(state, district, 1 - state.player)


def _swap(state: "State", pair: int) -> bool:
    """4: exchange the places of two of one's own cards."""
    first, second = PAIRS[pair]
    _exchange_places(state, DISTRICTS * state.player + first, DISTRICTS * state.player + second)
    if state.log is not None:
        state.log.append(Swapped(state.player, first, second))
    return True


def _extra_turn(state: "State") -> bool:
    """5: another turn of the same player, if there is a card left to draw.  The end of the turn
    sees to it.
    """
    if state.top == DECK:
        return _skip(state, Skip.PILE_EMPTY)
    if state.log is not None:
        state.log.append(ExtraTurn(state.player))
    return True


def _exchange(state: "State", district: int) -> bool:
    """6: exchange one's card in a district for the opponent's.

    Both players know both cards from then on: one is given, one received.  Yet a card that lay
    face down still does.  The cards change owners when both faces are public.
    """
    rack = state.rack
    return _show(state, district, 1 << rack[district] | 1 << rack[DISTRICTS + district])


def _change_trump(state: "State", colour: int) -> bool:
    """7: exchange the trump with another colour; the other two keep their ranks."""
    state.ranking = PROMOTIONS[state.ranking][colour]
    if state.log is not None:
        state.log.append(TrumpChanged(state.player, state.ranking))
    return True


def _end_round(_state: "State") -> bool:
    """8: the round ends.  The end of the turn sees to it."""
    return True


# What the effects share.


def _face_down(state: "State", player: int) -> int:
    """The mask of the districts in which the card of `player` lies face down."""
    return ~state.face_up >> DISTRICTS * player & _RACK


def _turn_up(state: "State", district: int, owner: int) -> bool:
    place = DISTRICTS * owner + district
    state.face_up |= 1 << place
    return _show(state, district, 1 << state.rack[place])


def _exchange_places(state: "State", one: int, other: int) -> None:
    """Exchange two cards; each takes its mark, face up or down, along."""
    rack = state.rack
    rack[one], rack[other] = rack[other], rack[one]
    if (state.face_up >> one ^ state.face_up >> other) & 1:
        state.face_up ^= 1 << one | 1 << other


def _skip(state: "State", why: Skip) -> bool:
    if state.log is not None:
        state.log.append(EffectSkipped(state.player, state.last_value, why))
    return True


def _show(state: "State", target: int, cards: int) -> bool:
    """Make `cards`, a mask of handles, public."""
    if not state.open and cards & ~state.public:
        state.wait_for(SHOWING, target)
        return False
    state.public |= cards
    conclude(state, target)
    return True


def conclude(state: "State", target: int) -> None:
    """Finish an effect whose cards are public now: an exchange takes place."""
    if state.last_value == 6:
        _exchange_places(state, target, DISTRICTS + target)
    if state.log is not None:
        state.log.append(_shown_event(state, target))


def shown_handles(state: "State", target: int) -> tuple[int, ...]:
    """The cards that the card discarded last shows to both players, in the district `target`.

    Of an exchange, Dracula's card comes first.
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


def _shown_event(state: "State", target: int) -> Event:
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
    1: lambda state: REVEALS[_face_down(state, state.player)],
    3: lambda state: EXPOSES[_face_down(state, 1 - state.player)],
    4: lambda _: SWAPS,
    6: lambda _: EXCHANGES,
    7: lambda state: TRUMPS[state.ranking[0]],
}
"""For each value that lets the player choose, the choices."""

_WITHOUT_CHOICE: Final[dict[int, Callable[["State"], bool]]] = {
    2: _turn_top,
    5: _extra_turn,
    8: _end_round,
}

_CARRY_OUT: Final[tuple[tuple[Callable[["State", int], bool], int], ...]] = (
    *((_reveal, district) for district in range(DISTRICTS)),
    *((_expose, district) for district in range(DISTRICTS)),
    *((_swap, pair) for pair in range(len(PAIRS))),
    *((_exchange, district) for district in range(DISTRICTS)),
    *((_change_trump, colour) for colour in range(len(COLOURS))),
)
"""For each action from `REVEAL` on, the effect and its target."""
