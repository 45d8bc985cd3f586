"""Runs cases, some at once, and tells of each in its turn."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import trio

from protocol.errors import ProtocolError
from tests.conformance.bench import Bench
from tests.conformance.case import SUBJECTS, Case, FailedError, SkippedError
from tests.conformance.line import ClosedError
from tests.conformance.subject import Subject

CASE_SECONDS: Final = 120
"""No case takes longer, or it has failed."""
PASSED: Final = "passed"
FAILED: Final = "failed"
SKIPPED: Final = "skipped"


@dataclass(frozen=True, slots=True)
class Result:
    """How one case went.  `subject` says whether the peer under test "hosts" or "joins"."""

    case: Case
    subject: str
    outcome: str
    detail: str
    seconds: float


async def run_case(case: Case, subject: Subject, patience: float, seed: str = "") -> Result:
    """Run one case; afterwards an honest guest must be served as ever."""
    started = time.monotonic()
    outcome, detail = FAILED, f"it took more than {CASE_SECONDS} s"
    with trio.move_on_after(CASE_SECONDS):
        try:
            async with Bench.set_up(subject, patience, f"{case.name} {seed}") as bench:
                await case.run(bench)
                await bench.still_serves()
            outcome, detail = PASSED, ""
        except* FailedError as group:
            outcome, detail = FAILED, _first(group)
        except* SkippedError as group:
            outcome, detail = SKIPPED, _first(group)
        except* ClosedError:
            outcome, detail = FAILED, "it closed the line"
        except* (ProtocolError, OSError) as group:
            outcome, detail = FAILED, _first(group)
    seconds = time.monotonic() - started
    return Result(case, SUBJECTS[subject.side], outcome, detail, seconds)


def _first(group: BaseException) -> str:
    while isinstance(group, BaseExceptionGroup):
        group = group.exceptions[0]
    return str(group) or type(group).__name__


async def run_cases(
    cases: Sequence[Case],
    subject: Subject,
    tell: Callable[[Result], None],
    *,
    patience: float,
    jobs: int = 1,
    seed: str = "",
) -> None:
    """Run `cases`, `jobs` of them at once, and `tell` of each, in their order."""
    chosen = [case for case in cases if subject.side in case.subjects]
    results: dict[int, Result] = {}
    todo = iter(enumerate(chosen))
    told = 0

    async def work() -> None:
        nonlocal told
        for index, case in todo:
            results[index] = await run_case(case, subject, patience, seed)
            while told in results:
                tell(results.pop(told))
                told += 1

    async with trio.open_nursery() as nursery:
        for _ in range(jobs):
            nursery.start_soon(work)
