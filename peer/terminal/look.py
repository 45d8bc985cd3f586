"""How cards, colours and people look: always a shape and a letter, colour only on top.

The shapes are the four plainest that every monospaced font has.  None has an emoji form, which
some terminals would draw two cells wide.  Card colours come with a background of their own, so
that they can be read on dark and on light terminals.
"""

import re
from functools import cache
from typing import Final

from rich.style import Style
from rich.text import Text

from engine.cards import COLOUR, COLOURS, DECK, UNKNOWN, VALUE
from peer.languages import Language
from peer.narration import card_words, colour_word
from peer.speech import markc, speaking, spoken, trc

SHAPES: Final = ("◆", "●", "▲", "■")
_ONE_CELL: Final = "one letter, one cell wide in a terminal"
LETTERS: Final = (
    markc("one letter, one cell wide in a terminal", "R"),
    markc("one letter, one cell wide in a terminal", "P"),
    markc("one letter, one cell wide in a terminal", "Y"),
    markc("one letter, one cell wide in a terminal", "B"),
)

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

BACK_MARK: Final = "░░░"


def human_mark() -> str:
    """A human in two cells."""
    return "☻" + trc("one letter, one cell wide in a terminal", "H")


def vampire_mark() -> str:
    """A vampire in two cells."""
    return "▼" + trc("one letter, one cell wide in a terminal", "V")


def letter(colour: int) -> str:
    """What stands for a colour beside its shape."""
    return trc(_ONE_CELL, LETTERS[colour])


def chip(face: int) -> Text:
    """A card in three cells: shape, letter, value; or its back."""
    if face == UNKNOWN:
        return Text(BACK_MARK, BACK)
    colour = COLOUR[face]
    return Text(f"{SHAPES[colour]}{letter(colour)}{VALUE[face]}", CARD[colour])


def colour_chip(colour: int) -> Text:
    """A colour in two cells: shape and letter."""
    return Text(f"{SHAPES[colour]}{letter(colour)}", CARD[colour])


@cache
def _named(language: Language) -> tuple[re.Pattern[str], dict[str, int], dict[str, int]]:
    """What finds the names of cards and colours in a sentence, and what they mean."""
    with speaking(language):
        cards = {card_words(face): face for face in range(DECK)}
        colours = {colour_word(colour): colour for colour in range(len(COLOURS))}
    names = "|".join(map(re.escape, (*cards, *colours)))  # a card begins as its colour may
    pattern = rf"\b(?:{names})\b" if language.has_spaces else rf"(?:{names})(?![0-9])"
    return re.compile(pattern), cards, colours


def dressed(words: str, style: Style | str = "") -> Text:
    """A sentence of ours in which cards and colours are put as chips."""
    text = Text()
    end = 0
    pattern, cards, colours = _named(spoken())
    for match in pattern.finditer(words):
        text.append(words[end : match.start()], style)
        if match[0] in cards:
            text.append_text(chip(cards[match[0]]))
        else:
            text.append_text(colour_chip(colours[match[0]])).append(f" {match[0]}", style)
        end = match.end()
    return text.append(words[end:], style)
