"""Whole games between two stores over real sockets: what is kept of them, however they go."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import trio

from peer.cli import main
from peer.errors import ExitCode, PeerError, StoreError
from peer.games import GAMES
from peer.invitation import Address, Invitation
from peer.meeting import UnreachableError
from peer.playing import Listen, Offering, host, join, resume
from peer.seat import Notice, Quit
from peer.series import CheatError, Played, Profile
from peer.sitting import LeftError
from peer.store import GameRow, Status, Store
from peer.tasks import background
from protocol.entries import Act, Kind
from protocol.record import read_record
from protocol.script import GUEST, HOST
from protocol.table import Table
from tests.peer.helpers import CutStream
from tests.peer.sitters import Cheat, Player, after, at_the_second
from tests.protocol.helpers import sign

LOOPBACK = "127.0.0.1"
HERE = Listen(LOOPBACK)
A_COIN = Offering()
SIDES = (HOST, GUEST)


class Home:
    """Somebody's computer: a store, and whoever decides there."""

    def __init__(self, path: Path, name: str) -> None:
        path.mkdir()
        self.path = path
        self.store = Store.open(path)
        self.name = name
        self.player = Player()
        self.outcome: list[Played] | PeerError | None = None

    @property
    def profile(self) -> Profile:
        return Profile(self.store, self.path, self.player, self.name)

    @property
    def rows(self) -> list[GameRow]:
        return self.store.games()

    def entries(self, number: int = 1) -> list[bytes]:
        return self.store.entries(number)

    async def run(self, game: Callable[[], Awaitable[list[Played]]]) -> None:
        """Play; what somebody at the command line would be told is kept as `outcome`."""
        self.outcome = None
        try:
            self.outcome = await game()
        except PeerError as error:
            self.outcome = error


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[tuple[Home, Home]]:
    both = Home(tmp_path / "host", "Mina"), Home(tmp_path / "guest", "Abraham")
    yield both
    for home in both:
        home.store.close()


async def play(
    homes: tuple[Home, Home], where: Listen = HERE, offering: Offering = A_COIN
) -> Invitation:
    """A new game, until it is over for both; returns the invitation that was used."""
    invitations: list[Invitation] = []
    announced = trio.Event()

    def announce(invitation: Invitation) -> None:
        invitations.append(invitation)
        announced.set()

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                homes[HOST].run, partial(host, homes[HOST].profile, where, offering, announce)
            )
            await announced.wait()
            nursery.start_soon(
                homes[GUEST].run, partial(join, homes[GUEST].profile, invitations[0])
            )
    return invitations[0]


async def go_on(homes: tuple[Home, Home], number: int = 1) -> None:
    """Both resume what they left."""
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            for home in homes:
                row = home.store.game(number)
                nursery.start_soon(home.run, partial(resume, home.profile, row))


def assert_complete(homes: tuple[Home, Home], number: int = 1) -> None:
    """See that both keep the same whole record and no secret any more."""
    assert homes[HOST].entries(number) == homes[GUEST].entries(number)
    table = Table.replay(homes[HOST].entries(number), GAMES)
    for side, home in enumerate(homes):
        row = home.store.game(number)
        assert row.status is Status.COMPLETE
        assert row.side == side
        assert row.result == table.result
        assert row.game_id == table.game_id
        assert row.player == table.player_of(side)
        assert row.opponent == homes[1 - side].name
        assert row.opponent_identity == homes[1 - side].store.identity().public
        assert (row.seed, row.line_seed, row.invitation) == (None, None, None)


async def test_a_whole_game_is_kept_by_both_and_its_secrets_by_nobody(
    homes: tuple[Home, Home],
) -> None:
    invitation = await play(homes)
    for home in homes:
        assert isinstance(home.outcome, list), home.outcome
        assert [played.number for played in home.outcome] == [1]
        assert invitation.secret not in (home.path / "whitby.sqlite3").read_bytes()
    assert_complete(homes)


async def test_as_many_games_are_played_as_both_like_with_the_seats_exchanged(
    homes: tuple[Home, Home],
) -> None:
    class Once(Player):
        async def again(self) -> bool:
            self.times_asked = getattr(self, "times_asked", 0) + 1
            return self.times_asked == 1

    for home in homes:
        home.player = Once(choosing=after(0, Quit.RESIGN))
    homes[GUEST].player = Once()
    homes[HOST].player = Once(choosing=lambda asked: Quit.RESIGN)
    await play(homes, offering=Offering(seat=0))
    for number in (1, 2):
        assert_complete(homes, number)
    assert [row.player for row in homes[HOST].rows] == [1, 0]
    for home in homes:
        assert isinstance(home.outcome, list)
        assert [played.number for played in home.outcome] == [1, 2]


