"""Every event has its sentence, the sentence says why, and no stranger's name does harm."""

import dataclasses
import typing
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import DRACULA, HELSING
from engine.cards import BLUE, PURPLE, RED, UNKNOWN, YELLOW, card
from engine.events import (
    Called,
    Decided,
    Discarded,
    DistrictScored,
    Drew,
    EffectSkipped,
    Ending,
    Event,
    Exchanged,
    Exposed,
    ExtraTurn,
    GameOver,
    RankingDrawn,
    Revealed,
    RoundEnd,
    RoundEnded,
    RoundStarted,
    Skip,
    Swapped,
    TopTurned,
    TrumpChanged,
)
from peer.narration import MAX_NAME, minutes, printable, result_sentence, sentence
from protocol.course import Result
from tests.peer.games import positions

RED_3, RED_4, BLUE_7, YELLOW_7 = card(RED, 3), card(RED, 4), card(BLUE, 7), card(YELLOW, 7)

STORY: list[tuple[Event, str, str]] = [
    # event, in the third person, as Dracula's player reads it
    (
        RankingDrawn((YELLOW, RED, PURPLE, BLUE)),
        "The colours are ranked: yellow is the trump, then red, purple, blue.",
        "The colours are ranked: yellow is the trump, then red, purple, blue.",
    ),
    (
        RoundStarted(1),
        "Round 2 of 5 begins: five cards for each player.",
        "Round 2 of 5 begins: five cards for each player.",
    ),
    (Drew(HELSING, UNKNOWN), "Van Helsing draws a card.", "Your opponent draws a card."),
    (
        Drew(DRACULA, RED_3),
        "Dracula draws the red 3, which lay face up.",
        "You draw the red 3, which lay face up.",
    ),
    (
        Called(HELSING),
        "Van Helsing calls. Dracula has one last turn, then the round ends.",
        "Your opponent calls. You have one last turn, then the round ends.",
    ),
    (
        Discarded(DRACULA, 1, RED_3),
        "Dracula discards the red 3 from district 2.",
        "You discard the red 3 from district 2.",
    ),
    (
        Discarded(HELSING, 5, RED_3),
        "Van Helsing discards the red 3, just drawn.",
        "Your opponent discards the red 3, just drawn.",
    ),
    (
        Revealed(DRACULA, 2, BLUE_7),
        "Effect 1: Dracula turns up the blue 7 in district 3.",
        "Effect 1: you turn up the blue 7 in district 3.",
    ),
    (
        TopTurned(DRACULA, BLUE_7),
        "Effect 2: the top card of the draw pile is turned up, the blue 7.",
        "Effect 2: the top card of the draw pile is turned up, the blue 7.",
    ),
    (
        Exposed(HELSING, 0, RED_4),
        "Effect 3: Van Helsing turns up Dracula's red 4 in district 1.",
        "Effect 3: your opponent turns up your red 4 in district 1.",
    ),
    (
        Exposed(DRACULA, 0, RED_4),
        "Effect 3: Dracula turns up Van Helsing's red 4 in district 1.",
        "Effect 3: you turn up your opponent's red 4 in district 1.",
    ),
    (
        Swapped(DRACULA, 0, 4),
        "Effect 4: Dracula's cards in districts 1 and 5 change places.",
        "Effect 4: your cards in districts 1 and 5 change places.",
    ),
    (
        ExtraTurn(HELSING),
        "Effect 5: Van Helsing has another turn.",
        "Effect 5: your opponent has another turn.",
    ),
    (
        Exchanged(HELSING, 3, BLUE_7, RED_4),
        "Effect 6, district 4: Dracula gets the blue 7, Van Helsing the red 4.",
        "Effect 6, district 4: you get the blue 7, your opponent the red 4.",
    ),
    (
        TrumpChanged(HELSING, (BLUE, RED, PURPLE, YELLOW)),
        "Effect 7: the colours have a new order: blue is the trump, then red, purple, yellow.",
        "Effect 7: the colours have a new order: blue is the trump, then red, purple, yellow.",
    ),
    (
        EffectSkipped(DRACULA, 1, Skip.ALL_FACE_UP),
        "Effect 1 is skipped: all five cards are face up already.",
        "Effect 1 is skipped: all five cards are face up already.",
    ),
    (
        RoundEnded(4, RoundEnd.EIGHT),
        "Round 5 ends: an 8 was discarded.",
        "Round 5 ends: an 8 was discarded.",
    ),
    (
        GameOver(HELSING, Ending.NO_HEALTH),
        "Van Helsing wins: Dracula has no health points left.",
        "Your opponent wins: Dracula has no health points left.",
    ),
]


