"""The vectors hold for a second implementation too, which was written from the specification.

So a mistake in `protocol` that the makers of the vectors have inherited shows here, and so does
whatever the specification leaves out.
"""

import hashlib
import json
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.protocol import second
from tests.protocol.second import G, L, context, digest, element, scalar, scalar_of, stream, u64
from tests.tools.make_vectors import FOLDER

Json = Any


class Kind(IntEnum):
    """Section 12.2."""

    OFFER = 0
    ACCEPT = 1
    KEY = 2
    COMMIT = 3
    ANSWER = 4
    OPEN = 5
    SHUFFLE = 6
    SHARE = 7
    ACT = 8
    UNSEAL = 10


def vectors(name: str) -> Json:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def unhex(data: Any) -> Any:
    return [unhex(part) for part in data] if isinstance(data, list) else bytes.fromhex(data)


def scalars(data: list[str]) -> list[int]:
    return list(map(scalar, unhex(data)))


# --- each proof -------------------------------------------------------------------------------


def test_the_key_share() -> None:
    case = vectors("key_share")
    secret, ctx, public = unhex(case["secret"]), context(case["context"]), unhex(case["public"])
    assert scalar(secret) == second.challenge("secret-key", unhex(case["seed"]))
    assert (scalar(secret) * G).encode() == public
    statement = digest("key", *ctx, public)
    nonce = second.challenge("nonce", secret, statement, unhex(case["rng"]))
    assert nonce == scalar(unhex(case["nonce"]))
    assert (nonce * G).encode() == unhex(case["commitment"])
    assert second.key_share_holds(unhex(case["key_share"]), ctx)
    for bad in case["bad"]:
        if bad["fault"] == "bad-proof":
            assert not second.key_share_holds(unhex(bad["key_share"]), context(bad["context"]))


def test_the_shuffle_holds() -> None:
    case = vectors("shuffle")
    before, after, joint = unhex(case["before"]), unhex(case["after"]), unhex(case["joint_key"])
    assert before == second.fresh_deck(len(before), element(joint))
    for where in (case["context"], *(bad["context"] for bad in case["bad_contexts"])):
        holds = second.shuffle_holds(before, after, unhex(case["proof"]), joint, context(where))
        assert holds is (where == case["context"])


def test_the_shuffle_is_proven() -> None:
    """The prover's side of section 9.2, from the random bytes on."""
    case = vectors("shuffle")
    joint, before, after = unhex(case["joint_key"]), unhex(case["before"]), unhex(case["after"])
    n, pi, m = len(before), case["permutation"], scalars(case["masks"])
    for i, card in enumerate(after):
        a, b = second.card(before[pi[i]])
        assert card == (a + m[pi[i]] * G).encode() + (b + m[pi[i]] * element(joint)).encode()

    statement = [*context(case["context"]), joint, u64(n), *before, *after]
    masks = [mask.to_bytes(32, "little") for mask in m]
    draw = stream("shuffle-nonces", *statement, *map(u64, pi), *masks, unhex(case["rng"][-1]))
    nonces = [scalar_of(draw(64)) for _ in range(4 * n + 4)]
    names = ("r", "r_hat", "w", "w_hat", "w_tilde")
    assert nonces == [number for name in names for number in scalars(case[name])]
    r, r_hat, w, w_hat, w_tilde = (scalars(case[name]) for name in names)

    h, *g = (second.hash_to_group(i, b"generator") for i in range(n + 1))
    u, c_hat, big_r = scalars(case["u"]), [h], 0
    for i in range(n):
        assert (g[i] + r[pi[i]] * G).encode() == unhex(case["c"][pi[i]])
        c_hat.append(r_hat[i] * G + u[pi[i]] * c_hat[-1])
        big_r = (r_hat[i] + u[pi[i]] * big_r) % L
    assert [point.encode() for point in c_hat[1:]] == unhex(case["c_hat"])

    x = scalar(unhex(case["x"]))
    secrets = (
        sum(r),
        big_r,
        sum(a * b for a, b in zip(r, u, strict=True)),
        sum(a * b for a, b in zip(m, u, strict=True)),
    )
    assert scalars(case["s"]) == [(a + x * b) % L for a, b in zip(w, secrets, strict=True)]
    assert scalars(case["s_hat"]) == [(w_hat[i] + x * r_hat[i]) % L for i in range(n)]
    assert scalars(case["s_tilde"]) == [(w_tilde[i] + x * u[pi[i]]) % L for i in range(n)]


def test_the_shares() -> None:
    file, deck = vectors("shares"), unhex(vectors("shuffle")["after"])
    secret, public, ctx = unhex(file["secret"]), unhex(file["public"]), context(file["context"])
    for case in file["shares"]:
        bases, images = [deck[handle][:32] for handle in case["handles"]], unhex(case["shares"])
        assert [(scalar(secret) * element(a)).encode() for a in bases] == images
        assert second.shares_hold(unhex(case["proof"]), public, bases, images, ctx)
        pairs = [part for pair in zip(bases, images, strict=True) for part in pair]
        statement = digest("share", *ctx, public, *pairs)
        nonce = second.challenge("nonce", secret, statement, unhex(case["rng"]))
        assert nonce == scalar(unhex(case["nonce"]))


