"""The order of a game, as a table: every script, and who says what in it."""

import pytest

from protocol.entries import Kind
from protocol.script import FOLLOW, GUEST, HOST, LEAD, SCRIPTS, Step, script

WHOLE = {
    "opening": ["OFFER of the host", "ACCEPT of the guest", "KEY of the host"],
    "seats": ["COMMIT of the host", "ANSWER of the guest", "OPEN of the host"],
    "order": ["COMMIT of the host", "ANSWER of the guest", "OPEN of the host"],
    "shuffle": ["SHUFFLE of the host", "SHUFFLE of the guest"],
    "disclose": ["SHARE of the host", "SHARE of the guest"],
    "choose": ["ACT of the host"],
    "over": ["UNSEAL of the host", "UNSEAL of the guest"],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_who_says_what_where_the_host_leads(name: str) -> None:
    assert [str(step) for step in script(name, HOST)] == WHOLE[name]


@pytest.mark.parametrize("name", SCRIPTS)
def test_where_the_guest_leads_the_sides_are_swapped(name: str) -> None:
    mirrored = [Step(1 - side, kind) for side, kind in script(name, HOST)]
    assert script(name, GUEST) == mirrored


def test_every_script_starts_with_its_leader_and_the_sides_take_turns() -> None:
    for steps in SCRIPTS.values():
        assert [part for part, _ in steps] == [LEAD, FOLLOW, LEAD][: len(steps)]


def test_every_kind_but_a_resignation_has_its_place() -> None:
    assert {kind for steps in SCRIPTS.values() for _, kind in steps} == set(Kind) - {Kind.RESIGN}


def test_a_script_belongs_to_whoever_asked_for_it() -> None:
    script("opening", HOST).clear()
    assert len(script("opening", HOST)) == 3
