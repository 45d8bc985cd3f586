"""How host and guest find each other on real sockets, whoever else comes to the door."""

import errno
import gc
import logging
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from trio.testing import MockClock

from peer import meeting
from peer.invitation import Address, Invitation
from peer.link import HANDSHAKE_SECONDS, HandshakeError, Link, LinkLostError
from peer.meeting import (
    DIAL_SECONDS,
    LAST_PAUSE,
    MAX_STRANGERS,
    Credentials,
    Door,
    UnreachableError,
    dial,
    listen,
    own_addresses,
    port_of,
    redial,
)
from peer.tasks import background
from protocol.line import Bye, Reason
from protocol.script import GUEST, HOST
from tests.peer.helpers import STRANGER, RawLine, credentials, invite, read_all
from tests.protocol.helpers import IDENTITIES

LOOPBACK = "127.0.0.1"
SECONDS = 20
"""More than anything here takes, and less than a person would wait for a test that hangs."""


class Table:
    """A host who waits on the loopback, and what became of it."""

    def __init__(self, door: Door, invitation: Invitation, port: int) -> None:
        self.door = door
        self.invitation = invitation
        self.port = port
        self.arrived = trio.Event()
        self.links: list[Link] = []

    async def receive(self) -> None:
        """Let the guest in, and in again, and wait until it says that it is there."""
        while True:
            async with self.door.link() as link:
                self.links.append(link)
                with suppress(LinkLostError):
                    while await link.receive() == Bye(Reason.LEFT):
                        self.arrived.set()

    async def knock(self) -> trio.SocketStream:
        """A connection of somebody who may want anything."""
        return await trio.open_tcp_stream(LOOPBACK, self.port)

    async def visit(self) -> None:
        """Come as the guest who was invited, and say so."""
        async with dial(self.invitation, credentials(GUEST)) as link:
            await link.send(Bye(Reason.LEFT))
            await self.arrived.wait()


@asynccontextmanager
async def a_table(guest: bytes | None = None) -> AsyncIterator[Table]:
    """A host waits inside; the test has to see to it that the guest comes."""
    listeners = await listen(LOOPBACK, 0)
    port = port_of(listeners)
    invitation = invite(Address(LOOPBACK, port))
    door = Door(listeners, invitation, credentials(HOST), guest)
    table = Table(door, invitation, port)
    with trio.fail_after(SECONDS):
        async with background(door.run), background(table.receive):
            yield table
    assert table.arrived.is_set()


# --- the guest gets in ------------------------------------------------------------------------


async def test_the_guest_finds_the_host() -> None:
    async with a_table() as table:
        await table.visit()
        assert [link.identity for link in table.links] == [IDENTITIES[GUEST].public]


async def test_no_stranger_is_in_the_way(caplog: pytest.LogCaptureFixture) -> None:
    async with a_table() as table, AsyncExitStack() as connections:
        for words in (
            b"",
            b"\0",
            b"GET / HTTP/1.1\r\nHost: whitby\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"\x00\x20" + b"\x09" * 32,
            b"\x00\x20" + bytes(32),
            b"\xff\xff" + os.urandom(65_535),
            os.urandom(5_000),
        ):
            stays = await connections.enter_async_context(await table.knock())
            await stays.send_all(words)
            async with await table.knock() as goes:
                await goes.send_all(words)
        reset = await table.knock()
        reset.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        await reset.aclose()
        await table.visit()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_crowd_that_only_stands_there_is_not_in_the_way() -> None:
    async with a_table() as table, AsyncExitStack() as connections:
        for _ in range(200):
            await connections.enter_async_context(await table.knock())
        await table.visit()


async def test_of_a_crowd_those_who_stood_there_longest_make_room() -> None:
    async with a_table() as table, AsyncExitStack() as connections:
        crowd = [
            await connections.enter_async_context(await table.knock())
            for _ in range(MAX_STRANGERS + 1)
        ]
        with trio.fail_after(HANDSHAKE_SECONDS / 2):
            assert await read_all(crowd[0]) == b""
        await table.visit()


async def test_a_crowd_does_not_push_out_the_guest_who_is_in() -> None:
    async with a_table() as table, AsyncExitStack() as connections:
        async with dial(table.invitation, credentials(GUEST)) as link:
            for _ in range(2 * MAX_STRANGERS):
                await connections.enter_async_context(await table.knock())
            await link.send(Bye(Reason.LEFT))
            await table.arrived.wait()
        assert len(table.links) == 1


async def test_half_a_handshake_is_not_in_the_way() -> None:
    async with a_table() as table, AsyncExitStack() as connections:
        for bytes_sent in range(0, 34, 3):
            stream = await connections.enter_async_context(await table.knock())
            raw = RawLine(stream, GUEST, invitation=table.invitation)
            first = raw.noise.write_message()
            await stream.send_all((b"\0\x20" + first)[:bytes_sent])
        await table.visit()


