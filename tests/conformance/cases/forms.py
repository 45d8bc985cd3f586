"""The form of entries: the outer array, the content, the body of every kind."""

from collections.abc import Callable

from protocol import codec
from protocol.codec import Value
from protocol.entries import Entry, Kind
from protocol.errors import Fault
from protocol.script import GUEST, HOST
from tests.conformance.bench import HELSING, Bench
from tests.conformance.case import BOTH, Case, add
from tests.conformance.forging import Change, content, sign_content, sign_fields, sign_values
from tests.conformance.player import Player

FORM = "An entry MUST have the form of 12.1, and no other"
BODY = "A body MUST have exactly the fields of its kind, within their limits"


async def play_to(bench: Bench, *kinds: Kind) -> tuple[Player, Entry]:
    """A game, and our first honest entry of one of these kinds, which is not sent."""
    if set(kinds) & {Kind.OFFER, Kind.ACCEPT, Kind.KEY}:
        player = await bench.game()
    else:
        player = await bench.game_as(HELSING)
    if set(kinds) & {Kind.UNSEAL}:
        while not player.table.may_resign:
            await player.step()
        await player.send(player.table.resign().raw)
    return player, await player.until(*kinds)


def departs(
    name: str,
    section: str,
    title: str,
    does: str,
    change: Change,
    *faults: Fault,
    kinds: tuple[Kind, ...],
    subjects: tuple[int, ...] = BOTH,
) -> None:
    """A case: our entry of one of `kinds` is changed, and must be refused."""

    async def run(bench: Bench) -> None:
        player, entry = await play_to(bench, *kinds)
        await player.send(change(player, entry))
        await player.is_refused(*faults, after=entry.number)

    names = " or ".join(fault.value for fault in faults)
    add(Case(name, section, title, does, f"REFUSAL {names}", run, subjects))


# --- the form of all ------------------------------------------------------------------------------

FIRST = (Kind.OFFER, Kind.ACCEPT)
"""The first entry that is ours: soon there."""


def _form(name: str, does: str, change: Change, fault: Fault, section: str = "12.1") -> None:
    departs(f"entry-{name}", section, FORM, does, change, fault, kinds=FIRST)


def _outer(change: Callable[[tuple[bytes, bytes]], Value]) -> Change:
    def forge(player: Player, entry: Entry) -> bytes:
        inner = codec.encode(tuple(content(entry)))
        return codec.encode(change((inner, entry.signature)))

    return forge


def _inner(change: Callable[[bytes], bytes]) -> Change:
    def forge(player: Player, entry: Entry) -> bytes:
        return sign_content(player, change(codec.encode(tuple(content(entry)))))

    return forge


def _field(place: int, value: Value) -> Change:
    return lambda player, entry: sign_fields(player, entry, place, value)


def _more_fields(player: Player, entry: Entry) -> bytes:
    return sign_content(player, codec.encode((*content(entry), 0)))


def _fewer_fields(player: Player, entry: Entry) -> bytes:
    return sign_content(player, codec.encode(tuple(content(entry)[:-1])))


def _deep_content(entry: Entry) -> bytes:
    """The content with a body that is too deep: the outermost array is one of the 8."""
    head = codec.encode(tuple(content(entry)[:4]))[1:]
    return b"\x96" + head + b"\x91" * 8 + b"\x90" + codec.encode(entry.state)


