"""The algebra of the shuffle argument over toy groups, where numbers can be checked by hand."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any

import pytest

from protocol.argument import (
    CommitmentKey,
    Group,
    Nonces,
    Proof,
    Statement,
    Witness,
    announcements,
    prove,
)
from tests.protocol.scene import vectors


@dataclass(frozen=True)
class Number:
    """A number modulo q."""

    value: int
    q: int

    def __add__(self, other: "Number") -> "Number":
        return Number((self.value + other.value) % self.q, self.q)

    def __sub__(self, other: "Number") -> "Number":
        return Number((self.value - other.value) % self.q, self.q)

    def __mul__(self, other: "Number") -> "Number":
        return Number(self.value * other.value % self.q, self.q)

    def __neg__(self) -> "Number":
        return Number(-self.value % self.q, self.q)


@dataclass(frozen=True)
class Residue:
    """A number modulo p under multiplication, written additively."""

    value: int
    p: int

    def __add__(self, other: "Residue") -> "Residue":
        return Residue(self.value * other.value % self.p, self.p)

    def __sub__(self, other: "Residue") -> "Residue":
        return Residue(self.value * pow(other.value, -1, self.p) % self.p, self.p)


Toy = Group[Number, Residue]


def toy_group(p: int, q: int, g: int) -> Toy:
    assert pow(g, q, p) == 1 != g

    def combine(scalars: Sequence[Number], elements: Sequence[Residue]) -> Residue:
        total = Residue(1, p)
        for scalar, element in zip(scalars, elements, strict=True):
            total += Residue(pow(element.value, scalar.value, p), p)
        return total

    return Group(generator=Residue(g, p), scalar=lambda n: Number(n % q, q), combine=combine)


# The walk-through that the reference implementation publishes

CHVOTE = vectors("chvote_shuffle_proof.json")


def numbers(name: str) -> Any:
    return tuple(Number(value, CHVOTE["q"]) for value in CHVOTE[name])


def residues(values: Sequence[int]) -> list[Residue]:
    return [Residue(value, CHVOTE["p"]) for value in values]


def pairs(name: str) -> list[tuple[Residue, Residue]]:
    # There the half with the key comes first; here it comes last.
    return [(Residue(b, CHVOTE["p"]), Residue(a, CHVOTE["p"])) for a, b in CHVOTE[name]]


@pytest.fixture
def chvote() -> tuple[Toy, Statement[Residue]]:
    generators = residues(CHVOTE["generators"])
    key = CommitmentKey(
        chain_base=Residue(CHVOTE["h"], CHVOTE["p"]),
        generators=generators,
        generator_sum=generators[0] + generators[1] + generators[2],
    )
    joint = Residue(CHVOTE["pk"], CHVOTE["p"])
    statement = Statement(pairs("before"), pairs("after"), joint, key)
    return toy_group(CHVOTE["p"], CHVOTE["q"], CHVOTE["g"]), statement


def expected_announcements() -> list[Residue]:
    with_key, with_generator = CHVOTE["t4"]
    return residues([*CHVOTE["t"], with_generator, with_key, *CHVOTE["t_hat"]])


def test_the_published_proof_is_made(chvote: tuple[Toy, Statement[Residue]]) -> None:
    group, statement = chvote
    nonces = Nonces(
        r=numbers("r"),
        r_hat=numbers("r_hat"),
        omega=numbers("omega"),
        omega_hat=numbers("omega_hat"),
        omega_tilde=numbers("omega_tilde"),
    )
    announced: list[Residue] = []

    def challenge(c: object, c_hat: object, t: Sequence[Residue]) -> Number:
        announced.extend(t)
        return Number(CHVOTE["challenge"], CHVOTE["q"])

    witness = Witness(CHVOTE["permutation"], numbers("masks"))
    proof = prove(group, statement, witness, nonces, lambda _: numbers("u"), challenge)
    assert announced == expected_announcements()
    assert list(proof.c) == residues(CHVOTE["c"])
    assert list(proof.c_hat) == residues(CHVOTE["c_hat"])
    assert proof.s == numbers("s")
    assert tuple(proof.s_hat) == numbers("s_hat")
    assert tuple(proof.s_tilde) == numbers("s_tilde")


def test_the_published_proof_is_checked(chvote: tuple[Toy, Statement[Residue]]) -> None:
    group, statement = chvote
    proof = Proof(
        challenge=Number(CHVOTE["challenge"], CHVOTE["q"]),
        s=numbers("s"),
        s_hat=numbers("s_hat"),
        s_tilde=numbers("s_tilde"),
        c=residues(CHVOTE["c"]),
        c_hat=residues(CHVOTE["c_hat"]),
    )
    found = announcements(group, statement, proof, numbers("u"))
    assert found == expected_announcements()


# Every permutation of three pairs, in the group of order 11 modulo 23

P, Q = 23, 11
GROUP = toy_group(P, Q, 2)
ONE = Residue(GROUP.generator.value, P)
SIZE = 3


@dataclass
class Game:
    """A shuffle with all that it takes to prove it, and fixed challenges that aren't zero."""

    statement: Statement[Residue]
    witness: Witness[Number]
    nonces: Nonces[Number]
    u: list[Number]
    challenge: Number
    announced: list[Residue]

    def prove(self) -> Proof[Number, Residue]:
        def challenge(c: object, c_hat: object, t: Sequence[Residue]) -> Number:
            self.announced = list(t)
            return self.challenge

        return prove(GROUP, self.statement, self.witness, self.nonces, lambda _: self.u, challenge)

    def holds(self, proof: Proof[Number, Residue], statement: Statement[Residue]) -> bool:
        return announcements(GROUP, statement, proof, self.u) == self.announced


