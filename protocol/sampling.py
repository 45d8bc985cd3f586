"""Fair choices out of random bytes, which may be secret (a shuffle) or public (a coin)."""

from protocol.group import Rng

_RANGE = 2**64


def uniform_below(bound: int, rng: Rng) -> int:
    """A number in range(`bound`), each exactly as likely.

    Draws 8 bytes from `rng`, big-endian, again and again until they fall below the largest
    multiple of `bound`; a plain remainder would favour small numbers.
    """
    if not 1 <= bound <= _RANGE:
        raise ValueError(f"cannot choose below {bound}")
    limit = _RANGE - _RANGE % bound
    while True:
        drawn = int.from_bytes(rng(8), "big")
        if drawn < limit:
            return drawn % bound


def uniform_permutation(size: int, rng: Rng) -> tuple[int, ...]:
    """A permutation of range(`size`), each exactly as likely (Durstenfeld's Fisher-Yates shuffle).

    From the last place down to the second, place i changes with place `uniform_below(i + 1)`.
    """
    places = list(range(size))
    for last in range(size - 1, 0, -1):
        chosen = uniform_below(last + 1, rng)
        places[last], places[chosen] = places[chosen], places[last]
    return tuple(places)
