"""The vectors of coins and of uniform choices."""

from dataclasses import replace
from typing import Final

from protocol import coin
from protocol.sampling import uniform_below
from protocol.transcript import Label
from tests.tools.vectors.chance import HERE, Json, context_json, fault_of, seed


def coin_toss() -> Json:
    """coin.json"""
    context = replace(HERE, deck=-1)
    tosses = []
    for name in ("first", "second", "third"):
        own_seed = seed(f"game seed, {name}")
        mine = context.transcript(Label.COIN_SECRET).append(own_seed).digest()
        theirs = seed(f"answer, {name}")
        tosses.append(
            {
                "context": context_json(context),
                "seed": own_seed.hex(),
                "opening": mine.hex(),
                "commitment": coin.commit(mine, context).hex(),
                "answer": theirs.hex(),
                "bit": coin.uniform_bit((mine, theirs), context),
                "order_of_2": list(coin.uniform_order((mine, theirs), 2, context)),
                "order_of_4": list(coin.uniform_order((mine, theirs), 4, context)),
                "order_of_32": list(coin.uniform_order((mine, theirs), 32, context)),
            }
        )
    first = tosses[0]
    commitment = bytes.fromhex(str(first["commitment"]))
    opening = bytes.fromhex(str(first["opening"]))
    bad = (
        ("another seed", bytes(32), context),
        ("one byte short", opening[:-1], context),
        ("the other side's commitment", opening, replace(context, side=1)),
        ("another place in the record", opening, replace(context, head=seed("other head"))),
        ("another game", opening, replace(context, game_id=seed("other game"))),
    )
    return {
        "about": (
            "Coins: the opening is hashed from the committer's seed here, which nobody can "
            "check and other programs may do otherwise. 'below' are uniform choices out of "
            "given bytes: some draws are refused, and 'used' says how many bytes went."
        ),
        "section": "11",
        "tosses": tosses,
        "bad_openings": [
            {
                "comment": comment,
                "commitment": commitment.hex(),
                "opening": data.hex(),
                "context": context_json(where),
                "fault": fault_of(
                    lambda data=data, where=where: coin.check_opening(commitment, data, where)
                ),
            }
            for comment, data, where in bad
        ],
        "below": [_below(bound, data) for bound, data in _DRAWS],
    }


_DRAWS: Final = (
    (1, bytes(8)),
    (2, b"\xff" * 8),
    (3, b"\xff" * 8 + bytes(7) + b"\5"),
    (3, b"\xff" * 7 + b"\xfe"),
    (6, b"\xff" * 7 + b"\xfc" + b"\xff" * 7 + b"\xfb"),
    (32, b"\x80" + bytes(6) + b"\x21"),
)


def _below(bound: int, data: bytes) -> Json:
    used = 0

    def draw(size: int) -> bytes:
        nonlocal used
        used += size
        return data[used - size : used]

    chosen = uniform_below(bound, draw)
    return {"bound": bound, "bytes": data.hex(), "chosen": chosen, "used": used}
