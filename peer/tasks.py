"""Two shapes of concurrency that the peer needs, with plain exceptions instead of groups."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import trio

T = TypeVar("T")


@asynccontextmanager
async def background(task: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Run `task` beside the body of the `async with`, and end it with the body.

    What either raises ends both and is raised, by itself and in no group.
    """
    failure: Exception | None = None

    async def run() -> None:
        nonlocal failure
        try:
            await task()
        except Exception as error:  # raised again, outside the nursery
            failure = failure or error
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        try:
            yield
        except Exception as error:  # the same
            failure = failure or error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def unless(
    task: Callable[[], Awaitable[T]], interrupt: Callable[[], Awaitable[object]]
) -> T | None:
    """The result of `task`, or None if `interrupt` returned first.

    If both end in the same moment, the result counts: nothing that a player said is lost.  What
    either raises is raised, by itself and in no group.
    """
    result: T | None = None
    has_result = False
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:

        async def run() -> None:
            nonlocal result, has_result, failure
            try:
                result = await task()
                has_result = True
            except Exception as error:  # raised again, outside the nursery
                failure = error
            nursery.cancel_scope.cancel()

        async def watch() -> None:
            nonlocal failure
            try:
                await interrupt()
            except Exception as error:  # the same
                failure = failure or error
            nursery.cancel_scope.cancel()

        nursery.start_soon(run)
        nursery.start_soon(watch)
    if failure is not None and not has_result:
        raise failure
    return result