SCORED: list[tuple[Event, str, str, str, str]] = [
    # event, then the two sentences in the third person, then as Dracula's player reads them
    (
        DistrictScored(3, BLUE_7, YELLOW_7, DRACULA, Decided.RANK, 2, 12),
        "District 4: Dracula's blue 7 beats Van Helsing's yellow 7: blue ranks above yellow.",
        "A human becomes a vampire (2 of 4).",
        "District 4: your blue 7 beats your opponent's yellow 7: blue ranks above yellow.",
        "A human becomes a vampire (2 of 4).",
    ),
    (
        DistrictScored(0, BLUE_7, RED_3, HELSING, Decided.TRUMP, 0, 9),
        "District 1: Van Helsing's red 3 beats Dracula's blue 7: red is the trump.",
        "Dracula loses 1 health point (9 left).",
        "District 1: your opponent's red 3 beats your blue 7: red is the trump.",
        "You lose 1 health point (9 left).",
    ),
    (
        DistrictScored(0, BLUE_7, RED_3, DRACULA, Decided.VALUE, 1, 9),
        "District 1: Dracula's blue 7 beats Van Helsing's red 3: 7 is more than 3.",
        "A human becomes a vampire (1 of 4).",
        "District 1: your blue 7 beats your opponent's red 3: 7 is more than 3.",
        "A human becomes a vampire (1 of 4).",
    ),
]
STORY += [
    (event, f"{public} {then}", f"{mine} {then_mine}")
    for event, public, then, mine, then_mine in SCORED
]


@pytest.mark.parametrize(("event", "public", "to_dracula"), STORY)
def test_what_happened_is_told_to_each_reader(event: Event, public: str, to_dracula: str) -> None:
    assert sentence(event) == public
    assert sentence(event, DRACULA) == to_dracula


def test_no_event_is_forgotten() -> None:
    assert {type(event) for event, _, _ in STORY} == set(typing.get_args(Event))
    assert all(dataclasses.is_dataclass(kind) for kind in typing.get_args(Event))


def test_you_is_whoever_reads() -> None:
    scored = DistrictScored(0, BLUE_7, RED_3, HELSING, Decided.TRUMP, 0, 9)
    assert sentence(scored, HELSING) == (
        "District 1: your red 3 beats your opponent's blue 7: red is the trump. "
        "Your opponent loses 1 health point (9 left)."
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_whole_game_is_told_in_sentences_of_plain_ascii(seed: int) -> None:
    log = [*positions(seed)][-1].log
    assert log
    for reader in (None, DRACULA, HELSING):
        for event in log:
            words = sentence(event, reader)
            assert words.isascii()
            assert words.isprintable()
            assert words[0].isupper()
            assert words.endswith((".", ")."))


def test_the_result() -> None:
    assert result_sentence(Result(0, "x", resigned=True)) == "Van Helsing resigns: Dracula wins."
    assert result_sentence(Result(0, "x", resigned=True), HELSING) == (
        "You resign: your opponent wins."
    )
    assert result_sentence(Result(0, "x", resigned=True), DRACULA) == (
        "Your opponent resigns: you win."
    )
    nobody = Result(None, "both players agreed to end it")
    assert result_sentence(nobody, DRACULA) == "Nobody wins: both players agreed to end it."
    rules = Result(HELSING, Ending.NO_HEALTH.value)
    for reader in (None, DRACULA, HELSING):
        assert result_sentence(rules, reader) == sentence(
            GameOver(HELSING, Ending.NO_HEALTH), reader
        )


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0:00"), (59.9, "0:59"), (60, "1:00"), (3661, "61:01"), (-0.5, "0:00"), (-61.5, "-1:01")],
)
def test_time_on_a_clock(seconds: float, shown: str) -> None:
    assert minutes(seconds) == shown


# --- names of strangers ---


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Mina Harker", "Mina Harker"),
        ("Ван Хельсинг", "Ван Хельсинг"),
        ("范海辛", "范海辛"),
        ("  Mina \t\n Harker ", "Mina Harker"),
        ("\x1b[31mred\x1b]0;title\x07", "?[31mred?]0;title?"),
        ("\x9b2J", "?2J"),
        ("a\u202eb\u2066c\u200bd\ufeff", "a?b?c?d?"),
        ("a\u2028b", "a b"),
        ("\ud800\ue000", "??"),
        ("[bold]x[/]", "[bold]x[/]"),
        ("", ""),
    ],
)
def test_a_name_is_shown_but_does_nothing(name: str, shown: str) -> None:
    assert printable(name) == shown


def test_a_tower_of_marks_stays_low() -> None:
    assert printable("e" + "\u0301" * 500) == "e\u0301\u0301"


@given(st.text(), st.integers(4, 60))
def test_any_name_becomes_one_short_line(name: str, limit: int) -> None:
    shown = printable(name, limit)
    assert len(shown) <= limit
    assert not any(unicodedata.category(character)[0] == "C" for character in shown)
    assert "\n" not in shown
    assert printable(shown, limit) == shown


def test_a_long_name_is_cut() -> None:
    shown = printable("x" * 10_000)
    assert shown == "x" * (MAX_NAME - 3) + "..."
