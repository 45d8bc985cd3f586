"""The pages behind `help` and `rules`.  Each fits a terminal of 80 columns and 24 lines."""

from typing import Final

from engine.board import DISCARDS_TO_END, INHABITANTS, ROUNDS, STANDARD_HP
from peer.terminal.choices import EFFECTS

COMMANDS: Final = {
    "help or ?": "this page",
    "rules": "the rules in short",
    "board": "show the board again",
    "discards": "all cards of the discard pile",
    "log": "what has happened so far",
    "say ...": "say something to your opponent",
    "resign": "give the game up (asks first)",
    "abandon, claim": "propose to end it without a winner; say that time is up",
    "quit": "leave; the game is kept",
}
WORDS: Final = frozenset(
    {"help", "?", "rules", "board", "discards", "log", "resign", "abandon", "claim", "quit", "exit"}
)
"""All that can be typed at any time."""


def help_lines(*, plain: bool) -> list[str]:
    """What can be typed, what the cards do, and, unless `plain`, how to read the picture."""
    lines = [
        "Choose by number, or type the action: draw, call, discard 1, discard drawn,",
        "reveal 3, expose 3, swap 1 3, exchange 2, trump and a colour. At any time:",
        *(f"  {command:<10} {what}" for command, what in COMMANDS.items()),
        "What a card does when it is discarded, whether you like it or not:",
        *(f"  {value}  {what}" for value, what in enumerate(EFFECTS, start=1)),
    ]
    if not plain:
        lines += [
            "Colours: red, purple, yellow, blue. People: ☻H human, ▼V vampire.",
            "  ╭───╮ hidden: only its owner knows it      ╔═══╗ face up: open to both",
            "  ╭┄┄┄╮ both know: face down, but both players know it since an exchange",
        ]
    return lines


def rules_lines() -> list[str]:
    """The rules in short."""
    return [
        "Each player has a hidden card in each of the five districts. A turn: draw a",
        "card, then discard one of the six, and its effect is carried out. Instead of",
        "drawing you may call: your opponent has one last turn, then the round ends.",
        "A round also ends with an 8, or with the draw pile. For a call, and to discard",
        f"an 8, there must be {DISCARDS_TO_END} cards in the discard pile.",
        "Then the two cards of each district are compared:",
        "a trump beats any other colour; otherwise the higher value wins; of equal",
        "values the colour that ranks higher. If Dracula wins a district, a human there",
        "becomes a vampire. If Van Helsing wins it, Dracula loses one of his health",
        f"points, {STANDARD_HP} in a usual game.",
        f"Dracula wins with {INHABITANTS} vampires in one district, or after {ROUNDS} rounds.",
        "Van Helsing wins when Dracula has no health points left.",
    ]
