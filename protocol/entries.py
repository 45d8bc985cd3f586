"""The entries of a record: every public step of a game, numbered, chained and signed.

An entry on the wire and in a file is the canonical msgpack array [content, signature], where
content is itself the encoding of [number, author, previous, kind, body, state]:

    number     its place in the record, from 0
    author     the side that wrote it, 0 host or 1 guest
    previous   the head before it: the hash of the entry before, 32 zero bytes for the first
    kind       which of the bodies below
    body       an array with the fields of that body, in their order
    state      the hash of the game's public state after it

This file knows how entries look, and not when one may come: `table` does.
"""

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, ClassVar, Final, Self

from protocol import codec
from protocol.errors import Fault, InvalidError
from protocol.identity import PUBLIC_BYTES, SIGNATURE_BYTES, Identity, check_signature
from protocol.transcript import Label, Transcript

HASH_BYTES: Final = 32
NO_ENTRY: Final = bytes(HASH_BYTES)
"""The head of an empty record."""

MAX_ENTRY_BYTES: Final = 60_000
"""Room for the shuffle of a deck of 256 cards (49,312 bytes); it fits one sealed message."""
MAX_ENTRIES: Final = 65_536
"""Of a record: a hundred times what a game takes."""
MAX_NAME_BYTES: Final = 48
MAX_OPTIONS_BYTES: Final = 256
MAX_ACTION: Final = (1 << 32) - 1
MAX_TIME: Final = (1 << 40) - 1
MAX_CLOCK: Final = 1_000_000
"""Seconds, eleven days: who wants more wants no clock."""


class Kind(IntEnum):
    """What an entry says.  The numbers travel."""

    OFFER = 0
    ACCEPT = 1
    KEY = 2
    COMMIT = 3
    ANSWER = 4
    OPEN = 5
    SHUFFLE = 6
    SHARE = 7
    ACT = 8
    RESIGN = 9
    UNSEAL = 10
    PROPOSE = 11
    REPLY = 12


class Body:
    """What one kind of entry carries.  Subclasses are frozen dataclasses, their fields in order."""

    __slots__ = ()
    kind: ClassVar[Kind]
    shape: ClassVar[tuple[codec.Field[Any], ...]]

    def values(self) -> tuple[codec.Value, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]

    @classmethod
    def parse(cls, value: codec.Value) -> Self:
        return cls(*codec.array(value, cls.__name__.lower(), *cls.shape))


@dataclass(frozen=True, slots=True)
class Offer(Body):
    """The host proposes a game; with `Accept`, this fixes the game id.

    `seat` is the player the host takes, or None to let a coin decide; `clock` is the time that
    each player has to think, (seconds for the game, seconds more for each decision), or None;
    `name` is a nickname that nobody has verified; `started` is the host's clock, in seconds
    since 1970, for the reader.
    """

    protocol: str
    game: str
    options: bytes
    seat: int | None
    clock: tuple[int, int] | None
    identity: bytes
    name: str
    nonce: bytes
    started: int
    kind = Kind.OFFER
    shape = (
        codec.text(32),
        codec.text(64),
        codec.blob(maximum=MAX_OPTIONS_BYTES),
        codec.optional(codec.uint(1)),
        codec.optional(codec.tuple_of(codec.uint(MAX_CLOCK), codec.uint(MAX_CLOCK))),
        codec.blob(PUBLIC_BYTES),
        codec.text(MAX_NAME_BYTES),
        codec.blob(32),
        codec.uint(MAX_TIME),
    )


@dataclass(frozen=True, slots=True)
class Accept(Body):
    """The guest takes the offer, with its share of the joint key (element and proof)."""

    identity: bytes
    name: str
    nonce: bytes
    key_share: bytes
    kind = Kind.ACCEPT
    shape = (
        codec.blob(PUBLIC_BYTES),
        codec.text(MAX_NAME_BYTES),
        codec.blob(32),
        codec.blob(96),
    )


@dataclass(frozen=True, slots=True)
class Key(Body):
    """The host's share of the joint key."""

    key_share: bytes
    kind = Kind.KEY
    shape = (codec.blob(96),)


@dataclass(frozen=True, slots=True)
class Commit(Body):
    """The first half of a coin, sealed."""

    commitment: bytes
    kind = Kind.COMMIT
    shape = (codec.blob(32),)


@dataclass(frozen=True, slots=True)
class Answer(Body):
    """The other half of a coin, in the open: the first can no longer be chosen to suit it."""

    value: bytes
    kind = Kind.ANSWER
    shape = (codec.blob(32),)


@dataclass(frozen=True, slots=True)
class Open(Body):
    """The seal of the first half is broken; both halves now fix the coin."""

    value: bytes
    kind = Kind.OPEN
    shape = (codec.blob(32),)


