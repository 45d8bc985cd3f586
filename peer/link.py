"""A line to the other peer: sealed messages over a stream.

    TCP      frames: a length of 2 bytes, big-endian, and as many bytes
    Noise    three frames of handshake, `Noise_XXpsk3_25519_ChaChaPoly_BLAKE2s`, then sealed ones
    hello    the first sealed message each way: a signature over the handshake hash
    then     whatever `protocol.line` has

Every wait has a limit, so that a peer that goes quiet, or never says a sensible word, holds
nothing for long; and whatever arrives on one line ends at most that line.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

import trio
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from peer.errors import ExitCode, PeerError
from peer.invitation import Invitation
from peer.speech import mark
from peer.tasks import background
from protocol import line
from protocol.errors import Fault, InvalidError, ProtocolError
from protocol.identity import Identity
from protocol.line import Hello, Message, Ping, Pong
from protocol.noise import XXPSK3, HandshakeState, Transport
from protocol.script import GUEST, HOST
from protocol.transcript import PROLOGUE, Label, Transcript

HANDSHAKE_SECONDS: Final = 10
"""For the whole handshake: over a slow mobile line it takes two or three."""
PING_SECONDS: Final = 15
"""A line that has been quiet for so long is asked for a sign of life."""
DEAD_SECONDS: Final = 45
"""Without any sign for so long, a line is given up."""
LINGER_SECONDS: Final = 2
"""So long a line that was given up stays, unless the other side closes it."""
SEND_SECONDS: Final = 30
"""A peer that doesn't take our bytes for so long has stopped reading."""

_MAX_HANDSHAKE_FRAME: Final = 128
"""The longest of the three has 96 bytes."""
_MAX_FRAME: Final = 65_535
_WAITING_MESSAGES: Final = 8
"""What is read ahead of the game; beyond it the peer's sending stops."""


class LinkLostError(PeerError):
    """The line is gone: cut, silent or full of noise.  The game is kept and can go on."""

    exit_code = ExitCode.UNFINISHED


class HandshakeError(PeerError):
    """The line never came to be: wrong invitation, wrong host, or no such peer."""


class Link:
    """An open line, and who is at its other end (`identity`, an Ed25519 public key)."""

    def __init__(
        self, stream: trio.abc.Stream, frames: "_Frames", transport: Transport, identity: bytes
    ) -> None:
        self.identity: Final = identity
        self._stream: Final = stream
        self._frames: Final = frames
        self._transport: Final = transport
        self._sending: Final = trio.Lock()
        self._is_torn = False
        self._read, self._unread = trio.open_memory_channel[Message](_WAITING_MESSAGES)
        self._next: Message | None = None
        self._closed: Final = trio.Event()
        self._failure: PeerError | InvalidError | None = None
        self._last_sign = trio.current_time()

    async def send(self, message: Message) -> None:
        """Send a message.  Raises `LinkLostError` if the line is gone."""
        async with self._sending:
            if self._is_torn:
                raise LinkLostError("The connection was given up in the middle of a message.")
            sealed = self._transport.encrypt(message.encode())
            self._is_torn = True  # if this is cancelled, what follows could not be read
            with trio.move_on_after(SEND_SECONDS) as limit:
                await _send_frame(self._stream, sealed)
                self._is_torn = False
        if limit.cancelled_caught:
            raise LinkLostError("The other side has stopped taking our messages.")

    async def wait_readable(self) -> None:
        """Return when `receive` has something to give or to raise, and take nothing."""
        if self._next is None:
            try:
                self._next = await self._unread.receive()
            except trio.EndOfChannel:
                return

    async def receive(self) -> Message:
        """The next message, pings aside.

        Raises:
            LinkLostError: the line is gone.
            InvalidError: the peer sent what can't be read; nothing more will come.
        """
        await self.wait_readable()
        message, self._next = self._next, None
        if message is None:
            raise self._failure or LinkLostError("The connection was closed.")
        return message

    def close(self, failure: LinkLostError | None = None) -> None:
        """Give the line up: whoever waits for a message gets this error."""
        failure = failure or LinkLostError("The connection was closed.")
        self._failure = self._failure or failure
        self._closed.set()

    async def wait_closed(self) -> None:
        """Return when `close` was called."""
        await self._closed.wait()

    async def run(self) -> None:
        """Read, answer pings and send them, until the line is gone."""
        with self._read:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._keep_alive)
                nursery.start_soon(self._read_on)
                await self._closed.wait()
                nursery.cancel_scope.cancel()

    async def _read_on(self) -> None:
        """Read until something is wrong, and keep what it is for `receive`."""
        try:
            await self._read_messages()
        except InvalidError as error:
            self._failure = self._failure or error
            self._read.close()  # the line stays for our last word: why we refuse
        except PeerError as error:
            self._failure = self._failure or error
            self._closed.set()

    async def _read_messages(self) -> None:
        while True:
            with trio.move_on_after(DEAD_SECONDS) as limit:
                sealed = await self._frames.next(_MAX_FRAME)
            if limit.cancelled_caught:
                raise LinkLostError("No sign of life for {seconds} seconds.", seconds=DEAD_SECONDS)
            self._last_sign = trio.current_time()
            try:
                data = self._transport.decrypt(sealed)
            except InvalidError:  # anybody on the way can do this: don't blame the peer
                raise LinkLostError("What arrived had been altered on its way.") from None
            message = line.decode(data)
            match message:
                case Ping():
                    await self.send(Pong(message.token))
                case Pong():
                    pass
                case _:
                    await self._read.send(message)

    async def _keep_alive(self) -> None:
        while True:
            await trio.sleep(PING_SECONDS)
            if trio.current_time() - self._last_sign >= PING_SECONDS:
                try:
                    await self.send(Ping(0))
                except PeerError:
                    return  # the reader will notice


