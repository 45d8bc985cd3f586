"""The end of a round: both racks are shown, then the districts are resolved one by one."""

from typing import TYPE_CHECKING, Final

from engine.board import BOTH, DISTRICTS, DRACULA, HELSING, INHABITANTS, PLACES, ROUNDS
from engine.cards import COLOUR, STRENGTHS, VALUE
from engine.events import Decided, DistrictScored, Ending, GameOver, RoundEnd, RoundEnded
from engine.phases import OVER, SHOWDOWN_DRACULA, SHOWDOWN_HELSING, SHUFFLE

if TYPE_CHECKING:
    from engine.state import State

_RACKS: Final = (1 << PLACES) - 1


def end_round(state: "State", why: RoundEnd) -> None:
    """No more turns: show the cards and resolve the districts."""
    if state.log is not None:
        state.log.append(RoundEnded(state.round, why))
    show_racks(state)


def show_racks(state: "State") -> None:
    """Ask for what is still hidden of Dracula's rack, then of Van Helsing's, then score."""
    if not state.open:
        for player, phase in zip(BOTH, (SHOWDOWN_DRACULA, SHOWDOWN_HELSING), strict=True):
            if hidden_handles(state, player):
                state.wait_for(phase)
                return
    for handle in state.rack:
        state.public |= 1 << handle
    state.face_up |= _RACKS
    score_round(state)


def hidden_handles(state: "State", player: int) -> tuple[int, ...]:
    """The cards in front of `player` whose faces are not public, from district 0 on."""
    first = DISTRICTS * player
    return tuple(
        handle for handle in state.rack[first : first + DISTRICTS] if not state.public >> handle & 1
    )


def score_round(state: "State") -> None:
    """Resolve the districts from 0 to 4; the first that decides the game is the last."""
    state.actions = ()
    strength = STRENGTHS[state.ranking]
    cards = [state.faces[handle] for handle in state.rack]
    for district in range(DISTRICTS):
        dracula, helsing = cards[district], cards[DISTRICTS + district]
        if strength[dracula] > strength[helsing]:
            winner = DRACULA
            state.vampires[district] += 1
        else:
            winner = HELSING
            state.hp -= 1
        if state.log is not None:
            state.log.append(
                DistrictScored(
                    district,
                    dracula,
                    helsing,
                    winner,
                    what_decided(dracula, helsing, state.ranking[0]),
                    state.vampires[district],
                    state.hp,
                )
            )
        if state.hp == 0 or state.vampires[district] == INHABITANTS:
            _end_game(state)
            return
    if state.round + 1 == ROUNDS:
        _end_game(state)
    else:
        state.round += 1
        state.phase = SHUFFLE


def what_decided(one: int, other: int, trump: int) -> Decided:
    """The first rule that tells the two faces apart."""
    if (COLOUR[one] == trump) != (COLOUR[other] == trump):
        return Decided.TRUMP
    return Decided.VALUE if VALUE[one] != VALUE[other] else Decided.RANK


def outcome(state: "State") -> tuple[int, Ending]:
    """Who has won a game that is over, and by which rule."""
    if state.hp == 0:
        return HELSING, Ending.NO_HEALTH
    if INHABITANTS in state.vampires:
        return DRACULA, Ending.FOUR_VAMPIRES
    return DRACULA, Ending.FIVE_ROUNDS


def _end_game(state: "State") -> None:
    state.phase = OVER
    if state.log is not None:
        state.log.append(GameOver(*outcome(state)))
