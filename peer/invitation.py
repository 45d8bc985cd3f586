"""The invitation: one line of text by which a guest finds a host, and both know each other.

    whitby:<base32 of: version 1 | secret 16 | fingerprint 16 | addresses | checksum 4>

Numbers are bytes.  There are 1 to 8 addresses, each one of

    1 | IPv4 address 4 | port 2        2 | IPv6 address 16 | port 2
    3 | length 1 | name in ASCII | port 2

with the port's high byte first.  The checksum is over everything before it.  Whoever holds an
invitation may take the guest's seat, so it is as secret as the place it is sent through.

base32 is that of RFC 4648 without padding, spelled in the lower-case alphabet of Crockford,
which has no i, l, o and u.  Readers ignore case, dashes and white space, and take i and l for 1
and o for 0, so that a line can be broken, read aloud or put in a QR code in capitals.
"""

import base64
import binascii
import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import Final, Self

from peer.errors import SpokenError
from peer.speech import mark

VERSION: Final = 1
PREFIX: Final = "whitby:"
SECRET_BYTES: Final = 16  # 128 bits: a pre-shared key in Noise can be guessed at offline
FINGERPRINT_BYTES: Final = 16  # 128 bits, for nobody can gain from two keys that collide
CHECKSUM_BYTES: Final = 4
MAX_ADDRESSES: Final = 8
MAX_NAME: Final = 253  # characters of a name in the DNS (RFC 1035, section 2.3.4, as text)
MAX_TEXT: Final = 8192  # twice the longest invitation, which leaves room for dashes and spaces

_HEAD_BYTES: Final = 1 + SECRET_BYTES + FINGERPRINT_BYTES
_MIN_LETTERS: Final = -(-(_HEAD_BYTES + 5 + CHECKSUM_BYTES) * 8 // 5)  # a name of one letter
_IPV4, _IPV6, _NAME = 1, 2, 3
_LABEL: Final = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_NAMES: Final = re.compile(rf"({_LABEL}\.)*(?![0-9]+\Z){_LABEL}")  # "1.2" would be an address

_RFC4648: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_CROCKFORD: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_WRITTEN: Final = str.maketrans(_RFC4648, _CROCKFORD)
_READ: Final = dict(zip(_CROCKFORD + _CROCKFORD.upper(), _RFC4648 * 2, strict=True)) | dict(
    zip("iIlLoO", "BBBBAA", strict=True)
)


class InvitationError(SpokenError, ValueError):
    """A text that is no invitation.  The message tells a user what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to dial: an IP address or a name in the DNS, and a TCP port.

    `host` is kept in its usual form: compressed, or in lower case.

    Raises:
        ValueError: `host` is neither of the two (an IPv6 zone means nothing elsewhere, and
            names are ASCII), or `port` is not from 1 to 65535.
    """

    host: str
    port: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "host", _usual_host(self.host))
        if not 1 <= self.port <= 65535:
            raise ValueError(f"port {self.port} is not from 1 to 65535")

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Invitation:
    """What an invitation says.

    Args:
        secret: 16 bytes that only the two players are to know.  SECRET.
        fingerprint: 16 bytes, `fingerprint` of the host's key.
        addresses: 1 to `MAX_ADDRESSES`, the most promising first.

    Raises:
        ValueError: one of them has another length.
    """

    secret: bytes = field(repr=False)
    fingerprint: bytes
    addresses: tuple[Address, ...]

    def __post_init__(self) -> None:
        if len(self.secret) != SECRET_BYTES or len(self.fingerprint) != FINGERPRINT_BYTES:
            raise ValueError(f"{SECRET_BYTES} and {FINGERPRINT_BYTES} bytes are expected")
        if not 1 <= len(self.addresses) <= MAX_ADDRESSES:
            raise ValueError(f"{len(self.addresses)} addresses, not 1 to {MAX_ADDRESSES}")

    @classmethod
    def create(
        cls, static: bytes, addresses: Iterable[Address], rng: Callable[[int], bytes]
    ) -> Self:
        """A new invitation by the host whose static public key, 32 bytes, is `static`.

        Draws 16 bytes from `rng`.  Raises ValueError unless there are 1 to 8 addresses.
        """
        return cls(rng(SECRET_BYTES), fingerprint(static), tuple(addresses))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The invitation that somebody copied, typed or scanned as `text`.

        Raises:
            InvitationError: it is none, it was mistyped or cut off, or it is of a version that
                this program doesn't know.
        """
        letters = _letters(text)
        data = _read_base32(letters)
        body, checksum = data[:-CHECKSUM_BYTES], data[-CHECKSUM_BYTES:]
        # The checksum is the same in all versions, so a slip is never taken for a new version.
        if not body or checksum != _checksum(body):
            message = _CUT_OFF if len(letters) < _MIN_LETTERS else _MISTYPED
            raise InvitationError(message, prefix=PREFIX)
        if body[0] != VERSION:
            raise InvitationError(
                "This invitation is of version {version}, and this program knows only version "
                "{known}: it is too old. Update it and try again.",
                version=body[0],
                known=VERSION,
            )
        try:
            return cls(
                body[1 : 1 + SECRET_BYTES],
                body[1 + SECRET_BYTES : _HEAD_BYTES],
                tuple(_read_addresses(body[_HEAD_BYTES:])),
            )
        except ValueError as error:
            raise InvitationError(
                "This invitation was made wrongly ({why}). Ask for a new one.", why=error
            ) from None

    def to_text(self) -> str:
        """The one line to send.  SECRET, which is why `str` doesn't give it.

        With one IPv4 address it has 78 characters.
        """
        body = bytes([VERSION]) + self.secret + self.fingerprint
        body += b"".join(map(_write_address, self.addresses))
        return PREFIX + _write_base32(body + _checksum(body))

    @property
    def psk(self) -> bytes:
        """The pre-shared key of the Noise handshake, 32 bytes.  SECRET."""
        return _hash("psk", self.secret)[:32]

    def matches(self, static: bytes) -> bool:
        """Whether `static`, 32 bytes, is the host's static public key, in constant time."""
        return hmac.compare_digest(fingerprint(static), self.fingerprint)