def line_key(seed: bytes) -> X25519PrivateKey:
    """The Noise key of one game, from its SECRET seed: nobody can tell two games' hosts apart."""
    return X25519PrivateKey.from_private_bytes(Transcript(Label.LINE_KEY).append(seed).digest())


@asynccontextmanager
async def open_link(
    stream: trio.abc.Stream,
    side: int,
    invitation: Invitation,
    key: X25519PrivateKey,
    identity: Identity,
    rng: Callable[[int], bytes],
) -> AsyncIterator[Link]:
    """Shake hands over `stream` and keep the line alive inside the `async with`.

    The guest has learnt from `invitation` which host to expect and proves with it that it was
    invited.  `key` is our Noise key for this game and `identity` signs for it.

    Raises:
        HandshakeError: the other end is not who is expected, or none that we can talk to.
    """
    async with stream:
        link = await _shake_hands(stream, side, invitation, key, identity, rng)
        try:
            async with background(link.run):
                yield link
        finally:
            await _linger(stream)


async def _linger(stream: trio.abc.Stream) -> None:
    """Let the other side close first, for a while: so it hears our last word.

    If a TCP connection is closed with something unread in it, what was sent last may be lost
    with it (RFC 1122, section 4.2.2.13).
    """
    if not isinstance(stream, trio.abc.HalfCloseableStream):
        return
    with (
        trio.move_on_after(LINGER_SECONDS, shield=True),
        suppress(trio.BrokenResourceError, trio.ClosedResourceError),
        suppress(trio.BusyResourceError),  # somebody is sending still, and will learn of the end
    ):
        await stream.send_eof()
        while await stream.receive_some():
            pass


async def _shake_hands(
    stream: trio.abc.Stream,
    side: int,
    invitation: Invitation,
    key: X25519PrivateKey,
    identity: Identity,
    rng: Callable[[int], bytes],
) -> Link:
    noise = HandshakeState(
        XXPSK3,
        initiator=side == GUEST,
        static=key,
        psk=invitation.psk,
        prologue=PROLOGUE,
        rng=rng,
    )
    frames = _Frames(stream)
    try:
        with trio.fail_after(HANDSHAKE_SECONDS):
            for number in range(3):
                if (number % 2 == 0) == (side == GUEST):
                    await _send_frame(stream, noise.write_message())
                else:
                    _take_handshake(noise, await frames.next(_MAX_HANDSHAKE_FRAME))
                if number == 1 and side == GUEST and not invitation.matches(noise.remote_static):
                    raise HandshakeError(
                        "The peer at this address is not the host who made this invitation. "
                        "Ask the host for a new one."
                    )
            transport, transcript = noise.split(), noise.handshake_hash
            hello = Hello.sign(identity, side, transcript)
            await _send_frame(stream, transport.encrypt(hello.encode()))
            answer = line.decode(transport.decrypt(await frames.next(_MAX_FRAME)))
    except trio.TooSlowError:
        raise HandshakeError(
            "The other side did not complete the handshake within {seconds} seconds.",
            seconds=HANDSHAKE_SECONDS,
        ) from None
    except LinkLostError:
        raise HandshakeError(_HUNG_UP[side]) from None
    except InvalidError as error:
        raise HandshakeError(_NOT_OURS[side], why=error) from error
    if not isinstance(answer, Hello):
        raise HandshakeError("The other side did not introduce itself.")
    try:
        answer.check(1 - side, transcript)
    except ProtocolError as error:
        raise HandshakeError("The other side could not be identified: {why}.", why=error) from error
    if answer.identity == identity.public:
        raise HandshakeError(
            "The other side has our own identity. To play against yourself on one computer, "
            "give one of the two another WHITBY_HOME."
        )
    return Link(stream, frames, transport, answer.identity)


def _take_handshake(noise: HandshakeState, data: bytes) -> None:
    if noise.read_message(data):
        raise InvalidError(Fault.MALFORMED, "a handshake message with a payload")


class _Frames:
    """Cuts a stream of bytes into frames."""

    def __init__(self, stream: trio.abc.ReceiveStream) -> None:
        self._stream: Final = stream
        self._buffer = bytearray()

    async def next(self, limit: int) -> bytes:
        """The next frame, of at most `limit` bytes.

        Raises:
            LinkLostError: the stream ended.
            InvalidError: TOO_LARGE, without waiting for the rest.
        """
        size = int.from_bytes(await self._exactly(2), "big")
        if size > limit:
            raise InvalidError(
                Fault.TOO_LARGE, f"a frame of {size} bytes, at most {limit} may come"
            )
        return await self._exactly(size)

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                chunk = await self._stream.receive_some()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                chunk = b""
            if not chunk:
                raise LinkLostError("The connection was closed.")
            self._buffer += chunk
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data


async def _send_frame(stream: trio.abc.SendStream, body: bytes) -> None:
    try:
        await stream.send_all(len(body).to_bytes(2, "big") + body)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        raise LinkLostError("The connection was closed.") from None


_HUNG_UP: Final = {
    HOST: mark("The other side hung up during the handshake."),
    GUEST: mark("The host hung up: this invitation is not, or no longer, good at this address."),
}
_NOT_OURS: Final = {
    HOST: mark("The other side does not hold this table's invitation. ({why})"),
    GUEST: mark("What answers at this address is not the host of this invitation. ({why})"),
}
