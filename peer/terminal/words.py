"""The board in words, line by line: for screen readers, pipes and narrow terminals."""

from collections.abc import Iterable

from engine.board import DISTRICTS, INHABITANTS, NONE, ROUNDS
from engine.cards import COLOURS, UNKNOWN, VALUE
from engine.state import State
from peer.narration import card_words, colour_word, player_name, printable, ranking_words
from peer.speech import listed, tr, trn
from peer.terminal.scene import Lies, Scene, Spot


def board_words(view: State, player: int, *, opponent: str = "") -> list[str]:
    """The position as `player` sees it; nothing but `view.view(player)` is looked at."""
    scene = Scene.of(view.view(player), player)
    seen = scene.view
    other = 1 - player
    lines = [
        tr(
            "Round {round} of {all}, {moment}.",
            round=seen.round + 1,
            all=ROUNDS,
            moment=scene.moment(),
        ),
        _who(player, printable(opponent)),
        tr("Dracula has {hp} of {start} health points.", hp=seen.hp, start=seen.start_hp),
    ]
    if seen.ranking:
        lines.append(tr("Colours: {ranking}.", ranking=ranking_words(seen.ranking)))
    lines += [
        tr(
            "District {district}: {vampires} of {all} are vampires; you: {mine}; "
            "your opponent: {theirs}.",
            district=district + 1,
            vampires=seen.vampires[district],
            all=INHABITANTS,
            mine=_spot(scene.racks[player][district]),
            theirs=_spot(scene.racks[other][district]),
        )
        for district in range(DISTRICTS)
    ]
    if scene.has_drawn and scene.drawn is not None:
        drawn = _spot(scene.drawn)
        if seen.player == player:
            lines.append(tr("You hold a drawn card: {card}.", card=drawn))
        else:
            lines.append(tr("Your opponent holds a drawn card: {card}.", card=drawn))
    lines.append(_pile(scene))
    lines.append(discards_line(scene.discards))
    if seen.caller != NONE:
        has_called = seen.caller == player
        lines.append(tr("You have called.") if has_called else tr("Your opponent has called."))
    return lines


def _who(player: int, opponent: str) -> str:
    names = {"player": player_name(player), "other": player_name(1 - player)}
    if opponent:
        return tr("You are {player}, your opponent is {other}, {name}.", name=opponent, **names)
    return tr("You are {player}, your opponent is {other}.", **names)


def _pile(scene: Scene) -> str:
    if scene.top is None:
        return trn("Draw pile: {n} card.", "Draw pile: {n} cards.", scene.pile)
    return trn(
        "Draw pile: {n} card, the top one {card}.",
        "Draw pile: {n} cards, the top one {card}.",
        scene.pile,
        card=_spot(scene.top),
    )


def discards_line(faces: Iterable[int]) -> str:
    """The discard pile in its order."""
    names = [card_words(face) for face in faces]
    if not names:
        return tr("Discard pile: empty.")
    return trn(
        "Discard pile: {n} card, from the first: {cards}.",
        "Discard pile: {n} cards, from the first: {cards}.",
        len(names),
        cards=listed(names),
    )


def discards_by_colour(faces: Iterable[int]) -> list[str]:
    """The discard pile sorted, for those who count cards."""
    lying = sorted(faces)
    lines = []
    for colour in range(len(COLOURS)):
        values = " ".join(str(VALUE[face]) for face in lying if face // 8 == colour)
        lines.append(
            tr("  {colour}: {values}", colour=colour_word(colour), values=values or tr("none"))
        )
    return lines


def _spot(spot: Spot) -> str:
    if spot.lies is Lies.HIDDEN and spot.face == UNKNOWN:
        return tr("hidden")
    card = card_words(spot.face)
    match spot.lies:
        case Lies.HIDDEN:
            return tr("{card}, face down", card=card)
        case Lies.KNOWN:
            return tr("{card}, face down but known to both", card=card)
        case Lies.UP:
            return tr("{card}, face up", card=card)
