"""What is fuzzed: for each target the inputs to start from, and what must hold for any input."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from engine.actions import ACTIONS, action_name, parse_action
from engine.encoding import PUBLIC_SIZE
from engine.errors import MalformedActionError, MalformedStateError
from engine.state import State
from peer.games import GAMES
from peer.invitation import (
    PREFIX,
    Invitation,
    InvitationError,
    _checksum,
    _write_base32,
)
from protocol import codec, line
from protocol.claim import Claim, Ground
from protocol.deck import MaskedCard
from protocol.entries import Entry
from protocol.errors import (
    IncompatibleError,
    InvalidError,
    LocalProtocolError,
    RemoteProtocolError,
)
from protocol.group import GENERATOR, Element, Scalar
from protocol.keys import KeyShare
from protocol.noise import XXPSK3, HandshakeState
from protocol.record import MAX_RECORD_BYTES, read_record, write_record
from protocol.table import Table
from tests.fuzz.play import DUEL, REAL, Game
from tests.fuzz.source import CURIOUS, Source
from tests.peer.games import positions
from tests.protocol.helpers import IDENTITIES, chance

VECTORS: Final = Path(__file__).parents[2] / "spec" / "vectors"


@dataclass(frozen=True)
class Target:
    """One reader of bytes."""

    name: str
    promise: str
    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]


def _reads(decode: Callable[[bytes], Any], encode: Callable[[Any], bytes]) -> Any:
    """A reader that gives what is written as the very same bytes, or says what is wrong."""

    def run(data: bytes) -> None:
        try:
            value = decode(data)
        except InvalidError as error:
            _check_words(error, 300)
        else:
            assert encode(value) == data

    return run


def _check_words(error: Exception, most: int) -> None:
    """What is wrong is said in some words, not in all that was read."""
    assert 0 < len(str(error)) < most


# --- protocol -------------------------------------------------------------------------------


def _read_value(data: bytes) -> codec.Value:
    return codec.decode(data, limit=100_000)


def _read_entry(data: bytes) -> Entry:
    entry = Entry.decode(data)
    content = (entry.number, entry.author, entry.previous, entry.kind, entry.body.values())
    again = codec.encode((codec.encode((*content, entry.state)), entry.signature))
    assert again == entry.raw
    return entry


def _read_message(data: bytes) -> line.Message | None:
    try:
        return line.decode(data)
    except IncompatibleError:
        return None


def _write_message(message: line.Message) -> bytes:
    return message.encode()


def _run_record(data: bytes) -> None:
    """A file, all the way through: what `whitby verify` does with it."""
    try:
        record = read_record(data)
    except (InvalidError, IncompatibleError):
        return
    assert write_record(record.entries, record.claims) == data
    assert len(data) <= MAX_RECORD_BYTES
    for games in (DUEL.games, GAMES):
        try:
            table: Table[Any] = Table.replay(record.entries, games)
        except RemoteProtocolError as error:
            _check_words(error, 300)
        except (InvalidError, IncompatibleError):
            continue
        else:
            assert {entry.raw for entry in table.entries} == set(record.entries)
    for raw in record.claims:
        with suppress(InvalidError):
            assert Claim.decode(raw).encode() == raw


@cache
def _handshake_messages() -> list[bytes]:
    sides = [_handshake(True), _handshake(False)]
    sent = []
    for turn in range(3):
        sent.append(sides[turn % 2].write_message(b"hello"))
        sides[1 - turn % 2].read_message(sent[-1])
    return sent


def _handshake(initiator: bool) -> HandshakeState:
    key = X25519PrivateKey.from_private_bytes(bytes([1 + initiator]) * 32)
    return HandshakeState(
        XXPSK3,
        initiator=initiator,
        static=key,
        psk=b"p" * 32,
        prologue=b"whitby",
        rng=chance(f"noise {initiator}"),
    )


def _run_handshake(data: bytes) -> None:
    """One message of the three, as it is, or changed."""
    source, honest = Source(data), _handshake_messages()
    place, is_raw = source.below(3), source.below(2)
    message = source.blob(70_000) if is_raw else source.changed(honest[place])
    reader = _handshake(place % 2 == 1)
    for turn in range(place):
        if turn % 2 == place % 2:
            reader.read_message(honest[turn])
        else:
            assert reader.write_message(b"hello") == honest[turn]
    try:
        payload = reader.read_message(message)
    except InvalidError:
        for misuse in (reader.write_message, partial(reader.read_message, honest[place])):
            with pytest.raises(LocalProtocolError):
                misuse()
        assert not reader.finished
    else:
        # The first message is open; all others are as they were sent, or none.
        assert place == 0 or (message == honest[place] and payload == b"hello")


# --- beside it ------------------------------------------------------------------------------


def _run_invitation(data: bytes) -> None:
    """A text, or what becomes an invitation when its checksum is put right."""
    if data[:1] == b"T":
        text = data[1:].decode(errors="replace")
    else:
        text = PREFIX + _write_base32(data + _checksum(data))
    try:
        invitation = Invitation.parse(text)
    except InvitationError as error:
        _check_words(error, 300)
        return
    assert Invitation.parse(invitation.to_text()) == invitation


def _run_state(data: bytes) -> None:
    try:
        state = State.from_bytes(data)
    except MalformedStateError:
        return
    assert state.to_bytes() == data
    _play_on(state)


def _run_public_state(data: bytes) -> None:
    try:
        state = State.from_public_bytes(data)
    except MalformedStateError:
        return
    assert state.public_bytes() == data
    _play_on(state)


def _play_on(state: State) -> None:
    """Whatever is a position asks for something, and takes what it calls possible."""
    for _ in range(3):
        request = state.pending
        if request.kind != "choose":
            return
        assert request.actions
        state.act(request.actions[-1])


def _run_action(data: bytes) -> None:
    text = data.decode(errors="replace")
    try:
        action = parse_action(text)
    except MalformedActionError as error:
        _check_words(error, 400)
        return
    assert 0 <= action < ACTIONS
    assert parse_action(action_name(action)) == action


def _states() -> list[bytes]:
    return [state.to_bytes() for seed in range(2) for state in positions(seed)][::3]


def _messages() -> list[bytes]:
    return [
        line.Hello.sign(IDENTITIES[0], 0, b"h" * 32).encode(),
        line.Sync(b"g" * 32, 3, b"h" * 32).encode(),
        line.Sync(None, 0, bytes(32)).encode(),
        line.Entries(tuple(DUEL.raws[:3])).encode(),
        line.Bye(1).encode(),
        line.Refusal("bad-proof", "what and where").encode(),
        line.Ping(7).encode(),
        line.Clock(1000).encode(),
        line.Claimed(_claim()).encode(),
        line.Again().encode(),
    ]


def _claim() -> bytes:
    return Claim.sign(
        b"g" * 32, 0, 3, b"h" * 32, Ground.ABSENCE, 60, 1_700_000_000, IDENTITIES[0]
    ).encode()


def _vector_values() -> list[bytes]:
    cases = json.loads((VECTORS / "codec.json").read_text(encoding="utf-8"))
    return [bytes.fromhex(text) for text in _hex(cases)][:200]


def _hex(node: Any) -> list[str]:
    """All that is written as hexadecimal digits in a file of vectors."""
    if isinstance(node, dict | list):
        parts = node.values() if isinstance(node, dict) else node
        return [text for part in parts for text in _hex(part)]
    digits = "0123456789abcdef"
    is_hex = isinstance(node, str) and len(node) % 2 == 0 and set(node) <= set(digits)
    return [node] if is_hex and node else []


def _choices() -> list[bytes]:
    """For targets that take bytes as choices: some of everything."""
    return [bytes([place, *([step] * 40)]) for place in range(0, 60, 3) for step in range(8)]


def _at(game: Game) -> Callable[[bytes], None]:
    return lambda data: game.run(Source(data))


def _addresses() -> list[bytes]:
    head = bytes([1]) + b"s" * 16 + b"f" * 16
    port = b"\x12\x34"
    parts = [b"\1\x7f\0\0\1" + port, b"\2" + bytes(15) + b"\1" + port, b"\3\1a" + port]
    whole = head + parts[0]
    texts = [PREFIX + "0" * 70, PREFIX + _write_base32(whole + _checksum(whole))]
    return [
        *(head + part for part in (*parts, b"".join(parts))),
        *(b"T" + text.encode() for text in texts),
    ]


_TARGETS: Final = (
    Target("codec", "any bytes are one value, which is written as these bytes, or refused",
           _reads(_read_value, codec.encode), _vector_values),
    Target("entry", "any bytes are one entry, which is written as these bytes, or refused",
           _reads(_read_entry, lambda entry: entry.raw), lambda: [*DUEL.raws, *REAL.raws[:20]]),
    Target("line", "any bytes are one message, which is written as these bytes, or refused",
           _reads(_read_message, _write_message), _messages),
    Target("claim", "any bytes are one claim, which is written as these bytes, or refused",
           _reads(Claim.decode, Claim.encode), lambda: [_claim()]),
    Target("key-share", "any bytes are one key share, which is written as these bytes, or refused",
           _reads(KeyShare.decode, KeyShare.encode), lambda: [GENERATOR.encode() + bytes(64)]),
    Target("card", "any bytes are one masked card, which is written as these bytes, or refused",
           _reads(MaskedCard.decode, MaskedCard.encode),
           lambda: [GENERATOR.encode() * 2, *(GENERATOR.encode() + part for part in CURIOUS)]),
    Target("element", "any bytes are one element, which is written as these bytes, or refused",
           _reads(lambda data: Element.decode(data, allow_identity=True), Element.encode),
           lambda: CURIOUS),
    Target("scalar", "any bytes are one scalar, which is written as these bytes, or refused",
           _reads(Scalar.decode, Scalar.encode), lambda: CURIOUS),
    Target("record", "any file is a record that holds, or it is said what does not",
           _run_record,
           lambda: [write_record(DUEL.raws, [_claim()]), write_record(DUEL.raws[:5]),
                    write_record(REAL.raws[:12])]),
    Target("handshake", "any bytes for a handshake are what was sent, or end it for ever",
           _run_handshake, _choices),
    Target("invitation", "any text is an invitation, or is explained in a sentence",
           _run_invitation, _addresses),
    Target("state", "any bytes are a position that can be played on, or refused",
           _run_state, _states),
    Target("public-state", "any bytes are a public position that can be played on, or refused",
           _run_public_state, lambda: [state[:PUBLIC_SIZE] for state in _states()]),
    Target("action", "any text is an action, or there is a hint for who typed it",
           _run_action, lambda: [action_name(action).encode() for action in range(ACTIONS)]),
    Target("table", "whatever a side with its real keys sends in a duel is honest play or refused",
           _at(DUEL), _choices),
    Target("game", "whatever a side with its real keys sends in a real game is honest or refused",
           _at(REAL), _choices),
)  # fmt: skip

TARGETS: Final = {target.name: target for target in _TARGETS}
