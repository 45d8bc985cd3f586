"""Every decision of the game as a number 0..36, and as the text that people type.

| number | text           | meaning                                                    |
|--------|----------------|------------------------------------------------------------|
| 0      | draw           | take the top card of the pile                              |
| 1      | call           | end the round after the opponent's last turn               |
| 2..6   | discard 1..5   | discard the card of this district, the drawn one takes over|
| 7      | discard drawn  | discard the card just drawn                                |
| 8..12  | reveal 1..5    | effect 1: turn up one's own card in this district          |
| 13..17 | expose 1..5    | effect 3: turn up the opponent's card in this district     |
| 18..27 | swap 1 2..     | effect 4: exchange two of one's own cards                  |
| 28..32 | exchange 1..5  | effect 6: exchange the two cards of this district          |
| 33..36 | trump red..    | effect 7: exchange the trump with this colour              |

People count districts from 1, the program from 0.
"""

from itertools import combinations
from typing import Final

from engine.board import DISTRICTS
from engine.cards import COLOURS
from engine.errors import MalformedActionError

PAIRS: Final = tuple(combinations(range(DISTRICTS), 2))

DRAW: Final = 0
CALL: Final = 1
DISCARD: Final = 2
DRAWN: Final = DISTRICTS
"""`DISCARD + DRAWN` discards the drawn card, as if it lay in a sixth district."""
REVEAL: Final = DISCARD + DISTRICTS + 1
EXPOSE: Final = REVEAL + DISTRICTS
SWAP: Final = EXPOSE + DISTRICTS
EXCHANGE: Final = SWAP + len(PAIRS)
TRUMP: Final = EXCHANGE + DISTRICTS
ACTIONS: Final = TRUMP + len(COLOURS)
"""How many actions there are."""

Actions = tuple[int, ...]


def _by_mask(first: int, size: int) -> tuple[Actions, ...]:
    """For each set of targets, as a mask of `size` bits, the actions that choose one of them."""
    return tuple(
        tuple(first + target for target in range(size) if mask >> target & 1)
        for mask in range(1 << size)
    )


DRAW_OR_CALL: Final[Actions] = (DRAW, CALL)
DISCARDS: Final = _by_mask(DISCARD, DISTRICTS + 1)
REVEALS: Final = _by_mask(REVEAL, DISTRICTS)
EXPOSES: Final = _by_mask(EXPOSE, DISTRICTS)
SWAPS: Final[Actions] = tuple(range(SWAP, EXCHANGE))
EXCHANGES: Final[Actions] = tuple(range(EXCHANGE, TRUMP))
TRUMPS: Final = tuple(
    tuple(TRUMP + colour for colour in range(len(COLOURS)) if colour != trump)
    for trump in range(len(COLOURS))
)
"""For each trump the actions that exchange it with another colour."""


def _names() -> tuple[str, ...]:
    districts = range(1, DISTRICTS + 1)
    return (
        "draw",
        "call",
        *(f"discard {district}" for district in districts),
        "discard drawn",
        *(f"reveal {district}" for district in districts),
        *(f"expose {district}" for district in districts),
        *(f"swap {first + 1} {second + 1}" for first, second in PAIRS),
        *(f"exchange {district}" for district in districts),
        *(f"trump {colour}" for colour in COLOURS),
    )


_NAMES: Final = _names()
_NUMBERS: Final = {name: action for action, name in enumerate(_NAMES)} | {
    f"swap {second + 1} {first + 1}": SWAP + pair for pair, (first, second) in enumerate(PAIRS)
}
_USAGE: Final = {
    "draw": '"draw" stands alone',
    "call": '"call" stands alone',
    "discard": f'"discard" needs a district 1 to {DISTRICTS} or the word drawn',
    "reveal": f'"reveal" needs a district 1 to {DISTRICTS}',
    "expose": f'"expose" needs a district 1 to {DISTRICTS}',
    "swap": f'"swap" needs two different districts 1 to {DISTRICTS}',
    "exchange": f'"exchange" needs a district 1 to {DISTRICTS}',
    "trump": f'"trump" needs a colour: {", ".join(COLOURS)}',
}


def action_name(action: int) -> str:
    """The action as people type it, for example "swap 1 3".

    Raises `MalformedActionError` if there is no such action.
    """
    if 0 <= action < ACTIONS:
        return _NAMES[action]
    raise MalformedActionError(f"actions are numbered 0 to {ACTIONS - 1}, not {action}")


def parse_action(text: str) -> int:
    """The action that `text` names; capitals and the amount of white space do not matter.

    Raises `MalformedActionError` with a hint for the one who typed it.  Whether the action is
    allowed now is a question for the state.
    """
    words = text.lower().split()
    action = _NUMBERS.get(" ".join(words))
    if action is not None:
        return action
    if not words:
        raise MalformedActionError(f"nothing was typed; actions begin with {', '.join(_USAGE)}")
    usage = _USAGE.get(words[0], f"actions begin with {', '.join(_USAGE)}")
    raise MalformedActionError(f"cannot read {text.strip()[:40]!r}: {usage}")
