"""What a player may know, and that nothing else reaches them."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import DECK, DRACULA, HELSING, UNKNOWN, Phase, State, UnexpectedAnswerError
from tests.engine.helpers import PLAIN, Dealer, deal_open, play, random_game, situation

games = given(seed=st.integers(0, 2**32 - 1), player=st.sampled_from((DRACULA, HELSING)))
few = settings(max_examples=20, deadline=None)


@few
@games
def test_an_imagined_game_keeps_what_the_player_knows(seed: int, player: int) -> None:
    rng = Random(seed)
    for state in random_game(rng):
        view = state.view(player)
        imagined = view.determinize(rng, player)
        assert imagined.open
        assert sorted(imagined.faces) == list(range(DECK))
        assert imagined.view(player).to_bytes() == view.to_bytes()
        assert imagined.public_bytes() == state.public_bytes()
        if state.player == player:
            assert imagined.actions == state.actions


@few
@games
def test_an_imagined_game_does_not_depend_on_what_else_the_copy_sees(
    seed: int, player: int
) -> None:
    for state in random_game(Random(seed)):
        from_open = state.determinize(Random(seed), player)
        from_view = state.view(player).determinize(Random(seed), player)
        assert from_open.to_bytes() == from_view.to_bytes()


@few
@games
def test_cards_a_player_may_not_know_do_not_change_their_view(seed: int, player: int) -> None:
    rng = Random(seed)
    dealer = Dealer.shuffling(rng)
    state = deal_open(State.new(), dealer)
    history = []
    hidden = 0
    while state.actions:
        hidden = ~state.known[player]
        action = rng.choice(state.actions)
        history.append((state.view(player).to_bytes(), state.view(player).actions, action))
        state.act(action)

    deck = dealer.decks[0]
    unknown = [handle for handle in range(DECK) if hidden >> handle & 1]
    permuted = rng.sample(unknown, len(unknown))
    other = list(deck)
    for handle, source in zip(unknown, permuted, strict=True):
        other[handle] = deck[source]
    state = State.new()
    state.ordered(dealer.ranking)
    state.shuffled(other)
    for view, actions, action in history:
        assert state.view(player).to_bytes() == view
        assert state.view(player).actions == actions
        state.act(action)


def test_players_know_what_lies_in_front_of_them_and_what_is_public() -> None:
    state = play(situation(pile="b2"), "discard drawn")
    racks = (0b11111, 0b11111 << 5)
    public = 1 << 10 | 1 << 11
    assert state.hand == 11
    assert state.known == (racks[0] | public, racks[1] | public)


def test_nobody_knows_a_card_before_it_is_shown() -> None:
    dealer = Dealer(PLAIN, [list(range(DECK))])
    state = State.new()
    assert state.known == (0, 0)
    dealer.step(state)
    assert state.known == (0, 0)
    dealer.step(state)
    assert (state.phase, state.known) == (Phase.DEAL_HELSING, (0, 0))
    dealer.step(state)
    assert state.known == (0, 0b11111 << 5)
    dealer.step(state)
    assert (state.phase, state.known) == (Phase.DRAWING, (0b11111, 0b11111 << 5))
    dealer.step(state)
    assert state.known == (0b11111 | 1 << 10, 0b11111 << 5)


def test_a_view_lets_the_opponent_discard_what_might_be_legal() -> None:
    state = situation("r8", pile="p8")
    assert len(state.actions) == 4
    assert len(state.view(HELSING).actions) == 6
    assert state.view(DRACULA).actions == state.actions


def test_a_view_hides_the_rest() -> None:
    state = situation()
    view = state.view(HELSING)
    assert [handle for handle, face in enumerate(view.faces) if face != UNKNOWN] == [5, 6, 7, 8, 9]
    assert not view.open


def test_games_are_imagined_only_where_somebody_decides() -> None:
    state = Dealer(PLAIN, [list(range(DECK))], DRACULA).answer(State.new())
    state.act(state.actions[0])
    assert state.phase is Phase.DISCARDED
    with pytest.raises(UnexpectedAnswerError, match="DISCARDED"):
        state.determinize(Random(1), DRACULA)


def test_games_are_imagined_only_from_what_the_player_sees() -> None:
    state = situation().view(HELSING)
    with pytest.raises(UnexpectedAnswerError, match="does not see"):
        state.determinize(Random(1), DRACULA)


def test_every_arrangement_of_the_unknown_cards_comes_up() -> None:
    state = play(situation(discarded=20), "draw")
    rng = Random(1)
    seen = {state.determinize(rng, DRACULA).faces[5] for _ in range(200)}
    assert len(seen) == 6, "Van Helsing's five cards, and the one that is left in the pile"
