"""The vectors of values as bytes."""

from typing import Final

from protocol import codec
from protocol.codec import Value
from protocol.errors import Fault
from tests.tools.vectors.chance import Json, value_json

LIMIT: Final = 4096

_GOOD: Final[tuple[Value, ...]] = (
    None, False, True,
    0, 1, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63, 2**64 - 1,
    -1, -32, -33, -128, -129, -(2**15), -(2**15) - 1, -(2**31), -(2**31) - 1, -(2**63),
    b"", b"\0", bytes(255), bytes(256),
    "", "a", "Bram", "ž\u0000☃\U0001f987", "x" * 31, "x" * 32, "x" * 255, "x" * 256,
    (), (0,), (None, b"", ""), (1,) * 15, (1,) * 16,
    (((((((0,),),),),),),), ((((((((),),),),),),),),
)  # fmt: skip

_BAD: Final = (
    ("nothing", "", Fault.MALFORMED),
    ("bytes after the value", "0000", Fault.MALFORMED),
    ("never used by msgpack", "c1", Fault.MALFORMED),
    ("a map", "80", Fault.MALFORMED),
    ("a map with one key", "8100c0", Fault.MALFORMED),
    ("a map of 16 bits", "de0000", Fault.MALFORMED),
    ("a float of 32 bits", "ca00000000", Fault.MALFORMED),
    ("a float of 64 bits", "cb0000000000000000", Fault.MALFORMED),
    ("an extension", "d40100", Fault.MALFORMED),
    ("an extension with a length", "c70000", Fault.MALFORMED),
    ("a timestamp", "d6ff00000000", Fault.MALFORMED),
    ("an array that ends early", "9200", Fault.MALFORMED),
    ("an array of 2^32 - 1 values that aren't there", "ddffffffff", Fault.MALFORMED),
    ("a byte string that ends early", "c40200", Fault.MALFORMED),
    ("a byte string of 2^32 - 1 bytes that aren't there", "c6ffffffff", Fault.MALFORMED),
    ("a length that ends early", "c5ff", Fault.MALFORMED),
    ("text that is not UTF-8", "a1ff", Fault.MALFORMED),
    ("text with a surrogate", "a3eda080", Fault.MALFORMED),
    ("text with an overlong character", "a2c080", Fault.MALFORMED),
    ("0 as 8 bits", "cc00", Fault.NON_CANONICAL),
    ("127 as 8 bits", "cc7f", Fault.NON_CANONICAL),
    ("255 as 16 bits", "cd00ff", Fault.NON_CANONICAL),
    ("65535 as 32 bits", "ce0000ffff", Fault.NON_CANONICAL),
    ("2^32 - 1 as 64 bits", "cf00000000ffffffff", Fault.NON_CANONICAL),
    ("1 as a signed number", "d001", Fault.NON_CANONICAL),
    ("200 as a signed number", "d100c8", Fault.NON_CANONICAL),
    ("-1 as 8 bits", "d0ff", Fault.NON_CANONICAL),
    ("-128 as 16 bits", "d1ff80", Fault.NON_CANONICAL),
    ("a short byte string with a length of 16 bits", "c5000100", Fault.NON_CANONICAL),
    ("a short byte string with a length of 32 bits", "c60000000100", Fault.NON_CANONICAL),
    ("short text with a length of 8 bits", "d90161", Fault.NON_CANONICAL),
    ("text of 32 with a length of 16 bits", "da0020" + "78" * 32, Fault.NON_CANONICAL),
    ("a short array with a length of 16 bits", "dc000100", Fault.NON_CANONICAL),
    ("a short array with a length of 32 bits", "dd00000000", Fault.NON_CANONICAL),
    ("deep within", "92c091cc01", Fault.NON_CANONICAL),
    ("nine arrays within each other", "91" * 8 + "90", Fault.TOO_LARGE),
    ("longer than the limit", "c51000" + "00" * 4096, Fault.TOO_LARGE),
)


def codec_values() -> Json:
    """codec.json"""
    return {
        "about": (
            "Values and their one encoding; and bytes that are refused, with the fault. Values "
            "are written as null, booleans, arrays, {'int': decimal}, {'bin': hexadecimal} and "
            "{'str': text}. Read with at most 'limit' bytes and 'depth' arrays in each other."
        ),
        "section": "6",
        "limit": LIMIT,
        "depth": codec.DEPTH,
        "good": [
            {"value": value_json(value), "bytes": codec.encode(value).hex()} for value in _GOOD
        ],
        "bad": [
            {"comment": comment, "bytes": data, "fault": fault.value}
            for comment, data, fault in _BAD
        ],
    }
