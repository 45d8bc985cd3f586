"""A second implementation of the mathematics, slow and short, from spec/protocol.md alone.

It shares nothing with `protocol` but the specification: the group is the one over Python integers
in `ristretto`, elements travel as `Point`, scalars as int.  Sections are those of protocol.md.
"""

import hashlib
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final

from tests.protocol.ristretto import ZERO, Point, decode, from_uniform

L: Final = 2**252 + 27742317777372353535851937790883648493
PROTOCOL: Final = b"whitby/1"
TAG: Final = b"whitby/1-ristretto255-"

Draw = Callable[[int], bytes]
Card = tuple[Point, Point]


# --- 2 and 3: numbers and the group -----------------------------------------------------------


def u16(number: int) -> bytes:
    return number.to_bytes(2, "big")


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def element(data: bytes) -> Point:
    point = decode(data)
    assert point is not None
    return point


def scalar(data: bytes) -> int:
    number = int.from_bytes(data, "little")
    assert len(data) == 32
    assert number < L
    return number


def scalar_of(data: bytes) -> int:
    assert len(data) == 64
    return int.from_bytes(data, "little") % L


def total(*points: Point) -> Point:
    result = ZERO
    for point in points:
        result = result + point
    return result


def minus(point: Point) -> Point:
    return (L - 1) * point


def weighted(scalars: Sequence[int], points: Sequence[Point]) -> Point:
    return total(*(s * p for s, p in zip(scalars, points, strict=True)))


G: Final = element(
    bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")
)


# --- 4: hashing to the group ------------------------------------------------------------------


def expand_message(message: bytes, dst: bytes, length: int) -> bytes:
    """expand_message_xmd of RFC 9380 section 5.3.1 with SHA-512, for one block."""
    assert length <= 64
    tail = dst + bytes([len(dst)])
    first = hashlib.sha512(bytes(128) + message + u16(length) + b"\0" + tail).digest()
    return hashlib.sha512(first + b"\1" + tail).digest()[:length]


def hash_to_group(number: int, name: bytes) -> Point:
    return from_uniform(expand_message(u64(number), TAG + name, 64))


# --- 5: transcripts ---------------------------------------------------------------------------


def absorb(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


def transcript(label: str, *parts: bytes) -> bytes:
    return b"".join(map(absorb, (PROTOCOL, label.encode(), *parts)))


def digest(label: str, *parts: bytes) -> bytes:
    return hashlib.sha512(transcript(label, *parts)).digest()[:32]


def challenge(label: str, *parts: bytes) -> int:
    return scalar_of(hashlib.sha512(transcript(label, *parts)).digest())


def stream(label: str, *parts: bytes) -> Draw:
    start, left, block = transcript(label, *parts), b"", 0

    def draw(size: int) -> bytes:
        nonlocal left, block
        while len(left) < size:
            left += hashlib.sha512(start + absorb(u64(block))).digest()
            block += 1
        drawn, left = left[:size], left[size:]
        return drawn

    return draw


def context(given: Any) -> list[bytes]:
    """The six parts, from the JSON of a vector (5.2)."""
    names, head = ("game_id", "host", "guest"), bytes.fromhex(given["head"])
    hashes = [bytes.fromhex(given[name]) for name in names]
    return [*hashes, u64(given["side"]), u64(given["deck"] + 1), head]


# --- 7 and 10: proofs of a key and of shares --------------------------------------------------


def key_share_holds(data: bytes, ctx: list[bytes]) -> bool:
    x, c, r = data[:32], scalar(data[32:64]), scalar(data[64:])
    v = r * G + c * element(x)
    return c == challenge("key", *ctx, G.encode(), v.encode(), x)


def framed(*parts: bytes) -> bytes:
    return b"".join(u16(len(part)) + part for part in parts)


def shares_hold(
    proof: bytes, public: bytes, bases: list[bytes], images: list[bytes], ctx: list[bytes]
) -> bool:
    string = TAG + b"share-" + digest("share", *ctx)
    seed = hashlib.sha512(framed(public, b"Seed-" + string)).digest()

    def to_scalar(message: bytes) -> int:
        return scalar_of(expand_message(message, b"HashToScalar-" + string, 64))

    d = [
        to_scalar(framed(seed) + u16(i) + framed(base, image) + b"Composite")
        for i, (base, image) in enumerate(zip(bases, images, strict=True))
    ]
    m = weighted(d, [element(base) for base in bases])
    z = weighted(d, [element(image) for image in images])
    c, s = scalar(proof[:32]), scalar(proof[32:])
    t2, t3 = s * G + c * element(public), s * m + c * z
    points = (m.encode(), z.encode(), t2.encode(), t3.encode())
    return c == to_scalar(framed(public, *points) + b"Challenge")


# --- 8 and 9: masked cards and shuffles -------------------------------------------------------


def card(data: bytes) -> Card:
    return element(data[:32]), element(data[32:])


def fresh_deck(size: int, joint: Point) -> list[bytes]:
    return [G.encode() + (hash_to_group(i, b"card") + joint).encode() for i in range(size)]


def shuffle_holds(
    before: list[bytes], after: list[bytes], proof: bytes, joint: bytes, ctx: list[bytes]
) -> bool:
    n = len(before)
    assert len(proof) == (4 * n + 5) * 32
    parts = [proof[i : i + 32] for i in range(0, len(proof), 32)]
    x, s1, s2, s3, s4, *responses = map(scalar, parts[: 5 + 2 * n])
    s_hat, s_tilde = responses[:n], responses[n:]
    raw_c, raw_hat = parts[5 + 2 * n : 5 + 3 * n], parts[5 + 3 * n :]
    c, c_hat = list(map(element, raw_c)), list(map(element, raw_hat))
    old_a, old_b = zip(*map(card, before), strict=True)
    new_a, new_b = zip(*map(card, after), strict=True)
    h, *g = (hash_to_group(i, b"generator") for i in range(n + 1))
    j, chain = element(joint), [h, *c_hat]

    statement = [*ctx, joint, u64(n), *before, *after]
    draw = stream("shuffle-challenges", *statement, *raw_c)
    u = [scalar_of(draw(64)) for _ in range(n)]
    announced = [
        s1 * G + (L - x) * (total(*c) + minus(total(*g))),
        s2 * G + (L - x) * (c_hat[-1] + minus(prod(u) % L * h)),
        s3 * G + (L - x) * weighted(u, c) + weighted(s_tilde, g),
        (L - s4) * G + (L - x) * weighted(u, old_a) + weighted(s_tilde, new_a),
        (L - s4) * j + (L - x) * weighted(u, old_b) + weighted(s_tilde, new_b),
        *(s_hat[i] * G + (L - x) * c_hat[i] + s_tilde[i] * chain[i] for i in range(n)),
    ]
    announcements = (t.encode() for t in announced)
    return x == challenge("shuffle", *statement, *raw_c, *raw_hat, *announcements)


# --- 11: coins --------------------------------------------------------------------------------


def below(bound: int, draw: Draw) -> int:
    limit = 2**64 - 2**64 % bound
    while (drawn := int.from_bytes(draw(8), "big")) >= limit:
        pass
    return drawn % bound


def permutation(size: int, draw: Draw) -> list[int]:
    places = list(range(size))
    for last in range(size - 1, 0, -1):
        chosen = below(last + 1, draw)
        places[last], places[chosen] = places[chosen], places[last]
    return places
