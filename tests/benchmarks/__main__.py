"""All benchmarks, one after the other: `python -m tests.benchmarks`."""

from tests.benchmarks import game, plies, shuffle

for benchmark in (shuffle, game, plies):
    print(f"--- {benchmark.__name__.rpartition('.')[2]}")
    benchmark.main()