@pytest.mark.parametrize("side", SIDES, ids=["host", "guest"])
async def test_a_game_that_was_left_goes_on_where_it_stood(
    homes: tuple[Home, Home], side: int
) -> None:
    homes[side].player = Player(choosing=after(3, Quit.LEAVE))
    await play(homes)
    for home in homes:
        assert isinstance(home.outcome, LeftError)
        assert home.outcome.exit_code == ExitCode.UNFINISHED
        (row,) = home.rows
        assert row.status is Status.PLAYING
        assert row.seed is not None
    before = min((home.entries() for home in homes), key=len)
    for home in homes:
        home.player = Player(choosing=after(2, Quit.RESIGN))
    await go_on(homes)
    assert_complete(homes)
    assert homes[HOST].entries()[: len(before)] == before


async def test_a_game_that_is_over_cannot_be_resumed(homes: tuple[Home, Home]) -> None:
    for home in homes:
        home.player = Player(choosing=after(0, Quit.RESIGN))
    await play(homes)
    for home in homes:
        with pytest.raises(PeerError, match="nothing to go on with"):
            await resume(home.profile, home.rows[0])


async def test_a_game_that_is_open_elsewhere_is_not_played_twice(homes: tuple[Home, Home]) -> None:
    homes[HOST].player = Player(choosing=after(1, Quit.LEAVE))
    await play(homes)
    for home in homes:
        with home.store.lock(1), pytest.raises(StoreError, match="another whitby"):
            await resume(home.profile, home.rows[0])


async def test_a_game_that_never_began_is_forgotten(homes: tuple[Home, Home]) -> None:
    homes[GUEST].player = Player(waiting=after(1, Quit.LEAVE))  # after the line, before the offer
    await play(homes)
    for home in homes:
        assert isinstance(home.outcome, LeftError)
    assert homes[GUEST].rows == []
    for row in homes[HOST].rows:  # if the offer was on its way, the guest may come back with it
        assert (row.entries, row.opponent, row.status) == (1, None, Status.PLAYING)


async def test_an_invitation_to_nowhere_leaves_nothing_behind(homes: tuple[Home, Home]) -> None:
    listeners = await trio.open_tcp_listeners(0, host=LOOPBACK)
    port = listeners[0].socket.getsockname()[1]
    await listeners[0].aclose()
    invitation = Invitation(bytes(16), bytes(16), (Address(LOOPBACK, port),))
    with pytest.raises(UnreachableError):
        await join(homes[GUEST].profile, invitation)
    assert homes[GUEST].rows == []


async def test_a_host_who_waits_in_vain_may_stop(homes: tuple[Home, Home]) -> None:
    homes[HOST].player = Player(waiting=after(0, Quit.LEAVE))
    with pytest.raises(LeftError):
        await host(homes[HOST].profile, HERE, Offering(), lambda _: None)
    assert homes[HOST].rows == []


# --- lines that break -------------------------------------------------------------------------


@asynccontextmanager
async def relay(to: Callable[[], int], cuts: list[int]) -> AsyncIterator[int]:
    """A port that leads to another one; each connection is cut after the next of `cuts`."""

    async def carry(source: trio.abc.ReceiveStream, sink: trio.abc.SendStream) -> None:
        async for chunk in source:
            await sink.send_all(chunk)

    async def serve(stream: trio.SocketStream) -> None:
        limit = cuts.pop(0) if cuts else 1 << 30
        async with stream, await trio.open_tcp_stream(LOOPBACK, to()) as onwards:
            near, far = CutStream(stream, limit), CutStream(onwards, limit)
            try:
                async with trio.open_nursery() as nursery:
                    for source, sink in ((stream, far), (onwards, near)):

                        async def one_way(
                            source: trio.SocketStream = source, sink: CutStream = sink
                        ) -> None:
                            await carry(source, sink)
                            nursery.cancel_scope.cancel()

                        nursery.start_soon(one_way)
            except* (trio.BrokenResourceError, trio.ClosedResourceError):
                pass

    (listener,) = await trio.open_tcp_listeners(0, host=LOOPBACK)
    async with background(partial(trio.serve_listeners, serve, [listener])):
        yield listener.socket.getsockname()[1]


