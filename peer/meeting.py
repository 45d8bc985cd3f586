"""How two peers come together: the host listens, the guest dials, and a line is opened.

Whoever reaches the host's port without the invitation is turned away by the handshake; nobody
who dawdles, or breaks off, or sends nonsense, is in the way of the guest who was invited.
"""

import errno
import logging
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final

import trio
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from peer.errors import PeerError
from peer.invitation import Address, Invitation
from peer.link import Link, LinkLostError, open_link
from peer.speech import sentences, tr
from peer.world import TCP, Network
from protocol.identity import Identity
from protocol.line import Bye, Reason
from protocol.script import GUEST, HOST

MAX_STRANGERS: Final = 64
"""Connections that may be shaking hands at once; for one more, that which does longest is closed.

So a crowd that only stands there can't keep the guest out."""
DIAL_SECONDS: Final = 10
"""For reaching one address."""
FIRST_PAUSE: Final = 0.5
LAST_PAUSE: Final = 30.0
"""Seconds between two attempts to reach the host again."""

_ATTEMPTS: Final = 10
_log: Final = logging.getLogger("whitby.meeting")


class UnreachableError(PeerError):
    """No line could be opened: nobody listens there, or we can't listen here."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who we are on a line: a game's Noise key, our identity, and fresh randomness."""

    key: X25519PrivateKey = field(repr=False)
    identity: Identity
    rng: Callable[[int], bytes] = field(repr=False)


async def listen(bind: str | None, port: int, network: Network = TCP) -> list[trio.SocketListener]:
    """Listen on `port` (0: any free one) of the address `bind` (None: of every one).

    Raises:
        UnreachableError: the port is taken or not ours to take.
    """
    try:
        return await _listen_on_one_port(bind, port, network)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if bind is None:
            raise UnreachableError(
                "Cannot listen on port {port}: {why}. Choose another with --port or --bind.",
                port=port,
                why=reason,
            ) from None
        raise UnreachableError(
            "Cannot listen on {place}, port {port}: {why}. Choose another with --port or --bind.",
            place=bind,
            port=port,
            why=reason,
        ) from None


async def _listen_on_one_port(
    bind: str | None, port: int, network: Network
) -> list[trio.SocketListener]:
    """An invitation names one port; a system that may choose takes one for IPv4, one for IPv6."""
    for _ in range(_ATTEMPTS):
        listeners = await network.listen(bind, port)
        chosen = port_of(listeners)
        if all(port_of([listener]) == chosen for listener in listeners):
            return listeners
        for listener in listeners:
            await listener.aclose()
        with suppress(OSError):  # it may be taken for the other of the two
            return await network.listen(bind, chosen)
    raise OSError(errno.EADDRINUSE, "no port is free for both IPv4 and IPv6")


def port_of(listeners: Sequence[trio.SocketListener]) -> int:
    """The port that these listen on."""
    port: int = listeners[0].socket.getsockname()[1]
    return port


def own_addresses(bind: str | None, port: int) -> list[Address]:
    """Where a guest may find us: `bind`, or every address that our routes start from.

    Raises:
        UnreachableError: `bind` means nothing on other computers.
    """
    if bind is None or bind in ("0.0.0.0", "::"):  # noqa: S104 - the user asked for it
        found = [Address(host, port) for host in map(_source_towards, _FAR_AWAY) if host]
        return found or [Address("127.0.0.1", port)]
    try:
        return [Address(bind, port)]
    except ValueError as error:
        raise UnreachableError(
            "{why}. Name an address for your guest with --address.", why=error
        ) from None


_FAR_AWAY: Final = (
    (socket.AF_INET, "192.0.2.1"),
    (socket.AF_INET6, "2001:db8::1"),
)
"""Documentation addresses (RFC 5737, RFC 3849): a route to them leaves this computer."""


def _source_towards(target: tuple[socket.AddressFamily, str]) -> str | None:
    """Our own address on the way to `target`; a datagram socket sends nothing to find it."""
    family, host = target
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((host, 9))
            source: str = probe.getsockname()[0]
    except OSError:
        return None
    ip = ip_address(source)
    return None if ip.is_loopback or ip.is_link_local or ip.is_unspecified else source


class Slot:
    """Where the lines of one guest arrive.

    If the guest comes again while its old line seems to be up, the new one is right: the old one
    hangs.
    """

    def __init__(self) -> None:
        self._arrival = trio.Event()
        self._arrived: Link | None = None
        self._current: Link | None = None

    @property
    def is_taken(self) -> bool:
        """Whether a line is here that nobody has taken up yet."""
        return self._arrived is not None

    def put(self, link: Link) -> None:
        """Hand a new line over."""
        for older in (self._arrived, self._current):
            if older is not None:
                older.close(
                    LinkLostError("The other side has come in again over another connection.")
                )
        self._arrived = link
        self._arrival.set()

    @asynccontextmanager
    async def link(self) -> AsyncIterator[Link]:
        """The next line to the guest; it is closed at the end of the `async with`."""
        await self._arrival.wait()
        self._arrival = trio.Event()
        link, self._arrived = self._arrived, None
        assert link is not None
        self._current = link
        try:
            yield link
        finally:
            self._current = None
            link.close()


