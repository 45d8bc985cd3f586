"""A simulated network of two computers: the host's and the guest's.

A connection is two pipes.  What is put into a pipe arrives in order, after a while, in pieces; it
may be held back, and it may be lost from some moment on, with nobody told.  A connection may break
after any byte.
"""

import errno
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from types import SimpleNamespace
from typing import Final, cast

import trio

from peer.world import Network
from protocol.script import HOST
from tests.simulation.fate import Fate

ADDRESS: Final = "host.example"
WINDOW: Final = 65_536
"""So many bytes may be under way in a pipe; whoever sends more has to wait."""


class Fabric:
    """The network: who listens where."""

    def __init__(self, fate: Fate) -> None:
        self.fate: Final = fate
        self.listeners: Final[dict[int, Listener]] = {}
        self.ends: Final[list[End]] = []
        self.next_port = 4000
        self._dark: Final[set[int]] = set()

    def cut(self) -> None:
        """Break every connection that there is, and lose what is under way."""
        for end in self.ends:
            end.shatter()

    def go_dark(self, side: int) -> None:
        """The computer of a side has no power: it doesn't even refuse a connection."""
        self._dark.add(side)

    def wake_up(self, side: int) -> None:
        """It is there again."""
        self._dark.discard(side)

    def is_dark(self, side: int) -> bool:
        return side in self._dark


class Nic(Network):
    """The network as one process has it.  `cut_off` ends all its connections at once."""

    def __init__(self, fabric: Fabric, name: str) -> None:
        self._fabric: Final = fabric
        self._name: Final = name
        self._ends: Final[list[End]] = []
        self._listeners: Final[list[Listener]] = []
        self._is_cut_off = False

    async def listen(self, host: str | None, port: int) -> list[trio.SocketListener]:
        await trio.lowlevel.checkpoint()
        fabric = self._fabric
        if port in fabric.listeners:
            raise OSError(errno.EADDRINUSE, "Address already in use")
        if not port:
            port = fabric.next_port
            fabric.next_port += 1
        listener = Listener(fabric, self, port)
        if not self._is_cut_off:
            fabric.listeners[port] = listener
        self._listeners.append(listener)
        return [cast(trio.SocketListener, listener)]

    async def connect(self, host: str, port: int) -> trio.SocketStream:
        fabric, fate = self._fabric, self._fabric.fate
        assert host == ADDRESS
        latency = 0.01 + fate.seconds(0.1)
        await trio.sleep(2 * latency)
        if self._is_cut_off or fabric.is_dark(HOST) or fate.strikes("unreachable"):
            await trio.sleep_forever()
        listener = fabric.listeners.get(port)
        if listener is None or fate.strikes("refused"):
            raise OSError(errno.ECONNREFUSED, "Connection refused")
        there, back = Pipe(fate, latency), Pipe(fate, latency)
        ours = End(self._name, fate, there, back)
        theirs = End(listener.nic.name, fate, back, there)
        self.adopt(ours)
        listener.nic.adopt(theirs)
        delay = fate.seconds(15) if fate.strikes("late") else fate.seconds(0.05)
        listener.bring(theirs, delay)
        return cast(trio.SocketStream, ours)

    @property
    def name(self) -> str:
        return self._name

    def adopt(self, end: "End") -> None:
        """Keep an end of a connection, to cut it off with the process."""
        self._ends.append(end)
        self._fabric.ends.append(end)

    def cut_off(self, *, silently: bool) -> None:
        """The process has ended: its system closes everything, or is not there to do so."""
        self._is_cut_off = True
        for listener in self._listeners:
            listener.give_up()
        for end in self._ends:
            if silently:
                end.fall_silent()
            end.abandon()


class Listener(trio.abc.Listener["End"]):
    """An open port of the host."""

    def __init__(self, fabric: Fabric, nic: Nic, port: int) -> None:
        self.nic: Final = nic
        self.socket: Final = SimpleNamespace(getsockname=lambda: ("0.0.0.0", port))
        self._fabric: Final = fabric
        self._port: Final = port
        self._coming: Final[list[tuple[float, End]]] = []
        self._changed = trio.Event()

    def bring(self, end: "End", delay: float) -> None:
        """Let a connection arrive after `delay`, perhaps before those that were made earlier."""
        self._coming.append((trio.current_time() + delay, end))
        self._coming.sort(key=lambda arrival: arrival[0])
        self._changed.set()

    async def accept(self) -> "End":
        await trio.lowlevel.checkpoint()
        while not self._coming or self._coming[0][0] > trio.current_time():
            self._changed = trio.Event()
            with trio.move_on_at(self._coming[0][0] if self._coming else inf):
                await self._changed.wait()
        return self._coming.pop(0)[1]

    def give_up(self) -> None:
        """Close the port, and every connection that nobody has accepted."""
        if self._fabric.listeners.get(self._port) is self:
            del self._fabric.listeners[self._port]
        for _, end in self._coming:
            end.abandon()

    async def aclose(self) -> None:
        self.give_up()
        await trio.lowlevel.checkpoint()