def fingerprint(static: bytes) -> bytes:
    """16 bytes that stand for a host's static public key of 32 bytes."""
    return _hash("fingerprint", static)[:FINGERPRINT_BYTES]


_CUT_OFF: Final = mark(
    "This invitation is too short: its end was cut off. Copy all of it again, from '{prefix}' to "
    "the last character."
)
_MISTYPED: Final = mark(
    "This invitation has a slip in it: a character is wrong, missing or too many. "
    "Compare it with the original, or better copy and paste it."
)


def _hash(use: str, data: bytes) -> bytes:
    """SHA-512 with a label, so that no use of it says anything of another."""
    return hashlib.sha512(f"whitby invitation {use}\0".encode() + data).digest()


def _checksum(body: bytes) -> bytes:
    return _hash("checksum", body)[:CHECKSUM_BYTES]


def _write_base32(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=").translate(_WRITTEN)


def _letters(text: str) -> str:
    """The characters of `text` that carry something, all of them in an alphabet known here."""
    if len(text) > MAX_TEXT:
        raise InvitationError(
            "This is much longer than any invitation. Copy only the invitation, from '{prefix}' "
            "to the end of its line.",
            prefix=PREFIX,
        )
    letters = "".join(c for c in text if not _is_ignored(c))
    if letters[: len(PREFIX)].lower() == PREFIX:
        letters = letters[len(PREFIX) :]
    if not letters:
        raise InvitationError(
            "There is no invitation here. Paste the line that begins with '{prefix}'.",
            prefix=PREFIX,
        )
    for c in letters:
        if c not in _READ:
            raise InvitationError(
                "The character {character} is in no invitation. Copy only the invitation, from "
                "'{prefix}' to the end of its line.",
                character=repr(c),
                prefix=PREFIX,
            )
    return letters


def _read_base32(letters: str) -> bytes:
    """The bytes that are written as `letters`, or none if no bytes are."""
    spelled = "".join(map(_READ.__getitem__, letters))
    try:
        data = base64.b32decode(spelled + "=" * (-len(spelled) % 8))
    except binascii.Error:
        return b""  # bytes never make this number of characters
    # Else the bits left over at the end are not all zero.
    return data if base64.b32encode(data).decode().rstrip("=") == spelled else b""


def _is_ignored(c: str) -> bool:
    """White space, all dashes, and the invisible characters that chat programs put in."""
    return c.isspace() or unicodedata.category(c) in {"Pd", "Cf"}


def _usual_host(host: str) -> str:
    try:
        ip = ip_address(host)
    except ValueError:
        name = host.lower()
        if not host.isascii() or len(name) > MAX_NAME or not _NAMES.fullmatch(name):
            raise ValueError(f"{host[:80]!r} is neither an IP address nor a name") from None
        return name
    if isinstance(ip, IPv6Address) and ip.scope_id is not None:
        raise ValueError(f"{host[:80]!r} has a zone, which only this computer knows")
    return str(ip)


def _write_address(address: Address) -> bytes:
    port = address.port.to_bytes(2, "big")
    try:
        ip = ip_address(address.host)
    except ValueError:
        return bytes([_NAME, len(address.host)]) + address.host.encode() + port
    return bytes([_IPV4 if ip.version == 4 else _IPV6]) + ip.packed + port


def _read_addresses(data: bytes) -> Iterable[Address]:
    """Raises ValueError if this isn't what `_write_address` writes."""
    while data:
        kind, rest = data[0], data[1:]
        if kind == _NAME:
            size, rest = rest[0] if rest else 0, rest[1:]
        elif kind in (_IPV4, _IPV6):
            size = 4 if kind == _IPV4 else 16
        else:
            raise ValueError(f"an address of the unknown kind {kind}")
        host, port, following = rest[:size], rest[size : size + 2], rest[size + 2 :]
        if len(port) < 2:
            raise ValueError("an address that is cut off")
        text = host.decode("ascii") if kind == _NAME else str(ip_address(host))
        address = Address(text, int.from_bytes(port, "big"))
        if data != _write_address(address) + following:
            raise ValueError("an address in an unusual form")
        yield address
        data = following
