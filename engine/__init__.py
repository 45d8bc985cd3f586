"""The rules of the card game: pure, deterministic, without network and cryptography.

    state = State.new()
    state.ordered((2, 0, 3, 1))          # answers state.pending, an Order
    state.shuffled(deck)                 # with a known deck everything is seen: an open copy
    state.act(parse_action("discard 3"))

A copy of the game that sees only some cards is told of them by `disclosed`.  This is an
unofficial implementation of *Dracula vs. Van Helsing*.
"""

from engine.actions import ACTIONS, action_name, parse_action
from engine.board import (
    DISTRICTS,
    DRACULA,
    HELSING,
    INHABITANTS,
    NONE,
    PLAYER_NAMES,
    ROUNDS,
    STANDARD_HP,
)
from engine.cards import COLOUR, COLOURS, DECK, STRENGTHS, UNKNOWN, VALUE, card, card_name
from engine.errors import (
    IllegalActionError,
    InvalidAnswerError,
    InvalidOptionsError,
    MalformedActionError,
    MalformedStateError,
    RulesError,
    UnexpectedAnswerError,
)
from engine.events import Decided, Ending, Event, RoundEnd, Skip
from engine.phases import Phase
from engine.requests import Choose, Disclose, Order, Over, Request, Shuffle
from engine.state import State

__all__ = [
    "ACTIONS",
    "COLOUR",
    "COLOURS",
    "DECK",
    "DISTRICTS",
    "DRACULA",
    "HELSING",
    "INHABITANTS",
    "NONE",
    "PLAYER_NAMES",
    "ROUNDS",
    "STANDARD_HP",
    "STRENGTHS",
    "UNKNOWN",
    "VALUE",
    "Choose",
    "Decided",
    "Disclose",
    "Ending",
    "Event",
    "IllegalActionError",
    "InvalidAnswerError",
    "InvalidOptionsError",
    "MalformedActionError",
    "MalformedStateError",
    "Order",
    "Over",
    "Phase",
    "Request",
    "RoundEnd",
    "RulesError",
    "Shuffle",
    "Skip",
    "State",
    "UnexpectedAnswerError",
    "action_name",
    "card",
    "card_name",
    "parse_action",
]
