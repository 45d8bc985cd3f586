"""The place of an entry: its number, its author, what came before, its signature, its state."""

from collections.abc import Callable

from protocol import codec
from protocol.entries import Body, Commit, Entry, Key, Kind, Resign, Share, Shuffle, Unseal
from protocol.errors import Fault
from protocol.group import ORDER
from protocol.identity import Identity
from protocol.line import Entries
from protocol.script import GUEST
from tests.conformance.bench import HELSING, Bench
from tests.conformance.case import Case, FailedError, add, case
from tests.conformance.cases.forms import FIRST, WRITTEN, departs, play_to
from tests.conformance.forging import Change, content, sign, sign_body, sign_with_chance
from tests.conformance.player import Player, describe

STRANGER = Identity(b"\x33" * 32)
WHERE: tuple[tuple[str, tuple[Kind, ...]], ...] = (
    ("at-first", FIRST),
    ("in-the-deal", (Kind.SHARE,)),
    ("in-play", (Kind.ACT,)),
)
"""Where in a game what does not depend on the kind of the entry is tried."""


def _everywhere(
    name: str, section: str, title: str, does: str, change: Change, fault: Fault
) -> None:
    for where, kinds in WHERE:
        departs(f"{name}-{where}", section, title, does, change, fault, kinds=kinds)


CHAIN = "An entry MUST have the next number, and the head of the record before it"
SIGNED = "An entry MUST be signed by its author"

_everywhere(
    "number-skipped",
    "14.5",
    CHAIN,
    "writes an entry with the number after the next",
    lambda player, entry: sign(player, entry, number=entry.number + 1),
    Fault.BROKEN_CHAIN,
)
_everywhere(
    "other-previous",
    "14.5",
    CHAIN,
    "writes an entry upon another record",
    lambda player, entry: sign(player, entry, previous=b"\x05" * 32),
    Fault.BROKEN_CHAIN,
)
_everywhere(
    "signature-altered",
    "12.4",
    SIGNED,
    "alters one bit of the signature",
    lambda player, entry: entry.raw[:-1] + bytes([entry.raw[-1] ^ 1]),
    Fault.BAD_SIGNATURE,
)
_everywhere(
    "signature-in-a-second-spelling",
    "12.4",
    "A signature whose S is not below L MUST be refused",
    "adds L to the S of the signature",
    lambda player, entry: _with_s_plus_order(entry),
    Fault.BAD_SIGNATURE,
)
_everywhere(
    "other-state",
    "14.5",
    "The state hash of an entry MUST be the one of the game after it",
    "writes an entry with another state hash",
    lambda player, entry: sign(player, entry, state=b"\x05" * 32),
    Fault.STATE_MISMATCH,
)


def _with_s_plus_order(entry: Entry) -> bytes:
    s = int.from_bytes(entry.signature[32:], "little") + ORDER
    inner = codec.encode(tuple(content(entry)))
    return codec.encode((inner, entry.signature[:32] + s.to_bytes(32, "little")))


def _signed_by_a_stranger(player: Player, entry: Entry) -> bytes:
    player.identity = STRANGER
    return sign(player, entry)


for _kind, _subjects in WRITTEN.items():
    departs(
        f"{_kind.name.lower()}-signed-by-a-stranger",
        "12.4",
        SIGNED,
        f"has its {_kind.name} signed by somebody else",
        _signed_by_a_stranger,
        Fault.BAD_SIGNATURE,
        kinds=(_kind,),
        subjects=_subjects,
    )


# --- what is not due --------------------------------------------------------------------------

_BODIES: dict[Kind, Body] = {
    Kind.KEY: Key(bytes(96)),
    Kind.COMMIT: Commit(bytes(32)),
    Kind.SHUFFLE: Shuffle(b"", b""),
    Kind.SHARE: Share(b"", bytes(64)),
    Kind.RESIGN: Resign(),
    Kind.UNSEAL: Unseal(bytes(32)),
}
NOT_DUE = "Every entry but those that 14.2 allows at this moment MUST be refused"


def _instead(kind: Kind, other: Kind) -> None:
    departs(
        f"{other.name.lower()}-instead-of-{kind.name.lower()}",
        "14.2",
        NOT_DUE,
        f"sends {other.name} where its {kind.name} is due",
        lambda player, entry: sign(player, entry, body=_BODIES[other]),
        Fault.UNEXPECTED,
        kinds=(kind,),
        subjects=WRITTEN[kind],
    )


_instead(Kind.ACCEPT, Kind.RESIGN)
_instead(Kind.KEY, Kind.RESIGN)
_instead(Kind.KEY, Kind.COMMIT)
_instead(Kind.COMMIT, Kind.SHUFFLE)
_instead(Kind.SHUFFLE, Kind.COMMIT)
_instead(Kind.SHUFFLE, Kind.SHARE)
_instead(Kind.SHARE, Kind.SHUFFLE)
_instead(Kind.SHARE, Kind.UNSEAL)
_instead(Kind.ACT, Kind.SHARE)
_instead(Kind.ACT, Kind.KEY)
_instead(Kind.UNSEAL, Kind.RESIGN)
_instead(Kind.UNSEAL, Kind.SHARE)


