"""Messages: what can't be read, has another spelling, or can't come now."""

from collections.abc import Callable
from dataclasses import replace

from protocol import codec
from protocol.claim import Claim, Ground
from protocol.entries import Kind
from protocol.errors import Fault
from protocol.line import Again, Bye, Chat, Claimed, Hello, Message, Pong, Reason, Refusal, Sync
from tests.conformance.bench import HELSING, Bench
from tests.conformance.case import Case, FailedError, add, case
from tests.conformance.player import Player

BIN = 0xC4


def deep(depth: int) -> bytes:
    """Arrays within each other, so many of them."""
    return b"\x91" * (depth - 1) + b"\x90"


def _bytes(name: str, section: str, title: str, does: str, data: bytes, *faults: Fault) -> None:
    """A message of these bytes, sent after SYNC, must be refused."""

    async def run(bench: Bench) -> None:
        player = await bench.game()
        await player.line.say(data)
        await player.is_refused(*faults)

    names = " or ".join(fault.value for fault in faults)
    add(Case(name, section, title, does, f"REFUSAL {names}", run))


ONE_ENCODING = "A value that is not in its shortest form MUST be refused"
ONE_VALUE = "What is not exactly one value of the known kinds MUST be refused"
FIELDS = "A message MUST have exactly the fields of its kind, within their limits"

for _name, _does, _data in (
    ("integer-of-two-bytes", "spells the token of a PING with one byte more", b"\x92\x05\xcc\x07"),
    ("integer-of-nine-bytes", "spells the token of a PING as 64 bits", b"\x92\x05\xcf" + bytes(8)),
    ("signed-integer", "spells the token of a PING as a signed integer", b"\x92\x05\xd0\x07"),
    ("long-array", "gives the length of an array in two bytes", b"\xdc\x00\x02\x05\x07"),
    ("long-text", "gives the length of a text in a byte of its own", b"\x93\x04\xd9\x01a\xa0"),
    ("long-blob", "gives the length of bytes in two bytes", b"\x92\x02\x91\xc5\x00\x01a"),
):
    _bytes(f"message-with-{_name}", "6", ONE_ENCODING, _does, _data, Fault.NON_CANONICAL)

for _name, _does, _data in (
    ("nothing", "sends a message of no bytes", b""),
    ("trailing-byte", "sends a PING and a byte after it", b"\x92\x05\x07\x00"),
    ("missing-end", "sends a PING without its last byte", b"\x92\x05"),
    ("map", "sends a map where the token of a PING was due", b"\x92\x05\x80"),
    ("float", "sends a float where the token of a PING was due", b"\x92\x05\xca" + bytes(4)),
    ("extension", "sends an extension where the token of a PING was due", b"\x92\x05\xd4\x01\x01"),
    ("reserved-byte", "sends the byte c1, which begins no value", b"\x92\x05\xc1"),
    ("long-announcement", "announces 2^32 - 1 values and sends none", b"\xdd\xff\xff\xff\xff"),
    ("long-text-announced", "announces a text of 2^32 - 1 bytes", b"\x92\x05\xdb\xff\xff\xff\xff"),
    ("text-that-is-no-utf8", "sends text that is not UTF-8", b"\x93\x04\xa2\xff\xfe\xa0"),
    ("text-with-a-surrogate", "sends text with a surrogate", b"\x93\x04\xa3\xed\xa0\x80\xa0"),
):
    _bytes(f"message-with-{_name}", "6", ONE_VALUE, _does, _data, Fault.MALFORMED)

_bytes(
    "message-nested-too-deep",
    "6",
    "Arrays nested deeper than 8 MUST be refused",
    "sends 9 arrays within each other",
    deep(9),
    Fault.TOO_LARGE,
)
_bytes(
    "message-nested-very-deep",
    "6",
    "Arrays nested deeper than 8 MUST be refused, however deep",
    "sends 60,000 arrays within each other",
    deep(60_000),
    Fault.TOO_LARGE,
)

