"""Our own peer passes the conformance suite, and peers that lack a check don't.

All of it runs in this process (see `tests.conformance.inside`).  Here are a good part of the
cases, among them all that a mutant needs; `python -m tests.conformance` runs every one against a
peer that is a program.
"""

import json
import logging
import re
import subprocess
import sys
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from xml.etree import ElementTree

import pytest
import trio

from protocol.script import HOST
from tests.conformance import report
from tests.conformance.case import Case, all_cases, choose
from tests.conformance.inside import (
    Surprises,
    new_bot,
    new_stubborn_bot,
    our_guest,
    our_host,
)
from tests.conformance.mutants import MUTANTS, OUT_OF_REACH, Mutant, all_installed
from tests.conformance.runner import FAILED, PASSED, SKIPPED, Result, run_case, run_cases
from tests.conformance.subject import Subject

ROOT = Path(__file__).parent.parent
PATIENCE = 30.0
SHORT_PATIENCE = 2.0
"""With a mutant, silence is the answer as often as not."""
JOBS = 4


def of_the_mutants() -> set[str]:
    return {name for mutant in MUTANTS for name in mutant.cases}


def chosen(side: int) -> list[Case]:
    """One case of each demand, and all that mutants need."""
    demands: set[tuple[str, str]] = set()
    cases = []
    for case in all_cases():
        demand = case.section, case.title
        if side not in case.subjects or case.is_slow:
            continue
        if demand not in demands or case.name in of_the_mutants():
            demands.add(demand)
            cases.append(case)
    return cases


async def run_all(subject: Subject) -> list[Result]:
    results: list[Result] = []
    cases = chosen(subject.side)
    await run_cases(cases, subject, results.append, patience=PATIENCE, jobs=JOBS)
    assert [result.case for result in results] == cases
    return results


def see_passed(results: list[Result]) -> None:
    failed = [report.line_of(result) for result in results if result.outcome == FAILED]
    assert not failed, "\n".join(failed)
    skipped = {result.case.name for result in results if result.outcome == SKIPPED}
    assert skipped <= {"proposing-twice"}


async def test_our_peer_passes_as_the_host(tmp_path: Path) -> None:
    surprises = Surprises()
    log = logging.getLogger("whitby")
    log.addHandler(surprises)
    try:
        async with our_host(tmp_path) as subject:
            see_passed(await run_all(subject))
    finally:
        log.removeHandler(surprises)
    assert surprises.found == []


async def test_our_peer_passes_as_the_guest() -> None:
    see_passed(await run_all(our_guest()))


# --- mutants ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def caught(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Result]]:
    """What becomes of each mutant: all of them at once, since they mostly wait."""
    results: dict[str, list[Result]] = {}
    limit = trio.CapacityLimiter(8)

    async def try_one(mutant: Mutant) -> None:
        new_seat = new_stubborn_bot if mutant.is_stubborn else new_bot
        async with limit, AsyncExitStack() as stack:
            subject: Subject
            if mutant.subject == HOST:
                home = tmp_path_factory.mktemp("mutant")
                host = our_host(home, mutant=mutant.name, new_seat=new_seat)
                subject = await stack.enter_async_context(host)
            else:
                subject = our_guest(mutant=mutant.name, new_seat=new_seat)
            results[mutant.name] = [
                await run_case(case, subject, SHORT_PATIENCE)
                for case in choose([], list(mutant.cases))
            ]

    async def try_all() -> None:
        async with trio.open_nursery() as nursery:
            for mutant in MUTANTS:
                nursery.start_soon(try_one, mutant)

    logging.getLogger("whitby").addHandler(logging.NullHandler())
    with all_installed():
        trio.run(try_all)
    return results


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_a_peer_that_lacks_a_check_is_caught(
    mutant: Mutant, caught: dict[str, list[Result]]
) -> None:
    missed = [result for result in caught[mutant.name] if result.outcome != FAILED]
    assert not missed, [(result.case.name, result.outcome, result.detail) for result in missed]


async def test_a_stubborn_peer_passes_what_only_that_one_can(tmp_path: Path) -> None:
    async with our_host(tmp_path, new_seat=new_stubborn_bot) as subject:
        for case in choose([], ["proposing", "proposing-twice"]):
            result = await run_case(case, subject, PATIENCE)
            assert result.outcome == PASSED, result.detail


def test_mutants_have_different_names_and_cases() -> None:
    assert Counter(mutant.name for mutant in MUTANTS).most_common(1)[0][1] == 1
    assert all(mutant.cases for mutant in MUTANTS)
    assert all(reason for reason in OUT_OF_REACH.values())


# --- the list of cases, and the command ---------------------------------------------------------


def test_every_section_that_is_cited_exists() -> None:
    text = (ROOT / "spec" / "protocol.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^#{2,4} ([0-9]+(?:\.[0-9]+)*) ", text, flags=re.MULTILINE))
    assert {case.section for case in all_cases()} <= sections


def test_sections_and_names_choose_cases() -> None:
    assert choose([], []) == list(all_cases())
    assert {case.section for case in choose(["13"], [])} >= {"13.3", "13.6"}
    assert {case.section for case in choose(["3"], [])} == {"3"}
    assert [case.name for case in choose([], ["parting"])] == ["parting"]
    for sections, names in ((["99"], []), ([], ["no-such-case"])):
        with pytest.raises(KeyError):
            choose(sections, names)


def test_every_case_says_what_it_is() -> None:
    for case in all_cases():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", case.name)
        assert "MUST" in case.title or "SHOULD" in case.title, case.name
        assert case.does
        assert case.expects


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tests.conformance", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_command(tmp_path: Path) -> None:
    """Against a guest that is a program, and one that is no peer at all."""
    guest = f"{sys.executable} -m peer --home {{dir}} bot join - --quiet"
    junit = tmp_path / "junit.xml"
    good = run("--guest-command", guest, "--case", "parting", "--json", "--junit", str(junit))
    assert good.returncode == 0, good.stdout + good.stderr
    (result,) = json.loads(good.stdout)
    assert (result["name"], result["subject"], result["outcome"]) == ("parting", "joins", "passed")
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")
    bad = run("--guest-command", f"{sys.executable} -c pass", "--case", "parting")
    assert bad.returncode == 1
    assert "FAIL  13.7  parting" in bad.stdout
    assert "has ended and does not connect" in bad.stdout


def test_what_the_command_does_not_understand() -> None:
    for arguments in ((), ("--case", "no-such-case"), ("whitby:abc",)):
        assert run(*arguments).returncode == 2
    listed = run("--list", "--section", "13.6")
    assert listed.returncode == 0
    assert all(line.startswith("13.6") for line in listed.stdout.splitlines())
