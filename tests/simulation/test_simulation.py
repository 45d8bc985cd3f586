"""Some hundreds of simulated runs; `python -m tests.simulation` makes as many as one likes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.run import run

SEEDS = 200
BATCH = 20
"""So many runs in one test: a failure names its seeds."""


@pytest.mark.parametrize("first", range(0, SEEDS, BATCH))
def test_two_honest_peers_end_their_games_well_whatever_goes_wrong(first: int) -> None:
    outcomes = [run(seed) for seed in range(first, first + BATCH)]
    failed = {outcome.seed: outcome.violations for outcome in outcomes if outcome.violations}
    assert not failed, f"again: python -m tests.simulation --first {min(failed)} --seeds 1 --trace"
    assert sum(outcome.counts["games"] for outcome in outcomes) >= BATCH
    assert sum(outcome.counts["cut"] + outcome.counts["kill"] for outcome in outcomes) > 0


def test_a_seed_gives_the_same_run_again_in_another_process_too() -> None:
    hashes = {run(7).trace_hash, run(7).trace_hash}
    for hash_seed in ("1", "2"):
        script = "from tests.simulation.run import run; print(run(7).trace_hash)"
        result = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
            env={"PYTHONHASHSEED": hash_seed},
        )
        hashes.add(result.stdout.strip())
    assert len(hashes) == 1
    assert run(8).trace_hash not in hashes
