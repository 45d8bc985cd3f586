"""The canonical bytes: their layout, byte by byte, and all that is refused."""

import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    DECK,
    DRACULA,
    HELSING,
    IllegalActionError,
    MalformedStateError,
    Phase,
    State,
)
from engine.encoding import PUBLIC_SIZE, SIZE
from tests.engine.helpers import PLAIN, Dealer, deck_of, face, play, situation

SPEC = (Path(__file__).parents[2] / "spec" / "rules.md").read_text(encoding="utf-8")
FIELDS = re.findall(r"^\| (\d+) \| (\d+) \| (\w+) \|", SPEC, re.MULTILINE)
OFFSETS = {name: int(offset) for offset, _, name in FIELDS}
ABSENT = b"\xff"


def patched(data: bytes, **fields: bytes | int) -> bytes:
    """`data` with other bytes from the start of each named field on."""
    result = bytearray(data)
    for name, value in fields.items():
        new = bytes((value,)) if isinstance(value, int) else value
        result[OFFSETS[name] : OFFSETS[name] + len(new)] = new
    assert len(result) == len(data)
    return bytes(result)


def test_a_new_game_in_bytes() -> None:
    assert State.new(13).public_bytes() == bytes.fromhex(
        "01 0d 0d 00 00 00 ff ffffffff 0000000000 00010203040506070809 ff 0a 0000 ff"
        + "ff" * 32
        + "ff" * 22
    )


def test_a_position_in_bytes() -> None:
    deck = deck_of(("r1 r2 r3 r4 r5", 5), ("b1 b2 b3 b4 b5", 5), ("y2 y7 b7", 22))
    state = State.new()
    state.ordered((2, 0, 3, 1))
    state.shuffled(deck)
    play(state, "discard drawn", "discard 1", "reveal 3")
    public = {10: "y2", 11: "y7", 5: "b1", 7: "b3"}
    shown = bytes(face(public[handle]) if handle in public else 255 for handle in range(DECK))
    assert state.public_bytes() == bytes.fromhex(
        "01 0c 0c 00 06 00 ff 02000301 0000000000 0001020304 0b06070809 0c 0d 00a0 ff"
        + shown.hex()
        + "0a05"
        + "ff" * 20
    )
    assert state.public_hash() == sha256(state.public_bytes()).digest()


def test_the_fields_of_the_specification_fill_the_bytes() -> None:
    ends = [int(offset) + int(size) for offset, size, _ in FIELDS]
    assert [0, *ends] == [*OFFSETS.values(), PUBLIC_SIZE]


def test_sizes() -> None:
    assert len(State.new().public_bytes()) == PUBLIC_SIZE == 85
    assert len(State.new().to_bytes()) == SIZE == 118


def positions() -> list[bytes]:
    """The public bytes along some random games, at every request."""
    rng = Random(7)
    found = []
    for _ in range(8):
        state, dealer = State.new(), Dealer.shuffling(rng)
        while not state.is_over:
            found.append(state.public_bytes())
            if not dealer.step(state):
                state = _act(state, rng, dealer)
        found.append(state.public_bytes())
    return found


def _act(state: State, rng: Random, dealer: Dealer) -> State:
    """A random decision that no disclosure will refuse."""
    while True:
        copy = state.clone()
        copy.act(rng.choice(copy.actions))
        with suppress(IllegalActionError):
            dealer.step(copy.clone())
            return copy


POSITIONS = positions()


def test_positions_of_every_phase_go_through_bytes() -> None:
    assert {data[OFFSETS["phase"]] for data in POSITIONS} == set(Phase)
    for data in POSITIONS:
        state = State.from_public_bytes(data)
        assert state.public_bytes() == data
        assert not state.open


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_damaged_bytes_are_refused_or_can_be_played_on(data: st.DataObject) -> None:
    damaged = bytearray(data.draw(st.sampled_from(POSITIONS)))
    for place in data.draw(st.lists(st.integers(0, PUBLIC_SIZE - 1), min_size=1, max_size=3)):
        damaged[place] = data.draw(st.integers(0, 255) | st.integers(0, DECK))
    try:
        state = State.from_public_bytes(bytes(damaged))
    except MalformedStateError:
        return
    assert state.public_bytes() == bytes(damaged)
    rng = Random(len(set(damaged)))
    decks = [_completed(state, rng), *(rng.sample(range(DECK), DECK) for _ in range(5))]
    dealer = Dealer(PLAIN, [decks[max(0, n - state.round)] for n in range(6)])
    with suppress(IllegalActionError):  # an 8 that nobody could see, discarded too early
        while not state.is_over:
            if not dealer.step(state):
                state.act(rng.choice(state.actions))


