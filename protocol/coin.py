"""Randomness that neither side picks: commit, answer, open (Blum, "Coin flipping by telephone").

One side commits to 32 random bytes, the other answers with 32 of its own, the first opens.  The
committer chose before it saw the answer, and the answerer before it saw the opening, so what is
hashed from both is uniform if either side is honest.  (Who dislikes the result can only walk away,
and is named for it.)
"""

import hmac
from collections.abc import Sequence
from typing import Final

from protocol.errors import Fault, InvalidError
from protocol.group import Rng
from protocol.sampling import uniform_below, uniform_permutation
from protocol.transcript import Context, Label

SEED_SIZE: Final = 32
"""Bytes of each side's half of a coin."""


def commit(seed: bytes, context: Context) -> bytes:
    """A commitment (32 bytes) to `seed`: 32 random bytes, SECRET until opened.

    It is bound to `context`, whose side is the committer: it cannot be copied, by the other side
    or into another place.  Hiding needs all of the 32 bytes to be random.
    """
    if len(seed) != SEED_SIZE:
        raise ValueError(f"a seed has {SEED_SIZE} bytes, not {len(seed)}")
    return context.transcript(Label.COIN).append(seed).digest()


def check_opening(commitment: bytes, opening: bytes, context: Context) -> None:
    """Check that `opening` is the seed that `commitment` was made from in `context`.

    Raises:
        InvalidError: MALFORMED if the opening isn't 32 bytes, BAD_OPENING if it is another seed.
    """
    if len(opening) != SEED_SIZE:
        detail = f"an opening has {SEED_SIZE} bytes, not {len(opening)}"
        raise InvalidError(Fault.MALFORMED, detail)
    if not hmac.compare_digest(commit(opening, context), commitment):
        raise InvalidError(Fault.BAD_OPENING, "the opening is not what was committed to")


def uniform_order(seeds: Sequence[bytes], size: int, context: Context) -> tuple[int, ...]:
    """The public permutation of range(`size`) that the `seeds` stand for.

    `seeds` are the committer's and the answerer's, in this order, and `context` the one of the
    commitment, so that both sides compute the same.
    """
    return uniform_permutation(size, _stream(Label.ORDER, seeds, context))


def uniform_bit(seeds: Sequence[bytes], context: Context) -> int:
    """The public coin, 0 or 1, that the `seeds` stand for; arguments as in `uniform_order`."""
    return uniform_below(2, _stream(Label.BIT, seeds, context))


def _stream(label: Label, seeds: Sequence[bytes], context: Context) -> Rng:
    if any(len(seed) != SEED_SIZE for seed in seeds):
        raise ValueError(f"a seed has {SEED_SIZE} bytes")
    return context.transcript(label).append(*seeds).stream()
