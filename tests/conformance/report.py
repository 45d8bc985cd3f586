"""How the cases went, for people and for programs."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from tests.conformance.case import BOTH, SUBJECTS, Case
from tests.conformance.runner import FAILED, PASSED, SKIPPED, Result

MARKS: Final = {PASSED: "ok  ", FAILED: "FAIL", SKIPPED: "skip"}


def line_of(result: Result) -> str:
    """One line, and another where there is something to say."""
    case = result.case
    line = f"{MARKS[result.outcome]}  {case.section:<5} {case.name:<48} {case.title}"
    if result.outcome == PASSED:
        return line
    explanation = [f"it {case.does}, and expects: {case.expects}"] * (result.outcome == FAILED)
    return "\n          ".join([line, *explanation, result.detail])


def listing(cases: Sequence[Case]) -> str:
    """What there is to choose from."""
    return "\n".join(
        f"{case.section:<5} {case.name:<48} {_subjects(case):<6} {case.title}" for case in cases
    )


def _subjects(case: Case) -> str:
    return "both" if case.subjects == BOTH else SUBJECTS[case.subjects[0]]


def summary(results: Sequence[Result]) -> str:
    counts = Counter(result.outcome for result in results)
    seconds = sum(result.seconds for result in results)
    text = f"{counts[PASSED]} passed, {counts[FAILED]} failed, {counts[SKIPPED]} skipped"
    return f"{text} ({seconds:.0f} s of cases)"


def as_json(results: Sequence[Result]) -> str:
    """An array with an object for each case."""
    return json.dumps(
        [
            {
                "name": result.case.name,
                "section": result.case.section,
                "title": result.case.title,
                "does": result.case.does,
                "expects": result.case.expects,
                "subject": result.subject,
                "outcome": result.outcome,
                "detail": result.detail,
                "seconds": round(result.seconds, 3),
            }
            for result in results
        ],
        indent=1,
        ensure_ascii=False,
    )


def write_junit(results: Sequence[Result], path: Path) -> None:
    """The results in the form that build servers read."""
    suites = ElementTree.Element("testsuites")
    for subject in SUBJECTS:
        of_subject = [result for result in results if result.subject == subject]
        if not of_subject:
            continue
        counts = Counter(result.outcome for result in of_subject)
        suite = ElementTree.SubElement(
            suites,
            "testsuite",
            name=f"the peer {subject}",
            tests=str(len(of_subject)),
            failures=str(counts[FAILED]),
            skipped=str(counts[SKIPPED]),
            time=f"{sum(result.seconds for result in of_subject):.3f}",
        )
        for result in of_subject:
            _add_junit(suite, result)
    ElementTree.indent(suites)
    ElementTree.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)


def _add_junit(suite: ElementTree.Element, result: Result) -> None:
    case = result.case
    element = ElementTree.SubElement(
        suite,
        "testcase",
        classname=f"{result.subject}.section-{case.section}",
        name=case.name,
        time=f"{result.seconds:.3f}",
    )
    if result.outcome == FAILED:
        failure = ElementTree.SubElement(element, "failure", message=_printable(result.detail))
        failure.text = f"{case.title}. It {case.does}, and expects: {case.expects}."
    elif result.outcome == SKIPPED:
        ElementTree.SubElement(element, "skipped", message=_printable(result.detail))


def _printable(text: str) -> str:
    """Without what can't stand in XML: details hold what the peer under test has said."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
