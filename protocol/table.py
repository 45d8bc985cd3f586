"""The table: one game and its record, as one side holds it.  Sans-IO, in the manner of h11.

Entries go in, one at a time: from the peer (`receive`), or from a store or a file (`replay`).
Entries come out, one at a time: those that follow from the game (`speak`), and those that
somebody decides (`act`, `resign`).  What comes out has been applied here already; store it, then
send it.  `turn` says which of these is due.  Nothing here waits, reads a clock, or draws chance
from anywhere but the `rng` it is given.

What an entry means is in `course`.  Here it is numbered, chained and signed, and who breaks a
rule is named.  The same table, with nobody's secrets, is the verifier: it checks every entry of
a record and sees what both players were shown, and once both have unsealed their keys, all.
"""

from collections.abc import Iterable
from enum import Enum
from typing import Final, Generic, NoReturn, Self

from protocol.course import Course, G, Games, Ours, Result
from protocol.entries import (
    NO_ENTRY,
    Accept,
    Act,
    Body,
    Entry,
    Kind,
    Offer,
    Propose,
    Reply,
    Resign,
    game_id,
    state_hash,
)
from protocol.errors import (
    Fault,
    IncompatibleError,
    InvalidError,
    LocalProtocolError,
    LostEntriesError,
    RemoteProtocolError,
)
from protocol.script import Step


class Turn(Enum):
    """What the table waits for."""

    SPEAK = "speak"
    """Ours, and there is nothing to decide: call `speak()`."""
    DECIDE = "decide"
    """Ours: call `act()`, or `resign()` or `propose()`."""
    CONSIDER = "consider"
    """Ours: the other side proposes to end the game without a winner; call `reply()`."""
    WAIT = "wait"
    """The other side's: `receive()` it."""
    DONE = "done"
    """The record is complete: the game is over and both keys are unsealed."""


_TURNS: Final = {Kind.ACT: Turn.DECIDE, Kind.REPLY: Turn.CONSIDER}


_SOMEBODY_ELSE: Final = "an entry of somebody else than is at the other end of the line"


