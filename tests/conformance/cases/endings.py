"""How a game ends: resigned, by agreement, unsealed; and what is not due then."""

from protocol.entries import Entry, Kind, Propose, Reply
from protocol.errors import Fault
from protocol.line import Again, Bye, Reason
from protocol.script import HOST
from protocol.table import Turn
from tests.conformance.bench import DRACULA, HELSING, Bench
from tests.conformance.case import FailedError, SkippedError, case
from tests.conformance.cases.games import check_record
from tests.conformance.forging import sign
from tests.conformance.player import Player, describe


@case(
    "14.7",
    "RESIGN MUST be possible instead of any decision",
    does="resigns as Dracula when a decision is due, and unseals",
    expects="the other side unseals too, and the record is complete",
)
async def resigning_in_play(bench: Bench) -> None:
    player = await bench.game_as(DRACULA)
    await player.until_our_turn(Kind.ACT)
    await player.resign()
    check_record(player)


@case(
    "14.7",
    "RESIGN MUST be possible instead of any entry that is due in play",
    does="resigns where its SHUFFLE is due",
    expects="the other side unseals, and the record is complete",
)
async def resigning_before_the_deal(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.SHUFFLE)
    await player.resign()


@case(
    "14.7",
    "PROPOSE MUST be answered by REPLY, and the game end or go on accordingly",
    does="proposes to end the game when a decision is due",
    expects="REPLY, and then the end without a winner, or the game as it was",
)
async def proposing(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.ACT)
    await player.send(player.table.propose().raw)
    while player.table.turn is Turn.WAIT:
        await player.listen()
    if player.table.result is None:
        return await player.resign()
    if player.table.result.winner is not None:
        raise FailedError("somebody has won an agreed end")
    return await player.finish()


@case(
    "14.2",
    "PROPOSE MUST be refused where there was one since the last ACT",
    does="proposes, and where that is declined, proposes again",
    expects="REFUSAL unexpected; skipped where the peer agrees",
)
async def proposing_twice(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.ACT)
    await player.send(player.table.propose().raw)
    while player.table.turn is Turn.WAIT:
        await player.listen()
    if player.table.result is not None:
        await player.finish()
        raise SkippedError("it has agreed at once")
    last = player.table.entries[-1]
    again = Entry.sign(
        last.number + 1, player.side, last.head, Propose(), last.state, player.identity
    )
    await player.send(again.raw)
    await player.is_refused(Fault.UNEXPECTED, after=again.number)


@case(
    "14.2",
    "PROPOSE before the seats are taken MUST be refused",
    does="proposes to end the game where its first entry is due",
    expects="REFUSAL unexpected",
)
async def proposing_before_the_game(bench: Bench) -> None:
    player = await bench.game()
    entry = await player.until(Kind.ACCEPT, Kind.KEY)
    await player.send(sign(player, entry, body=Propose()))
    await player.is_refused(Fault.UNEXPECTED, after=entry.number)


@case(
    "14.2",
    "REPLY MUST be refused where nothing is proposed",
    does="agrees to an end that nobody has proposed",
    expects="REFUSAL unexpected",
)
async def reply_to_nothing(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    entry = await player.until(Kind.ACT)
    await player.send(sign(player, entry, body=Reply(1)))
    await player.is_refused(Fault.UNEXPECTED, after=entry.number)


async def _complete(bench: Bench) -> Player:
    """A game whose record is complete, on a line that is still there."""
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.SHUFFLE)
    await player.send(player.table.resign().raw)
    while player.table.step is not None:
        await player.step()
    return player


@case(
    "14.2",
    "Nothing MUST be added to a record that is complete",
    does="sends one more entry after the last UNSEAL",
    expects="no answer to it but REFUSAL unexpected, or that the line is closed",
)
async def entry_after_the_end(bench: Bench) -> None:
    player = await _complete(bench)
    last = player.table.entries[-1]
    more = Entry.sign(
        last.number + 1, player.side, last.head, Propose(), last.state, player.identity
    )
    await player.send(more.raw)
    await player.line.say(Bye(Reason.DONE))
    while (message := await player.hear_last()) is not None and not isinstance(message, Bye):
        match message:
            case Again():
                pass
            case _ if describe(message).startswith("REFUSAL unexpected"):
                return
            case _:
                raise FailedError(f"{describe(message)} came after the end")


@case(
    "13.7",
    "Where both say AGAIN, a new game MUST begin on the same line, with the seats exchanged",
    does="says AGAIN when the record is complete, and plays on if the other side does",
    expects="another game with the seats exchanged, or BYE 0",
)
async def playing_again(bench: Bench) -> None:
    player = await _complete(bench)
    await player.line.say(Again())
    match message := await player.hear_last():
        case Bye() | None:
            return
        case Again():
            pass
        case _:
            raise FailedError(f"{describe(message)} came where AGAIN or BYE was due")
    seat = 1 - player.table.player
    second = bench.player(player.identity, seat=seat)
    second.line = player.line
    await second.sync()
    await second.until_seated()
    if second.table.player != seat:
        raise FailedError("the seats were not exchanged")
    if second.table.entries[0].raw == player.table.entries[0].raw:
        raise FailedError("the second game begins with the offer of the first")
    await second.resign()


@case(
    "13.7",
    "After a game on the same line, secrets and keys MUST be new",
    does="plays two games, and compares the key shares of the other side",
    expects="another key share in each game",
)
async def keys_of_two_games(bench: Bench) -> None:
    player = await _complete(bench)
    await player.line.say(Again())
    if not isinstance(await player.hear_last(), Again):
        return
    second = bench.player(player.identity, seat=1 - player.table.player)
    second.line = player.line
    await second.sync()
    await second.until_seated()
    if _their_key(player) == _their_key(second):
        raise FailedError("it uses one key for two games")
    await second.resign()


def _their_key(player: Player) -> bytes:
    kind = Kind.ACCEPT if player.side == HOST else Kind.KEY
    body = next(entry.body for entry in player.table.entries if entry.kind is kind)
    share: bytes = body.key_share  # type: ignore[attr-defined]
    return share[:32]
