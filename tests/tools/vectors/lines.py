"""The vectors of the line between two peers: invitation, handshake and messages."""

from dataclasses import replace
from typing import Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from peer.invitation import Address, Invitation
from peer.link import line_key
from protocol import codec, line
from protocol.codec import Value
from protocol.errors import Fault
from protocol.identity import Identity
from protocol.line import (
    Again,
    Bye,
    Chat,
    Claimed,
    Clock,
    Entries,
    Hello,
    Message,
    Ping,
    Pong,
    Reason,
    Refusal,
    Sync,
)
from protocol.noise import XXPSK3, HandshakeState
from protocol.script import GUEST, HOST
from protocol.transcript import PROLOGUE, Label, Transcript, number
from tests.tools.vectors.chance import Chance, Json, seed, value_json

HOST_SEED, GUEST_SEED = seed("line: seed of the host"), seed("line: seed of the guest")
IDENTITIES: Final = (
    Identity(seed("line: identity of the host")),
    Identity(seed("line: identity of the guest")),
)


def _public(key: X25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def _invitation(*addresses: Address) -> Invitation:
    static = _public(line_key(HOST_SEED))
    return Invitation.create(static, addresses, Chance("line: invitation"))


INVITATION: Final = _invitation(Address("192.0.2.1", 4000))

_ADDRESSES: Final = (
    (Address("192.0.2.1", 4000),),
    (Address("2001:db8::1", 65535),),
    (Address("host.example", 1),),
    (Address("198.51.100.7", 80), Address("2001:db8::2", 443), Address("a.b.c.example", 8080)),
)


def _invitations() -> Json:
    made = [_invitation(*addresses) for addresses in _ADDRESSES]
    text = INVITATION.to_text()
    last = "0" if text[-1] != "0" else "1"
    return {
        "good": [
            {
                "secret": invitation.secret.hex(),
                "host_static_key": _public(line_key(HOST_SEED)).hex(),
                "fingerprint": invitation.fingerprint.hex(),
                "addresses": [[address.host, address.port] for address in invitation.addresses],
                "text": invitation.to_text(),
                "psk": invitation.psk.hex(),
            }
            for invitation in made
        ],
        "other_spellings": [
            text.upper(),
            text.removeprefix("whitby:"),
            "-".join(text[i : i + 5] for i in range(0, len(text), 5)),
            f"  {text[:30]}\r\n  {text[30:]}\t",
            text.replace("0", "o").replace("1", "l"),
            text.replace("0", "O").replace("1", "I"),
        ],
        "bad": [
            {"comment": comment, "text": bad}
            for comment, bad in (
                ("nothing", ""),
                ("only the prefix", "whitby:"),
                ("cut off", text[:-8]),
                ("a character changed", text[:-1] + last),
                ("two characters exchanged", text[:20] + text[21] + text[20] + text[22:]),
                ("a character that is in no alphabet", text[:20] + "u" + text[21:]),
                ("one character too many", text + "0"),
            )
        ],
    }


def _handshake() -> tuple[Json, bytes]:
    keys = (line_key(HOST_SEED), line_key(GUEST_SEED))
    ephemerals = (seed("line: ephemeral key of the host"), seed("line: ephemeral key of the guest"))

    def state(side: int) -> HandshakeState:
        return HandshakeState(
            XXPSK3,
            initiator=side == GUEST,
            static=keys[side],
            psk=INVITATION.psk,
            prologue=PROLOGUE,
            rng=lambda _: ephemerals[side],
        )

    states = (state(HOST), state(GUEST))
    messages = []
    for writer in (GUEST, HOST, GUEST):
        messages.append(states[writer].write_message())
        assert states[1 - writer].read_message(messages[-1]) == b""
    transcript = states[HOST].handshake_hash
    lines = (states[HOST].split(), states[GUEST].split())
    hellos = [Hello.sign(IDENTITIES[side], side, transcript) for side in (HOST, GUEST)]
    talk: tuple[tuple[int, Message], ...] = (
        (HOST, hellos[HOST]),
        (GUEST, hellos[GUEST]),
        (HOST, Sync(None, 0, bytes(32))),
        (GUEST, Sync(None, 0, bytes(32))),
        (HOST, Ping(7)),
        (GUEST, Pong(7)),
        (HOST, Bye(Reason.LEFT)),
    )
    sealed = []
    for side, message in talk:
        plain = message.encode()
        data = lines[side].encrypt(plain)
        assert lines[1 - side].decrypt(data) == plain
        frame = len(data).to_bytes(2, "big") + data
        sealed.append({"side": side, "message": plain.hex(), "frame": frame.hex()})
    return {
        "protocol": "Noise_XXpsk3_25519_ChaChaPoly_BLAKE2s",
        "prologue": PROLOGUE.hex(),
        "psk": INVITATION.psk.hex(),
        "host": {
            "seed": HOST_SEED.hex(),
            "static_key": keys[HOST].private_bytes_raw().hex(),
            "static_public": _public(keys[HOST]).hex(),
            "ephemeral_key": ephemerals[HOST].hex(),
            "identity_seed": seed("line: identity of the host").hex(),
            "identity": IDENTITIES[HOST].public.hex(),
        },
        "guest": {
            "seed": GUEST_SEED.hex(),
            "static_key": keys[GUEST].private_bytes_raw().hex(),
            "static_public": _public(keys[GUEST]).hex(),
            "ephemeral_key": ephemerals[GUEST].hex(),
            "identity_seed": seed("line: identity of the guest").hex(),
            "identity": IDENTITIES[GUEST].public.hex(),
        },
        "messages": [message.hex() for message in messages],
        "handshake_hash": transcript.hex(),
        "hello_digests": [
            Transcript(Label.LINE).append(number(side), transcript).digest().hex()
            for side in (HOST, GUEST)
        ],
        "sealed": sealed,
    }, transcript


def _bad_handshakes(good: list[bytes]) -> Json:
    """What `reader` must refuse as message number 1, 2 or 3, after the good ones before it."""

    def flipped(message: bytes, place: int) -> bytes:
        return message[:place] + bytes([message[place] ^ 1]) + message[place + 1 :]

    first, second, third = good
    return [
        {
            "comment": comment,
            "reader": HOST if number != 2 else GUEST,
            "message": number,
            "bytes": data.hex(),
            "fault": fault.value,
        }
        for number, comment, data, fault in (
            (1, "too short", first[:47], Fault.MALFORMED),
            (1, "too short for a key", first[:31], Fault.MALFORMED),
            (1, "a byte too many", first + b"\0", Fault.BAD_SEAL),
            (1, "an altered tag", flipped(first, 40), Fault.BAD_SEAL),
            (1, "a key of small order", bytes(32) + first[32:], Fault.BAD_ELEMENT),
            (1, "a key of small order: 1", b"\1" + bytes(31) + first[32:], Fault.BAD_ELEMENT),
            (1, "a key that is not canonical", b"\xff" * 32 + first[32:], Fault.BAD_ELEMENT),
            (1, "a key with the top bit set",
             first[:31] + bytes([first[31] | 128]) + first[32:], Fault.BAD_ELEMENT),
            (2, "the guest's own ephemeral key", first[:32] + second[32:], Fault.REFLECTION),
            (2, "the sealed static key altered", flipped(second, 40), Fault.BAD_SEAL),
            (2, "an altered tag", flipped(second, 95), Fault.BAD_SEAL),
            (3, "the sealed static key altered", flipped(third, 0), Fault.BAD_SEAL),
            (3, "made with another psk", _third_of_a_stranger(first, second), Fault.BAD_SEAL),
        )
    ]  # fmt: skip


def _third_of_a_stranger(first: bytes, second: bytes) -> bytes:
    """What a guest writes who found the host but has no invitation."""
    state = HandshakeState(
        XXPSK3,
        initiator=True,
        static=line_key(GUEST_SEED),
        psk=bytes(32),
        prologue=PROLOGUE,
        rng=lambda _: seed("line: ephemeral key of the guest"),
    )
    assert state.write_message()[:32] == first[:32]
    state.read_message(second)
    return state.write_message()


def _messages(transcript: bytes) -> list[Message]:
    return [
        Hello.sign(IDENTITIES[HOST], HOST, transcript),
        Sync(None, 0, bytes(32)),
        Sync(seed("game id"), 219, seed("head")),
        Entries((b"\x92\xc4\0\xc4\0",)),
        Entries((bytes(3), bytes(300))),
        *(Bye(reason) for reason in Reason),
        Refusal(Fault.BAD_PROOF.value, "the proof does not hold for this statement"),
        Ping(0),
        Pong(2**32 - 1),
        Clock(12_345),
        Claimed(b"\x92\xc4\0\xc4\0"),
        Again(),
        Chat("Good evening! \N{BAT}"),
    ]


def _bad_messages() -> Json:
    def raw(value: Value) -> str:
        return codec.encode(value).hex()

    return [
        {"comment": comment, "bytes": data, "fault": fault.value}
        for comment, data, fault in (
            ("no array", raw(5), Fault.MALFORMED),
            ("an empty array", raw(()), Fault.MALFORMED),
            ("a kind that is true", raw((True, 0)), Fault.MALFORMED),
            ("a kind that is unknown", raw((255,)), Fault.UNEXPECTED),
            ("a negative kind", raw((-1, 0)), Fault.UNEXPECTED),
            ("a field too many", raw((5, 0, 0)), Fault.MALFORMED),
            ("a field too few", raw((1, 0)), Fault.MALFORMED),
            ("a head of 31 bytes", raw((1, None, 0, bytes(31))), Fault.MALFORMED),
            ("a reason that is unknown", raw((3, 3)), Fault.MALFORMED),
            ("a game id of no bytes", raw((1, b"", 0, bytes(32))), Fault.MALFORMED),
            ("a count beyond the longest record", raw((1, None, 65_537, bytes(32))),
             Fault.MALFORMED),
            ("no entries", raw((2, ())), Fault.MALFORMED),
            ("a count below zero", raw((1, None, -1, bytes(32))), Fault.MALFORMED),
            ("a ping in a longer form", "9205cc00", Fault.NON_CANONICAL),
            ("bytes behind a ping", "92050000", Fault.MALFORMED),
        )
    ]  # fmt: skip


def handshake() -> Json:
    """handshake.json"""
    shaken, transcript = _handshake()
    return {
        "about": (
            "The line: invitations; a handshake with fixed keys, side 0 being the host and 1 the "
            "guest, who begins; what was sealed after it, in this order, as frames; and all "
            "kinds of messages. 'incompatible_hello' is one of the host that blames nobody. "
            "'static_key' is the hash of 'seed' that section 13.2 gives."
        ),
        "section": "13",
        "invitations": _invitations(),
        "handshake": shaken,
        "bad_handshakes": _bad_handshakes([bytes.fromhex(m) for m in shaken["messages"]]),
        "messages": [
            {
                "kind": message.kind.name,
                "value": value_json(codec.decode(message.encode(), limit=line.MAX_MESSAGE_BYTES)),
                "bytes": message.encode().hex(),
            }
            for message in _messages(transcript)
        ],
        "bad_messages": _bad_messages(),
        "incompatible_hello": replace(
            Hello.sign(IDENTITIES[HOST], HOST, transcript), protocol="whitby/2"
        )
        .encode()
        .hex(),
    }
