"""Every word that the page itself says, in one place.

Sentences of the game (events, choices, results) come from `narration` and `terminal.choices`, and
reach the page as they are.  Everything else is here, by a key; the page asks for it by that key,
and `messages` gives all of them in the language spoken; in the catalogues the key is the context
of the message.  A message whose form hangs on a number `n` is a `Plural`.
"""

from dataclasses import dataclass
from typing import Any, Final

from peer.languages import LANGUAGES
from peer.speech import catalogue, spoken


@dataclass(frozen=True, slots=True)
class Plural:
    """A message about `{n}` things, by the categories of CLDR: English has one and other."""

    one: str
    other: str


def messages() -> dict[str, Any]:
    """All of the page's messages, for `GET /messages.json`."""
    return {
        "lang": spoken().code,
        "languages": {language.code: language.name for language in LANGUAGES},
        "messages": {key: _in_our_language(key, text) for key, text in MESSAGES.items()},
    }


def _in_our_language(key: str, text: str | Plural) -> str | dict[str, str]:
    said = catalogue(spoken())
    if isinstance(text, Plural):
        return {
            category: said.npgettext(key, text.one, text.other, number)
            for category, number in spoken().plurals
        }
    return said.pgettext(key, text)


MESSAGES: Final[dict[str, str | Plural]] = {
    # Cards and people.
    "card.hidden": "a hidden card",
    "card.0": "red {value}",
    "card.1": "purple {value}",
    "card.2": "yellow {value}",
    "card.3": "blue {value}",
    "colour.0": "red",
    "colour.1": "purple",
    "colour.2": "yellow",
    "colour.3": "blue",
    "letter.0": "R",
    "letter.1": "P",
    "letter.2": "Y",
    "letter.3": "B",
    "press.0": "R",
    "press.1": "P",
    "press.2": "Y",
    "press.3": "B",
    "player.0": "Dracula",
    "player.1": "Van Helsing",
    "nobody": "your opponent",
    "who.you": "you",
    "who.turn": "to move",
    "who.your-turn": "your turn",
    "who.called": "has called",
    # How a card lies, and where.
    "lies.hidden.unseen": "a hidden card",
    "lies.hidden.mine": "{card}, face down: only you know it",
    "lies.hidden.theirs": "{card}, face down",
    "lies.known.unseen": "a card face down",
    "lies.known.mine": "{card}, face down, but both of you know it",
    "lies.known.theirs": "{card}, face down, but both of you know it",
    "lies.up.unseen": "a card face up",
    "lies.up.mine": "{card}, face up",
    "lies.up.theirs": "{card}, face up",
    "place.mine": "District {district}, yours: {card}",
    "place.theirs": "District {district}, your opponent's: {card}",
    "place.pile": "Top of the draw pile: {card}",
    "place.hand": "Drawn: {card}",
    "place.discard": "Discarded: {card}",
    "tag.known": "both know",
    "tag.up": "face up",
    "people.short": "{vampires}/4 vampires",
    "district.people": Plural(
        "District {district}: {n} of 4 inhabitants is a vampire",
        "District {district}: {n} of 4 inhabitants are vampires",
    ),
    "health.title": "Dracula's health",
    "health.label": "Dracula has {hp} of {start} health points",
    "ranking.label": "The ranking of the colours",
    "ranking.trump": "trump",
    "ranking.then": "ranks",
    "ranking.none": "The trump is not drawn yet",
    "ranking.first": "{colour}: the trump",
    "ranking.other": "{colour}: rank {n} below the trump",
    "pile.count": Plural("{n} card to draw", "{n} cards to draw"),
    "discards.count": Plural("{n} discarded", "{n} discarded"),
    "hand.yours": "you drew",
    "hand.theirs": "they drew",
    "hand.empty": "drawn card",
    "table.label": "The table",
    "rounds.label": "Rounds",
    "rounds.one": "Round {n} of 5",
    "moment.deal": "The cards are dealt",
    "moment.mine": "Your turn",
    "moment.my-last": "Your last turn",
    "moment.theirs": "Your opponent's turn",
    "moment.their-last": "Your opponent's last turn",
    "moment.over": "The game is over",
    "title.your-turn": "● Your turn: Whitby",
    "clock.label": "Time left: {time}",
    # Choosing.
    "ask.label": "What to do",
    "undo": "Undo",
    "swap.card": "district {district}",
    "swap.second": "District {district} and which other? Esc undoes.",
    "touch.again": "Do it",
    "agree.question": "Your opponent proposes to end the game without a winner. Do you agree?",
    "agree.yes": "Yes, end it",
    "agree.no": "No, go on",
    "again.question": "Play again, with the seats exchanged?",
    "again.yes": "Play again",
    "again.no": "No, that was it",
    "waiting.table": "Waiting for the other side.",
    "waiting.guest": "Waiting for your guest.",
    "waiting.shuffle": "Both sides shuffle and prove that they did it fairly.",
    "waiting.proof": "The other side proves a card.",
    "waiting.turn": "Waiting for {name}.",
    "waiting.end": "The game is over.",
    "waiting.closed": "Nothing more happens at this table.",
    "banner.away": "The page has lost whitby on this computer. It tries again by itself; your game "
    "is kept.",
    "banner.line": "The line to the other side is down. Your game is kept and goes on when it is "
    "back; there is nothing you must do.",
    "banner.closed": "This table is closed.",
    # The end of a round, and of the game.
    "scoring.title": "The round is over",
    "scoring.next": "Next district",
    "scoring.skip": "Skip",
    "scoring.on": "Go on",
    "scoring.end": "See the end",
    "result.label": "The result",
    "result.won": "You have won!",
    "result.lost": "You have lost.",
    "result.none": "Nobody wins.",
    "result.proving": "The last keys are being shown and checked.",
    "result.kept": "Kept as game {game}.",
    "result.replay": "Look at it again, with all cards open",
    "result.close": "Close whitby",
    # Talk and story.
    "log.title": "What has happened",
    "live.label": "News",
    "live.says": "The other player says: {text}",
    "chat.title": "Talk",
    "chat.say": "Say something",
    "chat.send": "Send",
    "phrase.hello": "Hello!",
    "phrase.good": "Good move!",
    "phrase.moment": "One moment, please.",
    "phrase.thanks": "Thank you for the game.",
    # Tools and dialogs.
    "close": "Close",
    "tools.label": "Tools",
    "tool.fair": "Is it fair?",
    "tool.games": "Games played",
    "tool.settings": "Settings",
    "tool.more": "More",
    "tool.help": "Help",
    "settings.title": "Settings",
    "wish.lang": "Language",
    "wish.theme": "Light",
    "wish.theme.auto": "as the system",
    "wish.theme.dark": "night",
    "wish.theme.light": "day",
    "wish.sound": "Sounds",
    "wish.sound.off": "off",
    "wish.sound.on": "on",
    "wish.motion": "Movement",
    "wish.motion.auto": "as the system",
    "wish.motion.still": "still",
    "wish.guide": "Hints for beginners",
    "wish.guide.first": "in the first game",
    "wish.guide.on": "on",
    "wish.guide.off": "off",
    "wish.advice": "Hints when to call",
    "wish.advice.off": "off",
    "wish.advice.on": "on",
    "wish.mute": "The other player's messages",
    "wish.mute.off": "show",
    "wish.mute.on": "mute",
    "more.title": "More",
    "more.fair": "Is it fair?",
    "more.fair.what": "What has been proven so far, and how a game can be fair without a server.",
    "more.games": "Games played",
    "more.games.what": "Your games, charts, and every finished one step by step.",
    "more.resign": "Resign",
    "more.resign.what": "Give the game up: your opponent has won. Asks once more.",
    "more.propose": "Propose to end it",
    "more.propose.what": "End it without a winner, if the other side agrees.",
    "more.claim": "Claim the game",
    "more.claim.what": "If the other side is out of time or has been away for two minutes. Kept as "
    "your word, and no result.",
    "more.leave": "Leave",
    "more.leave.what": "The game is kept. 'whitby resume' goes on with it.",
    "resign.sure": "Your opponent will have won. This can't be taken back.",
    "resign.yes": "Resign",
    "resign.no": "Play on",
    "discards.title": "The discard pile",
    "discards.order": "From the first to the last:",
    "discards.by-colour": "By colour",
    "invite.title": "Your invitation",
    "invite.what": "It is good for one guest. Send it to them, and to nobody else.",
    "invite.label": "The invitation",
    "invite.copy": "Copy",
    "invite.copied": "Copied",
    "invite.by-hand": "Press Ctrl-C to copy",
    "invite.at": "Waiting at {at}.",
    "invite.command": "Your guest types:",
    # Help.
    "help.title": "How to play",
    "rules.title": "The rules in short",
    "rules.1": "Each player has a hidden card in each of the five districts. A turn: draw a card, "
    "then discard one of the six. The effect of the discarded card is carried out, whether you "
    "like it or not.",
    "rules.2": "Instead of drawing you may call: your opponent has one last turn, then the round "
    "ends. A round also ends with an 8, or with the draw pile. For a call, and to discard an 8, "
    "there must be six cards in the discard pile.",
    "rules.3": "Then the two cards of each district are compared. A trump beats any other colour. "
    "Otherwise the higher value wins; of equal values, the colour that ranks higher.",
    "rules.4": "If Dracula wins a district, an inhabitant there becomes a vampire. If Van Helsing "
    "wins it, Dracula loses a health point.",
    "rules.5": "Dracula wins when all four inhabitants of one district are vampires, or when he "
    "has survived five rounds. Van Helsing wins when Dracula has no health points left.",
    "effects.title": "What a card does when it is discarded",
    "effect.1": "Turn up one of your own cards.",
    "effect.2": "Turn up the top card of the draw pile.",
    "effect.3": "Turn up one of your opponent's cards.",
    "effect.4": "Two of your own cards change places.",
    "effect.5": "Take another turn.",
    "effect.6": "In one district, the two cards change owners.",
    "effect.7": "Another colour changes places with the trump.",
    "effect.8": "The round ends at once.",
    "look.title": "How to read the table",
    "look.hidden": "Hidden: only its owner knows it",
    "look.known": "Dashed: face down, but both players know it",
    "look.up": "Framed: face up, open to both",
    "keys.title": "Keys",
    "key.d": "D",
    "key.d.does": "draw a card",
    "key.c": "C",
    "key.c.does": "call",
    "key.15": "1 to 5",
    "key.15.does": "the card, or the cards, of a district",
    "key.0": "0",
    "key.0.does": "the card that was just drawn",
    "key.colours": "R P Y B",
    "key.colours.does": "a colour, for the trump",
    "key.arrows": "← →",
    "key.arrows.does": "go from one possible choice to the next",
    "key.enter": "Enter",
    "key.enter.does": "take it",
    "key.esc": "Esc",
    "key.esc.does": "undo the first half of a choice",
    "key.t": "T",
    "key.t.does": "talk",
    "key.help": "?",
    "key.help.does": "this page",
    # Fairness.
    "fair.title": "Is it fair?",
    "fair.short": "Verified: every shuffle, every card and every move was proven.",
    "fair.so-far": "So far, everything the other side has sent was checked here, and it holds:",
    "fair.complete": "Complete: the result is settled, and both keys were shown and checked.",
    "fair.verified": "Verified. The whole record was checked once more, as a stranger would, and "
    "is kept as game {game}.",
    "fair.signed": Plural(
        "entry in the record, signed by its author and chained to the one before",
        "entries in the record, each signed by its author and chained to the one before",
    ),
    "fair.shuffles": Plural(
        "shuffle, proven: the same cards in an order that its maker chose, no card added or lost",
        "shuffles, each proven: the same cards in an order that its maker chose, none added or "
        "lost",
    ),
    "fair.shares": Plural(
        "share of a card, proven to open this card and no other",
        "shares of cards, each proven to open that card and no other",
    ),
    "fair.coins": Plural(
        "coin tossed together: neither side could choose how it fell",
        "coins tossed together: neither side could choose how they fell",
    ),
    "fair.head": "Compare by voice",
    "fair.head.why": Plural(
        "These letters stand for the one entry so far. If you both read the same to each other, "
        "your records are the same; the first four groups will do.",
        "These letters stand for all {n} entries so far. If you both read the same to each other "
        "at the same moment, your records are the same; the first four groups will do.",
    ),
    "fair.key": "The other side calls itself {name}. Its key is",
    "fair.summary": "The summary",
    "how.title": "How can this be fair without a server?",
    "how.1": "Imagine each card in a box with two locks, one of yours and one of your opponent's. "
    "First you shuffle the locked boxes out of your opponent's sight, then your opponent shuffles "
    "them out of yours. Now nobody knows where a card is, and each of you knows that it was "
    "shuffled.",
    "how.2": "To look at a card of yours, your opponent takes off their lock, and only you can "
    "take off the other. To turn a card up, both take off their locks.",
    "how.3": "The locks are numbers. With each shuffle and each lock that is taken off comes a "
    "proof that it was done honestly, which shows nothing else. This computer checks every proof "
    "before it believes a card.",
    "how.4": "Every step is signed and names the step before. Nobody can change a move later, or "
    "deny one, or tell two stories: the record would convict them.",
    "how.5": "What it can't prove: that your opponent thought for themselves, or who they are. "
    "And nobody can be made to finish a game.",
    # The first game.
    "guide.title": "First game:",
    "guide.off": "no more hints",
    "guide.dracula": "You are Dracula: win four times in the same district, or survive five "
    "rounds.",
    "guide.helsing": "You are Van Helsing: each district you win takes a health point from "
    "Dracula. Take them all within five rounds.",
    "guide.start": "Your five cards face your opponent's, one in each district; only you see "
    "yours. You have drawn a sixth, and one must go: point at a card to read what that does.",
    "guide.discard": "Keep in each district what wins it: the trump colour beats the others, then "
    "the higher value. Cards with a useful effect are worth discarding.",
    "guide.effect": "The card you discarded has an effect, and you must use it. What you can "
    "choose is lit.",
    "guide.waiting": "Now your opponent does the same. Watch what they discard: those cards can't "
    "be in their districts any more.",
    "guide.faceup": "A card framed in gold lies face up: you both know it, and it stays so.",
    "guide.known": "A dashed card lies face down, but you both know it, since you exchanged it. "
    "The page remembers it for you.",
    "guide.call": "Six cards lie in the discard pile: from now on you may call. Do it when you "
    "would win most districts; your opponent has one more turn.",
    "guide.called": "Somebody has called: one last turn, then the districts are compared.",
    "guide.scoring": "Now the districts are compared one by one. Read why each was won: that is "
    "the whole game.",
    "guide.second": "A new round: new cards, but the vampires, the health and the order of the "
    "colours stay.",
    "advice.outlook": "By what you know, you would win about {n} of 5 districts now.",
    "advice.good": "Calling looks good, if you have nothing left to improve.",
    "advice.even": "It is even: better wait, unless your opponent is about to get stronger.",
    "advice.bad": "Better not call.",
    # Games that were played.
    "archive.back": "Back to the table",
    "games.title": "Games played",
    "games.number": "Game {number}",
    "games.as": "You as {player} against {name}.",
    "games.unfinished": "Not finished.",
    "games.none": "No games yet.",
    "games.replay": "Step through it",
    "games.resume": "whitby resume {number} goes on with it",
    "chart.wins": "Your wins by seat",
    "chart.wins.row": "{player}: {won} of {all} won.",
    "chart.lengths": "Length of your latest games (yours in bright)",
    "chart.lengths.label": Plural(
        "The length of your latest game: {most} entries.",
        "The lengths of your latest {n} games, at most {most} entries.",
    ),
    "replay.title": "Game {number}",
    "replay.loading": "Checking the record.",
    "replay.missing": "There is no such game that is over.",
    "replay.closed": "The keys were not shown by both, so what was hidden stays hidden.",
    "replay.checked": Plural(
        "The record was checked: {n} entry, and it holds.",
        "The record was checked: {n} entries, and it holds.",
    ),
    "replay.seen": "Whose eyes",
    "replay.open": "All cards open",
    "replay.as": "As {player}",
    "replay.step": "Step",
    "replay.at": "Step {at} of {all}, round {round}",
    "replay.first": "|◀",
    "replay.first.label": "To the beginning",
    "replay.back": "◀ Back",
    "replay.back.label": "One step back",
    "replay.forward": "On ▶",
    "replay.forward.label": "One step on",
    "replay.last": "▶|",
    "replay.last.label": "To the end",
    "replay.round": "Round {n}",
}
