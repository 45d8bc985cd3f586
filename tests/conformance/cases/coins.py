"""Coins: what was committed to is what must be opened."""

from protocol import coin
from protocol.entries import Commit, Entry, Kind, Open
from protocol.errors import Fault
from protocol.line import Entries
from tests.conformance.bench import HELSING, Bench
from tests.conformance.case import case
from tests.conformance.cases.forms import departs
from tests.conformance.forging import context, flip, other_contexts, sign, sign_body
from tests.conformance.player import Player

OPENED = "What is opened MUST be what was committed to"


def _another(player: Player, entry: Entry) -> bytes:
    return sign_body(player, entry, value=flip(entry.body.values()[0]))  # type: ignore[arg-type]


departs(
    "opening-of-another-value",
    "11.1",
    OPENED,
    "opens another value than it has committed to",
    _another,
    Fault.BAD_OPENING,
    kinds=(Kind.OPEN,),
)


async def _commits_elsewhere(bench: Bench, name: str) -> None:
    """Commit to a good value in another context, and open that."""
    player = await bench.game_as(HELSING)
    while not (player.is_ours and player.due.kind is Kind.COMMIT):
        await player.step()
    value = b"\x07" * 32
    number, previous = len(player.table.entries), player.table.head
    honest = player.write()
    there = other_contexts(context(player, honest))[name]
    commit = sign(player, honest, body=Commit(coin.commit(value, there)))
    await player.line.say(Entries((commit,)))
    answer = await player.hear()
    assert isinstance(answer, Entries)
    theirs = Entry.decode(answer.raws[0])
    assert (theirs.number, honest.previous) == (number + 1, previous)
    forged = Entry.sign(
        number + 2, player.side, theirs.head, Open(value), b"\x05" * 32, player.identity
    )
    await player.send(forged.raw)
    await player.is_refused(Fault.BAD_OPENING, after=number + 2)


@case(
    "5.2",
    "A commitment MUST be bound to its context",
    does="commits to a value as it would be right for the other side, and opens it",
    expects="REFUSAL bad-opening",
)
async def commitment_for_another_side(bench: Bench) -> None:
    await _commits_elsewhere(bench, "side")


@case(
    "5.2",
    "A commitment MUST be bound to its place in the record",
    does="commits to a value as it would be right after another head, and opens it",
    expects="REFUSAL bad-opening",
)
async def commitment_after_another_head(bench: Bench) -> None:
    await _commits_elsewhere(bench, "head")
