"""Write spec/vectors anew: `python -m tests.tools.make_vectors`.

Nothing in it is random, so it writes the same bytes each time; what changes, changed on purpose.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.tools.vectors import (
    claims,
    codecs,
    coins,
    games,
    groups,
    keys,
    lines,
    negatives,
    rules,
    shares,
    shuffles,
)
from tests.tools.vectors.chance import Json

FOLDER: Final = Path(__file__).parents[2] / "spec" / "vectors"

MAKERS: Final[Mapping[str, Callable[[], Json]]] = {
    "group.json": groups.group,
    "hash_to_group.json": groups.hash_to_group,
    "transcript.json": groups.transcript,
    "codec.json": codecs.codec_values,
    "key_share.json": keys.key_share,
    "shuffle.json": shuffles.shuffle_proof,
    "shares.json": shares.shares,
    "coin.json": coins.coin_toss,
    "entries.json": games.entries,
    "claim.json": claims.claim,
    "handshake.json": lines.handshake,
    "game.json": games.game,
    "negative.json": negatives.negative,
    "rules.json": rules.rules,
}


def render(name: str) -> str:
    """The text of one file."""
    return json.dumps(MAKERS[name](), indent=1) + "\n"


def main() -> None:
    """Write all files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in MAKERS:
        (FOLDER / name).write_text(render(name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
