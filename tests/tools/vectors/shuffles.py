"""The vectors of a shuffle and its proof, made a second time to show every value on the way."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from protocol import argument
from protocol.deck import MaskedCard, fresh_deck
from protocol.errors import Fault
from protocol.group import GENERATOR, ORDER, Element, Scalar, multi_mul
from protocol.sampling import uniform_permutation
from protocol.shuffle import VerifiedDeck, commitment_key, shuffle_deck, verify_shuffle
from protocol.transcript import Context, Label, number
from tests.tools.vectors.chance import (
    HERE,
    Chance,
    Json,
    context_json,
    fault_of,
    hexes,
    recorded,
    seed,
)
from tests.tools.vectors.keys import JOINT

N: Final = 4


def _intermediates(
    before: argument.Statement[Element],
    permutation: tuple[int, ...],
    masks: list[Scalar],
    fresh: bytes,
) -> tuple[Json, bytes]:
    """The proof made a second time, from the specification, with every value written down."""
    found: dict[str, Json] = {}
    parts = [before.joint.encode(), number(N)]
    parts += [a.encode() + b.encode() for a, b in (*before.before, *before.after)]

    hidden = HERE.transcript(Label.SHUFFLE_NONCES).append(*parts)
    hidden.append(*(number(source) for source in permutation))
    draw = hidden.append(*(mask.encode() for mask in masks), fresh).stream()

    def scalars(name: str, count: int = N) -> list[Scalar]:
        drawn = [Scalar.random(draw) for _ in range(count)]
        found[name] = hexes(drawn)
        return drawn

    r, r_hat, omega = scalars("r"), scalars("r_hat"), scalars("w", 4)
    nonces = argument.Nonces(
        r, r_hat, (omega[0], omega[1], omega[2], omega[3]),
        scalars("w_hat"), scalars("w_tilde"),
    )  # fmt: skip

    def challenges(c: Sequence[Element]) -> list[Scalar]:
        draw = (
            HERE.transcript(Label.SHUFFLE_CHALLENGES)
            .append(*parts, *(x.encode() for x in c))
            .stream()
        )
        u = [Scalar.random(draw) for _ in c]
        found.update(c=hexes(c), u=hexes(u))
        return u

    def challenge(
        c: Sequence[Element],
        c_hat: Sequence[Element],
        t: Sequence[Element],
    ) -> Scalar:
        last = HERE.transcript(Label.SHUFFLE).append(*parts)
        last.append(*(x.encode() for x in (*c, *c_hat, *t)))
        names = ("t1", "t2", "t3", "t4a", "t4b")
        found.update(c_hat=hexes(c_hat))
        found.update(zip(names, hexes(t[:5]), strict=True))
        found.update(t_hat=hexes(t[5:]), x=last.scalar().encode().hex())
        return last.scalar()

    ristretto = argument.Group(generator=GENERATOR, scalar=Scalar.of, combine=multi_mul)
    witness = argument.Witness(permutation, masks)
    proof = argument.prove(ristretto, before, witness, nonces, challenges, challenge)
    found.update(s=hexes(proof.s), s_hat=hexes(proof.s_hat), s_tilde=hexes(proof.s_tilde))
    everything = (proof.challenge, *proof.s, *proof.s_hat, *proof.s_tilde, *proof.c, *proof.c_hat)
    return found, b"".join(part.encode() for part in everything)


def shuffled() -> tuple[VerifiedDeck, bytes, list[bytes]]:
    """The shuffle of shuffle.json, its proof, and what its maker drew."""
    log: list[bytes] = []
    rng = recorded(Chance("rng of the shuffle"), log)
    return *shuffle_deck(fresh_deck(JOINT, N), JOINT, HERE, rng), log


def shuffle_proof() -> Json:
    """shuffle.json"""
    before = fresh_deck(JOINT, N)
    after, proof, log = shuffled()
    replay = iter(log)
    permutation = uniform_permutation(N, lambda _: next(replay))
    masks = [Scalar.random(lambda _: next(replay)) for _ in range(N)]
    statement = argument.Statement(
        before=[(card.a, card.b) for card in before],
        after=[(card.a, card.b) for card in after],
        joint=JOINT,
        key=commitment_key(N),
    )
    steps, again = _intermediates(statement, permutation, masks, next(replay))
    assert again == proof

    changed = {
        "the challenge": 0, "s1": 1, "s4": 4, "the first s_hat": 5, "the last s_tilde": 12,
    }  # fmt: skip
    bad = [
        (f"{name} is one more", _bump_scalar(proof, place), hexes(after))
        for name, place in changed.items()
    ]
    swapped = [*proof[: 32 * 13 + 32], *proof[32 * 13 : 32 * 14]]
    bad += [
        ("two cards changed places", proof, hexes([after[1], after[0], *after[2:]])),
        ("a card is there twice", proof, hexes([after[0], after[0], *after[2:]])),
        ("c[1] is c[0] again", bytes(swapped) + proof[32 * 15 :], hexes(after)),
        ("c[0] is the identity", proof[: 32 * 13] + bytes(32) + proof[32 * 14 :], hexes(after)),
        ("a scalar is the order", ORDER.to_bytes(32, "little") + proof[32:], hexes(after)),
        ("32 bytes short", proof[:-32], hexes(after)),
        ("a card is missing", proof, hexes(after[:3])),
    ]
    return {
        "about": (
            "A shuffle of the fresh deck of 4 cards, and its proof with every value on the way. "
            "after[i] is before[permutation[i]] remasked with masks[permutation[i]]. "
            "The names are those of section 9.2. 'rng' is "
            "what the prover drew, in this order: the permutation, the masks, 32 bytes."
        ),
        "section": "9",
        "joint_key": JOINT.encode().hex(),
        "context": context_json(HERE),
        "before": hexes(before),
        "rng": [part.hex() for part in log],
        "permutation": list(permutation),
        "masks": hexes(masks),
        "after": hexes(after),
        **steps,
        "proof": proof.hex(),
        "bad": [
            {
                "comment": comment,
                "after": cards,
                "proof": claim.hex(),
                "fault": fault_of(lambda claim=claim, cards=cards: verify(cards, claim)),
            }
            for comment, claim, cards in bad
        ],
        "bad_contexts": [
            {"comment": comment, "context": context_json(where), "fault": Fault.BAD_PROOF.value}
            for comment, where in (
                ("the other side", replace(HERE, side=1)),
                ("another deck", replace(HERE, deck=1)),
                ("another head", replace(HERE, head=seed("other head"))),
                ("the players exchanged", replace(HERE, identities=HERE.identities[::-1])),
            )
        ],
    }


def verify(after: list[str], proof: bytes, context: Context = HERE) -> VerifiedDeck:
    """Check a shuffle of the fresh deck of `N` cards, as hexadecimal digits tell it."""
    cards = [MaskedCard.decode(bytes.fromhex(card)) for card in after]
    return verify_shuffle(fresh_deck(JOINT, N), cards, proof, JOINT, context)


def _bump_scalar(proof: bytes, place: int) -> bytes:
    old = Scalar.decode(proof[32 * place : 32 * place + 32])
    return proof[: 32 * place] + (old + Scalar.of(1)).encode() + proof[32 * place + 32 :]
