"""What travels on the line between two peers, sealed by Noise: entries, and little else.

The messages beside the chain of entries say who is there, how far each record goes, that somebody
leaves, or why somebody refuses.  None of them can change a game.

A message is the canonical msgpack array [kind, ...fields].  This file knows how messages look;
`peer` knows when to send them.
"""

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, ClassVar, Final, Self

from protocol import codec
from protocol.claim import MAX_CLAIM_BYTES
from protocol.entries import HASH_BYTES, MAX_ENTRIES, MAX_ENTRY_BYTES
from protocol.errors import Fault, IncompatibleError, InvalidError
from protocol.identity import PUBLIC_BYTES, SIGNATURE_BYTES, Identity, check_signature
from protocol.transcript import PROTOCOL, Label, Transcript, number

MAX_MESSAGE_BYTES: Final = 65_519
"""What fits one Noise message of 65,535 bytes beside its 16-byte tag (Noise section 3)."""

MAX_DETAIL_BYTES: Final = 500
MAX_CHAT_BYTES: Final = 500


class Kind(IntEnum):
    """What a message says.  The numbers travel."""

    HELLO = 0
    SYNC = 1
    ENTRIES = 2
    BYE = 3
    REFUSAL = 4
    PING = 5
    PONG = 6
    CLOCK = 7
    CLAIM = 8
    AGAIN = 9
    CHAT = 10


class Reason(IntEnum):
    """Why somebody ends the connection in good order."""

    DONE = 0
    """The record is complete."""
    LEFT = 1
    """The player has left the table; the game is kept and can go on later."""
    DECLINED = 2
    """The offer is not taken, or the guest is not the one that is expected."""


@dataclass(frozen=True, slots=True)
class Message:
    """What all messages have in common.  Subclasses list their fields in order."""

    kind: ClassVar[Kind]
    shape: ClassVar[tuple[codec.Field[Any], ...]]

    def encode(self) -> bytes:
        values = (getattr(self, field.name) for field in fields(self))
        return codec.encode((self.kind, *values))


@dataclass(frozen=True, slots=True)
class Hello(Message):
    """The first message of both sides: which protocol, and who is at this end of the line.

    The signature covers the handshake hash, so it holds for this line only, and the side, so it
    can't be played back.
    """

    protocol: str
    identity: bytes
    signature: bytes
    kind = Kind.HELLO
    shape = (codec.text(32), codec.blob(PUBLIC_BYTES), codec.blob(SIGNATURE_BYTES))

    @classmethod
    def sign(cls, identity: Identity, side: int, handshake_hash: bytes) -> Self:
        signature = identity.sign(_line_digest(side, handshake_hash))
        return cls(PROTOCOL.decode(), identity.public, signature)

    def check(self, side: int, handshake_hash: bytes) -> None:
        """Raise unless this comes from `side` of this very line.

        Raises:
            IncompatibleError: the other end speaks another version.
            InvalidError: BAD_SIGNATURE.
        """
        if self.protocol != PROTOCOL.decode():
            raise IncompatibleError(
                f"the other side speaks {self.protocol!r}, we speak {PROTOCOL.decode()!r}"
            )
        check_signature(self.identity, _line_digest(side, handshake_hash), self.signature)


@dataclass(frozen=True, slots=True)
class Sync(Message):
    """How far the sender's record of this game goes: its length and its head.

    `game_id` has 32 bytes; it is None before both have spoken.
    """

    game_id: bytes | None
    count: int
    head: bytes
    kind = Kind.SYNC
    shape = (
        codec.optional(codec.blob(HASH_BYTES)),
        codec.uint(MAX_ENTRIES),
        codec.blob(HASH_BYTES),
    )


@dataclass(frozen=True, slots=True)
class Entries(Message):
    """One entry or more of the record, in their order."""

    raws: tuple[bytes, ...]
    kind = Kind.ENTRIES
    shape = (codec.array_of(codec.blob(maximum=MAX_ENTRY_BYTES), 1, 256),)


@dataclass(frozen=True, slots=True)
class Bye(Message):
    """The sender closes the line in good order."""

    reason: int
    kind = Kind.BYE
    shape = (codec.uint(max(Reason)),)


@dataclass(frozen=True, slots=True)
class Refusal(Message):
    """The sender closes the line because of what it received: a fault's code, and a sentence."""

    fault: str
    detail: str
    kind = Kind.REFUSAL
    shape = (codec.text(32), codec.text(MAX_DETAIL_BYTES))


@dataclass(frozen=True, slots=True)
class Ping(Message):
    """Are you there?  Answered by the `Pong` with the same number."""

    token: int
    kind = Kind.PING
    shape = (codec.uint(2**32 - 1),)


@dataclass(frozen=True, slots=True)
class Pong(Message):
    """I am."""

    token: int
    kind = Kind.PONG
    shape = (codec.uint(2**32 - 1),)


@dataclass(frozen=True, slots=True)
class Clock(Message):
    """How long the sender has thought in this game, in milliseconds, by its own clock."""

    used: int
    kind = Kind.CLOCK
    shape = (codec.uint(2**40 - 1),)


@dataclass(frozen=True, slots=True)
class Claimed(Message):
    """The sender claims the game: the bytes of a `protocol.claim.Claim`."""

    claim: bytes
    kind = Kind.CLAIM
    shape = (codec.blob(maximum=MAX_CLAIM_BYTES),)


@dataclass(frozen=True, slots=True)
class Again(Message):
    """The record is complete, and the sender would play again, with the seats exchanged."""

    kind = Kind.AGAIN
    shape = ()


@dataclass(frozen=True, slots=True)
class Chat(Message):
    """What one player says to the other.  Strangers' text: whoever shows it makes it harmless."""

    text: str
    kind = Kind.CHAT
    shape = (codec.text(MAX_CHAT_BYTES),)


MESSAGES: Final[dict[int, type[Message]]] = {
    message.kind: message
    for message in (Hello, Sync, Entries, Bye, Refusal, Ping, Pong, Clock, Claimed, Again, Chat)
}


def decode(data: bytes) -> Message:
    """Read one message.

    Raises:
        InvalidError: the bytes are not one canonical message of a known kind.
    """
    value = codec.decode(data, limit=MAX_MESSAGE_BYTES)
    if not isinstance(value, tuple) or not value or type(value[0]) is not int:
        raise InvalidError(Fault.MALFORMED, "a message is an array that starts with its kind")
    message = MESSAGES.get(value[0])
    if message is None:
        raise InvalidError(Fault.UNEXPECTED, f"messages of kind {value[0]} are unknown")
    return message(*codec.array(value[1:], message.__name__.lower(), *message.shape))


def in_messages(raws: list[bytes]) -> list[Entries]:
    """Entries, packed into as few messages as will carry them."""
    messages, batch, size = [], list[bytes](), 0
    for raw in raws:
        if batch and (size + len(raw) + 5 > MAX_MESSAGE_BYTES - 16 or len(batch) == 256):
            messages.append(Entries(tuple(batch)))
            batch, size = [], 0
        batch.append(raw)
        size += len(raw) + 5  # at most 5 bytes stand before a byte string
    return [*messages, Entries(tuple(batch))] if batch else messages


def _line_digest(side: int, handshake_hash: bytes) -> bytes:
    return Transcript(Label.LINE).append(number(side), handshake_hash).digest()