for _name, _does, _value in (
    ("no-array", "sends a number", 5),
    ("no-kind", "sends an empty array", ()),
    ("a-text-for-its-kind", "sends a text where the kind was due", ("PING", 7)),
    ("true-for-its-kind", "sends true where the kind was due, which is not 1", (True, 7)),
    ("a-field-too-many", "sends a PING with two tokens", (5, 7, 7)),
    ("a-field-too-few", "sends a PING with no token", (5,)),
    ("a-token-too-great", "sends a PING with the token 2^32", (5, 2**32)),
    ("a-negative-token", "sends a PING with the token -1", (5, -1)),
    ("true-for-a-token", "sends a PING with the token true", (5, True)),
    ("a-pong-token-too-great", "sends a PONG with the token 2^32", (6, 2**32)),
    ("an-unknown-reason", "sends BYE with the reason 3", (3, 3)),
    ("a-fault-too-long", "sends a REFUSAL with a fault of 33 bytes", (4, "x" * 33, "")),
    ("a-detail-too-long", "sends a REFUSAL with a detail of 501 bytes", (4, "x", "x" * 501)),
    ("a-detail-of-bytes", "sends a REFUSAL whose detail is bytes", (4, "x", b"x")),
    ("no-entries", "sends ENTRIES with none", (2, ())),
    ("entries-too-many", "sends ENTRIES with 257 of them", (2, (b"",) * 257)),
    ("an-entry-too-long", "sends ENTRIES with one of 60,001 bytes", (2, (bytes(60_001),))),
    ("an-entry-of-text", "sends ENTRIES with a text among them", (2, ("x",))),
    ("a-time-too-great", "sends CLOCK with 2^40 milliseconds", (7, 2**40)),
    ("a-claim-too-long", "sends a CLAIM of 257 bytes", (8, bytes(257))),
    ("a-chat-too-long", "sends CHAT of 501 bytes", (10, "x" * 501)),
    ("a-chat-of-bytes", "sends CHAT of bytes", (10, b"x")),
    ("again-with-a-field", "sends AGAIN with a field", (9, 1)),
):
    _bytes(f"message-with-{_name}", "13.5", FIELDS, _does, codec.encode(_value), Fault.MALFORMED)

for _kind in (11, 99, 255):
    _bytes(
        f"message-of-kind-{_kind}",
        "13.5",
        "A message of an unknown kind MUST be refused",
        f"sends a message of kind {_kind}",
        codec.encode((_kind, 0)),
        Fault.UNEXPECTED,
    )


# --- not now ------------------------------------------------------------------------------------


def _not_now(name: str, section: str, title: str, make: Callable[[Player], Message]) -> None:
    async def run(bench: Bench) -> None:
        player = await bench.game()
        await player.until_our_turn(Kind.SHUFFLE)
        await player.line.say(make(player))
        await player.is_refused(Fault.UNEXPECTED)

    add(Case(name, section, title, "sends it in the middle of a game", "REFUSAL unexpected", run))


_not_now(
    "second-hello",
    "13.4",
    "HELLO MUST be refused after the first message",
    lambda player: Hello.sign(player.identity, player.side, player.line.noise.handshake_hash),
)
_not_now(
    "second-sync",
    "13.6",
    "Another SYNC while the game lasts MUST be refused",
    lambda player: Sync(player.game_id, len(player.table.entries), player.table.head),
)
_not_now(
    "again-in-play",
    "13.7",
    "AGAIN MUST be refused before the record is complete",
    lambda player: Again(),
)


@case(
    "13.5",
    "A PONG that nobody asked for MUST NOT disturb the game",
    does="sends a PONG, unasked",
    expects="the game goes on",
)
async def pong_unasked(bench: Bench) -> None:
    player = await bench.game()
    await player.line.say(Pong(12345))
    await player.resign()


