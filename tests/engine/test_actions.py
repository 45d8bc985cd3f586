"""The numbers and the words of actions."""

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import ACTIONS, MalformedActionError, State, action_name, parse_action

ENCODING = {
    0: "draw",
    1: "call",
    2: "discard 1",
    6: "discard 5",
    7: "discard drawn",
    8: "reveal 1",
    12: "reveal 5",
    13: "expose 1",
    17: "expose 5",
    18: "swap 1 2",
    19: "swap 1 3",
    21: "swap 1 5",
    22: "swap 2 3",
    27: "swap 4 5",
    28: "exchange 1",
    32: "exchange 5",
    33: "trump red",
    34: "trump purple",
    35: "trump yellow",
    36: "trump blue",
}


@pytest.mark.parametrize(("action", "text"), ENCODING.items())
def test_the_encoding_is_fixed(action: int, text: str) -> None:
    assert action_name(action) == text
    assert parse_action(text) == action


def test_every_action_can_be_written_and_read() -> None:
    assert ACTIONS == 37
    assert [parse_action(action_name(action)) for action in range(ACTIONS)] == list(range(ACTIONS))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("  DRAW ", "draw"),
        ("Discard\t3", "discard 3"),
        ("discard  Drawn", "discard drawn"),
        ("swap 3 1", "swap 1 3"),
        ("TRUMP Blue\n", "trump blue"),
    ],
)
def test_case_space_and_the_order_of_a_pair_do_not_matter(text: str, meant: str) -> None:
    assert parse_action(text) == parse_action(meant)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "nothing was typed; actions begin with draw, call"),
        ("fold", "'fold': actions begin with draw, call, discard"),
        ("discard", "district 1 to 5 or the word drawn"),
        ("discard 0", "district 1 to 5"),
        ("discard 6", "district 1 to 5"),
        ("discard one", "district 1 to 5"),
        ("swap 2 2", "two different districts"),
        ("swap 2", "two different districts"),
        ("trump green", "red, purple, yellow, blue"),
        ("draw 2", "stands alone"),
        ("call now", "stands alone"),
        ("reveal", "needs a district"),
        ("expose 9", "needs a district"),
        ("exchange", "needs a district"),
    ],
)
def test_what_cannot_be_read_gets_a_hint(text: str, hint: str) -> None:
    with pytest.raises(MalformedActionError, match=hint):
        parse_action(text)


@given(st.text())
def test_any_text_is_an_action_or_malformed(text: str) -> None:
    with suppress(MalformedActionError):
        assert parse_action(text) in range(ACTIONS)


@pytest.mark.parametrize("number", [-1, 37])
def test_other_numbers_have_no_name(number: int) -> None:
    with pytest.raises(MalformedActionError, match="0 to 36"):
        action_name(number)


def test_the_mask_has_the_bits_of_the_legal_actions() -> None:
    state = State.new()
    assert state.action_mask == 0
    rng = Random(5)
    state.ordered([2, 0, 3, 1])
    state.shuffled(rng.sample(range(32), 32))
    while state.actions:  # until the round is over
        legal = [action for action in range(ACTIONS) if state.action_mask >> action & 1]
        assert legal == list(state.actions)
        assert state.action_mask < 1 << ACTIONS
        state.act(rng.choice(state.actions))
