"""Mutation testing: change the program in one place, and see whether a test notices.

    python -m tests.tools.mutate engine protocol/table.py [--sample 500] [--seed 1]

A change that no test notices (a survivor) is either no change at all in what the program does, or
a test that is missing.  Each module is changed as a whole and in memory, before anything imports
it: so tables that are made on import, properties, and classes with slots take part, which tools
that switch functions at run time leave out.  Which tests could notice is known from one run under
`coverage`; those of the module's own test file come first, then the fastest, and no more of them
than take `--budget` seconds together, in a process forked for each change.

It takes the extra "mutation", a system with `fork`, and half a second or more for each change.
"""

import argparse
import ast
import os
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from random import Random
from types import CodeType, ModuleType
from typing import Any, Final

import coverage
import cryptography.hazmat.primitives.asymmetric.ed25519
import hypothesis.strategies
import msgpack  # type: ignore[import-untyped]
import pytest
import rbcl  # type: ignore[import-untyped]

WARM: Final = (cryptography, hypothesis, msgpack, rbcl)  # imported once, before the forks
TESTS: Final = ("tests/engine", "tests/protocol")
QUIET: Final = (
    "-q", "-x", "-p", "no:cacheprovider", "-p", "no:benchmark", "--hypothesis-seed=0",
    "-W", "ignore::pytest.PytestAssertRewriteWarning",
)  # fmt: skip
FIRST: Final = 12
"""So many tests are tried before all others."""
PATIENCE: Final = 10.0
"""Seconds that are always given; an endless loop counts as noticed."""

SWAPS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: where, which, and the module with it."""

    path: Path
    line: int
    lines: range  # those of the statement around it
    change: str
    code: CodeType


# --- what is changed ------------------------------------------------------------------------


def mutants(path: Path) -> Iterator[Mutant]:
    """All changes to one module."""
    tree = ast.parse(path.read_text())
    for node, lines in _walk(tree, range(0)):
        for change, undo in _changes(node):
            shown = f"{change}: {ast.unparse(node)[:90]}"
            code = compile(ast.fix_missing_locations(tree), str(path.resolve()), "exec")
            undo()
            yield Mutant(path, node.lineno, lines, shown.replace("\n", " "), code)


def _walk(node: ast.AST, lines: range) -> Iterator[tuple[Any, range]]:
    """Every node that may be changed, with the lines of its statement."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_words(child):
                continue
            inner = lines
            if isinstance(child, ast.stmt):
                body = getattr(child, "body", None)
                end = body[0].lineno if body else (child.end_lineno or child.lineno) + 1
                inner = range(child.lineno, max(end, child.lineno + 1))
            if hasattr(child, "lineno"):
                yield child, inner
            yield from _walk(child, inner)


def _is_words(node: ast.AST) -> bool:
    """Whether these are words for people: documentation, errors, representations."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.FunctionDef(name="__repr__" | "__str__") | ast.keyword(arg="strict"):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
    return False


def _changes(node: Any) -> Iterator[tuple[str, Any]]:
    """Change `node` in each way that suits it; the caller undoes what it gets."""

    def put(name: str, value: Any) -> Any:
        kept = getattr(node, name)
        setattr(node, name, value)
        return lambda: setattr(node, name, kept)

    match node:
        case ast.Compare(ops=[op]):
            yield f"another {type(op).__name__}", put("ops", [SWAPS[type(op)]()])
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                changed = [*ops[:i], SWAPS[type(op)](), *ops[i + 1 :]]
                yield f"another {type(op).__name__}", put("ops", changed)
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in SWAPS:
            yield f"another {type(op).__name__}", put("op", SWAPS[type(op)]())
        case ast.BoolOp(op=op, values=values):
            yield f"another {type(op).__name__}", put("op", SWAPS[type(op)]())
            for i in range(len(values)):
                yield f"without term {i}", put("values", [*values[:i], *values[i + 1 :]] * 2)
        case ast.UnaryOp(op=ast.Not()):
            yield "without not", put("op", ast.UAdd())  # of a bool: 1 or 0
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield "without minus", put("op", ast.UAdd())
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if not isinstance(test, ast.Compare | ast.UnaryOp):
                yield "condition turned", put("test", ast.UnaryOp(ast.Not(), test))
            if isinstance(node, ast.If):
                yield "condition never", put("test", ast.Constant(False))
        case ast.comprehension(ifs=[test]):
            yield "without filter", put("ifs", [])
        case ast.Constant(value=bool() as value):
            yield f"{not value}", put("value", not value)
        case ast.Constant(value=int() as value):
            yield f"{value + 1}", put("value", value + 1)
        case ast.Constant(value=bytes() as value):
            yield "other bytes", put("value", value + b"x")
        case ast.Call(func=ast.Attribute(attr="append"), args=[_, _, *_] as args):
            for i in range(len(args)):
                yield f"without argument {i}", put("args", [*args[:i], *args[i + 1 :]])
        case ast.Match(cases=cases):
            for i, case in enumerate(cases[: len(cases) if len(cases) > 1 else 0]):
                what = ast.unparse(case.pattern)[:40]
                yield f"without case {what}", put("cases", [*cases[:i], *cases[i + 1 :]])
    for name in ("body", "orelse", "finalbody"):
        statements = getattr(node, name, None)
        if isinstance(statements, list):
            yield from _removals(statements, name, put)


def _removals(statements: list[ast.stmt], name: str, put: Any) -> Iterator[tuple[str, Any]]:
    for i, statement in enumerate(statements):
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Expr() | ast.AugAssign() | ast.Delete() | ast.Raise() | ast.Assert():
                pass
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                pass
            case _:
                continue
        gone = f"without line {statement.lineno} {ast.unparse(statement)[:60]}"
        yield gone, put(name, [*statements[:i], ast.Pass(), *statements[i + 1 :]])


# --- which tests could notice ---------------------------------------------------------------


class Reach:
    """Which tests reach which lines, and how long they take."""

    def __init__(self) -> None:
        self.tests: dict[tuple[str, int], set[str]] = defaultdict(set)
        self.importing: set[tuple[str, int]] = set()
        self.seconds: dict[str, float] = defaultdict(float)

    @classmethod
    def measure(cls, expression: str) -> "Reach":
        """Run all tests once, under coverage, in a process of their own."""
        reach = cls()
        with tempfile.TemporaryDirectory() as folder:
            data, times = Path(folder, "coverage"), Path(folder, "times")
            if _forked(lambda: _cover(data, times, expression), 3600.0) != 0:
                sys.exit("The tests must pass before they are put to the test.")
            for line in times.read_text().splitlines():
                seconds, test = line.split(" ", 1)
                reach.seconds[test] += float(seconds)
            found = coverage.CoverageData(str(data))
            found.read()
            for name in found.measured_files():
                path = str(Path(name).relative_to(Path.cwd()))
                for number, contexts in found.contexts_by_lineno(name).items():
                    tests = {_node(context) for context in contexts if context}
                    reach.tests[path, number] |= tests & reach.seconds.keys()
                    if "" in contexts:
                        reach.importing.add((path, number))
        return reach

    def of(self, mutant: Mutant, budget: float) -> list[str]:
        """The tests that may notice, the likely ones first, and of the others the fastest."""
        path = str(mutant.path)
        lines = {(path, line) for line in mutant.lines}
        tests = {test for key in lines for test in self.tests.get(key, ())}
        if lines & self.importing:  # what is made on import may show anywhere
            tests |= self.seconds.keys()
        own = f"/test_{mutant.path.stem}.py::"
        chosen, spent = list[str](), 0.0
        for test in sorted(tests, key=lambda test: (own not in test, self.seconds[test])):
            spent += self.seconds[test]
            if not chosen or spent < budget:
                chosen.append(test)
        return chosen


def _node(context: str) -> str:
    module, _, function = context.rpartition(".")
    return f"{module.replace('.', '/')}.py::{function}"


class _Times:
    """Notes the time of each test in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: Any) -> None:
        test = report.nodeid.partition("[")[0]
        with self.path.open("a") as file:
            file.write(f"{report.duration} {test}\n")


