"""Commands that play: against the bot, against a friend, or the bot by itself."""

import argparse
import math
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import trio
from rich.console import Console

from peer import playing
from peer.bot import Bot
from peer.commands.records import summary
from peer.errors import ExitCode, PeerError
from peer.games import GAMES
from peer.home import VARIABLE, open_home
from peer.invitation import MAX_TEXT, Invitation, InvitationError
from peer.languages import Language
from peer.page import PageSeat, has_browser, open_browser, page
from peer.page.gate import Gate
from peer.playing import Announce, Listen, Offering
from peer.seat import Seat
from peer.series import Played, Profile
from peer.speech import spoken, tr
from peer.store import GameRow, Status, Store
from peer.tasks import background, unless
from peer.terminal import Keyboard, TerminalSeat, WatchingSeat
from protocol.script import HOST
from protocol.table import Table

LOOPBACK: Final = "127.0.0.1"
BOT_PATIENCE: Final = 3600.0
"""Seconds that a bot without anybody to stop it waits for the other side to come, or come back."""
BOT_SECONDS: Final = 5
"""How long the two processes may take to end, one after the other."""

_SEATS: Final = {"dracula": 0, "helsing": 1, "random": None}
_SIGNALS: Final = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]

Decider = Callable[[Store], AbstractAsyncContextManager[Seat]]


def play(options: argparse.Namespace) -> int:
    """You against the bot; without a terminal, the bot against itself."""
    if _wants_page(options) or _has_terminal():
        return _run(partial(_against_the_bot, options, _person(options)))
    print(tr("There is no terminal to play at, so the bot takes your seat.") + "\n", flush=True)
    return _run(partial(_against_the_bot, options, _bot))


def demo(options: argparse.Namespace) -> int:
    """Bot against bot, in two processes."""
    return _run(partial(_against_the_bot, options, _bot))


def host(options: argparse.Namespace) -> int:
    """Open a table for whoever brings the invitation."""
    announce = _print_bare_invitation if options.bot else _print_invitation
    return _run(partial(_host, options, announce))


def replay(options: argparse.Namespace) -> int:
    """Look at a game that is over, or at the list of all, in the browser."""
    return _run(partial(_replay, options))


def serve(options: argparse.Namespace) -> int:
    """Let bots play with everybody who is invited."""
    return _run(partial(_serve, options))


def resume(options: argparse.Namespace) -> int:
    """Go on with a game that was left."""
    return _run(partial(_resume, options))


def join(options: argparse.Namespace) -> int:
    """Play at the table of an invitation."""
    text = options.invitation
    if text == "-":
        text = sys.stdin.buffer.readline(2 * MAX_TEXT).decode(errors="replace")
    try:
        invitation = Invitation.parse(text)
    except InvitationError as error:
        raise PeerError(error.message, **error.values) from None
    play: Callable[[], Awaitable[int]] = partial(_join, options, invitation)
    return _run(partial(_on_a_leash, play) if options.leash else play)


def _where(options: argparse.Namespace) -> Listen:
    return Listen(options.bind, options.port, tuple(options.address))


# --- who decides -----------------------------------------------------------------------------


def _decider(options: argparse.Namespace) -> Decider:
    if not options.bot:
        return _person(options)
    return partial(_bot, again=options.again, watched=not options.quiet)


def _person(options: argparse.Namespace) -> Decider:
    if _wants_page(options):
        return partial(_at_a_page, options.lang)
    return partial(_at_a_terminal, options.plain)


def _wants_page(options: argparse.Namespace) -> bool:
    """Whether to play in a browser: where the person asks for it, or nothing speaks against it."""
    if options.page or options.terminal or options.plain:
        return bool(options.page)
    return _has_terminal() and has_browser()


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


@asynccontextmanager
async def _at_a_terminal(plain: bool, _: Store) -> AsyncIterator[Seat]:
    async with Keyboard.open() as keyboard:
        yield TerminalSeat(_Output(), keyboard, plain=plain)


@asynccontextmanager
async def _at_a_page(language: Language | None, store: Store) -> AsyncIterator[Seat]:
    async with page(store, show=partial(_show_page, ""), language=language) as face:
        yield face.seat


