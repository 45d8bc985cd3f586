"""Keys of a game: shares, the joint key, and the secret revealed at the end."""

import pytest

from protocol.errors import Fault, InvalidError
from protocol.group import GENERATOR, IDENTITY, ORDER, Element, Scalar
from protocol.keys import KeyShare, SecretKey, check_revealed, joint_key, verify_key_share
from protocol.transcript import Context
from tests.protocol.scene import ELSEWHERE, GUEST, HERE, HOST, rng


def test_a_share_travels_and_holds() -> None:
    share = HOST.share(HERE, rng("share"))
    data = share.encode()
    assert len(data) == 96
    assert KeyShare.decode(data) == share
    verify_key_share(KeyShare.decode(data), HERE)


@pytest.mark.parametrize("context", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_a_share_holds_nowhere_else(context: Context) -> None:
    with pytest.raises(InvalidError) as caught:
        verify_key_share(HOST.share(HERE, rng("share")), context)
    assert caught.value.fault is Fault.BAD_PROOF


def test_a_rogue_key_has_no_proof() -> None:
    rogue = GENERATOR - HOST.public  # so that the joint key's secret would be 1
    stolen = HOST.share(HERE, rng("share")).proof
    guessed = SecretKey(Scalar.of(1)).share(HERE, rng("share")).proof
    for proof in (stolen, guessed):
        with pytest.raises(InvalidError) as caught:
            verify_key_share(KeyShare(rogue, proof), HERE)
        assert caught.value.fault is Fault.BAD_PROOF


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (bytes(95), Fault.MALFORMED),
        (bytes(97), Fault.MALFORMED),
        (bytes(96), Fault.BAD_ELEMENT),
        (b"\xff" * 96, Fault.BAD_ELEMENT),
    ],
)
def test_shares_that_cannot_be_read(data: bytes, fault: Fault) -> None:
    with pytest.raises(InvalidError) as caught:
        KeyShare.decode(data)
    assert caught.value.fault is fault


def test_the_joint_key_has_both_secrets() -> None:
    assert joint_key(HOST.public, GUEST.public) == Element.base(HOST.scalar + GUEST.scalar)


@pytest.mark.parametrize(
    ("host", "guest"),
    [
        (HOST.public, HOST.public),
        (HOST.public, -HOST.public),
        (HOST.public, IDENTITY),
        (IDENTITY, HOST.public),
        (IDENTITY, IDENTITY),
    ],
)
def test_shares_that_repeat_or_cancel_are_refused(host: Element, guest: Element) -> None:
    with pytest.raises(InvalidError) as caught:
        joint_key(host, guest)
    assert caught.value.fault is Fault.BAD_KEY_SHARE


def test_a_revealed_secret_is_checked() -> None:
    assert check_revealed(HOST.reveal(), HOST.public) == HOST
    for secret, public, fault in (
        (GUEST.reveal(), HOST.public, Fault.BAD_OPENING),
        (bytes(32), HOST.public, Fault.BAD_OPENING),
        (bytes(32), IDENTITY, Fault.BAD_OPENING),
        (ORDER.to_bytes(32, "little"), HOST.public, Fault.BAD_SCALAR),
        (HOST.reveal() + b"\0", HOST.public, Fault.MALFORMED),
    ):
        with pytest.raises(InvalidError) as caught:
            check_revealed(secret, public)
        assert caught.value.fault is fault


def test_keys_come_from_seeds() -> None:
    assert SecretKey.derive(b"s" * 32) == SecretKey.derive(b"s" * 32)
    assert SecretKey.derive(b"s" * 32) != SecretKey.derive(b"t" * 32)
    assert HOST.public == Element.base(HOST.scalar)
    for seed in (b"", b"s" * 31, b"s" * 33):
        with pytest.raises(ValueError, match="32"):
            SecretKey.derive(seed)
    with pytest.raises(ValueError, match="zero"):
        SecretKey(Scalar.of(0))


def test_keys_are_silent() -> None:
    assert repr(HOST) == str(HOST) == f"{HOST}" == "SecretKey(<secret>)"
    with pytest.raises(TypeError):
        hash(HOST)
    assert HOST != "SecretKey(<secret>)"
    share = HOST.share(HERE, rng("share"))
    assert HOST.reveal().hex() not in repr(share)
