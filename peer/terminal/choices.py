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
from engine.cards import DECK, UNKNOWN, VALUE
from engine.phases import DISCARDING, TURN
from engine.state import State
from peer.narration import card_words, colour_word
from peer.speech import mark, sentences, tr

EFFECTS: Final = (
    mark("turn up one of your own cards"),
    mark("turn up the top card of the pile"),
    mark("turn up one of your opponent's cards"),
    mark("exchange two of your own cards"),
    mark("take another turn"),
    mark("exchange cards with your opponent"),
    mark("exchange the trump"),
    mark("end the round at once"),
)
"""What discarding a card does, for the values 1 to 8."""

_QUESTIONS: Final = {
    1: mark("Effect 1: which of your cards do you turn up?"),
    3: mark("Effect 3: which of your opponent's cards do you turn up?"),
    4: mark("Effect 4: which two of your cards change places?"),
    6: mark("Effect 6: in which district do the two cards change owners?"),
    7: mark("Effect 7: which colour becomes the trump?"),
}
_USAGE: Final = {
    "draw": mark('"draw" stands alone.'),
    "call": mark('"call" stands alone.'),
    "discard": mark('"discard" needs a district 1 to 5, or the word drawn.'),
    "reveal": mark('"reveal" needs a district 1 to 5.'),
    "expose": mark('"expose" needs a district 1 to 5.'),
    "swap": mark('"swap" needs two different districts 1 to 5.'),
    "exchange": mark('"exchange" needs a district 1 to 5.'),
    "trump": mark('"trump" needs a colour: red, purple, yellow or blue.'),
}
"""How each action is typed.  What is typed is English in every language."""


def question(view: State) -> str:
    """What `view.player` is asked now."""
    if view.phase is TURN:
        return tr("Your turn: draw a card, or call?")
    if view.phase is DISCARDING:
        return sentences(
            drawn_sentence(view), tr("Which card do you discard?"), _why_no_eight(view)
        )
    return tr(_QUESTIONS[view.last_value])


def drawn_sentence(view: State) -> str:
    """What the player who is to discard has drawn."""
    return tr("You drew the {card}.", card=card_words(view.faces[view.hand]))


def describe(view: State, action: int, *, brief: bool = False) -> str:
    """What `action` would do for `view.player`, who sees `view`.  `brief` fits in one line."""
    if action == DRAW:
        top = _top(view)
        if top == UNKNOWN:
            return tr("draw a card from the pile")
        return tr("draw the {card}", card=card_words(top))
    if action == CALL:
        return tr("call: your opponent has one last turn, then the round ends")
    if action < REVEAL:
        return _describe_discard(view, action - DISCARD, brief=brief)
    if action < EXPOSE:
        district = action - REVEAL
        own = card_words(_own(view, district))
        return tr("turn up your {card} in district {district}", card=own, district=district + 1)
    if action < SWAP:
        return _describe_exposing(view, action - EXPOSE)
    if action < EXCHANGE:
        first, second = PAIRS[action - SWAP]
        return tr(
            _SWAP_BRIEF if brief else _SWAP,
            first=first + 1,
            second=second + 1,
            one=card_words(_own(view, first)),
            other=card_words(_own(view, second)),
        )
    if action < TRUMP:
        return _describe_exchange(view, action - EXCHANGE)
    return tr(
        "make {colour} the trump; {trump} takes its rank",
        colour=colour_word(action - TRUMP),
        trump=colour_word(view.ranking[0]),
    )


def hint(view: State) -> str:
    """How to answer, for someone whose answer could not be read."""
    return tr(
        'Type a number from 1 to {n}, or words like "{example}".',
        n=len(view.actions),
        example=action_name(view.actions[0]),
    )


def usage(words: str) -> str:
    """What is wrong with `words`, which name no action."""
    verb = words.lower().split()[0]
    if verb in _USAGE:
        return tr(_USAGE[verb])
    return tr("Actions begin with {verbs}.", verbs=", ".join(_USAGE))


def _describe_discard(view: State, source: int, *, brief: bool) -> str:
    drawn = view.faces[view.hand]
    is_drawn = source == DRAWN
    face = drawn if is_drawn else _own(view, source)
    if is_drawn:
        what = _DISCARD_DRAWN_BRIEF if brief else _DISCARD_DRAWN
    else:
        what = _DISCARD_BRIEF if brief else _DISCARD
    return tr(
        what,
        card=card_words(face),
        district=source + 1,
        drawn=card_words(drawn),
        value=VALUE[face],
        effect=tr(EFFECTS[VALUE[face] - 1]),
    )


_DISCARD: Final = mark(
    "discard the {card} from district {district}, the drawn {drawn} takes its place; "
    "effect {value}: {effect}"
)
_DISCARD_BRIEF: Final = mark("discard {card} from district {district}; effect {value}: {effect}")
_DISCARD_DRAWN: Final = mark("discard the {card} just drawn; effect {value}: {effect}")
_DISCARD_DRAWN_BRIEF: Final = mark("discard the drawn {card}; effect {value}: {effect}")


_SWAP: Final = mark("exchange your {one} in district {first} and your {other} in district {second}")
_SWAP_BRIEF: Final = mark("{first} and {second}: {one} and {other}")
_EXCHANGE: Final = mark("give your {card} in district {district} for your opponent's {other}")
_EXCHANGE_HIDDEN: Final = mark(
    "give your {card} in district {district} for your opponent's hidden card"
)


def _describe_exposing(view: State, district: int) -> str:
    face = _theirs(view, district)
    if face == UNKNOWN:
        return tr(
            "turn up your opponent's hidden card in district {district}", district=district + 1
        )
    return tr(
        "turn up your opponent's {card} in district {district}",
        card=card_words(face),
        district=district + 1,
    )


def _describe_exchange(view: State, district: int) -> str:
    face = _theirs(view, district)
    return tr(
        _EXCHANGE_HIDDEN if face == UNKNOWN else _EXCHANGE,
        card=card_words(_own(view, district)),
        other=card_words(face),
        district=district + 1,
    )


def _why_no_eight(view: State) -> str:
    """Why an 8 is not among the choices, if the player holds one."""
    first = DISTRICTS * view.player
    held = (*view.rack[first : first + DISTRICTS], view.hand)
    lying = len(view.discards)
    if lying >= DISCARDS_TO_END or all(VALUE[view.faces[handle]] != 8 for handle in held):
        return ""
    return tr("(An 8 needs {needed} discards; now {lying}.)", needed=DISCARDS_TO_END, lying=lying)


def _top(view: State) -> int:
    lies_up = view.top < DECK and view.face_up >> TOP & 1
    return view.faces[view.top] if lies_up else UNKNOWN


def _own(view: State, district: int) -> int:
    return view.faces[view.rack[DISTRICTS * view.player + district]]


def _theirs(view: State, district: int) -> int:
    return view.faces[view.rack[DISTRICTS * (1 - view.player) + district]]
