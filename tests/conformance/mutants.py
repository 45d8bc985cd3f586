"""Our own peer with one check removed, many times over, and which cases notice it.

A suite is worth what it catches.  For every check of a receiver there is a mutant here that lacks
it, and cases of which *each* must fail with it; or, in `OUT_OF_REACH`, a reason why nobody can tell
from outside whether the check is there.

Nothing is replaced for good: what is installed looks at `MUTANT` and does as ever unless it is
called by the mutant's own tasks.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from importlib import import_module
from typing import Any, Final
from unittest.mock import patch

import msgpack  # type: ignore[import-untyped]

from engine import disclosures
from engine.errors import IllegalActionError
from engine.state import State
from peer.meeting import MAX_STRANGERS
from protocol import codec, shuffle
from protocol.deck import CARD_SIZE
from protocol.errors import Fault, InvalidError
from protocol.group import SIZE, Element, Scalar
from protocol.keys import SecretKey
from protocol.line import Ping, Pong, Sync
from protocol.script import GUEST, HOST
from protocol.shuffle import VerifiedDeck
from protocol.table import Table
from protocol.transcript import PROTOCOL
from tests.conformance.inside import MUTANT

Function = Callable[..., Any]
Make = Callable[[Function], Function]
"""Makes the mutated function out of the real one."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One check that is missing, where it was, and the cases that must notice it."""

    name: str
    places: tuple[str, ...]
    make: Make
    cases: tuple[str, ...]
    subject: int = HOST
    is_stubborn: bool = False


@contextmanager
def all_installed() -> Iterator[None]:
    """With every mutant in place, each asleep until `MUTANT` names it."""
    makers: dict[str, dict[str, Make]] = {}
    for mutant in MUTANTS:
        for place in mutant.places:
            makers.setdefault(place, {})[mutant.name] = mutant.make
    with ExitStack() as stack:
        for place, of_place in makers.items():
            module, _, path = place.partition(":")
            owner: Any = import_module(module)
            *parents, name = path.split(".")
            for parent in parents:
                owner = getattr(owner, parent)
            stack.enter_context(patch.object(owner, name, _installed(vars(owner)[name], of_place)))
        yield


def _installed(found: Any, makers: dict[str, Make]) -> Any:
    if isinstance(found, classmethod):
        return classmethod(_sleeping(found.__func__, makers))
    if isinstance(found, property):
        assert found.fget is not None
        return property(_sleeping(found.fget, makers))
    return _sleeping(found, makers)


def _sleeping(real: Function, makers: dict[str, Make]) -> Function:
    mutated = {name: make(real) for name, make in makers.items()}

    @wraps(real)
    def choose(*args: Any, **named: Any) -> Any:
        return mutated.get(MUTANT.get(), real)(*args, **named)

    return choose


# --- ways to lose a check -----------------------------------------------------------------------


def never(real: Function) -> Function:
    """A check that checks nothing."""
    return lambda *args, **named: None


def always(value: Any) -> Make:
    return lambda real: lambda *args, **named: value


def without(*faults: Fault, then: Function | None = None) -> Make:
    """A check that overlooks these faults."""

    def make(real: Function) -> Function:
        def call(*args: Any, **named: Any) -> Any:
            try:
                return real(*args, **named)
            except InvalidError as error:
                if error.fault not in faults:
                    raise
                return then(*args, **named) if then else None

        return call

    return make


def without_later(*faults: Fault, then: Callable[[Any], None] | None = None) -> Make:
    """The same for a method that waits."""

    def make(real: Function) -> Function:
        async def call(self: Any, *args: Any) -> Any:
            try:
                return await real(self, *args)
            except InvalidError as error:
                if error.fault not in faults:
                    raise
                return then(self) if then else None

        return call

    return make


def changing(**changes: Any) -> Make:
    """A function that sees other arguments by name than it was given."""
    return lambda real: lambda *args, **named: real(*args, **{**named, **changes})


