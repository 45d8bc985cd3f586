"""Shuffling a masked deck, and proving that nothing but shuffling was done.

Each side shuffles in turn; if either permutes honestly, nobody knows the order.  The proof is the
Terelius-Wikström argument of `protocol.argument`, made non-interactive: its challenges are hashes
of everything, from the context of the game to the last commitment.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, TypeAlias, final, overload

from protocol import argument
from protocol.deck import MAX_DECK, MaskedCard, remask
from protocol.errors import Fault, InvalidError
from protocol.group import GENERATOR, IDENTITY, SIZE, Element, Rng, Scalar, hash_to_group, multi_mul
from protocol.sampling import uniform_permutation
from protocol.transcript import Context, Label, Transcript, domain, number

ShuffleProof: TypeAlias = argument.Proof[Scalar, Element]

_CHECKED: Final = object()


@final
@dataclass(frozen=True, slots=True)
class VerifiedDeck(Sequence[MaskedCard]):
    """A deck whose shuffle was proven.  Only `verify_shuffle` and `shuffle_deck` make one."""

    cards: tuple[MaskedCard, ...]
    _token: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self._token is not _CHECKED:
            raise TypeError("only verify_shuffle() and shuffle_deck() make a VerifiedDeck")

    def __len__(self) -> int:
        return len(self.cards)

    @overload
    def __getitem__(self, index: int, /) -> MaskedCard: ...
    @overload
    def __getitem__(self, index: slice, /) -> tuple[MaskedCard, ...]: ...
    def __getitem__(self, index: int | slice, /) -> MaskedCard | tuple[MaskedCard, ...]:
        return self.cards[index]


def proof_size(size: int) -> int:
    """Bytes of the proof for a deck of `size` cards: 4,256 for 32."""
    return (4 * size + 5) * SIZE


def shuffle_deck(
    cards: Sequence[MaskedCard], joint: Element, context: Context, rng: Rng
) -> tuple[VerifiedDeck, bytes]:
    """Permute and remask a deck, and prove it (GenShuffle and GenShuffleProof).

    Returns the new deck and the proof (`proof_size` bytes).  The permutation and the masks are
    SECRET and are forgotten.  Draws the permutation, 64 bytes a card, and 32 bytes from `rng`.
    ValueError if the deck is empty or larger than `MAX_DECK`.
    """
    size = _size(cards)
    permutation = uniform_permutation(size, rng)
    masks = [Scalar.random(rng) for _ in range(size)]
    after = tuple(remask(cards[source], joint, masks[source]) for source in permutation)
    statement = _statement(cards, after, joint)
    witness = argument.Witness(permutation, masks)
    proof = argument.prove(
        _RISTRETTO,
        statement,
        witness,
        _nonces(statement, witness, context, rng),
        lambda c: _challenges(statement, c, context),
        lambda c, c_hat, t: _challenge(statement, c, c_hat, t, context),
    )
    return VerifiedDeck(after, _CHECKED), _encode(proof)


def verify_shuffle(
    before: Sequence[MaskedCard],
    after: Sequence[MaskedCard],
    proof: bytes,
    joint: Element,
    context: Context,
) -> VerifiedDeck:
    """Check that `after` is a shuffle of `before` by `context.side` (CheckShuffleProof).

    It may be the trivial one: a peer is free not to shuffle, since ours suffices.

    Raises:
        InvalidError: MALFORMED if `after` or the proof is not as long as `before` demands,
            BAD_SCALAR or BAD_ELEMENT if a part of the proof is none (the identity is none),
            BAD_PROOF if it doesn't hold.
        ValueError: `before` is empty or larger than `MAX_DECK`.
    """
    size = _size(before)
    if len(after) != size:
        raise InvalidError(Fault.MALFORMED, f"{size} cards were shuffled into {len(after)}")
    claim = _decode(proof, size)
    statement = _statement(before, after, joint)
    u = _challenges(statement, claim.c, context)
    t = argument.announcements(_RISTRETTO, statement, claim, u)
    if _challenge(statement, claim.c, claim.c_hat, t, context) != claim.challenge:
        raise InvalidError(Fault.BAD_PROOF, "the proof of the shuffle does not hold")
    return VerifiedDeck(tuple(after), _CHECKED)


@cache
def commitment_key(size: int) -> argument.CommitmentKey[Element]:
    """What permutations of `size` cards are committed with, by hash to group.

    It is found here and never received: who knew a logarithm between two of these elements could
    commit to what is no permutation.  Number 0 starts the chain, 1 to `size` are the cards'.
    """
    chain_base, *generators = (
        hash_to_group(number(index), domain(Label.GENERATOR)) for index in range(size + 1)
    )
    return argument.CommitmentKey(chain_base, generators, sum(generators, start=IDENTITY))


_RISTRETTO: Final = argument.Group(generator=GENERATOR, scalar=Scalar.of, combine=multi_mul)


def _size(cards: Sequence[MaskedCard]) -> int:
    if not 1 <= len(cards) <= MAX_DECK:
        raise ValueError(f"a deck has 1 to {MAX_DECK} cards, not {len(cards)}")
    return len(cards)


def _statement(
    before: Sequence[MaskedCard], after: Sequence[MaskedCard], joint: Element
) -> argument.Statement[Element]:
    return argument.Statement(
        before=[(card.a, card.b) for card in before],
        after=[(card.a, card.b) for card in after],
        joint=joint,
        key=commitment_key(len(before)),
    )


def _transcript(
    label: Label, statement: argument.Statement[Element], context: Context
) -> Transcript:
    # The commitment key needs no place here: the label and the size determine it.
    transcript = context.transcript(label).append(
        statement.joint.encode(), number(len(statement.before))
    )
    return transcript.append(
        *(a.encode() + b.encode() for a, b in (*statement.before, *statement.after))
    )


def _challenges(
    statement: argument.Statement[Element], c: Sequence[Element], context: Context
) -> list[Scalar]:
    transcript = _transcript(Label.SHUFFLE_CHALLENGES, statement, context)
    draw = transcript.append(*(element.encode() for element in c)).stream()
    return [Scalar.random(draw) for _ in c]


def _challenge(
    statement: argument.Statement[Element],
    c: Sequence[Element],
    c_hat: Sequence[Element],
    t: Sequence[Element],
    context: Context,
) -> Scalar:
    transcript = _transcript(Label.SHUFFLE, statement, context)
    return transcript.append(*(element.encode() for element in (*c, *c_hat, *t))).scalar()


def _nonces(
    statement: argument.Statement[Element],
    witness: argument.Witness[Scalar],
    context: Context,
    rng: Rng,
) -> argument.Nonces[Scalar]:
    # Hedged like those of `protocol.sigma`: from the secrets, the statement and fresh bytes.
    transcript = _transcript(Label.SHUFFLE_NONCES, statement, context)
    transcript.append(*(number(source) for source in witness.permutation))
    transcript.append(*(mask.encode() for mask in witness.masks), rng(32))
    draw = transcript.stream()

    def scalars() -> list[Scalar]:
        return [Scalar.random(draw) for _ in witness.masks]

    return argument.Nonces(
        r=scalars(),
        r_hat=scalars(),
        omega=(Scalar.random(draw), Scalar.random(draw), Scalar.random(draw), Scalar.random(draw)),
        omega_hat=scalars(),
        omega_tilde=scalars(),
    )


def _encode(proof: ShuffleProof) -> bytes:
    """challenge, s1 to s4, s_hat, s_tilde, c, c_hat: 32 bytes each."""
    scalars = (proof.challenge, *proof.s, *proof.s_hat, *proof.s_tilde)
    elements = (*proof.c, *proof.c_hat)
    return b"".join(part.encode() for part in (*scalars, *elements))


def _decode(data: bytes, size: int) -> ShuffleProof:
    if len(data) != proof_size(size):
        detail = f"the proof for {size} cards has {proof_size(size)} bytes, not {len(data)}"
        raise InvalidError(Fault.MALFORMED, detail)
    parts = [data[start : start + SIZE] for start in range(0, len(data), SIZE)]
    challenge, s1, s2, s3, s4, *responses = map(Scalar.decode, parts[: 5 + 2 * size])
    commitments = [Element.decode(part) for part in parts[5 + 2 * size :]]
    return argument.Proof(
        challenge=challenge,
        s=(s1, s2, s3, s4),
        s_hat=responses[:size],
        s_tilde=responses[size:],
        c=commitments[:size],
        c_hat=commitments[size:],
    )
