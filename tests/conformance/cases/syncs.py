"""SYNC: two records are compared, and what is missing is sent again, byte for byte."""

from protocol.entries import Entry, Kind
from protocol.errors import Fault
from protocol.line import Bye, Entries, Reason, Sync
from protocol.script import HOST
from tests.conformance.bench import Bench
from tests.conformance.case import Case, FailedError, add, case
from tests.conformance.player import Player, describe

LOST = 4
"""So many entries we pretend to have lost, their author's or not."""


async def interrupted(bench: Bench, kind: Kind = Kind.SHUFFLE) -> Player:
    """A game that was broken off by a cut, and a new line up to the hellos."""
    player = await bench.game()
    await player.until_our_turn(kind)
    await player.line.cut()
    await player.connect()
    return player


def _first_sync(name: str, does: str, sync: Sync | Entries, fault: Fault, title: str) -> None:
    async def run(bench: Bench) -> None:
        player = bench.player()
        await player.connect()
        await player.line.say(sync)
        while isinstance(message := await player.hear(), Sync):
            pass
        player._kept.insert(0, message)
        await player.is_refused(fault)

    add(Case(name, "13.6", title, does, f"REFUSAL {fault.value}", run))


_first_sync(
    "head-of-nothing",
    "says that it has no entry, and a head that is not 32 zero bytes",
    Sync(None, 0, b"\x01" * 32),
    Fault.BROKEN_CHAIN,
    "The head after the shorter record MUST be the same on both sides",
)
_first_sync(
    "entries-before-sync",
    "sends ENTRIES where SYNC is due",
    Entries((b"\xc0",)),
    Fault.UNEXPECTED,
    "SYNC MUST come before all other messages",
)
_first_sync(
    "sync-with-a-short-head",
    "sends a SYNC whose head has 31 bytes",
    Sync(None, 0, bytes(31)),
    Fault.MALFORMED,
    "SYNC MUST have the fields of 13.5",
)
_first_sync(
    "sync-with-a-short-game-id",
    "sends a SYNC whose game id has 31 bytes",
    Sync(bytes(31), 0, bytes(32)),
    Fault.MALFORMED,
    "A game id MUST have 32 bytes, or there is none",
)


@case(
    "13.6",
    "Where the records differ, a side MUST refuse to go on",
    does="comes back after a cut with another head for an entry that both have",
    expects="REFUSAL broken-chain",
)
async def other_head(bench: Bench) -> None:
    player = await interrupted(bench)
    await player.line.say(Sync(player.game_id, len(player.table.entries) - 1, b"\x05" * 32))
    await _overlook_sync(player)
    await player.is_refused(Fault.BROKEN_CHAIN)


@case(
    "13.6",
    "Where both name a game and these differ, a side MUST say BYE 2",
    does="comes back after a cut with the id of another game",
    expects="BYE 2",
)
async def other_game(bench: Bench) -> None:
    player = await interrupted(bench)
    await player.line.say(Sync(b"\x05" * 32, len(player.table.entries), player.table.head))
    await _overlook_sync(player)
    await player.is_declined()


async def _overlook_sync(player: Player) -> None:
    message = await player.hear()
    if not isinstance(message, Sync):
        player._kept.insert(0, message)


async def _comes_back(bench: Bench, kind: Kind, lost: int) -> None:
    player = await bench.game()
    await player.until_our_turn(kind)
    await player.line.cut()
    await player.connect()
    await player.sync(lost=lost)
    table = player.table
    if player.theirs.count != len(table.entries):
        raise FailedError(f"it has {player.theirs.count} entries of {len(table.entries)}")
    await _sent_again(player, lost)
    await player.go_on()
    await player.resign()


async def _sent_again(player: Player, lost: int) -> None:
    """See exactly the last `lost` entries come, as they were."""
    missing = [entry.raw for entry in player.table.entries[-lost:]] if lost else []
    while missing:
        message = await player.hear()
        if not isinstance(message, Entries):
            raise FailedError(f"{describe(message)} came where entries were to be sent again")
        for raw in message.raws:
            if not missing or raw != missing.pop(0):
                number = Entry.decode(raw).number
                raise FailedError(f"entry {number} was sent again with other bytes, or in vain")


for _kind, _name in (
    (Kind.SHARE, "in-the-deal"),
    (Kind.SHUFFLE, "before-a-shuffle"),
    (Kind.ACT, "in-play"),
):
    for _lost in (0, LOST):

        async def _run(bench: Bench, kind: Kind = _kind, lost: int = _lost) -> None:
            await _comes_back(bench, kind, lost)

        add(
            Case(
                f"cut-{_name}" + ("-with-losses" if _lost else ""),
                "13.6",
                "After a break the entries that are missing MUST be sent byte for byte as before",
                "cuts the connection, and comes back"
                + (f" as one who lacks the last {_lost} entries" if _lost else ""),
                "exactly what is missing is sent, as it was, and the game goes on",
                _run,
            )
        )


@case(
    "13.6",
    "What the other side lacks MUST be taken after a break",
    does="writes an entry, cuts the connection before it is sent, and sends it after SYNC",
    expects="the game goes on with it",
)
async def entry_held_back(bench: Bench) -> None:
    player = await bench.game()
    await player.until(Kind.SHUFFLE)
    await player.line.cut()
    await player.connect()
    await player.sync()
    await player.go_on()
    await player.resign()


@case(
    "13.6",
    "A game that was broken off before it has an id MUST begin anew",
    does="cuts the connection before the first entry that fixes the game, and comes back",
    expects="a game can be played",
    subjects=(HOST,),
)
async def cut_before_the_game(bench: Bench) -> None:
    player = await bench.game()
    await player.until_our_turn(Kind.ACCEPT)
    await player.line.cut()
    again = bench.player(player.identity)
    await again.connect()
    await again.sync()
    await again.resign()


@case(
    "13.7",
    "After BYE 1 the game MUST go on on another line, with nothing said twice in another way",
    does="leaves with BYE 1, comes back, and asks for the last entries again",
    expects="they are sent as they were, and the game goes on",
    subjects=(HOST,),
)
async def sent_again_after_bye(bench: Bench) -> None:
    player = await bench.game()
    await player.until_our_turn(Kind.SHUFFLE)
    await player.line.say(Bye(Reason.LEFT))
    await player.is_closed()
    await player.connect()
    await player.sync(lost=LOST)
    await _sent_again(player, LOST)
    await player.go_on()
    await player.resign()
