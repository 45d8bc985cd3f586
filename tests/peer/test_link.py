"""A line between two peers: who gets through, and how everything else that can arrive ends."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Any

import pytest
import trio
from trio.testing import MockClock, lockstep_stream_pair, memory_stream_pair, wait_all_tasks_blocked

from peer.link import (
    DEAD_SECONDS,
    HANDSHAKE_SECONDS,
    LINGER_SECONDS,
    PING_SECONDS,
    SEND_SECONDS,
    HandshakeError,
    Link,
    LinkLostError,
    open_link,
)
from peer.tasks import background
from protocol import codec
from protocol.errors import Fault, InvalidError
from protocol.line import MAX_MESSAGE_BYTES, Bye, Entries, Hello, Message, Ping, Pong
from protocol.script import GUEST, HOST
from tests.peer.helpers import (
    INVITATION,
    STRANGER,
    CutStream,
    DripStream,
    FlipStream,
    PieceStream,
    RawLine,
    credentials,
    invite,
    meet,
    read_all,
    two_links,
)
from tests.protocol.helpers import IDENTITIES

SIDES = (HOST, GUEST)
both_sides = pytest.mark.parametrize("side", SIDES, ids=["host", "guest"])
Attack = Callable[[RawLine], Awaitable[None]]


def note(number: int) -> Entries:
    """A message that a line carries without asking what it says."""
    return Entries((number.to_bytes(2, "big"),))


HANG_UPS = (EOFError, trio.BrokenResourceError, trio.ClosedResourceError, InvalidError)


# --- two who mean well ------------------------------------------------------------------------


async def test_two_who_share_an_invitation_know_each_other() -> None:
    async with two_links() as (host, guest):
        assert host.identity == IDENTITIES[GUEST].public
        assert guest.identity == IDENTITIES[HOST].public


async def test_messages_arrive_as_they_were_sent_both_ways_and_in_their_order() -> None:
    largest = Entries((b"\x01" * 60_000, b"\x02" * 5_510))
    assert len(largest.encode()) == MAX_MESSAGE_BYTES
    messages = [Entries((b"\x00",)), note(7), largest, Bye(0)]
    async with two_links() as links:
        for sender, receiver in (links, links[::-1]):
            for message in messages:
                await sender.send(message)
            assert [await receiver.receive() for _ in messages] == messages


async def test_a_stream_may_cut_the_bytes_into_any_pieces() -> None:
    ours, theirs = memory_stream_pair()
    async with two_links((PieceStream(ours, 1), PieceStream(theirs, 7))) as (host, guest):
        message = Entries((b"\x55" * 1_000,))
        await host.send(message)
        await guest.send(message)
        assert await guest.receive() == message
        assert await host.receive() == message


async def test_everything_sent_before_the_end_is_received_and_then_the_end_again_and_again() -> (
    None
):
    ours, theirs = memory_stream_pair()
    raw = RawLine(theirs, GUEST)
    async with raw_guest(ours, raw) as host:
        for number in range(5):
            await raw.say(note(number))
        await theirs.aclose()
        await wait_all_tasks_blocked()
        assert [await host.receive() for _ in range(5)] == [note(n) for n in range(5)]
        for _ in range(3):
            with pytest.raises(LinkLostError, match="closed"):
                await host.receive()
        with pytest.raises(LinkLostError, match="closed"):
            await host.send(Bye(0))


async def test_what_the_owner_of_a_line_raises_comes_out_as_it_is_and_closes_the_line() -> None:
    ours, theirs = memory_stream_pair()
    raw = RawLine(theirs, GUEST)
    rest: list[bytes] = []

    async def come() -> None:
        await raw.open()
        rest.append(await read_all(theirs))
        await theirs.aclose()

    async def sit_down() -> None:
        async with background(come), meet(ours, HOST):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await sit_down()
    assert rest == [b""]


async def test_a_line_that_is_given_up_stays_a_while_for_its_last_word(
    autojump_clock: MockClock,
) -> None:
    ours, theirs = memory_stream_pair()
    raw = RawLine(theirs, GUEST)
    async with background(raw.open), meet(ours, HOST) as link:
        await link.send(Bye(1))
    assert trio.current_time() == pytest.approx(LINGER_SECONDS)
    assert await raw.hear() == Bye(1)
    assert await read_all(theirs) == b""


# --- shaking hands with somebody else ---------------------------------------------------------


async def refused(side: int, attack: Attack, **options: Any) -> HandshakeError:
    """How `side` refuses a peer who attacks while hands are shaken; `options` are a RawLine's."""
    ours, theirs = memory_stream_pair()
    raw = RawLine(theirs, 1 - side, **options)
    caught: list[HandshakeError] = []

    async def open_up() -> None:
        with pytest.raises(HandshakeError) as error:
            async with meet(ours, side):
                raise AssertionError("it was let in")
        caught.append(error.value)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(open_up)
        with suppress(*HANG_UPS):
            await attack(raw)
        await wait_all_tasks_blocked()
        await theirs.aclose()
    assert str(caught[0])[-1] in ".)"
    return caught[0]


