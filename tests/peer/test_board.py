"""The board shows all that its player may see, by shape and letter, and nothing else."""

import io
import re
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from engine.board import DISTRICTS, NONE, TOP
from engine.cards import COLOUR, COLOURS, DECK, UNKNOWN, VALUE, card_name
from engine.phases import DISCARDING, OVER
from engine.state import State
from peer.terminal import render_board
from peer.terminal.board import MIN_WIDTH, TABLE_LINES
from peer.terminal.look import LETTERS, SHAPES, dressed
from peer.terminal.words import board_words
from tests.peer.games import positions
from tests.tools.board_picture import draw

CHIP = re.compile(rf"([{''.join(SHAPES)}])([{''.join(LETTERS)}])([1-8])")
NAME = re.compile(rf"({'|'.join(COLOURS)}) ([1-8])")


def picture(view: State, player: int, width: int = 80, **more: object) -> str:
    console = Console(width=width, height=24, file=io.StringIO(), color_system=None, _environ={})
    with console.capture() as capture:
        console.print(render_board(view, player, width=width, **more))  # type: ignore[arg-type]
    return capture.get()


def chips(text: str) -> list[int]:
    found = []
    for shape, letter, value in CHIP.findall(text):
        assert SHAPES.index(shape) == LETTERS.index(letter)
        found.append(SHAPES.index(shape) * 8 + int(value) - 1)
    return found


def names(text: str) -> list[int]:
    return [COLOURS.index(colour) * 8 + int(value) - 1 for colour, value in NAME.findall(text)]


def position(seed: int, number: int) -> State:
    """A position of a game of random moves; the last one if the game is shorter."""
    *_, state = islice(positions(seed), number + 1)
    return state


spots = st.tuples(st.integers(0, 10_000), st.integers(0, 120))


# --- what is hidden stays hidden ---


@settings(max_examples=60, deadline=None)
@given(spots, st.sampled_from((0, 1)))
def test_no_card_is_shown_that_the_player_does_not_know(spot: tuple[int, int], player: int) -> None:
    state = position(*spot)
    known = {face for face in state.view(player).faces if face != UNKNOWN}
    hidden = set(range(DECK)) - known
    for text in (picture(state, player), "\n".join(board_words(state, player))):
        assert not hidden & {*chips(text), *names(text)}


@settings(max_examples=60, deadline=None)
@given(spots, st.sampled_from((0, 1)), st.integers(0, 2**32))
def test_the_board_is_the_same_however_the_unknown_cards_lie(
    spot: tuple[int, int], player: int, seed: int
) -> None:
    state = position(*spot)
    other = state.determinize(Random(seed), player)
    assert picture(state, player) == picture(other, player) == picture(state.view(player), player)
    assert board_words(state, player) == board_words(other, player)


# --- what is known is there ---


@settings(max_examples=60, deadline=None)
@given(spots, st.sampled_from((0, 1)))
def test_everything_on_the_table_is_shown(spot: tuple[int, int], player: int) -> None:
    state = position(*spot)
    view = state.view(player)
    text = picture(state, player)
    on_table = [view.faces[handle] for handle in view.rack if view.faces[handle] != UNKNOWN]
    assert set(on_table) <= set(chips(text))
    latest = [view.faces[handle] for handle in view.discards[:-5:-1]]
    assert set(latest) <= set(chips(text))
    assert f"Pile {DECK - view.top}" in text
    assert f"Discards {len(view.discards)}" in text
    assert re.search(rf"HP [█░]+ {view.hp}\b", text)
    assert f"Round {view.round + 1} of 5" in text
    trump = view.ranking[0]
    assert f"Trump {SHAPES[trump]}{LETTERS[trump]}" in text
    then = " ".join(f"{SHAPES[colour]}{LETTERS[colour]}" for colour in view.ranking[1:])
    assert f"then {then}" in text
    assert text.count("▼V") == sum(view.vampires)
    assert text.count("☻H") == 20 - sum(view.vampires)
    lies_up = (view.face_up & (1 << TOP) - 1).bit_count()
    assert text.count("face up═") + text.count("═face up") == 2 * lies_up
    if view.phase is DISCARDING and view.player == player:
        assert view.faces[view.hand] in chips(text)
        assert "drawn" in text
    if view.phase is not OVER:
        assert ("your turn" in text or "your last turn" in text) == (view.player == player)
        assert ("last turn" in text) == (view.caller != NONE)
    assert ("called" in text) == (view.caller != NONE)


