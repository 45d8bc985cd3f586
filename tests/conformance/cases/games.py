"""Honest games: whole ones at both seats, and everything else that must simply work."""

import trio

from peer.games import GAMES
from protocol.entries import Kind
from protocol.line import Bye, Reason
from protocol.script import HOST
from protocol.table import Table
from tests.conformance.bench import DRACULA, HELSING, Bench
from tests.conformance.case import FailedError, case
from tests.conformance.player import Player

SILENT_SECONDS = 2.0
LONG_SECONDS = 20.0


def check_record(player: Player) -> None:
    """Check the whole record as a stranger would, and look under every card."""
    witness = Table.replay([entry.raw for entry in player.table.entries], GAMES)
    if witness.result is None or witness.result != player.table.result:
        raise FailedError(f"a verifier finds {witness.result}, we {player.table.result}")
    for deck in range(witness.game.round + 1):
        if sorted(witness.all_faces(deck)) != list(range(32)):
            raise FailedError(f"deck {deck} was not one of 32 different cards")


async def _whole_game(bench: Bench, wanted: int) -> None:
    player = await bench.game_as(wanted)
    await player.finish()
    check_record(player)


@case(
    "14",
    "A whole game MUST be playable with the suite as Dracula",
    does="plays honestly, choosing at random, to the last UNSEAL",
    expects="every entry holds, and so does the whole record",
)
async def whole_game_against_dracula(bench: Bench) -> None:
    await _whole_game(bench, DRACULA)


@case(
    "14",
    "A whole game MUST be playable with the suite as Van Helsing",
    does="plays honestly, choosing at random, to the last UNSEAL",
    expects="every entry holds, and so does the whole record",
)
async def whole_game_against_helsing(bench: Bench) -> None:
    await _whole_game(bench, HELSING)


@case(
    "14.2",
    "Where the offer has no seat, a coin MUST decide the seats",
    does="offers no seat, and plays into the first round",
    expects="the coin is answered, and the game goes on in the seats that it gave",
    subjects=(1,),
)
async def seats_by_a_coin(bench: Bench) -> None:
    player = await bench.game(seat=None)
    await player.until_seated()
    await player.until_our_turn(Kind.SHUFFLE)
    await player.go_on()
    await player.resign()


@case(
    "12.2",
    "A game with options that the rules define MUST be playable",
    does="offers a game in which Dracula starts with 11 health points",
    expects="the game is played under these options",
    subjects=(1,),
)
async def other_options(bench: Bench) -> None:
    player = await bench.game(options=bytes([11]))
    await player.until_our_turn(Kind.ACT)
    if player.table.game.start_hp != 11:
        raise FailedError("the options have got lost")
    await player.resign()


@case(
    "13.8",
    "There MUST be no limit on thinking that a few seconds reach",
    does="says nothing for two seconds when a decision of ours is due, then goes on",
    expects="the line is still there, and the game goes on",
)
async def thinking(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.ACT)
    await trio.sleep(SILENT_SECONDS)
    await player.go_on()
    await player.resign()


@case(
    "13.8",
    "A player who answers PINGs MUST be waited for",
    does="decides nothing for 20 seconds, and answers every PING",
    expects="the line is still there, and the game goes on",
    is_slow=True,
)
async def thinking_long(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.ACT)
    with trio.move_on_after(LONG_SECONDS):
        message = await _next_word(player)
        raise FailedError(f"{message} came while it was our turn")
    await player.go_on()
    await player.resign()


async def _next_word(player: Player) -> str:
    while True:
        try:
            return type(await player.hear()).__name__
        except FailedError as error:
            if "nothing came" not in str(error):
                raise


@case(
    "13.5",
    "PING MUST be answered at once, before SYNC",
    does="sends a PING right after the hellos",
    expects="a PONG with its token, and a game that begins as ever",
)
async def ping_before_sync(bench: Bench) -> None:
    player = bench.player()
    await player.connect()
    await player.ping(7)
    await player.sync()
    await player.resign()


@case(
    "13.5",
    "PING MUST be answered whoever's turn it is",
    does="sends PINGs with the least and the greatest token when a decision of ours is due",
    expects="a PONG for each, with its token",
)
async def ping_in_play(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.ACT)
    await player.ping(0)
    await player.ping(2**32 - 1)
    await player.go_on()
    await player.resign()


@case(
    "13.7",
    "After the last entry a side MUST say AGAIN or BYE 0, and close when both have parted",
    does="resigns, unseals, and sends BYE 0",
    expects="nothing but AGAIN and BYE 0 comes, and the line is closed",
)
async def parting(bench: Bench) -> None:
    player = await bench.game()
    await player.resign()
    await player.is_closed()


@case(
    "13.7",
    "BYE 1 MUST be taken without blame, and the game go on over another line",
    does="leaves with BYE 1 when a decision of ours is due, and comes back",
    expects="the line is closed, and the game goes on where it was",
    subjects=(HOST,),
)
async def leaving_and_coming_back(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.ACT)
    await player.line.say(Bye(Reason.LEFT))
    await player.is_closed()
    await player.connect()
    await player.sync()
    if player.theirs.count != len(player.table.entries):
        raise FailedError("it has lost entries")
    await player.go_on()
    await player.resign()
