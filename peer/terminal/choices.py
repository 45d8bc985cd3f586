"""What can be chosen, in words: the question of the moment and each legal answer."""

from typing import Final

from engine.actions import (
    CALL,
    DISCARD,
    DRAW,
    DRAWN,
    EXCHANGE,
    EXPOSE,
    PAIRS,
    REVEAL,
    SWAP,
    TRUMP,
    action_name,
)
from engine.board import DISCARDS_TO_END, DISTRICTS, TOP
from engine.cards import COLOURS, DECK, UNKNOWN, VALUE, card_name
from engine.phases import DISCARDING, TURN
from engine.state import State

EFFECTS: Final = (
    "turn up one of your own cards",
    "turn up the top card of the pile",
    "turn up one of your opponent's cards",
    "exchange two of your own cards",
    "take another turn",
    "exchange cards with your opponent",
    "exchange the trump",
    "end the round at once",
)
"""What discarding a card does, for the values 1 to 8."""

_QUESTIONS: Final = {
    1: "Effect 1: which of your cards do you turn up?",
    3: "Effect 3: which of your opponent's cards do you turn up?",
    4: "Effect 4: which two of your cards change places?",
    6: "Effect 6: in which district do the two cards change owners?",
    7: "Effect 7: which colour becomes the trump?",
}


def question(view: State) -> str:
    """What `view.player` is asked now."""
    if view.phase is TURN:
        return "Your turn: draw a card, or call?"
    if view.phase is DISCARDING:
        return f"{drawn_sentence(view)} Which card do you discard?{_too_early(view)}"
    return _QUESTIONS[view.last_value]


def drawn_sentence(view: State) -> str:
    """What the player who is to discard has drawn."""
    return f"You drew the {card_name(view.faces[view.hand])}."


def describe(view: State, action: int, *, brief: bool = False) -> str:
    """What `action` would do for `view.player`, who sees `view`.  `brief` fits in one line."""
    if action == DRAW:
        top = _top(view)
        return "draw a card from the pile" if top == UNKNOWN else f"draw the {card_name(top)}"
    if action == CALL:
        return "call: your opponent has one last turn, then the round ends"
    if action < REVEAL:
        return _describe_discard(view, action - DISCARD, brief=brief)
    if action < EXPOSE:
        district = action - REVEAL
        return f"turn up your {_own(view, district)} in district {district + 1}"
    if action < SWAP:
        district = action - EXPOSE
        return f"turn up your opponent's {_theirs(view, district)} in district {district + 1}"
    if action < EXCHANGE:
        first, second = PAIRS[action - SWAP]
        one, other = _own(view, first), _own(view, second)
        if brief:
            return f"{first + 1} and {second + 1}: {one} and {other}"
        return (
            f"exchange your {one} in district {first + 1} and your {other} in district {second + 1}"
        )
    if action < TRUMP:
        district = action - EXCHANGE
        return (
            f"give your {_own(view, district)} in district {district + 1} "
            f"for your opponent's {_theirs(view, district)}"
        )
    promoted, trump = COLOURS[action - TRUMP], COLOURS[view.ranking[0]]
    return f"make {promoted} the trump; {trump} takes its rank"


def hint(view: State) -> str:
    """How to answer, for someone whose answer could not be read."""
    example = action_name(view.actions[0])
    return f'Type a number from 1 to {len(view.actions)}, or words like "{example}".'


def _describe_discard(view: State, source: int, *, brief: bool) -> str:
    if source == DRAWN:
        face = view.faces[view.hand]
        what = f"discard the {card_name(face)} just drawn"
        brief_what = f"discard the drawn {card_name(face)}"
    else:
        face = view.faces[view.rack[DISTRICTS * view.player + source]]
        brief_what = f"discard {card_name(face)} from district {source + 1}"
        what = (
            f"discard the {card_name(face)} from district {source + 1}, "
            f"the drawn {card_name(view.faces[view.hand])} takes its place"
        )
    value = VALUE[face]
    return f"{brief_what if brief else what}; effect {value}: {EFFECTS[value - 1]}"


def _too_early(view: State) -> str:
    """Why an 8 is not among the choices, if the player holds one."""
    first = DISTRICTS * view.player
    held = (*view.rack[first : first + DISTRICTS], view.hand)
    lying = len(view.discards)
    if lying >= DISCARDS_TO_END or all(VALUE[view.faces[handle]] != 8 for handle in held):
        return ""
    return f" (An 8 needs {DISCARDS_TO_END} discards; now {lying}.)"


def _top(view: State) -> int:
    lies_up = view.top < DECK and view.face_up >> TOP & 1
    return view.faces[view.top] if lies_up else UNKNOWN


def _own(view: State, district: int) -> str:
    return card_name(view.faces[view.rack[DISTRICTS * view.player + district]])


def _theirs(view: State, district: int) -> str:
    face = view.faces[view.rack[DISTRICTS * (1 - view.player) + district]]
    return "hidden card" if face == UNKNOWN else card_name(face)
