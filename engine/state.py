"""The state of a game: what it holds, what it asks for, and what it is told.

The rules themselves are in `turns`, `effects` and `scoring`; this is the door to them.  A state
changes in place, because a bot plays millions of turns; whoever wants to keep one clones it.
"""

import hashlib
from collections.abc import Sequence
from random import Random
from typing import Final, Self

from engine import disclosures, encoding, views
from engine.actions import ACTIONS, CALL, DISCARD, REVEAL, Actions, action_name
from engine.board import DISTRICTS, DRACULA, HANDICAPS, HELSING, NONE, PILE, PLACES, STANDARD_HP
from engine.cards import COLOURS, DECK, UNKNOWN, VALUE, Ranking
from engine.effects import carry_out
from engine.errors import (
    IllegalActionError,
    InvalidAnswerError,
    InvalidOptionsError,
    UnexpectedAnswerError,
)
from engine.events import Ending, Event, RankingDrawn, RoundStarted
from engine.phases import DEAL_HELSING, ORDER, OVER, SHUFFLE, Phase
from engine.requests import Choose, Disclose, Order, Over, Request, Shuffle
from engine.scoring import outcome
from engine.turns import begin_turn, call, discard, draw, end_turn

_NO_FACES: Final = (UNKNOWN,) * DECK
_DEALT: Final = tuple(range(PLACES))


