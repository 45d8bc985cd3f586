"""The vectors of key shares, and the keys that the vectors of the other proofs use."""

from dataclasses import replace
from typing import Final

from protocol.group import ORDER, Element
from protocol.keys import KeyShare, SecretKey, joint_key, verify_key_share
from protocol.transcript import Context, Label, Transcript
from tests.tools.vectors.chance import HERE, Json, context_json, fault_of, seed

HOST: Final = SecretKey.derive(seed("secret of the host"))
GUEST: Final = SecretKey.derive(seed("secret of the guest"))
JOINT: Final = joint_key(HOST.public, GUEST.public)


def key_share() -> Json:
    """key_share.json"""
    context = replace(HERE, deck=-1)
    rng = seed("rng of the key share")
    good = HOST.share(context, lambda _: rng)
    statement = context.transcript(Label.KEY).append(HOST.public.encode())
    nonce = Transcript(Label.NONCE).append(HOST.scalar.encode(), statement.digest(), rng).scalar()
    flipped = bytearray(good.encode())
    flipped[40] ^= 1
    order = ORDER.to_bytes(32, "little")
    stolen = KeyShare(GUEST.public, good.proof).encode()
    bad = (
        ("a bit of the challenge is turned", bytes(flipped), context),
        ("the proof of another share", stolen, context),
        ("made by the other side", good.encode(), replace(context, side=1)),
        ("made for another head", good.encode(), replace(context, head=seed("other head"))),
        ("made for another game", good.encode(), replace(context, game_id=seed("other game"))),
        ("a response that is no scalar", good.encode()[:64] + order, context),
        ("the identity", bytes(32) + good.proof, context),
        ("one byte short", good.encode()[:-1], context),
    )

    def check(data: bytes, where: Context) -> None:
        verify_key_share(KeyShare.decode(data), where)

    return {
        "about": (
            "The key of a game and the proof that its owner knows it. 'nonce' and 'rng' are the "
            "prover's own business: a verifier needs neither."
        ),
        "section": "7",
        "seed": seed("secret of the host").hex(),
        "secret": HOST.scalar.encode().hex(),
        "public": HOST.public.encode().hex(),
        "context": context_json(context),
        "rng": rng.hex(),
        "nonce": nonce.encode().hex(),
        "commitment": Element.base(nonce).encode().hex(),
        "challenge": good.proof[:32].hex(),
        "response": good.proof[32:].hex(),
        "key_share": good.encode().hex(),
        "bad": [
            {
                "comment": comment,
                "key_share": data.hex(),
                "context": context_json(where),
                "fault": fault_of(lambda data=data, where=where: check(data, where)),
            }
            for comment, data, where in bad
        ],
        "joint_keys": [
            {
                "host": HOST.public.encode().hex(),
                "guest": GUEST.public.encode().hex(),
                "joint": JOINT.encode().hex(),
            }
        ],
        "bad_joint_keys": [
            {
                "comment": comment,
                "host": HOST.public.encode().hex(),
                "guest": other.encode().hex(),
                "fault": fault_of(lambda other=other: joint_key(HOST.public, other)),
            }
            for comment, other in (
                ("the other side's, repeated", HOST.public),
                ("the other side's, negated: the sum is the identity", -HOST.public),
            )
        ],
    }