@case(
    "14.2",
    "An entry by the side that is not due MUST be refused",
    does="sends RESIGN right behind its SHUFFLE, when that of the other side is due",
    expects="REFUSAL unexpected",
)
async def out_of_turn(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    entry = await player.until(Kind.SHUFFLE)
    number = entry.number + 1
    forged = Entry.sign(number, player.side, entry.head, Resign(), entry.state, player.identity)
    await player.line.say(Entries((entry.raw, forged.raw)))
    await player.is_refused(Fault.UNEXPECTED)


# --- entries that are there already -----------------------------------------------------------


@case(
    "14.6",
    "Entries that a side has already MUST be ignored, if they are the same",
    does="sends all its entries once more when a decision of ours is due",
    expects="the game goes on",
)
async def copies(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    await player.until_our_turn(Kind.ACT)
    ours = [entry.raw for entry in player.table.entries if entry.author == player.side]
    await player.send(*ours)
    await player.send(*reversed(ours))
    await player.go_on()
    await player.resign()


def _again(
    name: str,
    title: str,
    does: str,
    forge: Callable[[Player, Entry], bytes],
    *faults: Fault,
    theirs: bool = False,
) -> None:
    """After an honest SHUFFLE of ours, something for a place that is taken."""

    async def run(bench: Bench) -> None:
        player, entry = await play_to(bench, Kind.SHUFFLE)
        await player.send(entry.raw)
        while not player.is_ours:
            await player.listen()
        last = max(e.number for e in player.table.entries if e.author != player.side)
        await player.send(forge(player, player.table.entries[last] if theirs else entry))
        await player.is_refused(*faults)

    names = " or ".join(fault.value for fault in faults)
    add(Case(name, "14.6", title, does, f"REFUSAL {names}", run))


_again(
    "equivocation",
    "Two entries signed for one place MUST be refused as equivocation",
    "signs another entry for the place of one that was taken",
    lambda player, entry: sign(player, entry, body=Resign()),
    Fault.EQUIVOCATION,
)
_again(
    "entry-for-a-taken-place-upon-another-record",
    "An entry for a place that is taken, upon another record, accuses nobody and MUST be refused",
    "signs the same entry for its place upon another record",
    lambda player, entry: sign(player, entry, previous=b"\x05" * 32),
    Fault.BROKEN_CHAIN,
)
_again(
    "another-entry-unsigned",
    "Another entry for a place that is taken MUST be signed to be held against its author",
    "sends another entry for the place of one that was taken, signed by a stranger",
    lambda player, entry: (
        Entry.sign(entry.number, entry.author, entry.previous, Resign(), entry.state, STRANGER).raw
    ),
    Fault.BAD_SIGNATURE,
)
_again(
    "entry-for-their-place",
    "An entry for a place that is the other side's MUST be refused",
    "signs an entry for the place of one by the peer under test",
    lambda player, entry: sign(player, entry, author=player.side, body=Resign()),
    Fault.UNEXPECTED,
    theirs=True,
)
_again(
    "reflection",
    "A side MUST refuse its own entries, played back",
    "sends an entry by the peer under test back to it",
    lambda player, entry: entry.raw,
    Fault.REFLECTION,
    theirs=True,
)
_again(
    "entry-in-their-name",
    "A side MUST refuse entries in its own name",
    "signs an entry as the peer under test",
    lambda player, entry: sign(player, entry, author=1 - player.side, body=Resign()),
    Fault.REFLECTION,
    theirs=True,
)


@case(
    "14.6",
    "An entry that comes twice MUST be taken once",
    does="sends an entry twice in one message",
    expects="the game goes on",
)
async def entry_twice_at_once(bench: Bench) -> None:
    player = await bench.game_as(HELSING)
    entry = await player.until(Kind.SHUFFLE)
    await player.line.say(Entries((entry.raw, entry.raw)))
    await player.go_on()
    await player.resign()


@case(
    "14.6",
    "An entry that differs from the one that is there only in its signature MUST be ignored",
    does="signs an entry once more, not deterministically, after it was taken",
    expects="the game goes on",
)
async def signed_twice(bench: Bench) -> None:
    player, entry = await play_to(bench, Kind.SHUFFLE)
    await player.send(entry.raw)
    while not player.is_ours:
        await player.listen()
    seed = bench.seeds[player.identity.public]
    signature = sign_with_chance(seed, player.identity.public, entry.head)
    inner = codec.encode(tuple(content(entry)))
    await player.send(codec.encode((inner, signature)))
    await player.go_on()
    await player.resign()


@case(
    "14.6",
    "Another OFFER of the same host MUST be refused, and accuses nobody",
    does="sends another OFFER in the middle of a game",
    expects="REFUSAL broken-chain",
    subjects=(GUEST,),
)
async def another_offer(bench: Bench) -> None:
    player = await bench.game()
    await player.until_our_turn(Kind.SHUFFLE)
    await player.send(sign_body(player, player.table.entries[0], name="Lucy"))
    await player.is_refused(Fault.BROKEN_CHAIN)


@case(
    "14.5",
    "Entries behind one that is refused MUST NOT be taken",
    does="sends a bad entry, and its honest one behind it in the same message",
    expects="REFUSAL broken-chain, and no entry",
)
async def good_behind_bad(bench: Bench) -> None:
    player, entry = await play_to(bench, Kind.SHARE)
    bad = sign(player, entry, previous=b"\x05" * 32)
    await player.line.say(Entries((bad, entry.raw)))
    message = await player.hear()
    if isinstance(message, Entries):
        raise FailedError(f"{describe(message)} came where a REFUSAL was due")
    player._kept.append(message)
    await player.is_refused(Fault.BROKEN_CHAIN)