_form("with-three-parts", "adds a part to it", _outer(lambda two: (*two, b"")), Fault.MALFORMED)
_form("with-one-part", "leaves the signature out", _outer(lambda two: two[:1]), Fault.MALFORMED)
_form("that-is-no-array", "sends a text for it", _outer(lambda two: "entry"), Fault.MALFORMED)
_form("of-no-bytes", "sends no bytes for it", lambda player, entry: b"", Fault.MALFORMED)
_form(
    "with-a-short-signature",
    "cuts a byte from the signature",
    _outer(lambda two: (two[0], two[1][:-1])),
    Fault.MALFORMED,
)
_form(
    "with-a-byte-behind",
    "adds a byte behind it",
    lambda player, entry: entry.raw + b"\x00",
    Fault.MALFORMED,
)
_form(
    "spelled-longer",
    "gives the length of its signature in two bytes",
    lambda player, entry: entry.raw[:-66] + b"\xc5\x00\x40" + entry.raw[-64:],
    Fault.NON_CANONICAL,
)
_form(
    "with-a-byte-behind-its-content",
    "adds a byte behind the content, and signs that",
    _inner(lambda inner: inner + b"\x00"),
    Fault.MALFORMED,
)
_form(
    "with-its-content-spelled-longer",
    "gives the length of its content's array in two bytes, and signs that",
    _inner(lambda inner: b"\xdc\x00\x06" + inner[1:]),
    Fault.NON_CANONICAL,
)
_form(
    "with-a-content-nested-too-deep",
    "puts arrays within arrays in its body, and signs that",
    lambda player, entry: sign_content(player, _deep_content(entry)),
    Fault.TOO_LARGE,
)
_form("with-a-field-too-many", "adds a field to its content", _more_fields, Fault.MALFORMED)
_form("with-a-field-too-few", "leaves the state out", _fewer_fields, Fault.MALFORMED)
_form("with-a-number-too-great", "has the number 2^32", _field(0, 2**32), Fault.MALFORMED)
_form("with-a-negative-number", "has the number -1", _field(0, -1), Fault.MALFORMED)
_form("of-a-third-side", "has the author 2", _field(1, 2), Fault.MALFORMED)
_form("of-true", "has the author true, which is not 1", _field(1, True), Fault.MALFORMED)
_form(
    "with-a-short-head", "has 31 bytes for the head before", _field(2, bytes(31)), Fault.MALFORMED
)
_form("of-kind-256", "has the kind 256", _field(3, 256), Fault.MALFORMED)
_form("of-kind-13", "has the kind 13", _field(3, 13), Fault.UNEXPECTED)
_form("of-kind-255", "has the kind 255", _field(3, 255), Fault.UNEXPECTED)
_form("with-nil-for-its-body", "has nil where the body was due", _field(4, None), Fault.MALFORMED)
_form("with-a-short-state", "has 31 bytes for the state", _field(5, bytes(31)), Fault.MALFORMED)


# --- the body of each kind ----------------------------------------------------------------------

Values = tuple[Value, ...]


def _with(place: int, value: Value) -> Callable[[Values], Values]:
    return lambda values: (*values[:place], value, *values[place + 1 :])


def _body(
    kind: Kind,
    name: str,
    does: str,
    change: Callable[[Values], Values],
    subjects: tuple[int, ...] = BOTH,
) -> None:
    departs(
        f"{kind.name.lower()}-{name}",
        "12.2",
        BODY,
        f"sends {kind.name} {does}",
        lambda player, entry: sign_values(player, entry, change(entry.body.values())),
        Fault.MALFORMED,
        kinds=(kind,),
        subjects=subjects,
    )


WRITTEN: dict[Kind, tuple[int, ...]] = {
    Kind.OFFER: (GUEST,),
    Kind.ACCEPT: (HOST,),
    Kind.KEY: (GUEST,),
    Kind.COMMIT: BOTH,
    Kind.OPEN: BOTH,
    Kind.SHUFFLE: BOTH,
    Kind.SHARE: BOTH,
    Kind.ACT: BOTH,
    Kind.UNSEAL: BOTH,
}
"""The kinds of entries that we write as Van Helsing, and which sides the other then may have."""

for _kind, _subjects in WRITTEN.items():
    _body(_kind, "with-a-field-too-many", "with a field too many", lambda v: (*v, 0), _subjects)
    _body(_kind, "with-a-field-too-few", "with a field too few", lambda v: v[:-1], _subjects)

