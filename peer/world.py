"""What a game takes from the world besides its line and its disk: chance, the date, and threads.

A simulation brings a world of its own, in which nothing depends on anything but a seed.
"""

import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import trio

T = TypeVar("T")


class Work(Protocol):
    """How something that takes a while is done without holding up everything else."""

    def __call__(self, task: Callable[[], T], /) -> Awaitable[T]: ...


async def in_a_thread(task: Callable[[], T], /) -> T:
    """Let a thread do it: proofs and the disk leave the other threads alone."""
    return await trio.to_thread.run_sync(task)


@dataclass(frozen=True, slots=True)
class World:
    """Fresh random bytes, seconds since 1970, and a way to work in the background."""

    rng: Callable[[int], bytes] = secrets.token_bytes
    date: Callable[[], float] = time.time
    work: Work = in_a_thread


REAL: World = World()
