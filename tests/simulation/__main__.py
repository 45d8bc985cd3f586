"""Simulate many games: `python -m tests.simulation --seeds 1000 --jobs 2`.

Exit code 0: all ended well; 1: at least one did not, and how to see it again is printed.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice

from tests.simulation.run import Outcome, run

_EVERY = 20
"""Seconds between two lines of progress, where there is no terminal."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=300, metavar="N", help="how many (300)")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed (0)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes (1)")
    parser.add_argument("--trace", action="store_true", help="print all that happens")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    counts: Counter[str] = Counter()
    failed, done, began, told = 0, 0, time.monotonic(), 0.0
    for outcome in _outcomes(seeds, 1 if options.trace else options.jobs, options.trace):
        done += 1
        counts += outcome.counts
        if options.trace:
            print("\n".join(outcome.trace))
            print(f"seed {outcome.seed}: trace {outcome.trace_hash}")
        if outcome.violations:
            failed += 1
            _print_failure(outcome)
        told = _show_progress(done, options.seeds, failed, began, told)
    print(f"{done} seeds, {failed} failed, {time.monotonic() - began:.0f} s")
    for what, count in sorted(counts.items()):
        print(f"  {count:>9}  {what}")
    return 1 if failed else 0


def _outcomes(seeds: range, jobs: int, keep_trace: bool) -> Iterator[Outcome]:
    if jobs == 1:
        yield from (run(seed, keep_trace=keep_trace) for seed in seeds)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run, seeds, chunksize=4)


def _print_failure(outcome: Outcome) -> None:
    print(f"\nseed {outcome.seed} FAILED:")
    for violation in islice(outcome.violations, 5):
        print(f"  {violation}")
    print(f"again: python -m tests.simulation --first {outcome.seed} --seeds 1 --trace", flush=True)


def _show_progress(done: int, seeds: int, failed: int, began: float, told: float) -> float:
    """Tell how far it is; returns when that was."""
    passed = time.monotonic() - began
    line = f"{done}/{seeds} seeds, {failed} failed, {passed:.0f} s"
    if sys.stdout.isatty():
        print(f"\r{line}", end="" if done < seeds else "\n", flush=True)
    elif passed > told + _EVERY:
        print(line, flush=True)
        return passed
    return told


if __name__ == "__main__":
    sys.exit(main())