_LIMITS: tuple[tuple[Kind, int, str, str, Value], ...] = (
    (Kind.OFFER, 0, "long-protocol", "with a protocol of 33 bytes", "x" * 33),
    (Kind.OFFER, 1, "long-game", "with a game of 65 bytes", "x" * 65),
    (Kind.OFFER, 2, "long-options", "with options of 257 bytes", bytes(257)),
    (Kind.OFFER, 2, "text-for-options", "with text for options", ""),
    (Kind.OFFER, 3, "third-seat", "with the seat 2", 2),
    (Kind.OFFER, 3, "false-for-a-seat", "with the seat false", False),
    (Kind.OFFER, 4, "half-a-clock", "with a clock of one number", (600,)),
    (Kind.OFFER, 4, "slow-clock", "with a clock of more than 10^6 seconds", (1_000_001, 0)),
    (Kind.OFFER, 5, "short-identity", "with an identity of 31 bytes", bytes(31)),
    (Kind.OFFER, 6, "long-name", "with a name of 49 bytes", "x" * 49),
    (Kind.OFFER, 6, "long-name-in-bytes", "with a name of 49 bytes in 48 letters", "é" + "x" * 47),
    (Kind.OFFER, 7, "short-nonce", "with a nonce of 31 bytes", bytes(31)),
    (Kind.OFFER, 8, "late-start", "with the date 2^40", 2**40),
    (Kind.OFFER, 8, "nil-for-its-start", "with no date", None),
    (Kind.ACCEPT, 0, "short-identity", "with an identity of 31 bytes", bytes(31)),
    (Kind.ACCEPT, 1, "long-name", "with a name of 49 bytes", "x" * 49),
    (Kind.ACCEPT, 1, "long-name-in-bytes", "with a name of 49 bytes in 48 letters", "é" + "x" * 47),
    (Kind.ACCEPT, 1, "bytes-for-a-name", "with bytes for a name", b""),
    (Kind.ACCEPT, 2, "long-nonce", "with a nonce of 33 bytes", bytes(33)),
    (Kind.ACCEPT, 3, "short-key-share", "with a key share of 95 bytes", bytes(95)),
    (Kind.KEY, 0, "long-key-share", "with a key share of 97 bytes", bytes(97)),
    (Kind.COMMIT, 0, "long", "with a commitment of 33 bytes", bytes(33)),
    (Kind.OPEN, 0, "short", "with a value of 31 bytes", bytes(31)),
    (Kind.SHUFFLE, 0, "of-too-many-cards", "with 16,385 bytes of cards", bytes(16_385)),
    (Kind.SHUFFLE, 1, "with-a-long-proof", "with a proof of 32,929 bytes", bytes(32_929)),
    (Kind.SHUFFLE, 1, "with-nil-for-a-proof", "with no proof", None),
    (Kind.SHARE, 0, "of-too-many-cards", "with 8,193 bytes of shares", bytes(8_193)),
    (Kind.SHARE, 1, "with-a-long-proof", "with a proof of 65 bytes", bytes(65)),
    (Kind.ACT, 0, "too-great", "with the action 2^32", 2**32),
    (Kind.ACT, 0, "of-true", "with the action true", True),
    (Kind.UNSEAL, 0, "short", "with a secret of 31 bytes", bytes(31)),
)
for _kind, _place, _name, _does, _value in _LIMITS:
    _body(_kind, _name, _does, _with(_place, _value), WRITTEN[_kind])


def _ending(kind: Kind, name: str, values: Values) -> None:
    """RESIGN, PROPOSE and REPLY come when we like."""

    async def run(bench: Bench) -> None:
        player = await bench.game_as(HELSING)
        while not player.table.may_resign:
            await player.step()
        number = len(player.table.entries)
        entry = player.table.resign()
        fields = content(entry)
        fields[3:5] = int(kind), values
        await player.send(sign_content(player, codec.encode(tuple(fields))))
        await player.is_refused(Fault.MALFORMED, after=number)

    does = f"sends {kind.name} with the fields {list(values)}"
    add(Case(f"{kind.name.lower()}-{name}", "12.2", BODY, does, "REFUSAL malformed", run))


_ending(Kind.RESIGN, "with-a-field", (1,))
_ending(Kind.PROPOSE, "with-a-field", (1,))
_ending(Kind.REPLY, "with-no-field", ())
_ending(Kind.REPLY, "of-two", (2,))
_ending(Kind.REPLY, "of-true", (True,))
