"""The story of a game in plain sentences, for whoever plays, watches or reads it later.

Everything here is a pure function of public events and of the language spoken.  `reader` is the
player who reads, who is "you"; None tells the same in the third person.  Sentences name cards in
words ("red 7"), so that a screen reader can speak them; a terminal may dress them up.  In English
they are ASCII.

Each sentence is whole in the catalogues, once for each of the persons it can be about: what is
filled into one is a card, a colour, a number or the name of a player, in its plainest form.
"""

import unicodedata
from typing import Final, assert_never

from engine.actions import DRAWN
from engine.board import DRACULA, INHABITANTS, ROUNDS
from engine.cards import COLOUR, UNKNOWN, VALUE, Ranking
from engine.events import (
    Called,
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
from peer.speech import sentences, tr
from peer.told import (
    AGREED,
    BEATS,
    CALLED,
    CARDS,
    COLOUR_NAMES,
    DISCARDED,
    DISCARDED_DRAWN,
    DREW,
    DREW_OPEN,
    ENDINGS,
    EXCHANGED,
    EXPOSED,
    EXTRA,
    LOST_HEALTH,
    PLAYERS,
    RESIGNED,
    REVEALED,
    ROUND_ENDED,
    SKIPPED,
    SWAPPED,
    WON,
    WON_SOMEHOW,
)
from protocol.course import Result

MAX_NAME: Final = 32
"""So many characters of a name are shown: no protocol limit, but what fits beside a board."""


def sentence(event: Event, reader: int | None = None) -> str:
    """What has happened, with the reason where a rule decided it.  Districts count from 1."""
    match event:
        case RankingDrawn(ranking):
            return tr("The colours are ranked: {ranking}.", ranking=ranking_words(ranking))
        case RoundStarted(number):
            return tr(
                "Round {round} of {all} begins: five cards for each player.",
                round=number + 1,
                all=ROUNDS,
            )
        case Drew(player, face):
            told = DREW if face == UNKNOWN else DREW_OPEN
            return told.by(player, reader, card=card_words(face))
        case Called(player):
            return CALLED.by(player, reader)
        case Discarded(player, source, face):
            told = DISCARDED_DRAWN if source == DRAWN else DISCARDED
            return told.by(player, reader, card=card_words(face), district=source + 1)
        case Revealed(player, district, face):
            return REVEALED.by(player, reader, card=card_words(face), district=district + 1)
        case TopTurned(_, face):
            return tr(
                "Effect 2: the top card of the draw pile is turned up, the {card}.",
                card=card_words(face),
            )
        case Exposed(player, district, face):
            return EXPOSED.by(player, reader, card=card_words(face), district=district + 1)
        case Swapped(player, first, second):
            return SWAPPED.by(player, reader, first=first + 1, second=second + 1)
        case ExtraTurn(player):
            return EXTRA.by(player, reader)
        case Exchanged(_, district, dracula, helsing):
            return EXCHANGED.by(
                DRACULA,
                reader,
                district=district + 1,
                dracula=card_words(dracula),
                helsing=card_words(helsing),
            )
        case TrumpChanged(_, ranking):
            return tr(
                "Effect 7: the colours have a new order: {ranking}.",
                ranking=ranking_words(ranking),
            )
        case EffectSkipped(_, value, why):
            return tr(SKIPPED[why], value=value)
        case RoundEnded(number, why):
            return tr(ROUND_ENDED[why], round=number + 1)
        case DistrictScored():
            return _district(event, reader)
        case GameOver(winner, ending):
            return WON[ending].by(winner, reader)
        case unreachable:
            assert_never(unreachable)


def result_sentence(result: Result, reader: int | None = None) -> str:
    """How the game ended, by the rules or because a player gave it up."""
    if result.winner is None:
        if result.reason == AGREED:
            return tr("Nobody wins: both agreed to end it without a winner.")
        return tr("Nobody wins: {reason}.", reason=result.reason)
    if result.resigned:
        return RESIGNED.by(1 - result.winner, reader)
    if (ending := ENDINGS.get(result.reason)) is not None:
        return WON[ending].by(result.winner, reader)
    return WON_SOMEHOW.by(result.winner, reader, reason=result.reason)


def minutes(seconds: float) -> str:
    """Time on a clock: "4:05", or "-0:10" when it has run out."""
    whole = abs(int(seconds))
    return f"{'-' if seconds <= -1 else ''}{whole // 60}:{whole % 60:02}"


def player_name(player: int) -> str:
    """Dracula or Van Helsing, as the language spoken has them."""
    return tr(PLAYERS[player])


def colour_word(colour: int) -> str:
    """The name of a colour, as it stands alone."""
    return tr(COLOUR_NAMES[colour])


def card_words(face: int) -> str:
    """A card as people say it: "red 8"; "hidden card" for one that isn't known."""
    return tr("hidden card") if face == UNKNOWN else tr(CARDS[COLOUR[face]], value=VALUE[face])


def ranking_words(ranking: Ranking) -> str:
    """The ranking in words, strongest first."""
    trump, second, third, fourth = map(colour_word, ranking)
    return tr(
        "{trump} is the trump, then {second}, {third}, {fourth}",
        trump=trump,
        second=second,
        third=third,
        fourth=fourth,
    )


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


def _district(event: DistrictScored, reader: int | None) -> str:
    cards = (event.dracula, event.helsing)
    best, beaten = cards[event.winner], cards[1 - event.winner]
    verdict = BEATS[event.why].by(
        event.winner,
        reader,
        district=event.district + 1,
        best=card_words(best),
        beaten=card_words(beaten),
        colour=colour_word(COLOUR[best]),
        lower=colour_word(COLOUR[beaten]),
        value=VALUE[best],
        less=VALUE[beaten],
    )
    if event.winner == DRACULA:
        then = tr(
            "A human becomes a vampire ({vampires} of {all}).",
            vampires=event.vampires,
            all=INHABITANTS,
        )
    else:
        then = LOST_HEALTH.by(DRACULA, reader, hp=event.hp)
    return sentences(verdict, then)
