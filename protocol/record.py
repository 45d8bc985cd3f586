"""A record as a file: what one gives to somebody else, who then checks it with nobody's help.

The file is the canonical msgpack array [format, entries]: the text "whitby-record/1" and the
array of the entries' bytes.  It holds no secret that its entries don't show.
"""

from collections.abc import Iterable
from typing import Final

from protocol import codec
from protocol.entries import MAX_ENTRY_BYTES
from protocol.errors import Fault, IncompatibleError, InvalidError

FORMAT: Final = "whitby-record/1"
MAX_RECORD_BYTES: Final = 16 * 1024 * 1024
"""A hundred times what a game takes; more is not read."""
MAX_RECORD_ENTRIES: Final = 65_536


def write_record(raws: Iterable[bytes]) -> bytes:
    """The bytes of a file that holds these entries."""
    return codec.encode((FORMAT, tuple(raws)))


def read_record(data: bytes) -> tuple[bytes, ...]:
    """The entries in a file; whether they hold is for `Table.replay` to say.

    Raises:
        InvalidError: TOO_LARGE, MALFORMED or NON_CANONICAL: these are not the bytes of a record.
        IncompatibleError: a record in a format that we don't have.
    """
    value = codec.decode(data, limit=MAX_RECORD_BYTES)
    if not isinstance(value, tuple) or not value or not isinstance(value[0], str):
        raise InvalidError(Fault.MALFORMED, "this file is not a record of a game")
    if value[0] != FORMAT:
        raise IncompatibleError(f"a record in the format {value[0][:32]!r}, we read {FORMAT!r}")
    entries = codec.array_of(codec.blob(maximum=MAX_ENTRY_BYTES), 0, MAX_RECORD_ENTRIES)
    _, raws = codec.array(value, "record", codec.text(32), entries)
    return tuple(raws)