def _reopened(table: Table[State], *rest: Any) -> None:
    """A table that has refused something, and goes on as if it had not."""
    table._ended = ""


# --- values as bytes ----------------------------------------------------------------------------


def _any_spelling(real: Function) -> Function:
    def decode(data: bytes, *, limit: int, depth: int = codec.DEPTH) -> Any:
        try:
            return real(data, limit=limit, depth=depth)
        except InvalidError as error:
            if error.fault is not Fault.NON_CANONICAL:
                raise
            return msgpack.unpackb(data, use_list=False, raw=False)

    return decode


def _with_a_tail(real: Function) -> Function:
    def decode(data: bytes, *, limit: int, depth: int = codec.DEPTH) -> Any:
        for end in range(len(data), max(0, len(data) - 4), -1):
            try:
                return real(data[:end], limit=limit, depth=depth)
            except InvalidError as error:
                if "after the end" not in error.detail:
                    raise
        raise AssertionError

    return decode


def _crashing_on(text: str) -> Make:
    """Where a check would have raised its fault, whatever comes later raises something else."""

    def make(real: Function) -> Function:
        def call(*args: Any, **named: Any) -> Any:
            try:
                return real(*args, **named)
            except InvalidError as error:
                if text not in error.detail:
                    raise
                raise ValueError(text) from None

        return call

    return make


def _any_number_of_fields(real: Function) -> Function:
    def array(value: Any, what: str, *fields: Any) -> Any:
        if type(value) is tuple and len(value) > len(fields):
            value = value[: len(fields)]
        return real(value, what, *fields)

    return array


def _untyped(what: str) -> Make:
    """The fields of one kind are taken as they are."""

    def make(real: Function) -> Function:
        def array(value: Any, name: str, *fields: Any) -> Any:
            loose = fields if name != what else (codec.anything,) * len(fields)
            return real(value, name, *loose)

        return array

    return make


def _any_field(real: Function) -> Function:
    return lambda *args, **named: codec.anything


# --- messages -----------------------------------------------------------------------------------


def _heard(change: Callable[[Any], Any]) -> Make:
    """Every message is changed before the peer sees it."""
    return lambda real: lambda data: change(real(data))


def _unknown_kinds(real: Function) -> Function:
    def decode(data: bytes) -> Any:
        try:
            return real(data)
        except InvalidError as error:
            if error.fault is not Fault.UNEXPECTED:
                raise
            return Pong(0)

    return decode


def _no_game_id(message: Any) -> Any:
    return replace(message, game_id=None) if isinstance(message, Sync) else message


def _full_count(message: Any) -> Any:
    return replace(message, count=60_000) if isinstance(message, Sync) else message


def _no_ping(message: Any) -> Any:
    return Pong(0) if isinstance(message, Ping) else message


def _any_version(real: Function) -> Function:
    return lambda self, *args: real(replace(self, protocol=PROTOCOL.decode()), *args)


def _only_the_same_bytes(real: Function) -> Function:
    """Whoever signs one thing in two ways is taken for a liar."""

    def compare(self: Any, entry: Any) -> None:
        if entry.raw != self.entries[entry.number].raw:
            raise InvalidError(Fault.EQUIVOCATION, "other bytes")

    return compare


def _either_side(real: Function) -> Function:
    def check(self: Any, side: int, transcript: bytes) -> None:
        try:
            real(self, side, transcript)
        except InvalidError:
            real(self, 1 - side, transcript)

    return check


def _open_to_frames(real: Function) -> Function:
    async def following(self: Any, limit: int) -> bytes:
        frame: bytes = await real(self, 65_535)
        return frame

    return following


def _overlooking_what_does_not_open(real: Function) -> Function:
    def decrypt(self: Any, ciphertext: bytes) -> bytes:
        try:
            opened: bytes = real(self, ciphertext)
        except InvalidError:
            return Pong(0).encode()
        return opened

    return decrypt


# --- entries ------------------------------------------------------------------------------------


