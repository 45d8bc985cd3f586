"""Two shapes of concurrency that the peer needs, with plain exceptions instead of groups."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import trio

T = TypeVar("T")


@asynccontextmanager
async def background(task: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Run `task` beside the body of the `async with`, and end it with the body."""
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(task)
        try:
            yield
        except Exception as error:  # raised again, outside the nursery
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def unless(
    task: Callable[[], Awaitable[T]], interrupt: Callable[[], Awaitable[object]]
) -> T | None:
    """The result of `task`, or None if `interrupt` returned first.

    If both end in the same moment, the result counts: nothing that a player said is lost.
    """
    result: T | None = None
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:

        async def run() -> None:
            nonlocal result, failure
            try:
                result = await task()
            except Exception as error:  # raised again, outside the nursery
                failure = error
            nursery.cancel_scope.cancel()

        async def watch() -> None:
            await interrupt()
            nursery.cancel_scope.cancel()

        nursery.start_soon(run)
        nursery.start_soon(watch)
    if failure is not None:
        raise failure
    return result
