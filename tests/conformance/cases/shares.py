"""Decryption shares: exactly those that are owed, each the right one."""

import secrets
from collections.abc import Callable
from dataclasses import replace

from protocol.entries import Entry, Kind, Share
from protocol.errors import Fault
from protocol.group import SIZE, Element, Scalar
from protocol.sigma import prove_equality
from tests.conformance.cases.forms import departs
from tests.conformance.forging import (
    IDENTITY,
    NO_POINT,
    TOO_GREAT,
    context,
    flip,
    other_contexts,
    secret,
    sign,
    splice,
    top_bit,
)
from tests.conformance.player import Player

OWED = "A SHARE MUST carry a share of each card that is owed, and of no other"
ELEMENT = "A share MUST be the one canonical encoding of an element, and not the identity"
SCALAR = "Both halves of the proof MUST be scalars"
PROOF = "The proof of the shares MUST hold, for these cards, this game and this place"

Forge = Callable[[Player, Entry, Share], Share]


def _share(
    name: str, title: str, does: str, forge: Forge, fault: Fault, section: str = "10"
) -> None:
    def change(player: Player, entry: Entry) -> bytes:
        assert isinstance(entry.body, Share)
        return sign(player, entry, body=forge(player, entry, entry.body))

    departs(f"share-{name}", section, title, does, change, fault, kinds=(Kind.SHARE,))


def _raw(change: Callable[[bytes], bytes]) -> Forge:
    return lambda player, entry, body: replace(body, shares=change(body.shares))


def _proof(change: Callable[[bytes], bytes]) -> Forge:
    return lambda player, entry, body: replace(body, proof=change(body.proof))


def bases_of(player: Player, entry: Entry, body: Share) -> list[Element]:
    """What our shares are multiples of: the cards that were dealt to the other side."""
    dealer = player.table._course._dealer
    deck = dealer._decks[0]
    count = len(body.shares) // SIZE
    handles = list(deck.shares[player.side])[-count:]
    return [deck.shuffled.cards[handle].a for handle in handles]


def _proven(
    player: Player, entry: Entry, body: Share, key: Scalar, *, name: str | None = None
) -> Share:
    """Shares made with `key`, and the proof that they were, perhaps in another context."""
    here = context(player, entry, 0)
    there = other_contexts(here)[name] if name else here
    bases = bases_of(player, entry, body)
    images = [base * key for base in bases]
    proof = prove_equality(key, Element.base(key), bases, images, there, secrets.token_bytes)
    return Share(b"".join(image.encode() for image in images), proof)


_share("of-one-less", OWED, "leaves out the last", _raw(lambda s: s[:-SIZE]), Fault.MALFORMED)
_share("of-one-more", OWED, "adds one", _raw(lambda s: s + s[:SIZE]), Fault.MALFORMED)
_share("of-none", OWED, "sends none", _raw(lambda s: b""), Fault.MALFORMED)
_share("of-a-byte-less", OWED, "cuts off a byte", _raw(lambda s: s[:-1]), Fault.MALFORMED)
_share(
    "of-the-identity",
    ELEMENT,
    "sends the identity for one",
    _raw(lambda s: splice(s, 0, IDENTITY)),
    Fault.BAD_ELEMENT,
)
_share(
    "of-no-element",
    ELEMENT,
    "sends what is no element for the last",
    _raw(lambda s: splice(s, -1, NO_POINT)),
    Fault.BAD_ELEMENT,
)
_share(
    "in-a-second-spelling",
    ELEMENT,
    "sets the top bit of one",
    _raw(lambda s: splice(s, 0, top_bit(s[:SIZE]))),
    Fault.BAD_ELEMENT,
    section="3",
)
for _place, _name in ((0, "challenge"), (1, "response")):
    _share(
        f"with-a-{_name}-too-great",
        SCALAR,
        f"sends L as the {_name} of the proof",
        _proof(lambda proof, place=_place: splice(proof, place, TOO_GREAT)),  # type: ignore[misc]
        Fault.BAD_SCALAR,
    )
    _share(
        f"with-another-{_name}",
        PROOF,
        f"changes one bit of the {_name}",
        _proof(lambda proof, place=_place: flip(proof, place * SIZE)),  # type: ignore[misc]
        Fault.BAD_PROOF,
    )
_share(
    "of-another-card",
    PROOF,
    "exchanges two shares",
    _raw(lambda s: s[SIZE : 2 * SIZE] + s[:SIZE] + s[2 * SIZE :]),
    Fault.BAD_PROOF,
)
_share(
    "that-is-wrong",
    PROOF,
    "sends another element for the last",
    _raw(lambda s: splice(s, -1, Element.base(Scalar.of(7)).encode())),
    Fault.BAD_PROOF,
)
_share(
    "with-another-secret",
    PROOF,
    "makes all shares with another secret, and proves that",
    lambda player, entry, body: _proven(player, entry, body, Scalar.of(7)),
    Fault.BAD_PROOF,
)
for _name in ("game", "host", "guest", "side", "deck", "head"):
    _share(
        f"for-another-{_name}",
        "A proof MUST be bound to its context",
        f"proves the right shares for another {_name}",
        lambda player, entry, body, name=_name: _proven(  # type: ignore[misc]
            player, entry, body, secret(player).scalar, name=name
        ),
        Fault.BAD_PROOF,
        section="5.2",
    )