def test_the_coins() -> None:
    for case in vectors("coin")["tosses"]:
        ctx, p, q = context(case["context"]), unhex(case["opening"]), unhex(case["answer"])
        assert digest("coin-secret", *ctx, unhex(case["seed"])) == p
        assert digest("coin", *ctx, p) == unhex(case["commitment"])
        assert second.below(2, stream("bit", *ctx, p, q)) == case["bit"]
        for size in (2, 4, 32):
            order = second.permutation(size, stream("order", *ctx, p, q))
            assert order == case[f"order_of_{size}"]


def test_the_line() -> None:
    file = vectors("handshake")
    shaken, transcript = file["handshake"], unhex(file["handshake"]["handshake_hash"])
    assert unhex(shaken["prologue"]) == b"whitby"
    assert unhex(shaken["hello_digests"]) == [digest("line", u64(s), transcript) for s in (0, 1)]
    assert digest("line-key", unhex(shaken["host"]["seed"])).hex() == shaken["host"]["static_key"]
    for case in file["invitations"]["good"]:
        psk = hashlib.sha512(b"whitby invitation psk\0" + unhex(case["secret"])).digest()[:32]
        assert psk.hex() == case["psk"]


def test_the_claims() -> None:
    for case in vectors("claim")["claims"]:
        content, signature = msgpack.unpackb(unhex(case["raw"]))
        verify(unhex(case["identity"]), signature, digest("claim", content))


# --- whole games ------------------------------------------------------------------------------


def verify(public: bytes, signature: bytes, message: bytes) -> None:
    Ed25519PublicKey.from_public_bytes(public).verify(signature, message)


def records() -> list[Json]:
    return list(vectors("game")["games"])


@pytest.mark.parametrize("game", records(), ids=lambda game: game["name"])
def test_a_witness_of_a_whole_game(game: Json) -> None:
    """Every hash, signature and proof of a duel, and at its end every card."""
    witness = Witness()
    for given in game["entries"]:
        witness.take(unhex(given["raw"]), given["state"].encode())
        assert witness.head.hex() == given["head"]
    assert witness.game_id.hex() == game["game_id"]
    assert witness.faces() == game["deck"]


@dataclass
class Witness:
    """What somebody makes of a duel who has only its record and the specification."""

    count: int = 0
    head: bytes = bytes(32)
    game_id: bytes = b""
    identities: dict[int, bytes] = field(default_factory=dict)
    keys: dict[int, bytes] = field(default_factory=dict)
    secrets: list[int] = field(default_factory=list)
    coin: tuple[list[bytes], bytes] = ([], b"")
    decks: list[list[bytes]] = field(default_factory=list)
    # What the duel discloses next: both hands, and then whatever is played.
    disclosed: list[list[int]] = field(default_factory=lambda: [[0, 1, 2], [3, 4, 5]])

    @property
    def joint(self) -> bytes:
        return second.total(*map(element, self.keys.values())).encode()

    def take(self, raw: bytes, public_bytes: bytes) -> None:
        content, signature = msgpack.unpackb(raw)
        number, side, previous, kind, body, state = msgpack.unpackb(content)
        assert (number, previous) == (self.count, self.head)
        assert state == digest("state", public_bytes)
        if kind == Kind.OFFER:
            self.identities[side] = body[5]
        if kind == Kind.ACCEPT:
            self.identities[side] = body[0]
            self.game_id = digest("game", previous, body[0], body[2])
        self.head, self.count = digest("entry", content), number + 1
        verify(self.identities[side], signature, self.head)
        if kind != Kind.OFFER:
            deck = 0 if kind in (Kind.SHUFFLE, Kind.SHARE) else -1
            who = self.identities[0], self.identities[1]
            self.check(side, kind, body, [self.game_id, *who, u64(side), u64(deck + 1), previous])

    def check(self, side: int, kind: int, body: list[Any], ctx: list[bytes]) -> None:
        match kind:
            case Kind.ACCEPT | Kind.KEY:
                self.keys[side] = body[-1][:32]
                assert second.key_share_holds(body[-1], ctx)
            case Kind.COMMIT:
                self.coin = ctx, body[0]
            case Kind.OPEN:
                where, commitment = self.coin
                assert digest("coin", *where, body[0]) == commitment
            case Kind.SHUFFLE:
                fresh = second.fresh_deck(9, element(self.joint))
                before, after = (self.decks or [fresh])[-1], split(body[0], 64)
                assert second.shuffle_holds(before, after, body[1], self.joint, ctx)
                self.decks.append(after)
            case Kind.SHARE:
                bases = [self.decks[-1][handle][:32] for handle in self.disclosed.pop(0)]
                images = split(body[0], 32)
                assert second.shares_hold(body[1], self.keys[side], bases, images, ctx)
            case Kind.ACT:
                self.disclosed.append(body)
            case Kind.UNSEAL:
                self.secrets.append(scalar(body[0]))
                assert (self.secrets[-1] * G).encode() == self.keys[side]

    def faces(self) -> list[int]:
        """The deck, opened with both secrets."""
        points = [second.hash_to_group(face, b"card").encode() for face in range(9)]
        cards = map(second.card, self.decks[-1])
        return [points.index((b + -sum(self.secrets) % L * a).encode()) for a, b in cards]


def split(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]
