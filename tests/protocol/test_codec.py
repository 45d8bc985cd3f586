"""One value, one encoding; everything else is refused with the right fault, and cheaply."""

import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol import codec
from protocol.codec import Value, decode, encode
from protocol.errors import Fault, InvalidError

LIMIT = 1 << 17


def values() -> st.SearchStrategy[Value]:
    leaves: st.SearchStrategy[Value] = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.binary(max_size=300),
        st.text(max_size=80),
    )
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=20).map(tuple), max_leaves=30
    ).filter(lambda value: nesting(value) <= codec.DEPTH)


def nesting(value: Value) -> int:
    return 1 + max(map(nesting, value), default=0) if isinstance(value, tuple) else 0


# The examples stand at both sides of each border between two formats of msgpack.
ENCODINGS: list[tuple[Value, str]] = [
    (None, "c0"),
    (False, "c2"),
    (True, "c3"),
    (0, "00"),
    (127, "7f"),
    (128, "cc80"),
    (255, "ccff"),
    (256, "cd0100"),
    (65535, "cdffff"),
    (65536, "ce00010000"),
    (2**32 - 1, "ceffffffff"),
    (2**32, "cf0000000100000000"),
    (2**64 - 1, "cfffffffffffffffff"),
    (-1, "ff"),
    (-32, "e0"),
    (-33, "d0df"),
    (-128, "d080"),
    (-129, "d1ff7f"),
    (-32768, "d18000"),
    (-32769, "d2ffff7fff"),
    (-(2**31), "d280000000"),
    (-(2**31) - 1, "d3ffffffff7fffffff"),
    (-(2**63), "d38000000000000000"),
    ("", "a0"),
    ("é", "a2c3a9"),
    ("x" * 31, "bf" + "78" * 31),
    ("x" * 32, "d920" + "78" * 32),
    ("x" * 255, "d9ff" + "78" * 255),
    ("x" * 256, "da0100" + "78" * 256),
    ("x" * 65536, "db00010000" + "78" * 65536),
    (b"", "c400"),
    (b"\x01\x02", "c4020102"),
    (bytes(255), "c4ff" + "00" * 255),
    (bytes(256), "c50100" + "00" * 256),
    (bytes(65536), "c600010000" + "00" * 65536),
    ((), "90"),
    ((1, (b"a", "a"), None), "930192c40161a161c0"),
    ((0,) * 15, "9f" + "00" * 15),
    ((0,) * 16, "dc0010" + "00" * 16),
    ((0,) * 65536, "dd00010000" + "00" * 65536),
]


@pytest.mark.parametrize(("value", "encoding"), ENCODINGS)
def test_encoding_of_each_format(value: Value, encoding: str) -> None:
    assert encode(value).hex() == encoding
    again = decode(bytes.fromhex(encoding), limit=LIMIT)
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    "data",
    [
        "cc00",  # 0 as uint 8
        "cc7f",
        "cd00ff",
        "ce0000ffff",
        "cf00000000ffffffff",
        "d000",  # 0 as int 8
        "d07f",
        "d0e0",  # -32 as int 8
        "d100ff",
        "d1ff80",
        "d20000ffff",
        "d2ffff8000",
        "d300000000ffffffff",
        "d3ffffffff80000000",
        "d900",  # empty text as str 8
        "d90161",
        "da000161",
        "db0000000161",
        "c50000",  # no bytes as bin 16
        "c5000161",
        "c60000000161",
        "dc0000",  # an empty array as array 16
        "dc000100",
        "dd00000000",
        "dd0000000100",
        "92c0cc00",  # the same further in
    ],
)
def test_a_longer_form_is_not_canonical(data: str) -> None:
    with pytest.raises(InvalidError) as caught:
        decode(bytes.fromhex(data), limit=LIMIT)
    assert caught.value.fault is Fault.NON_CANONICAL