def _only_as_many(field: str, size: Callable[[Any, tuple[Any, ...]], int]) -> Make:
    """More than is wanted is cut off, not refused."""

    def make(real: Function) -> Function:
        def take(self: Any, side: int, number: int, *rest: Any, **named: Any) -> Any:
            parts = list(rest)
            at = next(i for i, part in enumerate(parts) if hasattr(part, field))
            wanted = size(self._decks[number], tuple(parts))
            parts[at] = replace(parts[at], **{field: getattr(parts[at], field)[:wanted]})
            return real(self, side, number, *parts, **named)

        return take

    return make


def _unproven(real: Function) -> Function:
    """A shuffle of which everything is read and nothing is checked."""

    def verify(before: Any, after: Any, proof: bytes, *rest: Any) -> VerifiedDeck:
        if len(after) != len(before):
            raise InvalidError(Fault.MALFORMED, "another number of cards")
        shuffle._decode(proof, len(before))
        return VerifiedDeck(tuple(after), shuffle._CHECKED)

    return verify


def _reduced(real: Function) -> Function:
    return lambda cls, data: Scalar.of(int.from_bytes(data, "little"))


def _without_top_bit(real: Function) -> Function:
    def decode(cls: Any, data: bytes, **named: Any) -> Element:
        return real(cls, data[:-1] + bytes([data[-1] & 0x7F]), **named)  # type: ignore[no-any-return]

    return decode


def _never_invalid(real: Function) -> Function:
    def decode(cls: Any, data: bytes, **named: Any) -> Element:
        try:
            return real(cls, data, **named)  # type: ignore[no-any-return]
        except InvalidError:
            if not any(data):
                raise
            return Element._of_valid(bytes(data))

    return decode


def _any_secret(real: Function) -> Function:
    return lambda secret, public: SecretKey(Scalar.decode(secret))


def _any_action(real: Function) -> Function:
    def act(self: State, action: int) -> None:
        try:
            real(self, action)
        except IllegalActionError:
            return

    return act


def _eights_at_any_time(real: Function) -> Function:
    def disclose(state: State, faces: Any) -> None:
        try:
            real(state, faces)
        except IllegalActionError:
            with patch.object(disclosures, "DISCARDS_TO_END", 0):
                real(state, faces)

    return disclose


def _any_offer(**changes: Any) -> Make:
    return lambda real: lambda self, offer: real(self, replace(offer, **changes))


def _proposing_again(real: Function) -> Function:
    def is_due(self: Any, step: Any) -> bool:
        self._has_proposal = False
        return bool(real(self, step))

    return is_due


def _at_any_time(real: Function) -> Function:
    """Whatever is due, its kind doesn't matter."""
    return lambda self, step: self.step is not None and step.side == self.step.side


def _by_anybody(real: Function) -> Function:
    """Whatever is due, it doesn't matter by whom."""
    return lambda self, step: any(real(self, step._replace(side=side)) for side in (HOST, GUEST))


# --- who is let in --------------------------------------------------------------------------------


def _older_line_stays(real: Function) -> Function:
    def put(self: Any, link: Any) -> None:
        self._arrived = link
        self._arrival.set()

    return put


def _everybody_at_one_table(real: Function) -> Function:
    def slot_for(self: Any, identity: bytes) -> Any:
        for slot in self._slots.values():
            return slot
        return real(self, identity)

    return slot_for


def _full_is_full(real: Function) -> Function:
    async def greet(self: Any, stream: Any) -> None:
        if len(self._strangers) >= MAX_STRANGERS:
            await stream.aclose()
        else:
            await real(self, stream)

    return greet


def _forgetful(real: Function) -> Function:
    """A game that was broken off is begun anew."""
    return lambda self, identity: None


# --- all of them ----------------------------------------------------------------------------------

_HANDSHAKE = "peer.link:_Frames.next"
_DECODE = "protocol.codec:decode"
_ARRAY = "protocol.codec:array"
_MESSAGE = "protocol.line:decode"

