"""Games between two deciders, played at once on one open state.  Each sees its own view only.

wins = match(bot, at_random, 200)
print(wins.as_dracula, interval(wins.as_dracula, 200))
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from random import Random

from engine.cards import COLOURS, DECK
from engine.phases import Phase
from engine.state import State
from peer.bot import decide

Decider = Callable[[State, int, Random], int]
"""Chooses for a player by their view, like `peer.bot.decide`."""

bot: Decider = decide


def at_random(view: State, player: int, rng: Random) -> int:
    return rng.choice(view.actions)


def play(dracula: Decider, helsing: Decider, seed: int) -> State:
    """The end of a game.  `seed` fixes the deals, and what the deciders leave to chance."""
    deals, *chance = Random(seed), Random(f"{seed} dracula"), Random(f"{seed} helsing")
    state = State.new()
    while not state.is_over:
        if state.phase is Phase.ORDER:
            state.ordered(deals.sample(range(len(COLOURS)), len(COLOURS)))
        elif state.phase is Phase.SHUFFLE:
            state.shuffled(deals.sample(range(DECK), DECK))
        else:
            player = state.player
            decider = (dracula, helsing)[player]
            state.act(decider(state.view(player), player, chance[player]))
    return state


@dataclass(frozen=True, slots=True)
class Wins:
    """How many of its games the first decider won in each seat."""

    as_dracula: int
    as_helsing: int


def match(one: Decider, other: Decider, deals: int, first: int = 0) -> Wins:
    """Each of `deals` is played twice, with the seats exchanged."""
    seeds = range(first, first + deals)
    return Wins(
        sum(play(one, other, seed).winner == 0 for seed in seeds),
        sum(play(other, one, seed).winner == 1 for seed in seeds),
    )


def interval(wins: int, games: int) -> tuple[float, float]:
    """Where the true rate of winning lies with 95 % confidence (Wilson's score interval)."""
    z = 1.96
    share, spread = wins / games, z * z / games
    centre = share + spread / 2
    half = z * sqrt(share * (1 - share) / games + spread / (4 * games))
    return (centre - half) / (1 + spread), (centre + half) / (1 + spread)