async def _show_page(place: str, gate: Gate) -> bool:
    """Open the browser, and print another address for whoever wants another one."""
    print(
        tr("The game is in your browser. If it does not open, this address works one time:"),
        f"  {gate.new_address()}{place}",
        tr("Ctrl-C leaves; the game is kept."),
        "",
        sep="\n\n",
        flush=True,
    )
    return has_browser() and await open_browser(gate.new_address() + place)


class _Output(Console):
    """Standard output.  If nobody reads it any more, that is an error like any other."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # not SystemExit, of which nurseries would make a group


@asynccontextmanager
async def _bot(_: Store, *, again: bool = False, watched: bool = True) -> AsyncIterator[Seat]:
    bot = Bot(again=again)
    yield WatchingSeat(bot, _Output()) if watched else bot


# --- the games -------------------------------------------------------------------------------


@asynccontextmanager
async def _profile(options: argparse.Namespace, decider: Decider) -> AsyncIterator[Profile]:
    home = open_home(options.home)
    with Store.open(home) as store:
        async with decider(store) as seat:
            patience = BOT_PATIENCE if getattr(options, "bot", False) else math.inf
            yield Profile(store, home, seat, options.name, patience=patience)


async def _host(options: argparse.Namespace, announce: Announce) -> int:
    offering = Offering(_SEATS[options.seat], clock=options.clock)
    async with _profile(options, _decider(options)) as profile:
        return _conclude(
            profile,
            await playing.host(profile, _where(options), offering, _announcing(profile, announce)),
        )


async def _join(options: argparse.Namespace, invitation: Invitation) -> int:
    async with _profile(options, _decider(options)) as profile:
        return _conclude(profile, await playing.join(profile, invitation))


async def _serve(options: argparse.Namespace) -> int:
    offering = Offering(_SEATS[options.seat], clock=options.clock)
    async with _profile(options, partial(_bot, watched=False)) as profile:
        await playing.serve(
            profile,
            _where(options),
            offering,
            _print_bare_invitation,
            new_seat=partial(Bot, again=True),
            max_games=options.max_games,
        )
    return ExitCode.DONE


async def _resume(options: argparse.Namespace) -> int:
    async with _profile(options, _decider(options)) as profile:
        row = _unfinished(profile.store, options.game)
        moved = options.port or options.bind or options.address
        where = _where(options) if moved else None
        announce = _announcing(profile, _print_invitation) if row.side == HOST else None
        return _conclude(
            profile, await playing.resume(profile, row, where=where, announce=announce)
        )


def _unfinished(store: Store, named: str | None) -> GameRow:
    """The game to go on with: the one named, or the newest that isn't over."""
    if named is not None:
        return store.find(named)
    for row in store.games():
        if row.status is Status.PLAYING:
            return row
    raise PeerError("There is no unfinished game here. 'whitby play' starts a new one.")


async def _replay(options: argparse.Namespace) -> int:
    with Store.open(open_home(options.home)) as store:
        place = "#games"
        if options.game is not None:
            row = store.find(options.game)
            if row.status is Status.PLAYING:
                raise PeerError(
                    "Game {game} is not over. 'whitby resume' goes on with it.", game=row.number
                )
            place = f"#replay/{row.number}"
        show = partial(_show_page, place)
        async with page(store, show=show, plays=False, language=options.lang) as face:
            await face.wait_watched()
    return ExitCode.DONE


async def _against_the_bot(options: argparse.Namespace, decider: Decider) -> int:
    """Host on the loopback for a bot in a process of its own."""
    offering = Offering(_SEATS[options.seat])
    async with _profile(options, decider) as profile:
        bot = _BotProcess(profile.home / "bot")
        async with background(bot.run):
            play = partial(playing.host, profile, Listen(LOOPBACK), offering, bot.invite)
            played = await unless(play, bot.wait_silent)
            if played is None:
                if bot.last_words:
                    raise PeerError("The bot has gone away: {words}", words=bot.last_words)
                raise PeerError("The bot has gone away.")
            await bot.wait_gone()
            return _conclude(profile, played)