def _cover(data: Path, times: Path, expression: str) -> int:
    cover = coverage.Coverage(data_file=str(data), source=["engine", "protocol"])
    cover.set_option("run:dynamic_context", "test_function")
    cover.start()
    code = pytest.main([*QUIET, "-k", expression, *TESTS], plugins=[_Times(times)])
    cover.stop()
    cover.save()
    return int(code)


# --- whether they do ------------------------------------------------------------------------


class _Changed(MetaPathFinder):
    """Gives one module as the mutant has it."""

    def __init__(self, mutant: Mutant) -> None:
        self.name = ".".join(mutant.path.with_suffix("").parts).removesuffix(".__init__")
        self.mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        file = str(self.mutant.path.resolve())
        code = self.mutant.code

        class Loader(SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType:
                return code

        return spec_from_file_location(fullname, file, loader=Loader(fullname, file))


def noticed(mutant: Mutant, tests: Sequence[str], seconds: float) -> bool:
    """Whether one of `tests` fails."""

    def run() -> int:
        sys.meta_path.insert(0, _Changed(mutant))
        return int(pytest.main([*QUIET, *tests]))

    return _forked(run, seconds) != 0


def _forked(run: Any, seconds: float) -> int:
    """What `run` returns in a process of its own; 1 if it dies or takes too long."""
    child = os.fork()
    if not child:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(null, descriptor)
        code = 1
        try:
            code = run()
        finally:
            os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 1


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.mutate", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, help="modules or packages")
    parser.add_argument("--sample", type=int, help="so many changes, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of tests for each")
    parser.add_argument("--expression", default="", help="only tests that match this (pytest -k)")
    options = parser.parse_args()
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.mkdtemp()
    files = [
        file for p in options.paths for file in (sorted(p.glob("*.py")) if p.is_dir() else [p])
    ]
    found = [mutant for file in files for mutant in mutants(file)]
    if options.sample is not None and options.sample < len(found):
        found = Random(options.seed).sample(found, options.sample)
        found.sort(key=lambda mutant: (str(mutant.path), mutant.line))
    print(f"{len(found)} changes", flush=True)
    reach = Reach.measure(options.expression)
    figures: dict[Path, Counter[str]] = defaultdict(Counter)
    for number, mutant in enumerate(found):
        print(f"\r{number} ", end="", file=sys.stderr, flush=True)
        tests = reach.of(mutant, options.budget)
        limit = PATIENCE + 5 * sum(reach.seconds[test] for test in tests)
        killed = any(
            noticed(mutant, part, limit) for part in (tests[:FIRST], tests[FIRST:]) if part
        )
        figures[mutant.path]["killed" if killed else "survived" if tests else "unreached"] += 1
        if not killed:
            print(f"\r{mutant.path}:{mutant.line} {mutant.change}", flush=True)
    total: Counter[str] = sum(figures.values(), Counter())
    for name, counts in [*figures.items(), (Path("total"), total)]:
        print(f"{name}: {dict(counts)}", flush=True)


if __name__ == "__main__":
    main()
