"""Draws the picture of a game at a terminal: python -m tests.tools.board_picture OUT.svg

The position is a fixed one from a game of random moves.  The picture needs no font but what the
reader's system has, and nothing from the network.
"""

import io
import sys
from itertools import islice
from pathlib import Path

import trio
from rich.console import Console
from rich.terminal_theme import TerminalTheme

from peer.seat import Moved, Opponent, Seated
from peer.terminal import TerminalSeat
from tests.peer.games import positions

SEED, DECISIONS = 352, 41
WIDTH, HEIGHT = 80, 30
EVENTS = 7

NIGHT = TerminalTheme(
    (13, 17, 33),
    (214, 219, 236),
    [(0, 0, 0), (179, 32, 42), (70, 140, 80), (226, 182, 43)] * 2,
    [(120, 120, 140), (210, 80, 80), (110, 190, 120), (240, 210, 120)] * 2,
)

FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<title>A game of Whitby at a terminal</title>
<style>
.{unique_id}-matrix {{
  font-family: "DejaVu Sans Mono", Menlo, Consolas, "Cascadia Mono", monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
.{unique_id}-title {{ font: bold 18px sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">
{matrix}
</g>
</g>
</svg>
"""


class NobodyTypes:
    """An input that is at its end: the page is drawn once, and the person is gone."""

    async def line(self) -> str | None:
        return None


def draw() -> str:
    """The picture as SVG text, the same each time."""
    state = next(islice(positions(SEED), DECISIONS, None))
    player = state.player
    console = Console(
        width=WIDTH,
        height=HEIGHT,
        record=True,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        _environ={},
    )
    seat = TerminalSeat(console, NobodyTypes())
    seat.tell(Seated(player, Opponent("Mina", "")))
    assert state.log is not None
    seat.tell(Moved(state.view(player), tuple(state.log[-EVENTS:])))
    console.export_text()  # forgets what came before the page
    trio.run(seat.choose, state.view(player))
    return console.export_svg(
        title="whitby", theme=NIGHT, code_format=FORMAT, unique_id="whitby", font_aspect_ratio=0.602
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(), encoding="utf-8")
