"""Masked cards: what opens them, and what doesn't."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.deck import (
    MAX_DECK,
    MaskedCard,
    card_points,
    decryption_share,
    face_of,
    fresh_deck,
    remask,
    unmask,
)
from protocol.errors import Fault, InvalidError
from protocol.group import GENERATOR, IDENTITY, ORDER, Element, Scalar, hash_to_group
from tests.protocol.scene import GUEST, HOST, JOINT, rng

SIZE = 32
FRESH = fresh_deck(JOINT, SIZE)


def shares(card: MaskedCard) -> list[Element]:
    return [decryption_share(secret, card) for secret in (HOST, GUEST)]


def test_a_fresh_deck_lies_in_order() -> None:
    assert [face_of(unmask(card, shares(card)), SIZE) for card in FRESH] == list(range(SIZE))
    assert all(card.a == GENERATOR for card in FRESH)


@given(st.integers(0, SIZE - 1), st.lists(st.integers(1, ORDER - 1), max_size=3))
@settings(max_examples=20, deadline=None)
def test_remasking_keeps_the_face_and_changes_the_rest(face: int, masks: list[int]) -> None:
    card = FRESH[face]
    for mask in masks:
        before, card = card, remask(card, JOINT, Scalar.of(mask))
        assert card.a != before.a
        assert card.b != before.b
    assert face_of(unmask(card, shares(card)), SIZE) == face


def test_one_share_is_not_enough() -> None:
    card = remask(FRESH[0], JOINT, Scalar.random(rng("mask")))
    other = remask(FRESH[1], JOINT, Scalar.random(rng("other mask")))
    host, guest = shares(card)
    for wrong in ([], [host], [guest], [host, host], [host, shares(other)[1]]):
        with pytest.raises(InvalidError) as caught:
            face_of(unmask(card, wrong), SIZE)
        assert caught.value.fault is Fault.BAD_ELEMENT


def test_points_are_distinct_and_the_same_in_every_deck() -> None:
    points = card_points(MAX_DECK)
    assert len(set(points)) == MAX_DECK
    assert IDENTITY not in points
    assert GENERATOR not in points
    assert card_points(5) == points[:5]
    assert points[3] == hash_to_group(b"\0\0\0\0\0\0\0\3", b"whitby/1-ristretto255-card")
    assert face_of(points[5], 6) == 5
    with pytest.raises(InvalidError):
        face_of(points[5], 5)


@pytest.mark.parametrize("size", [-1, 0, MAX_DECK + 1])
def test_decks_have_a_size(size: int) -> None:
    with pytest.raises(ValueError, match="256"):
        fresh_deck(JOINT, size)


def test_cards_travel() -> None:
    data = FRESH[3].encode()
    assert len(data) == 64
    assert MaskedCard.decode(data) == FRESH[3]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (FRESH[0].encode()[:-1], Fault.MALFORMED),
        (FRESH[0].encode() + b"\0", Fault.MALFORMED),
        (bytes(32) + FRESH[0].b.encode(), Fault.BAD_ELEMENT),
        (FRESH[0].a.encode() + bytes(32), Fault.BAD_ELEMENT),
        (b"\xff" * 32 + FRESH[0].b.encode(), Fault.BAD_ELEMENT),
        (FRESH[0].a.encode() + b"\xff" * 32, Fault.BAD_ELEMENT),
    ],
)
def test_cards_that_cannot_be_read(data: bytes, fault: Fault) -> None:
    with pytest.raises(InvalidError) as caught:
        MaskedCard.decode(data)
    assert caught.value.fault is fault
