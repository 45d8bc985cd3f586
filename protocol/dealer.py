"""The cards, keys and coins of one game: everything secret and everything proven.

A dealer stands between the table, which knows the order of things, and the proofs, which know
nothing but numbers.  For each kind of entry it can make our own (`key_share`, `commit`,
`answer`, `reveal`, `shuffle`, `share`, `unseal`: nothing changes) and take one of either side
(`take_...`: checked first, then kept).  It knows no rule, no player and no order of entries.

A card is never shown on request: what is owed follows from the handles that the game discloses,
and a share is made for a handle of a verified deck, never for bytes that somebody sends.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from protocol import coin
from protocol.deck import CARD_SIZE, MaskedCard, decryption_share, face_of, fresh_deck, unmask
from protocol.entries import Answer, Commit, Open, Share, Shuffle, Unseal
from protocol.errors import Fault, InvalidError, LocalProtocolError
from protocol.game import UNKNOWN
from protocol.group import SIZE, Element, Rng
from protocol.keys import KeyShare, SecretKey, check_revealed, joint_key, verify_key_share
from protocol.shuffle import VerifiedDeck, shuffle_deck, verify_shuffle
from protocol.sigma import prove_equality, verify_equality
from protocol.transcript import Context, Label

NO_DECK: Final = -1


@dataclass(frozen=True, slots=True)
class Coin:
    """A coin that has fallen: the committer's and the answerer's half, and where it fell."""

    seeds: tuple[bytes, bytes]
    context: Context

    def bit(self) -> int:
        return coin.uniform_bit(self.seeds, self.context)

    def order(self, size: int) -> tuple[int, ...]:
        return coin.uniform_order(self.seeds, size, self.context)


@dataclass(slots=True)
class _Deck:
    """A deck: fresh, then shuffled by one side, then by both; and the shares given so far."""

    fresh: tuple[MaskedCard, ...]
    stages: list[VerifiedDeck] = field(default_factory=list)
    shares: tuple[dict[int, Element], dict[int, Element]] = field(default_factory=lambda: ({}, {}))

    @property
    def before(self) -> tuple[MaskedCard, ...]:
        """What the next shuffle has to start from."""
        return self.stages[-1].cards if self.stages else self.fresh

    @property
    def shuffled(self) -> VerifiedDeck:
        """The deck that cards are dealt from."""
        if len(self.stages) < 2:
            raise LocalProtocolError("this deck has not been shuffled by both sides yet")
        return self.stages[1]


class Dealer:
    """The cryptographic half of one game, as `side` (0, 1, or None for a witness) holds it.

    `seed` is 32 SECRET bytes of this one game; its key and its coins follow from it.
    """

    def __init__(self, side: int | None = None, seed: bytes = b"", rng: Rng | None = None) -> None:
        self._side: Final = side
        self._seed: Final = seed
        self._secret: Final = SecretKey.derive(seed) if side is not None else None
        self._rng: Final = rng or _no_chance
        self._game_id = b""
        self._identities = (b"", b"")
        self._publics: dict[int, Element] = {}
        self._joint: Element | None = None
        self._coin: tuple[Context, bytes] | None = None
        self._answer = b""
        self._decks: dict[int, _Deck] = {}
        self._made: VerifiedDeck | None = None
        self._unsealed: dict[int, SecretKey] = {}

    def __repr__(self) -> str:
        return f"Dealer(side={self._side})"

    def begin(self, game_id: bytes, identities: tuple[bytes, bytes]) -> None:
        """Bind everything that follows to this game and these two."""
        self._game_id, self._identities = game_id, identities

    def _context(self, side: int, head: bytes, deck: int = NO_DECK) -> Context:
        """What a proof of `side` in the entry after `head` is bound to."""
        return Context(self._game_id, self._identities, side, deck, head)

    # --- the joint key -----------------------------------------------------------------

    def key_share(self, head: bytes) -> bytes:
        """Our share of the joint key, with the proof that we know its secret."""
        side, secret = self._ours()
        return secret.share(self._context(side, head), self._rng).encode()

    def take_key_share(self, side: int, raw: bytes, head: bytes) -> None:
        """Keep the share of `side`; with both, the joint key is fixed.

        Raises:
            InvalidError: BAD_ELEMENT, BAD_SCALAR, BAD_PROOF; BAD_KEY_SHARE if it repeats or
                cancels the other.
        """
        share = KeyShare.decode(raw)
        if side == self._side and self._secret is not None and share.public != self._secret.public:
            raise LocalProtocolError("this record was played with another seed than ours")
        verify_key_share(share, self._context(side, head))
        publics = {**self._publics, side: share.public}
        if len(publics) == 2:
            self._joint = joint_key(publics[0], publics[1])
        self._publics = publics

    # --- coins -------------------------------------------------------------------------

    def commit(self, head: bytes) -> Commit:
        side, _ = self._ours()
        context = self._context(side, head)
        return Commit(coin.commit(self._half(context), context))

    def take_commit(self, side: int, body: Commit, head: bytes) -> None:
        self._coin = self._context(side, head), body.commitment

    def answer(self) -> Answer:
        return Answer(self._rng(32))

    def take_answer(self, body: Answer) -> None:
        self._answer = body.value

    def reveal(self) -> Open:
        assert self._coin is not None
        return Open(self._half(self._coin[0]))

    def take_open(self, body: Open) -> Coin:
        """The coin, now that both halves are known.

        Raises:
            InvalidError: BAD_OPENING.
        """
        assert self._coin is not None
        context, commitment = self._coin
        coin.check_opening(commitment, body.value, context)
        self._coin = None
        return Coin((body.value, self._answer), context)

    def _half(self, context: Context) -> bytes:
        """Our secret half of a coin: it follows from the seed, so that it needs no storing."""
        return context.transcript(Label.COIN_SECRET).append(self._seed).digest()

    # --- decks -------------------------------------------------------------------------

    def new_deck(self, number: int, size: int) -> None:
        """Lay out deck `number` of `size` cards, face up, in order, before anybody shuffles."""
        if number != len(self._decks):
            raise LocalProtocolError(f"deck {number} where {len(self._decks)} is the next")
        self._decks[number] = _Deck(fresh_deck(self._joint_key(), size))

    def shuffle(self, number: int, head: bytes) -> Shuffle:
        """Our shuffle of deck `number`.  Takes some 15 ms for 32 cards."""
        side, _ = self._ours()
        before = self._decks[number].before
        context = self._context(side, head, number)
        self._made, proof = shuffle_deck(before, self._joint_key(), context, self._rng)
        return Shuffle(b"".join(card.encode() for card in self._made.cards), proof)

    def take_shuffle(self, side: int, number: int, body: Shuffle, head: bytes, own: bool) -> None:
        """Keep a shuffle of deck `number`.  `own`: it is what `shuffle` has just made.

        Raises:
            InvalidError: MALFORMED, BAD_ELEMENT, BAD_SCALAR or BAD_PROOF.
        """
        deck = self._decks[number]
        if own:
            assert self._made is not None
            verified = self._made
        else:
            if len(body.cards) != CARD_SIZE * len(deck.fresh):
                raise InvalidError(
                    Fault.MALFORMED,
                    f"a shuffle of {len(body.cards)} bytes, expected {CARD_SIZE} for each "
                    f"of {len(deck.fresh)} cards",
                )
            after = tuple(MaskedCard.decode(card) for card in _split(body.cards, CARD_SIZE))
            context = self._context(side, head, number)
            verified = verify_shuffle(deck.before, after, body.proof, self._joint_key(), context)
        self._made = None
        deck.stages.append(verified)

    # --- showing cards -----------------------------------------------------------------

    def owed(
        self, side: int, number: int, handles: Sequence[int], to: Collection[int]
    ) -> tuple[int, ...]:
        """The handles whose share `side` still owes, so that the sides `to` can see the cards."""
        if not any(other != side for other in to):
            return ()
        given = self._decks[number].shares[side]
        return tuple(handle for handle in handles if handle not in given)

    def share(self, number: int, handles: Sequence[int], head: bytes) -> Share:
        """Our shares of the cards at `handles` of deck `number`, with one proof for all."""
        side, secret = self._ours()
        cards = [self._decks[number].shuffled.cards[handle] for handle in handles]
        images = [decryption_share(secret, card) for card in cards]
        proof = prove_equality(
            secret.scalar,
            secret.public,
            [card.a for card in cards],
            images,
            self._context(side, head, number),
            self._rng,
        )
        return Share(b"".join(image.encode() for image in images), proof)

    def take_share(
        self,
        side: int,
        number: int,
        handles: Sequence[int],
        body: Share,
        head: bytes,
        own: bool,
    ) -> None:
        """Keep the shares of `side` for exactly these `handles`.

        Raises:
            InvalidError: MALFORMED, BAD_ELEMENT, BAD_SCALAR or BAD_PROOF.
        """
        if len(body.shares) != SIZE * len(handles):
            raise InvalidError(
                Fault.MALFORMED,
                f"{len(body.shares)} bytes of shares, expected {SIZE} for each "
                f"of {len(handles)} cards",
            )
        deck = self._decks[number]
        images = [Element.decode(image) for image in _split(body.shares, SIZE)]
        if not own:
            verify_equality(
                body.proof,
                self._publics[side],
                [deck.shuffled.cards[handle].a for handle in handles],
                images,
                self._context(side, head, number),
            )
        deck.shares[side].update(zip(handles, images, strict=True))

    def faces(self, number: int, handles: Sequence[int], to: Collection[int]) -> list[int]:
        """The faces at `handles`, as far as they were shown to us; UNKNOWN for the others.

        What was shown to both sides is known to a witness too.
        """
        if self._side not in to and len(to) < 2:
            return [UNKNOWN] * len(handles)
        deck = self._decks[number]
        faces = []
        for handle in handles:
            card = deck.shuffled.cards[handle]
            shares = {
                side: given[handle] for side, given in enumerate(deck.shares) if handle in given
            }
            if self._side is not None and self._secret is not None:
                shares.setdefault(self._side, decryption_share(self._secret, card))
            faces.append(face_of(unmask(card, list(shares.values())), len(deck.fresh)))
        return faces

    # --- after the game ----------------------------------------------------------------

    def unseal(self) -> Unseal:
        """Our secret key of this game: sent when it is over, it opens every card."""
        return Unseal(self._ours()[1].reveal())

    def take_unseal(self, side: int, body: Unseal) -> None:
        """Keep the secret key of `side`.

        Raises:
            InvalidError: BAD_OPENING or BAD_SCALAR.
        """
        self._unsealed[side] = check_revealed(body.secret, self._publics[side])

    def all_faces(self, number: int) -> list[int]:
        """Every face of deck `number`, once both keys are unsealed."""
        if len(self._unsealed) < 2 or number not in self._decks:
            raise LocalProtocolError(f"the keys to deck {number} are not unsealed")
        cards = self._decks[number].shuffled.cards
        secrets = self._unsealed.values()
        return [
            face_of(unmask(card, [decryption_share(key, card) for key in secrets]), len(cards))
            for card in cards
        ]

    # --- ours --------------------------------------------------------------------------

    def _ours(self) -> tuple[int, SecretKey]:
        if self._side is None or self._secret is None:
            raise LocalProtocolError("a witness has no keys")
        return self._side, self._secret

    def _joint_key(self) -> Element:
        if self._joint is None:
            raise LocalProtocolError("the joint key is not fixed yet")
        return self._joint


def _no_chance(count: int) -> bytes:
    raise LocalProtocolError(f"a witness draws no chance, not {count} bytes")


def _split(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]
