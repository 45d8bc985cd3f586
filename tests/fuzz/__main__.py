"""`python -m tests.fuzz`: see the package."""

import argparse
import random
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("target", nargs="?")
    parser.add_argument("files", nargs="*", type=Path, help="run these inputs only")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--plain", action="store_true", help="without atheris")
    options = parser.parse_args()
    plain = options.plain or options.files or options.target is None
    targets = (_load if plain else _load_instrumented)()
    if options.target not in targets:
        for target in targets.values():
            print(f"{target.name:13} {target.promise}")
        sys.exit(options.target and f"There is no target {options.target!r}.")
    target = targets[options.target]
    if options.files:
        for file in options.files:
            target.run(file.read_bytes())
    elif options.plain:
        _run_plain(target, options.seconds)
    else:
        _run_guided(target, options.seconds)


def _load() -> Any:
    return import_module("tests.fuzz.targets").TARGETS


def _load_instrumented() -> Any:
    """The targets, with everything that they import counting the branches it takes."""
    try:
        atheris = import_module("atheris")
    except ImportError:
        sys.exit("atheris is not here: pip install 'whitby[fuzz]', or use --plain.")
    with atheris.instrument_imports(include=["protocol", "engine", "peer"]):
        return _load()


def _run_guided(target: Any, seconds: int) -> None:
    atheris = import_module("atheris")
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(target.seeds()):
            Path(folder, str(number)).write_bytes(seed)
        largest = max(map(len, target.seeds()))
        arguments = [
            f"-max_total_time={seconds}",
            f"-max_len={max(2 * largest, 512)}",
            "-len_control=0",
            "-timeout=20",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
            f"-artifact_prefix=fuzz-{target.name}-",
        ]
        atheris.Setup([sys.argv[0], folder, *arguments], target.run)
        atheris.Fuzz()


def _run_plain(target: Any, seconds: int) -> None:
    changed = import_module("tests.fuzz.source").changed
    rng, seeds, runs = random.Random(), target.seeds(), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = changed(rng.choice(seeds), rng)
        try:
            target.run(data)
        except BaseException:
            file = Path(f"fuzz-{target.name}-{rng.getrandbits(32):08x}")
            file.write_bytes(data)
            print(f"After {runs} runs: {file}", file=sys.stderr)
            raise
        runs += 1
    print(f"{target.name}: {runs} runs")


if __name__ == "__main__":
    main()
