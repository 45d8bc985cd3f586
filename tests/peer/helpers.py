"""What the tests of lines share: two people, their lines over memory, and somebody who cheats.

Everything about the two is fixed, but for the ephemeral keys of the lines.
"""

import secrets
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Final

import trio
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from trio.testing import memory_stream_pair

from peer.games import DRACULA_VS_VAN_HELSING
from peer.invitation import Address, Invitation
from peer.link import Link, line_key, open_link
from peer.meeting import Credentials
from peer.tasks import background
from protocol import line
from protocol.course import Ours
from protocol.line import Hello, Message
from protocol.noise import XXPSK3, HandshakeState, Transport
from protocol.script import GUEST, HOST
from protocol.transcript import PROLOGUE
from tests.protocol import helpers as protocol_helpers
from tests.protocol.helpers import IDENTITIES, seed

KEYS: Final = (line_key(seed(HOST)), line_key(seed(GUEST)))
STRANGER: Final = Credentials(
    line_key(b"\x33" * 32), protocol_helpers.STRANGER, secrets.token_bytes
)


def credentials(side: int) -> Credentials:
    return Credentials(KEYS[side], IDENTITIES[side], secrets.token_bytes)


def invite(*addresses: Address, key: X25519PrivateKey = KEYS[HOST]) -> Invitation:
    """A new invitation by the host, to nowhere in particular unless told otherwise."""
    public = key.public_key().public_bytes_raw()
    return Invitation.create(public, addresses or [Address("a.example", 1)], secrets.token_bytes)


INVITATION: Final = invite()


def ours(
    side: int,
    *,
    seat: int | None = None,
    clock: tuple[int, int] | None = None,
    salt: str = "",
    game: str = DRACULA_VS_VAN_HELSING,
) -> Ours:
    """What makes a table of the real game the host's or the guest's."""
    basis = protocol_helpers.ours(side, seat=seat, game=game, salt=salt)
    return replace(basis, terms=basis.terms and replace(basis.terms, clock=clock))


# --- lines ------------------------------------------------------------------------------------


def meet(
    stream: trio.abc.Stream,
    side: int,
    *,
    invitation: Invitation = INVITATION,
    who: Credentials | None = None,
) -> AbstractAsyncContextManager[Link]:
    """`open_link` for one of the two."""
    who = who or credentials(side)
    return open_link(stream, side, invitation, who.key, who.identity, who.rng)


@asynccontextmanager
async def two_links(
    streams: tuple[trio.abc.Stream, trio.abc.Stream] | None = None,
) -> AsyncIterator[tuple[Link, Link]]:
    """The host's and the guest's end of one line."""
    ends = streams or memory_stream_pair()
    links: dict[int, Link] = {}
    met = trio.Event()

    async def hold(side: int) -> None:
        async with meet(ends[side], side) as link:
            links[side] = link
            if len(links) == 2:
                met.set()
            await trio.sleep_forever()

    async def hold_both() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hold, HOST)
            nursery.start_soon(hold, GUEST)

    async with background(hold_both):
        await met.wait()
        yield links[HOST], links[GUEST]


class RawLine:
    """One end of a line, driven by hand by somebody who keeps to no rule."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        side: int,
        *,
        invitation: Invitation = INVITATION,
        who: Credentials | None = None,
    ) -> None:
        self.stream = stream
        self.side: Final = side
        self.who: Final = who or credentials(side)
        self.noise: Final = HandshakeState(
            XXPSK3,
            initiator=side == GUEST,
            static=self.who.key,
            psk=invitation.psk,
            prologue=PROLOGUE,
            rng=secrets.token_bytes,
        )
        self.transport: Transport
        self._buffer = b""

    async def send(self, body: bytes) -> None:
        """Send a frame."""
        await self.stream.send_all(len(body).to_bytes(2, "big") + body)

    async def next(self) -> bytes:
        """Read a frame."""
        size = int.from_bytes(await self._exactly(2), "big")
        return await self._exactly(size)

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            chunk = await self.stream.receive_some()
            if not chunk:
                raise EOFError
            self._buffer += chunk
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    async def shake_hands(self, payload: bytes = b"") -> None:
        """The three frames of the handshake, as they should be, but for a payload in ours."""
        for number in range(3):
            if (number % 2 == 0) == (self.side == GUEST):
                await self.send(self.noise.write_message(payload))
            else:
                self.noise.read_message(await self.next())
        self.transport = self.noise.split()

    async def open(self) -> Hello:
        """Handshake and hello, as they should be; returns the other side's."""
        await self.shake_hands()
        answer = await self.hear()
        await self.say(self.hello())
        assert isinstance(answer, Hello)
        return answer

    def hello(self, *, side: int | None = None, transcript: bytes | None = None) -> Hello:
        return Hello.sign(
            self.who.identity,
            self.side if side is None else side,
            transcript or self.noise.handshake_hash,
        )

    async def say(self, message: Message | bytes) -> None:
        """Send a message, or any bytes, sealed as it should be."""
        data = message if isinstance(message, bytes) else message.encode()
        await self.send(self.transport.encrypt(data))

    async def hear(self) -> Message:
        return line.decode(self.transport.decrypt(await self.next()))


async def read_all(stream: trio.abc.ReceiveStream) -> bytes:
    """Everything that comes until the other end closes, in good order or not."""
    data = b""
    try:
        async for chunk in stream:
            data += chunk
    except trio.BrokenResourceError:
        pass
    return data


class Altered(trio.abc.Stream):
    """Another stream, unless a subclass has it otherwise."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream: Final = stream

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self._stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        await self._stream.aclose()


class CutStream(Altered):
    """A stream that dies, both ways, after so many bytes have been sent through it."""

    def __init__(self, stream: trio.abc.Stream, left: int) -> None:
        super().__init__(stream)
        self._left = left

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        part = bytes(data)[: self._left]
        self._left -= len(part)
        await super().send_all(part)
        if len(part) < len(data):
            await self.aclose()
            raise trio.BrokenResourceError


class PieceStream(Altered):
    """A stream that gives at most so many bytes at a time."""

    def __init__(self, stream: trio.abc.Stream, size: int) -> None:
        super().__init__(stream)
        self._size = size

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await super().receive_some(self._size)


class DripStream(Altered):
    """A stream that takes `seconds` to send each byte."""

    def __init__(self, stream: trio.abc.Stream, seconds: float) -> None:
        super().__init__(stream)
        self._seconds = seconds

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        for byte in bytes(data):
            await trio.sleep(self._seconds)
            await super().send_all(bytes([byte]))


class FlipStream(Altered):
    """A stream that alters one byte of what is sent."""

    def __init__(self, stream: trio.abc.Stream, at: int, mask: int) -> None:
        super().__init__(stream)
        self._left = at
        self._mask = mask
        self.has_flipped = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        altered = bytearray(data)
        if 0 <= self._left < len(altered):
            altered[self._left] ^= self._mask
            self.has_flipped = True
        self._left -= len(altered)
        await super().send_all(altered)
