"""The example game does what `spec/writing-a-game.md` says of it."""

import secrets
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import Fault, Identity, Ours, RemoteProtocolError, Table, Terms, Turn
from protocol.entries import Act, Entry, state_hash
from tests.examples.high_card import DECK, HAND, NAME, HighCard

GAMES = {NAME: HighCard}


def ours(terms: Terms | None = None) -> Ours:
    token = secrets.token_bytes
    return Ours(Identity(token(32)), token(32), token, terms=terms)


def play(host: Table[HighCard], guest: Table[HighCard], rng: Random) -> None:
    """Play to the end: whoever is to speak speaks, and the other side listens."""
    while host.turn is not Turn.DONE:
        speaker, listener = (host, guest) if host.turn is not Turn.WAIT else (guest, host)
        if speaker.turn is Turn.DECIDE:
            entry = speaker.act(rng.choice(speaker.game.pending.actions))
        else:
            entry = speaker.speak()
        listener.receive(entry.raw)


@given(seed=st.integers(0, 2**32 - 1), seat=st.sampled_from([0, 1, None]))
@settings(max_examples=10, deadline=None)
def test_a_game_is_played_and_verified(seed: int, seat: int | None) -> None:
    host, guest = Table(GAMES, ours(Terms(NAME, seat=seat))), Table(GAMES, ours())
    play(host, guest, Random(seed))
    witness = Table.replay([entry.raw for entry in guest.entries], GAMES)
    assert host.result == guest.result == witness.result
    assert host.result is not None
    deck = witness.all_faces(0)
    assert sorted(deck) == list(range(DECK))
    tricks = witness.game.tricks
    assert len(tricks) == HAND
    leader = 0
    for trick, (first, second) in enumerate(
        zip(witness.game.table[::2], witness.game.table[1::2], strict=True)
    ):
        leader ^= deck[second] > deck[first]
        assert tricks[trick] == leader
    assert host.result.winner == int(tricks.count(1) > HAND / 2)


def test_a_card_of_the_other_player_is_refused() -> None:
    host, guest = Table(GAMES, ours(Terms(NAME, seat=0))), Table(GAMES, ours())
    while host.turn is not Turn.DECIDE:
        speaker, listener = (host, guest) if host.turn is Turn.SPEAK else (guest, host)
        listener.receive(speaker.speak().raw)
    cheat = host._ours
    assert cheat is not None
    state = state_hash(host.game.public_bytes())
    entry = Entry.sign(len(host.entries), 0, host.head, Act(HAND), state, cheat.identity)
    with pytest.raises(RemoteProtocolError) as caught:
        guest.receive(entry.raw)
    assert caught.value.fault is Fault.ILLEGAL_ACTION
    assert caught.value.evidence == (entry.raw,)
