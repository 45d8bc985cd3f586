"""A short run of every target without a guide; the long ones are `python -m tests.fuzz`."""

from random import Random
from typing import Final

import pytest

from tests.fuzz.source import changed
from tests.fuzz.targets import TARGETS, Target

RUNS: Final = 150


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_nothing_breaks_the_promise(target: Target) -> None:
    rng, seeds = Random(target.name), target.seeds()
    for seed in seeds[:20]:
        target.run(seed)
    for _ in range(RUNS):
        target.run(changed(rng.choice(seeds), rng))