class Pipe:
    """One direction of a connection."""

    def __init__(self, fate: Fate, latency: float) -> None:
        self.latency: Final = latency
        self.is_broken = False
        """Whether both ends know that it is no more."""
        self.is_deaf = False
        """Whether everything that is put in is lost."""
        self.refused_at = inf
        """From then on the sender knows that nobody reads."""
        self.is_unread = False
        """Whether the end that reads is closed."""
        self._fate: Final = fate
        self._under_way: Final[deque[tuple[float, bytes]]] = deque()
        self._size = 0
        self._last_arrival = 0.0
        self._changed = trio.Event()

    def put(self, data: bytes) -> None:
        """Send `data`, or the end of the stream if it is empty."""
        if self.is_deaf or trio.current_time() >= self.refused_at - self.latency:
            self._size += len(data)
            return
        delay = self.latency + self._fate.seconds(0.02)
        if self._fate.strikes("stall"):
            delay += self._fate.seconds(30)
        self._last_arrival = max(self._last_arrival, trio.current_time() + delay)
        self._under_way.append((self._last_arrival, data))
        self._size += len(data)
        self.wake()

    async def wait_for_room(self) -> None:
        """Wait until the other side has taken enough of what is under way."""
        await trio.lowlevel.checkpoint()
        while self._size >= WINDOW and not self.is_over:
            await self._change()

    async def take(self, most: int) -> bytes:
        """The next bytes that arrive, none at the end of the stream."""
        await trio.lowlevel.checkpoint()
        while not (self.is_broken or self.is_unread):
            if self._under_way and self._under_way[0][0] <= trio.current_time():
                when, data = self._under_way.popleft()
                if len(data) > most:
                    self._under_way.appendleft((when, data[most:]))
                self._size -= min(most, len(data))
                self.wake()
                return data[:most]
            with trio.move_on_at(self._under_way[0][0] if self._under_way else inf):
                await self._change()
        raise trio.BrokenResourceError

    async def _change(self) -> None:
        self._changed = trio.Event() if self._changed.is_set() else self._changed
        await self._changed.wait()

    def wake(self) -> None:
        self._changed.set()

    def shatter(self) -> None:
        """Break, and lose what is under way."""
        self.is_broken = True
        self.wake()

    @property
    def is_over(self) -> bool:
        return self.is_broken or trio.current_time() >= self.refused_at


class End(trio.abc.HalfCloseableStream):
    """One end of a connection."""

    def __init__(self, name: str, fate: Fate, out: Pipe, into: Pipe) -> None:
        self._name: Final = name
        self._fate: Final = fate
        self._out: Final = out
        self._into: Final = into
        self._is_busy = False
        self._is_closed = False
        self._is_abandoned = False

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        with self._sending():
            await self._send_all(bytes(data))

    @contextmanager
    def _sending(self) -> Iterator[None]:
        """Only one task may send at a time, as with trio's own streams."""
        if self._is_busy:
            raise trio.BusyResourceError("another task is sending")
        self._is_busy = True
        try:
            yield
        finally:
            self._is_busy = False

    async def _send_all(self, rest: bytes) -> None:
        if self._fate.strikes("deaf"):
            self._fate.random.choice((self._out, self._into)).is_deaf = True
        cut = self._fate.random.randint(0, len(rest)) if self._fate.strikes("cut") else None
        while rest or cut is not None:
            await self._out.wait_for_room()
            self._check()
            size = self._fate.random.randint(1, 2 * len(rest)) if rest else 0
            if cut is not None and size >= cut:
                if cut:
                    self._out.put(rest[:cut])
                self._break()
                raise trio.BrokenResourceError
            self._out.put(rest[:size])
            rest = rest[size:]
            cut = cut - size if cut is not None else None
            if rest:
                await trio.sleep(self._fate.seconds(0.01))

    async def wait_send_all_might_not_block(self) -> None:
        await self._out.wait_for_room()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self._is_closed:
            raise trio.ClosedResourceError
        data = await self._into.take(max_bytes or self._fate.random.choice((1, 100, WINDOW)))
        if self._is_abandoned:
            raise trio.BrokenResourceError
        return data

    async def send_eof(self) -> None:
        with self._sending():
            await trio.lowlevel.checkpoint()
            self._check()
            self._out.put(b"")

    async def aclose(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._hang_up()
        await trio.lowlevel.checkpoint()

    def _check(self) -> None:
        if self._is_closed:
            raise trio.ClosedResourceError
        if self._out.is_over or self._is_abandoned:
            raise trio.BrokenResourceError

    def _break(self) -> None:
        """Something on the way breaks the connection.  What has been sent may arrive or not."""
        if self._fate.random.random() < 0.5:
            self.shatter()
        else:
            self._hang_up()
            self._is_abandoned = True

    def shatter(self) -> None:
        """Break both ways, and lose what is under way."""
        self._out.shatter()
        self._into.shatter()

    def _hang_up(self) -> None:
        self._out.put(b"")
        self._into.is_unread = True
        if not self._out.is_deaf:
            self._into.refused_at = trio.current_time() + self._out.latency
        self._into.wake()

    def fall_silent(self) -> None:
        """From now on the other end hears nothing of us."""
        self._out.is_deaf = self._into.is_deaf = True

    def abandon(self) -> None:
        """The process that had it has ended."""
        self._is_abandoned = True
        if not self._is_closed:
            self._hang_up()
        self._out.wake()
        self._into.wake()
