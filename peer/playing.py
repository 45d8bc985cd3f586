"""Ways into a game: host one, join one, resume one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

import trio

from peer.errors import PeerError
from peer.games import DRACULA_VS_VAN_HELSING
from peer.invitation import MAX_ADDRESSES, SECRET_BYTES, Address, Invitation
from peer.invitation import fingerprint as key_fingerprint
from peer.link import Link, line_key
from peer.meeting import Credentials, Door, dial, listen, own_addresses, port_of, redial
from peer.seat import Notice, Seat
from peer.series import NewLine, Place, Played, Profile, Series, leads_to
from peer.serving import Hall
from peer.store import GameRow
from peer.tasks import background
from peer.world import Network
from protocol.course import Terms
from protocol.script import GUEST

Announce = Callable[[Invitation], None]


@dataclass(frozen=True, slots=True)
class Listen:
    """Where a host listens, and what its invitation says of that."""

    bind: str | None = None
    port: int = 0
    addresses: tuple[tuple[str, int | None], ...] = ()
    """Hosts and ports for the invitation, None for the port we listen on; if empty, our own."""

    async def open(self, network: Network) -> tuple[list[trio.SocketListener], list[Address]]:
        """Listen; returns also the addresses that an invitation is to name.

        Raises:
            PeerError: we can't listen there, or nobody could find us there.
        """
        if len(self.addresses) > MAX_ADDRESSES:
            raise PeerError("An invitation has room for {n} addresses.", n=MAX_ADDRESSES)
        listeners = await listen(self.bind, self.port, network)
        port = port_of(listeners)
        try:
            named = [Address(host, at or port) for host, at in self.addresses]
            return listeners, named or own_addresses(self.bind, port)
        except BaseException:
            for listener in listeners:
                listener.socket.close()
            raise


@dataclass(frozen=True, slots=True)
class Offering:
    """What a host offers: its seat (None: a coin), the game's options, and a clock.

    `clock` is (seconds to think in the whole game, seconds more for each decision), or None.
    """

    seat: int | None = None
    options: bytes = b""
    clock: tuple[int, int] | None = None


async def host(
    profile: Profile, where: Listen, offering: Offering, announce: Announce
) -> list[Played]:
    """Invite somebody and play with whoever comes, as many games as both like.

    `announce` is given the invitation once somebody can come.

    Raises:
        PeerError: a game could not be played to its end; it says what happened.
    """
    line_seed = profile.world.rng(32)
    credentials = _credentials(profile, line_seed)
    listeners, addresses = await where.open(profile.world.network)
    invitation = Invitation.create(
        credentials.key.public_key().public_bytes_raw(), addresses, profile.world.rng
    )
    door = Door(listeners, invitation, credentials)
    announce(invitation)
    async with background(door.run):
        place = Place(invitation, line_seed, where.bind, port_of(listeners))
        return await Series(profile, place, door.link).start(_terms(profile, offering))


async def serve(
    profile: Profile,
    where: Listen,
    offering: Offering,
    announce: Announce,
    *,
    new_seat: Callable[[], Seat],
    max_games: int,
) -> None:
    """Play with everybody who comes with the invitation, which stays the same, until cancelled.

    Raises:
        PeerError: we can't listen.
    """
    line_seed = profile.store.derive("line of serve")
    credentials = _credentials(profile, line_seed)
    listeners, addresses = await where.open(profile.world.network)
    invitation = Invitation(
        profile.store.derive("invitation of serve")[:SECRET_BYTES],
        key_fingerprint(credentials.key.public_key().public_bytes_raw()),
        tuple(addresses),
    )
    announce(invitation)
    await Hall(
        listeners,
        Place(invitation, line_seed, where.bind, port_of(listeners)),
        credentials,
        profile,
        terms=lambda: _terms(profile, offering),
        new_seat=new_seat,
        max_games=max_games,
    ).serve()


async def join(profile: Profile, invitation: Invitation) -> list[Played]:
    """Play with the host who made `invitation`, or go on with the game that it has led to.

    Raises:
        PeerError: the host can't be reached, or a game could not be played to its end.
    """
    for row in profile.store.games():
        if row.side == GUEST and row.entries and leads_to(invitation, row):
            return await resume(profile, row, invitation=invitation)
    place = Place(invitation, profile.world.rng(32))
    return await Series(profile, place, _lines_to_host(profile, place, is_new=True)).start(None)


async def resume(
    profile: Profile,
    row: GameRow,
    *,
    where: Listen | None = None,
    announce: Announce | None = None,
    invitation: Invitation | None = None,
) -> list[Played]:
    """Go on with a game that was left.

    A host listens where it did, or at `where`; `announce` is given the invitation for the same
    guest, which names the new addresses.  A guest dials the addresses it knows, or those of a
    newer `invitation`.

    Raises:
        PeerError: there is nothing to go on with, or a game could not be played to its end.
    """
    if row.line_seed is None or row.invitation is None:
        raise PeerError("Game {game} is over: there is nothing to go on with.", game=row.number)
    with profile.store.lock(row.number):
        pass  # who plays it now must not be found at another address all of a sudden
    invitation = invitation or Invitation.parse(row.invitation)
    if row.side == GUEST:
        profile.store.describe(row.number, invitation=invitation.to_text())
        place = Place(invitation, row.line_seed)
        return await Series(profile, place, _lines_to_host(profile, place)).resume(row)
    is_moved = where is not None
    where = where or Listen(row.address, row.port or 0)
    listeners, addresses = await where.open(profile.world.network)
    port = port_of(listeners)
    if not is_moved:  # what was named before may be a router's address, which we can't see
        addresses = list(dict.fromkeys([*addresses, *invitation.addresses]))[:MAX_ADDRESSES]
    invitation = replace(invitation, addresses=tuple(addresses))
    profile.store.describe(
        row.number, invitation=invitation.to_text(), address=where.bind, port=port
    )
    door = Door(listeners, invitation, _credentials(profile, row.line_seed), row.opponent_identity)
    if announce is not None:
        announce(invitation)
    async with background(door.run):
        place = Place(invitation, row.line_seed, where.bind, port)
        return await Series(profile, place, door.link).resume(row)


def _terms(profile: Profile, offering: Offering) -> Terms:
    date = int(profile.world.date())
    return Terms(DRACULA_VS_VAN_HELSING, offering.options, offering.seat, date, offering.clock)


def _credentials(profile: Profile, line_seed: bytes) -> Credentials:
    return Credentials(line_key(line_seed), profile.store.identity(), profile.world.rng)


def _lines_to_host(profile: Profile, place: Place, *, is_new: bool = False) -> NewLine:
    """Dial, and dial again.  A new game is not worth waiting for: the first time is the last."""
    credentials: Final = _credentials(profile, place.line_seed)
    network: Final = profile.world.network
    first = is_new

    @asynccontextmanager
    async def new_line() -> AsyncIterator[Link]:
        nonlocal first
        if first:
            first = False
            way = dial(place.invitation, credentials, network)
        else:
            way = redial(
                place.invitation,
                credentials,
                lambda text: profile.seat.tell(Notice(text)),
                network,
            )
        async with way as link:
            yield link

    return new_line
