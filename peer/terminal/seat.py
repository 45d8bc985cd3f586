"""The seat of a person at a terminal: news become pages or lines, lines become decisions.

A line that can't be read costs nothing but a hint.  The only thing asked twice is resigning.
"""

from typing import Final

import trio
from rich.console import Console

from engine.actions import action_name, parse_action
from engine.board import HELSING
from engine.errors import MalformedActionError
from engine.phases import DISCARDING
from engine.state import State
from peer.narration import minutes, player_name, printable, result_sentence
from peer.seat import Ended, Moved, News, Notice, Quit, Said, Seated, Ticking
from peer.speech import mark, sentences, tr, trc
from peer.terminal.choices import drawn_sentence, hint, usage
from peer.terminal.display import Display, choice_rows
from peer.terminal.help import WORDS, help_lines, rules_lines
from peer.terminal.keyboard import Lines
from peer.terminal.look import FAINT, STRONG
from peer.terminal.story import Story
from peer.terminal.words import discards_by_colour, discards_line
from protocol.line import MAX_CHAT_BYTES

MAX_NOTICE: Final = 300
_WAITING: Final = mark("You may type help, rules, board, discards, log, resign, abandon or quit.")


class TerminalSeat:
    """A person who reads `console` and types `lines`; satisfies `peer.seat.Seat`.

    `plain` writes lines for screen readers and pipes; so does any console that can't show the
    picture.  `bell` sounds when it becomes the person's turn.
    """

    def __init__(
        self, console: Console, lines: Lines, *, plain: bool = False, bell: bool = False
    ) -> None:
        self._display = Display(console, plain=plain)
        self._lines = lines
        self._bell = bell
        self._player: int = HELSING
        self._opponent = ""
        self._typed_ahead: str | None = None
        self._to_say = trio.open_memory_channel[str](8)
        self._begin()

    def _begin(self) -> None:
        """Forget what was told of the game before."""
        self._view: State | None = None
        self._clocks: Ticking | None = None
        self._story = Story()
        self._is_report_shown = False
        self._waits_since: int | None = None  # the length of the log when waiting was announced

    # --- news -------------------------------------------------------------------------------

    def tell(self, news: News) -> None:
        match news:
            case Seated(player, opponent):
                self._begin()
                self._player, self._opponent = player, printable(opponent.name)
                name = self._opponent or tr("somebody without a name")
                self._display.say(
                    tr(
                        "You are {player}, your opponent is {other}.",
                        player=player_name(player),
                        other=player_name(1 - player),
                    )
                )
                key = printable(opponent.fingerprint, MAX_NOTICE)
                self._display.quote(
                    tr(
                        "Your opponent calls themselves {name}; their key is {key}.",
                        name=name,
                        key=key,
                    )
                )
            case Moved(view, events):
                self._view = view
                told = self._story.take(events, self._player)
                if self._display.is_plain:
                    self._display.lines(told)
            case Said(text):
                words = printable(text, MAX_NOTICE)
                if self._opponent:
                    said = tr("{name} says: {text}", name=self._opponent, text=words)
                else:
                    said = tr("Your opponent says: {text}", text=words)
                self._display.interrupt(said)
            case Ticking():
                self._clocks = news
            case Ended(view, result):
                self._view = view
                self._end(view, result_sentence(result, self._player))
            case Notice(text):
                words = printable(text, MAX_NOTICE)
                self._display.interrupt(words)
                self._story.notice(words)

    def _end(self, view: State, words: str) -> None:
        story, display = self._story, self._display
        if not display.is_plain:
            display.report(story.before, (line for line in story.report if line != words))
            display.board(view, self._player, self._opponent)
        if not display.is_plain or story.log[-1:] != [words]:
            display.say(words, STRONG)
        story.close_report()

    # --- decisions --------------------------------------------------------------------------

    async def choose(self, view: State) -> int | Quit:
        """The person's choice among `view.actions`.  Typed text and numbers will do."""
        self._view = view
        if self._bell and self._waits_since is not None:
            self._display.ring()
        self._waits_since = None
        if not await self._has_read_report():
            return Quit.LEAVE
        if view.phase is DISCARDING:
            self._story.draw(drawn_sentence(view))
        self._show_choices(view)
        while (line := await self._next_line()) is not None:
            words = line.strip()
            if not words:
                self._display.quote(hint(view))
            elif words.lower() == "board" and not self._display.is_plain:
                self._show_choices(view)
                continue
            elif (quits := await self._obey(words)) is not None:
                if isinstance(quits, Quit):
                    return quits
            elif (action := self._understand(words, view)) is not None:
                self._story.decide()
                return action
            self._display.ask()
        return Quit.LEAVE

    async def consider(self, view: State) -> bool | Quit:
        """Whether the person agrees to end the game without a winner."""
        self._view = view
        proposed = tr("Your opponent proposes to end the game without a winner.")
        self._display.say(proposed, STRONG)
        return await self._ask_yes_or_no(tr("Do you agree? yes ends it, no goes on."))

    async def words(self) -> str:
        """What the person has typed behind "say"."""
        return await self._to_say[1].receive()

    async def again(self) -> bool:
        """Whether the person would play another game."""
        answer = await self._ask_yes_or_no(tr("Play again, with the seats exchanged? yes or no."))
        return answer is True

    async def _ask_yes_or_no(self, question: str) -> bool | Quit:
        self._display.say(question)
        self._display.ask()
        while (line := await self._next_line()) is not None:
            words = line.strip().lower()
            if _is_yes(words):
                return True
            if _is_no(words):
                return False
            quits = await self._obey(words) if words else False
            if isinstance(quits, Quit):
                return quits
            self._display.say(question)
            self._display.ask()
        return Quit.LEAVE

    async def wait(self, view: State | None) -> Quit:
        """Obey commands while the other side has its turn; returns only to quit."""
        self._view = view
        if not await self._has_read_report():
            return Quit.LEAVE
        self._show_waiting(view)
        while (line := await self._next_line()) is not None:
            words = line.strip()
            quits = await self._obey(words) if words else False
            if isinstance(quits, Quit):
                return quits
            if quits is None:
                is_theirs = _is_for(view, 1 - self._player)
                why = tr("It is not your turn.") if is_theirs else tr("Not now.")
                self._display.say(sentences(why, tr(_WAITING)))
            self._display.ask()
        return Quit.LEAVE

    async def _next_line(self) -> str | None:
        line, self._typed_ahead = self._typed_ahead, None
        if line is None:
            line = await self._lines.line()
        self._display.was_answered(enter=line is not None)
        return line

    def _understand(self, words: str, view: State) -> int | None:
        """The action that `words` choose, or None after a hint."""
        if words.isascii() and words.isdigit():
            number = int(words)
            if 1 <= number <= len(view.actions):
                return view.actions[number - 1]
            self._display.quote(hint(view))
            return None
        try:
            action = parse_action(words)
        except MalformedActionError:
            shown = printable(words)
            self._display.quote(
                sentences(tr("{text}: this can't be read.", text=shown), usage(words))
            )
            self._display.quote(sentences(hint(view), tr("help explains more.")))
            return None
        if action in view.actions:
            return action
        impossible = tr('"{action}" is not possible now.', action=action_name(action))
        self._display.quote(sentences(impossible, hint(view)))
        return None

    async def _obey(self, words: str) -> Quit | bool | None:
        """Carry out a command: a way to quit, or whether it is done; None if it is no command."""
        display, view = self._display, self._view
        if words.lower().startswith("say "):
            return self._say_to_opponent(words[4:].strip())
        match words.lower():
            case "help" | "?":
                display.lines(help_lines(plain=display.is_plain))
            case "rules":
                display.lines(rules_lines())
            case "board":
                if view is None:
                    display.say(tr("The cards are not dealt yet."))
                else:
                    display.board(view, self._player, self._opponent)
            case "discards":
                faces = [view.faces[handle] for handle in view.discards] if view else []
                display.say(discards_line(faces))
                display.lines(discards_by_colour(faces) if faces else ())
            case "log":
                display.lines(self._story.log or [tr("Nothing has happened yet.")])
            case "resign":
                return await self._confirm_resigning()
            case "abandon":
                return Quit.PROPOSE
            case "claim":
                return Quit.CLAIM
            case "quit" | "exit":
                return Quit.LEAVE
            case _:
                return None
        return True

    def _say_to_opponent(self, text: str) -> bool:
        try:
            self._to_say[0].send_nowait(text.encode()[:MAX_CHAT_BYTES].decode(errors="ignore"))
        except trio.WouldBlock:
            self._display.say(tr("Your last words have not been sent yet. Try again."))
        return True

    async def _confirm_resigning(self) -> Quit | bool:
        if self._view is None:
            self._display.say(
                tr("The game has not begun, there is nothing to resign. quit leaves.")
            )
            return False
        self._display.say(tr("Resign, and your opponent has won? Type yes to resign."), STRONG)
        self._display.ask()
        line = await self._next_line()
        if line is None:
            return Quit.LEAVE
        if _is_yes(line.strip().lower()):
            return Quit.RESIGN
        self._display.say(tr("You play on."))
        return False

    # --- pages ------------------------------------------------------------------------------

    async def _has_read_report(self) -> bool:
        """Let the person read how a round ended.  False if the input is at its end.

        Cancelled, it goes on the next time.  A command typed instead of a mere Enter is kept; a
        choice isn't, for nobody has seen yet what there is to choose from.
        """
        story = self._story
        if story.report and story.is_whole and not self._display.is_plain:
            if not self._is_report_shown:
                self._display.report(story.before, story.report)
                self._display.say(tr("Press Enter to go on."), STRONG)
                self._is_report_shown = True
            line = await self._next_line()
            self._is_report_shown = False
            story.close_report()
            if line is None:
                return False
            self._typed_ahead = line if line.strip().lower() in WORDS else None
        return True

    def _show_choices(self, view: State) -> None:
        if not self._display.is_plain:
            below = choice_rows(view) + 2 + (self._clocks is not None)
            self._display.page(view, self._player, self._opponent, self._story.recent, below)
        self._display.choices(view)
        self._say_clocks()
        self._display.ask()

    def _say_clocks(self) -> None:
        if self._clocks is not None:
            left = self._clocks.left
            ours, theirs = left[self._player], left[1 - self._player]
            self._display.say(
                tr(
                    "Time left: you {ours}, your opponent {theirs}.",
                    ours=minutes(ours),
                    theirs=minutes(theirs),
                ),
                FAINT,
            )

    def _show_waiting(self, view: State | None) -> None:
        """Say whom we wait for, once until something happens.

        Between two decisions a table also waits for shares of cards, too briefly to tell.
        """
        is_their_turn = view is None or _is_for(view, 1 - self._player)
        if not is_their_turn or self._waits_since == len(self._story.log):
            return
        is_news = self._waits_since is None
        self._waits_since = len(self._story.log)
        if not self._display.is_plain and view is not None:
            self._display.page(view, self._player, self._opponent, self._story.recent, 3)
        elif not is_news:
            return
        if self._opponent:
            waiting = tr("Waiting for {name}.", name=self._opponent)
        else:
            waiting = tr("Waiting for your opponent.")
        self._display.quote(waiting, STRONG)
        self._display.say(tr(_WAITING), FAINT)
        self._display.ask()


def _is_yes(words: str) -> bool:
    """In English or in the language spoken, the whole word or its first letter."""
    return words in ("yes", "y", (yes := trc("as it is typed", "yes")), yes[0])


def _is_no(words: str) -> bool:
    return words in ("no", "n", (no := trc("as it is typed", "no")), no[0])


def _is_for(view: State | None, player: int) -> bool:
    """Whether `player` is to choose now."""
    return view is not None and bool(view.actions) and view.player == player
