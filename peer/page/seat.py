"""The seat of a person at a page: news become what the page shows, clicks become decisions.

Every question has a number, and an answer names the question it is for: an answer to an older
one, from another tab or from before a reload, is worth nothing.  Whatever a page sends may be
anything at all; what can't be understood is ignored.
"""

from functools import partial
from typing import Any, Final

import trio

from engine.phases import TURN
from engine.state import State
from peer.invitation import Invitation
from peer.judgement import Judge
from peer.narration import printable, result_sentence
from peer.page.hub import Hub, Json
from peer.page.scenes import choice_json, event_json, scene_json
from peer.seat import (
    Ended,
    Line,
    Moved,
    News,
    Notice,
    Proven,
    Quit,
    Said,
    Seated,
    Ticking,
)
from protocol.line import MAX_CHAT_BYTES

MAX_SHOWN: Final = 300
"""Characters of a notice, or of what the other player says."""
_KINDS: Final = {"choose": int, "agree": bool, "again": bool}


class PageSeat:
    """A person who looks at what `hub` shows; satisfies `peer.seat.Seat`."""

    def __init__(self, hub: Hub) -> None:
        self._hub: Final = hub
        self._player = 1
        self._number = 0  # of the question
        self._asked: tuple[str, bytes] | None = None
        self._allowed: tuple[object, ...] = ()
        self._answer: int | bool | None = None
        self._quit: Quit | None = None
        self._wake = trio.Event()
        self._to_say = trio.open_memory_channel[str](8)
        self.has_left: Final = trio.Event()
        """The person has closed the page for good."""
        hub.show(ask=None, line=None, stage="waiting")

    # --- what the page is told --------------------------------------------------------------

    def tell(self, news: News) -> None:
        """Show it.  Everything comes from views, so nothing is shown that may not be known."""
        hub = self._hub
        match news:
            case Seated(player, opponent):
                self._player = player
                self._forget()
                hub.clear(
                    *("log", "notices"),
                    seat={
                        "player": player,
                        "name": printable(opponent.name),
                        "fingerprint": printable(opponent.fingerprint, MAX_SHOWN),
                    },
                    ask=None,
                    scene=None,
                    clocks=None,
                    result=None,
                    proven=None,
                    verified=None,
                    invitation=None,
                    stage="playing",
                )
            case Moved(view, events):
                told = [event_json(event, self._player) for event in events]
                hub.show({"log": told}, scene=scene_json(view, self._player))
            case Ticking(left, running):
                hub.show(
                    clocks={"left": [round(seconds, 1) for seconds in left], "running": running}
                )
            case Ended(view, result):
                hub.show(
                    scene=scene_json(view, self._player),
                    ask=None,
                    result={
                        "winner": result.winner,
                        "text": partial(result_sentence, result, self._player),
                        "resigned": result.resigned,
                    },
                )
            case Notice(text):
                hub.show({"notices": [{"text": printable(text, MAX_SHOWN)}]})
            case Said(text):
                hub.show({"chat": [{"mine": False, "text": printable(text, MAX_SHOWN)}]})
            case Line(is_up):
                hub.show(line=is_up)
            case Proven():
                hub.show(
                    proven={
                        "entries": news.entries,
                        "shuffles": news.shuffles,
                        "shares": news.shares,
                        "coins": news.coins,
                        "head": news.head.hex(),
                        "complete": news.is_complete,
                    }
                )

    def invite(self, invitation: Invitation) -> None:
        """Show the invitation, until the guest is there."""
        text = invitation.to_text()
        self._hub.show(
            invitation={"text": text, "at": [str(address) for address in invitation.addresses]}
        )

    def verified(self, game: int, summary: str) -> None:
        """The whole record was checked once more, as a stranger would."""
        self._hub.show(verified={"game": game, "text": printable_lines(summary)})

    def close(self, words: str) -> None:
        """Nothing more will happen at this table; `words` say why, if it isn't plain."""
        self._hub.show(stage="closed", closing=printable(words, MAX_SHOWN), ask=None)

    # --- what the page says -----------------------------------------------------------------

    def hear(self, message: Any) -> None:
        """Take a message of a tab, whatever it is."""
        if not isinstance(message, dict):
            return
        number = message.get("n")
        for kind, type_ in _KINDS.items():
            if kind in message and type(number) is int and type(message[kind]) is type_:
                self._take_answer(kind, number, message[kind])
        if isinstance(text := message.get("say"), str):
            self._say(text)
        if isinstance(quit_ := message.get("quit"), str):
            self._take_quit(quit_)

    def _take_answer(self, kind: str, number: int, answer: int | bool) -> None:
        if number != self._number or self._asked is None or self._asked[0] != kind:
            return
        if answer in self._allowed and self._answer is None:
            self._answer = answer
            self._hub.show(ask=None)
            self._wake.set()

    def _take_quit(self, name: str) -> None:
        if name == "close":
            self.has_left.set()
            return
        try:
            self._quit = Quit(name)
        except ValueError:
            return
        self._wake.set()

    def _say(self, text: str) -> None:
        words = text.encode(errors="replace")[:MAX_CHAT_BYTES].decode(errors="ignore").strip()
        if not words:
            return
        try:
            self._to_say[0].send_nowait(words)
        except trio.WouldBlock:
            return
        self._hub.show({"chat": [{"mine": True, "text": printable(words, MAX_SHOWN)}]})

    # --- decisions --------------------------------------------------------------------------

    async def choose(self, view: State) -> int | Quit:
        """The person's choice among `view.actions`."""
        question = choice_json(view)
        if view.phase is TURN:
            question["outlook"] = _outlook(view)
        scene = scene_json(view, self._player)
        answer = await self._ask("choose", view.to_bytes(), view.actions, question, scene)
        return answer if isinstance(answer, Quit) else int(answer)

    async def consider(self, view: State) -> bool | Quit:
        """Whether the person agrees to end the game without a winner."""
        scene = scene_json(view, self._player)
        question = {"kind": "agree"}
        answer = await self._ask("agree", view.to_bytes(), (True, False), question, scene)
        return answer if isinstance(answer, Quit) else bool(answer)

    async def again(self) -> bool:
        """Whether the person would play another game."""
        answer = await self._ask("again", b"", (True, False), {"kind": "again"})
        return answer is True

    async def words(self) -> str:
        """What the person says to the other."""
        return await self._to_say[1].receive()

    async def wait(self, view: State | None) -> Quit:
        """Nothing to decide; returns only to quit."""
        self._forget()
        if view is not None:
            self._hub.show(ask=None, scene=scene_json(view, self._player))
        else:
            self._hub.show(ask=None)
        while True:
            if (quit_ := self._take_wish()) is not None:
                return quit_
            await self._woken()

    async def _ask(
        self,
        kind: str,
        about: bytes,
        allowed: tuple[object, ...],
        question: Json,
        scene: Json | None = None,
    ) -> int | bool | Quit:
        """Ask, or go on with the same question if we were interrupted in it."""
        if self._asked != (kind, about):
            self._forget()
            self._asked, self._allowed = (kind, about), allowed
            self._number += 1
            seen = {} if scene is None else {"scene": scene}
            self._hub.show(ask={**question, "n": self._number}, **seen)
        while True:
            if (quit_ := self._take_wish()) is not None:
                return quit_
            if self._answer is not None:
                answer = self._answer
                self._forget()
                return answer
            await self._woken()

    def _take_wish(self) -> Quit | None:
        quit_, self._quit = self._quit, None
        return quit_

    async def _woken(self) -> None:
        await self._wake.wait()
        self._wake = trio.Event()

    def _forget(self) -> None:
        """No question is open any more."""
        self._asked, self._allowed, self._answer = None, (), None


def _outlook(view: State) -> Json:
    """For a hint when to call: how many districts we would win if the round ended now."""
    judge = Judge(view, view.player)
    chances = judge.chances(judge.layout())
    return {"districts": round(sum(chances), 1), "each": [round(chance, 2) for chance in chances]}


def printable_lines(text: str) -> list[str]:
    """Lines of ours that hold names of strangers."""
    return [printable(line, MAX_SHOWN) for line in text.splitlines()]
