"""The board in words, line by line: for screen readers, pipes and narrow terminals."""

from collections.abc import Iterable

from engine.board import DISTRICTS, INHABITANTS, NONE, PLAYER_NAMES, ROUNDS
from engine.cards import COLOURS, UNKNOWN, VALUE, card_name
from engine.state import State
from peer.narration import printable, ranking_words
from peer.terminal.scene import Lies, Scene, Spot


def board_words(view: State, player: int, *, opponent: str = "") -> list[str]:
    """The position as `player` sees it; nothing but `view.view(player)` is looked at."""
    scene = Scene.of(view.view(player), player)
    seen = scene.view
    other = 1 - player
    name = printable(opponent)
    lines = [
        f"Round {seen.round + 1} of {ROUNDS}, {scene.moment()}.",
        f"You are {PLAYER_NAMES[player]}, your opponent is {PLAYER_NAMES[other]}"
        + (f", {name}." if name else "."),
        f"Dracula has {seen.hp} of {seen.start_hp} health points.",
    ]
    if seen.ranking:
        lines.append(f"Colours: {ranking_words(seen.ranking)}.")
    lines += [
        f"District {district + 1}: {seen.vampires[district]} of {INHABITANTS} are vampires; "
        f"you: {_spot(scene.racks[player][district])}; "
        f"your opponent: {_spot(scene.racks[other][district])}."
        for district in range(DISTRICTS)
    ]
    if scene.has_drawn and scene.drawn is not None:
        who = "You hold" if seen.player == player else "Your opponent holds"
        lines.append(f"{who} a drawn card: {_spot(scene.drawn)}.")
    top = "" if scene.top is None else f", the top one {_spot(scene.top)}"
    lines.append(f"Draw pile: {_cards(scene.pile)}{top}.")
    lines.append(discards_line(scene.discards))
    if seen.caller != NONE:
        lines.append("You have called." if seen.caller == player else "Your opponent has called.")
    return lines


def discards_line(faces: Iterable[int]) -> str:
    """The discard pile in its order."""
    names = [card_name(face) for face in faces]
    if not names:
        return "Discard pile: empty."
    return f"Discard pile: {_cards(len(names))}, from the first: {', '.join(names)}."


def discards_by_colour(faces: Iterable[int]) -> list[str]:
    """The discard pile sorted, for those who count cards."""
    lying = sorted(faces)
    lines = []
    for colour, name in enumerate(COLOURS):
        values = " ".join(str(VALUE[face]) for face in lying if face // 8 == colour)
        lines.append(f"  {name}: {values or 'none'}")
    return lines


def _spot(spot: Spot) -> str:
    match spot.lies:
        case Lies.HIDDEN:
            return "hidden" if spot.face == UNKNOWN else f"{card_name(spot.face)}, face down"
        case Lies.KNOWN:
            return f"{card_name(spot.face)}, face down but known to both"
        case Lies.UP:
            return f"{card_name(spot.face)}, face up"


def _cards(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"
