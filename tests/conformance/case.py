"""What a case is, and the register of all of them.

A case names a MUST of `spec/protocol.md` and its section, does something on the wire, and sees
what comes of it.  It returns if that is as it should be, and raises `FailedError` if it is not, or
`SkippedError` if it could not be brought about.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from protocol.script import GUEST, HOST

if TYPE_CHECKING:
    from tests.conformance.bench import Bench

Action = Callable[["Bench"], Awaitable[None]]

BOTH: Final = (HOST, GUEST)
SUBJECTS: Final = ("hosts", "joins")

_MODULES: Final = (
    *("games", "handshakes", "hellos", "messages", "syncs", "forms", "chains"),
    *("keys", "coins", "shuffles", "shares", "actions", "endings", "company"),
)


class FailedError(Exception):
    """The peer under test does not do what the specification says."""


class SkippedError(Exception):
    """This case could not be brought about, and nothing is wrong so far."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case.

    `name` is unique; `title` what the specification demands; `does` what the suite does and
    `expects` what it wants to see; `subjects` the sides that the peer under test may have in it.
    """

    name: str
    section: str
    title: str
    does: str
    expects: str
    run: Action = field(repr=False)
    subjects: tuple[int, ...] = BOTH
    is_slow: bool = False

    @property
    def order(self) -> tuple[int, ...]:
        return tuple(map(int, self.section.split(".")))


_CASES: Final[dict[str, Case]] = {}


def add(case: Case) -> None:
    """Put a case in the register."""
    if case.name in _CASES:
        raise ValueError(f"two cases are called {case.name!r}")
    _CASES[case.name] = case


def case(
    section: str,
    title: str,
    *,
    does: str,
    expects: str,
    subjects: tuple[int, ...] = BOTH,
    is_slow: bool = False,
) -> Callable[[Action], Action]:
    """Make a case of a function, which gives it its name."""

    def register(action: Action) -> Action:
        name = action.__name__.replace("_", "-")
        add(Case(name, section, title, does, expects, action, subjects, is_slow))
        return action

    return register


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case, in the order of the sections."""
    for module in _MODULES:
        import_module(f"tests.conformance.cases.{module}")
    return tuple(sorted(_CASES.values(), key=lambda case: case.order))


def choose(sections: list[str], names: list[str]) -> list[Case]:
    """The cases of these sections, their subsections included, and of these names.

    Everything, if nothing is named.  Raises `KeyError` for a name that none has.
    """
    known = all_cases()
    for name in names:
        if name not in _CASES:
            raise KeyError(f"there is no case {name!r}")
    for section in sections:
        if not any(_is_in(case, section) for case in known):
            raise KeyError(f"there is no case of section {section!r}")
    if not sections and not names:
        return list(known)
    return [
        case
        for case in known
        if case.name in names or any(_is_in(case, section) for section in sections)
    ]


def _is_in(case: Case, section: str) -> bool:
    return case.section == section or case.section.startswith(f"{section}.")
