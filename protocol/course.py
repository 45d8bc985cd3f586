"""The course of one game: what is due, what an entry changes, and what that makes due next.

Here the scripts, the dealer and the game come together.  Bodies of entries are made (`say`) and
taken (`apply`); who signed them, and where they stand in the record, is `table`'s business.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from protocol.dealer import Coin, Dealer
from protocol.entries import (
    Accept,
    Act,
    Answer,
    Body,
    Commit,
    Key,
    Kind,
    Offer,
    Open,
    Propose,
    Reply,
    Resign,
    Share,
    Shuffle,
    Unseal,
    game_id,
)
from protocol.errors import Fault, IncompatibleError, InvalidError, LocalProtocolError
from protocol.game import Disclose, Game, Request
from protocol.group import Rng
from protocol.identity import Identity
from protocol.script import GUEST, HOST, Step, script
from protocol.transcript import PROTOCOL

G = TypeVar("G", bound=Game)
Games = Mapping[str, Callable[[bytes], G]]
"""The games one knows: by name, what makes a new one from its options.

A factory raises `ValueError` for options it does not know.
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a host offers; the fields go into its `Offer`."""

    game: str
    options: bytes = b""
    seat: int | None = None
    started: int = 0
    clock: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Ours:
    """What makes a table ours rather than a witness's.  `seed` and `identity` are SECRET.

    `seed` is 32 random bytes for this one game, kept until it is over: the game's key and coins
    follow from it.  `rng` gives n fresh random bytes for shuffles and proofs:
    `secrets.token_bytes`, or a test's stand-in.  `terms` makes us the host, None the guest.
    """

    identity: Identity
    seed: bytes
    rng: Rng
    name: str = ""
    terms: Terms | None = None

    @property
    def side(self) -> int:
        return GUEST if self.terms is None else HOST

    def __repr__(self) -> str:
        return f"Ours({self.identity!r}, name={self.name!r})"


@dataclass(frozen=True, slots=True)
class Result:
    """Who won, as a player of the game, and why.  No winner: both agreed to end it so."""

    winner: int | None
    reason: str
    resigned: bool = False


class Course(Generic[G]):
    """One game between two sides, as a state machine over the bodies of entries.

    `game` is there from the offer on; `offer` and `accept` are what the two said of themselves;
    `result` is how it ended; `actor` is the side whose action is being carried out.
    """

    def __init__(self, games: Games[G], ours: Ours | None) -> None:
        self.offer: Offer | None = None
        self.accept: Accept | None = None
        self.game: G
        self.result: Result | None = None
        self.actor = HOST
        self._games: Final = games
        self._ours: Final = ours
        self._dealer: Final = Dealer(ours.side, ours.seed, ours.rng) if ours else Dealer()
        self._script = script("opening", HOST)
        self._request: Request | None = None  # what the script serves, if the game asked for it
        self._host_player: int | None = None
        self._coin: Coin | None = None
        self._action = 0
        self._has_proposal = False  # since the last action

    @property
    def step(self) -> Step | None:
        """The entry that is due, or None when there is nothing more to come."""
        return self._script[0] if self._script else None

    @property
    def is_playing(self) -> bool:
        """Whether the seats are taken and the game is not over: then one may resign."""
        return self._host_player is not None and self.result is None

    def is_due(self, step: Step) -> bool:
        """Whether an entry of this side and kind may come now."""
        if self.step is None or step.side != self.step.side:
            return False
        if step.kind is Kind.RESIGN:
            return self.is_playing
        if step.kind is Kind.PROPOSE:
            return self.is_playing and not self._has_proposal
        return step.kind is self.step.kind

    @property
    def has_seats(self) -> bool:
        return self._host_player is not None

    def player_of(self, side: int) -> int:
        """The player of the game that `side` is.  (Read backwards, it says the same.)"""
        if self._host_player is None:
            raise LocalProtocolError("the seats are not decided yet")
        return side ^ self._host_player

    def all_faces(self, deck: int) -> list[int]:
        return self._dealer.all_faces(deck)

    # --- making and taking bodies ------------------------------------------------------

    def say(self, kind: Kind, head: bytes) -> Body:
        """Our body of this kind, which leaves nothing to decide, for the entry after `head`."""
        ours = self._ours
        if ours is None:
            raise LocalProtocolError("a witness has nothing to say")
        match kind:
            case Kind.OFFER:
                terms = ours.terms
                assert terms is not None
                return Offer(
                    PROTOCOL.decode(),
                    terms.game,
                    terms.options,
                    terms.seat,
                    terms.clock,
                    ours.identity.public,
                    ours.name,
                    ours.rng(32),
                    terms.started,
                )
            case Kind.ACCEPT:
                nonce = ours.rng(32)
                self._bind(head, ours.identity.public, nonce)
                return Accept(ours.identity.public, ours.name, nonce, self._dealer.key_share(head))
            case Kind.KEY:
                return Key(self._dealer.key_share(head))
            case Kind.COMMIT:
                return self._dealer.commit(head)
            case Kind.ANSWER:
                return self._dealer.answer()
            case Kind.OPEN:
                return self._dealer.reveal()
            case Kind.SHUFFLE:
                return self._dealer.shuffle(self._deck, head)
            case Kind.SHARE:
                return self._dealer.share(self._deck, self._owed(ours.side), head)
            case Kind.UNSEAL:
                return self._dealer.unseal()
            case Kind.ACT | Kind.RESIGN | Kind.PROPOSE | Kind.REPLY:
                raise LocalProtocolError(f"somebody has to decide on {kind.name}")

    def apply(self, side: int, body: Body, head: bytes, *, own: bool) -> None:
        """Take a body of `side`, from the entry after `head`, and settle what is due next.

        `own`: `say` has just made it, so its proofs need no checking.

        Raises:
            InvalidError: the body does not hold here; the course cannot go on.
            IncompatibleError: it offers a game, or a version, that we don't have.
        """
        match body:
            case Offer():
                self._take_offer(body)
            case Accept():
                self._take_accept(body, head)
                self._dealer.take_key_share(side, body.key_share, head)
            case Key():
                self._dealer.take_key_share(side, body.key_share, head)
            case Commit():
                self._dealer.take_commit(side, body, head)
            case Answer():
                self._dealer.take_answer(body)
            case Open():
                self._coin = self._dealer.take_open(body)
            case Shuffle():
                self._dealer.take_shuffle(side, self._deck, body, head, own=own)
            case Share():
                owed = self._owed(side)
                self._dealer.take_share(side, self._deck, owed, body, head, own=own)
            case Act():
                self.actor, self._action = side, body.action
                self._has_proposal = False
            case Unseal():
                self._dealer.take_unseal(side, body)
            case Resign():
                self._end(Result(self.player_of(1 - side), "the other side resigned", True))
                return
            case Propose():
                self._has_proposal = True
                self._script = [*script("proposal", side), *self._script]
                return
            case Reply(agrees=1):
                self._end(Result(None, "both agreed to end it without a winner"))
                return
            case Reply():
                del self._script[0]
                return
            case _:
                raise AssertionError(f"no rule for {body}")
        del self._script[0]
        if not self._script and self.result is None:
            self._finish()
            self._settle(side)

    def _take_offer(self, offer: Offer) -> None:
        if offer.protocol != PROTOCOL.decode():
            raise IncompatibleError(
                f"the host speaks {offer.protocol!r}, we speak {PROTOCOL.decode()!r}"
            )
        if offer.game not in self._games:
            raise IncompatibleError(f"the host offers {offer.game!r}, which we don't know")
        try:
            self.game = self._games[offer.game](offer.options)
        except ValueError as error:
            raise IncompatibleError(f"the host offers options we don't know: {error}") from None
        self.offer = offer

    def _take_accept(self, accept: Accept, head: bytes) -> None:
        assert self.offer is not None
        if accept.identity == self.offer.identity:
            raise InvalidError(Fault.REFLECTION, "host and guest have the same identity")
        self._bind(head, accept.identity, accept.nonce)
        self.accept = accept

    def _bind(self, offer_head: bytes, guest: bytes, nonce: bytes) -> None:
        """Fix the game id, to which every proof from here on is bound."""
        assert self.offer is not None
        self._dealer.begin(game_id(offer_head, guest, nonce), (self.offer.identity, guest))

    def _end(self, result: Result) -> None:
        """The game is over: what remains is to unseal the keys."""
        self.result = result
        lead = HOST if result.winner is None else self.player_of(result.winner)
        self._script = script("over", lead)

    # --- the game's requests -----------------------------------------------------------

    @property
    def _deck(self) -> int:
        assert self._request is not None
        assert self._request.kind in ("shuffle", "disclose")
        return self._request.deck

    def _owed(self, side: int) -> tuple[int, ...]:
        """The handles that `side` has to give its shares for now."""
        request = self._request
        assert request is not None
        assert request.kind == "disclose"
        return self._dealer.owed(side, request.deck, request.handles, self._sides(request))

    def _sides(self, request: Disclose) -> frozenset[int]:
        return frozenset(self.player_of(player) for player in request.to)

    def _finish(self) -> None:
        """A script is at its end: its result goes to whoever asked for it.

        Raises:
            InvalidError: ILLEGAL_ACTION, the rules don't allow what was done.
        """
        request = self._request
        if request is None:
            self._seat_host()
            return
        try:
            match request.kind:
                case "shuffle":
                    self.game.shuffled()
                case "order":
                    assert self._coin is not None
                    self.game.ordered(self._coin.order(request.size))
                case "disclose":
                    sides = self._sides(request)
                    faces = self._dealer.faces(request.deck, request.handles, sides)
                    self.game.disclosed(faces)
                case "choose":
                    self.game.act(self._action)
                case "over":
                    raise AssertionError("nobody waits for the end")
        except ValueError as error:
            raise InvalidError(Fault.ILLEGAL_ACTION, str(error)) from error

    def _seat_host(self) -> None:
        """The opening is over; or the coin for the seats, where the offer left them to one."""
        assert self.offer is not None
        if self.offer.seat is not None:
            self._host_player = self.offer.seat
        elif self._coin is not None:
            self._host_player = self._coin.bit()

    def _settle(self, speaker: int) -> None:
        """Find the script that is due next.  `speaker` is the side that spoke last."""
        while not self._script:
            if self._host_player is None:
                self._script = script("seats", HOST)
                return
            request = self._request = self.game.pending
            match request.kind:
                case "shuffle":
                    self._dealer.new_deck(request.deck, request.size)
                    self._script = script("shuffle", self.player_of(request.first))
                case "order":
                    self._script = script("order", self.player_of(request.first))
                case "disclose":
                    steps = script("disclose", speaker)
                    self._script = [step for step in steps if self._owed(step.side)]
                    if not self._script:
                        self._finish()
                case "choose":
                    self._script = script("choose", self.player_of(request.player))
                case "over":
                    self._end(Result(request.winner, request.reason))
