"""The story of a game in plain sentences, for whoever plays, watches or reads it later.

Everything here is a pure function of public events.  `reader` is the player who reads, who is
"you"; None tells the same in the third person.  Sentences are ASCII and name cards in words
("red 7"), so that a screen reader can speak them; a terminal may dress them up.
"""

import unicodedata
from dataclasses import dataclass
from typing import Final, assert_never

from engine.actions import DRAWN
from engine.board import DRACULA, HELSING, INHABITANTS, PLAYER_NAMES, ROUNDS
from engine.cards import COLOUR, COLOURS, UNKNOWN, VALUE, Ranking, card_name
from engine.events import (
    Called,
    Decided,
    Discarded,
    DistrictScored,
    Drew,
    EffectSkipped,
    Event,
    Exchanged,
    Exposed,
    ExtraTurn,
    GameOver,
    RankingDrawn,
    Revealed,
    RoundEnded,
    RoundStarted,
    Swapped,
    TopTurned,
    TrumpChanged,
)
from protocol.course import Result

MAX_NAME: Final = 32
"""So many characters of a name are shown: no protocol limit, but what fits beside a board."""


def sentence(event: Event, reader: int | None = None) -> str:
    """What has happened, with the reason where a rule decided it.  Districts count from 1."""
    say = _Voice(reader)
    match event:
        case RankingDrawn(ranking):
            return f"The colours are ranked: {ranking_words(ranking)}."
        case RoundStarted(number):
            return f"Round {number + 1} of {ROUNDS} begins: five cards for each player."
        case Drew(player, face):
            card = "a card" if face == UNKNOWN else f"the {card_name(face)}, which lay face up"
            return f"{say.does(player, 'draw')} {card}."
        case Called(player):
            last = say.does(1 - player, "has", "have")
            return f"{say.does(player, 'call')}. {last} one last turn, then the round ends."
        case Discarded(player, source, face):
            where = ", just drawn" if source == DRAWN else f" from district {source + 1}"
            return f"{say.does(player, 'discard')} the {card_name(face)}{where}."
        case Revealed(player, district, face):
            return (
                f"Effect 1: {say.does(player, 'turn', middle=True)} up "
                f"the {card_name(face)} in district {district + 1}."
            )
        case TopTurned(_, face):
            return f"Effect 2: the top card of the draw pile is turned up, the {card_name(face)}."
        case Exposed(player, district, face):
            return (
                f"Effect 3: {say.does(player, 'turn', middle=True)} up "
                f"{say.whose(1 - player, middle=True)} {card_name(face)} "
                f"in district {district + 1}."
            )
        case Swapped(player, first, second):
            return (
                f"Effect 4: {say.whose(player, middle=True)} cards in districts "
                f"{first + 1} and {second + 1} change places."
            )
        case ExtraTurn(player):
            return f"Effect 5: {say.does(player, 'has', 'have', middle=True)} another turn."
        case Exchanged(_, district, dracula, helsing):
            return (
                f"Effect 6, district {district + 1}: "
                f"{say.does(DRACULA, 'get', middle=True)} the {card_name(dracula)}, "
                f"{say.who(HELSING, middle=True)} the {card_name(helsing)}."
            )
        case TrumpChanged(_, ranking):
            return f"Effect 7: the colours have a new order: {ranking_words(ranking)}."
        case EffectSkipped(_, value, why):
            return f"Effect {value} is skipped: {why.value}."
        case RoundEnded(number, why):
            return f"Round {number + 1} ends: {why.value}."
        case DistrictScored():
            return _district(event, say)
        case GameOver(winner, ending):
            return f"{say.does(winner, 'win')}: {ending.value}."
        case unreachable:
            assert_never(unreachable)


def result_sentence(result: Result, reader: int | None = None) -> str:
    """How the game ended, by the rules or because a player gave it up."""
    say = _Voice(reader)
    if result.winner is None:
        return f"Nobody wins: {result.reason}."
    if result.resigned:
        loser = say.does(1 - result.winner, "resign")
        return f"{loser}: {say.does(result.winner, 'win', middle=True)}."
    return f"{say.does(result.winner, 'win')}: {result.reason}."


def minutes(seconds: float) -> str:
    """Time on a clock: "4:05", or "-0:10" when it has run out."""
    whole = abs(int(seconds))
    return f"{'-' if seconds <= -1 else ''}{whole // 60}:{whole % 60:02}"


def ranking_words(ranking: Ranking) -> str:
    """The ranking in words, strongest first."""
    trump, *others = (COLOURS[colour] for colour in ranking)
    return f"{trump} is the trump, then {others[0]}, {others[1]}, {others[2]}"


def printable(text: str, limit: int = MAX_NAME) -> str:
    """`text` from a stranger, made harmless: one line of at most `limit` visible characters.

    Control characters and escape sequences, characters that turn the direction of writing or
    take no room, and unassigned or private ones become "?"; white space becomes single spaces;
    of a pile of combining marks two stay.  What is left may still look like anything, markup of
    a library included: print it as text.
    """
    kept: list[str] = []
    marks = 0
    for character in " ".join(text[: 8 * limit].split()):
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me", "Mc") else 0
        if marks > 2:  # enough for any language; a tower of them would grow over other lines
            continue
        kept.append("?" if category[0] == "C" else character)
    shown = "".join(kept)
    return shown if len(shown) <= limit else f"{shown[: limit - 3]}..."


def _district(event: DistrictScored, say: "_Voice") -> str:
    cards = (event.dracula, event.helsing)
    best, beaten = cards[event.winner], cards[1 - event.winner]
    match event.why:
        case Decided.TRUMP:
            why = f"{COLOURS[COLOUR[best]]} is the trump"
        case Decided.VALUE:
            why = f"{VALUE[best]} is more than {VALUE[beaten]}"
        case Decided.RANK:
            why = f"{COLOURS[COLOUR[best]]} ranks above {COLOURS[COLOUR[beaten]]}"
    if event.winner == DRACULA:
        then = f"A human becomes a vampire ({event.vampires} of {INHABITANTS})."
    else:
        then = f"{say.does(DRACULA, 'lose')} 1 health point ({event.hp} left)."
    return (
        f"District {event.district + 1}: {say.whose(event.winner, middle=True)} {card_name(best)} "
        f"beats {say.whose(1 - event.winner, middle=True)} {card_name(beaten)}: {why}. {then}"
    )


@dataclass(frozen=True, slots=True)
class _Voice:
    """How players are spoken of.  `middle`: within a sentence, where "you" is small."""

    reader: int | None

    def who(self, player: int, *, middle: bool = False) -> str:
        if self.reader is None:
            return PLAYER_NAMES[player]
        name = "You" if player == self.reader else "Your opponent"
        return name.lower() if middle else name

    def whose(self, player: int, *, middle: bool = False) -> str:
        if player == self.reader:
            return "your" if middle else "Your"
        return f"{self.who(player, middle=middle)}'s"

    def does(
        self, player: int, verb: str, for_you: str | None = None, *, middle: bool = False
    ) -> str:
        """Subject and verb: a regular `verb` gets its s, an irregular one gives both forms."""
        if player == self.reader:
            verb = for_you or verb
        elif for_you is None:
            verb += "s"
        return f"{self.who(player, middle=middle)} {verb}"