def _completed(state: State, rng: Random) -> list[int]:
    """A deck with the public faces of `state` and any others elsewhere."""
    missing = rng.sample(sorted(set(range(DECK)) - set(state.faces)), state.faces.count(-1))
    return [missing.pop() if number < 0 else number for number in state.faces]


NEW = State.new().public_bytes()
CHOOSING = situation(pile="b4", discards="r2 p2 y2 b2 r3 r7").public_bytes()
DISCARDING = play(situation("r1", pile="b2 y4"), "discard drawn").public_bytes()
EFFECT = play(situation(pile="b4"), "discard drawn").public_bytes()
TURNING_TOP = next(
    data for data in POSITIONS if data[OFFSETS["phase"]] == Phase.SHOWING and data[30] == 255
)


def at(phase: Phase) -> bytes:
    """The first of the positions in this phase, not at the start of a game."""
    return next(data for data in reversed(POSITIONS) if data[OFFSETS["phase"]] == phase and data[3])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "85 bytes, not 0"),
        (NEW + b"\x00", "85 bytes, not 86"),
        (patched(NEW, format=2), "format cannot be 2"),
        (patched(NEW, start_hp=10, hp=10), "health at the start"),
        (patched(NEW, hp=13), "health cannot be 13"),
        (patched(NEW, round=5), "round"),
        (patched(NEW, phase=13), "phase"),
        (patched(NEW, player=2), "player"),
        (patched(NEW, caller=DRACULA), "caller"),
        (patched(NEW, ranking=b"\x00\x01\x02\x02"), "ranking"),
        (patched(NEW, ranking=b"\x00\x01\x02\xff"), "ranking"),
        (patched(NEW, vampires=5), "vampires"),
        (patched(NEW, top=9), "top of the pile"),
        (patched(NEW, top=33), "top of the pile"),
        (patched(NEW, face_up=b"\x08\x00"), "mask"),
        (patched(NEW, target=6), "target"),
        (patched(NEW, faces=32), "face is a number"),
        (patched(NEW, rack=1), "one place"),
        (patched(NEW, hand=10, top=11), "one place"),
        (patched(NEW, discards=b"\xff\x0a", top=11), "one place"),
        (patched(DISCARDING, hand=255), "one place"),
        (patched(NEW, target=0), "has a target"),
        (patched(EFFECT, phase=Phase.DISCARDED, hand=11, top=12), "has a target"),
        (patched(EFFECT, phase=Phase.SHOWING, target=0), "has a target"),
        (patched(EFFECT, target=1), "has a target"),
        (patched(NEW, ranking=bytes(PLAIN), phase=Phase.EFFECT), "has a target"),
        (patched(at(Phase.DISCARDED), target=6), "target cannot be 6"),
        (patched(TURNING_TOP, target=0), "has a target"),
        (patched(CHOOSING, phase=Phase.SHOWING), "has a target"),
        (patched(NEW, faces=0), "a rule"),
        (patched(EFFECT, face_up=b"\x00\x01"), "public is"),
        (patched(DISCARDING, face_up=b"\x00\x00"), "public is"),
        (patched(EFFECT, faces=EFFECT[31:43] + b"\x00"), "public is"),
        (patched(CHOOSING, face_up=b"\x04\x00"), "public is"),
        (patched(NEW, ranking=bytes(PLAIN)), "pending follows"),
        (patched(CHOOSING, ranking=b"\xff" * 4), "pending follows"),
        (patched(NEW, player=HELSING), "pending follows"),
        (patched(NEW, round=1, ranking=bytes(PLAIN), phase=Phase.SHUFFLE), "pending follows"),
        (patched(CHOOSING, caller=HELSING), "pending follows"),
        (patched(CHOOSING, phase=Phase.DEAL_DRACULA), "pending follows"),
        (patched(DISCARDING, phase=Phase.DRAWING), "pending follows"),
        (patched(at(Phase.SHOWDOWN_DRACULA), phase=Phase.SHOWDOWN_HELSING), "pending follows"),
        (patched(at(Phase.SHUFFLE), phase=Phase.SHOWDOWN_DRACULA), "pending follows"),
        (patched(CHOOSING, hp=11), "each district"),
        (patched(CHOOSING, vampires=1), "each district"),
        (patched(CHOOSING, round=1), "each district"),
        (patched(at(Phase.SHUFFLE), phase=Phase.OVER), "each district"),
    ],
    ids=lambda value: value if isinstance(value, str) else "bytes",
)
def test_bytes_of_no_position_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedStateError, match=reason):
        State.from_public_bytes(data)