class Table(Generic[G]):
    """One game between two sides, from its offer to its unsealed keys.

    `entries` is the record so far.  A table that raises `RemoteProtocolError` has ended: its
    `entries` are what was accepted before, nothing else of it may be relied on, and `replay`
    makes a new one from them.
    """

    def __init__(self, games: Games[G], ours: Ours | None = None) -> None:
        """A table before its first entry; without `ours`, a witness's."""
        self.side: Final = ours.side if ours else None
        self.entries: Final[list[Entry]] = []
        self._ours: Final = ours
        self._course: Final = Course(games, ours)
        self._expected: bytes | None = None
        self._ended = ""

    @classmethod
    def replay(cls, raws: Iterable[bytes], games: Games[G], ours: Ours | None = None) -> Self:
        """A table rebuilt from its record: a stored one, to go on, or a file, to be verified.

        Raises:
            RemoteProtocolError: an entry does not hold; `side` is to blame for it.
            InvalidError: the bytes of an entry can't be read, so nobody is known to be.
            IncompatibleError: the record is of a game, or a version, that we don't have.
            LocalProtocolError: the secrets of `ours` are not those of this record.
        """
        table = cls(games, ours)
        for raw in raws:
            entry = Entry.decode(raw)
            if entry.number < len(table.entries) and raw != table.entries[entry.number].raw:
                table._compare(entry)
            table._take(entry)
        return table

    # --- looking -----------------------------------------------------------------------

    @property
    def head(self) -> bytes:
        """The hash of the last entry, 32 bytes: records with equal heads are equal."""
        return self.entries[-1].head if self.entries else NO_ENTRY

    @property
    def step(self) -> Step | None:
        """The entry that is due, or None when the record is complete."""
        return self._course.step

    @property
    def turn(self) -> Turn:
        """What is due, as seen from our side.  For a witness, WAIT or DONE."""
        if self.step is None:
            return Turn.DONE
        if self.step.side != self.side:
            return Turn.WAIT
        return _TURNS.get(self.step.kind, Turn.SPEAK)

    @property
    def may_resign(self) -> bool:
        """Whether `resign()` is possible at this moment."""
        return self.side is not None and self._course.is_due(Step(self.side, Kind.RESIGN))

    @property
    def may_propose(self) -> bool:
        """Whether `propose()` is possible at this moment."""
        return self.side is not None and self._course.is_due(Step(self.side, Kind.PROPOSE))

    @property
    def game(self) -> G:
        """The game as it stands, from the offer on.  Look, but let the table feed it."""
        if self.offer is None:
            raise LocalProtocolError("no game has been offered yet")
        return self._course.game

    @property
    def offer(self) -> Offer | None:
        """What the host proposed and said of itself."""
        return self._course.offer

    @property
    def accept(self) -> Accept | None:
        """What the guest said of itself."""
        return self._course.accept

    @property
    def game_id(self) -> bytes:
        """The 32-byte name of this game, from the acceptance on."""
        if self.accept is None:
            raise LocalProtocolError("the guest has not accepted yet")
        return game_id(self.entries[0].head, self.accept.identity, self.accept.nonce)

    @property
    def identities(self) -> tuple[bytes, bytes]:
        """The public keys of host and guest, 32 bytes each, from the acceptance on."""
        if self.offer is None or self.accept is None:
            raise LocalProtocolError("the guest has not accepted yet")
        return self.offer.identity, self.accept.identity

    @property
    def result(self) -> Result | None:
        """How the game ended, if it has."""
        return self._course.result

    @property
    def has_seats(self) -> bool:
        """Whether it is decided who plays whom: from the end of the opening on."""
        return self._course.has_seats

    def player_of(self, side: int) -> int:
        """The player of the game that `side` is, and the side that a player is."""
        return self._course.player_of(side)

    @property
    def player(self) -> int:
        """The player that we are."""
        if self.side is None:
            raise LocalProtocolError("a witness is no player")
        return self.player_of(self.side)

    def all_faces(self, deck: int) -> list[int]:
        """Every face of deck number `deck`, once both keys are unsealed."""
        return self._course.all_faces(deck)

    def expect(self, identity: bytes) -> None:
        """Say whom the line has proven to be on the other side: only they can be its author.

        Raises:
            InvalidError: UNEXPECTED, the record so far is somebody else's.
        """
        self._expected = identity
        if self._ours is not None:
            known = (self.offer, self.accept)[1 - self._ours.side]
            if known is not None and known.identity != identity:
                raise InvalidError(Fault.UNEXPECTED, _SOMEBODY_ELSE)

    # --- speaking ----------------------------------------------------------------------

    def speak(self) -> Entry:
        """Our next entry, where there is nothing to decide.  May take 20 ms (a shuffle)."""
        if self.turn is not Turn.SPEAK or self.step is None:
            raise LocalProtocolError(f"nothing to say now: the turn is {self.turn.name}")
        self._check_open()
        return self._write(self._course.say(self.step.kind, self.head))

    def act(self, action: int) -> Entry:
        """Our decision: one of `game.pending.actions`."""
        request = self.game.pending if self.turn is Turn.DECIDE else None
        if request is None or request.kind != "choose":
            raise LocalProtocolError(f"nothing to decide now: the turn is {self.turn.name}")
        if action not in request.actions:
            raise LocalProtocolError(f"action {action} is not legal now")
        return self._write(Act(action))

    def resign(self) -> Entry:
        """Give the game up.  Possible whenever we may speak (`may_resign`)."""
        if not self.may_resign:
            raise LocalProtocolError("one can only resign in play and when one may speak")
        return self._write(Resign())

    def propose(self) -> Entry:
        """Propose to end the game without a winner.  Possible if `may_propose`."""
        if not self.may_propose:
            raise LocalProtocolError("one can only propose an end once, when one may speak")
        return self._write(Propose())

    def reply(self, agrees: bool) -> Entry:
        """Agree to the proposed end, or go on."""
        if self.turn is not Turn.CONSIDER:
            raise LocalProtocolError("nothing has been proposed")
        return self._write(Reply(int(agrees)))

    def _write(self, body: Body) -> Entry:
        """Apply, sign and append an entry of ours.

        Raises:
            RemoteProtocolError: our share has shown that an action of the other side was illegal.
        """
        self._check_open()
        if self._ours is None:
            raise LocalProtocolError("a witness has nothing to say")
        side, previous = self._ours.side, self.head
        try:
            self._course.apply(side, body, previous, own=True)
        except InvalidError as error:
            if self._course.actor == side:
                raise LocalProtocolError(f"we broke a rule ourselves: {error}") from error
            self._refuse(error, self._course.actor, *self._last_act())
        state = state_hash(self.game.public_bytes())
        entry = Entry.sign(len(self.entries), side, previous, body, state, self._ours.identity)
        self.entries.append(entry)
        return entry

    def _check_open(self) -> None:
        if self._ended:
            raise LocalProtocolError(f"this table has ended: {self._ended}")

    # --- listening ---------------------------------------------------------------------

    def receive(self, raw: bytes) -> Entry | None:
        """Take an entry that the peer sent.  May take 20 ms (the proof of a shuffle).

        Returns the entry, or None if it is a copy of one that we have, which a peer may send
        after a break.

        Raises:
            RemoteProtocolError: the entry is refused, with the reason and the evidence.
            IncompatibleError: it offers a game, or a version, that we don't have.
            LostEntriesError: it is an entry of ours that we don't have.
        """
        if self.side is None:
            raise LocalProtocolError("a witness has no peer: use replay()")
        self._check_open()
        peer = 1 - self.side
        try:
            entry = Entry.decode(raw)
        except InvalidError as error:
            self._refuse(error, peer)
        if entry.author == self.side:
            self._refuse_our_own(entry, peer)
        if entry.number < len(self.entries):
            self._compare(entry)
            return None
        return self._take(entry)

    def _refuse_our_own(self, entry: Entry, peer: int) -> NoReturn:
        """Our own entry comes back: played back to us, unless it is we who have lost it.

        One of another game, or somebody else's in our name, is not what comes next here.
        """
        assert self._ours is not None
        comes_next = entry.number == len(self.entries) and entry.previous == self.head
        if comes_next and self._is_signed(entry, self._ours.identity.public):
            raise LostEntriesError(f"entry {entry.number} is ours, and we don't have it")
        self._refuse(InvalidError(Fault.REFLECTION, "an entry of our own side"), peer)

    def _compare(self, entry: Entry) -> None:
        """An entry for a place that is taken: a copy is harmless, anything else a lie.

        It is proven to be one only by its `previous`, which is of this game: entries of one
        author's other games have the same numbers and as good a signature, and the first of all
        games have the same, nothing, before them.
        """
        kept = self.entries[entry.number]
        if entry.raw == kept.raw:
            return
        try:
            entry.check_signature(self._public_key_of(entry))
        except InvalidError as error:
            self._refuse(error, entry.author)
        if entry.head == kept.head:
            return  # signed twice, but only one thing was said
        if entry.number == 0 or entry.previous != kept.previous:
            strange = f"entry {entry.number} is not of this record"
            self._refuse(InvalidError(Fault.BROKEN_CHAIN, strange), entry.author, entry)
        if kept.author != entry.author:
            stolen = f"entry {entry.number} was not its to write"
            self._refuse(InvalidError(Fault.UNEXPECTED, stolen), entry.author, entry)
        twice = f"two different entries with number {entry.number}"
        self._refuse(InvalidError(Fault.EQUIVOCATION, twice), entry.author, kept, entry)

    def _take(self, entry: Entry) -> Entry:
        """Check an entry of either side, apply it and append it."""
        self._check_open()
        self._check_introduction(entry)
        try:
            self._check_place(entry)
            entry.check_signature(self._public_key_of(entry))
            self._course.apply(entry.author, entry.body, entry.previous, own=False)
            self._check_state(entry)
        except InvalidError as error:
            # A card may show only now that an earlier action was illegal: blame who acted.
            if error.fault is Fault.ILLEGAL_ACTION and entry.kind is not Kind.ACT:
                self._refuse(error, self._course.actor, *self._last_act(), entry)
            self._refuse(error, entry.author, entry)
        except IncompatibleError as error:
            self._ended = str(error)
            raise
        self.entries.append(entry)
        return entry

    def _check_introduction(self, entry: Entry) -> None:
        """An entry that says who its author is must say what we know.  No proof to others."""
        if self._ours is None or not isinstance(entry.body, Offer | Accept):
            return
        if self.step != Step(entry.author, entry.kind):
            return  # refused for that
        is_ours = entry.body.identity == self._ours.identity.public
        if entry.author == self._ours.side:
            if not is_ours:
                raise LocalProtocolError("this record was played with another identity than ours")
        elif is_ours:
            mirror = InvalidError(Fault.REFLECTION, "host and guest have the same identity")
            self._refuse(mirror, entry.author)
        elif self._expected not in (None, entry.body.identity):
            self._refuse(InvalidError(Fault.UNEXPECTED, _SOMEBODY_ELSE), entry.author)

    def _check_place(self, entry: Entry) -> None:
        """Raise unless an entry may come now with this number, chain, author and kind."""
        if entry.number != len(self.entries) or entry.previous != self.head:
            raise InvalidError(
                Fault.BROKEN_CHAIN, f"entry {entry.number} does not continue the record here"
            )
        if self.step is None:
            raise InvalidError(Fault.UNEXPECTED, "the record is complete")
        found = Step(entry.author, entry.kind)
        if not self._course.is_due(found):
            raise InvalidError(Fault.UNEXPECTED, f"{found} where {self.step} is due")

    def _check_state(self, entry: Entry) -> None:
        if entry.state != state_hash(self.game.public_bytes()):
            raise InvalidError(
                Fault.STATE_MISMATCH, f"we disagree on the game after entry {entry.number}"
            )

    def _public_key_of(self, entry: Entry) -> bytes:
        """Whose signature an entry must bear: the first of each side says so itself.

        Raises:
            InvalidError: UNEXPECTED, nobody has said so yet.
        """
        introduction = (self.offer, self.accept)[entry.author]
        if introduction is not None:
            return introduction.identity
        if entry.kind is (Kind.OFFER, Kind.ACCEPT)[entry.author]:
            assert isinstance(entry.body, Offer | Accept)
            return entry.body.identity
        raise InvalidError(Fault.UNEXPECTED, f"{entry.kind.name} of a side that is not known yet")

    def _refuse(self, error: InvalidError, side: int, *entries: Entry) -> NoReturn:
        """End the table; of `entries`, those that are truly signed are kept as evidence."""
        self._ended = str(error)
        evidence = tuple(entry.raw for entry in entries if self._is_signed(entry))
        raise RemoteProtocolError(
            error.fault, error.detail, side=side, evidence=evidence
        ) from error

    def _is_signed(self, entry: Entry, public: bytes | None = None) -> bool:
        """Whether its author has signed it, or the owner of `public`."""
        try:
            entry.check_signature(public or self._public_key_of(entry))
        except InvalidError:
            return False
        return True

    def _last_act(self) -> list[Entry]:
        """The action that is being carried out."""
        acts = (entry for entry in reversed(self.entries) if entry.kind is Kind.ACT)
        return [act for act in (next(acts, None),) if act is not None]
