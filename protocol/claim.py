"""A claim: one side's signed word that the other has run out of time, or stays away.

Nobody can prove to a third party how much time has passed, so a claim proves only that its author
made it, over this record as it stood.  It is kept and shown as that, beside the record, and never
as a result.

A claim is the canonical msgpack array [content, signature], where content is the encoding of
[game id, side, count, head, ground, seconds, made].
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Self

from protocol import codec
from protocol.entries import HASH_BYTES, MAX_ENTRIES, MAX_TIME
from protocol.identity import SIGNATURE_BYTES, Identity, check_signature
from protocol.transcript import Label, Transcript

MAX_CLAIM_BYTES: Final = 256


class Ground(IntEnum):
    """What a claim says of the other side.  The numbers travel."""

    TIME = 0
    """It has used more than the time that the offer gave it."""
    ABSENCE = 1
    """It has been due to speak, and away, for so long."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What one side says.

    `side` (0 host, 1 guest) is who says it; `count` and `head` are the record it knew; `seconds`
    how long it waited in all for an entry that was due, or, on the ground of time, how long the
    other has thought in the whole game; `made` its clock in seconds since 1970.
    """

    game_id: bytes
    side: int
    count: int
    head: bytes
    ground: Ground
    seconds: int
    made: int
    signature: bytes

    @classmethod
    def sign(
        cls,
        game_id: bytes,
        side: int,
        count: int,
        head: bytes,
        ground: Ground,
        seconds: int,
        made: int,
        identity: Identity,
    ) -> Self:
        """Make a claim of ours."""
        content = codec.encode((game_id, side, count, head, ground, seconds, made))
        signature = identity.sign(_digest(content))
        return cls(game_id, side, count, head, ground, seconds, made, signature)

    def encode(self) -> bytes:
        return codec.encode((self._content(), self.signature))

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Read a claim.  Says nothing of its signature.

        Raises:
            InvalidError: the bytes are not one canonical claim.
        """
        outer = codec.decode(data, limit=MAX_CLAIM_BYTES)
        content, signature = codec.array(
            outer, "claim", codec.blob(maximum=MAX_CLAIM_BYTES), codec.blob(SIGNATURE_BYTES)
        )
        game_id, side, count, head, ground, seconds, made = codec.array(
            codec.decode(content, limit=MAX_CLAIM_BYTES),
            "content of a claim",
            codec.blob(HASH_BYTES),
            codec.uint(1),
            codec.uint(MAX_ENTRIES),
            codec.blob(HASH_BYTES),
            codec.uint(max(Ground)),
            codec.uint(MAX_TIME),
            codec.uint(MAX_TIME),
        )
        return cls(game_id, side, count, head, Ground(ground), seconds, made, signature)

    def check_signature(self, public: bytes) -> None:
        """Raise `InvalidError` (BAD_SIGNATURE) unless the owner of `public` made this claim."""
        check_signature(public, _digest(self._content()), self.signature)

    def _content(self) -> bytes:
        return codec.encode(
            (
                self.game_id,
                self.side,
                self.count,
                self.head,
                self.ground,
                self.seconds,
                self.made,
            )
        )


def _digest(content: bytes) -> bytes:
    return Transcript(Label.CLAIM).append(content).digest()