MUTANTS: Final = (
    # 6, values
    Mutant(
        "other spellings of values",
        (_DECODE,),
        _any_spelling,
        (
            "message-with-integer-of-two-bytes",
            "entry-spelled-longer",
            "entry-with-its-content-spelled-longer",
        ),
    ),
    Mutant(
        "bytes after a value",
        (_DECODE,),
        _with_a_tail,
        ("message-with-trailing-byte", "entry-with-a-byte-behind"),
    ),
    Mutant(
        "arrays nested deeper",
        (_DECODE,),
        changing(depth=10_000),
        ("message-nested-too-deep", "entry-with-a-content-nested-too-deep"),
    ),
    Mutant(
        "text that is not UTF-8",
        (_DECODE,),
        _crashing_on("not UTF-8"),
        ("message-with-text-that-is-no-utf8",),
    ),
    Mutant(
        "what the bytes announce",
        ("protocol.codec:_scan",),
        never,
        ("message-with-long-announcement", "message-with-nothing"),
    ),
    Mutant(
        "the number of fields",
        (_ARRAY,),
        _any_number_of_fields,
        (
            "message-with-a-field-too-many",
            "entry-with-three-parts",
            "entry-with-a-field-too-many",
            "share-with-a-field-too-many",
        ),
    ),
    # 13.5, messages
    *(
        Mutant(f"the fields of {what.upper()}", (_ARRAY,), _untyped(what), (noticed,))
        for what, noticed in (
            ("sync", "sync-with-a-short-head"),
            ("entries", "message-with-no-entries"),
            ("bye", "message-with-an-unknown-reason"),
            ("refusal", "message-with-a-detail-too-long"),
            ("ping", "message-with-a-token-too-great"),
            ("pong", "message-with-a-pong-token-too-great"),
            ("clock", "message-with-a-time-too-great"),
            ("chat", "message-with-a-chat-too-long"),
        )
    ),
    Mutant("the kind of a message", (_MESSAGE,), _unknown_kinds, ("message-of-kind-99",)),
    Mutant("answers to PING", (_MESSAGE,), _heard(_no_ping), ("ping-in-play", "ping-before-sync")),
    Mutant(
        "messages that can't come now",
        ("peer.sitting:Sitting._handle",),
        without_later(Fault.UNEXPECTED),
        ("second-hello", "second-sync", "again-in-play"),
    ),
    Mutant(
        "whose claim it is",
        ("peer.sitting:Sitting._take_claim",),
        without_later(Fault.UNEXPECTED),
        ("claim-of-another-game", "claim-in-their-name"),
    ),
    Mutant(
        "the signature of a claim",
        ("protocol.claim:check_signature",),
        never,
        ("claim-unsigned",),
    ),
    # 12, entries
    *(
        Mutant(f"the fields of {what.upper()}", (_ARRAY,), _untyped(what), (noticed,), subject)
        for what, noticed, subject in (
            ("offer", "offer-long-name", GUEST),
            ("accept", "accept-long-name", HOST),
            ("commit", "commit-long", HOST),
            ("shuffle", "shuffle-with-nil-for-a-proof", HOST),
            ("act", "act-of-true", HOST),
            ("reply", "reply-of-two", HOST),
        )
    ),
    Mutant(
        "the numbers of an entry",
        ("protocol.codec:uint",),
        _any_field,
        ("entry-of-a-third-side", "entry-with-a-negative-number"),
    ),
    Mutant(
        "the lengths in an entry",
        ("protocol.codec:blob",),
        _any_field,
        ("entry-with-a-short-head", "entry-with-a-short-state"),
    ),
    Mutant(
        "the kind of an entry",
        ("protocol.entries:Entry.decode",),
        _crashing_on("are unknown"),
        ("entry-of-kind-13",),
    ),
    Mutant(
        "the signature of an entry",
        ("protocol.entries:check_signature",),
        never,
        (
            "signature-altered-in-play",
            "accept-signed-by-a-stranger",
            "shuffle-signed-by-a-stranger",
        ),
    ),
    # 13.3 and 13.4, the line
    Mutant(
        "the length of a handshake frame",
        (_HANDSHAKE,),
        _open_to_frames,
        ("handshake-just-too-long",),
    ),
    Mutant(
        "frames that don't open",
        ("protocol.noise:Transport.decrypt",),
        _overlooking_what_does_not_open,
        ("frame-altered", "frame-repeated", "frame-empty"),
    ),
    Mutant(
        "the spelling of a static key",
        ("protocol.noise:HandshakeState._public_key",),
        lambda real: lambda self, data: real(self, data[:-1] + bytes([data[-1] & 0x7F])),
        ("static-key-in-a-second-spelling",),
    ),
    Mutant(
        "the secret of the invitation",
        ("peer.invitation:Invitation.psk",),
        always(bytes(32)),
        ("parting",),
    ),
    Mutant(
        "the host's key",
        ("peer.invitation:Invitation.matches",),
        always(True),
        ("another-host",),
        GUEST,
    ),
    Mutant(
        "the signature of a HELLO",
        ("protocol.line:check_signature",),
        never,
        ("hello-of-another-key", "hello-altered", "hello-of-another-line"),
    ),
    Mutant(
        "the side of a HELLO", ("protocol.line:Hello.check",), _either_side, ("hello-of-our-side",)
    ),
    Mutant(
        "keys that anybody can sign for",
        ("protocol.identity:_y",),
        always(9),
        ("hello-of-a-weak-key",),
    ),
    Mutant(
        "the version in a HELLO",
        ("protocol.line:Hello.check",),
        _any_version,
        ("hello-of-another-version",),
    ),
    # 13.6, SYNC
    Mutant(
        "the heads of two records",
        ("peer.sitting:Sitting._sync",),
        without_later(
            Fault.BROKEN_CHAIN, then=lambda self: setattr(self, "_sent", len(self.table.entries))
        ),
        ("other-head", "head-of-nothing"),
    ),
    Mutant("the game of a SYNC", (_MESSAGE,), _heard(_no_game_id), ("other-game",)),
    Mutant("sending again", (_MESSAGE,), _heard(_full_count), ("cut-in-play-with-losses",)),
    Mutant(
        "that SYNC comes first",
        ("peer.sitting:Sitting._sync",),
        without_later(Fault.UNEXPECTED),
        ("entries-before-sync",),
    ),
    Mutant(
        "games that were broken off",
        ("peer.serving:Hall._unfinished_with",),
        _forgetful,
        ("leaving-and-coming-back", "sent-again-after-bye"),
    ),
    # 13.1 and 13.8, the door
    Mutant("older lines", ("peer.meeting:Slot.put",), _older_line_stays, ("second-line",)),
    Mutant(
        "whose table it is",
        ("peer.serving:Hall.slot_for",),
        _everybody_at_one_table,
        ("stranger-in-a-running-game",),
    ),
    Mutant(
        "room at the door", ("peer.meeting:Entrance._greet",), _full_is_full, ("crowd-at-the-door",)
    ),
    # 14.5, the place of an entry
    Mutant(
        "our own entries",
        ("protocol.table:Table._refuse_our_own",),
        never,
        ("reflection", "entry-in-their-name"),
    ),
    Mutant(
        "the number and the head before",
        ("protocol.table:Table._check_place",),
        without(Fault.BROKEN_CHAIN),
        ("number-skipped-in-play", "other-previous-in-play"),
    ),
    Mutant(
        "which kind is due",
        ("protocol.course:Course.is_due",),
        _at_any_time,
        (
            "commit-instead-of-shuffle",
            "share-instead-of-act",
            "resign-instead-of-unseal",
        ),
    ),
    Mutant(
        "which side is due",
        ("protocol.course:Course.is_due",),
        _by_anybody,
        ("out-of-turn",),
    ),
    Mutant(
        "how often one may propose",
        ("protocol.course:Course.is_due",),
        _proposing_again,
        ("proposing-twice",),
        is_stubborn=True,
    ),
    Mutant(
        "the state hash",
        ("protocol.table:Table._check_state",),
        never,
        ("other-state-at-first", "other-state-in-the-deal", "other-state-in-play"),
    ),
    Mutant(
        "other entries for a place that is taken",
        ("protocol.table:Table._compare",),
        without(*Fault, then=_reopened),
        (
            "equivocation",
            "another-entry-unsigned",
            "entry-for-their-place",
            "entry-for-a-taken-place-upon-another-record",
        ),
    ),
    Mutant(
        "copies with another signature",
        ("protocol.table:Table._compare",),
        _only_the_same_bytes,
        ("signed-twice",),
    ),
    Mutant(
        "who introduces themselves",
        ("protocol.table:Table._check_introduction",),
        without(Fault.UNEXPECTED, then=_reopened),
        ("another-author",),
    ),
    Mutant(
        "who is at the other end of a new line",
        ("protocol.table:Table.expect",),
        never,
        ("another-host-in-a-running-game",),
        GUEST,
    ),
    # 14.5, bodies
    Mutant(
        "the version of an offer",
        ("protocol.course:Course._take_offer",),
        _any_offer(protocol=PROTOCOL.decode()),
        ("offer-of-another-version",),
        GUEST,
    ),
    Mutant(
        "the game of an offer",
        ("protocol.course:Course._take_offer",),
        _any_offer(game="dracula-vs-van-helsing/1"),
        ("offer-of-another-game",),
        GUEST,
    ),
    Mutant(
        "the options of an offer",
        ("protocol.course:Course._take_offer",),
        _any_offer(options=b""),
        ("offer-of-other-options", "offer-of-impossible-options"),
        GUEST,
    ),
    Mutant(
        "the proof of a key share",
        ("protocol.dealer:verify_key_share",),
        never,
        (
            "key-share-of-somebody-else",
            "key-share-with-another-response",
            "key-share-for-another-game",
            "key-share-for-another-head",
            "key-share-for-another-side",
        ),
    ),
    Mutant(
        "the proof of the host's key share",
        ("protocol.dealer:verify_key_share",),
        never,
        ("key-share-of-somebody-else",),
        GUEST,
    ),
    Mutant(
        "the opening of a coin",
        ("protocol.coin:check_opening",),
        never,
        (
            "opening-of-another-value",
            "commitment-for-another-side",
            "commitment-after-another-head",
        ),
    ),
    Mutant(
        "the number of cards in a shuffle",
        ("protocol.dealer:Dealer.take_shuffle",),
        _only_as_many("cards", lambda deck, rest: CARD_SIZE * len(deck.fresh)),
        ("shuffle-of-33-cards",),
    ),
    Mutant(
        "the length of a shuffle's proof",
        ("protocol.shuffle:_decode",),
        lambda real: lambda data, size: real(data[: shuffle.proof_size(size)], size),
        ("shuffle-with-a-long-proof-of-its-size",),
    ),
    Mutant(
        "the proof of a shuffle",
        ("protocol.dealer:verify_shuffle",),
        _unproven,
        (
            "shuffle-with-a-card-twice",
            "shuffle-with-another-card",
            "shuffle-of-a-deck-with-a-card-twice",
            "shuffle-of-another-deck",
            "shuffle-under-another-key",
            "shuffle-for-another-head",
            "shuffle-with-another-s1",
            "shuffle-with-another-c-hat",
        ),
    ),
    Mutant(
        "the number of shares",
        ("protocol.dealer:Dealer.take_share",),
        _only_as_many("shares", lambda deck, rest: SIZE * len(rest[0])),
        ("share-of-one-more",),
    ),
    Mutant(
        "the proof of shares",
        ("protocol.dealer:verify_equality",),
        never,
        (
            "share-of-another-card",
            "share-that-is-wrong",
            "share-with-another-secret",
            "share-for-another-deck",
            "share-with-another-challenge",
        ),
    ),
    Mutant(
        "the secret that is unsealed",
        ("protocol.dealer:check_revealed",),
        _any_secret,
        ("unseal-another-secret", "unseal-zero"),
    ),
    Mutant(
        "the range of scalars",
        ("protocol.group:Scalar.decode",),
        _reduced,
        (
            "key-share-with-a-challenge-too-great",
            "shuffle-with-a-last-response-too-great",
            "share-with-a-response-too-great",
            "unseal-too-great",
        ),
    ),
    Mutant(
        "the top bit of elements",
        ("protocol.group:Element.decode",),
        _without_top_bit,
        (
            "key-share-in-a-second-spelling",
            "shuffle-with-a-card-in-a-second-spelling",
            "share-in-a-second-spelling",
        ),
    ),
    Mutant(
        "whether bytes are an element",
        ("protocol.group:Element.decode",),
        _never_invalid,
        (
            "key-share-of-no-element",
            "shuffle-with-no-element-in-the-first-half",
            "share-of-no-element",
        ),
    ),
    Mutant(
        "the identity",
        ("protocol.group:Element.decode",),
        changing(allow_identity=True),
        (
            "shuffle-with-the-identity-in-the-second-half",
            "shuffle-with-a-commitment-to-the-identity",
            "share-of-the-identity",
        ),
    ),
    # 14.5, the rules
    Mutant(
        "the rules of the game",
        ("engine.state:State.act",),
        _any_action,
        ("action-unknown", "action-greatest", "action-out-of-place"),
    ),
    Mutant(
        "an 8 that comes too early",
        ("engine.disclosures:disclose",),
        _eights_at_any_time,
        ("eight-too-early-by-dracula", "eight-too-early-by-helsing"),
    ),
)