@case(
    "13.5",
    "CHAT MUST NOT disturb the game, whatever it says and however much",
    does="sends 200 hostile CHATs when a decision of ours is due",
    expects="the game goes on",
)
async def chatter(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.ACT)
    for number in range(200):
        await player.line.say(Chat(f"\x1b[2J\u202e{number}\x00"))
    await player.go_on()
    await player.resign()


@case(
    "13.7",
    "REFUSAL MUST end the line",
    does="refuses the game with a fault, whether it is one or not",
    expects="the line is closed",
)
async def refused_by_us(bench: Bench) -> None:
    player = await bench.game()
    await player.until_our_turn(Kind.SHUFFLE)
    await player.line.say(Refusal("no-such-fault", "\x1b[31mred\x07"))
    await player.is_closed()


@case(
    "13.7",
    "BYE MUST end the line",
    does="leaves with BYE 1 in the middle of a game",
    expects="the line is closed, with no REFUSAL",
)
async def left_by_us(bench: Bench) -> None:
    player = await bench.game()
    await player.until_our_turn(Kind.SHUFFLE)
    await player.line.say(Bye(Reason.LEFT))
    match await player.hear_last():
        case Refusal() as refusal:
            raise FailedError(f"it refuses that we leave: {refusal.fault}")
    await player.is_closed()


# --- claims -------------------------------------------------------------------------------------


def _claim(player: Player, **changes: object) -> Claim:
    made = Claim.sign(
        player.table.game_id,
        player.side,
        len(player.table.entries),
        player.table.head,
        Ground.ABSENCE,
        600,
        1_700_000_000,
        player.identity,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


async def _in_their_turn(bench: Bench) -> Player:
    """A game in play, wherever it is: a claim may come at any time."""
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.ACT)
    return player


@case(
    "12.5",
    "A claim of this game, signed by the other side, MUST be taken",
    does="claims the game, and leaves",
    expects="the line is closed with no REFUSAL",
)
async def claim(bench: Bench) -> None:
    player = await _in_their_turn(bench)
    await player.line.say(Claimed(_claim(player).encode()))
    match await player.hear_last():
        case Refusal() as refusal:
            raise FailedError(f"it refuses a good claim: {refusal.fault}")
    await player.is_closed()


def _bad_claim(name: str, does: str, make: Callable[[Player], bytes], fault: Fault) -> None:
    async def run(bench: Bench) -> None:
        player = await _in_their_turn(bench)
        await player.line.say(Claimed(make(player)))
        await player.is_refused(fault)

    title = "A claim MUST be well formed, of the other side, of this game, and signed"
    add(Case(name, "13.5", title, does, f"REFUSAL {fault.value}", run))


def _of_another_game(player: Player) -> bytes:
    return Claim.sign(
        b"\x05" * 32, player.side, 1, bytes(32), Ground.ABSENCE, 600, 1, player.identity
    ).encode()


def _in_their_name(player: Player) -> bytes:
    claimed = _claim(player)
    other = 1 - player.side
    return Claim.sign(
        claimed.game_id, other, 1, claimed.head, Ground.ABSENCE, 600, 1, player.identity
    ).encode()


_bad_claim(
    "claim-unsigned",
    "claims the game with a signature of zeros",
    lambda player: _claim(player, signature=bytes(64)).encode(),
    Fault.BAD_SIGNATURE,
)
_bad_claim("claim-of-another-game", "claims another game", _of_another_game, Fault.UNEXPECTED)
_bad_claim("claim-in-their-name", "claims for the other side", _in_their_name, Fault.UNEXPECTED)
_bad_claim(
    "claim-malformed",
    "claims with a claim that is no array of two",
    lambda player: codec.encode((b"", bytes(64), 1)),
    Fault.MALFORMED,
)
_bad_claim(
    "claim-on-no-ground",
    "claims on a ground that there is not",
    lambda player: codec.encode(
        (codec.encode((player.table.game_id, player.side, 1, bytes(32), 2, 1, 1)), bytes(64))
    ),
    Fault.MALFORMED,
)
