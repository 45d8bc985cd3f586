"""The vectors of decryption shares and their batched proof."""

import hashlib
from dataclasses import replace

from protocol.deck import decryption_share, face_of, unmask
from protocol.group import GENERATOR, Element, hash_to_scalar, multi_mul
from protocol.shuffle import VerifiedDeck
from protocol.sigma import prove_equality, verify_equality
from protocol.transcript import Label, Transcript
from tests.tools.vectors.chance import HERE, Json, context_json, fault_of, hexes, seed
from tests.tools.vectors.keys import GUEST, HOST
from tests.tools.vectors.shuffles import N, shuffled


def shares() -> Json:
    """shares.json"""
    deck, _, _ = shuffled()
    return {
        "about": (
            "Decryption shares of the host for cards of the deck 'after' of shuffle.json, with "
            "the values on the way to the proof (RFC 9497 section 2.2). The faces need the "
            "guest's shares too; its secret is given for that."
        ),
        "section": "10",
        "secret": HOST.scalar.encode().hex(),
        "public": HOST.public.encode().hex(),
        "guest_secret": GUEST.scalar.encode().hex(),
        "context": context_json(HERE),
        "shares": [_share(deck, handles) for handles in ([2], [0, 3], [0, 1, 2, 3])],
    }


def _share(deck: VerifiedDeck, handles: list[int]) -> Json:
    rng = seed(f"rng of the shares {handles}")
    bases = [deck.cards[handle].a for handle in handles]
    images = [decryption_share(HOST, deck.cards[handle]) for handle in handles]
    proof = prove_equality(HOST.scalar, HOST.public, bases, images, HERE, lambda _: rng)

    statement = HERE.transcript(Label.SHARE).append(HOST.public.encode())
    for base, image in zip(bases, images, strict=True):
        statement.append(base.encode(), image.encode())
    nonce = Transcript(Label.NONCE).append(HOST.scalar.encode(), statement.digest(), rng).scalar()
    context = b"whitby/1-ristretto255-share-" + HERE.transcript(Label.SHARE).digest()

    def framed(*parts: bytes) -> bytes:
        return b"".join(len(part).to_bytes(2, "big") + part for part in parts)

    composite = hashlib.sha512(framed(HOST.public.encode(), b"Seed-" + context)).digest()
    weights = [
        hash_to_scalar(
            framed(composite)
            + place.to_bytes(2, "big")
            + framed(base.encode(), image.encode())
            + b"Composite",
            b"HashToScalar-" + context,
        )
        for place, (base, image) in enumerate(zip(bases, images, strict=True))
    ]
    m, z = multi_mul(weights, bases), multi_mul(weights, images)
    points = [HOST.public, m, z, Element.base(nonce), m * nonce]
    challenge = hash_to_scalar(
        framed(*(point.encode() for point in points)) + b"Challenge", b"HashToScalar-" + context
    )
    assert proof == challenge.encode() + (nonce - challenge * HOST.scalar).encode()

    theirs = [decryption_share(GUEST, deck.cards[handle]) for handle in handles]
    faces = [
        face_of(unmask(deck.cards[handle], both), N)
        for handle, both in zip(handles, map(list, zip(images, theirs, strict=True)), strict=True)
    ]
    return {
        "handles": handles,
        "bases": hexes(bases),
        "shares": hexes(images),
        "context_string": context.hex(),
        "seed": composite.hex(),
        "d": hexes(weights),
        "M": m.encode().hex(),
        "Z": z.encode().hex(),
        "rng": rng.hex(),
        "nonce": nonce.encode().hex(),
        "t2": points[3].encode().hex(),
        "t3": points[4].encode().hex(),
        "proof": proof.hex(),
        "bad": _bad_shares(bases, images, proof),
        "guest_shares": hexes(theirs),
        "faces": faces,
    }


def _bad_shares(bases: list[Element], images: list[Element], proof: bytes) -> Json:
    cases = [
        ("another card's share", [images[0] + GENERATOR, *images[1:]], proof, HERE),
        ("made for another head", images, proof, replace(HERE, head=seed("other head"))),
        ("made for another deck", images, proof, replace(HERE, deck=1)),
        ("made by the other side", images, proof, replace(HERE, side=1)),
        ("halves exchanged", images, proof[32:] + proof[:32], HERE),
        ("a challenge that is no scalar", images, b"\xff" * 32 + proof[32:], HERE),
        ("one byte short", images, proof[:-1], HERE),
    ]
    if len(images) > 1:
        cases.append(("shares in another order", [images[1], images[0], *images[2:]], proof, HERE))
    return [
        {
            "comment": comment,
            "shares": hexes(wrong),
            "proof": claim.hex(),
            "context": context_json(where),
            "fault": fault_of(
                lambda wrong=wrong, claim=claim, where=where: verify_equality(
                    claim, HOST.public, bases, wrong, where
                )
            ),
        }
        for comment, wrong, claim, where in cases
    ]