@pytest.mark.parametrize(
    "data",
    [
        "",  # nothing
        "c0c0",  # the same value twice
        "90c0",  # something after it
        "0100",
        "c1",  # never used in msgpack
        "ca3f800000",  # float 32
        "cb3ff0000000000000",  # float 64
        "80",  # maps
        "810102",
        "82a16101a16102",
        "de0000",
        "df00000000",
        "d40000",  # extension types
        "d5000000",
        "d6ff00000000",  # a timestamp
        "d7ff0000000000000000",
        "d8" + "00" * 17,
        "c70000",
        "c8000000",
        "c90000000000",
        "91cb3ff0000000000000",  # the same further in
        "9180",
        "91d40000",
        "cc",  # cut off
        "cd00",
        "cf00000000000000",
        "a1",
        "d9",
        "d90261",
        "c4",
        "c401",
        "c5ffff00",
        "c6ffffffff",
        "91",
        "9200",
        "dc",
        "dc00",
        "dd000000",
        "ddffffffff",  # four thousand million values to come
        "ddffffffff" * 5,
        "dcffff" * 8,
        "a1ff",  # not UTF-8
        "a2c3",
        "a2c080",  # an overlong zero
        "a3eda080",  # half of a surrogate pair
        "a4f4908080",  # beyond Unicode
    ],
)
def test_bytes_that_are_no_value_are_malformed(data: str) -> None:
    with pytest.raises(InvalidError) as caught:
        decode(bytes.fromhex(data), limit=LIMIT)
    assert caught.value.fault is Fault.MALFORMED


def test_length_is_limited() -> None:
    data = encode(bytes(98))
    assert decode(data, limit=100) == bytes(98)
    with pytest.raises(InvalidError) as caught:
        decode(data, limit=99)
    assert caught.value.fault is Fault.TOO_LARGE


@pytest.mark.parametrize("depth", [0, 1, 8, 200])
def test_depth_is_limited(depth: int) -> None:
    decode(b"\x91" * depth + b"\xc0", limit=LIMIT, depth=depth)
    with pytest.raises(InvalidError) as caught:
        decode(b"\x91" * (depth + 1) + b"\xc0", limit=LIMIT, depth=depth)
    assert caught.value.fault is Fault.TOO_LARGE


def test_a_wide_array_costs_no_depth() -> None:
    value = ((), ((),), ()) * 500
    assert decode(encode(value), limit=LIMIT, depth=3) == value


@pytest.mark.parametrize(
    "bomb",
    [
        b"\xdd\xff\xff\xff\xff",
        b"\xdd\x00\x0f\xff\xff" * 8,
        b"\x91" * 100_000,
        b"\xdc\xff\xff" * 8 + bytes(65_000),
        b"\xc6\xff\xff\xff\xff" + bytes(100),
    ],
)
def test_a_bomb_is_refused_before_it_takes_memory(bomb: bytes) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(InvalidError):
            decode(bomb, limit=LIMIT)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000


@given(values())
def test_a_value_survives_encoding(value: Value) -> None:
    again = decode(encode(value), limit=LIMIT)
    assert again == value
    assert repr(again) == repr(value)  # == alone takes True for 1


def msgpack_like() -> st.SearchStrategy[bytes]:
    """Bytes that get further than random ones: heads of every kind, and small numbers."""
    heads = st.sampled_from([bytes([i]) for i in (*range(0x90, 0xA4), *range(0xC0, 0xE0), 0xFF)])
    small = st.integers(0, 3).map(lambda i: bytes([i]))
    return st.lists(heads | small | st.binary(max_size=3), max_size=12).map(b"".join)


@given(st.binary(max_size=60) | msgpack_like() | values().map(encode))
@example(b"\xd9\x00")
def test_whatever_decodes_has_no_other_encoding(data: bytes) -> None:
    """Bytes give a value that re-encodes to them, or InvalidError; never anything else."""
    try:
        value = decode(data, limit=50)
    except InvalidError:
        return
    assert encode(value) == data


@given(values(), st.data())
def test_an_altered_encoding_is_another_value_or_none(value: Value, data: st.DataObject) -> None:
    encoding = bytearray(encode(value))
    place = data.draw(st.integers(0, len(encoding) - 1))
    encoding[place] ^= data.draw(st.integers(1, 255))
    try:
        other = decode(bytes(encoding), limit=LIMIT)
    except InvalidError:
        return
    assert repr(other) != repr(value)


@pytest.mark.parametrize("value", [1.5, (1.5,), {}, {"a": 1}, ({},), object(), 1j])
def test_what_is_no_value_is_not_encoded(value: Any) -> None:
    with pytest.raises(TypeError):
        encode(value)


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, (2**64,)])
def test_integers_have_64_bits(value: Value) -> None:
    with pytest.raises(OverflowError):
        encode(value)


