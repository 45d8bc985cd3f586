"""Who may sit down at a table: other games go on beside, and nobody takes another's place."""

from protocol.entries import Kind
from protocol.errors import Fault
from protocol.line import Bye, Entries, Message, Refusal, Sync
from protocol.script import GUEST, HOST
from tests.conformance.bench import HELSING, Bench
from tests.conformance.case import Case, FailedError, add, case
from tests.conformance.forging import sign, sign_body
from tests.conformance.player import Player


@case(
    "13.1",
    "A new line of the guest MUST replace an older one",
    does="opens a second line with the same identity while the first is up",
    expects="the first is closed, and the game goes on over the second",
    subjects=(HOST,),
)
async def second_line(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.SHUFFLE)
    first = player.line
    await player.connect()
    await player.sync()
    await bench.is_closed(first)
    await player.go_on()
    await player.resign()


@case(
    "13.4",
    "Nobody MUST be let into the running game of another identity",
    does="comes with a stranger's identity, and names the running game and its next entry",
    expects="none of its entries is told to the stranger, and the game goes on without them",
    subjects=(HOST,),
)
async def stranger_in_a_running_game(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    entry = await player.until(Kind.SHUFFLE)
    stranger = bench.player()
    await stranger.connect()
    await stranger.line.say(Sync(player.table.game_id, 2, player.table.entries[1].head))
    await stranger.line.say(Entries((entry.raw,)))
    known = {e.raw for e in player.table.entries}
    while (message := await _next_or_nothing(stranger)) is not None:
        if isinstance(message, Entries) and known & set(message.raws):
            raise FailedError("it tells a stranger the entries of somebody's game")
        if isinstance(message, Bye | Refusal | Entries):
            break
    await stranger.line.cut()
    await player.send(entry.raw)
    await player.go_on()
    await player.resign()


async def _next_or_nothing(player: Player) -> Message | None:
    try:
        return await player.hear()
    except FailedError:
        return None


@case(
    "13.8",
    "A game MUST go on while others misbehave",
    does="plays honestly while somebody else is refused, and a third cuts its line",
    expects="the honest game goes on",
    subjects=(HOST,),
)
async def game_beside_others(bench: Bench) -> None:
    honest = await bench.game_as(HELSING)
    await honest.until_our_turn(Kind.SHARE)
    other = await bench.game()
    entry = await other.until(Kind.ACCEPT)
    await other.send(sign(other, entry, state=b"\x05" * 32))
    third = await bench.game()
    await third.until_our_turn(Kind.SHUFFLE)
    await third.line.cut()
    await other.is_refused(Fault.STATE_MISMATCH, after=entry.number)
    await honest.until_our_turn(Kind.ACT)
    await honest.resign()


@case(
    "14.6",
    "A game that was ended by a fault MUST NOT go on, over another line either",
    does="is refused for equivocation, and comes back to the same game",
    expects="the game does not go on as if nothing had happened to the forged entry",
    subjects=(HOST,),
)
async def coming_back_after_a_fault(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    entry = await player.until(Kind.SHUFFLE)
    forged = sign(player, entry, state=b"\x05" * 32)
    await player.send(forged)
    await player.is_refused(Fault.STATE_MISMATCH, after=entry.number)
    await player.connect()
    await player.line.say(Sync(player.table.game_id, entry.number, entry.previous))
    try:
        message = await player.hear()
    except FailedError:
        return  # it does not want us back, which is its right
    if isinstance(message, Sync) and message.count > entry.number:
        raise FailedError("it has kept the entry that it refused")


# --- what is offered ------------------------------------------------------------------------------


def _offer(name: str, does: str, **changes: object) -> None:
    async def run(bench: Bench) -> None:
        player = await bench.game()
        entry = await player.until(Kind.OFFER)
        await player.send(sign_body(player, entry, **changes))
        await player.is_declined()

    title = "An OFFER of another version, game or options MUST be declined with BYE 2"
    add(Case(f"offer-of-{name}", "14.5", title, does, "BYE 2", run, (GUEST,)))


_offer("another-version", "offers a game under whitby/2", protocol="whitby/2")
_offer("another-game", "offers chess", game="chess/1")
_offer("other-options", "offers the game with options of two bytes", options=b"\x0b\x0b")
_offer("impossible-options", "offers a Dracula with 200 health points", options=b"\xc8")
_offer(
    "options-in-a-second-spelling", "spells out the options of the standard game", options=b"\x0c"
)
