"""The group against RFC 9496, RFC 9380, RFC 9497 and an independent implementation."""

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import Fault, InvalidError
from protocol.group import (
    GENERATOR,
    IDENTITY,
    ORDER,
    Element,
    Scalar,
    expand_message_xmd,
    hash_to_group,
    multi_mul,
)
from tests.protocol import ristretto
from tests.protocol.scene import rng, vectors

RISTRETTO = vectors("rfc9496_ristretto255.json")
MULTIPLES = [bytes.fromhex(text) for text in RISTRETTO["multiples_of_generator"]]
INVALID = [
    (kind, bytes.fromhex(text))
    for kind, texts in RISTRETTO["invalid_encodings"].items()
    for text in texts
]
(VOPRF,) = vectors("rfc9497_ristretto255_voprf.json")["suites"]

numbers = st.integers(0, ORDER - 1) | st.integers(0, 3) | st.integers(ORDER - 3, ORDER - 1)
few = settings(max_examples=30, deadline=None)


def as_int(scalar: Scalar) -> int:
    return int.from_bytes(scalar.encode(), "little")


# Published vectors


@pytest.mark.parametrize("number", range(16))
def test_multiples_of_the_generator(number: int) -> None:
    scalar = Scalar.of(number)
    element = Element.decode(MULTIPLES[number], allow_identity=True)
    assert Element.base(scalar) == scalar * GENERATOR == GENERATOR * scalar == element
    assert sum([GENERATOR] * number, start=IDENTITY) == element
    assert element.encode() == MULTIPLES[number]


@pytest.mark.parametrize(("kind", "data"), INVALID)
def test_invalid_encodings_are_refused(kind: str, data: bytes) -> None:
    for allow_identity in (False, True):
        with pytest.raises(InvalidError) as caught:
            Element.decode(data, allow_identity=allow_identity)
        assert caught.value.fault is Fault.BAD_ELEMENT, kind


@pytest.mark.parametrize("vector", RISTRETTO["from_uniform_bytes"])
def test_one_way_map(vector: dict[str, str]) -> None:
    element = Element.from_uniform(bytes.fromhex(vector["input"]))
    assert element.encode().hex() == vector["output"]


def test_expand_message() -> None:
    data = vectors("rfc9380_expand_message_xmd.json")
    for vector in data["vectors"]:
        expected = bytes.fromhex(vector["uniform_bytes"])
        message, dst = vector["msg"].encode(), data["dst"].encode()
        assert expand_message_xmd(message, dst, len(expected)) == expected


def test_hash_to_group_is_the_one_of_the_voprf() -> None:
    key = Scalar.decode(bytes.fromhex(VOPRF["skSm"]))
    dst = bytes.fromhex(VOPRF["groupDST"])
    for vector in VOPRF["vectors"]:
        fields = ("Input", "Blind", "BlindedElement", "EvaluationElement")
        for parts in zip(*(vector[name].split(",") for name in fields), strict=True):
            message, blind, blinded, evaluated = map(bytes.fromhex, parts)
            element = hash_to_group(message, dst) * Scalar.decode(blind)
            assert element.encode() == blinded
            assert (element * key).encode() == evaluated


# Reading what comes from outside


@pytest.mark.parametrize("number", range(16))
def test_no_element_has_a_second_spelling_with_the_top_bit(number: int) -> None:
    """libsodium before 1.0.19 ignores it: the identity could be 00..80, or a key be repeated."""
    data = MULTIPLES[number][:31] + bytes([MULTIPLES[number][31] | 0x80])
    assert number != 0 or data == bytes(31) + b"\x80"
    for allow_identity in (False, True):
        with pytest.raises(InvalidError) as caught:
            Element.decode(data, allow_identity=allow_identity)
        assert caught.value.fault is Fault.BAD_ELEMENT


@pytest.mark.parametrize("number", [ORDER, ORDER + 1, 2**253, 2**255, 2**255 + 1, 2**256 - 1])
def test_scalars_not_below_the_order_are_refused(number: int) -> None:
    with pytest.raises(InvalidError) as caught:
        Scalar.decode(number.to_bytes(32, "little"))
    assert caught.value.fault is Fault.BAD_SCALAR


def test_the_top_bit_is_no_second_spelling() -> None:
    spelt = bytearray(Scalar.of(7).encode())
    spelt[31] |= 0x80
    with pytest.raises(InvalidError) as caught:
        Scalar.decode(bytes(spelt))
    assert caught.value.fault is Fault.BAD_SCALAR


@pytest.mark.parametrize("size", [0, 1, 31, 33, 64])
@pytest.mark.parametrize("kind", [Scalar, Element])
def test_other_lengths_are_refused(kind: type[Scalar] | type[Element], size: int) -> None:
    with pytest.raises(InvalidError) as caught:
        kind.decode(bytes(size))
    assert caught.value.fault is Fault.MALFORMED


def test_the_identity_is_read_only_where_it_may_be() -> None:
    with pytest.raises(InvalidError) as caught:
        Element.decode(bytes(32))
    assert caught.value.fault is Fault.BAD_ELEMENT
    assert Element.decode(bytes(32), allow_identity=True) == IDENTITY
    assert IDENTITY.is_identity
    assert not GENERATOR.is_identity


