"""Situations and dealers for tests: whoever holds the whole deck can set up any position.

Cards are written colour letter and value, "r1" to "b8" (red, purple, yellow, blue).
"""

from collections.abc import Iterator, Sequence
from random import Random

from engine import (
    COLOURS,
    DECK,
    DISTRICTS,
    DRACULA,
    HELSING,
    NONE,
    ROUNDS,
    UNKNOWN,
    VALUE,
    Choose,
    Disclose,
    Order,
    Over,
    Shuffle,
    State,
    card,
    parse_action,
)
from engine.board import PILE
from engine.turns import begin_turn

PLAIN = (0, 1, 2, 3)
"""The ranking red (trump), purple, yellow, blue."""


def face(text: str) -> int:
    """The face of "r1"."""
    initials = [name[0] for name in COLOURS]
    return card(initials.index(text[0]), int(text[1:]))


def faces(text: str) -> list[int]:
    """The faces of "r1 p8 b3"."""
    return [face(word) for word in text.split()]


def deck_of(*parts: tuple[str, int]) -> list[int]:
    """A deck by its parts from the first handle on: the cards given, and the size of the part.

    Parts are filled up with the cards that are left over, the 8s last.
    """
    given = [faces(text) for text, _ in parts]
    used = {number for part in given for number in part}
    spare = sorted(set(range(DECK)) - used, key=lambda number: (VALUE[number] != 8, -number))
    deck: list[int] = []
    for part, (_, size) in zip(given, parts, strict=True):
        deck += part + [spare.pop() for _ in range(size - len(part))]
    assert sorted(deck) == list(range(DECK)), "the parts must hold each of the 32 cards once"
    return deck


def situation(
    dracula: str = "",
    helsing: str = "",
    pile: str = "",
    *,
    discards: str = "",
    discarded: int | None = None,
    player: int = DRACULA,
    ranking: Sequence[int] = PLAIN,
    hp: int = 12,
    vampires: Sequence[int] = (0, 0, 0, 0, 0),
    number: int = 0,
) -> State:
    """An open copy, with a log, at the start of a turn of `player` in round `number`.

    The racks hold the cards given, from district 0 on, all face down; `pile` begins with the
    next card to be drawn; `discarded` cards, or just the `discards` given, lie in the discard
    pile already, without having had an effect.
    """
    gone = len(discards.split()) if discarded is None else discarded
    state = State.new()
    state.ordered(ranking)
    state.round = number
    racks = (dracula, DISTRICTS), (helsing, DISTRICTS)
    state.shuffled(deck_of(*racks, (discards, gone), (pile, DECK - PILE - gone)))
    state.hp = hp
    state.vampires = list(vampires)
    state.hand = NONE
    state.top = PILE + gone
    state.discards = list(range(PILE, state.top))
    state.public = sum(1 << handle for handle in state.discards)
    state.log = []
    begin_turn(state, player)
    return state


def play(state: State, *texts: str) -> State:
    """Take decisions, as people type them; returns the same state."""
    for text in texts:
        state.act(parse_action(text))
    return state


def rack(state: State, player: int) -> list[int]:
    """The faces in front of a player, from district 0 on."""
    first = DISTRICTS * player
    return [state.faces[handle] for handle in state.rack[first : first + DISTRICTS]]


def face_up(state: State, player: int) -> set[int]:
    """The districts in which a player's card lies face up."""
    return {d for d in range(DISTRICTS) if state.face_up >> DISTRICTS * player + d & 1}


class Dealer:
    """Knows all decks of a game, and answers what one copy asks for until a player must choose.

    `seat` is the player whose copy it is, or None for that of a bystander, who sees only what
    is shown to both.
    """

    def __init__(
        self, ranking: Sequence[int], decks: Sequence[Sequence[int]], seat: int | None = None
    ) -> None:
        self.ranking = ranking
        self.decks = decks
        self.seat = seat

    @classmethod
    def shuffling(cls, rng: Random, seat: int | None = None) -> "Dealer":
        """A dealer with random decks for all rounds."""
        ranking = rng.sample(range(len(COLOURS)), len(COLOURS))
        return cls(ranking, [rng.sample(range(DECK), DECK) for _ in range(ROUNDS)], seat)

    def faces_for(self, request: Disclose) -> list[int]:
        """What a copy at this seat is told."""
        if len(request.to) == 1 and self.seat not in request.to:
            return [UNKNOWN] * len(request.handles)
        return [self.decks[request.deck][handle] for handle in request.handles]

    def step(self, state: State) -> bool:
        """Answer one request; False if a player has to choose or the game is over."""
        match state.pending:
            case Order():
                state.ordered(self.ranking)
            case Shuffle():
                state.shuffled()
            case Disclose() as request:
                state.disclosed(self.faces_for(request))
            case Choose() | Over():
                return False
        return True

    def answer(self, state: State) -> State:
        """Answer everything up to the next choice or the end; returns the same state."""
        while self.step(state):
            pass
        return state


def deal_open(state: State, dealer: Dealer) -> State:
    """Like `Dealer.answer`, for an open copy: it is given the whole deck."""
    while True:
        match state.pending:
            case Order():
                state.ordered(dealer.ranking)
            case Shuffle(deck=number):
                state.shuffled(dealer.decks[number])
            case _:
                return state


def random_game(rng: Random) -> Iterator[State]:
    """Play an open copy with random choices; yields it, always the same, before each and at
    the end.
    """
    dealer = Dealer.shuffling(rng)
    state = State.new(rng.choice((11, 12, 13)))
    state.log = []
    while True:
        yield deal_open(state, dealer)
        if state.is_over:
            return
        state.act(rng.choice(state.actions))


class Copies:
    """Four copies of one game: Dracula's, Van Helsing's, a bystander's and an open one."""

    def __init__(self, rng: Random) -> None:
        self.dealer = Dealer.shuffling(rng)
        self.dealers = [
            Dealer(self.dealer.ranking, self.dealer.decks, seat)
            for seat in (DRACULA, HELSING, None)
        ]
        hp = rng.choice((11, 12, 13))
        self.closed = [State.new(hp) for _ in self.dealers]
        self.open = State.new(hp)
        for state in self.all:
            state.log = []

    @property
    def all(self) -> list[State]:
        """The closed copies, and then the open one."""
        return [*self.closed, self.open]

    def answer(self) -> None:
        """Let every copy come to the next choice or the end."""
        for dealer, state in zip(self.dealers, self.closed, strict=True):
            dealer.answer(state)
        deal_open(self.open, self.dealer)

    def act(self, action: int) -> None:
        """Take one decision in every copy."""
        for state in self.all:
            state.act(action)
