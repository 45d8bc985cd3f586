"""The pages behind `help` and `rules`.  Each fits a terminal of 80 columns and 24 lines."""

from typing import Final

from engine.board import DISCARDS_TO_END, INHABITANTS, ROUNDS, STANDARD_HP
from engine.cards import COLOURS
from peer.narration import colour_word
from peer.speech import listed, mark, tr
from peer.terminal.choices import EFFECTS
from peer.terminal.lines import wrapped
from peer.terminal.look import human_mark, vampire_mark

COMMANDS: Final = {
    "help or ?": mark("this page"),
    "rules": mark("the rules in short"),
    "board": mark("show the board again"),
    "discards": mark("all cards of the discard pile"),
    "log": mark("what has happened so far"),
    "say ...": mark("say something to your opponent"),
    "resign": mark("give the game up (asks first)"),
    "abandon, claim": mark("propose to end it without a winner; say that time is up"),
    "quit": mark("leave; the game is kept"),
}
WORDS: Final = frozenset(
    {"help", "?", "rules", "board", "discards", "log", "resign", "abandon", "claim", "quit", "exit"}
)
"""All that can be typed at any time; it is English in every language."""


def help_lines(*, plain: bool) -> list[str]:
    """What can be typed, what the cards do, and, unless `plain`, how to read the picture."""
    lines = [
        *wrapped(
            tr(
                "Choose by number, or type the action: draw, call, discard 1, discard drawn, "
                "reveal 3, expose 3, swap 1 3, exchange 2, trump and a colour. At any time:"
            )
        ),
        *(f"  {command:<10} {tr(what)}" for command, what in COMMANDS.items()),
        tr("What a card does when it is discarded, whether you like it or not:"),
        *(f"  {value}  {tr(what)}" for value, what in enumerate(EFFECTS, start=1)),
    ]
    if not plain:
        colours = [colour_word(colour) for colour in range(len(COLOURS))]
        lines += [
            tr(
                "Colours: {colours}. People: {human} human, {vampire} vampire.",
                colours=listed(colours),
                human=human_mark(),
                vampire=vampire_mark(),
            ),
            tr("  ╭───╮ hidden: only its owner knows it      ╔═══╗ face up: open to both"),
            tr("  ╭┄┄┄╮ both know: face down, but both players know it since an exchange"),
        ]
    return lines


def rules_lines() -> list[str]:
    """The rules in short."""
    return [
        line
        for paragraph in (
            tr(
                "Each player has a hidden card in each of the five districts. A turn: draw a card, "
                "then discard one of the six, and its effect is carried out. Instead of drawing "
                "you may call: your opponent has one last turn, then the round ends. A round also "
                "ends with an 8, or with the draw pile. For a call, and to discard an 8, there "
                "must be {needed} cards in the discard pile.",
                needed=DISCARDS_TO_END,
            ),
            tr("Then the two cards of each district are compared:"),
            tr(
                "a trump beats any other colour; otherwise the higher value wins; of equal values "
                "the colour that ranks higher. If Dracula wins a district, a human there "
                "becomes a vampire. If Van Helsing wins it, "
                "Dracula loses one of his health points, {hp} in a usual game.",
                hp=STANDARD_HP,
            ),
            tr(
                "Dracula wins when all {all} inhabitants of one district are vampires, or when he "
                "has survived {rounds} rounds.",
                all=INHABITANTS,
                rounds=ROUNDS,
            ),
            tr("Van Helsing wins when Dracula has no health points left."),
        )
        for line in wrapped(paragraph)
    ]
