"""Entries and proofs that nobody honest would make: real keys, and nothing to stop them.

Everything here changes one thing and signs it anew, so that nothing but this one thing is wrong.
"""

import ctypes
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from engine.state import State
from peer.games import GAMES
from protocol import codec
from protocol.codec import Value
from protocol.deck import CARD_SIZE, MaskedCard
from protocol.entries import Body, Entry, Key, Shuffle, state_hash
from protocol.group import ORDER, SIZE, Element, Scalar, _native
from protocol.keys import SecretKey
from protocol.script import GUEST, HOST
from protocol.table import Table
from protocol.transcript import Context, Label, Transcript
from tests.conformance.player import Player

IDENTITY: Final = bytes(SIZE)
"""The encoding of the identity of the group."""
NO_POINT: Final = b"\x02" + bytes(SIZE - 1)
"""32 bytes that encode no element: the square that they ask for does not exist."""
TOO_GREAT: Final = ORDER.to_bytes(SIZE, "little")
"""The least number that is no scalar."""

Change = Callable[[Player, Entry], bytes]
"""Makes bytes to send out of an honest entry of ours, which was not sent."""


def sign(player: Player, entry: Entry, **changes: Any) -> bytes:
    """`entry` with some of its fields changed, signed anew and properly."""
    names = ("number", "author", "previous", "body", "state")
    fields = {name: getattr(entry, name) for name in names} | changes
    return Entry.sign(**fields, identity=player.identity).raw


def sign_body(player: Player, entry: Entry, **changes: Any) -> bytes:
    """`entry` with some of the fields of its body changed."""
    body: Any = entry.body
    return sign(player, entry, body=replace(body, **changes))


def content(entry: Entry) -> list[Value]:
    """The six fields that are signed."""
    fields = (entry.number, entry.author, entry.previous, int(entry.kind))
    return [*fields, entry.body.values(), entry.state]


def sign_content(player: Player, inner: bytes) -> bytes:
    """An entry with any content whatsoever, and the signature that is right for it."""
    digest = Transcript(Label.ENTRY).append(inner).digest()
    return codec.encode((inner, player.identity.sign(digest)))


def sign_fields(player: Player, entry: Entry, place: int, value: Value) -> bytes:
    """`entry` with another value in one of the six fields of its content."""
    fields = content(entry)
    fields[place] = value
    return sign_content(player, codec.encode(tuple(fields)))


def sign_values(player: Player, entry: Entry, values: tuple[Value, ...]) -> bytes:
    """`entry` with other fields in its body, whatever their number and types."""
    return sign_fields(player, entry, 4, values)


def honest_copy(player: Player) -> "Table[State]":
    """A witness's copy of the game as it stands, to try on it what our own table refuses."""
    return Table.replay([entry.raw for entry in player.table.entries], GAMES)


def state_after(game: State) -> bytes:
    return state_hash(game.public_bytes())


def splice(data: bytes, index: int, part: bytes) -> bytes:
    """`data`, made of parts as long as `part`, with another one at `index`."""
    size = len(part)
    start = index * size if index >= 0 else len(data) + index * size
    return data[:start] + part + data[start + size :]


def sign_with_chance(seed: bytes, public: bytes, digest: bytes) -> bytes:
    """A signature as RFC 8032 section 5.1.6 has it, but for a nonce that is drawn anew."""
    key = bytearray(hashlib.sha512(seed).digest()[:SIZE])
    key[0] &= 0xF8
    key[-1] = key[-1] & 0x7F | 0x40
    nonce = Scalar.random(secrets.token_bytes)
    out = ctypes.create_string_buffer(SIZE)
    _ed25519_base(out, nonce.encode())
    challenge = Scalar.from_uniform(hashlib.sha512(out.raw + public + digest).digest())
    return out.raw + (nonce + challenge * Scalar.of(int.from_bytes(key, "little"))).encode()


_ed25519_base: Final = _native("crypto_scalarmult_ed25519_base_noclamp", 1, ctypes.c_int)


def flip(data: bytes, index: int = 0, bit: int = 1) -> bytes:
    """`data` with one bit changed."""
    changed = bytearray(data)
    changed[index] ^= bit
    return bytes(changed)


def top_bit(element: bytes) -> bytes:
    """A second spelling of an element, which some libraries take for the first."""
    return flip(element, SIZE - 1, 0x80)


# --- the secrets of the player -----------------------------------------------------------------


def secret(player: Player) -> SecretKey:
    """Our secret key of this game."""
    found = player.table._course._dealer._secret
    assert found is not None
    return found


def joint(player: Player) -> Element:
    found = player.table._course._dealer._joint
    assert found is not None
    return found


def context(player: Player, entry: Entry, deck: int = -1) -> Context:
    """What a proof in this entry of ours has to be bound to."""
    return Context(
        player.table.game_id, player.table.identities, entry.author, deck, entry.previous
    )


def other_contexts(right: Context) -> dict[str, Context]:
    """Contexts that differ from the right one in one thing."""
    stranger = b"\x05" * 32
    host, guest = right.identities
    return {
        "game": replace(right, game_id=stranger),
        "host": replace(right, identities=(stranger, guest)),
        "guest": replace(right, identities=(host, stranger)),
        "side": replace(right, side=HOST if right.side == GUEST else GUEST),
        "deck": replace(right, deck=right.deck + 1),
        "head": replace(right, head=stranger),
    }


def cards_of(body: Body) -> list[MaskedCard]:
    """The deck that a SHUFFLE carries."""
    assert isinstance(body, Shuffle)
    cards = body.cards
    return [MaskedCard.decode(cards[i : i + CARD_SIZE]) for i in range(0, len(cards), CARD_SIZE)]


def packed(cards: "list[MaskedCard]") -> bytes:
    return b"".join(card.encode() for card in cards)


def key_share_of(entry: Entry) -> bytes:
    """The key share that an ACCEPT or a KEY carries."""
    assert hasattr(entry.body, "key_share") or isinstance(entry.body, Key)
    share: bytes = entry.body.key_share
    return share
