"""Games that tests of the peer play on an open state: random moves from a seed."""

from collections.abc import Iterator
from random import Random

from engine.state import State


def positions(seed: int) -> Iterator[State]:
    """The same open state again and again, at every point where somebody decides, to its end."""
    rng = Random(seed)
    state = State.new()
    state.log = []
    while True:
        match state.pending.kind:
            case "order":
                state.ordered(rng.sample(range(4), 4))
            case "shuffle":
                state.shuffled(rng.sample(range(32), 32))
            case "choose":
                yield state
                state.act(rng.choice(state.actions))
            case _:
                yield state
                return
