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
    "proposal": ["REPLY of the guest"],
    "over": ["UNSEAL of the host", "UNSEAL of the guest"],
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_who_says_what_where_the_host_leads(name: str) -> None:
    assert [str(step) for step in script(name, HOST)] == WHOLE[name]


@pytest.mark.parametrize("name", SCRIPTS)
def test_where_the_guest_leads_the_sides_are_swapped(name: str) -> None:
    mirrored = [Step(1 - side, kind) for side, kind in script(name, HOST)]
    assert script(name, GUEST) == mirrored


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_leader_starts_and_the_sides_take_turns(name: str) -> None:
    parts = [part for part, _ in SCRIPTS[name]]
    # The leader of a proposal has made it: what is left is the answer.
    assert parts == ([FOLLOW] if name == "proposal" else [LEAD, FOLLOW, LEAD][: len(parts)])


def test_every_kind_has_its_place_but_what_may_come_instead_of_another() -> None:
    placed = {kind for steps in SCRIPTS.values() for _, kind in steps}
    assert set(Kind) - placed == {Kind.RESIGN, Kind.PROPOSE}


def test_a_script_belongs_to_whoever_asked_for_it() -> None:
    script("opening", HOST).clear()
    assert len(script("opening", HOST)) == 3