async def _on_a_leash(play: Callable[[], Awaitable[int]]) -> int:
    """Play as long as whoever started us is there: when they are gone, our stdin ends.

    Else a bot would dial for ever after a player whose program was killed.
    """

    def wait_for_the_end() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass

    # A thread that still reads doesn't keep the program from ending.
    gone = partial(trio.to_thread.run_sync, wait_for_the_end, abandon_on_cancel=True)
    code = await unless(play, gone)
    return ExitCode.UNFINISHED if code is None else code


class _BotProcess:
    """A bot that joins a table as a program of its own."""

    def __init__(self, home: Path) -> None:
        self._home: Final = home
        self._gone: Final = trio.Event()
        self.last_words = ""
        self._letterbox = trio.open_memory_channel[Invitation](1)

    def invite(self, invitation: Invitation) -> None:
        """Let it join."""
        self._letterbox[0].send_nowait(invitation)

    async def run(self) -> None:
        """Wait for the invitation, and play.  When this is cancelled, the process is stopped.

        The invitation goes through a pipe: others on this computer can see a process's arguments.
        """
        invitation = await self._letterbox[1].receive()
        command = [sys.executable, "-m", "peer", "--lang", spoken().code, "bot", "join", "-"]
        read, write = os.pipe()
        with os.fdopen(read, "rb"), os.fdopen(write, "wb", buffering=0) as leash:
            leash.write(invitation.to_text().encode() + b"\n")
            ended = await trio.run_process(
                [*command, "--quiet", "--again", "--leash", "--name", "Bot"],
                stdin=read,
                stdout=subprocess.DEVNULL,
                capture_stderr=True,
                env={**os.environ, VARIABLE: str(self._home)},
                check=False,
                start_new_session=True,  # Ctrl-C is for the player
            )
        self.last_words = ended.stderr.decode(errors="replace").strip()[-500:]
        self._gone.set()

    async def wait_silent(self) -> None:
        """Return when it has been gone for so long that nothing of it can still be on its way."""
        await self._gone.wait()
        await trio.sleep(BOT_SECONDS)

    async def wait_gone(self) -> None:
        """Give it the time to store the end of the game."""
        with trio.move_on_after(BOT_SECONDS):
            await self._gone.wait()


def _conclude(profile: Profile, played: Sequence[Played]) -> int:
    """Check the whole record of each game once more, as a stranger would, and say where it is."""
    code = ExitCode.DONE
    for game in played:
        table = Table.replay(profile.store.entries(game.number), GAMES)
        print(f"\n{summary(table)}")
        kept = tr("Game {game} is kept: 'whitby show {game}' tells it again.", game=game.number)
        print(f"\n{kept}")
        if isinstance(profile.seat, PageSeat):
            profile.seat.verified(game.number, summary(table))
        if table.result is None:
            code = ExitCode.UNFINISHED
    return code


# --- invitations -----------------------------------------------------------------------------


def _print_invitation(invitation: Invitation) -> None:
    text = invitation.to_text()
    print(
        tr("Your invitation, good for one guest. Send it to them, and to nobody else:"),
        f"  {text}",
        tr("They type:"),
        f"  whitby join {text}",
        tr(
            "Waiting at {places}. Ctrl-C stops waiting.",
            places=", ".join(map(str, invitation.addresses)),
        ),
        sep="\n\n",
        flush=True,
    )


def _announcing(profile: Profile, announce: Announce) -> Announce:
    """`announce`, and on the page as well, where there is one."""

    def everywhere(invitation: Invitation) -> None:
        announce(invitation)
        if isinstance(profile.seat, PageSeat):
            profile.seat.invite(invitation)

    return everywhere


def _print_bare_invitation(invitation: Invitation) -> None:
    """For scripts: the first line of the output, and nothing else, is the invitation."""
    print(invitation.to_text(), flush=True)


# --- running ---------------------------------------------------------------------------------


def _run(main: Callable[[], Awaitable[int]]) -> int:
    """Run `main` until it ends or a signal comes; then everything is closed in good order."""

    async def supervised() -> int:
        number = 0

        async def interrupted() -> None:
            nonlocal number
            number = await anext(signals)

        with trio.open_signal_receiver(*_SIGNALS) as signals:
            code = await unless(main, interrupted)
        if code is not None:
            return code
        print("\n" + tr("Interrupted. What was played is kept."), file=sys.stderr)
        return 128 + number

    return trio.run(supervised)
