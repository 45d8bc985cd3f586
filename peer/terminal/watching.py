"""A seat that lets another decide and tells the game in public, for whoever looks on."""

from rich.console import Console
from rich.style import Style

from engine.events import RoundStarted
from engine.state import State
from peer.narration import player_name, printable, result_sentence, sentence
from peer.seat import Ended, Moved, News, Notice, Quit, Said, Seat, Seated, Ticking
from peer.speech import tr
from peer.terminal.display import Display
from peer.terminal.look import STRONG
from peer.terminal.seat import MAX_NOTICE


class WatchingSeat:
    """`inner` plays; `console` is told what is public, in the third person.

    Satisfies `peer.seat.Seat`.  No card that `inner` alone may see is printed.
    """

    def __init__(self, inner: Seat, console: Console, *, plain: bool = False) -> None:
        self._inner = inner
        self._display = Display(console, plain=plain)
        self._last = ""

    def tell(self, news: News) -> None:
        match news:
            case Seated(player, opponent):
                name = printable(opponent.name) or tr("somebody without a name")
                self._display.quote(
                    tr("{player} is played by {name}.", player=player_name(1 - player), name=name)
                )
            case Moved(_, events):
                for event in events:
                    style: Style | str = STRONG if isinstance(event, RoundStarted) else ""
                    self._say(sentence(event), style)
            case Ended(_, result):
                words = result_sentence(result)
                if words != self._last:  # the rules' own end has been told as an event
                    self._say(words, STRONG)
            case Notice(text):
                self._display.quote(printable(text, MAX_NOTICE))
            case Said(text):
                words = printable(text, MAX_NOTICE)
                self._display.quote(tr("The other player says: {text}", text=words))
            case Ticking():
                pass
        self._inner.tell(news)

    async def choose(self, view: State) -> int | Quit:
        return await self._inner.choose(view)

    async def consider(self, view: State) -> bool | Quit:
        return await self._inner.consider(view)

    async def words(self) -> str:
        return await self._inner.words()

    async def again(self) -> bool:
        return await self._inner.again()

    async def wait(self, view: State | None) -> Quit:
        return await self._inner.wait(view)

    def _say(self, words: str, style: Style | str = "") -> None:
        self._last = words
        self._display.say(words, style)
