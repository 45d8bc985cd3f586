"""What holds in every game that can be played, whatever the cards and the choices."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    ACTIONS,
    DECK,
    DISTRICTS,
    DRACULA,
    HELSING,
    INHABITANTS,
    NONE,
    UNKNOWN,
    VALUE,
    IllegalActionError,
    Phase,
    State,
)
from tests.engine.helpers import Copies, deal_open, random_game

games = given(seed=st.integers(0, 2**32 - 1))
few = settings(max_examples=20, deadline=None)
MOST_DECISIONS = 5 * 22 * 3
"""Rounds, cards to draw, and a draw, a discard and an effect for each."""


@few
@games
def test_every_listed_action_is_legal_and_no_other(seed: int) -> None:
    for state in random_game(Random(seed)):
        before, log = state.to_bytes(), list(state.log or ())
        for action in range(-1, ACTIONS + 1):
            if action in state.actions:
                state.clone().act(action)
            else:
                with pytest.raises(IllegalActionError):
                    state.act(action)
        assert state.to_bytes() == before
        assert state.log == log


@few
@games
def test_a_choice_has_two_actions_or_more_in_ascending_order(seed: int) -> None:
    for state in random_game(Random(seed)):
        assert list(state.actions) == sorted(set(state.actions))
        assert len(state.actions) >= 2 or state.is_over


@few
@games
def test_each_card_is_in_one_place_and_the_score_adds_up(seed: int) -> None:
    for state in random_game(Random(seed)):
        held = [] if state.hand == NONE else [state.hand]
        pile = list(range(state.top, DECK))
        assert sorted([*state.rack, *held, *state.discards, *pile]) == list(range(DECK))
        assert sorted(state.faces) == list(range(DECK))
        assert all(VALUE[state.faces[handle]] != 8 for handle in state.discards[:6])
        resolved = sum(state.vampires) + state.start_hp - state.hp
        rounds = state.round + state.is_over
        assert 0 <= DISTRICTS * rounds - resolved < (DISTRICTS if state.is_over else 1)
        assert all(state.public >> handle & 1 for handle in state.discards)


@few
@games
def test_play_ends_with_one_winner(seed: int) -> None:
    state, decisions = State.new(), -1
    for state in random_game(Random(seed)):  # noqa: B007
        decisions += 1
    assert decisions <= MOST_DECISIONS
    assert state.is_over
    assert state.winner in (DRACULA, HELSING)
    assert not (state.hp == 0 and INHABITANTS in state.vampires)
    assert state.winner == (HELSING if state.hp == 0 else DRACULA)


@few
@games
def test_all_copies_of_a_game_agree_on_what_is_public(seed: int) -> None:
    rng = Random(seed)
    copies = Copies(rng)
    while True:
        copies.answer()
        state = copies.open
        assert len({copy.public_bytes() for copy in copies.all}) == 1
        assert all(copy.log == state.log for copy in copies.closed)
        for player in (DRACULA, HELSING):
            assert copies.closed[player].to_bytes() == state.view(player).to_bytes()
        bystander = copies.closed[2]
        assert bystander.to_bytes() == State.from_public_bytes(state.public_bytes()).to_bytes()
        if state.is_over:
            return
        assert copies.closed[state.player].actions == state.actions
        assert set(state.actions) <= set(copies.closed[1 - state.player].actions)
        copies.act(rng.choice(state.actions))


@few
@games
def test_copies_agree_after_every_single_request(seed: int) -> None:
    rng = Random(seed)
    copies = Copies(rng)
    closed = copies.closed
    while closed[0].phase is not Phase.OVER:
        asked = [dealer.step(state) for dealer, state in zip(copies.dealers, closed, strict=True)]
        if not any(asked):
            deal_open(copies.open, copies.dealer)
            copies.act(rng.choice(copies.open.actions))
        assert len({state.public_bytes() for state in closed}) == 1
        assert len({state.public_hash() for state in closed}) == 1
        for state in copies.all:
            assert State.from_bytes(state.to_bytes()).to_bytes() == state.to_bytes()
        for player in (DRACULA, HELSING):
            own = closed[player]
            seen = sum(1 << h for h in range(DECK) if own.faces[h] != UNKNOWN)
            assert seen == own.known[player]


@few
@games
def test_a_clone_goes_its_own_way(seed: int) -> None:
    rng = Random(seed)
    for state in random_game(rng):
        before = state.to_bytes()
        clone = state.clone()
        assert clone.to_bytes() == before
        assert clone.log is None
        if clone.actions:
            clone.act(rng.choice(clone.actions))
            assert clone.to_bytes() != before
        assert state.to_bytes() == before


@few
@games
def test_a_log_changes_nothing_but_itself(seed: int) -> None:
    for state in random_game(Random(seed)):
        for action in state.actions:
            telling, silent = state.clone(), state.clone()
            telling.log = []
            telling.act(action)
            silent.act(action)
            assert telling.to_bytes() == silent.to_bytes()
            assert telling.log
            assert silent.log is None
