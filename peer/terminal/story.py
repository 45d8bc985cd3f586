"""What a person has been told of a game: the whole of it, the latest, and how a round ended."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from engine.events import DistrictScored, Drew, Event, GameOver, RoundEnded
from peer.narration import sentence
from peer.terminal.look import FAINT, STRONG, dressed

_FLOOD: Final = 40
"""More events at once than a round's end brings: a game that is taken up again."""
_LATEST: Final = 6


class Story:
    """Collects what happens.

    Attributes:
        log: every sentence of the game.
        recent: what has happened since the person's last decision, for a page.
        report: how the round has ended; empty when that has been read.
        before: what led to that end.
        is_whole: whether the report is: the cards are shown a little after the round's last turn.
    """

    def __init__(self) -> None:
        self.log: list[str] = []
        self.recent: list[Text] = []
        self.before: list[Text] = []
        self.report: list[str] = []
        self.is_whole = False
        self._has_decided = False

    def take(self, events: Sequence[Event], reader: int) -> list[str]:
        """Go on with `events`; returns what to say at once where there are no pages."""
        if self._has_decided:
            self.recent, self._has_decided = [], False
        told = [
            (event, sentence(event, reader))
            for event in events
            if not (isinstance(event, Drew) and event.player == reader)
        ]  # what the reader drew, and which card it is, is told with the choice
        self.log += [words for _, words in told]
        if len(events) > _FLOOD:
            told = told[-_LATEST:]
        for event, words in told:
            if isinstance(event, RoundEnded):
                self.before, self.recent = self.recent[-_LATEST:], []
                self.report, self.is_whole = [words], False
            elif self.report and isinstance(event, DistrictScored | GameOver):
                self.report.append(words)
                self.is_whole = True  # for the districts are scored all at once
            else:
                self.recent.append(dressed(words, FAINT))
        return [words for _, words in told]

    def draw(self, words: str) -> None:
        """The reader has drawn a card; told once, however often the choice is asked."""
        if self.log[-1:] != [words]:
            self.log.append(words)

    def notice(self, words: str) -> None:
        """Something besides the game, which the next page must not wipe off."""
        self.recent.append(Text(words, STRONG))

    def decide(self) -> None:
        """The reader has decided: from the next event on all is news."""
        self._has_decided = True

    def close_report(self) -> None:
        """The report has been read."""
        self.before, self.report = [], []
