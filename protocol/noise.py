"""The private line: the Noise handshake XXpsk3 with 25519, ChaChaPoly and BLAKE2s.

Sans-IO, after "The Noise Protocol Framework", revision 34; the objects are those of its
section 5 and the names theirs.  The handshakes are data (`XX`, `XXPSK3`) and one pair of loops
carries out their tokens.  This file knows nothing of invitations or players: who the other is,
is for the caller to decide from `remote_static`, before trusting a word.

Two things are stricter than Noise demands, and no honest peer notices: a public key has one
encoding, and one of small order is refused in the message that brings it.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from protocol.errors import Fault, InvalidError, LocalProtocolError

MAX_MESSAGE: Final = 65535
"""Bytes of the longest Noise message (section 3)."""

KEY: Final = 32  # bytes of every key, public or not, and of every hash (sections 12.1 and 12.7)
TAG: Final = 16  # bytes by which sealing makes a message longer (section 12.3)
MAX_PLAINTEXT: Final = MAX_MESSAGE - TAG
MAX_PAYLOAD: Final = MAX_MESSAGE - (KEY + KEY + TAG + TAG)  # beside e and s, in a handshake
_LAST_NONCE: Final = 2**64 - 2  # 2**64 - 1 is reserved (section 5.1)
_FIELD: Final = 2**255 - 19  # the prime of curve 25519 (RFC 7748, section 4.1)
_FAILED: Final = "the handshake has failed"

Token: TypeAlias = Literal["e", "s", "ee", "es", "se", "psk"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A handshake pattern: the tokens of each message, the initiator's first, then in turn."""

    name: str
    messages: tuple[tuple[Token, ...], ...]

    @property
    def has_psk(self) -> bool:
        return any("psk" in tokens for tokens in self.messages)


XX: Final = Pattern("XX", (("e",), ("e", "ee", "s", "es"), ("s", "se")))
"""Both send their static keys, neither knew the other's (section 7.5)."""

XXPSK3: Final = Pattern("XXpsk3", (("e",), ("e", "ee", "s", "es"), ("s", "se", "psk")))
"""XX between two who share a secret, mixed in at the end of the third message (section 9.4)."""


@final
class CipherState:
    """A key and the number of the next message under it (section 5.1).  SECRET."""

    __slots__ = ("_aead", "_nonce")

    def __init__(self, key: bytes) -> None:
        self._aead = ChaCha20Poly1305(key)
        self._nonce = 0

    def __repr__(self) -> str:
        return f"CipherState(<secret>, message {self._nonce})"

    def encrypt_with_ad(self, ad: bytes, plaintext: bytes) -> bytes:
        """Seal `plaintext`, `TAG` bytes longer, together with `ad`, which is not sent.

        Raises:
            LocalProtocolError: the key has sealed all messages that it may.
        """
        if self._nonce > _LAST_NONCE:
            raise LocalProtocolError("this key has no numbers left, a new handshake is needed")
        ciphertext = self._aead.encrypt(_nonce(self._nonce), plaintext, ad)
        self._nonce += 1
        return ciphertext

    def decrypt_with_ad(self, ad: bytes, ciphertext: bytes) -> bytes:
        """Open what `encrypt_with_ad` sealed as the message of this number.

        Raises:
            InvalidError: MALFORMED if there is no room for a tag, BAD_SEAL if it does not
                open, UNEXPECTED after the last number.  The number is then unchanged.
        """
        if self._nonce > _LAST_NONCE:
            raise InvalidError(Fault.UNEXPECTED, "a message after the last number of its key")
        if len(ciphertext) < TAG:
            raise InvalidError(
                Fault.MALFORMED, f"{len(ciphertext)} bytes where a seal alone takes {TAG}"
            )
        try:
            plaintext = self._aead.decrypt(_nonce(self._nonce), ciphertext, ad)
        except InvalidTag:
            raise InvalidError(Fault.BAD_SEAL, "a sealed message that does not open") from None
        self._nonce += 1
        return plaintext


