"""Games go on after `kill -9`; `python -m tests.simulation.kill` plays a few hundred."""

import sys
from pathlib import Path

import pytest

from tests.simulation.kill import play_a_round

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")


@pytest.mark.parametrize("seed", range(5))
def test_a_game_between_processes_that_are_killed_ends_well(tmp_path: Path, seed: int) -> None:
    report = play_a_round(tmp_path, seed)
    assert report.kills
    assert report.entries