def shuffled(sources: Sequence[int], seed: int) -> Game:
    """A game in which after[i] comes from sources[i], whether that is a permutation or not."""
    draw = random.Random(f"{sources} {seed}")

    def number() -> Number:
        return Number(draw.randrange(1, Q), Q)

    def numbers() -> list[Number]:
        return [number() for _ in range(SIZE)]

    def element() -> Residue:
        return GROUP.combine([number()], [ONE])

    generators = [element() for _ in range(SIZE)]
    key = CommitmentKey(element(), generators, generators[0] + generators[1] + generators[2])
    joint, masks = element(), numbers()
    before = [(element(), element()) for _ in range(SIZE)]
    after = [
        (
            before[source][0] + GROUP.combine([masks[source]], [ONE]),
            before[source][1] + GROUP.combine([masks[source]], [joint]),
        )
        for source in sources
    ]
    return Game(
        statement=Statement(before, after, joint, key),
        witness=Witness(sources, masks),
        nonces=Nonces(
            numbers(), numbers(), (number(), number(), number(), number()), numbers(), numbers()
        ),
        u=numbers(),
        challenge=number(),
        announced=[],
    )


@pytest.mark.parametrize("sources", list(permutations(range(SIZE))))
def test_honest_proofs_always_hold(sources: tuple[int, ...]) -> None:
    for seed in range(50):
        game = shuffled(sources, seed)
        assert game.holds(game.prove(), game.statement)


def changed(values: Sequence[Any], step: Any) -> Iterator[Any]:
    """The list with `step` added to one of its values, for each in turn."""
    for index, value in enumerate(values):
        yield type(values)([*values[:index], value + step, *values[index + 1 :]])  # type: ignore[call-arg]


def alterations(proof: Proof[Number, Residue]) -> Iterator[Proof[Number, Residue]]:
    """The proof with any one of its parts changed."""
    one = Number(1, Q)
    yield replace(proof, challenge=proof.challenge + one)
    for name, step in (
        ("s", one),
        ("s_hat", one),
        ("s_tilde", one),
        ("c", ONE),
        ("c_hat", ONE),
    ):
        for values in changed(getattr(proof, name), step):
            yield replace(proof, **{name: values})


@pytest.mark.parametrize("sources", list(permutations(range(SIZE))))
def test_each_part_of_a_proof_counts(sources: tuple[int, ...]) -> None:
    for seed in range(20):
        game = shuffled(sources, seed)
        proof = game.prove()
        altered = list(alterations(proof))
        assert len(altered) == 5 + 4 * SIZE
        # The challenge counts wherever there is something for it to multiply.
        first = altered.pop(0)
        if game.holds(first, game.statement):
            c_bar = proof.c[0] + proof.c[1] + proof.c[2] - game.statement.key.generator_sum
            assert c_bar.value == 1
        assert not any(game.holds(wrong, game.statement) for wrong in altered)


@pytest.mark.parametrize("sources", list(permutations(range(SIZE))))
def test_each_part_of_the_statement_counts(sources: tuple[int, ...]) -> None:
    for seed in range(20):
        game = shuffled(sources, seed)
        proof, statement = game.prove(), game.statement
        if any(value.value == 0 for value in (*proof.s, *proof.s_tilde)):
            continue  # what is multiplied by zero does not count
        wrong: list[Statement[Residue]] = [replace(statement, joint=statement.joint + ONE)]
        none = Residue(1, P)
        for index, step in product(range(SIZE), [(ONE, none), (none, ONE)]):
            before, after = list(statement.before), list(statement.after)
            before[index] = (before[index][0] + step[0], before[index][1] + step[1])
            after[index] = (after[index][0] + step[0], after[index][1] + step[1])
            wrong += [replace(statement, before=before), replace(statement, after=after)]
        assert not any(game.holds(proof, other) for other in wrong)


def test_what_is_no_permutation_holds_by_chance_only() -> None:
    # All lists of sources that drop a pair and double another, with an honest prover's algorithm.
    # Ten challenges are possible here; with 2^252 the chance that they fit is nothing.
    lists = [s for s in product(range(SIZE), repeat=SIZE) if len(set(s)) < SIZE]
    outcomes = []
    for sources in lists:
        for seed in range(50):
            game = shuffled(sources, seed)
            outcomes.append(game.holds(game.prove(), game.statement))
    assert sum(outcomes) < len(outcomes) / 20


def test_secrets_are_silent() -> None:
    game = shuffled((0, 1, 2), 0)
    assert "Number" not in repr(game.witness)
    assert "Number" not in repr(game.nonces)
