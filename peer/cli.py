"""The command line: what can be typed.  What it ends with is an `ExitCode`."""

import argparse
import io
import logging
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

from peer.errors import ExitCode, PeerError
from peer.languages import LANGUAGES, Language, from_environment, language_named
from peer.speech import speak, tr

MAX_CLOCK: Final = 1_000_000
SEATS: Final = ("dracula", "helsing", "random")


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line, and return the exit code."""
    _set_up_the_outside()
    speak(from_environment(os.environ))
    options = _parser().parse_args(arguments)
    if options.lang is not None:
        speak(options.lang)
    logging.basicConfig(level=logging.CRITICAL, format="whitby: %(message)s")
    logging.getLogger("whitby").setLevel(logging.INFO if options.verbose else logging.ERROR)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except PeerError as error:
        print(f"whitby: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("\nwhitby: " + tr("interrupted"), file=sys.stderr)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone: it wants no more
        _throw_output_away()
        return ExitCode.FAILED
    except OSError as error:  # most likely our output can't be written
        _throw_output_away()
        print(f"whitby: {error.strerror or error}.", file=sys.stderr)
        return ExitCode.FAILED
    except Exception as error:
        if options.verbose:
            traceback.print_exc()
        told = tr(
            "this is a mistake in the program ({name}). What was played is kept. Please report it, "
            "with what --verbose says.",
            name=type(error).__name__,
        )
        print(f"whitby: {told}", file=sys.stderr)
        return ExitCode.BUG
    return code


def _set_up_the_outside() -> None:
    """A shell may start us without stdin or stdout (`<&-`, `>&-`): then they are None.

    What is open may be a terminal that lacks letters of the language spoken.
    """
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - for as long as we run
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal of another alphabet: "?" will do
        sys.stdout.reconfigure(errors="replace")


def _throw_output_away() -> None:
    """So that Python doesn't try to write the rest when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="whitby",
        description="Dracula vs. Van Helsing between two computers: no server, no referee, "
        "no way to cheat. An unofficial implementation.",
        epilog="Exit codes: 0 done, 1 it didn't work, 2 not understood, 3 somebody broke the "
        "rules, 4 not finished, 70 a mistake in the program, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"whitby {_version()}")
    parser.add_argument(
        "--home", type=Path, metavar="DIR", help="where games are kept (or set WHITBY_HOME)"
    )
    parser.add_argument("--verbose", action="store_true", help="say more about connections")
    _language(parser, None)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    play = _command(commands, "play", "you against the bot, through the real protocol")
    _at_the_table(play)
    _seat(play)
    play.set_defaults(run=_later("tables", "play"))

    host = _command(commands, "host", "open a table and print an invitation to it")
    _hosting(host)
    _at_the_table(host)
    host.set_defaults(run=_later("tables", "host"), bot=False)

    join = _command(commands, "join", "play at the table of an invitation")
    _joining(join)
    _at_the_table(join)
    join.set_defaults(run=_later("tables", "join"), bot=False, leash=False)

    resume = _command(commands, "resume", "go on with a game that was left")
    resume.add_argument(
        "game", nargs="?", metavar="GAME", help="its number in 'whitby games' (default: the newest)"
    )
    _listening(resume)
    _at_the_table(resume)
    resume.add_argument("--bot", action="store_true", help="let the bot go on in your place")
    resume.set_defaults(run=_later("tables", "resume"), quiet=False, again=False)

    bot = _command(commands, "bot", "the same with the bot in your place")
    bots = bot.add_subparsers(metavar="host|join|serve", required=True)
    bot_host = _command(bots, "host", "the bot opens a table")
    _hosting(bot_host)
    _headless(bot_host)
    bot_host.set_defaults(run=_later("tables", "host"), bot=True)
    bot_serve = _command(bots, "serve", "the bot plays with everybody who is invited, many at once")
    _hosting(bot_serve)
    _name(bot_serve)
    bot_serve.add_argument(
        "--max-games", type=_count, default=100, metavar="N", help="at once (default: 100)"
    )
    bot_serve.set_defaults(run=_later("tables", "serve"))
    bot_join = _command(bots, "join", "the bot plays at the table of an invitation")
    _joining(bot_join)
    _headless(bot_join)
    bot_join.add_argument("--leash", action="store_true", help=argparse.SUPPRESS)
    bot_join.set_defaults(run=_later("tables", "join"), bot=True)

    demo = _command(commands, "demo", "watch bot against bot, in two processes")
    demo.set_defaults(seat="random", name="Bot", run=_later("tables", "demo"))

    games = _command(commands, "games", "list the games kept on this computer")
    _json(games)
    games.set_defaults(run=_later("records", "games"))

    verify = _command(commands, "verify", "check a record: who played, is it proven, who won")
    _record(verify)
    _json(verify)
    verify.set_defaults(run=_later("records", "verify"))

    show = _command(commands, "show", "tell the moves of a game")
    _record(show)
    show.set_defaults(run=_later("records", "show"))

    replay = _command(commands, "replay", "look at a finished game in the browser, step by step")
    replay.add_argument(
        "game", nargs="?", metavar="GAME", help="its number in 'whitby games' (default: the list)"
    )
    replay.add_argument("--page", action="store_true", help="only print the address")
    replay.set_defaults(run=_later("tables", "replay"))

    export = _command(commands, "export", "write the record of a game to a file, to give away")
    export.add_argument("game", metavar="GAME", help="its number in 'whitby games', or its id")
    export.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="default: whitby-game-N.whitby"
    )
    export.add_argument("--force", action="store_true", help="overwrite the file")
    export.set_defaults(run=_later("records", "export"))
    return parser


