"""Imports are a law: which package may use which, which file may touch what is not ours.

    engine     the rules: the standard library only, and of it only what is pure
    protocol   knows no game and no program; third parties only in the files that wrap them
    peer       the program, on trio

Everything is read from the source, so a module that nothing imports is held to it too.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parent.parent
PACKAGES: Final = ("engine", "protocol", "peer")

PURE: Final = {
    *("abc", "bisect", "collections", "dataclasses", "enum", "functools", "itertools", "math"),
    *("operator", "re", "string", "struct", "types", "typing"),
    *("hashlib", "hmac"),
}
"""What has no clock, no chance, no files and no network: it answers the same every time."""

MAY_ALSO: Final = {
    # The caller brings the generator; the type is named so that it can be asked for.
    "engine": {"random.Random"},
    # The group unwraps libsodium, which is a file that has to be loaded.
    "protocol.group": {"contextlib", "ctypes", "importlib", "pathlib", "rbcl"},
    "protocol.codec": {"msgpack"},
    "protocol.noise": {"cryptography"},
    "protocol.identity": {"cryptography"},
}
"""Exceptions from the rule, by package or by module: modules, or single names of modules."""

PEER_THIRD_PARTIES: Final = {"trio", "rich", "platformdirs", "cryptography", "h11", "wsproto"}
PEER_NEVER: Final = {"asyncio", "requests", "urllib", "http", "pickle", "marshal", "shelve"}

PROTOCOL_ORDER: Final = (
    *("errors", "game"),
    *("group", "sampling", "argument", "transcript"),
    *("sigma", "keys", "coin", "deck", "shuffle"),
    *("codec", "identity", "entries", "claim", "script"),
    *("dealer", "course", "table", "record", "line"),
    "noise",
)
"""Modules of protocol from the bottom to the top: each may use those before it only."""


class Import(NamedTuple):
    """One import: of a `module`, and of a `name` in it, if there is one."""

    module: str
    name: str
    line: int
    is_typing: bool

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]


def modules(package: str) -> list[str]:
    """Every module of a package, as "engine.state"; the package itself as "engine"."""
    paths = sorted((ROOT / package).rglob("*.py"))
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return [name.removesuffix(".__init__") for name in names]


def tree(module: str) -> ast.Module:
    path = ROOT / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(module: str) -> Iterator[Import]:
    """All imports, wherever they stand."""
    source = tree(module)
    for_types = {
        id(inner)
        for node in ast.walk(source)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(source):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, "", node.lineno, id(node) in for_types)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                where = "." * node.level + (node.module or "")
                yield Import(where, alias.name, node.lineno, id(node) in for_types)


def imported_modules(module: str, *, typing: bool = True) -> set[str]:
    """Those of our own modules that `module` imports, in either of the two ways to say so."""
    known = {name for package in PACKAGES for name in modules(package)}
    found = set()
    for item in imports(module):
        if item.is_typing and not typing:
            continue
        inner = f"{item.module}.{item.name}"
        found.add(inner if inner in known else item.module)
    return found & known


ALL: Final = [name for package in PACKAGES for name in modules(package)]
INNER: Final = [name for package in ("engine", "protocol") for name in modules(package)]


@pytest.mark.parametrize("module", ALL)
def test_imports_are_absolute_and_name_what_they_want(module: str) -> None:
    for item in imports(module):
        assert not item.module.startswith("."), f"line {item.line} is relative"
        assert item.name != "*", f"line {item.line} imports everything"


@pytest.mark.parametrize("module", INNER)
def test_the_inner_packages_are_pure_and_know_nobody_above(module: str) -> None:
    package = module.partition(".")[0]
    allowed = MAY_ALSO.get(package, set()) | MAY_ALSO.get(module, set())
    for item in imports(module):
        if item.top in PURE or item.top == package:
            continue
        names = {item.top, item.module, f"{item.module}.{item.name}"}
        assert names & allowed, f"line {item.line}: {item.module} has no place in {module}"


@pytest.mark.parametrize("module", modules("peer"))
def test_the_program_uses_what_it_says_it_uses(module: str) -> None:
    allowed = sys.stdlib_module_names | PEER_THIRD_PARTIES | set(PACKAGES)
    for item in imports(module):
        assert item.top in allowed, f"line {item.line}: {item.module}"
        assert item.top not in PEER_NEVER, f"line {item.line}: {item.module}"


def test_the_order_names_every_module_of_protocol() -> None:
    named = {f"protocol.{name}" for name in PROTOCOL_ORDER}
    assert named == set(modules("protocol")) - {"protocol"}


@pytest.mark.parametrize("name", PROTOCOL_ORDER)
def test_protocol_imports_downwards_only(name: str) -> None:
    below = {f"protocol.{lower}" for lower in PROTOCOL_ORDER[: PROTOCOL_ORDER.index(name)]}
    assert imported_modules(f"protocol.{name}") <= below


def test_noise_stands_alone() -> None:
    assert imported_modules("protocol.noise") == {"protocol.errors"}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_imports_itself_in_the_end(package: str) -> None:
    """Imports that only type checkers see are left out: they may go in circles."""
    below = {
        module: imported_modules(module, typing=False) & set(modules(package))
        for module in modules(package)
        if module != package
    }
    while leaves := [module for module, others in below.items() if not others & set(below)]:
        for module in leaves:
            del below[module]
    assert below == {}


@pytest.mark.parametrize("module", INNER)
def test_the_inner_packages_neither_print_nor_ask_nor_open(module: str) -> None:
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"print", "input", "open", "eval", "exec", "__import__"}
        assert not isinstance(node, ast.Global), f"line {node.lineno}"
        assert not isinstance(node, ast.AsyncFunctionDef | ast.Await), "waiting is the program's"


@pytest.mark.parametrize(
    ("package", "planted"),
    [
        ("engine", "import time"),
        ("engine", "from random import choice"),
        ("engine", "import random"),
        ("engine", "from protocol.table import Table"),
        ("engine", "import trio"),
        ("protocol", "import engine"),
        ("protocol", "from peer import cli"),
        ("protocol", "import msgpack"),
        ("protocol", "from cryptography.hazmat.primitives import hashes"),
        ("protocol", "import secrets"),
        ("protocol", "def f():\n    import os"),
    ],
)
def test_the_law_is_enforced(package: str, planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "tree", lambda module: ast.parse(planted))
    with pytest.raises(AssertionError):
        test_the_inner_packages_are_pure_and_know_nobody_above(f"{package}.planted")
