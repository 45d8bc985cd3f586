"""The command line of the conformance suite: `python -m tests.conformance --help`."""

import argparse
import sys
from functools import partial
from pathlib import Path

import trio

from peer.invitation import Invitation, InvitationError
from tests.conformance import report
from tests.conformance.case import SUBJECTS, choose
from tests.conformance.runner import FAILED, Result, run_cases
from tests.conformance.subject import Hosting, Joining, Subject, command

PATIENCE_SECONDS = 15.0


def main() -> int:
    options = _parser().parse_args()
    try:
        cases = choose(options.section, options.case)
    except KeyError as error:
        print(f"conformance: {error.args[0]}; --list shows what there is", file=sys.stderr)
        return 2
    if options.quick:
        cases = [case for case in cases if not case.is_slow]
    if options.list:
        print(report.listing(cases))
        return 0
    try:
        subjects = _subjects(options)
    except InvitationError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    if not subjects:
        print("conformance: give an INVITATION, or --guest-command, or both", file=sys.stderr)
        return 2
    results: list[Result] = []

    def tell(result: Result) -> None:
        results.append(result)
        if not options.json:
            print(report.line_of(result).translate(_HARMLESS), flush=True)

    for subject in subjects:
        if not options.json:
            print(f"The peer {SUBJECTS[subject.side]}:")
        run = partial(
            run_cases,
            patience=options.patience,
            jobs=options.jobs,
            seed=options.seed,
        )
        trio.run(run, cases, subject, tell)
    print(report.as_json(results) if options.json else f"\n{report.summary(results)}")
    if options.junit:
        report.write_junit(results, options.junit)
    return int(any(result.outcome == FAILED for result in results))


_HARMLESS = dict.fromkeys((*range(10), *range(11, 32), *range(127, 160)), "?")
"""Texts of the peer under test are hostile until they are harmless for a terminal."""


def _subjects(options: argparse.Namespace) -> list[Subject]:
    subjects: list[Subject] = []
    if options.invitation:
        text = sys.stdin.readline() if options.invitation == "-" else options.invitation
        subjects.append(Hosting(Invitation.parse(text)))
    if options.guest_command:
        subjects.append(Joining(command(options.guest_command)))
    return subjects


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance",
        description="Play with a peer over TCP, as an honest and as a misbehaving one, and say "
        "which MUST of spec/protocol.md it breaks. What the peer has to do is in "
        "spec/conformance.md.",
        epilog="Exit codes: 0 all passed, 1 some failed, 2 not understood.",
    )
    parser.add_argument(
        "invitation",
        nargs="?",
        metavar="INVITATION",
        help="of a peer that hosts for everybody who holds it; - reads it from stdin",
    )
    parser.add_argument(
        "--guest-command",
        metavar="CMD",
        help="run for each case to join: reads an invitation from stdin, plays, and ends; {dir} "
        "stands for an empty folder",
    )
    parser.add_argument(
        "--section",
        action="append",
        default=[],
        metavar="N",
        help="only cases of this section, say 9 or 14.6; can be given several times",
    )
    parser.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="NAME",
        help="only this case; can be given several times",
    )
    parser.add_argument("--list", action="store_true", help="list the cases and run none")
    parser.add_argument("--quick", action="store_true", help="leave out the cases that wait long")
    parser.add_argument(
        "--jobs", type=int, default=4, metavar="N", help="cases to run at once (default: 4)"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=PATIENCE_SECONDS,
        metavar="SECONDS",
        help=f"how long to wait for an answer (default: {PATIENCE_SECONDS:g})",
    )
    parser.add_argument(
        "--seed", default="", metavar="TEXT", help="plays other games than without it"
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write the results as JUnit XML")
    parser.add_argument("--json", action="store_true", help="for programs: JSON on stdout")
    return parser


if __name__ == "__main__":
    sys.exit(main())
