"""The help page: commands, the rules in short, and how to read the board."""

from typing import Final

from engine.board import DISCARDS_TO_END, INHABITANTS, ROUNDS, STANDARD_HP
from peer.terminal.choices import EFFECTS

COMMANDS: Final = {
    "help or ?": "this page",
    "board": "show the board again",
    "discards": "all cards of the discard pile",
    "log": "what has happened so far",
    "resign": "give the game up (asks first)",
    "quit": "leave; the game is kept",
}


def help_lines(*, plain: bool) -> list[str]:
    """The whole page.  A plain one leaves out how to read the picture."""
    lines = [
        "Choose by number, or type the action: draw, call, discard 1 to 5, discard drawn,",
        "reveal 3, expose 3, swap 1 3, exchange 2, trump red. Also, at any time:",
        *(f"  {command:<10} {what}" for command, what in COMMANDS.items()),
        "",
        f"Dracula wins with {INHABITANTS} vampires in one district, or after {ROUNDS} rounds.",
        f"Van Helsing wins when Dracula's health points, usually {STANDARD_HP}, are gone.",
        "A turn: draw a card and discard one; its effect must be carried out if possible:",
        *(f"  {value}  {what}" for value, what in enumerate(EFFECTS, start=1)),
        f"{DISCARDS_TO_END} cards must lie discarded before an 8 is, and before you may call.",
        "After a call the opponent has one last turn. The round also ends with the pile.",
        "Then the two cards of each district are compared: a trump beats any other colour,",
        "then the higher value wins, then the higher colour. Dracula wins a district: a",
        "human becomes a vampire. Van Helsing wins it: Dracula loses 1 health point.",
    ]
    if not plain:
        lines += [
            "",
            "Cards: red, purple, yellow, blue. ☻H is a human, ▼V a vampire.",
            "  ╭───╮ hidden     face down: only its owner knows it",
            "  ╭┄┄┄╮ both know  face down, but both players know it since an exchange",
            "  ╔═══╗ face up    open to both",
        ]
    return lines