async def test_who_has_another_invitation_of_this_host_is_turned_away() -> None:
    async with a_table() as table:
        other = invite(Address(LOOPBACK, table.port))
        with pytest.raises(HandshakeError, match="no longer"):
            async with dial(other, STRANGER):
                raise AssertionError
        await table.visit()


async def is_declined(table: Table, who: Credentials) -> bool:
    """Whether somebody who holds the invitation is sent away nevertheless."""
    async with dial(table.invitation, who) as link:
        if await link.receive() != Bye(Reason.DECLINED):
            return False
        with pytest.raises(LinkLostError):
            await link.receive()
        return True


async def test_the_first_who_holds_the_invitation_is_the_guest_and_nobody_after_it() -> None:
    async with a_table() as table:
        async with dial(table.invitation, credentials(GUEST)) as link:
            await link.send(Bye(Reason.LEFT))
            await table.arrived.wait()
            assert await is_declined(table, STRANGER)
        assert await is_declined(table, STRANGER)  # not even when the guest has gone
        assert {link.identity for link in table.links} == {IDENTITIES[GUEST].public}


async def test_of_two_guests_at_once_one_is_let_in() -> None:
    async with a_table() as table, trio.open_nursery() as nursery:
        declined: list[bool] = []
        answered = trio.Event()

        async def come(who: Credentials) -> None:
            async with dial(table.invitation, who) as link:
                await link.send(Bye(Reason.LEFT))
                declined.append(await link.receive() == Bye(Reason.DECLINED))
                answered.set()

        nursery.start_soon(come, STRANGER)
        nursery.start_soon(come, credentials(GUEST))
        await table.arrived.wait()
        await answered.wait()
        nursery.cancel_scope.cancel()
    assert declined == [True]
    assert len({link.identity for link in table.links}) == 1


async def test_where_a_game_is_under_way_only_its_guest_is_let_in() -> None:
    async with a_table(IDENTITIES[GUEST].public) as table:
        assert await is_declined(table, STRANGER)
        await table.visit()


async def test_a_guest_who_comes_again_is_right_and_its_old_line_hangs() -> None:
    async with a_table() as table:
        async with dial(table.invitation, credentials(GUEST)) as hanging:
            await hanging.send(Bye(Reason.LEFT))
            await table.arrived.wait()
            table.arrived = trio.Event()
            await table.visit()
            with pytest.raises(LinkLostError):
                await hanging.receive()
        assert len(table.links) == 2


async def test_a_guest_may_come_again_and_again() -> None:
    async with a_table() as table:
        for times in range(1, 21):
            table.arrived = trio.Event()
            await table.visit()
            assert len(table.links) == times


async def test_a_guest_who_never_stays_is_still_let_in_when_it_does() -> None:
    async with a_table() as table:
        for _ in range(20):
            async with dial(table.invitation, credentials(GUEST)):
                pass
        await table.visit()


async def test_when_the_host_has_gone_nobody_listens_any_more() -> None:
    async with a_table() as table:
        await table.visit()
    gc.collect()  # an open socket would be reported here
    with pytest.raises(UnreachableError):
        async with dial(table.invitation, credentials(GUEST)):
            raise AssertionError


# --- dialling again ---------------------------------------------------------------------------


async def test_a_host_who_comes_back_is_found(autojump_clock: MockClock) -> None:
    listeners = await listen(LOOPBACK, 0)
    port = port_of(listeners)
    await listeners[0].aclose()
    invitation = invite(Address(LOOPBACK, port))
    notices: list[str] = []
    back = trio.Event()

    async def come_back() -> None:
        await trio.sleep(100)
        door = Door(await listen(LOOPBACK, port), invitation, credentials(HOST))
        back.set()
        await door.run()

    line = redial(invitation, credentials(GUEST), notices.append)
    async with background(come_back), line as link:
        assert back.is_set()
        assert link.identity == IDENTITIES[HOST].public
    assert 4 <= len(notices) < 30
    assert trio.current_time() < 100 + 1.5 * LAST_PAUSE
    for notice in notices:
        assert os.strerror(errno.ECONNREFUSED) in notice
        assert "Trying again in" in notice


async def test_dialling_again_can_be_cancelled(autojump_clock: MockClock) -> None:
    invitation = invite(Address(LOOPBACK, unused_port()))
    with trio.move_on_after(3_600) as limit:
        async with redial(invitation, credentials(GUEST), lambda _: None):
            raise AssertionError
    assert limit.cancelled_caught


# --- dialling ---------------------------------------------------------------------------------


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


async def test_addresses_that_refuse_are_passed_over() -> None:
    async with a_table() as table:
        dead = [Address(LOOPBACK, unused_port()), Address("name.invalid", 1)]
        addresses = (*dead, *table.invitation.addresses)
        table.invitation = replace(table.invitation, addresses=addresses)
        await table.visit()


