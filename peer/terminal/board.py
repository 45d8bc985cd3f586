"""The board as a picture in characters: five houses between two racks, under the night sky.

It is made of lines of equal width, at least 79 cells, 11 lines high and up.  Your own rack is at
the bottom.  How a card lies is told by its frame and a word in it, colours by shape and letter,
people by mark and letter, so the picture holds without any colour.
"""

from collections.abc import Iterable
from typing import Final

from rich.cells import cell_len
from rich.console import Group
from rich.style import Style
from rich.text import Text

from engine.board import DISTRICTS, INHABITANTS, ROUNDS
from engine.cards import COLOUR, UNKNOWN
from engine.state import State
from peer.narration import player_name, printable
from peer.speech import markc, tr, trc
from peer.terminal.look import (
    BACK,
    BLOOD,
    CARD,
    FAINT,
    HUMAN,
    MOON,
    ROOF,
    SIGN,
    SKY,
    STONES,
    STRONG,
    VAMPIRE,
    chip,
    colour_chip,
    human_mark,
    vampire_mark,
)
from peer.terminal.scene import Lies, Scene, Spot

MIN_WIDTH: Final = 79
TABLE_LINES: Final = 10
"""The height of the board without the sky."""
_WIDE: Final = 100
_NAME: Final = 20
_CARD: Final = 11
_PANEL: Final = 18
_WIDE_PANEL: Final = 26

_ABBEY: Final = (
    "  ▗▖      ▄      ▗▖  ",
    " ▗▟▙▄▄▄▄▄▟█▙▄▄▄▄▄▟▙▖ ",
    "▄▟█∩█∩█∩█∩█∩█∩█∩█∩█▙▄",
)
"""The ruin above the town, where the sky is high enough to see it."""

_FRAMES: Final = {
    Lies.HIDDEN: tuple("╭─╮│╰╯"),
    Lies.KNOWN: tuple("╭┄╮┆╰╯"),
    Lies.UP: tuple("╔═╗║╚╝"),
}
_ON_CARDS: Final = "on a card, at most 9 cells"
_LIES: Final = {
    Lies.HIDDEN: markc("on a card, at most 9 cells", "hidden"),
    Lies.KNOWN: markc("on a card, at most 9 cells", "both know"),
    Lies.UP: markc("on a card, at most 9 cells", "face up"),
}


def render_board(
    view: State, player: int, *, opponent: str = "", width: int = 80, sky: int = 1
) -> Group:
    """The position as `player` sees it, with `sky` lines above it; for `rich` to print.

    Nothing but `view.view(player)` is looked at, whatever `view` itself could see.
    """
    scene = Scene.of(view.view(player), player)
    width = max(MIN_WIDTH, min(width, _WIDE + 2 * _PANEL))
    cell, panel = (14, _WIDE_PANEL) if width >= _WIDE else (12, _PANEL)
    body = _beside(_table(scene, opponent, cell), _panel(scene, panel), cell * DISTRICTS)
    return Group(*_sky(scene, width, sky), *body)


# --- the sky and the moment -----------------------------------------------------------------


def _sky(scene: Scene, width: int, lines: int) -> list[Text]:
    """The moment on the last line, and above it as much of the night as there is room for."""
    title = Text.assemble(
        ("  ☾  Whitby", MOON),
        ("   ", SKY),
        (tr("Round {n} of {all}", n=scene.view.round + 1, all=ROUNDS), SKY),
        ("   ", SKY),
        (scene.moment(), Style.combine([SKY, STRONG])),
    )
    night = [_stars(width, line) for line in range(lines)]
    if lines == len(_ABBEY):
        night = [
            Text.assemble(stars[: -len(stones)], (stones, STONES))
            for stars, stones in zip(night, _ABBEY, strict=True)
        ]
    ground = Text.assemble(title, night[-1][title.cell_len :])
    ground.truncate(width)
    return [*night[:-1], ground]


