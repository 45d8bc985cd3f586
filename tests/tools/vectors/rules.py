"""The vectors of the rules: random games, written down as closely as they can be read.

No cards are masked here, so that a great many games fit into one file.
"""

import hashlib
from random import Random
from typing import Final

from engine import DECK, DISTRICTS, STANDARD_HP, VALUE, Ending, State
from engine.actions import CALL, DISCARD, DRAWN
from engine.scoring import outcome
from tests.engine.helpers import Dealer, deal_open
from tests.tools.vectors.chance import Json

GAMES: Final = 1200
SEED: Final = 1897
ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
HASH_SIZE: Final = 8

HPS: Final = (STANDARD_HP - 1, STANDARD_HP, STANDARD_HP + 1)
ENDING_NAMES: Final = {
    Ending.FOUR_VAMPIRES: "four-vampires",
    Ending.NO_HEALTH: "no-health",
    Ending.FIVE_ROUNDS: "five-rounds",
}


def rules() -> Json:
    """rules.json"""
    chance = Random(SEED)
    return {
        "about": "random games by the rules alone, with hashes of the public bytes of each round",
        "section": "14.3",
        "rules_sections": ["8", "9"],
        "alphabet": ALPHABET,
        "games": [_game(chance, number) for number in range(GAMES)],
    }


def _below(limit: int, chance: Random) -> int:
    # Only random() is promised to give the same numbers in every version of Python.
    return int(chance.random() * limit)


def _shuffled(size: int, chance: Random) -> list[int]:
    cards = list(range(size))
    for last in range(size - 1, 0, -1):
        other = _below(last + 1, chance)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


def _letters(numbers: list[int]) -> str:
    return "".join(ALPHABET[number] for number in numbers)


def _game(chance: Random, number: int) -> str:
    """A game as it stands in the file: a witness plays it, an open copy says what is legal."""
    hp = HPS[_below(len(HPS), chance)]
    ranking = _shuffled(4, chance)
    decks: list[list[int]] = []
    dealer = Dealer(ranking, decks)
    witness, seer = State.new(hp), State.new(hp)
    words: list[str] = []
    while not witness.is_over:
        decks.append(_shuffled(DECK, chance))
        actions, digest = _round(witness, seer, dealer, chance, patient=number % 3 > 0)
        words += (_letters(decks[-1]), _letters(actions), digest[:HASH_SIZE].hex())
    winner, ending = outcome(witness)
    head = (str(hp), "".join(map(str, ranking)), str(winner), ENDING_NAMES[ending])
    return " ".join((*head, *words))


def _round(
    witness: State, seer: State, dealer: Dealer, chance: Random, *, patient: bool
) -> tuple[list[int], bytes]:
    """Play a round in both copies; returns its actions and the hash of the public bytes."""
    playing = witness.round
    actions: list[int] = []
    digest = hashlib.sha256()
    while not witness.is_over and witness.round == playing:
        if not dealer.step(witness):
            actions.append(_choice(deal_open(seer, dealer), chance, patient=patient))
            seer.act(actions[-1])
            witness.act(actions[-1])
        digest.update(witness.public_bytes())
    return actions, digest.digest()


def _choice(seer: State, chance: Random, *, patient: bool) -> int:
    """Any legal action; of the patient, any that doesn't end the round.

    Pure chance calls and discards 8s so soon that piles hardly ever run out.
    """
    actions = [action for action in seer.actions if not (patient and _ends_round(seer, action))]
    return actions[_below(len(actions), chance)]


def _ends_round(seer: State, action: int) -> bool:
    """Whether it is a call, or discards an 8."""
    place = action - DISCARD
    if not 0 <= place <= DRAWN:
        return action == CALL
    handle = seer.hand if place == DRAWN else seer.rack[DISTRICTS * seer.player + place]
    return VALUE[seer.faces[handle]] == 8