async def test_where_nobody_listens_one_is_told_what_was_tried_and_why_it_failed() -> None:
    port = unused_port()
    invitation = invite(Address(LOOPBACK, port), Address("name.invalid", 4711))
    with pytest.raises(UnreachableError) as caught:
        async with dial(invitation, credentials(GUEST)):
            raise AssertionError
    message = str(caught.value)
    assert f"{LOOPBACK}:{port}: {os.strerror(errno.ECONNREFUSED)}" in message
    assert "name.invalid:4711" in message
    assert invitation.secret.hex() not in message
    assert "still waiting" in message


async def test_an_address_that_swallows_everything_is_given_up(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def swallow(host: str, port: int) -> trio.SocketStream:
        await trio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr(trio, "open_tcp_stream", swallow)
    with pytest.raises(UnreachableError, match=r"192\.0\.2\.1:1 does not answer"):
        async with dial(invite(Address("192.0.2.1", 1)), credentials(GUEST)):
            raise AssertionError
    assert trio.current_time() == pytest.approx(DIAL_SECONDS)


async def test_something_else_that_listens_there_is_not_the_host() -> None:
    async def greet(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.send_all(b"220 mail.example ESMTP\r\n")
            await read_all(stream)

    (listener,) = await listen(LOOPBACK, 0)
    invitation = invite(Address(LOOPBACK, port_of([listener])))
    async with background(partial(trio.serve_listeners, greet, [listener])):
        with pytest.raises(HandshakeError, match="is not the host of this invitation"):
            async with dial(invitation, credentials(GUEST)):
                raise AssertionError


async def test_another_host_at_the_address_is_not_taken_for_the_right_one() -> None:
    async with a_table() as table:
        impostor = invite(Address(LOOPBACK, table.port), key=X25519PrivateKey.generate())
        with pytest.raises(HandshakeError, match="not the host who made this invitation"):
            async with dial(impostor, credentials(GUEST)):
                raise AssertionError
        await table.visit()


# --- listening --------------------------------------------------------------------------------


async def test_a_port_that_is_taken_is_named() -> None:
    (listener,) = await listen(LOOPBACK, 0)
    async with listener:
        port = port_of([listener])
        with pytest.raises(UnreachableError) as caught:
            await listen(LOOPBACK, port)
    message = str(caught.value)
    assert f"{LOOPBACK}, port {port}: {os.strerror(errno.EADDRINUSE)}" in message
    assert "--port" in message


@pytest.mark.parametrize(
    "bind",
    ["192.0.2.1", "name.invalid", "..", "a" * 300, "a..b", "\xfc\xfc", "1.2.3.4.5", "::g", "a b"],
)
async def test_an_address_to_listen_on_that_is_none_of_ours_is_named(bind: str) -> None:
    with pytest.raises(UnreachableError, match="Cannot listen on"):
        await listen(bind, 0)


async def test_without_a_choice_one_listens_everywhere_on_one_port() -> None:
    listeners = await listen(None, 0)
    try:
        assert {one.socket.getsockname()[1] for one in listeners} == {port_of(listeners)}
        async with await trio.open_tcp_stream(LOOPBACK, port_of(listeners)):
            pass
    finally:
        for listener in listeners:
            await listener.aclose()


def test_the_address_one_chose_is_the_one_in_the_invitation() -> None:
    assert own_addresses("192.0.2.7", 1) == [Address("192.0.2.7", 1)]
    assert own_addresses("my.name.example", 1) == [Address("my.name.example", 1)]
    assert own_addresses("::1", 1) == [Address("::1", 1)]


@pytest.mark.parametrize("bind", ["fe80::1%eth0", "b\xfccher", "a b", ""])
def test_an_address_that_means_nothing_elsewhere_is_not_put_into_an_invitation(bind: str) -> None:
    with pytest.raises(UnreachableError, match="--address"):
        own_addresses(bind, 1)


@pytest.mark.parametrize("bind", [None, "0.0.0.0", "::"])
def test_listening_everywhere_is_written_as_addresses_that_can_be_dialled(bind: str | None) -> None:
    found = own_addresses(bind, 4711)
    assert found
    for address in found:
        assert address.port == 4711
        assert address.host not in ("0.0.0.0", "::")


def test_without_any_route_the_loopback_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "_source_towards", lambda target: None)
    assert own_addresses(None, 4711) == [Address(LOOPBACK, 4711)]


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
async def test_running_out_of_files_is_no_end() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with a_table() as table:
        used = max(int(name) for name in os.listdir("/dev/fd"))  # noqa: PTH208
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 24, hard))
        try:
            async with AsyncExitStack() as connections:
                with suppress(OSError):
                    for _ in range(100):
                        await connections.enter_async_context(await table.knock())
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        await table.visit()
