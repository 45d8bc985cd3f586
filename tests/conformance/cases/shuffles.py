"""Shuffles: the same cards as before, permuted and masked anew, and a proof of it."""

import secrets
from collections.abc import Callable
from dataclasses import replace

from protocol.deck import CARD_SIZE, MaskedCard, remask
from protocol.entries import Entry, Kind, Shuffle
from protocol.errors import Fault
from protocol.group import SIZE, Element, Scalar
from protocol.shuffle import shuffle_deck
from tests.conformance.cases.forms import departs
from tests.conformance.forging import (
    IDENTITY,
    NO_POINT,
    TOO_GREAT,
    cards_of,
    context,
    flip,
    joint,
    other_contexts,
    packed,
    sign,
    splice,
    top_bit,
)
from tests.conformance.player import Player

SIZE_OF_DECK = 32
SCALARS = 5 + 2 * SIZE_OF_DECK
"""So many parts of the proof are scalars; the others are elements."""

SAME = "The new cards MUST be the old ones, permuted and remasked, and nothing else"
COUNT = "There MUST be as many new cards as old ones, and a proof as long as they demand"
ELEMENT = (
    "Each half of a card, and of the proof's commitments, MUST be an element, not the identity"
)
SCALAR = "A scalar MUST be below L"
PROOF = "The proof of a shuffle MUST hold, for this deck, this game and this place"

Forge = Callable[[Player, Entry, Shuffle], Shuffle]


def _shuffle(
    name: str, title: str, does: str, forge: Forge, fault: Fault, section: str = "9.3"
) -> None:
    def change(player: Player, entry: Entry) -> bytes:
        assert isinstance(entry.body, Shuffle)
        return sign(player, entry, body=forge(player, entry, entry.body))

    departs(f"shuffle-{name}", section, title, does, change, fault, kinds=(Kind.SHUFFLE,))


def _cards(change: Callable[[Player, list[MaskedCard]], list[MaskedCard]]) -> Forge:
    """Other cards beside the proof for the honest ones."""
    return lambda player, entry, body: replace(body, cards=packed(change(player, cards_of(body))))


def _raw_cards(change: Callable[[bytes], bytes]) -> Forge:
    return lambda player, entry, body: replace(body, cards=change(body.cards))


def _raw_proof(change: Callable[[bytes], bytes]) -> Forge:
    return lambda player, entry, body: replace(body, proof=change(body.proof))


_shuffle(
    "of-31-cards",
    COUNT,
    "leaves the last card out",
    _raw_cards(lambda cards: cards[:-CARD_SIZE]),
    Fault.MALFORMED,
)
_shuffle(
    "of-33-cards",
    COUNT,
    "adds a card",
    _raw_cards(lambda cards: cards + cards[:CARD_SIZE]),
    Fault.MALFORMED,
)
_shuffle("of-no-cards", COUNT, "sends no cards", _raw_cards(lambda cards: b""), Fault.MALFORMED)
_shuffle(
    "of-half-a-card-less",
    COUNT,
    "leaves half a card out",
    _raw_cards(lambda cards: cards[:-SIZE]),
    Fault.MALFORMED,
)
_shuffle(
    "with-a-short-proof",
    COUNT,
    "leaves the last part of the proof out",
    _raw_proof(lambda proof: proof[:-SIZE]),
    Fault.MALFORMED,
)
_shuffle(
    "with-a-long-proof-of-its-size",
    COUNT,
    "adds a part to the proof",
    _raw_proof(lambda proof: proof + proof[-SIZE:]),
    Fault.MALFORMED,
)
_shuffle("with-no-proof", COUNT, "sends no proof", _raw_proof(lambda proof: b""), Fault.MALFORMED)

for _half, _name in ((0, "first"), (1, "second")):
    for _value, _what, _does in (
        (IDENTITY, "the-identity", "is the identity"),
        (NO_POINT, "no-element", "encodes no element"),
    ):
        _shuffle(
            f"with-{_what}-in-the-{_name}-half",
            ELEMENT,
            f"sends a card whose {_name} half {_does}",
            _raw_cards(lambda cards, half=_half, value=_value: splice(cards, half, value)),  # type: ignore[misc]
            Fault.BAD_ELEMENT,
        )
_shuffle(
    "with-a-card-in-a-second-spelling",
    ELEMENT,
    "sends a card with the top bit of its first half set",
    _raw_cards(lambda cards: splice(cards, 0, top_bit(cards[:SIZE]))),
    Fault.BAD_ELEMENT,
)
_shuffle(
    "with-a-commitment-to-the-identity",
    ELEMENT,
    "sends the identity among the commitments of the proof",
    _raw_proof(lambda proof: splice(proof, SCALARS, IDENTITY)),
    Fault.BAD_ELEMENT,
)
_shuffle(
    "with-a-last-commitment-that-is-none",
    ELEMENT,
    "sends what is no element as the last commitment of the proof",
    _raw_proof(lambda proof: splice(proof, -1, NO_POINT)),
    Fault.BAD_ELEMENT,
)
for _place, _name in ((0, "challenge"), (1, "first-response"), (SCALARS - 1, "last-response")):
    _shuffle(
        f"with-a-{_name}-too-great",
        SCALAR,
        f"sends L as the {_name.replace('-', ' ')} of the proof",
        _raw_proof(lambda proof, place=_place: splice(proof, place, TOO_GREAT)),  # type: ignore[misc]
        Fault.BAD_SCALAR,
    )
