"""A player that needs no person: it decides at once, by what a position seems to be worth.

It looks one decision ahead: at every card it could discard, and every way to use the effect.  It
knows what its player knows and nothing else.
"""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Final

import trio

from engine.actions import (
    CALL,
    DISCARD,
    DRAW,
    DRAWN,
    EXCHANGE,
    EXPOSE,
    EXPOSES,
    PAIRS,
    REVEAL,
    REVEALS,
    SWAP,
    SWAPS,
    TRUMP,
    TRUMPS,
)
from engine.board import DISTRICTS, NONE, PILE, TOP
from engine.cards import DECK, PROMOTIONS, VALUE
from engine.state import State
from peer.judgement import Judge, Layout, outlook
from peer.seat import News, Quit, Seat

# Found by letting the bot play against itself.  All are numbers of districts, but the last.
CALL_AHEAD: Final = 2.0
"""It calls where that is worth as much as to be so far above even in the whole row, and never
with less than half of it: the opponent has a last turn then, and an advantage often grows.
"""
EXTRA_TURN: Final = 0.5
TURNED_TOP: Final = 0.05
"""The opponent draws the card that was turned up, so that we see what they draw."""
SEEN: Final = 0.2
"""At most, for the opponent's card of which nothing was known."""
SHOWN: Final = 0.1
"""At most, for a card of ours; best is one that wins anyway."""
FORESIGHT: Final = 0.4
"""The part of an advantage that lasts while a whole pile is drawn."""

NEVER: Final = -1.0
_RACK: Final = (1 << DISTRICTS) - 1


class Bot(Seat):
    """Sits at a table, decides at once and never gives up.

    `seed` settles what is a toss-up; `again`, whether it plays again whenever it is asked.
    """

    def __init__(self, seed: int = 0, *, again: bool = False) -> None:
        self._random: Final = Random(seed)  # noqa: S311 - nothing secret hangs on it
        self._again: Final = again

    def tell(self, news: News) -> None:
        """Take no notice: all that counts is in the view."""

    async def choose(self, view: State) -> int | Quit:
        """Decide for one of `view.actions`, in a few milliseconds."""
        await trio.lowlevel.checkpoint()
        return decide(view, view.player, self._random)

    async def consider(self, view: State) -> bool | Quit:
        """Agree: a bot has no wish to hold anybody."""
        await trio.lowlevel.checkpoint()
        return True

    async def again(self) -> bool:
        """Play as often as the other likes, if it was made so."""
        await trio.lowlevel.checkpoint()
        return self._again

    async def words(self) -> str:
        """Say nothing, for ever."""
        await trio.sleep_forever()
        raise AssertionError

    async def wait(self, view: State | None) -> Quit:
        """Wait for ever."""
        await trio.sleep_forever()


def decide(view: State, player: int, rng: Random) -> int:
    """One of `view.actions`, for `player`, whose turn it is and whose view this is.

    The same view and the same `rng` give the same action; `rng` chooses between equals.
    """
    thought = _Thought(view, player)
    worth = {action: round(thought.worth(action), 9) for action in view.actions}
    best = max(worth.values())
    return rng.choice([action for action in view.actions if worth[action] == best])


class _Thought:
    """What the actions of one view are worth."""

    def __init__(self, view: State, player: int) -> None:
        self._view: Final = view
        self._player: Final = player
        self._judge: Final = Judge(view, player)
        self._layout: Final = self._judge.layout()
        self._ends_anyway: Final = view.caller != NONE or view.top == DECK
        left = 0.0 if view.caller != NONE else (DECK - view.top) / (DECK - PILE)
        self._certainty: Final = 1.0 - (1.0 - FORESIGHT) * left

    def worth(self, action: int) -> float:
        """The chance to win the game, roughly, after this action."""
        if action == DRAW:
            return outlook(self._view, self._player, [0.5 + CALL_AHEAD / DISTRICTS] * DISTRICTS)
        if action == CALL:
            chances = self._judge.chances(self._layout)
            is_ahead = sum(chances) > DISTRICTS / 2 + CALL_AHEAD / 2
            return self._ended(chances) if is_ahead else NEVER
        if action < REVEAL:
            return self._discard(action - DISCARD)
        return self._effect(action, self._layout)

    def _discard(self, source: int) -> float:
        """The card is exchanged for the drawn one, and its effect used as well as can be."""
        view, layout = self._view, self._layout
        face = drawn = view.faces[view.hand]
        up = self._up(self._player)
        if source != DRAWN:
            face = layout.mine[source]
            layout = replace(
                layout, mine=(*layout.mine[:source], drawn, *layout.mine[source + 1 :])
            )
            up = up & ~(1 << source) | (view.face_up >> TOP & 1) << source
        chances = self._judge.chances(layout)
        match VALUE[face]:
            case 2:
                return self._next(chances, TURNED_TOP)
            case 5 if view.top < DECK:
                return self._going_on(chances, EXTRA_TURN)
            case 8:
                return self._ended(chances)
        targets = self._targets(VALUE[face], up)
        return max(
            (self._effect(action, layout) for action in targets), default=self._next(chances)
        )

    def _targets(self, value: int, up: int) -> Iterable[int]:
        """The targets of an effect, when the cards in the mask `up` of ours lie face up."""
        match value:
            case 1:
                return REVEALS[~up & _RACK]
            case 3:
                return EXPOSES[~self._up(1 - self._player) & _RACK]
            case 4:
                return SWAPS
            case 6:
                return range(EXCHANGE, TRUMP)
            case 7:
                return TRUMPS[self._layout.ranking[0]]
            case _:
                return ()

    def _up(self, player: int) -> int:
        return self._view.face_up >> DISTRICTS * player & _RACK

    def _effect(self, action: int, layout: Layout) -> float:
        """`layout` is that before the effect, with the discarded card gone."""
        if action >= TRUMP:
            ranking = PROMOTIONS[layout.ranking][action - TRUMP]
            return self._next(self._judge.chances(replace(layout, ranking=ranking)))
        if EXCHANGE > action >= SWAP:
            mine = list(layout.mine)
            first, second = PAIRS[action - SWAP]
            mine[first], mine[second] = mine[second], mine[first]
            return self._next(self._judge.chances(replace(layout, mine=tuple(mine))))
        chances = self._judge.chances(layout)
        if action >= EXCHANGE:
            district = action - EXCHANGE
            chances[district] = 1.0 - chances[district]
            return self._next(chances)
        if action >= EXPOSE:
            chance = chances[action - EXPOSE]
            return self._next(chances, SEEN * 4.0 * chance * (1.0 - chance))
        district = action - REVEAL
        if self._judge.is_public(layout.mine[district]):
            return self._next(chances)
        return self._next(chances, SHOWN * (chances[district] - 1.0))

    # What comes after it.

    def _next(self, chances: list[float], extra: float = 0.0) -> float:
        return self._ended(chances) if self._ends_anyway else self._going_on(chances, extra)

    def _ended(self, chances: list[float]) -> float:
        """The round is over, or as good as over."""
        return outlook(self._view, self._player, chances)

    def _going_on(self, chances: list[float], extra: float) -> float:
        """The round goes on: advantages may be lost, and `extra` districts are won in a way."""
        shift = (1.0 - self._certainty) / 2.0 + extra / DISTRICTS
        expected = [min(1.0, max(0.0, self._certainty * chance + shift)) for chance in chances]
        return outlook(self._view, self._player, expected)
