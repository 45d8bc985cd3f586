"""One round, told decision by decision: all eight effects, a call, and an 8 in the last turn.

Each line is the decision, the first bytes of the hash of the public state after it, and what
happened.  Whoever implements the rules anew can find the first decision where they differ.
"""

from engine import DRACULA, HELSING, UNKNOWN, Decided, RoundEnd, State
from engine.events import (
    Called,
    Discarded,
    DistrictScored,
    Drew,
    Event,
    Exchanged,
    Exposed,
    ExtraTurn,
    RankingDrawn,
    Revealed,
    RoundEnded,
    RoundStarted,
    Swapped,
    TopTurned,
    TrumpChanged,
)
from tests.engine.helpers import Dealer, deck_of, face, play

RANKING = (2, 0, 3, 1)
DECK = deck_of(
    ("r1 y7 b3 p6 r8", 5),
    ("p1 y2 r7 b1 p8", 5),
    ("b2 y5 p3 r4 b6 y1 p7 b7 r2 y3 p2 b4 r6 b8 r3 r5 p4 p5 y4 y6 y8 b5", 22),
)

STORY: list[tuple[str, str, list[Event]]] = [
    ("", "545e20f7", [RankingDrawn((2, 0, 3, 1)), RoundStarted(0), Drew(DRACULA, UNKNOWN)]),
    (
        "discard drawn",
        "91ae897a",
        [
            Discarded(DRACULA, 5, face("b2")),
            TopTurned(DRACULA, face("y5")),
            Drew(HELSING, face("y5")),
        ],
    ),
    (
        "discard drawn",
        "d27ded58",
        [Discarded(HELSING, 5, face("y5")), ExtraTurn(HELSING), Drew(HELSING, UNKNOWN)],
    ),
    ("discard drawn", "67d02b32", [Discarded(HELSING, 5, face("p3"))]),
    ("expose 2", "6d150bc3", [Exposed(HELSING, 1, face("y7")), Drew(DRACULA, UNKNOWN)]),
    ("discard drawn", "68081ae5", [Discarded(DRACULA, 5, face("r4"))]),
    ("swap 1 3", "61d8e645", [Swapped(DRACULA, 0, 2), Drew(HELSING, UNKNOWN)]),
    ("discard drawn", "19abaafd", [Discarded(HELSING, 5, face("b6"))]),
    (
        "exchange 5",
        "b5740986",
        [Exchanged(HELSING, 4, face("p8"), face("r8")), Drew(DRACULA, UNKNOWN)],
    ),
    ("discard 2", "7b7f6551", [Discarded(DRACULA, 1, face("y7"))]),
    ("trump blue", "ba24053c", [TrumpChanged(DRACULA, (3, 0, 2, 1))]),
    ("draw", "360e8c85", [Drew(HELSING, UNKNOWN)]),
    ("discard 2", "b8786f75", [Discarded(HELSING, 1, face("y2")), TopTurned(HELSING, face("b7"))]),
    ("draw", "c2de4d78", [Drew(DRACULA, face("b7"))]),
    ("discard 3", "9c8ac108", [Discarded(DRACULA, 2, face("r1"))]),
    ("reveal 2", "a895425b", [Revealed(DRACULA, 1, face("y1"))]),
    ("call", "0a6ea057", [Called(HELSING), Drew(DRACULA, UNKNOWN)]),
    (
        "discard 5",
        "acd1abac",
        [
            Discarded(DRACULA, 4, face("p8")),
            RoundEnded(0, RoundEnd.EIGHT),
            DistrictScored(0, face("b3"), face("p1"), DRACULA, Decided.TRUMP, 1, 12),
            DistrictScored(1, face("y1"), face("p7"), HELSING, Decided.VALUE, 0, 11),
            DistrictScored(2, face("b7"), face("r7"), DRACULA, Decided.TRUMP, 1, 11),
            DistrictScored(3, face("p6"), face("b1"), HELSING, Decided.TRUMP, 0, 10),
            DistrictScored(4, face("r2"), face("r8"), HELSING, Decided.VALUE, 0, 9),
        ],
    ),
]


def test_an_open_copy_tells_this_story() -> None:
    state = State.new()
    state.log = []
    state.ordered(RANKING)
    state.shuffled(DECK)
    for decision, digest, events in STORY:
        if decision:
            play(state, decision)
        assert (decision, state.log) == (decision, events)
        assert (decision, state.public_hash().hex()[:8]) == (decision, digest)
        state.log.clear()


def test_a_bystander_is_told_the_same_story() -> None:
    state, dealer = State.new(), Dealer(RANKING, [DECK])
    state.log = []
    for decision, digest, events in STORY:
        if decision:
            play(state, decision)
        while state.round == 0 and dealer.step(state):
            pass
        assert (decision, state.log) == (decision, events)
        assert (decision, state.public_hash().hex()[:8]) == (decision, digest)
        state.log.clear()
