"""What has to be true when a run is over: of both disks, and of every record on them."""

from engine.state import State
from peer.games import GAMES
from peer.store import FILE, Status, Store
from protocol.claim import Claim
from protocol.errors import ProtocolError
from protocol.record import read_record, write_record
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn
from tests.simulation.people import Person
from tests.simulation.watch import Watch


def examine(people: list[Person], watch: Watch) -> None:
    """Report whatever is wrong with what the two have on their disks."""
    for person in people:
        _examine_disk(person, watch)
    host, guest = people[HOST], people[GUEST]
    for number, theirs in guest.disk.entries.items():
        at_host = host.disk.number_of(theirs[0])
        if at_host is not None:
            _compare(host, at_host, guest, number, watch)
        elif len(theirs) > 1:
            watch.report(f"the guest has accepted game {number}, and the host has lost it")
    for number, ours in host.disk.entries.items():
        if len(ours) > 1 and guest.disk.number_of(ours[0]) is None:
            watch.report(f"the host has game {number}, and the guest has lost it")


def _examine_disk(person: Person, watch: Watch) -> None:
    """What the store says is what was written, and no secret of a complete game is left."""
    name, disk = person.name, person.disk
    with Store.open(disk.home) as store:
        rows = {row.number: row for row in store.games()}
        for number, entries in disk.entries.items():
            if number not in rows or store.entries(number) != [entry.raw for entry in entries]:
                watch.report(f"{name} has lost what it had of game {number}")
        for number in rows:
            _check_claims(person, number, store.claims(number), watch)
    files = b"".join(path.read_bytes() for path in disk.home.glob(f"{FILE}*"))
    for number, row in rows.items():
        if row.status is not Status.COMPLETE:
            continue
        if disk.seeds[number] in files:
            watch.report(f"{name} still has the seed of game {number}, which is complete")
        if (row.seed, row.line_seed, row.invitation) != (None, None, None):
            watch.report(f"{name} still has the keys of game {number}, which is complete")


def _check_claims(person: Person, number: int, claims: list[bytes], watch: Watch) -> None:
    entries = person.disk.entries.get(number, [])
    for raw in claims:
        claim = Claim.decode(raw)
        try:
            claim.check_signature(person.identity_of(claim.side).public)
        except ProtocolError as error:
            watch.report(f"{person.name} has a claim in game {number} that doesn't hold: {error}")
        if claim.count <= len(entries) and entries[claim.count - 1].head != claim.head:
            watch.report(f"{person.name} has a claim about another record of game {number}")


def _compare(host: Person, at_host: int, guest: Person, at_guest: int, watch: Watch) -> None:
    """Two records of one game: equal, or one is the beginning of the other."""
    records = host.disk.entries[at_host], guest.disk.entries[at_guest]
    for ours, theirs in zip(*records, strict=False):
        if ours.raw != theirs.raw:
            watch.report(f"the records of game {at_host} differ at entry {ours.number}")
            return
    longer = max(records, key=len)
    if len(longer) < 2:
        return  # an offer that nobody has accepted
    try:
        table = Table.replay(read_record(write_record(e.raw for e in longer)).entries, GAMES)
    except ProtocolError as error:
        watch.report(f"the record of game {at_host} doesn't hold: {error}")
        return
    if table.turn is not Turn.DONE:
        watch.report(f"game {at_host} has not been ended: {table.step} is due")
    for person, number in ((host, at_host), (guest, at_guest)):
        _check_end(person, number, table, watch)
    watch.fate.counts["games"] += 1
    watch.fate.counts["entries"] += len(longer)


def _check_end(person: Person, number: int, table: Table[State], watch: Watch) -> None:
    """The store knows how a game has ended, and that it is complete.

    But whoever wrote the last entry may never have heard that it has arrived.
    """
    with Store.open(person.disk.home) as store:
        row = store.game(number)
    if row.result != table.result:
        watch.report(f"{person.name} has {row.result} for {table.result} in game {number}")
    if row.entries < len(table.entries):
        watch.report(f"{person.name} has only {row.entries} entries of game {number}")
    if row.status is not Status.COMPLETE:
        watch.fate.counts["ends not acknowledged"] += 1
        if table.entries[-1].author != person.side:
            watch.report(f"{person.name} has all of game {number}, but it is {row.status.value}")