def free_port(listener: trio.SocketListener) -> int:
    port: int = listener.socket.getsockname()[1]
    return port


async def test_a_game_goes_on_by_itself_when_the_line_is_back(homes: tuple[Home, Home]) -> None:
    (probe,) = await trio.open_tcp_listeners(0, host=LOOPBACK)
    port = free_port(probe)
    await probe.aclose()
    cuts = [9_000, 2_000, 200, 14_000]
    async with relay(lambda: port, cuts) as public:
        await play(homes, Listen(LOOPBACK, port, ((LOOPBACK, public),)))
    assert cuts == []
    for home in homes:
        assert isinstance(home.outcome, list), home.outcome
        notices = [news.text for news in home.player.of(Notice)]
        assert any("goes on when the line is back" in text for text in notices)
    assert_complete(homes)


async def test_one_who_waits_for_the_line_may_leave(homes: tuple[Home, Home]) -> None:
    homes[HOST].player = Player(choosing=after(2, Quit.LEAVE))
    await play(homes)
    row = homes[GUEST].rows[0]
    homes[GUEST].player = Player(waiting=lambda asked: (Quit.CLAIM, Quit.LEAVE)[asked])
    with pytest.raises(LeftError):
        await resume(homes[GUEST].profile, row)
    assert homes[GUEST].rows[0].status is Status.PLAYING


# --- cheating ---------------------------------------------------------------------------------


async def test_the_evidence_against_a_cheat_convinces_a_third_party(
    homes: tuple[Home, Home], capsys: pytest.CaptureFixture[str]
) -> None:
    cheat = Cheat(GUEST, at_the_second(Kind.ACT, lambda entry, _: [sign(entry, body=Act(4_000))]))
    announced = trio.Event()
    invitations: list[Invitation] = []

    def announce(invitation: Invitation) -> None:
        invitations.append(invitation)
        announced.set()

    async def come() -> None:
        await announced.wait()
        (address,) = invitations[0].addresses
        stream = await trio.open_tcp_stream(address.host, address.port)
        await cheat.play(stream, invitations[0])

    with trio.fail_after(60):
        async with background(come):
            with pytest.raises(CheatError) as caught:
                await host(homes[HOST].profile, HERE, Offering(), announce)
    assert caught.value.exit_code == ExitCode.CHEATED
    (evidence,) = homes[HOST].path.glob("evidence*")
    assert str(evidence) in str(caught.value)
    assert cheat.has_cheated
    kept = homes[HOST].entries()
    shown = read_record(evidence.read_bytes()).entries
    assert list(shown[: len(kept)]) == kept
    assert len(shown) > len(kept)
    assert main(["verify", str(evidence)]) == ExitCode.CHEATED
    told = capsys.readouterr().err
    assert "illegal-action" in told
    assert "the guest" in told
    assert Table.replay(kept, GAMES).result is None


async def test_where_no_evidence_can_be_written_the_cheat_is_named_nevertheless(
    homes: tuple[Home, Home],
) -> None:
    cheat = Cheat(GUEST, at_the_second(Kind.ACT, lambda entry, _: [sign(entry, body=Act(4_000))]))
    profile = replace(homes[HOST].profile, home=homes[HOST].path / "nowhere")
    invitations, invited = trio.open_memory_channel[Invitation](1)

    async def come() -> None:
        invitation = await invited.receive()
        stream = await trio.open_tcp_stream(LOOPBACK, invitation.addresses[0].port)
        await cheat.play(stream, invitation)

    async with background(come):
        with pytest.raises(CheatError, match="broke the rules"):
            await host(profile, HERE, Offering(), invitations.send_nowait)


# --- where to listen --------------------------------------------------------------------------


async def test_an_invitation_has_room_for_so_many_addresses(homes: tuple[Home, Home]) -> None:
    where = Listen(LOOPBACK, 0, tuple((f"h{n}.example", None) for n in range(9)))
    with pytest.raises(PeerError, match="8 addresses"):
        await host(homes[HOST].profile, where, Offering(), lambda _: None)


async def test_addresses_are_checked_before_anybody_can_come(homes: tuple[Home, Home]) -> None:
    with pytest.raises(PeerError, match=r"--address|Cannot listen"):
        await host(homes[HOST].profile, Listen("::1%lo"), Offering(), lambda _: None)
