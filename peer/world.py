"""What a game takes from the world besides its disk: chance, the date, threads and the network.

A simulation brings a world of its own, in which nothing depends on anything but a seed.
"""

import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

import trio

T = TypeVar("T")


class Work(Protocol):
    """How something that takes a while is done without holding up everything else."""

    def __call__(self, task: Callable[[], T], /) -> Awaitable[T]: ...


async def in_a_thread(task: Callable[[], T], /) -> T:
    """Let a thread do it: proofs and the disk leave the other threads alone."""
    return await trio.to_thread.run_sync(task)


class Network(Protocol):
    """How computers reach each other.  Both methods raise `OSError`, as trio's own do."""

    async def listen(self, host: str | None, port: int) -> list[trio.SocketListener]: ...

    async def connect(self, host: str, port: int) -> trio.SocketStream: ...


class Tcp(Network):
    """The real one."""

    async def listen(self, host: str | None, port: int) -> list[trio.SocketListener]:
        return list(await trio.open_tcp_listeners(port, host=host))

    async def connect(self, host: str, port: int) -> trio.SocketStream:
        return await trio.open_tcp_stream(host, port)


TCP: Final[Network] = Tcp()


@dataclass(frozen=True, slots=True)
class World:
    """Fresh random bytes, seconds since 1970, a way to work in the background, and a network."""

    rng: Callable[[int], bytes] = secrets.token_bytes
    date: Callable[[], float] = time.time
    work: Work = in_a_thread
    network: Network = TCP


REAL: World = World()