class Entrance(ABC):
    """A host's open port: whoever holds the invitation gets in, if there is a slot for them."""

    def __init__(
        self,
        listeners: Sequence[trio.SocketListener],
        invitation: Invitation,
        ours: Credentials,
    ) -> None:
        self._listeners: Final = listeners
        self._invitation: Final = invitation
        self._ours: Final = ours
        self._strangers: Final[list[trio.CancelScope]] = []  # shaking hands, the oldest first

    @abstractmethod
    def slot_for(self, identity: bytes) -> Slot | None:
        """Where the lines of this guest go; None if we don't want it."""

    async def run(self) -> None:
        """Stand open until cancelled."""
        await trio.serve_listeners(self._greet, list(self._listeners))

    async def _greet(self, stream: trio.SocketStream) -> None:
        """Find out who comes.  Nothing that happens on one connection ends another."""
        if len(self._strangers) == MAX_STRANGERS:
            self._strangers.pop(0).cancel()
        with trio.CancelScope() as scope:
            self._strangers.append(scope)
            try:
                async with self._handshake(stream) as link:
                    self._strangers.remove(scope)
                    await self._admit(link)
            except PeerError as error:
                _log.info("turned away: %s", error.english)
            except Exception:
                _log.exception("a connection failed in a way that nobody has foreseen")
            finally:
                if scope in self._strangers:
                    self._strangers.remove(scope)

    def _handshake(self, stream: trio.SocketStream) -> AbstractAsyncContextManager[Link]:
        ours = self._ours
        return open_link(stream, HOST, self._invitation, ours.key, ours.identity, ours.rng)

    async def _admit(self, link: Link) -> None:
        """Hand the line over, and keep it open until it is closed; or turn a stranger away."""
        slot = self.slot_for(link.identity)
        if slot is None:
            _log.info("turned away: a guest for whom there is no place")
            await link.send(Bye(Reason.DECLINED))
            return
        slot.put(link)
        await link.wait_closed()


class Door(Entrance):
    """The entrance to a table for two: its guest comes in, and comes back.

    The first who holds the invitation is the guest; from then on nobody else is let in.
    """

    def __init__(
        self,
        listeners: Sequence[trio.SocketListener],
        invitation: Invitation,
        ours: Credentials,
        guest: bytes | None = None,
    ) -> None:
        """`guest` is the identity of the only one to let in, where a game is under way."""
        super().__init__(listeners, invitation, ours)
        self._guest = guest
        self._slot: Final = Slot()

    def slot_for(self, identity: bytes) -> Slot | None:
        if self._guest is None:
            self._guest = identity
        return self._slot if identity == self._guest else None

    def link(self) -> AbstractAsyncContextManager[Link]:
        """The next line to the guest; it is closed at the end of the `async with`."""
        return self._slot.link()


@asynccontextmanager
async def dial(
    invitation: Invitation, ours: Credentials, network: Network = TCP
) -> AsyncIterator[Link]:
    """The line to the host who made `invitation`, at the first of its addresses that answers.

    Raises:
        UnreachableError: none answers.
        HandshakeError: what answers is not this host.
    """
    stream = await _reach(invitation.addresses, network)
    async with open_link(stream, GUEST, invitation, ours.key, ours.identity, ours.rng) as link:
        yield link


@asynccontextmanager
async def redial(
    invitation: Invitation,
    ours: Credentials,
    notice: Callable[[str], None],
    network: Network = TCP,
) -> AsyncIterator[Link]:
    """As `dial`, again and again until the host answers.  `notice` is told of each failure.

    The pause doubles from `FIRST_PAUSE` to `LAST_PAUSE` seconds, give or take half, so that two
    who lost each other, or a thousand, don't come back in step.
    """
    pause: float = FIRST_PAUSE
    async with AsyncExitStack() as line:
        while True:
            try:
                link = await line.enter_async_context(dial(invitation, ours, network))
                break
            except PeerError as error:
                wait = pause * (0.5 + int.from_bytes(ours.rng(2), "big") / 2**16)
                notice(sentences(str(error), tr("Trying again in {n} s.", n=max(1, round(wait)))))
                await trio.sleep(wait)
                pause = min(2 * pause, LAST_PAUSE)
        yield link


async def _reach(addresses: Sequence[Address], network: Network) -> trio.SocketStream:
    failures = []
    for address in addresses:
        try:
            with trio.fail_after(DIAL_SECONDS):
                return await network.connect(address.host, address.port)
        except trio.TooSlowError:
            failures.append(tr("{address} does not answer", address=address))
        except OSError as error:
            failures.append(f"{address}: {_innermost(error)}")
    raise UnreachableError(
        "The host could not be reached ({why}). Is it still waiting, and is its port open to you?",
        why="; ".join(failures),
    )


def _innermost(error: BaseException) -> str:
    """What the operating system said, in words: trio wraps it, once for each address."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, BaseExceptionGroup):
        return _innermost(error.exceptions[0])
    number = getattr(error, "errno", None)
    if number and number > 0:  # else it was about a name
        return os.strerror(number)
    return getattr(error, "strerror", None) or str(error)
