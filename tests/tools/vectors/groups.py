"""The vectors of the group, of hashing to it, and of transcripts."""

from dataclasses import replace
from typing import Final

from protocol.deck import card_points
from protocol.errors import Fault
from protocol.group import GENERATOR, ORDER, Element, Scalar, expand_message_xmd
from protocol.shuffle import commitment_key
from protocol.transcript import Context, Label, Transcript, domain, number
from tests.tools.vectors.chance import HERE, Chance, Json, context_json, fault_of, hexes
from tests.tools.vectors.keys import JOINT


def _bad_element(comment: str, data: str, *, allow_identity: bool = False) -> Json:
    fault = Fault.BAD_ELEMENT if len(data) == 64 else Fault.MALFORMED
    return {
        "comment": comment,
        "bytes": data,
        "identity_allowed": allow_identity,
        "fault": fault.value,
    }


def _bad_scalar(comment: str, data: bytes) -> Json:
    fault = fault_of(lambda: Scalar.decode(data))
    return {"comment": comment, "bytes": data.hex(), "fault": fault}


_NOT_CANONICAL: Final = (
    ("a field element that is not below the prime", "00" + "ff" * 31),
    ("the prime itself, another spelling of zero", "ed" + "ff" * 30 + "7f"),
    ("the prime and 4", "f1" + "ff" * 30 + "7f"),
    ("a negative field element", "01" + "00" * 31),
    ("a negative field element, the prime less 2", "eb" + "ff" * 30 + "7f"),
    ("a non-square x^2", "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371"),
    ("a negative x*y", "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e"),
    ("s = -1, which makes y = 0", "ec" + "ff" * 30 + "7f"),
    ("the generator with the unused top bit set", GENERATOR.encode()[:31].hex() + "f6"),
    ("the identity with the unused top bit set", "00" * 31 + "80"),
    ("one byte short", GENERATOR.encode()[:31].hex()),
    ("one byte too many", GENERATOR.encode().hex() + "00"),
    ("no bytes", ""),
)


def group() -> Json:
    """group.json"""
    rng = Chance("group")
    wide = [bytes(64), b"\xff" * 64, rng(64), rng(64)]
    some = [Scalar.random(rng) for _ in range(3)]
    return {
        "about": (
            "ristretto255 and its scalars. 'multiples' of the generator are those of RFC 9496 "
            "A.1, which has more bad encodings in A.2 and element derivation in A.3. "
            "'bytes' that cannot be decoded give 'fault'."
        ),
        "section": "3",
        "multiples": [
            {"scalar": str(k), "element": Element.base(Scalar.of(k)).encode().hex()}
            for k in range(17)
        ],
        "products": [
            {
                "scalar": scalar.encode().hex(),
                "times_generator": Element.base(scalar).encode().hex(),
                "times_joint_key": (JOINT * scalar).encode().hex(),
            }
            for scalar in (*some, Scalar.of(-1))
        ],
        "joint_key": JOINT.encode().hex(),
        "identity_refused": _bad_element("the identity", bytes(32).hex()),
        "bad_elements": [
            _bad_element(comment, data, allow_identity=True) for comment, data in _NOT_CANONICAL
        ],
        "good_scalars": hexes(map(Scalar.of, (0, 1, ORDER - 1))),
        "bad_scalars": [
            _bad_scalar("the order", ORDER.to_bytes(32, "little")),
            _bad_scalar(
                "the order and 1, another spelling of 1", (ORDER + 1).to_bytes(32, "little")
            ),
            _bad_scalar("the greatest of 32 bytes", b"\xff" * 32),
            _bad_scalar("one byte short", bytes(31)),
            _bad_scalar("one byte too many", bytes(33)),
        ],
        "scalars_from_uniform_bytes": [
            {"bytes": data.hex(), "scalar": Scalar.from_uniform(data).encode().hex()}
            for data in wide
        ],
        "elements_from_uniform_bytes": [
            {"bytes": data.hex(), "element": Element.from_uniform(data).encode().hex()}
            for data in wide
        ],
    }


def hash_to_group() -> Json:
    """hash_to_group.json"""
    key = commitment_key(32)
    card, generator = domain(Label.CARD), domain(Label.GENERATOR)
    return {
        "about": (
            "hash_to_ristretto255 (RFC 9380 appendix B). The message is the number, 8 bytes "
            "big-endian. 'uniform_bytes' are what expand_message_xmd gives for the first of each."
        ),
        "section": "4",
        "cards": {
            "dst": card.decode(),
            "uniform_bytes": expand_message_xmd(number(0), card, 64).hex(),
            "elements": hexes(card_points(32)),
        },
        "generators": {
            "dst": generator.decode(),
            "uniform_bytes": expand_message_xmd(number(0), generator, 64).hex(),
            "elements": hexes([key.chain_base, *key.generators]),
        },
    }


def _absorbed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def _context_parts(context: Context) -> list[bytes]:
    return [
        context.game_id,
        *context.identities,
        number(context.side),
        number(context.deck + 1),
        context.head,
    ]


def transcript() -> Json:
    """transcript.json"""
    lists: list[list[bytes]] = [[], [b""], [b"", b""], [b"ab", b"c"], [b"a", b"bc"], [bytes(300)]]
    label = Label.STATE
    return {
        "about": (
            "Transcripts: 'absorbed' is everything that SHA-512 takes in, from the name of the "
            "protocol on. 'stream' is the first 200 bytes of the stream."
        ),
        "section": "5",
        "transcripts": [
            {
                "label": label.value,
                "parts": [part.hex() for part in parts],
                "absorbed": _absorbed(b"whitby/1", label.encode(), *parts).hex(),
                "digest": Transcript(label).append(*parts).digest().hex(),
                "scalar": Transcript(label).append(*parts).scalar().encode().hex(),
                "stream": Transcript(label).append(*parts).stream()(200).hex(),
            }
            for parts in lists
        ],
        "contexts": [
            {
                "label": Label.KEY.value,
                "context": context_json(context),
                "absorbed": _absorbed(
                    b"whitby/1", Label.KEY.encode(), *_context_parts(context)
                ).hex(),
                "digest": context.transcript(Label.KEY).digest().hex(),
            }
            for context in (HERE, replace(HERE, side=1, deck=-1), replace(HERE, deck=4))
        ],
    }