@given(st.binary(min_size=32, max_size=32))
@few
def test_any_bytes_are_read_as_the_oracle_reads_them(data: bytes) -> None:
    data = bytes([data[0] & 0xFE]) + data[1:31] + bytes([data[31] & 0x7F])
    with pytest.raises(InvalidError):
        Element.decode(data[:31] + bytes([data[31] | 0x80]), allow_identity=True)
    if ristretto.decode(data) is None:
        with pytest.raises(InvalidError):
            Element.decode(data, allow_identity=True)
    else:
        assert Element.decode(data, allow_identity=True).encode() == data


# Arithmetic


@given(numbers, numbers)
def test_scalars_are_numbers_modulo_the_order(x: int, y: int) -> None:
    left, right = Scalar.of(x), Scalar.of(y)
    assert as_int(left + right) == (x + y) % ORDER
    assert as_int(left - right) == (x - y) % ORDER
    assert as_int(left * right) == x * y % ORDER
    assert as_int(-left) == -x % ORDER
    assert (left == right) == (x == y)
    assert left.is_zero == (x == 0)
    if x:
        assert as_int(left.invert()) == pow(x, -1, ORDER)


@given(st.binary(min_size=64, max_size=64))
def test_uniform_bytes_are_reduced(data: bytes) -> None:
    assert as_int(Scalar.from_uniform(data)) == int.from_bytes(data, "little") % ORDER


@given(st.binary(min_size=64, max_size=64), st.binary(min_size=64, max_size=64), numbers)
@few
def test_elements_are_the_oracle_s(one: bytes, other: bytes, number: int) -> None:
    left, right, scalar = Element.from_uniform(one), Element.from_uniform(other), Scalar.of(number)
    a, b = ristretto.from_uniform(one), ristretto.from_uniform(other)
    minus = ORDER - 1
    assert left.encode() == a.encode()
    assert (left + right).encode() == (a + b).encode()
    assert (left - right).encode() == (a + minus * b).encode()
    assert (-left).encode() == (minus * a).encode()
    assert (left * scalar).encode() == (number * a).encode()
    generator = ristretto.decode(GENERATOR.encode())
    assert generator is not None
    assert Element.base(scalar).encode() == (number * generator).encode()


@given(st.lists(st.tuples(numbers, st.integers(0, 5)), max_size=8))
@few
def test_multi_mul_is_the_sum_of_products(terms: list[tuple[int, int]]) -> None:
    pool = [IDENTITY, GENERATOR, *(hash_to_group(bytes([i]), b"test") for i in range(4))]
    scalars = [Scalar.of(number) for number, _ in terms]
    elements = [pool[index] for _, index in terms]
    products = [scalar * element for scalar, element in zip(scalars, elements, strict=True)]
    assert multi_mul(scalars, elements) == sum(products, start=IDENTITY)


def test_zero_and_the_identity() -> None:
    zero, seven, element = Scalar.of(0), Scalar.of(7), Element.base(Scalar.of(5))
    for nothing in (
        zero * element,
        seven * IDENTITY,
        zero * IDENTITY,
        Element.base(zero),
        element - element,
        element + -element,
        element + Element.base(Scalar.of(-5)),
        -IDENTITY,
        multi_mul([], []),
        multi_mul([seven, -seven], [element, element]),
    ):
        assert nothing == IDENTITY
        assert nothing.is_identity
    assert element + IDENTITY == element == element - IDENTITY == IDENTITY + element
    with pytest.raises(ValueError, match="inverse"):
        zero.invert()


# Values that keep to themselves


def test_scalars_are_silent() -> None:
    scalar = Scalar.of(123456789)
    assert repr(scalar) == str(scalar) == f"{scalar}" == "Scalar(<secret>)"
    with pytest.raises(TypeError):
        hash(scalar)
    assert GENERATOR.encode().hex() in repr(GENERATOR)
    assert len({GENERATOR, Element.base(Scalar.of(1)), IDENTITY}) == 2


def test_nothing_is_made_unchecked_or_mixed() -> None:
    for kind in (Scalar, Element):
        with pytest.raises(TypeError):
            kind()
    scalar = Scalar.of(1)
    with pytest.raises(TypeError):
        scalar * 2  # type: ignore[operator]
    with pytest.raises(TypeError):
        GENERATOR * 2  # type: ignore[operator]
    with pytest.raises(TypeError):
        GENERATOR * GENERATOR  # type: ignore[operator]
    assert scalar != 1
    assert scalar != GENERATOR
    with pytest.raises(ValueError, match="argument 2"):
        multi_mul([scalar], [])
    for kind in (Scalar, Element):
        with pytest.raises(ValueError, match="64"):
            kind.from_uniform(bytes(32))
    for dst, length in ((b"", 64), (bytes(256), 64), (b"dst", 0), (b"dst", 255 * 64 + 1)):
        with pytest.raises(ValueError, match=r"tag|expand"):
            expand_message_xmd(b"", dst, length)


def test_random_scalars_take_64_bytes() -> None:
    taken = []

    def draw(size: int) -> bytes:
        taken.append(size)
        return b"\xff" * size

    assert as_int(Scalar.random(draw)) == (2**512 - 1) % ORDER
    assert taken == [64]


def test_threads_do_not_disturb_each_other() -> None:
    draw = rng("threads")
    scalars = [Scalar.random(draw) for _ in range(200)]
    expected = [Element.base(scalar) for scalar in scalars]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(GENERATOR.__mul__, scalars)) == expected


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps the files of loaded libraries")
def test_no_library_is_left_in_the_temporary_folder() -> None:
    assert not Path(import_module("rbcl._sodium").lib_path).exists()