OUT_OF_REACH: Final = {
    "protocol.keys:joint_key": "a key share equal to the other's, or that cancels it, comes with "
    "a proof that holds only from somebody who knows the other side's secret; without, bad-proof "
    "comes first",
    "protocol.sigma:verify_knowledge, identity": "Element.decode has refused the identity before",
    "protocol.keys:KeyShare.decode, length": "the field of ACCEPT and KEY has exactly 96 bytes, "
    "and each refuses another length by the same name",
    "protocol.coin:check_opening, length": "the field of OPEN refuses it by the same name",
    "protocol.group:Scalar.decode, length": "the fields refuse it by the same name",
    "protocol.sigma:_read, length": "the field of SHARE refuses it by the same name",
    "protocol.shuffle:verify_shuffle, number of cards": "the dealer refuses it by the same name",
    "protocol.entries:MAX_ENTRY_BYTES": "the field of ENTRIES has the same limit",
    "protocol.codec:_scan, maps and floats alone": "no field takes one, and each refuses it by the "
    "same name",
    "protocol.line:MAX_MESSAGE_BYTES": "a longer one does not fit a frame",
    "protocol.noise:HandshakeState, reflection": "who plays an ephemeral key back can't compute "
    "what follows from it, so that the next seal doesn't open: closed either way",
    "protocol.noise:HandshakeState, small order": "the library that computes X25519 refuses it "
    "once more; the case is there for peers whose library doesn't",
    "peer.link:first message is HELLO": "without the check there is nobody to verify, and the "
    "line is closed either way",
    "peer.link:own identity": "who introduces themselves with our identity has our key, or fails "
    "the signature; played back, our HELLO fails as of the wrong side",
    "protocol.transcript:PROLOGUE": "no check but an input: another prologue closes the line by "
    "itself, and any honest game shows that ours is the right one",
    "protocol.dealer:Dealer.owed": "what one owes is no check but decides what is written: honest "
    "games show it",
    "peer.link:DEAD_SECONDS": "the suite does not wait so long to be given up",
}
"""Checks whose absence nobody can see from outside, or that only time would show, and why."""