Forge = Callable[[RawLine], Hello | bytes]
FORGERIES: dict[str, tuple[Forge, str]] = {
    "signed for another line": (
        lambda raw: raw.hello(transcript=b"\x01" * 32),
        "could not be identified",
    ),
    "signed as the other side": (
        lambda raw: raw.hello(side=1 - raw.side),
        "could not be identified",
    ),
    "somebody else's name": (
        lambda raw: Hello(raw.hello().protocol, STRANGER.identity.public, raw.hello().signature),
        "could not be identified",
    ),
    "no point of the curve": (
        lambda raw: Hello(raw.hello().protocol, b"\xff" * 32, raw.hello().signature),
        "could not be identified",
    ),
    "another version": (
        lambda raw: Hello("whitby/99\x1b[2J", raw.hello().identity, raw.hello().signature),
        r"the other side speaks 'whitby/99\\x1b\[2J'",
    ),
    "no hello": (lambda raw: Ping(1).encode(), "did not introduce itself"),
    "an unknown kind": (lambda raw: codec.encode((99,)), "messages of kind 99"),
    "no message": (lambda raw: b"", "malformed"),
    "text": (lambda raw: b"GET / HTTP/1.1\r\n\r\n", "malformed"),
    "something behind it": (lambda raw: raw.hello().encode() + b"\0", "malformed"),
}


@both_sides
@pytest.mark.parametrize("name", FORGERIES)
async def test_a_hello_is_good_for_one_side_of_one_line(name: str, side: int) -> None:
    forge, reason = FORGERIES[name]

    async def attack(raw: RawLine) -> None:
        await raw.shake_hands()
        await raw.say(forge(raw))

    error = await refused(side, attack)
    with pytest.raises(HandshakeError, match=reason):
        raise error
    assert "\x1b" not in str(error)


@both_sides
async def test_our_own_hello_played_back_is_refused(side: int) -> None:
    async def attack(raw: RawLine) -> None:
        await raw.shake_hands()
        await raw.say(await raw.hear())

    assert "could not be identified" in str(await refused(side, attack))


@both_sides
async def test_who_has_our_own_identity_is_refused_and_told_what_to_do(side: int) -> None:
    async def attack(raw: RawLine) -> None:
        await raw.open()

    who = credentials(side)
    # The line keys differ, as they do between two games of one person.
    mirror = type(who)(credentials(1 - side).key, who.identity, who.rng)
    assert "WHITBY_HOME" in str(await refused(side, attack, who=mirror))


async def test_an_impostor_is_left_before_the_guest_shows_its_own_key() -> None:
    heard: list[bytes] = []

    async def attack(raw: RawLine) -> None:
        raw.noise.read_message(await raw.next())
        await raw.send(raw.noise.write_message())
        heard.append(await read_all(raw.stream))

    error = await refused(GUEST, attack, who=STRANGER)
    assert "not the host who made this invitation" in str(error)
    assert heard == [b""]


async def test_a_wrong_secret_lets_nobody_in_and_both_are_told() -> None:
    ours, theirs = memory_stream_pair()
    errors: dict[int, str] = {}

    async def open_up(stream: trio.abc.Stream, side: int) -> None:
        with pytest.raises(HandshakeError) as error:
            async with meet(stream, side, invitation=(INVITATION, invite())[side]):
                pass
        errors[side] = str(error.value)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(open_up, ours, HOST)
        nursery.start_soon(open_up, theirs, GUEST)
    assert "does not hold this table's invitation" in errors[HOST]
    assert "not, or no longer, good" in errors[GUEST]


@both_sides
async def test_a_handshake_carries_nothing_else(side: int) -> None:
    """Well sealed as it may be: nothing is said before both are known."""

    async def attack(raw: RawLine) -> None:
        await raw.shake_hands(b"hello")

    assert "malformed" in str(await refused(side, attack))


