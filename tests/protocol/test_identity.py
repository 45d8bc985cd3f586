"""Who somebody is: Ed25519 as RFC 8032 has it, and nothing that passes for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import Fault, InvalidError
from protocol.identity import Identity, check_signature, fingerprint
from protocol.transcript import Label, Transcript
from tests.protocol.helpers import IDENTITIES, IDENTITY_SEEDS, STRANGER

# RFC 8032 section 7.1, tests 1 and 2: seed, public key, message, signature.
VECTORS = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
]
ORDER = 2**252 + 27742317777372353535851937790883648493
P = 2**255 - 19
DIGEST = b"\x0d" * 32


@pytest.mark.parametrize("vector", VECTORS)
def test_the_published_vectors(vector: tuple[str, str, str, str]) -> None:
    seed, public, message, signature = map(bytes.fromhex, vector)
    identity = Identity(seed)
    assert identity.public == public
    assert identity.sign(message) == signature
    check_signature(public, message, signature)


def refused(public: bytes, digest: bytes, signature: bytes) -> None:
    with pytest.raises(InvalidError) as caught:
        check_signature(public, digest, signature)
    assert caught.value.fault is Fault.BAD_SIGNATURE


@given(st.integers(0, 8 * 128 - 1))
def test_every_bit_counts(bit: int) -> None:
    parts = bytearray(IDENTITIES[0].public + DIGEST + IDENTITIES[0].sign(DIGEST))
    parts[bit // 8] ^= 1 << bit % 8
    refused(bytes(parts[:32]), bytes(parts[32:64]), bytes(parts[64:]))


def test_nobody_signs_for_another() -> None:
    signature = STRANGER.sign(DIGEST)
    for identity in IDENTITIES:
        refused(identity.public, DIGEST, signature)
        refused(STRANGER.public, DIGEST, identity.sign(DIGEST))


def test_a_signature_has_one_spelling() -> None:
    signature = IDENTITIES[0].sign(DIGEST)
    s = int.from_bytes(signature[32:], "little") + ORDER
    refused(IDENTITIES[0].public, DIGEST, signature[:32] + s.to_bytes(32, "little"))


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_other_lengths(size: int) -> None:
    refused(bytes(size), DIGEST, IDENTITIES[0].sign(DIGEST))
    refused(IDENTITIES[0].public, DIGEST, bytes(size - 1 if size == 64 else size))
    with pytest.raises(ValueError, match="32"):
        Identity(bytes(size))


# Points of small order, in every spelling: y = 1, -1, 0 and the two of order 8; and p + 0, p + 1.
SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]


def test_nobody_is_a_key_that_everybody_can_sign_for() -> None:
    everybodys = bytes.fromhex(SMALL[0]) + bytes(32)  # R = the neutral element, s = 0
    for public in map(bytes.fromhex, SMALL):
        for digest in (bytes([n]) * 32 for n in range(40)):
            refused(public, digest, everybodys)


def test_nobody_is_a_key_in_another_spelling() -> None:
    """From 2^255 - 19 on, each number is another spelling of one below 19; with either sign."""
    for y in range(2**255 - 19, 2**255):
        for sign in (0, 1 << 255):
            refused((y | sign).to_bytes(32, "little"), DIGEST, IDENTITIES[0].sign(DIGEST))


def test_the_small_orders_are_all_there() -> None:
    """Eight points whose order divides 8, by their y: each is refused, and times 8 is nothing."""
    ys = {int.from_bytes(bytes.fromhex(public), "little") % 2**255 % P for public in SMALL}
    assert len(ys) == 5  # two of them have x = 0, and so one sign only
    d = -121665 * pow(121666, -1, P) % P
    for y in ys:
        x2 = (y * y - 1) * pow(d * y * y + 1, -1, P) % P
        for _ in range(3):  # doubling takes (x^2, y) to this y, whatever the sign of x
            t = d * x2 * y * y % P
            y, x2 = (y * y + x2) * pow(1 - t, -1, P) % P, 4 * x2 * y * y * pow(1 + t, -2, P) % P
        assert (x2, y) == (0, 1)


# --- names ------------------------------------------------------------------------------------


def test_a_fingerprint_is_eighty_bits_for_people() -> None:
    public = IDENTITIES[0].public
    digest = Transcript(Label.IDENTITY).append(public).digest()
    assert fingerprint(public) == "-".join(digest[:10].hex()[i : i + 4] for i in range(0, 20, 4))
    assert len({fingerprint(identity.public) for identity in (*IDENTITIES, STRANGER)}) == 3


def test_an_identity_prints_its_fingerprint_and_no_more() -> None:
    assert repr(IDENTITIES[0]) == f"Identity({fingerprint(IDENTITIES[0].public)})"
    assert IDENTITY_SEEDS[0].hex() not in repr(IDENTITIES[0])
    with pytest.raises(AttributeError):
        IDENTITIES[0].seed = b""  # type: ignore[attr-defined]
