"""`python -m tests.statistics`: see the package."""

import argparse
import secrets
import time
from collections.abc import Callable

from protocol.deck import MAX_DECK
from protocol.sampling import uniform_below
from tests.statistics.honest import TOO_FAR, chi_square, deal, orders, play_game, toss

FIXED = b"\x07" * 32


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.statistics")
    parser.add_argument("--games", type=int, default=1000, help="whole duels")
    parser.add_argument("--shuffles", type=int, default=300, help="decks of all sizes")
    parser.add_argument("--orders", type=int, default=1200, help="decks of 2, 3 and 4 cards")
    options = parser.parse_args()
    rng = secrets.token_bytes
    _repeat("games played and verified", options.games, lambda: play_game(rng))
    _repeat("decks of 1 to 64 cards shuffled, proven and opened", options.shuffles,
            lambda: deal(1 + uniform_below(64, rng), rng))  # fmt: skip
    _repeat("decks of all the cards there may be", options.shuffles // 100,
            lambda: deal(MAX_DECK, rng))  # fmt: skip
    for size in (2, 3, 4):
        dealt: list[tuple[int, ...]] = []
        _repeat(f"decks of {size} cards", options.orders, lambda: dealt.append(deal(size, rng)))  # noqa: B023
        _judge(f"orders of {size} dealt cards", chi_square(dealt, orders(size)))
    for name, seeds in (
        ("both honest", (None, None)),
        ("the first always alike", (FIXED, None)),
        ("the second always alike", (None, FIXED)),
    ):
        tossed = [toss(4, rng, seeds) for _ in range(20 * options.orders)]
        _judge(f"orders of 4 by coin, {name}", chi_square(tossed, orders(4)))


def _repeat(what: str, number: int, run: Callable[[], object]) -> None:
    began = time.monotonic()
    for _ in range(number):
        run()
    print(f"{number} {what}: no check failed, {time.monotonic() - began:.0f} s", flush=True)


def _judge(what: str, deviate: float) -> None:
    verdict = "fair" if abs(deviate) < TOO_FAR else "NOT FAIR"
    print(f"    {what}: {verdict}, chi-square {deviate:+.2f} standard deviations", flush=True)


if __name__ == "__main__":
    main()