@both_sides
@pytest.mark.parametrize("size", [129, 65_535])
async def test_a_frame_too_large_for_a_handshake_is_not_waited_for(side: int, size: int) -> None:
    async def attack(raw: RawLine) -> None:
        await raw.stream.send_all(size.to_bytes(2, "big"))

    assert "too-large" in str(await refused(side, attack))


@both_sides
async def test_whatever_comes_instead_of_the_handshake_is_refused(side: int) -> None:
    rng = Random(side)
    for size in (0, 1, 31, 32, 33, 64, 96, 128):

        async def attack(raw: RawLine, size: int = size) -> None:
            await raw.send(rng.randbytes(size))
            await raw.send(rng.randbytes(size))

        await refused(side, attack)


@both_sides
async def test_a_peer_may_break_off_anywhere_in_the_handshake(side: int) -> None:
    sizes = (2 + 32, 2 + 64) if side == HOST else (2 + 96,)
    for cut in range(sum(sizes) + 60):

        async def attack(raw: RawLine, cut: int = cut) -> None:
            raw.stream = CutStream(raw.stream, cut)
            await raw.shake_hands()
            await raw.say(raw.hello())

        assert "hung up" in str(await refused(side, attack))


async def test_any_single_bit_that_changes_on_the_way_ends_the_line(
    autojump_clock: MockClock,
) -> None:
    """The bytes that the guest sends, and then those of the host, with one bit flipped."""
    for side in SIDES:
        at = 0
        while await one_bit_flipped(side, at):
            at += 1
        assert at > 32 + 60  # we have seen more than a handshake


async def one_bit_flipped(side: int, at: int) -> bool:
    """Whether `side` sent as many bytes as `at` at all, of which that one was altered."""
    ours, theirs = memory_stream_pair()
    flipping = FlipStream(ours if side == HOST else theirs, at, 1 << at % 8)
    streams = (flipping, theirs) if side == HOST else (ours, flipping)
    message = Entries((b"\x77" * 40,))
    got: list[object] = []

    async def talk(end: int) -> None:
        try:
            async with meet(streams[end], end) as link:
                await link.send(message)
                got.append(await link.receive())
        except (HandshakeError, LinkLostError):
            pass

    async with trio.open_nursery() as nursery:
        nursery.start_soon(talk, HOST)
        nursery.start_soon(talk, GUEST)
    assert all(one == message for one in got)
    if flipping.has_flipped:
        assert len(got) < 2
    return flipping.has_flipped


# --- on an open line --------------------------------------------------------------------------


@asynccontextmanager
async def raw_guest(stream: trio.abc.Stream, raw: RawLine) -> AsyncIterator[Link]:
    """A host's line, open, to a guest that is driven by hand."""
    opened = trio.Event()

    async def come() -> None:
        await raw.open()
        opened.set()

    async with background(come), meet(stream, HOST) as link:
        await opened.wait()
        try:
            yield link
        finally:
            await trio.aclose_forcefully(raw.stream)


def sealed(raw: RawLine, message: bytes) -> bytes:
    return raw.transport.encrypt(message)


async def replay(raw: RawLine) -> None:
    frame = sealed(raw, note(1).encode())
    await raw.send(frame)
    await raw.send(frame)


async def drop(raw: RawLine) -> None:
    sealed(raw, note(1).encode())
    await raw.say(note(1))


async def reflect(raw: RawLine) -> None:
    await raw.send(await raw.next())


async def tamper(raw: RawLine) -> None:
    frame = bytearray(sealed(raw, note(1).encode()))
    frame[5] ^= 1
    await raw.send(bytes(frame))


async def truncate(raw: RawLine) -> None:
    frame = sealed(raw, note(1).encode())
    await raw.stream.send_all(len(frame).to_bytes(2, "big") + frame[:-1])
    await raw.stream.aclose()


ON_THE_WAY: dict[str, Attack] = {
    "replayed": replay,
    "dropped": drop,
    "played back to its sender": reflect,
    "tampered with": tamper,
    "cut off": truncate,
    "empty": lambda raw: raw.send(b""),
    "too short for a seal": lambda raw: raw.send(b"\0" * 15),
    "garbage": lambda raw: raw.send(b"\x5a" * 4_000),
    "garbage of the greatest size": lambda raw: raw.send(b"\x5a" * 65_535),
}


