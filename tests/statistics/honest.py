"""Games and shuffles by two honest sides, everything of them checked, and what came of them."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import permutations
from math import sqrt
from typing import Final

from protocol.coin import commit, uniform_order
from protocol.course import Ours, Terms
from protocol.dealer import Coin
from protocol.deck import MaskedCard, decryption_share, face_of, fresh_deck, unmask
from protocol.group import Rng
from protocol.identity import Identity
from protocol.keys import SecretKey, joint_key, verify_key_share
from protocol.sampling import uniform_below
from protocol.shuffle import shuffle_deck, verify_shuffle
from protocol.sigma import prove_equality, verify_equality
from protocol.table import Table, Turn
from protocol.transcript import Context
from tests.protocol.duel import GAME, GAMES
from tests.protocol.helpers import play_one, raws

Shuffler = Callable[..., tuple[Sequence[MaskedCard], bytes]]


def play_game(rng: Rng) -> None:
    """A duel by two strangers who choose at random, then read by a third.

    Every proof, signature and hash is checked by the other side as it comes, and again by the
    third from the record alone; any that fails raises.
    """
    seat = (0, 1, None)[uniform_below(3, rng)]
    tables = []
    for terms in (Terms(GAME, seat=seat), None):
        ours = Ours(Identity(rng(32)), rng(32), rng, "", terms)
        tables.append(Table(GAMES, ours))
    while tables[0].step is not None:
        if uniform_below(40, rng) == 0 and any(table.may_resign for table in tables):
            speaker = next(table for table in tables if table.may_resign)
            assert tables[1 - (speaker.side or 0)].receive(speaker.resign().raw) is not None
        else:
            play_one(tables, lambda actions: actions[uniform_below(len(actions), rng)])
    witness = Table.replay(raws(tables[0]), GAMES)
    assert witness.turn is Turn.DONE
    assert witness.head == tables[0].head == tables[1].head
    assert witness.result == tables[0].result == tables[1].result


def deal(size: int, rng: Rng, shuffler: Shuffler = shuffle_deck) -> tuple[int, ...]:
    """The order of a deck that two sides have shuffled, with all proofs made and checked.

    The first side shuffles as `shuffler` does; the second is honest.
    """
    game, identities = rng(32), (rng(32), rng(32))

    def context(side: int, deck: int = 0) -> Context:
        return Context(game, identities, side, deck, rng(32))

    secrets = [SecretKey.derive(rng(32)) for _ in range(2)]
    for side, secret in enumerate(secrets):
        here = context(side, -1)
        verify_key_share(secret.share(here, rng), here)
    joint = joint_key(secrets[0].public, secrets[1].public)
    cards: Sequence[MaskedCard] = fresh_deck(joint, size)
    for side, shuffle in enumerate((shuffler, shuffle_deck)):
        here = context(side)
        after, proof = shuffle(cards, joint, here, rng)
        cards = verify_shuffle(cards, tuple(after), proof, joint, here)
    bases = [card.a for card in cards]
    shares = []
    for side, secret in enumerate(secrets):
        here = context(side)
        images = [decryption_share(secret, card) for card in cards]
        proof = prove_equality(secret.scalar, secret.public, bases, images, here, rng)
        verify_equality(proof, secret.public, bases, images, here)
        shares.append(images)
    opened = zip(cards, *shares, strict=True)
    order = tuple(face_of(unmask(card, both), size) for card, *both in opened)
    assert sorted(order) == list(range(size))
    return order


def toss(size: int, rng: Rng, seeds: tuple[bytes | None, bytes | None]) -> tuple[int, ...]:
    """A public order of two sides; who has a seed in `seeds` brings the same one each time."""
    context = Context(rng(32), (rng(32), rng(32)), 0, -1, rng(32))
    first, second = (seed or rng(32) for seed in seeds)
    commit(first, context)
    order = uniform_order((first, second), size, context)
    assert order == Coin((first, second), context).order(size)
    return order


# --- chi-square ------------------------------------------------------------------------------


def chi_square(found: Iterable[Hashable], cells: Iterable[Hashable]) -> float:
    """How far `found` is from having each of `cells` as often, as a standard normal deviate.

    Pearson's statistic, made normal after Wilson and Hilferty ("The distribution of chi-square",
    1931): 4 is exceeded by chance once in 30,000 times.  All that is found must be in a cell.
    """
    counts: Counter[Hashable] = Counter(dict.fromkeys(cells, 0))
    freedom = len(counts) - 1
    counts.update(found)
    assert len(counts) == freedom + 1
    expected = counts.total() / len(counts)
    assert expected >= 5, "too few for the approximation"
    statistic = sum((count - expected) ** 2 for count in counts.values()) / expected
    spread = 2 / (9 * freedom)
    return float(((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def orders(size: int) -> list[tuple[int, ...]]:
    return list(permutations(range(size)))


TOO_FAR: Final = 4.0
