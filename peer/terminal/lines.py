"""Paragraphs cut into lines, by cells: a Chinese character takes two of them."""

import re
from typing import Final

from rich.cells import cell_len

from peer.speech import spoken

WIDTH: Final = 79
"""For pages of text: a terminal of 80 columns, less one for those that wrap at the last."""
_NEVER_FIRST: Final = "，。、；：！？）」』》…"  # noqa: RUF001
_NEVER_LAST: Final = "（「『《"  # noqa: RUF001


def wrapped(text: str, width: int = WIDTH, *, indent: str = "") -> list[str]:
    """The lines of a paragraph; `indent` stands before each but the first."""
    lines = []
    line = ""
    for piece in _pieces(text):
        if line.strip() and cell_len(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = indent
        line += piece if line.strip() else piece.lstrip()
    return [*lines, line.rstrip()]


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph of ours."""
    return [part for part in re.split(r"(?<=\.) |(?<=。)", text) if part]


def _pieces(text: str) -> list[str]:
    """What must not be broken: words, or characters with the marks that belong to them."""
    if spoken().has_spaces:
        return re.findall(r" *[^ ]+", text)  # a no-break space is none to break at
    word = r"[\x21-\x7e]+"
    return re.findall(
        rf"\s*(?:[{_NEVER_LAST}]*(?:{word}|[^\s])[{_NEVER_FIRST}]*)",
        text,
    )