class State:
    """One copy of a game.  Each player's peer has one, and so has anyone who verifies it.

    All copies that were given the same public answers are equal in everything but `faces`, which
    holds what this copy may see.  An *open* copy sees every card and so never waits for a
    disclosure: that is what bots search and tests play.

    Handles of a round: 0..4 are dealt to Dracula (to district 0..4), 5..9 to Van Helsing, and
    10..31 are the draw pile from the top.

    Read the attributes freely; change them only through the methods.

    Attributes:
        start_hp: Dracula's health points at the start, 11..13.
        hp: Dracula's health points now.
        vampires: how many live in each district.
        round: 0..4; also the number of the deck.
        ranking: the colours from the strongest, the first being the trump.
        phase: what the game is waiting for.
        player: whose turn it is.
        caller: who has called in this round, or `NONE`.
        rack: the handle at each of the ten places (see `board`).
        hand: the drawn card, then the one about to be discarded; `NONE` otherwise.
        top: the handle of the top card of the pile; 32 when the pile is empty.
        discards: the handles of the discard pile, from the first.
        face_up: a mask of the places, `TOP` among them, whose card lies face up.
        public: a mask of the handles whose face everybody knows.
        target: the district that a pending disclosure is about: where the discarded card came
            from (5: it was the drawn one) or what an effect was aimed at; `NONE` otherwise.
        faces: the face at each handle, or `UNKNOWN` where this copy may not see it.
        open: whether this copy sees every card.
        actions: what `player` may choose from now, ascending; empty if nobody is to choose.
        log: what has happened, if it is a list; `None`, the default, keeps no log.
    """

    __slots__ = (
        "actions",
        "caller",
        "discards",
        "face_up",
        "faces",
        "hand",
        "hp",
        "log",
        "open",
        "phase",
        "player",
        "public",
        "rack",
        "ranking",
        "round",
        "start_hp",
        "target",
        "top",
        "vampires",
    )

    def __init__(self, hp: int = STANDARD_HP) -> None:
        """A game before its first request.

        Raises `InvalidOptionsError` unless `hp` is 11, 12 or 13.
        """
        if hp not in HANDICAPS:
            raise InvalidOptionsError(
                f"Dracula starts with {HANDICAPS[0]} to {HANDICAPS[-1]} health points, not {hp}"
            )
        self.start_hp = hp
        self.hp = hp
        self.vampires = [0] * DISTRICTS
        self.round = 0
        self.ranking: Ranking = ()
        self.phase = ORDER
        self.log: list[Event] | None = None
        self._lay_out(_NO_FACES, is_open=False)

    def _lay_out(self, faces: tuple[int, ...], *, is_open: bool) -> None:
        self.player: int = DRACULA
        self.caller: int = NONE
        self.rack = list(_DEALT)
        self.hand: int = NONE
        self.top = PILE
        self.discards: list[int] = []
        self.face_up = 0
        self.public = 0
        self.target: int = NONE
        self.faces = faces
        self.open = is_open
        self.actions: Actions = ()

    @classmethod
    def new(cls, hp: int = STANDARD_HP) -> Self:
        """A game in which Dracula starts with `hp` health points, 11 to 13."""
        return cls(hp)

    @classmethod
    def from_options(cls, options: bytes) -> Self:
        """A game by its options: nothing for the standard game, or one byte, Dracula's health.

        Raises `InvalidOptionsError` for anything else, the standard health as a byte included:
        a game has one spelling.
        """
        if len(options) > 1:
            raise InvalidOptionsError(f"options are at most 1 byte, not {len(options)}")
        if options == bytes((STANDARD_HP,)):
            raise InvalidOptionsError("the standard game has no options")
        return cls(options[0] if options else STANDARD_HP)

    def options(self) -> bytes:
        """The options of this game for `from_options`: empty for the standard game."""
        return b"" if self.start_hp == STANDARD_HP else bytes((self.start_hp,))

    def clone(self) -> Self:
        """An independent copy, which keeps no log."""
        copy = self.__class__.__new__(self.__class__)
        copy.start_hp = self.start_hp
        copy.hp = self.hp
        copy.vampires = self.vampires[:]
        copy.round = self.round
        copy.ranking = self.ranking
        copy.phase = self.phase
        copy.player = self.player
        copy.caller = self.caller
        copy.rack = self.rack[:]
        copy.hand = self.hand
        copy.top = self.top
        copy.discards = self.discards[:]
        copy.face_up = self.face_up
        copy.public = self.public
        copy.target = self.target
        copy.faces = self.faces
        copy.open = self.open
        copy.actions = self.actions
        copy.log = None
        return copy

    # What the game asks for.

    @property
    def pending(self) -> Request:
        """What has to be answered next, and by which method."""
        if self.actions:
            return Choose(self.player, self.actions)
        if self.phase is ORDER:
            return Order(len(COLOURS), HELSING)
        if self.phase is SHUFFLE:
            return Shuffle(self.round, DECK, HELSING)
        if self.phase is OVER:
            winner, ending = outcome(self)
            return Over(winner, ending.value)
        return Disclose(self.round, *disclosures.wanted(self))

    @property
    def action_mask(self) -> int:
        """The legal actions as a mask: bit a is set if action a is one of `actions`."""
        mask = 0
        for action in self.actions:
            mask |= 1 << action
        return mask

    # The answers.  Each of these raises before it changes anything.

    def ordered(self, order: Sequence[int]) -> None:
        """Take the ranking of the colours: a permutation of 0..3, the trump first.

        Raises `UnexpectedAnswerError` if it is not asked for, `InvalidAnswerError` if it is no
        permutation.
        """
        self._expect(ORDER)
        if sorted(order) != list(range(len(COLOURS))):
            raise InvalidAnswerError(f"the order must be a permutation of 0 to {len(COLOURS) - 1}")
        self.ranking = tuple(order)
        self.phase = SHUFFLE
        if self.log is not None:
            self.log.append(RankingDrawn(self.ranking))

    def shuffled(self, deck: Sequence[int] | None = None) -> None:
        """Deal from a fresh deck.

        Without `deck` this copy sees none of its cards yet.  With `deck`, the face at each
        handle, it is open: it sees them all, and the first turn begins at once.

        Raises `UnexpectedAnswerError` if no shuffle is asked for, `InvalidAnswerError` if `deck`
        is no permutation of the 32 faces.
        """
        self._expect(SHUFFLE)
        if deck is None:
            self._lay_out(_NO_FACES, is_open=False)
        elif sorted(deck) != list(range(DECK)):
            raise InvalidAnswerError(f"a deck is a permutation of 0 to {DECK - 1}")
        else:
            self._lay_out(tuple(deck), is_open=True)
        if self.log is not None:
            self.log.append(RoundStarted(self.round))
        if self.open:
            begin_turn(self, DRACULA)
        else:
            self.wait_for(DEAL_HELSING)

    def disclosed(self, faces: Sequence[int]) -> None:
        """Take the faces of the cards asked for, one for each handle, in their order.

        A copy that may not see them, when they are shown to one player only, is given `UNKNOWN`
        for each.  Raises what `disclosures.disclose` raises.
        """
        disclosures.disclose(self, faces)

    def act(self, action: int) -> None:
        """Take the decision of `player`: one of `actions`.

        Raises `IllegalActionError` if it is none of them.
        """
        if action not in self.actions:
            raise self._illegal(action)
        if action >= REVEAL:
            if carry_out(self, action):
                end_turn(self)
        elif action >= DISCARD:
            discard(self, action - DISCARD)
        elif action == CALL:
            call(self)
        else:
            draw(self)

    def _expect(self, phase: Phase) -> None:
        if self.phase is not phase:
            raise UnexpectedAnswerError(
                f"{phase.name} was answered, but the game waits for {self.phase.name}"
            )

    def _illegal(self, action: int) -> IllegalActionError:
        if not self.actions:
            return IllegalActionError(f"nobody is to choose: the game waits for {self.phase.name}")
        name = action_name(action) if action in range(ACTIONS) else f"action {action}"
        return IllegalActionError(f"{name} is not allowed in the phase {self.phase.name}")

    # For the rules.

    def wait_for(self, phase: Phase, target: int = NONE) -> None:
        """Let a disclosure be pending."""
        self.phase = phase
        self.target = target
        self.actions = ()

    @property
    def last_value(self) -> int:
        """The value of the card discarded last."""
        return VALUE[self.faces[self.discards[-1]]]

    # Who knows what.

    def public_face(self, handle: int) -> int:
        """The face of a card if everybody knows it, else `UNKNOWN`."""
        return self.faces[handle] if self.public >> handle & 1 else UNKNOWN

    @property
    def known(self) -> tuple[int, int]:
        """For each player the mask of the handles whose faces they know."""
        return views.known(self, DRACULA), views.known(self, HELSING)

    def view(self, player: int) -> Self:
        """A closed copy that sees what `player` knows and nothing else."""
        return views.view(self, player)

    def determinize(self, rng: Random, player: int) -> Self:
        """An open copy as `player` can imagine it; see `views.determinize`."""
        return views.determinize(self, rng, player)

    # The result.

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.phase is OVER

    @property
    def winner(self) -> int | None:
        """Who has won; None before the end."""
        return outcome(self)[0] if self.phase is OVER else None

    @property
    def ending(self) -> Ending | None:
        """The rule that ended the game; None before the end."""
        return outcome(self)[1] if self.phase is OVER else None

    # Bytes.

    def public_bytes(self) -> bytes:
        """Everything public, in `encoding.PUBLIC_SIZE` bytes; equal in all copies of a game."""
        return encoding.encode_public(self)

    def public_hash(self) -> bytes:
        """The SHA-256 hash of `public_bytes()`, 32 bytes, to compare positions by.

        It is not the state hash in the entries of a record: that one is a labelled transcript of
        the same bytes, which the protocol makes for itself.
        """
        return hashlib.sha256(self.public_bytes()).digest()

    @classmethod
    def from_public_bytes(cls, data: bytes) -> Self:
        """The copy of one who saw only what is public.

        Raises `MalformedStateError` if the bytes describe no state.
        """
        return encoding.decode_public(cls, data)

    def to_bytes(self) -> bytes:
        """This copy with the faces it sees, in `encoding.SIZE` bytes.  SECRET unless public."""
        return encoding.encode(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The copy that `to_bytes` wrote, without its log.

        Raises `MalformedStateError` if the bytes describe no state.
        """
        return encoding.decode(cls, data)
