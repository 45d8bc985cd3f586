"""The handshake and the frames: what doesn't open ends the line and nothing else."""

import secrets
from functools import partial

from protocol.entries import Kind
from protocol.errors import InvalidError
from protocol.line import Ping
from protocol.script import GUEST, HOST
from tests.conformance.bench import Bench
from tests.conformance.case import Case, FailedError, add, case
from tests.conformance.line import ClosedError, Line, OddKey
from tests.conformance.player import Player

CROWD = 80
"""Connections that only stand there: more than a host may want to admit at once."""

CLOSED = "the connection is closed, and nothing is sent before"


async def first_frame_due(bench: Bench, line: Line) -> None:
    """As the host, wait for the guest's first frame, so that ours is its answer."""
    if bench.side == HOST:
        await line.next()


async def _is_refused(bench: Bench, line: Line) -> None:
    """See the connection closed with no frame before."""
    frame = None
    try:
        async with bench.in_time("the connection was not closed"):
            frame = await line.next()
    except ClosedError:
        return
    raise FailedError(f"a frame of {len(frame)} bytes came, where the line was to be closed")


def _first_frame(name: str, title: str, does: str, frame: bytes) -> None:
    async def run(bench: Bench) -> None:
        line = await bench.connected()
        await first_frame_due(bench, line)
        await line.send_bytes(frame)
        await _is_refused(bench, line)

    add(Case(name, "13.3", title, does, CLOSED, run))


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(2, "big") + body


_first_frame(
    "handshake-of-noise",
    "A handshake message that does not open MUST end the connection",
    "answers with 96 random bytes, in a frame",
    framed(secrets.token_bytes(96)),
)
_first_frame(
    "handshake-too-long",
    "A frame of the handshake longer than 128 bytes MUST be refused when its length is there",
    "announces a frame of 65,535 bytes and sends none of it",
    b"\xff\xff",
)
_first_frame(
    "handshake-just-too-long",
    "A frame of the handshake longer than 128 bytes MUST be refused when its length is there",
    "announces a frame of 129 bytes and sends none of it",
    b"\x00\x81",
)
_first_frame(
    "handshake-too-short",
    "A handshake message that is too short MUST end the connection",
    "sends a frame of 10 bytes",
    framed(bytes(10)),
)
_first_frame(
    "handshake-empty",
    "An empty frame MUST end the handshake",
    "sends a frame of no bytes",
    framed(b""),
)
_first_frame(
    "other-protocol",
    "Whatever else speaks first MUST be hung up on",
    "speaks HTTP",
    b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n" + bytes(20_000),
)


@case(
    "13.3",
    "A handshake with another prologue MUST fail",
    does="shakes hands under the prologue of another protocol",
    expects=CLOSED,
)
async def wrong_prologue(bench: Bench) -> None:
    line = await bench.connected(prologue=b"elsewhere/1")
    if bench.side == GUEST:
        await line.send(line.noise.write_message())
    else:
        # We can't read its first message so; whatever we answer, it must not open.
        async with bench.in_time("no first message came"):
            first = await line.next()
        try:
            line.noise.read_message(first)
        except InvalidError:
            await line.send(secrets.token_bytes(96))
    await _is_refused(bench, line)


@case(
    "13.3",
    "A guest that does not hold the invitation's secret MUST NOT be let in",
    does="shakes hands with another secret",
    expects="the connection is closed, with no HELLO or after one that we can't open",
)
async def wrong_secret(bench: Bench) -> None:
    line = await bench.connected(psk=secrets.token_bytes(32))
    try:
        async with bench.in_time("the connection was not closed"):
            await line.shake_hands()
            await line.introduce(bench.identity())
            raise FailedError("it has opened a line to somebody with another secret")
    except (ClosedError, InvalidError):
        pass
    # As the host we can't read its third message, and so never get to a HELLO of ours.
    await line.send(secrets.token_bytes(150))
    await bench.is_closed(line)


async def _odd_static_key(bench: Bench, key: OddKey) -> None:
    await bench.visit(key)
    line = await bench.connected()
    try:
        async with bench.in_time("the connection was not closed"):
            await line.shake_hands()
            await line.introduce(bench.identity())
    except ClosedError:
        return
    except InvalidError as error:
        raise FailedError(f"it went on with another handshake: {error}") from None
    raise FailedError("it has taken this key")


