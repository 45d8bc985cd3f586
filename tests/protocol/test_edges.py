"""Corners of the protocol, found by changing the program there (`tests.tools.mutate`) and seeing
no test fail.
"""

from protocol.deck import MAX_DECK, fresh_deck
from protocol.sampling import uniform_below
from protocol.shuffle import shuffle_deck, verify_shuffle
from protocol.table import Table
from tests.protocol.duel import GAMES
from tests.protocol.helpers import first, pair, play_one, play_out, record
from tests.protocol.scene import HERE, JOINT, rng


def test_only_who_resigned_has_resigned() -> None:
    won = Table.replay(record(), GAMES).result
    assert won is not None
    assert not won.resigned
    tables = pair()
    while not tables[0].may_propose:
        play_one(tables, first)
    tables[1].receive(tables[0].propose().raw)
    tables[0].receive(tables[1].reply(True).raw)
    play_out(tables)
    ended = tables[0].result
    assert ended is not None
    assert ended.winner is None
    assert not ended.resigned


def test_the_seats_are_taken_when_the_opening_is_over() -> None:
    tables = pair(seat=None)
    while tables[0].step is not None:
        at = tables[0].step.kind
        assert tables[0].has_seats == tables[1].has_seats
        assert tables[0].has_seats == (len(tables[0].entries) >= 6), at
        play_one(tables, first)


def test_the_largest_deck_can_be_shuffled() -> None:
    fresh = fresh_deck(JOINT, MAX_DECK)
    after, proof = shuffle_deck(fresh, JOINT, HERE, rng("largest"))
    assert verify_shuffle(fresh, tuple(after), proof, JOINT, HERE) == after


def test_the_largest_bound_takes_every_number() -> None:
    assert uniform_below(2**64, bytes) == 0
    assert uniform_below(2**64, lambda size: b"\xff" * size) == 2**64 - 1
