"""Two tables with fixed chance, whole games between them, and somebody who cheats.

Nothing here is random: the same names give the same bytes in every run.  An honest record is
played once and kept; a test then takes up the game at any entry of it, on any side.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import count
from typing import Any, Final

import pytest

from protocol import codec
from protocol.codec import Value
from protocol.course import Ours, Terms
from protocol.deck import CARD_SIZE, MaskedCard
from protocol.entries import (
    Accept,
    Body,
    Entry,
    Kind,
    Propose,
    Reply,
    Resign,
    Shuffle,
    game_id,
)
from protocol.errors import Fault, InvalidError, LocalProtocolError, RemoteProtocolError
from protocol.group import Element, Rng
from protocol.identity import Identity
from protocol.keys import SecretKey
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn
from protocol.transcript import Context, Label, Transcript
from tests.protocol.duel import GAME, GAMES

AnyTable = Table[Any]
Choice = Callable[[Sequence[int]], int]

IDENTITY_SEEDS: Final = (b"\x11" * 32, b"\x22" * 32)
IDENTITIES: Final = (Identity(IDENTITY_SEEDS[HOST]), Identity(IDENTITY_SEEDS[GUEST]))
STRANGER: Final = Identity(b"\x33" * 32)
SEATS: Final = (0, 1, None)


def chance(name: str) -> Rng:
    """Bytes that look random, the same ones for the same name."""
    calls = count()
    return lambda size: hashlib.shake_256(f"{name} {next(calls)}".encode()).digest(size)


def seed(side: int, salt: str = "") -> bytes:
    """The secret seed of `side` in the game of this salt."""
    return hashlib.sha256(f"seed {side} {salt}".encode()).digest()


def ours(
    side: int,
    *,
    seat: int | None = 0,
    game: str = GAME,
    options: bytes = b"",
    salt: str = "",
    identity: Identity | None = None,
) -> Ours:
    """What makes a table the host's or the guest's.  Another `salt` makes another game."""
    return Ours(
        identity or IDENTITIES[side],
        seed(side, salt),
        chance(f"{side} {salt}"),
        ("Mina", "Abraham")[side],
        Terms(game, options, seat, 1_700_000_000) if side == HOST else None,
    )


def pair(games: Mapping[str, Any] = GAMES, **terms: Any) -> tuple[AnyTable, AnyTable]:
    """A host's and a guest's table, before the offer."""
    return Table(games, ours(HOST, **terms)), Table(games, ours(GUEST, **terms))


# --- playing --------------------------------------------------------------------------------


def first(actions: Sequence[int]) -> int:
    return actions[0]


def write_next(table: AnyTable, choose: Choice = first) -> Entry:
    """The entry that is due, from the table whose turn it is."""
    if table.turn is Turn.DECIDE:
        return table.act(choose(table.game.pending.actions))
    return table.speak()


def play_one(tables: Sequence[AnyTable], choose: Choice = first) -> Entry:
    """One entry: the one side writes it, the other receives it."""
    step = tables[HOST].step
    assert step is not None
    assert step == tables[GUEST].step
    entry = write_next(tables[step.side], choose)
    received = tables[1 - step.side].receive(entry.raw)
    assert received == entry
    assert (entry.author, entry.kind) in (step, (step.side, entry.kind))
    return entry


def play_out(tables: Sequence[AnyTable], choose: Choice = first) -> list[bytes]:
    """Play until the record is complete; returns the whole record."""
    while tables[HOST].step is not None:
        play_one(tables, choose)
    return raws(tables[HOST])


def raws(table: AnyTable) -> list[bytes]:
    return [entry.raw for entry in table.entries]


# --- one honest game, and any place in it ----------------------------------------------------


@cache
def record(seat: int | None = 0, salt: str = "") -> tuple[bytes, ...]:
    """The record of an honest duel in which everybody plays the first card they may."""
    return tuple(play_out(pair(seat=seat, salt=salt)))


@cache
def entries(seat: int | None = 0, salt: str = "") -> tuple[Entry, ...]:
    return tuple(map(Entry.decode, record(seat, salt)))


def places(*names: str, seat: int | None = 0) -> list[int]:
    """Where in that record entries of these kinds are; everywhere if none is named."""
    return [e.number for e in entries(seat) if not names or e.kind.name in names]


def table_at(place: int, side: int, seat: int | None = 0, salt: str = "") -> AnyTable:
    """The table of `side` when the entry at `place` of the honest record is due."""
    return Table.replay(record(seat, salt)[:place], GAMES, ours(side, seat=seat, salt=salt))


def reader_at(place: int, seat: int | None = 0, salt: str = "") -> AnyTable:
    """The table of whoever receives the entry at `place`."""
    return table_at(place, 1 - entries(seat, salt)[place].author, seat, salt)


# --- cheating: the real keys of a side, and nothing to stop it -------------------------------


def sign(entry: Entry, signer: Identity | None = None, **changes: Any) -> bytes:
    """The bytes of `entry` with some of its fields changed, signed anew and properly."""
    fields = {name: getattr(entry, name) for name in ("number", "author", "previous", "body")}
    fields |= {"state": entry.state} | changes
    return Entry.sign(**fields, identity=signer or IDENTITIES[fields["author"]]).raw


def sign_content(content: Value, signer: Identity) -> bytes:
    """An entry with any content whatsoever, and a signature that is right for it."""
    inner = codec.encode(content)
    return codec.encode((inner, signer.sign(Transcript(Label.ENTRY).append(inner).digest())))


def content(entry: Entry) -> list[Value]:
    """The six fields that are signed, to be changed and given to `sign_content`."""
    return [
        entry.number,
        entry.author,
        entry.previous,
        entry.kind,
        entry.body.values(),
        entry.state,
    ]


def body_of(kind: Kind) -> Body:
    """A well-formed body of any kind: the honest record's first, where it has one."""
    others: dict[Kind, Body] = {
        Kind.RESIGN: Resign(),
        Kind.PROPOSE: Propose(),
        Kind.REPLY: Reply(0),
    }
    return others.get(kind) or entries()[places(kind.name)[0]].body