@pytest.mark.parametrize("name", ON_THE_WAY)
async def test_what_anybody_on_the_way_can_do_loses_the_line_and_blames_nobody(name: str) -> None:
    ours, theirs = memory_stream_pair()
    raw = RawLine(theirs, GUEST)
    async with raw_guest(ours, raw) as host:
        await host.send(Ping(1))
        await ON_THE_WAY[name](raw)
        for _ in range(2):
            with pytest.raises(LinkLostError):
                await receive_all(host)


async def receive_all(link: Link) -> None:
    """Take what comes until nothing more can."""
    while True:
        await link.receive()


NONSENSE: dict[str, tuple[bytes, Fault]] = {
    "nothing": (b"", Fault.MALFORMED),
    "noise": (b"\xc1\x00\xff" * 100, Fault.MALFORMED),
    "a number": (codec.encode(3), Fault.MALFORMED),
    "an empty array": (codec.encode(()), Fault.MALFORMED),
    "an unknown kind": (codec.encode((250, b"")), Fault.UNEXPECTED),
    "a kind that is no number": (codec.encode((b"", b"")), Fault.MALFORMED),
    "a field too many": (codec.encode((5, 1, 1)), Fault.MALFORMED),
    "a number out of range": (codec.encode((5, 1 << 32)), Fault.MALFORMED),
    "a long way of writing it": (b"\x92\xcc\x05\x01", Fault.NON_CANONICAL),
    "no entries": (codec.encode((2, ())), Fault.MALFORMED),
    "an entry that is too long": (codec.encode((2, (b"\0" * 60_001,))), Fault.MALFORMED),
    "something behind it": (Ping(1).encode() + b"\0", Fault.MALFORMED),
    "a bomb of arrays": (b"\x91" * 60_000, Fault.TOO_LARGE),
}


@pytest.mark.parametrize("name", NONSENSE)
async def test_what_only_the_peer_can_have_sent_is_its_own_fault(name: str) -> None:
    data, fault = NONSENSE[name]
    ours, theirs = memory_stream_pair()
    raw = RawLine(theirs, GUEST)
    async with raw_guest(ours, raw) as host:
        await raw.say(note(1))
        await raw.say(data)
        await raw.say(note(2))
        assert await host.receive() == note(1)
        for _ in range(2):
            with pytest.raises(InvalidError) as caught:
                await host.receive()
            assert caught.value.fault is fault


