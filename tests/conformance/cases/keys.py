"""Key shares, and the secrets behind them when the game is over."""

from collections.abc import Callable

from protocol.entries import Entry, Kind
from protocol.errors import Fault
from protocol.group import SIZE, Element
from protocol.keys import SecretKey
from protocol.script import GUEST
from protocol.sigma import prove_knowledge
from tests.conformance.cases.forms import departs
from tests.conformance.forging import (
    IDENTITY,
    NO_POINT,
    TOO_GREAT,
    context,
    flip,
    key_share_of,
    other_contexts,
    secret,
    sign_body,
    splice,
    top_bit,
)
from tests.conformance.player import Player

KEYS = (Kind.ACCEPT, Kind.KEY)
ELEMENT = "An element MUST be the one canonical encoding of an element, and not the identity"
SCALAR = "A scalar MUST be below L"
PROOF = "The proof of a key share MUST hold, for this game and this place"

Share = Callable[[Player, Entry, bytes], bytes]


def _share(name: str, section: str, title: str, does: str, share: Share, fault: Fault) -> None:
    departs(
        f"key-share-{name}",
        section,
        title,
        f"sends a key share {does}",
        lambda player, entry: sign_body(
            player, entry, key_share=share(player, entry, key_share_of(entry))
        ),
        fault,
        kinds=KEYS,
    )


_share(
    "of-the-identity",
    "3",
    ELEMENT,
    "that is the identity",
    lambda player, entry, share: splice(share, 0, IDENTITY),
    Fault.BAD_ELEMENT,
)
_share(
    "in-a-second-spelling",
    "3",
    ELEMENT,
    "whose element has its top bit set",
    lambda player, entry, share: splice(share, 0, top_bit(share[:SIZE])),
    Fault.BAD_ELEMENT,
)
_share(
    "of-no-element",
    "3",
    ELEMENT,
    "whose first 32 bytes encode no element",
    lambda player, entry, share: splice(share, 0, NO_POINT),
    Fault.BAD_ELEMENT,
)
for _place, _name in ((1, "challenge"), (2, "response")):
    _share(
        f"with-a-{_name}-too-great",
        "3",
        SCALAR,
        f"whose {_name} is L",
        lambda player, entry, share, place=_place: splice(share, place, TOO_GREAT),  # type: ignore[misc]
        Fault.BAD_SCALAR,
    )
    _share(
        f"with-another-{_name}",
        "7.1",
        PROOF,
        f"with one bit of its {_name} changed",
        lambda player, entry, share, place=_place: flip(share, place * SIZE),  # type: ignore[misc]
        Fault.BAD_PROOF,
    )


def _of_somebody(player: Player, entry: Entry, share: bytes) -> bytes:
    """An element whose secret we don't know, beside a proof for ours."""
    other = Element.base(SecretKey.derive(b"\x07" * 32).scalar)
    return splice(share, 0, other.encode())


_share(
    "of-somebody-else",
    "7.1",
    PROOF,
    "whose proof is for another element",
    _of_somebody,
    Fault.BAD_PROOF,
)

for _name in ("game", "host", "guest", "side", "deck", "head"):

    def _elsewhere(player: Player, entry: Entry, share: bytes, name: str = _name) -> bytes:
        key = secret(player)
        there = other_contexts(context(player, entry))[name]
        return share[:SIZE] + prove_knowledge(key.scalar, key.public, there, bytes)

    _share(
        f"for-another-{_name}",
        "5.2",
        "A proof MUST be bound to its context",
        f"whose proof is right for another {_name}",
        _elsewhere,
        Fault.BAD_PROOF,
    )


def _their_share(player: Player, entry: Entry) -> bytes:
    assert player.table.accept is not None
    return sign_body(player, entry, key_share=player.table.accept.key_share)


departs(
    "key-share-repeated",
    "7.2",
    "A second key share that repeats the first MUST be refused",
    "sends the guest's own key share as the host's, with its proof",
    _their_share,
    Fault.BAD_PROOF,
    Fault.BAD_KEY_SHARE,
    kinds=(Kind.KEY,),
    subjects=(GUEST,),
)


# --- unsealing ----------------------------------------------------------------------------------


def _unseal(
    name: str, section: str, does: str, value: Callable[[bytes], bytes], fault: Fault
) -> None:
    def change(player: Player, entry: Entry) -> bytes:
        return sign_body(player, entry, secret=value(secret(player).reveal()))

    title = "The secret that is unsealed MUST be a scalar, and the one of the key share"
    departs(f"unseal-{name}", section, title, does, change, fault, kinds=(Kind.UNSEAL,))


_unseal(
    "another-secret",
    "7.3",
    "unseals a secret with one bit changed",
    lambda secret: flip(secret),
    Fault.BAD_OPENING,
)
_unseal("zero", "7.3", "unseals zero", lambda secret: bytes(SIZE), Fault.BAD_OPENING)
_unseal("too-great", "3", "unseals L", lambda secret: TOO_GREAT, Fault.BAD_SCALAR)