def changed_body(body: Body, **changes: Any) -> Body:
    """`body` with some of its fields changed."""
    return replace(body, **changes)  # type: ignore[type-var]


def secret(side: int, salt: str = "") -> SecretKey:
    """The secret key of `side` in the game of this salt."""
    return SecretKey.derive(seed(side, salt))


def joint(salt: str = "") -> Element:
    return secret(HOST, salt).public + secret(GUEST, salt).public


def context_at(place: int, deck: int = -1, seat: int | None = 0, salt: str = "") -> Context:
    """What a proof in the entry at `place` of the honest record has to be bound to."""
    game = entries(seat, salt)
    accept = game[1].body
    assert isinstance(accept, Accept)
    name = game_id(game[0].head, accept.identity, accept.nonce)
    both = IDENTITIES[HOST].public, IDENTITIES[GUEST].public
    return Context(name, both, game[place].author, deck, game[place].previous)


def cards_in(entry: Entry) -> list[MaskedCard]:
    """The deck that a SHUFFLE carries."""
    assert isinstance(entry.body, Shuffle)
    cards = entry.body.cards
    return [MaskedCard.decode(cards[i : i + CARD_SIZE]) for i in range(0, len(cards), CARD_SIZE)]


def refuse(
    table: AnyTable,
    raw: bytes,
    fault: Fault,
    *,
    evidence: Sequence[bytes] | None = None,
    blamed: int | None = None,
) -> RemoteProtocolError:
    """Receive `raw` and see it refused as it should be, and everything that follows from that.

    Unless told otherwise the peer is blamed, and the evidence is the very entry.
    """
    assert table.side is not None
    before = raws(table)
    error = refuse_any(table, raw)
    assert error.fault is fault, error
    assert error.side == (1 - table.side if blamed is None else blamed)
    assert error.evidence == tuple([raw] if evidence is None else evidence)
    for shown in error.evidence:
        assert is_signed(shown)
    assert raws(table) == before
    for misuse in (partial(table.receive, raw), table.speak, partial(table.act, 0), table.resign):
        with pytest.raises(LocalProtocolError):
            misuse()
    assert raws(table) == before
    assert_no_secret(f"{error!r} {error} {error.__cause__!r}")
    return error


def refuse_any(table: AnyTable, raw: bytes) -> RemoteProtocolError:
    """Receive `raw` and see it refused, whatever the reason."""
    with pytest.raises(RemoteProtocolError) as caught:
        table.receive(raw)
    return caught.value


def assert_no_secret(text: str, *others: bytes) -> None:
    """See that no secret of either side is in `text`, as bytes, hex or a number."""
    for side in (HOST, GUEST):
        for value in (seed(side), secret(side).reveal(), IDENTITY_SEEDS[side], *others):
            number = int.from_bytes(value, "little")
            for spelled in (repr(value)[2:-1], value.hex(), f"{number}", f"{number:x}"):
                assert spelled not in text


def is_signed(raw: bytes) -> bool:
    """Whether a third party, who knows the two identities only, sees who wrote this entry."""
    entry = Entry.decode(raw)
    try:
        entry.check_signature(IDENTITIES[entry.author].public)
    except InvalidError:
        return False
    return True


def go_on(table: AnyTable, place: int, seat: int | None = 0, salt: str = "") -> None:
    """What `table` has accepted is still good: a new one from it takes the honest entry."""
    assert table.side is not None
    again = Table.replay(raws(table), GAMES, ours(table.side, seat=seat, salt=salt))
    assert again.receive(record(seat, salt)[place]) is not None
