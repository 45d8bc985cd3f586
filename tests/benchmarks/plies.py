"""How many decisions a second the rules take on one core, in random play of an open copy.

    python -m tests.benchmarks.plies

The decks and the choices are drawn before the clock starts, so that the rules are measured and
not the generator of random numbers.
"""

from collections.abc import Callable, Sequence
from itertools import cycle
from random import Random
from time import perf_counter

from engine import COLOURS, DECK, ROUNDS, State

SECONDS = 3.0
_GAMES = 200
_CHOICES = 10_007
"""A prime, so that a game which comes round again is played differently."""


def play_game(
    ranking: Sequence[int], decks: Sequence[Sequence[int]], draw: Callable[[], float]
) -> int:
    """Play one game, choosing by numbers in [0, 1); returns how many decisions it took."""
    state = State()
    state.ordered(ranking)
    decisions = 0
    while not state.is_over:
        state.shuffled(decks[state.round])
        while actions := state.actions:
            state.act(actions[int(draw() * len(actions))])
            decisions += 1
    return decisions


def measure(seconds: float = SECONDS, seed: int = 1) -> tuple[float, float]:
    """Decisions and games a second."""
    rng = Random(seed)
    games = [
        (
            rng.sample(range(len(COLOURS)), len(COLOURS)),
            [rng.sample(range(DECK), DECK) for _ in range(ROUNDS)],
        )
        for _ in range(_GAMES)
    ]
    draw = cycle([rng.random() for _ in range(_CHOICES)]).__next__
    decisions = played = 0
    elapsed = 0.0
    start = perf_counter()
    for ranking, decks in cycle(games):
        decisions += play_game(ranking, decks, draw)
        played += 1
        elapsed = perf_counter() - start
        if elapsed >= seconds:
            break
    return decisions / elapsed, played / elapsed


def main() -> None:
    """Print the figures."""
    decisions, games = measure()
    print(f"{decisions:,.0f} decisions and {games:,.0f} games a second")


if __name__ == "__main__":
    main()