async def test_any_bytes_end_at_most_the_line() -> None:
    rng = Random(1)
    for _ in range(100):
        ours, theirs = memory_stream_pair()
        raw = RawLine(theirs, GUEST)
        data = bytearray(Entries((rng.randbytes(20), rng.randbytes(20))).encode())
        for _ in range(rng.randrange(4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        async with raw_guest(ours, raw) as host:
            await raw.say(bytes(data))
            await theirs.aclose()
            with pytest.raises((LinkLostError, InvalidError)):
                await receive_all(host)


# --- time -------------------------------------------------------------------------------------


@both_sides
async def test_who_says_nothing_is_not_waited_for_long(
    side: int, autojump_clock: MockClock
) -> None:
    async def attack(raw: RawLine) -> None:
        await trio.sleep(HANDSHAKE_SECONDS)

    assert f"within {HANDSHAKE_SECONDS} seconds" in str(await refused(side, attack))
    assert trio.current_time() == pytest.approx(HANDSHAKE_SECONDS)


@both_sides
async def test_a_handshake_byte_by_byte_has_the_same_time_as_any(
    side: int, autojump_clock: MockClock
) -> None:
    async def attack(raw: RawLine) -> None:
        raw.stream = DripStream(raw.stream, 1.0)
        await raw.shake_hands()

    assert f"within {HANDSHAKE_SECONDS} seconds" in str(await refused(side, attack))
    assert trio.current_time() < HANDSHAKE_SECONDS + 2


async def test_without_a_sign_of_life_the_line_is_given_up(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    async with raw_guest(ours, RawLine(theirs, GUEST)) as host:
        with pytest.raises(LinkLostError, match=f"{DEAD_SECONDS} seconds"):
            await host.receive()
        assert trio.current_time() == pytest.approx(DEAD_SECONDS)


async def test_a_frame_that_never_gets_whole_is_no_sign_of_life(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    raw = RawLine(theirs, GUEST)
    async with raw_guest(ours, raw) as host, trio.open_nursery() as nursery:
        raw.stream = DripStream(theirs, 1.0)
        nursery.start_soon(raw.send, b"\0" * 1_000)
        with pytest.raises(LinkLostError):
            await host.receive()
        assert trio.current_time() == pytest.approx(DEAD_SECONDS)
        nursery.cancel_scope.cancel()


async def test_two_who_have_nothing_to_say_stay_connected(autojump_clock: MockClock) -> None:
    async with two_links() as (host, guest):
        await trio.sleep(3_600)
        await host.send(Bye(1))
        assert await guest.receive() == Bye(1)


async def test_a_quiet_line_is_asked_for_a_sign_and_asks_back(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    raw = RawLine(theirs, GUEST)
    async with raw_guest(ours, raw) as host:
        await raw.say(Ping(77))
        assert await raw.hear() == Pong(77)
        asked = 0
        while trio.current_time() < 20 * DEAD_SECONDS:
            message = await raw.hear()
            assert isinstance(message, Ping)
            asked += 1
            await raw.say(Pong(message.token))
        assert asked >= 20 * DEAD_SECONDS / (2 * PING_SECONDS)
        await raw.say(Bye(0))
        assert await host.receive() == Bye(0)  # no ping and no pong is seen by the game


async def test_who_stops_reading_is_given_up(autojump_clock: MockClock) -> None:
    ours, theirs = lockstep_stream_pair()
    raw = RawLine(theirs, GUEST)
    async with raw_guest(ours, raw) as host:
        with pytest.raises(LinkLostError, match="stopped taking"):
            await host.send(Entries((b"\0" * 60_000,)))
        assert trio.current_time() == pytest.approx(SEND_SECONDS)
        with pytest.raises(LinkLostError):
            await host.send(Bye(0))
        assert trio.current_time() == pytest.approx(SEND_SECONDS)


async def test_a_peer_who_sends_without_end_fills_no_memory() -> None:
    ours, theirs = lockstep_stream_pair()
    raw = RawLine(theirs, GUEST)
    sent = 0

    async def flood() -> None:
        nonlocal sent
        while True:
            await raw.say(note(sent))
            sent += 1

    async with raw_guest(ours, raw) as host, trio.open_nursery() as nursery:
        nursery.start_soon(flood)
        await wait_all_tasks_blocked()
        assert 1 <= sent <= 16
        for number in range(200):
            assert await host.receive() == note(number)
        nursery.cancel_scope.cancel()


# --- cancellation -----------------------------------------------------------------------------


async def test_to_stop_waiting_loses_no_message(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    raw = RawLine(theirs, GUEST)
    rng = Random(3)
    received: list[Message] = []

    async def send() -> None:
        for number in range(300):
            await raw.say(note(number))
            await trio.sleep(rng.choice((0, 0, 0.01, 0.05)))

    async with raw_guest(ours, raw) as host, trio.open_nursery() as nursery:
        nursery.start_soon(send)
        while len(received) < 300:
            with trio.move_on_after(rng.choice((0, 0.01, 0.02))):
                if rng.random() < 0.5:
                    await host.wait_readable()
                    await host.wait_readable()
                else:
                    received.append(await host.receive())
    assert received == [note(number) for number in range(300)]


async def test_after_half_a_message_nothing_more_is_said() -> None:
    ours, theirs = lockstep_stream_pair()
    raw = RawLine(theirs, GUEST)
    async with raw_guest(ours, raw) as host:
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(host.send, Entries((b"\0" * 60_000,)))
                await wait_all_tasks_blocked()
                await theirs.receive_some(100)
                scope.cancel()
        with pytest.raises(LinkLostError, match="middle of a message"):
            await host.send(Bye(1))


async def test_a_line_can_be_opened_and_closed_without_a_word() -> None:
    who = credentials(HOST)
    ours, theirs = memory_stream_pair()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:

            async def open_up() -> None:
                async with open_link(ours, HOST, INVITATION, who.key, who.identity, who.rng):
                    raise AssertionError

            nursery.start_soon(open_up)
            await wait_all_tasks_blocked()
            scope.cancel()
    assert await read_all(theirs) == b""


async def test_a_line_shows_no_secret() -> None:
    async with two_links() as (host, _):
        assert INVITATION.secret.hex() not in repr(host)
        assert INVITATION.secret.hex() not in f"{vars(host)!r}"
        assert repr(INVITATION.secret) not in f"{vars(host)!r}"
