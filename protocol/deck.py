"""Masked cards: ElGamal ciphertexts of the points of faces, under the joint key.

A card is (a, b) = (r*G, M + r*J) for a face's point M, a mask r that nobody may know alone, and
the joint key J.  Remasking adds another mask.  Each side's decryption share is its secret times a;
both together take the mask off.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Self

from protocol.errors import Fault, InvalidError
from protocol.group import GENERATOR, SIZE, Element, Scalar, hash_to_group
from protocol.keys import SecretKey
from protocol.transcript import Label, domain, number

MAX_DECK: Final = 256
"""Cards in a deck, at most; so that a peer can't make us compute for minutes."""

CARD_SIZE: Final = 2 * SIZE
"""Bytes of an encoded masked card."""


@dataclass(frozen=True, slots=True)
class MaskedCard:
    """A card whose face takes both sides' shares to see."""

    a: Element
    b: Element

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Read 64 bytes: a, then b.

        Raises:
            InvalidError: MALFORMED if it isn't 64 bytes; BAD_ELEMENT if a half is not canonical
                or is the identity, which would be a card without a mask or without a face.
        """
        if len(data) != CARD_SIZE:
            raise InvalidError(
                Fault.MALFORMED, f"a masked card has {CARD_SIZE} bytes, not {len(data)}"
            )
        return cls(Element.decode(data[:SIZE]), Element.decode(data[SIZE:]))

    def encode(self) -> bytes:
        return self.a.encode() + self.b.encode()


def card_points(size: int) -> tuple[Element, ...]:
    """The points of faces 0..size-1, by hash to group: their logarithms are nobody's.

    ValueError if there are more than `MAX_DECK` or none.
    """
    if not 1 <= size <= MAX_DECK:
        raise ValueError(f"a deck has 1 to {MAX_DECK} cards, not {size}")
    return tuple(_card_point(face) for face in range(size))


def fresh_deck(joint: Element, size: int) -> tuple[MaskedCard, ...]:
    """The deck that shuffling starts from: face i at handle i, with the mask 1 that all know.

    (A mask of 0 would hide as little, but put the identity on the wire.)
    """
    return tuple(MaskedCard(GENERATOR, point + joint) for point in card_points(size))


def remask(card: MaskedCard, joint: Element, mask: Scalar) -> MaskedCard:
    """The same face behind one more mask; `mask` is SECRET."""
    return MaskedCard(card.a + Element.base(mask), card.b + joint * mask)


def decryption_share(secret: SecretKey, card: MaskedCard) -> Element:
    """Our share of one card.

    Sending it tells the receiver the face, once they add their own share, and nothing of other
    cards.  It needs a proof beside it: `prove_equality(..., bases=[card.a], images=[share])`.
    """
    return card.a * secret.scalar


def unmask(card: MaskedCard, shares: Iterable[Element]) -> Element:
    """The point of the face, given both sides' shares; garbage, given anything else."""
    point = card.b
    for share in shares:
        point -= share
    return point


def face_of(point: Element, size: int) -> int:
    """Which face of a deck of `size` cards has this point.

    Raises:
        InvalidError: BAD_ELEMENT if none has.  With proven shuffles and shares that can't happen.
    """
    face = _faces(size).get(point)
    if face is None:
        raise InvalidError(Fault.BAD_ELEMENT, "an unmasked point is no card of the deck")
    return face


@cache
def _card_point(face: int) -> Element:
    return hash_to_group(number(face), domain(Label.CARD))


@cache
def _faces(size: int) -> Mapping[Element, int]:
    return MappingProxyType({point: face for face, point in enumerate(card_points(size))})
