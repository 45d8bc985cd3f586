"""The private line agrees with published vectors and with another Noise, and refuses the rest."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from noise.connection import Keypair, NoiseConnection  # type: ignore[import-untyped]

from protocol.errors import Fault, InvalidError, LocalProtocolError
from protocol.noise import (
    MAX_MESSAGE,
    MAX_PAYLOAD,
    MAX_PLAINTEXT,
    TAG,
    XX,
    XXPSK3,
    HandshakeState,
    Pattern,
    Transport,
)

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "noise.json").read_text())["vectors"]
PATTERNS = {f"Noise_{pattern.name}_25519_ChaChaPoly_BLAKE2s": pattern for pattern in (XX, XXPSK3)}

HOST = X25519PrivateKey.from_private_bytes(bytes([1] * 32))
GUEST = X25519PrivateKey.from_private_bytes(bytes([2] * 32))
PSK = bytes(range(32))


def fixed(data: bytes) -> Callable[[int], bytes]:
    """Randomness that is `data` and nothing more."""
    left = bytearray(data)

    def rng(size: int) -> bytes:
        assert size <= len(left)
        drawn = bytes(left[:size])
        del left[:size]
        return drawn

    return rng


def state(
    initiator: bool,
    pattern: Pattern = XXPSK3,
    *,
    psk: bytes = PSK,
    prologue: bytes = b"whitby",
    ephemeral: bytes = b"",
) -> HandshakeState:
    return HandshakeState(
        pattern,
        initiator=initiator,
        static=GUEST if initiator else HOST,
        psk=psk if pattern.has_psk else None,
        prologue=prologue,
        rng=fixed(ephemeral or bytes([3 if initiator else 4] * 32)),
    )


def pair(pattern: Pattern = XXPSK3) -> tuple[HandshakeState, HandshakeState]:
    return state(True, pattern), state(False, pattern)


def shake(sides: tuple[HandshakeState, HandshakeState], messages: int = 3) -> None:
    """Let the first so many messages cross."""
    for i in range(messages):
        sides[1 - i % 2].read_message(sides[i % 2].write_message())


def lines(pattern: Pattern = XXPSK3) -> tuple[Transport, Transport]:
    sides = pair(pattern)
    shake(sides)
    return sides[0].split(), sides[1].split()


def fault_of(call: Callable[[bytes], bytes], data: bytes) -> Fault:
    with pytest.raises(InvalidError) as caught:
        call(data)
    return caught.value.fault


# --- what must work ---


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: f"{v['from']}-{v['protocol_name']}")
def test_published_vector(vector: dict[str, Any]) -> None:
    sides = [
        HandshakeState(
            PATTERNS[vector["protocol_name"]],
            initiator=role == "init",
            static=X25519PrivateKey.from_private_bytes(bytes.fromhex(vector[f"{role}_static"])),
            psk=bytes.fromhex(vector[f"{role}_psks"][0]) if vector.get(f"{role}_psks") else None,
            prologue=bytes.fromhex(vector[f"{role}_prologue"]),
            rng=fixed(bytes.fromhex(vector[f"{role}_ephemeral"])),
        )
        for role in ("init", "resp")
    ]
    messages = [
        tuple(map(bytes.fromhex, (m["payload"], m["ciphertext"]))) for m in vector["messages"]
    ]
    for i, (payload, ciphertext) in enumerate(messages[:3]):
        assert sides[i % 2].write_message(payload) == ciphertext
        assert sides[1 - i % 2].read_message(ciphertext) == payload
    assert sides[0].handshake_hash == sides[1].handshake_hash
    if "handshake_hash" in vector:
        assert sides[0].handshake_hash.hex() == vector["handshake_hash"]
    transports = [side.split() for side in sides]
    for i, (payload, ciphertext) in enumerate(messages[3:], start=3):
        assert transports[i % 2].encrypt(payload) == ciphertext
        assert transports[1 - i % 2].decrypt(ciphertext) == payload


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("initiator", [True, False])
def test_another_implementation_understands_us(name: str, initiator: bool) -> None:
    pattern = PATTERNS[name]
    ours = state(initiator, pattern)
    theirs = NoiseConnection.from_name(name.encode())
    if pattern.has_psk:
        theirs.set_psks(psk=PSK)
    theirs.set_prologue(b"whitby")
    their_static = HOST if initiator else GUEST
    theirs.set_keypair_from_private_bytes(Keypair.STATIC, their_static.private_bytes_raw())
    (theirs.set_as_responder if initiator else theirs.set_as_initiator)()
    theirs.start_handshake()

    for i in range(3):
        payload = b"payload" * i
        if (i % 2 == 0) is initiator:
            assert theirs.read_message(ours.write_message(payload)) == payload
        else:
            assert ours.read_message(bytes(theirs.write_message(payload))) == payload

    assert ours.finished
    assert theirs.handshake_finished
    assert ours.handshake_hash == theirs.get_handshake_hash()
    assert ours.remote_static == their_static.public_key().public_bytes_raw()
    line = ours.split()
    for plaintext in (b"", b"a", bytes(1000), bytes(MAX_PLAINTEXT)):
        for _ in range(2):
            assert theirs.decrypt(line.encrypt(plaintext)) == plaintext
            assert line.decrypt(theirs.encrypt(plaintext)) == plaintext


def test_each_learns_who_the_other_is() -> None:
    guest, host = pair()
    shake((guest, host), 2)
    assert guest.remote_static == HOST.public_key().public_bytes_raw()  # before telling its own
    with pytest.raises(LocalProtocolError):
        _ = host.remote_static
    host.read_message(guest.write_message())
    assert host.remote_static == GUEST.public_key().public_bytes_raw()


def test_every_handshake_has_its_own_hash_and_keys() -> None:
    sides, others = pair(), (state(True, ephemeral=bytes([5] * 32)), state(False))
    shake(sides)
    shake(others)
    assert sides[0].handshake_hash != others[0].handshake_hash
    sealed = sides[0].split().encrypt(b"hello")
    assert fault_of(others[1].split().decrypt, sealed) is Fault.BAD_SEAL


def test_the_longest_messages_pass() -> None:
    sides = pair()
    for i in range(3):
        message = sides[i % 2].write_message(bytes(MAX_PAYLOAD))
        assert len(message) <= MAX_MESSAGE
        assert sides[1 - i % 2].read_message(message) == bytes(MAX_PAYLOAD)
    send, receive = sides[0].split(), sides[1].split()
    sealed = send.encrypt(bytes(MAX_PLAINTEXT))
    assert len(sealed) == MAX_MESSAGE
    assert receive.decrypt(sealed) == bytes(MAX_PLAINTEXT)


@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=100)), max_size=20))
def test_both_ways_are_counted_apart(messages: list[tuple[bool, bytes]]) -> None:
    guest, host = lines()
    for from_guest, plaintext in messages:
        send, receive = (guest, host) if from_guest else (host, guest)
        assert receive.decrypt(send.encrypt(plaintext)) == plaintext


# --- what must not ---


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_handshake_message_altered_anywhere_is_refused(number: int) -> None:
    guest, host = pair()
    shake((guest, host), number)
    message = (guest, host)[number % 2].write_message()
    for place in range(len(message)):
        for bit in (0x01, 0x80):
            altered = bytearray(message)
            altered[place] ^= bit
            sides = pair()
            shake(sides, number)
            sides[number % 2].write_message()
            reader = sides[1 - number % 2]
            fault = fault_of(reader.read_message, bytes(altered))
            assert fault in {Fault.BAD_SEAL, Fault.BAD_ELEMENT}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_handshake_message_of_another_length_is_refused(number: int) -> None:
    guest, host = pair()
    shake((guest, host), number)
    message = (guest, host)[number % 2].write_message()
    for altered in (*(message[:i] for i in range(len(message))), message + b"\0"):
        sides = pair()
        shake(sides, number)
        sides[number % 2].write_message()
        reader = sides[1 - number % 2]
        fault = fault_of(reader.read_message, altered)
        assert fault in {Fault.BAD_SEAL, Fault.MALFORMED}


@pytest.mark.parametrize("pattern", [XX, XXPSK3], ids=lambda pattern: pattern.name)
def test_after_a_failed_read_the_handshake_is_over(pattern: Pattern) -> None:
    guest, host = pair(pattern)
    host.read_message(guest.write_message())
    good = host.write_message()
    altered = good[:-1] + bytes([good[-1] ^ 1])
    assert fault_of(guest.read_message, altered) is Fault.BAD_SEAL
    for call in (
        lambda: guest.read_message(good),
        guest.write_message,
        guest.split,
        lambda: guest.remote_static,
        lambda: guest.handshake_hash,
    ):
        with pytest.raises(LocalProtocolError):
            call()
    assert not guest.finished


def test_another_psk_is_refused_in_the_third_message() -> None:
    guest, host = state(True, psk=bytes(32)), state(False)
    shake((guest, host), 2)
    assert fault_of(host.read_message, guest.write_message()) is Fault.BAD_SEAL


def test_another_prologue_is_refused_at_once() -> None:
    guest, host = state(True, prologue=b"whitby 2"), state(False)
    assert fault_of(host.read_message, guest.write_message()) is Fault.BAD_SEAL


def test_another_pattern_is_refused_at_once() -> None:
    guest, host = state(True, XX), state(False)
    assert fault_of(host.read_message, guest.write_message()) is Fault.MALFORMED
    guest, host = state(True), state(False, XX)
    shake((guest, host), 1)  # the tag looks like a payload
    assert fault_of(guest.read_message, host.write_message()) is Fault.BAD_SEAL


@pytest.mark.parametrize("pattern", [XX, XXPSK3], ids=lambda pattern: pattern.name)
def test_our_own_message_played_back_is_a_reflection(pattern: Pattern) -> None:
    guest = state(True, pattern)
    message = guest.write_message()
    assert fault_of(guest.read_message, message) is Fault.REFLECTION


def test_a_message_of_another_handshake_is_refused() -> None:
    old = pair()
    shake(old, 1)
    recorded = old[1].write_message()
    guest = state(True, ephemeral=bytes([5] * 32))
    guest.write_message()
    assert fault_of(guest.read_message, recorded) is Fault.BAD_SEAL


P = 2**255 - 19
# The u coordinates of order 1, 2, 4 and 8, on the curve and on its twist.
SMALL_ORDER = [
    0,
    1,
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
    P - 1,
]


@pytest.mark.parametrize("number", [*SMALL_ORDER, P, P + 1, 2**255 - 1, 2**255 + 9, 2**256 - 1])
def test_a_bad_public_key_is_refused_where_it_comes(number: int) -> None:
    host = state(False, XX)
    message = number.to_bytes(32, "little")
    assert fault_of(host.read_message, message) is Fault.BAD_ELEMENT


def test_a_bad_static_key_is_refused_where_it_comes() -> None:
    class Zero:
        """Passes for a private key whose public key is 0, which no honest one has."""

        def public_key(self) -> "Zero":
            return self

        def public_bytes_raw(self) -> bytes:
            return bytes(32)

        def exchange(self, public: object) -> bytes:
            return bytes(32)

    guest = HandshakeState(
        XX,
        initiator=True,
        static=Zero(),  # type: ignore[arg-type]
        psk=None,
        prologue=b"whitby",
        rng=fixed(bytes([3] * 32)),
    )
    host = state(False, XX)
    shake((guest, host), 2)
    assert fault_of(host.read_message, guest.write_message()) is Fault.BAD_ELEMENT


def test_out_of_turn_nothing_changes() -> None:
    guest, host = pair()
    for call in (host.write_message, lambda: guest.read_message(bytes(48)), guest.split):
        with pytest.raises(LocalProtocolError):
            call()
    first = guest.write_message()
    for call in (guest.write_message, host.write_message, host.split):
        with pytest.raises(LocalProtocolError):
            call()
    host.read_message(first)
    with pytest.raises(LocalProtocolError):
        host.read_message(first)
    guest.read_message(host.write_message())
    with pytest.raises(LocalProtocolError):
        _ = guest.handshake_hash
    host.read_message(guest.write_message())
    for side in (guest, host):
        assert side.finished
        with pytest.raises(LocalProtocolError):
            side.write_message()
        with pytest.raises(LocalProtocolError):
            side.read_message(bytes(64))
        side.split()
        with pytest.raises(LocalProtocolError):
            side.split()  # the same numbers would seal twice


def test_a_transport_message_opens_once_and_in_its_place() -> None:
    guest, host = lines()
    first, second = guest.encrypt(b"first"), guest.encrypt(b"second")
    assert fault_of(host.decrypt, second) is Fault.BAD_SEAL
    assert host.decrypt(first) == b"first"
    assert fault_of(host.decrypt, first) is Fault.BAD_SEAL
    assert fault_of(guest.decrypt, second) is Fault.BAD_SEAL  # a reflection
    assert host.decrypt(second) == b"second"


def test_a_transport_message_altered_anywhere_is_refused() -> None:
    guest, host = lines()
    message = guest.encrypt(b"play 7")
    for place in range(len(message)):
        altered = bytearray(message)
        altered[place] ^= 1
        assert fault_of(host.decrypt, bytes(altered)) is Fault.BAD_SEAL
    assert fault_of(host.decrypt, message[:-1]) is Fault.BAD_SEAL
    assert fault_of(host.decrypt, message + b"\0") is Fault.BAD_SEAL
    assert fault_of(host.decrypt, message[: TAG - 1]) is Fault.MALFORMED
    assert fault_of(host.decrypt, b"") is Fault.MALFORMED
    assert host.decrypt(message) == b"play 7"


def test_too_long_messages_are_refused() -> None:
    guest, host = pair()
    with pytest.raises(ValueError, match="at most"):
        guest.write_message(bytes(MAX_PAYLOAD + 1))
    assert fault_of(host.read_message, bytes(MAX_MESSAGE + 1)) is Fault.TOO_LARGE
    send, receive = lines()
    with pytest.raises(ValueError, match="at most"):
        send.encrypt(bytes(MAX_PLAINTEXT + 1))
    assert fault_of(receive.decrypt, bytes(MAX_MESSAGE + 1)) is Fault.TOO_LARGE
    assert receive.decrypt(send.encrypt(b"still in step")) == b"still in step"


def test_the_last_number_of_a_key_is_never_used() -> None:
    guest, host = lines()
    guest.send._nonce = host.receive._nonce = 2**64 - 2
    last = guest.encrypt(b"last")
    assert host.decrypt(last) == b"last"
    with pytest.raises(LocalProtocolError):
        guest.encrypt(b"one more")
    assert fault_of(host.decrypt, last) is Fault.UNEXPECTED


@pytest.mark.parametrize(
    ("pattern", "psk"), [(XX, PSK), (XXPSK3, None), (XXPSK3, bytes(31)), (XXPSK3, b"")]
)
def test_a_psk_must_suit_the_pattern(pattern: Pattern, psk: bytes | None) -> None:
    with pytest.raises(ValueError, match="psk"):
        HandshakeState(pattern, initiator=True, static=GUEST, psk=psk, prologue=b"", rng=fixed(b""))


def test_secrets_are_silent() -> None:
    guest, host = pair()
    shown = repr(guest)
    shake((guest, host))
    shown += repr((guest, guest._symmetric, guest.split(), host.split()))
    secrets = (PSK, guest._symmetric._chaining_key, bytes([3] * 32), GUEST.private_bytes_raw())
    for secret in secrets:
        assert secret.hex() not in shown
        assert repr(secret)[2:-1] not in shown
    assert shown.count("<secret>") == 5