def test_a_card_turned_up_twice_in_public_is_refused() -> None:
    state = situation(discarded=6)
    data = bytearray(state.public_bytes())
    first, second = OFFSETS["faces"] + 10, OFFSETS["faces"] + 11
    data[second] = data[first]
    with pytest.raises(MalformedStateError, match="each face once"):
        State.from_public_bytes(bytes(data))


def test_an_end_that_the_score_does_not_bear_out_is_refused() -> None:
    undecided = next(data for data in POSITIONS if data[OFFSETS["phase"]] == 1 and data[3] == 1)
    over = play(
        situation("r1", "b1", "b8", discarded=6, number=3, vampires=(3, 3, 3, 3, 2), hp=11),
        "draw",
        "discard drawn",
    ).public_bytes()
    assert State.from_public_bytes(over).winner == DRACULA
    for data in (
        patched(undecided, phase=Phase.OVER, round=0),
        patched(over, hp=9, vampires=b"\x04\x03\x03\x03\x04", round=4),
        patched(over, vampires=b"\x03\x03\x03\x03\x03"),
    ):
        with pytest.raises(MalformedStateError, match="each district"):
            State.from_public_bytes(data)


def test_an_empty_pile_has_nothing_to_draw_or_turn_up() -> None:
    state = situation(pile="b2", discarded=21)
    state.discards.append(state.top)
    state.public |= 1 << state.top
    state.top = DECK
    with pytest.raises(MalformedStateError, match="pending follows"):
        State.from_public_bytes(state.public_bytes())
    state.phase = Phase.SHOWING
    with pytest.raises(MalformedStateError, match="has a target"):
        State.from_public_bytes(state.public_bytes())


def test_an_effect_with_a_single_target_is_no_question() -> None:
    state = play(situation(pile="b1"), "discard drawn")
    state.face_up = 0b01111
    state.public |= 0b01111
    with pytest.raises(MalformedStateError, match="pending follows"):
        State.from_public_bytes(state.public_bytes())


def test_a_copy_keeps_its_private_faces() -> None:
    state = situation().view(HELSING)
    copy = State.from_bytes(state.to_bytes())
    assert copy.faces == state.faces
    assert copy.actions == state.actions
    assert not copy.open
    assert State.from_bytes(situation().to_bytes()).open


def test_copies_that_contradict_themselves_are_refused() -> None:
    data = situation(discarded=6).to_bytes()
    private = PUBLIC_SIZE + 1
    hidden = situation(discarded=6).view(DRACULA).to_bytes()
    waiting = play(situation().view(DRACULA), "discard drawn")
    waiting.faces, waiting.open = situation().faces, True
    for wrong, reason in (
        (data[:-1], "118 bytes"),
        (data[:private] + data[private + 1 : private + 2] + data[private + 1 :], "twice"),
        (data[: private + 10] + ABSENT + data[private + 11 :], "public face"),
        (data[:PUBLIC_SIZE] + b"\x02" + data[private:], "open copy"),
        (hidden[:PUBLIC_SIZE] + b"\x01" + hidden[private:], "open copy"),
        (waiting.to_bytes(), "open copy"),
    ):
        with pytest.raises(MalformedStateError, match=reason):
            State.from_bytes(wrong)