def test_what_would_not_decode_is_not_encoded() -> None:
    deep: Value = ()
    for _ in range(codec.DEPTH):
        deep = (deep,)
    with pytest.raises(ValueError, match="deeper"):
        encode(deep)
    with pytest.raises(ValueError, match="surrogates"):
        encode("\ud800")


# --- taking a value apart ---


def test_an_array_of_fields_gives_their_values() -> None:
    value: Value = (7, 1, bytes(32), "é", None, (1, 2), (True, ()))
    assert (
        codec.array(
            value,
            "entry",
            codec.uint(7),
            codec.uint(1),
            codec.blob(32),
            codec.text(2),
            codec.optional(codec.blob(32)),
            codec.array_of(codec.uint(2), 0, 2),
            codec.tuple_of(codec.anything, codec.tuple_of()),
        )
        == value
    )


BAD_FIELDS: list[tuple[codec.Field[Any], Value, str]] = [
    (codec.uint(5), 6, "thing is 6, expected an integer from 0 to 5"),
    (codec.uint(5), -1, "thing is -1, expected an integer from 0 to 5"),
    (codec.uint(5), True, "thing is True, expected an integer from 0 to 5"),
    (codec.uint(5), "1", "thing is text of 1 bytes, expected an integer from 0 to 5"),
    (codec.uint(5), None, "thing is nil, expected an integer from 0 to 5"),
    (codec.blob(2), b"abc", "thing is a byte string of 3, expected a byte string of 2 bytes"),
    (codec.blob(2), b"", "thing is a byte string of 0, expected a byte string of 2 bytes"),
    (codec.blob(2), "ab", "thing is text of 2 bytes, expected a byte string of 2 bytes"),
    (
        codec.blob(maximum=2),
        b"abc",
        "thing is a byte string of 3, expected a byte string of at most 2 bytes",
    ),
    (codec.blob(maximum=2), None, "thing is nil, expected a byte string of at most 2 bytes"),
    (codec.text(1), "é", "thing is text of 2 bytes, expected text of at most 1 bytes"),
    (codec.text(1), b"a", "thing is a byte string of 1, expected text of at most 1 bytes"),
    (codec.optional(codec.uint(1)), 2, "thing is 2, expected an integer from 0 to 1"),
    (
        codec.array_of(codec.uint(1), 1, 2),
        (),
        "thing is an array of 0, expected an array of 1 to 2",
    ),
    (
        codec.array_of(codec.uint(1), 1, 2),
        (0, 0, 0),
        "thing is an array of 3, expected an array of 1 to 2",
    ),
    (codec.array_of(codec.uint(1), 2, 2), None, "thing is nil, expected an array of 2"),
    (codec.array_of(codec.uint(1), 1, 2), (0, 2), "thing[1] is 2, expected an integer from 0 to 1"),
    (codec.tuple_of(codec.uint(1)), (0, 0), "thing is an array of 2, expected an array of 1"),
    (codec.tuple_of(codec.uint(1)), b"\0", "thing is a byte string of 1, expected an array of 1"),
    (
        codec.tuple_of(codec.anything, codec.array_of(codec.blob(1), 0, 3)),
        (None, (b"a", b"b", b"cc")),
        "thing[1][2] is a byte string of 2, expected a byte string of 1 bytes",
    ),
]


@pytest.mark.parametrize(("field", "value", "sentence"), BAD_FIELDS)
def test_a_wrong_field_is_named(field: codec.Field[Any], value: Value, sentence: str) -> None:
    with pytest.raises(InvalidError) as caught:
        field(value, "thing")
    assert caught.value.fault is Fault.MALFORMED
    assert caught.value.detail == sentence


@pytest.mark.parametrize("value", [(), (1,), (1, 2, 3), None, b"\x01\x02", 2, "ab"])
def test_an_array_has_exactly_its_fields(value: Value) -> None:
    with pytest.raises(InvalidError) as caught:
        codec.array(value, "pair", codec.anything, codec.anything)
    assert caught.value.fault is Fault.MALFORMED
    assert "expected an array of 2" in caught.value.detail


def test_errors_do_not_show_what_strings_hold() -> None:
    with pytest.raises(InvalidError) as caught:
        codec.array((b"hush", "hush"), "entry", codec.blob(1), codec.text(9))
    assert "hush" not in str(caught.value)


def test_a_blob_has_one_bound() -> None:
    with pytest.raises(TypeError):
        codec.blob()
    with pytest.raises(TypeError):
        codec.blob(1, maximum=2)