@settings(max_examples=60, deadline=None)
@given(spots, st.sampled_from((0, 1)))
def test_the_words_tell_it_all(spot: tuple[int, int], player: int) -> None:
    view = position(*spot).view(player)
    lines = board_words(view, player)
    text = "\n".join(lines)
    for district in range(DISTRICTS):
        (line,) = (line for line in lines if line.startswith(f"District {district + 1}:"))
        assert f"{view.vampires[district]} of 4 are vampires" in line
        mine = view.faces[view.rack[DISTRICTS * player + district]]
        assert f"you: {card_name(mine)}" in line
        theirs = view.faces[view.rack[DISTRICTS * (1 - player) + district]]
        assert f"your opponent: {'hidden' if theirs == UNKNOWN else card_name(theirs)}" in line
    for handle in view.discards:
        assert card_name(view.faces[handle]) in text
    assert f"Dracula has {view.hp} of 12 health points." in lines
    assert text.isascii()


def test_a_card_known_but_face_down_is_told_from_one_face_up() -> None:
    for state in positions(3):
        for player in (0, 1):
            view = state.view(player)
            text = picture(view, player)
            known = sum(
                view.public >> view.rack[place] & 1 and not view.face_up >> place & 1
                for place in range(2 * DISTRICTS)
            )
            assert text.count("both know") == known
            assert "\n".join(board_words(view, player)).count("known to both") == known


# --- how it looks ---


@pytest.mark.parametrize("width", [MIN_WIDTH, 80, 100, 132, 200])
@pytest.mark.parametrize("sky", [1, 3])
def test_it_fits(width: int, sky: int) -> None:
    for state in islice(positions(5), 0, None, 9):
        lines = picture(state, 1, width, sky=sky, opponent="W" * 500).splitlines()
        assert len(lines) == TABLE_LINES + sky
        assert max(map(cell_len, lines)) <= width


def test_every_sign_is_one_cell_wide() -> None:
    text = picture(position(3, 60), 0)
    assert all(cell_len(character) == 1 for character in text.replace("\n", ""))


def test_before_the_cards_are_dealt() -> None:
    state = State.new()
    assert "Trump not drawn" in picture(state, 0)
    assert chips(picture(state, 0)) == []
    state.ordered((2, 0, 1, 3))
    assert "Trump ▲Y" in picture(state, 0)
    state.shuffled()
    assert "Pile 22" in picture(state, 1)
    assert board_words(state, 1)[0] == "Round 1 of 5, the cards are dealt."


def test_a_stranger_called_markup_is_only_a_name() -> None:
    text = picture(position(3, 60), 0, opponent="[red]\x1b[2J:bat:\u202e")
    assert "[red]?[2J:bat:?" in text
    assert "\x1b" not in text


def test_chips_in_a_sentence_keep_its_words() -> None:
    text = dressed("Dracula discards the red 3; blue is the trump of redder 3 in 5 districts.")
    assert (
        text.plain == "Dracula discards the ◆R3; ■B blue is the trump of redder 3 in 5 districts."
    )


def test_every_card_has_its_own_chip() -> None:
    words = [dressed(card_name(face)).plain for face in range(DECK)]
    assert [chips(word) for word in words] == [[face] for face in range(DECK)]
    assert len(set(words)) == DECK
    assert all(word[1] == COLOURS[COLOUR[face]][0].upper() for face, word in enumerate(words))
    assert all(word[2] == str(VALUE[face]) for face, word in enumerate(words))


def test_the_picture_in_the_specification_loads_nothing() -> None:
    svg = draw()
    assert svg == draw()
    addresses = re.findall(r"\w+://[^\"' )]*|url\([^#)][^)]*\)|@import|href", svg)
    assert set(addresses) == {"http://www.w3.org/2000/svg"}
    assert "Which&#160;card&#160;do&#160;you&#160;discard?" in svg
