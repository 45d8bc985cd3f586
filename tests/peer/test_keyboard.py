"""Lines from a file descriptor: all of them, whole, and none lost on the way."""

import contextlib
import os
import sys
from collections.abc import Iterator

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from peer.terminal import Keyboard
from peer.terminal.keyboard import MAX_LINE, LineSplitter


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    for descriptor in (write, read):  # the writer first, so that a thread left reading ends
        with contextlib.suppress(OSError):
            os.close(descriptor)


async def test_lines_arrive_in_order(pipe: tuple[int, int]) -> None:
    read, write = pipe
    async with Keyboard.open(read) as keyboard:
        os.write(write, b"one\ntwo\r\nth")
        assert await keyboard.line() == "one"
        assert await keyboard.line() == "two"
        os.write(write, b"ree\n\n")
        assert await keyboard.line() == "three"
        assert await keyboard.line() == ""


async def test_the_end_comes_after_the_last_line_and_stays(pipe: tuple[int, int]) -> None:
    read, write = pipe
    os.write(write, b"one\nlast")
    os.close(write)
    async with Keyboard.open(read) as keyboard:
        assert [await keyboard.line() for _ in range(4)] == ["one", "last", None, None]


async def test_a_cancelled_wait_loses_nothing(pipe: tuple[int, int]) -> None:
    read, write = pipe
    async with Keyboard.open(read) as keyboard:
        for _ in range(3):
            with trio.move_on_after(0.01):
                await keyboard.line()
        os.write(write, b"one\ntwo\n")
        assert await keyboard.line() == "one"
        with trio.CancelScope() as scope:
            scope.cancel()
            await keyboard.line()
        assert await keyboard.line() == "two"


async def test_more_than_anyone_types_waits_in_the_pipe(pipe: tuple[int, int]) -> None:
    read, write = pipe
    async with Keyboard.open(read) as keyboard:
        os.write(write, b"x\n" * 5000)
        os.close(write)
        count = 0
        while await keyboard.line() is not None:
            count += 1
        assert count == 5000


async def test_a_descriptor_that_is_gone_is_the_end() -> None:
    read, write = os.pipe()
    os.close(write)
    os.close(read)
    async with Keyboard.open(read) as keyboard:
        assert await keyboard.line() is None


async def test_an_error_of_the_body_comes_out_alone(pipe: tuple[int, int]) -> None:
    read, _ = pipe
    with pytest.raises(ZeroDivisionError):
        async with Keyboard.open(read):
            raise ZeroDivisionError


@given(st.lists(st.binary(max_size=40)))
def test_lines_do_not_depend_on_how_the_bytes_come(chunks: list[bytes]) -> None:
    data = b"".join(chunks)
    whole, pieces = LineSplitter(), LineSplitter()
    expected = whole.feed(data) + whole.close()
    assert [line for chunk in chunks for line in pieces.feed(chunk)] + pieces.close() == expected
    assert len(expected) == data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def test_bytes_that_are_no_text_are_marked() -> None:
    assert LineSplitter().feed(b"\xff1\n") == ["\ufffd1"]


def test_a_line_without_end_takes_no_room() -> None:
    splitter = LineSplitter()
    for _ in range(1000):
        assert splitter.feed(b"1" + b" " * 999) == []
    (line, following) = splitter.feed(b"\nquit\n")
    assert len(line) == MAX_LINE + 3
    assert line.endswith("...")
    assert following == "quit"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(
    ("typed", "said"),
    [(b"quit\n", b"LEAVE"), (b"help\nresign\nyes\n", b"RESIGN"), (b"\x04", b"LEAVE")],
)
def test_a_real_terminal(typed: bytes, said: bytes) -> None:
    """A program on a pseudo-terminal draws the board, obeys, and ends without a fuss."""
    import pty  # not there on Windows

    child, terminal = pty.fork()
    if child == 0:
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
        command = [sys.executable, "-W", "error", "-m", "tests.tools.local_game"]
        os.execve(sys.executable, command, environment)
    output = b""
    while b"> " not in output:
        output += os.read(terminal, 4096)
    os.write(terminal, typed)
    try:
        while data := os.read(terminal, 4096):
            output += data
    except OSError:  # how Linux says that the other end is closed
        pass
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    assert output.rstrip().endswith(said)
    assert b"Whitby" in output
