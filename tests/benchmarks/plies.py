"""How many decisions a second the rules take on one core, in random play of an open copy.

    python -m tests.benchmarks.plies

The decks and the choices are drawn before the clock starts, so that the rules are measured and
not the generator of random numbers.
"""

from random import Random
from time import perf_counter

from engine import DECK, ROUNDS, State

SECONDS = 3.0
_COLOURS = 4


def draw_decks(rng: Random, count: int) -> list[list[int]]:
    """`count` shuffled decks."""
    return [rng.sample(range(DECK), DECK) for _ in range(count)]


def play_game(ranking: list[int], decks: list[list[int]], draws: list[float]) -> int:
    """Play one game, choosing by `draws` in turn; returns the number of decisions."""
    state = State()
    state.ordered(ranking)
    decisions = 0
    while not state.is_over:
        state.shuffled(decks[state.round])
        while actions := state.actions:
            state.act(actions[int(draws[decisions] * len(actions))])
            decisions += 1
    return decisions


def measure(seconds: float = SECONDS, seed: int = 1) -> tuple[float, float]:
    """Decisions and games a second."""
    rng = Random(seed)
    decks = draw_decks(rng, 1000)
    rankings = [rng.sample(range(_COLOURS), _COLOURS) for _ in range(24)]
    draws = [rng.random() for _ in range(10_000)]
    decisions = games = 0
    start = perf_counter()
    while (elapsed := perf_counter() - start) < seconds:
        first = games * ROUNDS % (len(decks) - ROUNDS)
        offset = games * 131 % (len(draws) // 2)
        decisions += play_game(
            rankings[games % len(rankings)],
            decks[first : first + ROUNDS],
            draws[offset : offset + 1000],
        )
        games += 1
    return decisions / elapsed, games / elapsed


def main() -> None:
    """Print the figures."""
    decisions, games = measure()
    print(f"{decisions:,.0f} decisions and {games:,.0f} games a second")


if __name__ == "__main__":
    main()
