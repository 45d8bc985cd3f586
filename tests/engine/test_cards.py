"""The faces of the cards and their order."""

from itertools import combinations

from engine import COLOUR, COLOURS, DECK, STRENGTHS, UNKNOWN, VALUE, Decided, card, card_name
from engine.cards import PROMOTIONS, RANKINGS
from engine.scoring import what_decided


def test_faces_number_the_cards_colour_by_colour() -> None:
    assert [(COLOUR[face], VALUE[face]) for face in range(DECK)] == [
        (colour, value) for colour in range(4) for value in range(1, 9)
    ]
    assert [card(COLOUR[face], VALUE[face]) for face in range(DECK)] == list(range(DECK))
    assert VALUE[UNKNOWN] == 0


def test_cards_have_names() -> None:
    assert COLOURS == ("red", "purple", "yellow", "blue")
    assert card_name(0) == "red 1"
    assert card_name(31) == "blue 8"
    assert card_name(UNKNOWN) == "unknown"


def beats(one: int, other: int, ranking: tuple[int, ...]) -> bool:
    """The comparison as the rules put it, one clause after the other."""
    trump = ranking[0]
    if (COLOUR[one] == trump) != (COLOUR[other] == trump):
        return COLOUR[one] == trump
    if VALUE[one] != VALUE[other]:
        return VALUE[one] > VALUE[other]
    return ranking.index(COLOUR[one]) < ranking.index(COLOUR[other])


def test_strengths_compare_as_the_rules_say_and_never_tie() -> None:
    assert len(STRENGTHS) == 24
    for ranking, strength in STRENGTHS.items():
        assert len(set(strength)) == DECK
        for one, other in combinations(range(DECK), 2):
            assert (strength[one] > strength[other]) == beats(one, other, ranking)


def test_the_reason_is_the_first_clause_that_tells_two_cards_apart() -> None:
    for one, other in combinations(range(DECK), 2):
        for trump in range(len(COLOURS)):
            why = what_decided(one, other, trump)
            trumps = {COLOUR[one], COLOUR[other]} & {trump}
            if trumps and COLOUR[one] != COLOUR[other]:
                assert why is Decided.TRUMP
            elif VALUE[one] != VALUE[other]:
                assert why is Decided.VALUE
            else:
                assert why is Decided.RANK


def test_a_promotion_exchanges_two_colours() -> None:
    for ranking in RANKINGS:
        for colour, promoted in enumerate(PROMOTIONS[ranking]):
            moved = [old for old, new in zip(ranking, promoted, strict=True) if old != new]
            assert promoted[0] == colour
            assert set(moved) == ({colour, ranking[0]} if colour != ranking[0] else set())