def _stars(width: int, line: int) -> Text:
    """The same stars every night."""
    cells = [" "] * width
    for star in range(width // 11):
        cells[(star * star * 7 + star * 13 + line * 29 + 5) % width] = ".·'"[(star + line) % 3]
    return Text("".join(cells), SKY)


# --- the table: two racks and five houses ---------------------------------------------------


def _table(scene: Scene, opponent: str, cell: int) -> list[Text]:
    me, other = scene.player, 1 - scene.player
    return [
        _label(scene, other, printable(opponent, _NAME)),
        *_cards(scene.racks[other], cell),
        *_houses(scene.view, cell),
        *_cards(scene.racks[me], cell),
        _label(scene, me, trc("on the board", "you")),
    ]


def _label(scene: Scene, player: int, name: str) -> Text:
    """Who sits on this side and what they hold."""
    line = Text.assemble(" ", (player_name(player), STRONG))
    if name:
        line.append(f" · {name}")
    if scene.view.caller == player:
        is_mine = player == scene.player
        called = trc("on the board", "called") if is_mine else trc("on the board", "has called")
        line.append(f"   {called}", BLOOD)
    if scene.has_drawn and scene.drawn is not None and scene.view.player == player:
        line.append("   " + trc("on the board, before a card", "drew") + " ")
        line.append_text(chip(scene.drawn.face))
        if scene.drawn.lies is Lies.UP:
            line.append(" " + trc(_ON_CARDS, _LIES[Lies.UP]), FAINT)
    return line


def _cards(spots: Iterable[Spot], cell: int) -> list[Text]:
    return _in_columns((_card(spot, trc(_ON_CARDS, _LIES[spot.lies])) for spot in spots), cell)


def _card(spot: Spot, word: str) -> list[Text]:
    """A card three lines high; `word` stands in its frame."""
    left, line, right, side, low_left, low_right = _FRAMES[spot.lies]
    inner = _CARD - 2
    if spot.face == UNKNOWN:
        middle = Text("░" * inner, BACK)
        word = ""
    else:
        mark = chip(spot.face)
        middle = Text(mark.plain.center(inner), CARD[COLOUR[spot.face]])
    return [
        Text(left + line * inner + right),
        Text.assemble(side, middle, side),
        Text(low_left + _centred(word, inner, line) + low_right),
    ]


def _centred(word: str, width: int, fill: str) -> str:
    """As `str.center`, by cells: a Chinese character takes two."""
    space = width - cell_len(word)
    left = space // 2 + (space & width & 1)
    return fill * left + word + fill * (space - left)


def _houses(view: State, cell: int) -> list[Text]:
    return _in_columns(
        (_house(district, view.vampires[district]) for district in range(DISTRICTS)), cell
    )


def _house(district: int, vampires: int) -> list[Text]:
    roof = Text.assemble(("▟███", ROOF), (f" {district + 1} ", SIGN), ("███▙", ROOF))
    people = Text()
    for person in range(INHABITANTS):
        is_vampire = person < vampires
        people.append(
            vampire_mark() if is_vampire else human_mark(), VAMPIRE if is_vampire else HUMAN
        ).append(" ")
    people.right_crop(1)
    return [roof, people]


def _in_columns(blocks: Iterable[list[Text]], cell: int) -> list[Text]:
    """Blocks of lines side by side, each centred in `cell` columns."""
    lines: list[Text] = []
    for block in blocks:
        lines = lines or [Text() for _ in block]
        for line, part in zip(lines, block, strict=True):
            space = cell - part.cell_len
            line.append(" " * (space // 2)).append_text(part).append(" " * (space - space // 2))
    return lines


# --- beside the table -----------------------------------------------------------------------


def _panel(scene: Scene, width: int) -> list[Text]:
    view = scene.view
    lines = [_health(view, width), *_ranking(view), _pile(scene)]
    lines += _discards(scene.discards, width)
    if scene.has_drawn and scene.drawn is not None and view.player == scene.player:
        lines = [
            *lines,
            *[Text()] * (6 - len(lines)),
            *_card(scene.drawn, trc("on a card, at most 9 cells", "drawn")),
        ]
    return lines


def _health(view: State, width: int) -> Text:
    cells = view.start_hp if width < _WIDE_PANEL else view.start_hp + 6
    full = -(-view.hp * cells // view.start_hp)
    bar = Text.assemble(("█" * full, BLOOD), ("░" * (cells - full), FAINT))
    return Text.assemble(trc("at most 3 cells", "HP"), " ", bar, f" {view.hp}")


def _ranking(view: State) -> list[Text]:
    if not view.ranking:
        return [Text(tr("Trump not drawn")), Text()]
    trump, *others = map(colour_chip, view.ranking)
    then = Text.assemble((trc("before the colours after the trump", "then"), FAINT), " ")
    for chips in others:
        then.append_text(chips).append(" ")
    return [Text.assemble((tr("Trump"), STRONG), " ", trump), then]


def _pile(scene: Scene) -> Text:
    line = Text(tr("Pile {n}", n=scene.pile) + " ")
    if scene.top is not None:
        line.append_text(chip(scene.top.face))
        if scene.top.lies is Lies.UP:
            line.append(" " + trc("the top card lies face up", "up"), FAINT)
    return line


def _discards(faces: tuple[int, ...], width: int) -> list[Text]:
    """The discard pile: how many, and the latest of them from the left."""
    fit = (width + 1) // 4
    latest = Text(" ").join(chip(face) for face in faces[: -fit - 1 : -1])
    return [Text(tr("Discards {n}", n=len(faces))), latest]


def _beside(left: list[Text], right: list[Text], width: int) -> list[Text]:
    lines = []
    for number in range(max(len(left), len(right))):
        line = left[number].copy() if number < len(left) else Text()
        line.truncate(width, overflow="ellipsis", pad=True)
        line.append(" ")
        if number < len(right):
            line.append_text(right[number])
        line.rstrip()
        lines.append(line)
    return lines
