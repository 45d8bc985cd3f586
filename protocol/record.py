"""A record as a file: what one gives to somebody else, who then checks it with nobody's help.

The file is the canonical msgpack array [format, entries, claims]: the text "whitby-record/1", the
array of the entries' bytes, and that of the claims (see `claim`) that were made beside them.  It
holds no secret that its entries don't show.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from protocol import codec
from protocol.claim import MAX_CLAIM_BYTES
from protocol.entries import MAX_ENTRIES, MAX_ENTRY_BYTES
from protocol.errors import Fault, IncompatibleError, InvalidError

FORMAT: Final = "whitby-record/1"
MAX_RECORD_BYTES: Final = 16 * 1024 * 1024
"""A hundred times what a game takes; more is not read."""
MAX_RECORD_CLAIMS: Final = 16


@dataclass(frozen=True, slots=True)
class Record:
    """What a file holds: the bytes of entries and of claims, none of them checked yet."""

    entries: tuple[bytes, ...]
    claims: tuple[bytes, ...] = ()


def write_record(entries: Iterable[bytes], claims: Iterable[bytes] = ()) -> bytes:
    """The bytes of a file that holds these."""
    return codec.encode((FORMAT, tuple(entries), tuple(claims)))


def read_record(data: bytes) -> Record:
    """The contents of a file.  Whether its entries hold is for `Table.replay` to say.

    Raises:
        InvalidError: TOO_LARGE, MALFORMED or NON_CANONICAL: these are not the bytes of a record.
        IncompatibleError: a record in a format that we don't have.
    """
    value = codec.decode(data, limit=MAX_RECORD_BYTES)
    if not isinstance(value, tuple) or not value or not isinstance(value[0], str):
        raise InvalidError(Fault.MALFORMED, "this file is not a record of a game")
    if value[0] != FORMAT:
        raise IncompatibleError(f"a record in the format {value[0][:32]!r}, we read {FORMAT!r}")
    _, entries, claims = codec.array(
        value,
        "record",
        codec.text(32),
        codec.array_of(codec.blob(maximum=MAX_ENTRY_BYTES), 0, MAX_ENTRIES),
        codec.array_of(codec.blob(maximum=MAX_CLAIM_BYTES), 0, MAX_RECORD_CLAIMS),
    )
    return Record(entries, claims)
