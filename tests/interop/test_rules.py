"""The rules, played by the second implementation and played again by ours, byte for byte.

No cards are masked here, so that hundreds of games are played in seconds. Skipped where Node.js or
its packages are missing, as in test_interop.py.
"""

import json
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from engine import DRACULA, HELSING, UNKNOWN, Choose, Disclose, Order, Over, Shuffle, State

HERE = Path(__file__).parent
NODE = shutil.which("node")
GAMES = 300
SEED = "interop"
SEATS = (DRACULA, HELSING, None)

pytestmark = pytest.mark.skipif(
    NODE is None or not (HERE / "node_modules" / "@noble" / "curves").is_dir(),
    reason="Node.js or the packages of tests/interop/package.json are not installed",
)


def games() -> list[dict[str, Any]]:
    assert NODE is not None
    run = subprocess.run(
        [NODE, str(HERE / "games.mjs"), str(GAMES), SEED],
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


def asked(state: State) -> dict[str, Any]:
    """What a copy asks for, in the words of the other program."""
    match state.pending:
        case Order(size=size, first=first):
            return {"ask": "order", "size": size, "first": first}
        case Shuffle(deck=deck, size=size, first=first):
            return {"ask": "shuffle", "deck": deck, "size": size, "first": first}
        case Disclose(deck=deck, handles=handles, to=to):
            return {"ask": "disclose", "deck": deck, "handles": list(handles), "to": sorted(to)}
        case Choose(player=player, actions=actions):
            return {"ask": "choose", "player": player, "actions": list(actions)}
        case Over(winner=winner):
            return {"ask": "over", "winner": winner}


def give(state: State, seat: int | None, step: dict[str, Any]) -> None:
    """Give a copy the answer, as far as its player may see it."""
    answer = step["answer"]
    match step["ask"]:
        case "order":
            state.ordered(answer)
        case "shuffle":
            state.shuffled()
        case "choose":
            state.act(answer)
        case "disclose":
            hidden = len(step["to"]) == 1 and seat not in step["to"]
            state.disclosed([UNKNOWN] * len(answer) if hidden else answer)


def test_both_ask_the_same_and_have_the_same_public_bytes_after_every_step() -> None:
    for number, game in enumerate(games()):
        seat = SEATS[number % len(SEATS)]
        state = State.new(game["hp"])
        for place, step in enumerate(game["steps"]):
            where = f"game {number}, step {place}: {step}"
            expected = {key: step[key] for key in step if key not in ("answer", "state", "legal")}
            if seat is not None and step.get("player") == seat:
                expected["actions"] = step["legal"]  # a copy of ours that sees an 8 keeps it back
            assert asked(state) == expected, where
            give(state, seat, step)
            assert sha256(state.public_bytes()).hexdigest()[:16] == step["state"], where
        assert asked(state) == {"ask": "over", "winner": game["winner"]}
        assert state.public_bytes().hex() == game["last"]
