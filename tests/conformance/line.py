"""One end of a line, driven by hand by somebody who keeps to no rule unless told to."""

import secrets
from typing import Final, Protocol

import trio
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from peer.invitation import Invitation
from protocol import line
from protocol.errors import Fault, InvalidError
from protocol.identity import Identity
from protocol.line import Hello, Message
from protocol.noise import XXPSK3, HandshakeState, Transport
from protocol.script import GUEST
from protocol.transcript import PROLOGUE

X25519_ZERO: Final = bytes(32)
"""A point of small order: whatever it is multiplied with gives zero."""


class ClosedError(Exception):
    """The peer under test has closed the connection."""


class PublicKey(Protocol):
    """What the handshake asks of a public key of ours."""

    def public_bytes_raw(self) -> bytes: ...


class PrivateKey(Protocol):
    """What the handshake asks of a private key."""

    def public_key(self) -> PublicKey: ...
    def exchange(self, peer_public_key: X25519PublicKey, /) -> bytes: ...


class OddKey:
    """A static key that is no proper one, and with which a handshake goes through nonetheless."""

    def __init__(self, public: bytes, key: X25519PrivateKey | None = None) -> None:
        self._public: Final = public
        self._key: Final = key

    @classmethod
    def with_top_bit(cls) -> "OddKey":
        """A key in a second spelling: X25519 ignores the bit, and the handshake hashes it."""
        key = X25519PrivateKey.generate()
        public = bytearray(key.public_key().public_bytes_raw())
        public[-1] |= 0x80
        return cls(bytes(public), key)

    @classmethod
    def of_small_order(cls) -> "OddKey":
        """The point zero: everybody knows what any exchange with it gives."""
        return cls(X25519_ZERO)

    def public_key(self) -> "OddKey":
        return self

    def public_bytes_raw(self) -> bytes:
        return self._public

    def exchange(self, peer_public_key: X25519PublicKey, /) -> bytes:
        return self._key.exchange(peer_public_key) if self._key else X25519_ZERO


class Line:
    """A connection to the peer under test.  `side` is ours."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        side: int,
        invitation: Invitation,
        key: PrivateKey,
        *,
        prologue: bytes | None = None,
        psk: bytes | None = None,
    ) -> None:
        self.stream: Final = stream
        self.side: Final = side
        self.noise: Final = HandshakeState(
            XXPSK3,
            initiator=side == GUEST,
            static=key,  # type: ignore[arg-type]
            psk=psk or invitation.psk,
            prologue=PROLOGUE if prologue is None else prologue,
            rng=secrets.token_bytes,
        )
        self.transport: Transport
        self.other = b""
        self._buffer = b""

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are.  That the other end doesn't take them shows when we listen."""
        try:
            await self.stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def send(self, body: bytes) -> None:
        """Send a frame."""
        await self.send_bytes(len(body).to_bytes(2, "big") + body)

    async def next(self) -> bytes:
        """Read a frame.  Raises `ClosedError`."""
        size = int.from_bytes(await self._exactly(2), "big")
        return await self._exactly(size)

    async def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            try:
                chunk = await self.stream.receive_some()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                chunk = b""
            if not chunk:
                raise ClosedError
            self._buffer += chunk
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    async def shake_hands(self) -> None:
        """The three frames of the handshake, as they should be.

        Raises:
            ClosedError, InvalidError: the other end doesn't do its part.
        """
        for number in range(3):
            if (number % 2 == 0) == (self.side == GUEST):
                await self.send(self.noise.write_message())
            else:
                self.noise.read_message(await self.next())
        self.transport = self.noise.split()

    async def introduce(self, identity: Identity) -> Hello:
        """Both hellos, as they should be.  Returns the other side's, which was checked.

        Raises:
            ClosedError, ProtocolError: there comes none, or another.
        """
        await self.say(Hello.sign(identity, self.side, self.noise.handshake_hash))
        answer = await self.hear()
        if not isinstance(answer, Hello):
            raise InvalidError(Fault.UNEXPECTED, f"the first message is no HELLO: {answer}")
        answer.check(1 - self.side, self.noise.handshake_hash)
        self.other = answer.identity
        return answer

    async def say(self, message: Message | bytes) -> None:
        """Send a message, or any bytes, sealed as it should be."""
        await self.send(self.seal(message))

    def seal(self, message: Message | bytes) -> bytes:
        data = message if isinstance(message, bytes) else message.encode()
        return self.transport.encrypt(data)

    async def hear(self) -> Message:
        """The next message.  Raises `ClosedError`, or `InvalidError` if it can't be read."""
        return line.decode(self.transport.decrypt(await self.next()))

    async def cut(self) -> None:
        """Drop the connection, without a word."""
        await self.stream.aclose()