# --- options that several commands have ------------------------------------------------------


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, summary: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
    )
    _language(parser, argparse.SUPPRESS)  # so that it can stand behind the command as well
    return parser


def _language(parser: argparse.ArgumentParser, default: object) -> None:
    parser.add_argument(
        "--lang",
        type=_spoken_language,
        default=default,
        metavar="LANG",
        help="en, fr, ru or zh-Hant (default: the browser's, or the terminal's by LANG)",
    )


def _hosting(parser: argparse.ArgumentParser) -> None:
    _listening(parser)
    _seat(parser)
    parser.add_argument(
        "--clock",
        type=_clock,
        metavar="MIN[+SEC]",
        help="each player has so many minutes to think, and so many seconds more for each "
        "decision (default: no limit)",
    )


def _listening(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=_port, default=0, metavar="N", help="listen here (default: any free port)"
    )
    parser.add_argument(
        "--bind", metavar="ADDR", help="listen on this address only (default: on every one)"
    )
    parser.add_argument(
        "--address",
        action="append",
        default=[],
        type=_address,
        metavar="HOST[:PORT]",
        help="what to put into the invitation instead of your own addresses: say, your "
        "router's address, if it forwards the port; can be given several times",
    )


def _joining(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "invitation", metavar="INVITATION", help="the line from the host; - reads it from stdin"
    )


def _seat(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seat", choices=SEATS, default="random", help="who you are (default: a fair coin)"
    )


def _at_the_table(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    parser.add_argument(
        "--plain", action="store_true", help="plain text in the terminal: no colours, no board"
    )
    face = parser.add_mutually_exclusive_group()
    face.add_argument(
        "--terminal", action="store_true", help="play in the terminal, not in the browser"
    )
    face.add_argument(
        "--page",
        action="store_true",
        help="play in the browser even if none can be opened: open the printed address yourself",
    )


def _headless(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    parser.add_argument("--quiet", action="store_true", help="don't tell the game as it goes")
    parser.add_argument(
        "--again", action="store_true", help="play on as long as the other side likes"
    )


def _name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--name", type=_nickname, default="", help="a nickname that the other player sees"
    )


def _record(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "record",
        metavar="GAME|FILE",
        help="the number of a game in 'whitby games', its id, or a file; - reads stdin",
    )


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for programs: JSON on stdout")


def _clock(text: str) -> tuple[int, int]:
    minutes, _, seconds = text.partition("+")
    if not (minutes.isascii() and minutes.isdigit() and (seconds or "0").isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no clock; 10+5 is ten minutes and 5 seconds")
    base, more = 60 * int(minutes[:6]), int((seconds or "0")[:6])
    if not 0 < base <= MAX_CLOCK or more > MAX_CLOCK:
        raise argparse.ArgumentTypeError("a clock has at least a minute and at most eleven days")
    return base, more


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 10000")
    return int(text)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, 0 to 65535")
    return int(text)


def _address(text: str) -> "tuple[str, int | None]":
    """HOST or HOST:PORT; an IPv6 address stands in brackets if a port follows it."""
    from peer.invitation import Address

    host, port = text, None
    if text.startswith("["):
        host, end, rest = text[1:].partition("]")
        if not end:
            raise argparse.ArgumentTypeError(f"{text!r} lacks a ]")
        port = _port(rest.removeprefix(":")) if rest else None
    elif text.count(":") == 1:
        host, _, rest = text.partition(":")
        port = _port(rest)
    try:
        Address(host, port or 1)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return host, port


def _nickname(text: str) -> str:
    from protocol.entries import MAX_NAME_BYTES

    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("this name is not valid text") from None
    if size > MAX_NAME_BYTES:
        raise argparse.ArgumentTypeError(f"a name has at most {MAX_NAME_BYTES} bytes")
    return text


def _spoken_language(text: str) -> Language:
    if (language := language_named(text)) is None:
        spoken = ", ".join(f"{language.code} ({language.name})" for language in LANGUAGES)
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not spoken here; these are: {spoken}")
    return language


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("whitby")
    except PackageNotFoundError:
        return "(not installed)"


def _later(module: str, function: str) -> Callable[[argparse.Namespace], int]:
    """A command of `peer.commands`, loaded when it is run: `whitby --help` needs none of them."""

    def run(options: argparse.Namespace) -> int:
        command = getattr(import_module(f"peer.commands.{module}"), function)
        code: int = command(options)
        return code

    return run


if __name__ == "__main__":
    sys.exit(main())