@final
class SymmetricState:
    """The chaining key and the hash of the handshake so far (section 5.2).  SECRET."""

    __slots__ = ("_chaining_key", "_cipher", "handshake_hash")

    def __init__(self, protocol_name: bytes) -> None:
        # The names used here are longer than 32 bytes, so the hash stands for them.
        self.handshake_hash = self._chaining_key = _hash(protocol_name)
        self._cipher: CipherState | None = None

    def __repr__(self) -> str:
        return "SymmetricState(<secret>)"

    @property
    def seal(self) -> int:
        """Bytes by which `encrypt_and_hash` lengthens now: 0 as long as there is no key."""
        return TAG if self._cipher else 0

    def mix_hash(self, data: bytes) -> None:
        self.handshake_hash = _hash(self.handshake_hash + data)

    def mix_key(self, material: bytes) -> None:
        self._chaining_key, key = _hkdf(self._chaining_key, material, 2)
        self._cipher = CipherState(key)

    def mix_key_and_hash(self, material: bytes) -> None:
        self._chaining_key, digest, key = _hkdf(self._chaining_key, material, 3)
        self.mix_hash(digest)
        self._cipher = CipherState(key)

    def encrypt_and_hash(self, plaintext: bytes) -> bytes:
        ad = self.handshake_hash
        sealed = self._cipher.encrypt_with_ad(ad, plaintext) if self._cipher else plaintext
        self.mix_hash(sealed)
        return sealed

    def decrypt_and_hash(self, sealed: bytes) -> bytes:
        ad = self.handshake_hash
        plaintext = self._cipher.decrypt_with_ad(ad, sealed) if self._cipher else sealed
        self.mix_hash(sealed)
        return plaintext

    def split(self) -> tuple[CipherState, CipherState]:
        """Ciphers for what the initiator sends, and for what the responder sends."""
        first, second = _hkdf(self._chaining_key, b"", 2)
        return CipherState(first), CipherState(second)


@dataclass(frozen=True, slots=True)
class Transport:
    """The line after the handshake: each way its own key and its own count.  SECRET."""

    send: CipherState
    receive: CipherState

    def encrypt(self, plaintext: bytes) -> bytes:
        """The next message to send, `TAG` bytes longer than `plaintext`.

        Raises:
            ValueError: `plaintext` is longer than `MAX_PLAINTEXT`.
            LocalProtocolError: 2**64 - 1 messages have been sent.
        """
        if len(plaintext) > MAX_PLAINTEXT:
            raise ValueError(f"{len(plaintext)} bytes, at most {MAX_PLAINTEXT} go in a message")
        return self.send.encrypt_with_ad(b"", plaintext)

    def decrypt(self, ciphertext: bytes) -> bytes:
        """The plaintext of the other's next message.  None may be missing, or come twice.

        Raises:
            InvalidError: TOO_LARGE beyond `MAX_MESSAGE`, MALFORMED below `TAG`, else BAD_SEAL
                if it does not open as the next one.  Nothing changed, but since a message is
                lost the line is of no more use: close it.
        """
        _check_length(ciphertext)
        return self.receive.decrypt_with_ad(b"", ciphertext)


