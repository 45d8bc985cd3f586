"""How things reach the console: as a picture, or as plain lines.

Plain is for pipes, screen readers and terminals too small or too simple for the picture: no
escape codes, no box drawing, nothing repeated unasked.
"""

from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from engine.state import State
from peer.speech import tr
from peer.terminal.board import MIN_WIDTH, TABLE_LINES, render_board
from peer.terminal.choices import describe, question
from peer.terminal.lines import split_sentences
from peer.terminal.look import STRONG, dressed
from peer.terminal.words import board_words

_TALL: Final = 30
_FEWEST_LINES: Final = 3
_LONGEST_LIST: Final = 6


def wants_plain(console: Console) -> bool:
    """Whether this console can't show the picture."""
    return (
        not console.is_terminal
        or console.is_dumb_terminal
        or console.width < MIN_WIDTH
        or not console.encoding.lower().startswith("utf")
    )


class Display:
    """Writes to a console.  Takes sentences and views, and decides how they look."""

    def __init__(self, console: Console, *, plain: bool = False) -> None:
        self._console = console
        self.is_plain = plain or wants_plain(console)
        self._is_asking = False

    def say(self, words: str, style: Style | str = "") -> None:
        """A sentence of ours, in which cards are named in words."""
        self._print(Text(words) if self.is_plain else dressed(words, style))

    def quote(self, words: str, style: Style | str = "") -> None:
        """A line with words of a stranger in it, made `printable`: nothing is read into them."""
        self._print(Text(words, "" if self.is_plain else style))

    def ask(self) -> None:
        """The mark behind which an answer is typed."""
        if not self.is_plain:
            self._console.print(Text("> ", STRONG), end="")
            self._is_asking = True

    def was_answered(self, *, enter: bool) -> None:
        """The answer has come.  Without Enter the cursor still stands behind the mark."""
        if self._is_asking and not enter:
            self._console.print()
        self._is_asking = False

    def interrupt(self, words: str) -> None:
        """`quote` in between, even where an answer is being typed."""
        is_asking = self._is_asking
        self.quote(words, STRONG)
        if is_asking:
            self.ask()

    def ring(self) -> None:
        """A sound, where there is someone to hear it."""
        if not self.is_plain:
            self._console.bell()

    def board(self, view: State, player: int, opponent: str) -> None:
        """The whole board: a picture, or lines that tell the same."""
        if self.is_plain:
            self.lines(board_words(view, player, opponent=opponent))
        else:
            width = self._console.width
            self._console.print(
                render_board(view, player, opponent=opponent, width=width, sky=self._sky)
            )

    def page(
        self, view: State, player: int, opponent: str, recent: Iterable[Text], below: int
    ) -> None:
        """A fresh screen: the board, and of `recent` what leaves room for `below` lines."""
        self._clear()
        self.board(view, player, opponent)
        console = self._console
        lines = [line for text in recent for line in text.wrap(console, console.width)]
        room = console.height - self._sky - TABLE_LINES - below
        for line in lines[-max(_FEWEST_LINES, room) :]:
            self._print(line)

    def report(self, before: Iterable[Text], lines: Iterable[str]) -> None:
        """A fresh screen about the round that has ended: what a sentence adds is set below it."""
        self._clear()
        for text in before:
            self._print(text)
        for words in lines:
            first, *more = split_sentences(words)
            self.say(first)
            self.lines(f"    {line}" for line in more)

    def _clear(self) -> None:
        self._console.clear()
        self._is_asking = False

    @property
    def _sky(self) -> int:
        return 1 if self._console.height < _TALL else 3

    def choices(self, view: State) -> None:
        """The question, and every answer with its number."""
        self.say(question(view), STRONG)
        if self.is_plain:
            for number, action in enumerate(view.actions, start=1):
                self.say(f"{number}: {describe(view, action)}")
            self.say(tr("Type a number, or help."))
            return
        items = [
            Text.assemble((f"{number:>3}  ", STRONG), dressed(describe(view, action, brief=True)))
            for number, action in enumerate(view.actions, start=1)
        ]
        rows = choice_rows(view)
        grid = Table.grid(padding=(0, 2))
        for row in range(rows):
            grid.add_row(*items[row::rows])
        self._console.print(grid)

    def lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.say(line)

    def _print(self, text: Text) -> None:
        console = self._console
        if self._is_asking:
            self._is_asking = False
            console.print()
        if self.is_plain:
            # A terminal's or pipe's encoding may lack letters of a name: better "?" than an end.
            encoding = console.encoding
            text = Text(text.plain.encode(encoding, "replace").decode(encoding, "replace"))
        console.print(text, soft_wrap=self.is_plain, highlight=False)


def choice_rows(view: State) -> int:
    """How many lines the answers take: a long list goes in two columns."""
    number = len(view.actions)
    return number if number <= _LONGEST_LIST else -(-number // 2)