@dataclass(frozen=True, slots=True)
class Shuffle(Body):
    """A deck shuffled and remasked: 64 bytes a card, and the proof that it is the same deck."""

    cards: bytes
    proof: bytes
    kind = Kind.SHUFFLE
    shape = (codec.blob(maximum=16_384), codec.blob(maximum=32_928))


@dataclass(frozen=True, slots=True)
class Share(Body):
    """Decryption shares, 32 bytes each, of every card the author owes now, and one proof.

    Which cards these are follows from the record alone, so an entry can't ask for others.
    """

    shares: bytes
    proof: bytes
    kind = Kind.SHARE
    shape = (codec.blob(maximum=8_192), codec.blob(64))


@dataclass(frozen=True, slots=True)
class Act(Body):
    """A decision, as the game numbers them."""

    action: int
    kind = Kind.ACT
    shape = (codec.uint(MAX_ACTION),)


@dataclass(frozen=True, slots=True)
class Resign(Body):
    """The author gives the game up."""

    kind = Kind.RESIGN
    shape = ()


@dataclass(frozen=True, slots=True)
class Unseal(Body):
    """The author's secret key of this game, which opens every card that was hidden in it."""

    secret: bytes
    kind = Kind.UNSEAL
    shape = (codec.blob(32),)


@dataclass(frozen=True, slots=True)
class Propose(Body):
    """The author proposes to end the game without a winner."""

    kind = Kind.PROPOSE
    shape = ()


@dataclass(frozen=True, slots=True)
class Reply(Body):
    """The answer: 1 ends the game so, 0 goes on with it."""

    agrees: int
    kind = Kind.REPLY
    shape = (codec.uint(1),)


BODIES: Final[dict[int, type[Body]]] = {
    body.kind: body
    for body in (
        Offer, Accept, Key, Commit, Answer, Open, Shuffle, Share, Act, Resign, Unseal,
        Propose, Reply,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One signed step.  `head` is its hash, and `raw` the bytes that are stored and sent."""

    number: int
    author: int
    previous: bytes
    body: Body
    state: bytes
    signature: bytes
    head: bytes
    raw: bytes

    @property
    def kind(self) -> Kind:
        return self.body.kind

    @classmethod
    def sign(
        cls, number: int, author: int, previous: bytes, body: Body, state: bytes, identity: Identity
    ) -> Self:
        """Make an entry of ours."""
        content = codec.encode((number, author, previous, body.kind, body.values(), state))
        head = _head(content)
        signature = identity.sign(head)
        raw = codec.encode((content, signature))
        return cls(number, author, previous, body, state, signature, head, raw)

    @classmethod
    def decode(cls, raw: bytes) -> Self:
        """Read an entry.  Says nothing of its signature, nor of whether it may come now.

        Raises:
            InvalidError: the bytes are not one canonical entry of a known kind.
        """
        outer = codec.decode(raw, limit=MAX_ENTRY_BYTES)
        content, signature = codec.array(
            outer, "entry", codec.blob(maximum=MAX_ENTRY_BYTES), codec.blob(SIGNATURE_BYTES)
        )
        number, author, previous, kind, body, state = codec.array(
            codec.decode(content, limit=MAX_ENTRY_BYTES),
            "content of an entry",
            codec.uint(MAX_ENTRIES - 1),
            codec.uint(1),
            codec.blob(HASH_BYTES),
            codec.uint(255),
            codec.anything,
            codec.blob(HASH_BYTES),
        )
        if kind not in BODIES:
            raise InvalidError(Fault.UNEXPECTED, f"entries of kind {kind} are unknown")
        parsed = BODIES[kind].parse(body)
        return cls(number, author, previous, parsed, state, signature, _head(content), raw)

    def check_signature(self, public: bytes) -> None:
        """Raise `InvalidError` (BAD_SIGNATURE) unless the owner of `public` signed this."""
        check_signature(public, self.head, self.signature)


def game_id(offer_head: bytes, guest: bytes, nonce: bytes) -> bytes:
    """The 32-byte name of a game, fixed by what both sides put into it.

    The head after the offer covers the host's identity and nonce, the game and its options;
    `guest` is the identity that accepts, `nonce` its 32 random bytes.
    """
    return Transcript(Label.GAME).append(offer_head, guest, nonce).digest()


def state_hash(public_bytes: bytes) -> bytes:
    """The 32 bytes that stand in an entry for the public state of the game after it."""
    return Transcript(Label.STATE).append(public_bytes).digest()


def _head(content: bytes) -> bytes:
    return Transcript(Label.ENTRY).append(content).digest()
