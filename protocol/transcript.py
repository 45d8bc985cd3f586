"""Hashing with labels and frames: the only place where this package hashes anything structured.

A `Transcript` absorbs parts, each with its length before it, so that two different lists of parts
never absorb the same bytes.  It starts with the protocol's name and a label that says what the
hash is for, so that no hash made for one purpose means anything for another.  (Domain separation
by hash-to-group tags, RFC 9380 section 3.1, uses the same labels through `domain`.)
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum, unique
from itertools import count
from typing import Final, Self

from protocol.group import Rng, Scalar

PROTOCOL: Final = b"whitby/1"
"""Name and version of the protocol, which is not the version of the program."""


@unique
class Label(StrEnum):
    """Everything that is hashed here, and nothing twice."""

    CARD = "card"  # hash to group: the point of a face
    GENERATOR = "generator"  # hash to group: what permutations are committed with
    SECRET_KEY = "secret-key"  # the secret key of a game, from a seed
    NONCE = "nonce"  # the hedged nonce of a proof
    KEY = "key"  # challenge: knowledge of a secret key
    SHARE = "share"  # challenge: decryption shares belong to a key
    SHUFFLE_NONCES = "shuffle-nonces"
    SHUFFLE_CHALLENGES = "shuffle-challenges"  # one challenge a card
    SHUFFLE = "shuffle"  # the challenge of a shuffle proof
    COIN = "coin"  # the commitment to half a coin
    COIN_SECRET = "coin-secret"  # half a coin, from a seed
    ORDER = "order"  # a permutation out of two halves
    BIT = "bit"  # a bit out of two halves
    ENTRY = "entry"  # the hash that the next entry carries
    STATE = "state"  # the public state of the game
    GAME = "game"  # the id of a game
    IDENTITY = "identity"  # the fingerprint of a signing key
    CLAIM = "claim"  # what one side says of the other's time
    STANDING = "standing"  # what somebody keeps for ever, from their identity's seed
    LINE = "line"  # what a hello signs
    LINE_KEY = "line-key"  # the Noise key of one game, from a seed


PROLOGUE: Final = b"whitby"
"""What both sides of a line must agree on before it is there.  It has no version: that is for the
hello to say, in words that a person can read."""


def domain(label: Label) -> bytes:
    """The tag under which `label` goes into functions that take one (RFC 9380, RFC 9497)."""
    return PROTOCOL + b"-ristretto255-" + label.encode()


def number(value: int) -> bytes:
    """A number as a part of a transcript: 8 bytes, big-endian."""
    return value.to_bytes(8, "big")


class Transcript:
    """SHA-512 over the protocol's name, a label, and the parts appended since."""

    __slots__ = ("_hash",)

    def __init__(self, label: str) -> None:
        self._hash = hashlib.sha512()
        self.append(PROTOCOL, label.encode())

    def append(self, *parts: bytes) -> Self:
        """Absorb each part behind its length (4 bytes, big-endian)."""
        framed = [piece for part in parts for piece in (len(part).to_bytes(4, "big"), part)]
        self._hash.update(b"".join(framed))
        return self

    def copy(self) -> "Transcript":
        """Another transcript that has absorbed the same."""
        twin = object.__new__(Transcript)
        twin._hash = self._hash.copy()
        return twin

    def digest(self) -> bytes:
        """The first 32 bytes of the hash; the transcript can go on."""
        return self._hash.digest()[:32]

    def scalar(self) -> Scalar:
        """All 64 bytes of the hash, little-endian, reduced; the transcript can go on."""
        return Scalar.from_uniform(self._hash.digest())

    def stream(self) -> Rng:
        """As many bytes as anybody wants, determined by what was absorbed until now.

        Block i, for i = 0, 1, ..., is the 64-byte hash of this transcript with `number(i)`
        appended.  A label whose transcripts are streamed gives no digest or scalar.
        """
        blocks = self.copy()._blocks()
        buffer = b""

        def draw(size: int) -> bytes:
            nonlocal buffer
            while len(buffer) < size:
                buffer += next(blocks)
            drawn, buffer = buffer[:size], buffer[size:]
            return drawn

        return draw

    def _blocks(self) -> Iterator[bytes]:
        for index in count():
            yield self.copy().append(number(index))._hash.digest()

    def __repr__(self) -> str:
        return "Transcript(<state omitted>)"


@dataclass(frozen=True, slots=True)
class Context:
    """Where and when something is proven or committed to; it is valid nowhere else.

    `game_id` (32 bytes) names the game; `identities` are the Ed25519 public keys of host and
    guest (32 bytes each); `side` (0 host, 1 guest) is who proves; `deck` numbers the deck that
    it is about from 0, or is -1 where it is about none; `head` (32 bytes) is the head of the
    record before the entry that carries the proof.
    """

    game_id: bytes
    identities: tuple[bytes, bytes]
    side: int
    deck: int
    head: bytes

    def __post_init__(self) -> None:
        host, guest = self.identities
        if any(len(part) != 32 for part in (self.game_id, host, guest, self.head)):
            raise ValueError("game id, identities and head have 32 bytes each")
        if self.side not in (0, 1) or self.deck < -1:
            raise ValueError("the side is 0 or 1, the deck -1 or more")

    def transcript(self, label: str) -> Transcript:
        """A new transcript that has absorbed this context.

        Its parts are game id, host, guest, side, deck + 1 and head; numbers as in `number`.
        """
        return Transcript(label).append(
            self.game_id, *self.identities, number(self.side), number(self.deck + 1), self.head
        )