for _place, _name in (
    (0, "challenge"),
    (1, "s1"),
    (2, "s2"),
    (3, "s3"),
    (4, "s4"),
    (5, "s-hat"),
    (5 + SIZE_OF_DECK, "s-tilde"),
):
    _shuffle(
        f"with-another-{_name}",
        PROOF,
        f"changes one bit of {_name} in the proof",
        _raw_proof(lambda proof, place=_place: flip(proof, place * SIZE)),  # type: ignore[misc]
        Fault.BAD_PROOF,
    )
for _place, _name in ((SCALARS, "c"), (SCALARS + SIZE_OF_DECK, "c-hat")):
    _shuffle(
        f"with-another-{_name}",
        PROOF,
        f"sends another element as the first {_name} of the proof",
        _raw_proof(lambda proof, place=_place: splice(proof, place, _somewhere())),  # type: ignore[misc]
        Fault.BAD_PROOF,
    )


def _somewhere() -> bytes:
    return Element.base(Scalar.random(secrets.token_bytes)).encode()


def _doubled(player: Player, cards: list[MaskedCard]) -> list[MaskedCard]:
    mask = Scalar.random(secrets.token_bytes)
    return [*cards[:1], remask(cards[0], joint(player), mask), *cards[2:]]


def _other_face(player: Player, cards: list[MaskedCard]) -> list[MaskedCard]:
    return [MaskedCard(cards[0].a, cards[0].b + Element.base(Scalar.of(1))), *cards[1:]]


_shuffle(
    "with-a-card-twice", SAME, "doubles a card, masked anew", _cards(_doubled), Fault.BAD_PROOF
)
_shuffle(
    "with-another-card", SAME, "puts another face on a card", _cards(_other_face), Fault.BAD_PROOF
)
_shuffle(
    "with-two-cards-exchanged",
    SAME,
    "exchanges two cards after the proof was made",
    _cards(lambda player, cards: [cards[1], cards[0], *cards[2:]]),
    Fault.BAD_PROOF,
)
_shuffle(
    "remasked-after-the-proof",
    SAME,
    "masks a card anew after the proof was made",
    _cards(lambda player, cards: [remask(cards[0], joint(player), Scalar.of(1)), *cards[1:]]),
    Fault.BAD_PROOF,
)


def _before(player: Player) -> list[MaskedCard]:
    """The deck that our shuffle has to start from."""
    deck = player.table._course._dealer._decks[0]
    stages = [stage.cards for stage in deck.stages[:-1]]  # the last is our own
    return list(stages[-1] if stages else deck.fresh)


def _of_cards(cheat: Callable[[Player, list[MaskedCard]], list[MaskedCard]]) -> Forge:
    """A proper shuffle, with a proof that holds, of a deck that is not the one before."""

    def forge(player: Player, entry: Entry, body: Shuffle) -> Shuffle:
        deck = cheat(player, _before(player))
        after, proof = shuffle_deck(
            deck, joint(player), context(player, entry, 0), secrets.token_bytes
        )
        return Shuffle(packed(list(after.cards)), proof)

    return forge


_shuffle(
    "of-a-deck-with-a-card-twice",
    SAME,
    "shuffles a deck of its own, in which a card is doubled, and proves that",
    _of_cards(_doubled),
    Fault.BAD_PROOF,
)
_shuffle(
    "of-another-deck",
    SAME,
    "shuffles the deck before with two cards exchanged, and proves that",
    _of_cards(lambda player, cards: [cards[1], cards[0], *cards[2:]]),
    Fault.BAD_PROOF,
)

for _name in ("game", "host", "guest", "side", "deck", "head"):

    def _elsewhere(player: Player, entry: Entry, body: Shuffle, name: str = _name) -> Shuffle:
        there = other_contexts(context(player, entry, 0))[name]
        after, proof = shuffle_deck(_before(player), joint(player), there, secrets.token_bytes)
        return Shuffle(packed(list(after.cards)), proof)

    _shuffle(
        f"for-another-{_name}",
        "A proof MUST be bound to its context",
        f"proves a good shuffle for another {_name}",
        _elsewhere,
        Fault.BAD_PROOF,
        section="5.2",
    )


def _other_key(player: Player, entry: Entry, body: Shuffle) -> Shuffle:
    """Masks that only we can take off, and a proof that holds under this key."""
    own = Element.base(Scalar.of(7))
    after, proof = shuffle_deck(
        _before(player), own, context(player, entry, 0), secrets.token_bytes
    )
    return Shuffle(packed(list(after.cards)), proof)


_shuffle(
    "under-another-key",
    "Cards MUST be masked under the joint key",
    "masks the cards under a key of its own, and proves that",
    _other_key,
    Fault.BAD_PROOF,
)
