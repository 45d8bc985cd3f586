"""How cards, colours and people look: always a shape and a letter, colour only on top.

The shapes are the four plainest that every monospaced font has.  None has an emoji form, which
some terminals would draw two cells wide.  Card colours come with a background of their own, so
that they can be read on dark and on light terminals.
"""

import re
from typing import Final

from rich.style import Style
from rich.text import Text

from engine.cards import COLOUR, COLOURS, UNKNOWN, VALUE

SHAPES: Final = ("◆", "●", "▲", "■")
LETTERS: Final = tuple(name[0].upper() for name in COLOURS)

CARD: Final = tuple(
    Style(color=ink, bgcolor=paper, bold=True)
    for ink, paper in (
        ("#ffffff", "#b3202a"),
        ("#ffffff", "#6f3aa8"),
        ("#1a1400", "#e2b62b"),
        ("#ffffff", "#1f5fbf"),
    )
)
BACK: Final = Style(color="#8f9bc4", bgcolor="#232a4a")
SKY: Final = Style(color="#c9d3f5", bgcolor="#141a33")
MOON: Final = Style(color="#f7e9b0", bgcolor="#141a33", bold=True)
STONES: Final = Style(color="#46507f", bgcolor="#141a33")
ROOF: Final = Style(color="#7f6a5f")
SIGN: Final = Style(color="#f7e9b0", bgcolor="#59453c", bold=True)
HUMAN: Final = Style(color="#2b2000", bgcolor="#f3d583")
VAMPIRE: Final = Style(color="#ffffff", bgcolor="#7a0d18", bold=True)
BLOOD: Final = Style(color="#c0303a")
FAINT: Final = Style(dim=True)
STRONG: Final = Style(bold=True)

HUMAN_MARK: Final = "☻H"
VAMPIRE_MARK: Final = "▼V"
BACK_MARK: Final = "░░░"


def chip(face: int) -> Text:
    """A card in three cells: shape, letter, value; or its back."""
    if face == UNKNOWN:
        return Text(BACK_MARK, BACK)
    colour = COLOUR[face]
    return Text(f"{SHAPES[colour]}{LETTERS[colour]}{VALUE[face]}", CARD[colour])


def colour_chip(colour: int) -> Text:
    """A colour in two cells: shape and letter."""
    return Text(f"{SHAPES[colour]}{LETTERS[colour]}", CARD[colour])


_NAMED: Final = re.compile(rf"\b({'|'.join(COLOURS)})\b(?: ([1-8])\b)?")


def dressed(words: str, style: Style | str = "") -> Text:
    """A sentence of ours in which cards and colours are put as chips."""
    text = Text()
    end = 0
    for match in _NAMED.finditer(words):
        colour = COLOURS.index(match[1])
        text.append(words[end : match.start()], style)
        if match[2]:
            text.append_text(chip(colour * 8 + int(match[2]) - 1))
        else:
            text.append_text(colour_chip(colour)).append(f" {match[1]}", style)
        end = match.end()
    return text.append(words[end:], style)
