"""Two shapes of concurrency: what they return, what they raise, and what they end."""

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from peer.tasks import background, unless


class BoomError(Exception):
    """Something that nobody expected."""


async def boom() -> None:
    await trio.lowlevel.checkpoint()
    raise BoomError


async def seven() -> int:
    await trio.lowlevel.checkpoint()
    return 7


async def wait_for_seven() -> int:
    await trio.Event().wait()
    return 7


async def test_a_background_task_runs_beside_the_body_and_ends_with_it() -> None:
    seen: list[str] = []

    async def task() -> None:
        seen.append("begun")
        try:
            await trio.sleep_forever()
        finally:
            seen.append("ended")

    async with background(task):
        await wait_all_tasks_blocked()
        assert seen == ["begun"]
    assert seen == ["begun", "ended"]


async def test_an_error_of_the_body_comes_out_as_it_is_and_ends_the_task() -> None:
    ended = trio.Event()

    async def task() -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.set()

    async def body() -> None:
        async with background(task):
            await wait_all_tasks_blocked()
            raise BoomError

    with pytest.raises(BoomError):
        await body()
    assert ended.is_set()


async def test_an_error_of_a_background_task_comes_out_as_it_is_and_ends_the_body() -> None:
    async def body() -> None:
        async with background(boom):
            await trio.sleep_forever()

    with pytest.raises(BoomError):
        await body()


async def test_a_task_that_ends_early_leaves_the_body_alone() -> None:
    async with background(trio.lowlevel.checkpoint):
        await wait_all_tasks_blocked()


async def test_a_body_can_be_cancelled(autojump_clock: MockClock) -> None:
    with trio.move_on_after(1) as limit:
        async with background(trio.sleep_forever):
            await trio.sleep_forever()
    assert limit.cancelled_caught


async def test_the_task_counts_unless_it_is_interrupted() -> None:
    assert await unless(seven, trio.sleep_forever) == 7
    assert await unless(wait_for_seven, seven) is None


async def test_if_both_end_at_once_what_the_task_said_counts() -> None:
    both = trio.Event()

    async def say() -> str:
        await both.wait()
        return "said"

    async def interrupt() -> None:
        await both.wait()

    results: list[str | None] = []

    async def run() -> None:
        results.append(await unless(say, interrupt))

    for _ in range(20):  # trio runs the tasks of one step in a random order
        both = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            await wait_all_tasks_blocked()
            both.set()
    assert results == ["said"] * 20


async def test_an_error_of_the_task_comes_out_as_it_is() -> None:
    with pytest.raises(BoomError):
        await unless(boom, trio.sleep_forever)


async def test_the_loser_has_ended_when_the_winner_is_returned() -> None:
    ended: list[str] = []

    async def dawdle() -> int:
        try:
            await trio.sleep_forever()
        finally:
            ended.append("task")
        raise AssertionError

    assert await unless(dawdle, seven) is None
    assert ended == ["task"]


async def test_both_can_be_cancelled(autojump_clock: MockClock) -> None:
    with trio.move_on_after(1) as limit:
        await unless(trio.sleep_forever, trio.sleep_forever)
    assert limit.cancelled_caught


async def test_an_error_of_the_interrupt_comes_out_as_it_is_and_ends_the_task() -> None:
    with pytest.raises(BoomError):
        await unless(trio.sleep_forever, boom)