@case(
    "13.3",
    "A public key that is not in canonical form MUST be refused",
    does="has a static key with its top bit set, which X25519 itself overlooks",
    expects=CLOSED,
)
async def static_key_in_a_second_spelling(bench: Bench) -> None:
    await _odd_static_key(bench, OddKey.with_top_bit())


@case(
    "13.3",
    "A public key of small order MUST be refused",
    does="has the static key zero, with which every exchange gives zero",
    expects=CLOSED,
)
async def static_key_of_small_order(bench: Bench) -> None:
    await _odd_static_key(bench, OddKey.of_small_order())


@case(
    "13.3",
    "The guest MUST compare the host's key with the invitation before it tells its own",
    does="answers the first message as a host with another static key",
    expects="the connection is closed with no third message",
    subjects=(GUEST,),
)
async def another_host(bench: Bench) -> None:
    line = await bench.connected_as_another_host()
    async with bench.in_time("no first message came"):
        line.noise.read_message(await line.next())
    await line.send(line.noise.write_message())
    await _is_refused(bench, line)


# --- frames after the handshake ----------------------------------------------------------------


async def _damaged(bench: Bench, damage: str) -> None:
    """In the midst of a game a frame arrives damaged; the game must survive it."""
    player = await bench.game()
    await player.until_our_turn(Kind.SHUFFLE)
    line = player.line
    frame = line.seal(Ping(1))
    match damage:
        case "bit":
            await line.send(frame[:-1] + bytes([frame[-1] ^ 1]))
        case "twice":
            await line.send(frame)
            await line.send(frame)
        case "missing":
            await line.send(line.seal(Ping(2)))
        case "short":
            await line.send(frame[:5])
        case "empty":
            await line.send(b"")
        case "half":
            await line.send_bytes(framed(frame)[:10])
            await line.cut()
    await ends_without_blame(player)
    await player.connect()
    await player.sync()
    await player.go_on()
    await player.resign()


async def ends_without_blame(player: Player) -> None:
    """See the line closed; a REFUSAL or BYE would blame somebody, or be lost on the way."""
    try:
        async with player.bench.in_time("the line was not closed"):
            while True:
                frame = await player.line.next()
                message = player.line.transport.decrypt(frame)
                if message[1:2] == b"\x04":
                    raise FailedError("a REFUSAL came: what was altered on the way blames nobody")
    except ClosedError:
        return


for _damage, _name, _does in (
    ("bit", "frame-altered", "alters one bit of a sealed frame"),
    ("twice", "frame-repeated", "sends the same sealed frame twice"),
    ("missing", "frame-left-out", "leaves out a sealed frame"),
    ("short", "frame-shorter-than-a-tag", "sends a frame of 5 bytes"),
    ("empty", "frame-empty", "sends a frame of no bytes"),
    ("half", "frame-cut-off", "cuts the connection in the middle of a frame"),
):
    add(
        Case(
            _name,
            "13.3",
            "A frame that does not open MUST end the connection, and MUST NOT end the game",
            f"{_does}, in the middle of a game, and comes back",
            "the line is closed with no REFUSAL, and the game goes on over another",
            partial(_damaged, damage=_damage),
        )
    )


@case(
    "13.8",
    "A host MUST survive any number of connections that say nothing",
    does=f"opens {CROWD} connections and says nothing on them; then an honest guest comes",
    expects="the honest guest is served",
    subjects=(HOST,),
)
async def crowd_at_the_door(bench: Bench) -> None:
    for _ in range(CROWD):
        await bench.connected()
    await (await bench.game()).resign()


@case(
    "13.8",
    "A connection on which no handshake comes SHOULD be closed after some seconds",
    does="connects and says nothing",
    expects="the connection is closed within 30 seconds",
    is_slow=True,
)
async def silence_at_the_door(bench: Bench) -> None:
    line = await bench.connected()
    async with bench.in_time("the connection was not closed", seconds=30):
        try:
            while True:
                await line.next()
        except ClosedError:
            return
