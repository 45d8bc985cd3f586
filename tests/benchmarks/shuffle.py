"""How long a shuffle, its proof, its check and a whole deal take.

    python -m tests.benchmarks.shuffle

Medians of several runs in milliseconds, and in multiplications of the group measured in the same
run, which compares better between machines.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import ParamSpec, TypeVar

from protocol.deck import MaskedCard, fresh_deck, remask
from protocol.group import Element, Scalar
from protocol.keys import SecretKey, joint_key
from protocol.sampling import uniform_permutation
from protocol.shuffle import shuffle_deck, verify_shuffle
from protocol.transcript import Context

RUNS = 15
RNG = secrets.token_bytes
HOST, GUEST = SecretKey.derive(RNG(32)), SecretKey.derive(RNG(32))
JOINT = joint_key(HOST.public, GUEST.public)
SIDES = [
    Context(game_id=bytes(32), identities=(bytes(32), bytes(32)), side=side, deck=0, head=bytes(32))
    for side in (0, 1)
]

P = ParamSpec("P")
T = TypeVar("T")


def milliseconds(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[float, T]:
    """The median time of a call, and what it gave."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        result = work(*args, **kwargs)
        times.append(time.perf_counter() - start)
    return 1000 * median(times), result


def shuffle_only(cards: Sequence[MaskedCard]) -> list[MaskedCard]:
    """GenShuffle without a proof."""
    return [
        remask(cards[source], JOINT, Scalar.random(RNG))
        for source in uniform_permutation(len(cards), RNG)
    ]


def deal(size: int) -> None:
    """What it takes until a deck can be dealt from: both shuffle, both check."""
    cards: Sequence[MaskedCard] = fresh_deck(JOINT, size)
    for context in SIDES:
        after, proof = shuffle_deck(cards, JOINT, context, RNG)
        cards = verify_shuffle(cards, tuple(after), proof, JOINT, context)


def multiply(scalars: Sequence[Scalar], element: Element) -> list[Element]:
    """The unit of everything else."""
    return [element * scalar for scalar in scalars]


def main() -> None:
    scalars = [Scalar.random(RNG) for _ in range(200)]
    unit = milliseconds(multiply, scalars, Element.base(scalars[0]))[0] / len(scalars)
    print(f"one multiplication: {1000 * unit:.1f} us")
    print(f"{'':22}{'ms':>8}{'multiplications':>18}")

    def show(what: str, time: float) -> None:
        print(f"{what:22}{time:8.2f}{time / unit:18.0f}")

    here, there = SIDES
    for size in (32, 52):
        print(f"{size} cards")
        deal(size)  # computes what is computed once
        fresh = fresh_deck(JOINT, size)
        decks = {"fresh": fresh, "shuffled": shuffle_deck(fresh, JOINT, there, RNG)[0]}
        for name, cards in decks.items():
            plain, _ = milliseconds(shuffle_only, cards)
            both, (after, proof) = milliseconds(shuffle_deck, cards, JOINT, here, RNG)
            check, _ = milliseconds(verify_shuffle, cards, after, proof, JOINT, here)
            print(f" a {name} deck")
            show("  shuffle", plain)
            show("  prove", both - plain)
            show("  verify", check)
        show(" two-sided deal", milliseconds(deal, size)[0])


if __name__ == "__main__":
    main()