@final
class HandshakeState:
    """One side of one handshake (section 5.3).  SECRET.

    Call `write_message` and `read_message` in turn, the initiator writing first, until
    `finished`; then `split` once.

    Args:
        pattern: `XX` or `XXPSK3`.
        initiator: true on the side that writes first.
        static: our long-term key.  SECRET.
        psk: the 32 bytes shared by both, if the pattern has a use for them, else None.  SECRET.
        prologue: what both must agree on already, of any length; not sent.
        rng: gives n random bytes; 32 are drawn, in the first message that this side writes.

    Raises:
        ValueError: `psk` is not 32 bytes, is missing, or has no place in the pattern.
    """

    __slots__ = (
        "_ephemeral",
        "_initiator",
        "_messages",
        "_over",
        "_pattern",
        "_psk",
        "_remote_ephemeral",
        "_remote_static",
        "_rng",
        "_static",
        "_symmetric",
    )

    def __init__(
        self,
        pattern: Pattern,
        *,
        initiator: bool,
        static: X25519PrivateKey,
        psk: bytes | None,
        prologue: bytes,
        rng: Callable[[int], bytes],
    ) -> None:
        if (psk is not None) is not pattern.has_psk:
            raise ValueError(f"{pattern.name} takes {'a' if pattern.has_psk else 'no'} psk")
        if psk is not None and len(psk) != KEY:
            raise ValueError(f"a psk has {KEY} bytes, not {len(psk)}")
        self._pattern = pattern
        self._initiator = initiator
        self._static = static
        self._psk = psk
        self._rng = rng
        self._ephemeral: X25519PrivateKey | None = None
        self._remote_static: X25519PublicKey | None = None
        self._remote_ephemeral: X25519PublicKey | None = None
        self._messages = 0  # written and read so far
        self._over = ""  # why this can't be used any more
        self._symmetric = SymmetricState(f"Noise_{pattern.name}_25519_ChaChaPoly_BLAKE2s".encode())
        self._symmetric.mix_hash(prologue)

    def __repr__(self) -> str:
        role = "initiator" if self._initiator else "responder"
        return f"HandshakeState({self._pattern.name}, {role}, message {self._messages})"

    @property
    def finished(self) -> bool:
        """Whether every message was written or read, none having failed."""
        return self._messages == len(self._pattern.messages)

    @property
    def remote_static(self) -> bytes:
        """The other's static public key, 32 bytes.

        The initiator has it after reading the second message, and may look before it tells
        its own; the responder after the third.  Raises LocalProtocolError before.
        """
        if self._over == _FAILED or self._remote_static is None:
            raise LocalProtocolError(self._over or "the other's static key has not come yet")
        return self._remote_static.public_bytes_raw()

    @property
    def handshake_hash(self) -> bytes:
        """32 bytes equal on both sides of this handshake and of no other (section 11.2).

        Not a secret.  Raises LocalProtocolError unless `finished`.
        """
        if not self.finished:
            raise LocalProtocolError("the handshake is not finished")
        return self._symmetric.handshake_hash

    def write_message(self, payload: bytes = b"") -> bytes:
        """The next message to send, with `payload` in it.

        The payload of the first message is as good as open, that of the second goes to someone
        not known yet; with `XXPSK3` only the third is private and proven (section 7.7).

        Raises:
            LocalProtocolError: it is not our turn, or the handshake is over.
            ValueError: `payload` is longer than `MAX_PAYLOAD`.
            After both nothing has changed.
        """
        tokens = self._next_tokens(writing=True)
        if len(payload) > MAX_PAYLOAD:
            raise ValueError(f"{len(payload)} bytes, at most {MAX_PAYLOAD} go in a handshake")
        message = b""
        for token in tokens:
            match token:
                case "e":
                    self._ephemeral = X25519PrivateKey.from_private_bytes(self._rng(KEY))
                    public = _public_bytes(self._ephemeral)
                    self._mix_ephemeral(public)
                    message += public
                case "s":
                    message += self._symmetric.encrypt_and_hash(_public_bytes(self._static))
                case _:
                    self._mix_secret(token)
        message += self._symmetric.encrypt_and_hash(payload)
        self._messages += 1
        return message

    def read_message(self, data: bytes) -> bytes:
        """The payload of the other's next message, `data`, which is exactly one message.

        Raises:
            LocalProtocolError: it is not the other's turn, or the handshake is over; nothing
                has changed.
            InvalidError: TOO_LARGE beyond `MAX_MESSAGE`; MALFORMED if too short; BAD_ELEMENT
                for a public key that is not canonical or of small order; REFLECTION if the
                ephemeral key is our own; BAD_SEAL if altered, or if the two sides differ in
                psk, prologue or keys.  The handshake is then over for ever.
        """
        tokens = self._next_tokens(writing=False)
        try:
            payload = self._read(tokens, data)
        except InvalidError:
            self._over = _FAILED
            raise
        self._messages += 1
        return payload

    def split(self) -> Transport:
        """The line that this handshake has made.

        Only once: a second one would seal other messages under the same numbers.

        Raises:
            LocalProtocolError: not `finished`, or split before.
        """
        if not self.finished or self._over:
            raise LocalProtocolError(self._over or "the handshake is not finished")
        self._over = "the handshake has been split already"
        self._ephemeral = None
        first, second = self._symmetric.split()
        return Transport(first, second) if self._initiator else Transport(second, first)

    def _next_tokens(self, *, writing: bool) -> tuple[Token, ...]:
        if self._over or self.finished:
            raise LocalProtocolError(self._over or "the handshake is finished")
        initiators_turn = self._messages % 2 == 0
        if (initiators_turn is self._initiator) is not writing:
            raise LocalProtocolError(f"{self!r} is not to {'write' if writing else 'read'} now")
        return self._pattern.messages[self._messages]

    def _read(self, tokens: tuple[Token, ...], data: bytes) -> bytes:
        _check_length(data)
        rest = data
        for token in tokens:
            match token:
                case "e":
                    public, rest = _cut(rest, KEY)
                    self._remote_ephemeral = self._public_key(public)
                    self._mix_ephemeral(public)
                case "s":
                    sealed, rest = _cut(rest, KEY + self._symmetric.seal)
                    public = self._symmetric.decrypt_and_hash(sealed)
                    self._remote_static = self._public_key(public)
                case _:
                    self._mix_secret(token)
        return self._symmetric.decrypt_and_hash(rest)

    def _mix_ephemeral(self, public: bytes) -> None:
        self._symmetric.mix_hash(public)
        if self._pattern.has_psk:  # so that no key depends on the psk alone (section 9.2)
            self._symmetric.mix_key(public)

    def _mix_secret(self, token: Literal["ee", "es", "se", "psk"]) -> None:
        """Mix in what both sides can compute for `token`, each from its own half."""
        if token == "psk":
            assert self._psk is not None  # as __init__ saw to
            self._symmetric.mix_key_and_hash(self._psk)
            return
        # The initiator's key is named first, the responder's second.
        ours, theirs = token if self._initiator else reversed(token)
        private = self._static if ours == "s" else self._ephemeral
        public = self._remote_static if theirs == "s" else self._remote_ephemeral
        assert private is not None
        assert public is not None  # the patterns send each key before it is used
        self._symmetric.mix_key(private.exchange(public))

    def _public_key(self, data: bytes) -> X25519PublicKey:
        if int.from_bytes(data, "little") >= _FIELD:
            raise InvalidError(Fault.BAD_ELEMENT, "a public key that is not in canonical form")
        if self._ephemeral is not None and data == _public_bytes(self._ephemeral):
            raise InvalidError(Fault.REFLECTION, "our own ephemeral key, played back to us")
        public = X25519PublicKey.from_public_bytes(data)
        try:
            # All of small order give zero with any private key, and no other gives zero with
            # any, so one trial answers for all products to come (RFC 7748, section 6.1).
            self._static.exchange(public)
        except ValueError:
            raise InvalidError(Fault.BAD_ELEMENT, "a public key of small order") from None
        return public


def _check_length(message: bytes) -> None:
    if len(message) > MAX_MESSAGE:
        raise InvalidError(Fault.TOO_LARGE, f"{len(message)} bytes, a message has {MAX_MESSAGE}")


def _cut(data: bytes, size: int) -> tuple[bytes, bytes]:
    if len(data) < size:
        raise InvalidError(Fault.MALFORMED, "the handshake message ends too early")
    return data[:size], data[size:]


def _public_bytes(key: X25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def _nonce(number: int) -> bytes:
    return bytes(4) + number.to_bytes(8, "little")  # section 12.3


def _hash(data: bytes) -> bytes:
    return hashlib.blake2s(data).digest()


def _hkdf(chaining_key: bytes, material: bytes, outputs: int) -> tuple[bytes, ...]:
    """`outputs` keys of 32 bytes (section 4.3)."""
    secret = hmac.digest(chaining_key, material, "blake2s")
    keys: list[bytes] = []
    for i in range(1, outputs + 1):
        keys.append(hmac.digest(secret, (keys[-1] if keys else b"") + bytes([i]), "blake2s"))
    return tuple(keys)
