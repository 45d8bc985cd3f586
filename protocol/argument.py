"""The algebra of the Terelius-Wikström shuffle argument, over any group of prime order.

It proves that a list of ElGamal pairs is another list, permuted and remasked, without telling the
permutation.  The prover commits to the permutation as a matrix, column by column, and shows for
random challenges that the matrix is a permutation's (its rows sum to one, and it keeps the
product of the challenges) and that the pairs were permuted by the same matrix.

Sources: Terelius and Wikström, "Proofs of Restricted Shuffles" (2010); the pseudo-code of Haenni,
Locher, Koenig and Dubuis, "Pseudo-Code Algorithms for Verifiable Re-Encryption Mix-Nets" (2017),
the same as GenPermutationCommitment, GenCommitmentChain, GenShuffleProof and CheckShuffleProof in
their CHVote Protocol Specification (IACR ePrint 2017/325).  Haines, "A Description and Proof of a
Generalised and Optimised Variant of Wikström's Mixnet" (arXiv 1901.08371), proves it secure.

Nothing is hashed or drawn here: challenges and nonces are arguments.  The names c, t, s, u, r and
omega are the pseudo-code's; there N is `size`, and the group is written multiplicatively.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, mul
from typing import Generic, Protocol, Self, TypeVar


class ScalarLike(Protocol):
    """A number modulo the order of the group."""

    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self, /) -> Self: ...
    def __neg__(self) -> Self: ...


class ElementLike(Protocol):
    """An element of the group."""

    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...


S = TypeVar("S", bound=ScalarLike)
E = TypeVar("E", bound=ElementLike)


@dataclass(frozen=True, slots=True)
class Group(Generic[S, E]):
    """What the argument needs of a group."""

    generator: E
    scalar: Callable[[int], S]
    combine: Callable[[Sequence[S], Sequence[E]], E]
    """The sum of scalars[i] * elements[i]."""


@dataclass(frozen=True, slots=True)
class CommitmentKey(Generic[E]):
    """What permutations are committed with: nobody may know a logarithm between these or to G."""

    chain_base: E
    generators: Sequence[E]  # one for each pair
    generator_sum: E


@dataclass(frozen=True, slots=True)
class Statement(Generic[E]):
    """That `after` is `before`, permuted and remasked under the key `joint`.  All public.

    A pair (a, b) is remasked with r by adding (r*G, r*joint).
    """

    before: Sequence[tuple[E, E]]
    after: Sequence[tuple[E, E]]
    joint: E
    key: CommitmentKey[E]


@dataclass(frozen=True, slots=True, repr=False)
class Witness(Generic[S]):
    """How it was shuffled.  SECRET.

    after[i] is before[permutation[i]], remasked with masks[permutation[i]].
    """

    permutation: Sequence[int]
    masks: Sequence[S]


@dataclass(frozen=True, slots=True, repr=False)
class Nonces(Generic[S]):
    """Uniform scalars, used once.  SECRET."""

    r: Sequence[S]  # of the commitments c
    r_hat: Sequence[S]  # of the chain c_hat
    omega: tuple[S, S, S, S]
    omega_hat: Sequence[S]
    omega_tilde: Sequence[S]


@dataclass(frozen=True, slots=True)
class Proof(Generic[S, E]):
    """The argument in challenge form: the announcements t are left out, the verifier finds them."""

    challenge: S
    s: tuple[S, S, S, S]
    s_hat: Sequence[S]
    s_tilde: Sequence[S]
    c: Sequence[E]
    c_hat: Sequence[E]


def prove(
    group: Group[S, E],
    statement: Statement[E],
    witness: Witness[S],
    nonces: Nonces[S],
    challenges: Callable[[Sequence[E]], Sequence[S]],
    challenge: Callable[[Sequence[E], Sequence[E], Sequence[E]], S],
) -> Proof[S, E]:
    """GenShuffleProof.

    `challenges(c)` gives u, a scalar for each pair; `challenge(c, c_hat, t)` the last one.
    """
    combine, g = group.combine, group.generator
    chain_base, generators = statement.key.chain_base, statement.key.generators
    sources, masks = witness.permutation, witness.masks

    # GenPermutationCommitment: c[j] is generators[i], blinded, where after[i] came from j.
    c = list(generators)
    for generator, source in zip(generators, sources, strict=True):
        c[source] = generator + combine([nonces.r[source]], [g])

    u = challenges(c)
    u_tilde = [u[source] for source in sources]

    # GenCommitmentChain, and the announcements about it.  Link i is r*g + u*(link i-1), which is
    # kept as R*g + U*chain_base.
    big_r, big_u = group.scalar(0), group.scalar(1)
    c_hat, t_hat = [], []
    steps = zip(nonces.r_hat, u_tilde, nonces.omega_hat, nonces.omega_tilde, strict=True)
    for r, u_i, omega_hat, omega_tilde in steps:
        announced = [omega_hat + omega_tilde * big_r, omega_tilde * big_u]
        t_hat.append(combine(announced, [g, chain_base]))
        big_r, big_u = r + u_i * big_r, u_i * big_u
        c_hat.append(combine([big_r, big_u], [g, chain_base]))

    # t4 is the sum of omega_tilde[i] * after[i], less omega4 * (g, joint).  Written over the deck
    # before, it is cheaper where the pairs have equal halves there, as in a fresh deck.
    omega1, omega2, omega3, omega4 = nonces.omega
    mask = _dot(nonces.omega_tilde, [masks[source] for source in sources]) - omega4
    weights = [*nonces.omega_tilde, mask]
    t = [
        combine([omega1], [g]),
        combine([omega2], [g]),
        combine([omega3, *nonces.omega_tilde], [g, *generators]),
        combine(weights, [*(statement.before[source][0] for source in sources), g]),
        combine(weights, [*(statement.before[source][1] for source in sources), statement.joint]),
        *t_hat,
    ]

    x = challenge(c, c_hat, t)
    return Proof(
        challenge=x,
        s=(
            omega1 + x * reduce(add, nonces.r),
            omega2 + x * big_r,
            omega3 + x * _dot(nonces.r, u),
            omega4 + x * _dot(masks, u),
        ),
        s_hat=[w + x * r for w, r in zip(nonces.omega_hat, nonces.r_hat, strict=True)],
        s_tilde=[w + x * u_i for w, u_i in zip(nonces.omega_tilde, u_tilde, strict=True)],
        c=c,
        c_hat=c_hat,
    )


def announcements(
    group: Group[S, E], statement: Statement[E], proof: Proof[S, E], u: Sequence[S]
) -> list[E]:
    """The t of CheckShuffleProof: the proof holds if the challenge of these is its challenge.

    All lists must be as long as the deck; the caller has seen to it.
    """
    combine, g = group.combine, group.generator
    chain_base, generators = statement.key.chain_base, statement.key.generators
    (s1, s2, s3, s4), s_tilde = proof.s, proof.s_tilde
    x = -proof.challenge
    links = [chain_base, *proof.c_hat]

    c_bar = reduce(add, proof.c) - statement.key.generator_sum
    c_tilde = combine(u, proof.c)
    a_tilde = combine(u, [a for a, _ in statement.before])
    b_tilde = combine(u, [b for _, b in statement.before])
    return [
        combine([x, s1], [c_bar, g]),
        combine([x, s2, -(x * reduce(mul, u))], [links[-1], g, chain_base]),
        combine([x, s3, *s_tilde], [c_tilde, g, *generators]),
        combine([x, -s4, *s_tilde], [a_tilde, g, *(a for a, _ in statement.after)]),
        combine([x, -s4, *s_tilde], [b_tilde, statement.joint, *(b for _, b in statement.after)]),
        *(
            combine([x, answer, weight], [link, g, previous])
            for answer, weight, link, previous in zip(
                proof.s_hat, s_tilde, links[1:], links[:-1], strict=True
            )
        ),
    ]


def _dot(left: Sequence[S], right: Sequence[S]) -> S:
    return reduce(add, (x * y for x, y in zip(left, right, strict=True)))
