"""A person at this terminal against random moves: python -m tests.tools.local_game [options]

For trying the terminal by hand and under a pseudo-terminal: no network and no cryptography.
"""

import argparse
from random import Random

import trio
from rich.console import Console

from engine.state import State
from peer.seat import Ended, Moved, Opponent, Quit, Seat, Seated
from peer.terminal import Keyboard, TerminalSeat
from protocol.course import Result


async def play(seat: Seat, player: int, seed: int, seconds: float) -> Quit | None:
    """Play until the game is over or the person quits.  Random moves take `seconds`."""
    rng = Random(seed)
    state = State.new()
    state.log = []
    seat.tell(Seated(player, Opponent("Random", "none")))
    told = 0
    while not state.is_over:
        match state.pending.kind:
            case "order":
                state.ordered(rng.sample(range(4), 4))
            case "shuffle":
                state.shuffled(rng.sample(range(32), 32))
            case _ if state.player == player:
                decision = await seat.choose(state.view(player))
                if isinstance(decision, Quit):
                    return _quit(seat, state, player, decision)
                state.act(decision)
            case _:
                with trio.move_on_after(seconds):
                    return _quit(seat, state, player, await seat.wait(state.view(player)))
                state.act(rng.choice(state.actions))
        if events := tuple(state.log[told:]):
            told = len(state.log)
            seat.tell(Moved(state.view(player), events))
    assert state.winner is not None
    assert state.ending is not None
    seat.tell(Ended(state.view(player), Result(state.winner, state.ending.value)))
    return None


def _quit(seat: Seat, state: State, player: int, how: Quit) -> Quit:
    if how is Quit.RESIGN:
        result = Result(1 - player, "the other side resigned", resigned=True)
        seat.tell(Ended(state.view(player), result))
    return how


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--helsing", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    async with Keyboard.open() as keyboard:
        seat = TerminalSeat(Console(), keyboard, plain=options.plain)
        how = await play(seat, int(options.helsing), options.seed, options.seconds)
    print(how.name if how else "OVER")


if __name__ == "__main__":
    trio.run(main)
