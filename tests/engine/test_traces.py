"""The games of spec/vectors/rules.json, played again as its README says, by every kind of copy."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest

from engine import (
    ACTIONS,
    DRACULA,
    HELSING,
    Choose,
    Decided,
    Ending,
    Over,
    RoundEnd,
    Skip,
    State,
)
from engine.events import DistrictScored, EffectSkipped, Event, GameOver, RoundEnded
from tests.engine.helpers import Dealer

PATH: Final = Path(__file__).parents[2] / "spec" / "vectors" / "rules.json"
FILE: Final[dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8"))
ENDINGS: Final = {
    "four-vampires": Ending.FOUR_VAMPIRES,
    "no-health": Ending.NO_HEALTH,
    "five-rounds": Ending.FIVE_ROUNDS,
}
SOME: Final = 200


def numbers(letters: str) -> list[int]:
    return [FILE["alphabet"].index(letter) for letter in letters]


def replay(game: str, seat: int | None) -> list[Event]:
    """Play a game in the copy of `seat`, or of nobody; compares, and returns what happened."""
    hp, ranking, winner, ending, *rest = game.split(" ")
    decks = [numbers(deck) for deck in rest[0::3]]
    dealer = Dealer([int(digit) for digit in ranking], decks, seat)
    state = State.new(int(hp))
    state.log = []
    for number, (letters, expected) in enumerate(zip(rest[1::3], rest[2::3], strict=True)):
        actions = iter(numbers(letters))
        digest = sha256()
        while not state.is_over and state.round == number:
            if not dealer.step(state):
                action = next(actions)
                assert isinstance(state.pending, Choose)
                assert action in state.pending.actions
                state.act(action)
            digest.update(state.public_bytes())
        assert digest.hexdigest()[:16] == expected, f"round {number} of {game}"
        assert not list(actions)
    assert isinstance(state.pending, Over)
    assert state.pending.winner == int(winner)
    assert state.pending.reason == ENDINGS[ending].value
    return state.log


def test_who_only_watches_sees_all_games_as_they_are_written() -> None:
    happened = [event for game in FILE["games"] for event in replay(game, None)]
    assert {event.why for event in happened if isinstance(event, EffectSkipped)} == set(Skip)
    assert {event.why for event in happened if isinstance(event, RoundEnded)} == set(RoundEnd)
    assert {event.why for event in happened if isinstance(event, DistrictScored)} == set(Decided)
    assert {event.why for event in happened if isinstance(event, GameOver)} == set(Ending)


@pytest.mark.parametrize("seat", [DRACULA, HELSING])
def test_the_players_see_the_same(seat: int) -> None:
    for game in FILE["games"][:SOME]:
        replay(game, seat)


def test_every_action_occurs() -> None:
    letters = {
        letter for game in FILE["games"] for word in game.split(" ")[5::3] for letter in word
    }
    assert sorted(numbers("".join(letters))) == list(range(ACTIONS))
