"""The vectors of what must be refused: honest records, and one wrong entry at the end of each."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from protocol import codec
from protocol.codec import Value
from protocol.entries import (
    MAX_ENTRIES,
    NO_ENTRY,
    Accept,
    Act,
    Answer,
    Entry,
    Key,
    Kind,
    Offer,
    Resign,
)
from protocol.errors import Fault
from protocol.group import ORDER, Scalar
from protocol.identity import Identity
from protocol.keys import SecretKey
from protocol.script import GUEST, HOST
from protocol.transcript import Context, Label, Transcript
from tests.protocol.duel import GAME, SIZE, Duel
from tests.tools.vectors.chance import Chance, Json, seed
from tests.tools.vectors.games import WHOLE, Setting, play

STRANGER: Final = Identity(seed("a stranger"))
_ORDER: Final = ORDER.to_bytes(32, "little")


@dataclass(frozen=True, slots=True)
class Case:
    """After `place` entries of a record, `given` come to `reader`; the last one is refused."""

    section: str
    comment: str
    place: int
    given: tuple[bytes, ...]
    fault: Fault
    reader: int
    blamed: int
    game: str = "duel"


@cache
def _honest(setting: Setting = WHOLE) -> tuple[Entry, ...]:
    tables = setting.tables()
    play(setting, tables)
    return tuple(tables[HOST].entries)


def _place(kind: Kind, turn: int = 0) -> int:
    return [entry.number for entry in _honest() if entry.kind is kind][turn]


def _signed(entry: Entry, signer: Identity | None = None, **changes: Any) -> bytes:
    """`entry` with some fields changed and a signature that is right for it."""
    fields = {name: getattr(entry, name) for name in ("number", "author", "previous", "body")}
    fields |= {"state": entry.state} | changes
    return Entry.sign(**fields, identity=signer or WHOLE.identity(fields["author"])).raw


def _signed_content(entry: Entry, content: bytes) -> bytes:
    """An entry with any content whatsoever and the right signature of its author."""
    digest = Transcript(Label.ENTRY).append(content).digest()
    return codec.encode((content, WHOLE.identity(entry.author).sign(digest)))


def _fields(entry: Entry) -> list[Value]:
    body = entry.body.values()
    return [entry.number, entry.author, entry.previous, int(entry.kind), body, entry.state]


def _case(section: str, comment: str, entry: Entry, raw: bytes, fault: Fault) -> Case:
    """An entry in place of an honest one, which its author is blamed for."""
    reader = 1 - entry.author
    return Case(section, comment, entry.number, (raw,), fault, reader, entry.author)


def _swap(section: str, comment: str, kind: Kind, fault: Fault, **changes: Any) -> Case:
    """The first entry of this kind with other values in its body."""
    entry = _honest()[_place(kind)]
    body = replace(entry.body, **changes)  # type: ignore[type-var]
    return _case(section, comment, entry, _signed(entry, body=body), fault)


def _malformed() -> Iterator[Case]:
    entry = _honest()[_place(Kind.COMMIT)]
    fields = _fields(entry)
    act = _honest()[_place(Kind.ACT)]

    def with_fields(changed: list[Value]) -> bytes:
        return _signed_content(entry, codec.encode(tuple(changed)))

    bad = (
        ("no array", codec.encode(7), Fault.MALFORMED),
        ("no bytes", b"", Fault.MALFORMED),
        ("bytes behind the entry", entry.raw + b"\0", Fault.MALFORMED),
        ("five fields", with_fields(fields[:5]), Fault.MALFORMED),
        ("side 2", with_fields([fields[0], 2, *fields[2:]]), Fault.MALFORMED),
        ("a body that is no array", with_fields([*fields[:4], None, fields[5]]), Fault.MALFORMED),
        ("a body with a field too many",
         with_fields([*fields[:4], (bytes(32), 0), fields[5]]), Fault.MALFORMED),
        ("a commitment of 31 bytes",
         with_fields([*fields[:4], (bytes(31),), fields[5]]), Fault.MALFORMED),
        ("a signature of 63 bytes",
         codec.encode((codec.encode(tuple(fields)), bytes(63))), Fault.MALFORMED),
        ("a float in the body",
         _signed_content(entry, codec.encode(tuple(fields[:4])).replace(b"\x94", b"\x96", 1)
                         + b"\x91\xca\0\0\0\0" + codec.encode(fields[5])), Fault.MALFORMED),
        ("nine arrays within each other",
         _signed_content(entry, b"\x91" * 8 + b"\x90"), Fault.TOO_LARGE),
        ("a kind that is unknown",
         with_fields([*fields[:3], 255, (), fields[5]]), Fault.UNEXPECTED),
        ("a number that no record has",
         with_fields([MAX_ENTRIES, *fields[1:]]), Fault.MALFORMED),
    )  # fmt: skip
    for comment, raw, fault in bad:
        yield _case("12.1", comment, entry, raw, fault)
    content = codec.encode(tuple(_fields(act)))
    long_number = content[:1] + b"\xcc" + content[1:]
    assert content[1] == act.number
    yield _case("12.1", "a number in a longer form", act, _signed_content(act, long_number),
                Fault.NON_CANONICAL)  # fmt: skip
    yield _case("12.1", "an outer length in a longer form", act,
                act.raw.replace(b"\xc4", b"\xc5\0", 1), Fault.NON_CANONICAL)  # fmt: skip
    yield _swap("12.2", "a deck of one card less", Kind.SHUFFLE, Fault.MALFORMED,
                cards=_body(Kind.SHUFFLE).cards[64:])  # fmt: skip
    yield _swap("12.2", "a share for one card less", Kind.SHARE, Fault.MALFORMED,
                shares=_body(Kind.SHARE).shares[32:])  # fmt: skip


def _body(kind: Kind) -> Any:
    return _honest()[_place(kind)].body


def _place_and_author() -> Iterator[Case]:
    honest = _honest()
    act, second = honest[_place(Kind.ACT)], honest[_place(Kind.ACT, 1)]
    writer, reader = act.author, 1 - act.author
    for comment, raw in (
        ("a number is left out", _signed(act, number=act.number + 1)),
        ("a hash of nothing before it", _signed(act, previous=NO_ENTRY)),
        ("a hash of another entry", _signed(act, previous=honest[0].head)),
    ):
        yield _case("14.5", comment, act, raw, Fault.BROKEN_CHAIN)
    yield _case("14.5", "a stranger's signature", act, _signed(act, STRANGER), Fault.BAD_SIGNATURE)
    yield _case("14.5", "a signature of something else", act,
                act.raw[:-64] + second.raw[-64:], Fault.BAD_SIGNATURE)  # fmt: skip
    yield _case("14.5", "another kind", act, _signed(act, body=Answer(bytes(32))),
                Fault.UNEXPECTED)  # fmt: skip
    yield Case("14.5", "not their turn", act.number,
               (_signed(act, author=reader, body=Resign()),),
               Fault.UNEXPECTED, writer, reader)  # fmt: skip
    key = honest[_place(Kind.KEY)]
    yield _case("14.2", "resigned before the seats are taken", key, _signed(key, body=Resign()),
                Fault.UNEXPECTED)  # fmt: skip
    last = honest[-1]
    more = _signed(last, number=last.number + 1, previous=last.head)
    yield Case("14.2", "more after the end", len(honest), (more,), Fault.UNEXPECTED,
               1 - last.author, last.author)  # fmt: skip
    yield _case("14.5", "another state", act, _signed(act, state=bytes(32)), Fault.STATE_MISMATCH)
    yield Case("14.6", "two entries for one place", act.number,
               (act.raw, _signed(act, body=Act(second.body.values()[0]))),  # type: ignore[arg-type]
               Fault.EQUIVOCATION, reader, writer)  # fmt: skip
    yield Case("14.5", "an entry of the reader's own", act.number, (honest[act.number - 1].raw,),
               Fault.REFLECTION, honest[act.number - 1].author,
               1 - honest[act.number - 1].author)  # fmt: skip
    accept = honest[_place(Kind.ACCEPT)]
    same = replace(accept.body, identity=WHOLE.identity(HOST).public)  # type: ignore[type-var]
    yield _case("14.5", "a guest with the host's identity", accept,
                _signed(accept, WHOLE.identity(HOST), body=same), Fault.REFLECTION)  # fmt: skip
    yield from _identities()


def _identities() -> Iterator[Case]:
    """Entries that bring a key of their own to check their signature with."""
    offer, accept = _honest()[0], _honest()[_place(Kind.ACCEPT)]

    def by(entry: Entry, public: bytes) -> Any:
        return replace(entry.body, identity=public)  # type: ignore[type-var]

    guest = WHOLE.identity(GUEST)
    yield _case("14.5", "an offer with the guest's identity", offer,
                _signed(offer, guest, body=by(offer, guest.public)), Fault.REFLECTION)  # fmt: skip
    for comment, public in (
        ("an identity of order 1, for which anybody can sign", b"\1" + bytes(31)),
        ("the same in another spelling", b"\1" + bytes(30) + b"\x80"),
        ("the same in a third", b"\xee" + b"\xff" * 30 + b"\x7f"),
    ):
        anybodys = _signed(accept, body=by(accept, public))[:-64] + b"\1" + bytes(63)
        yield _case("12.4", comment, accept, anybodys, Fault.BAD_SIGNATURE)
    for entry, known in ((offer, 1), (offer, 5), (accept, 5)):
        forged = _signed(entry, STRANGER, body=by(entry, STRANGER.public))
        yield Case("14.6", f"a stranger's {entry.kind.name} for a place that is taken", known,
                   (forged,), Fault.BAD_SIGNATURE, 1 - entry.author, entry.author)  # fmt: skip
    key = _honest()[_place(Kind.KEY)]
    yield Case("14.6", "an entry for the guest's place by the host", 3,
               (_signed(key, number=1, previous=accept.previous),), Fault.UNEXPECTED,
               GUEST, HOST)  # fmt: skip
    yield Case("14.6", "an entry of another game for a place that is taken", 5,
               (_signed(key, previous=seed("head of another game")),), Fault.BROKEN_CHAIN,
               GUEST, HOST)  # fmt: skip
    yield Case("14.6", "another offer", 5,
               (_signed(offer, body=replace(offer.body, nonce=bytes(32))),),  # type: ignore[type-var]
               Fault.BROKEN_CHAIN, GUEST, HOST)  # fmt: skip
    yield Case("14.6", "something else than the offer, before the guest is known", 1,
               (_signed(offer, STRANGER, author=GUEST, body=key.body),), Fault.UNEXPECTED,
               HOST, GUEST)  # fmt: skip


def _keys() -> Iterator[Case]:
    key = _honest()[_place(Kind.KEY)]
    identities = WHOLE.identity(HOST).public, WHOLE.identity(GUEST).public
    accept = _honest()[_place(Kind.ACCEPT)].body
    assert isinstance(accept, Accept)
    game_id = Transcript(Label.GAME)
    game_id.append(_honest()[0].head, identities[GUEST], accept.nonce)
    context = Context(game_id.digest(), identities, HOST, -1, key.previous)
    theirs = SecretKey.derive(WHOLE.game_seed(GUEST))
    for comment, scalar in (
        ("the guest's key share, with a good proof", theirs.scalar),
        ("the guest's key share negated, with a good proof", -theirs.scalar),
    ):
        share = SecretKey(scalar).share(context, Chance(comment)).encode()
        yield _case("7", comment, key, _signed(key, body=Key(share)), Fault.BAD_KEY_SHARE)
    own = _body(Kind.KEY).key_share
    for comment, share, fault in (
        ("the identity", bytes(32) + own[32:], Fault.BAD_ELEMENT),
        ("the identity with its top bit set", bytes(31) + b"\x80" + own[32:], Fault.BAD_ELEMENT),
        ("its top bit set", own[:31] + bytes([own[31] | 0x80]) + own[32:], Fault.BAD_ELEMENT),
        ("no element", b"\1" + bytes(31) + own[32:], Fault.BAD_ELEMENT),
        ("a response that is no scalar", own[:64] + _ORDER, Fault.BAD_SCALAR),
        ("the guest's key share as it was", accept.key_share, Fault.BAD_PROOF),
    ):
        yield _case("7", comment, key, _signed(key, body=Key(share)), fault)


def _proofs() -> Iterator[Case]:
    cards, proof = _body(Kind.SHUFFLE).cards, _body(Kind.SHUFFLE).proof
    for comment, changes, fault in (
        ("two cards exchanged", {"cards": cards[64:128] + cards[:64] + cards[128:]},
         Fault.BAD_PROOF),
        ("a card doubled", {"cards": cards[:64] + cards[:64] + cards[128:]}, Fault.BAD_PROOF),
        ("a card without a mask", {"cards": bytes(32) + cards[32:]}, Fault.BAD_ELEMENT),
        ("a card that is no element", {"cards": b"\xff" * 32 + cards[32:]}, Fault.BAD_ELEMENT),
        ("a proof with a part that is no scalar", {"proof": _ORDER + proof[32:]},
         Fault.BAD_SCALAR),
        ("a proof of another size", {"proof": proof[:-32]}, Fault.MALFORMED),
        ("a proof with a challenge of zero", {"proof": bytes(32) + proof[32:]}, Fault.BAD_PROOF),
    ):  # fmt: skip
        yield _swap("9", comment, Kind.SHUFFLE, fault, **changes)
    shares, equal = _body(Kind.SHARE).shares, _body(Kind.SHARE).proof
    for comment, changes, fault in (
        ("two shares exchanged", {"shares": shares[32:64] + shares[:32] + shares[64:]},
         Fault.BAD_PROOF),
        ("the identity as a share", {"shares": bytes(32) + shares[32:]}, Fault.BAD_ELEMENT),
        ("the proof of another entry", {"proof": _honest()[_place(Kind.SHARE, 1)].body.values()[1]},
         Fault.BAD_PROOF),
        ("a proof with a part that is no scalar", {"proof": equal[:32] + _ORDER},
         Fault.BAD_SCALAR),
    ):  # fmt: skip
        yield _swap("10", comment, Kind.SHARE, fault, **changes)
    yield _swap("11", "another opening", Kind.OPEN, Fault.BAD_OPENING, value=bytes(32))
    other = Scalar.of(7).encode()
    yield _swap("7.3", "another secret", Kind.UNSEAL, Fault.BAD_OPENING, secret=other)
    yield _swap("7.3", "zero as a secret", Kind.UNSEAL, Fault.BAD_OPENING, secret=bytes(32))
    yield _swap("7.3", "no scalar", Kind.UNSEAL, Fault.BAD_SCALAR, secret=_ORDER)


class _Lenient(Duel):
    """A duel as a cheater plays it: everybody may lead with anything."""

    @property
    def pending(self) -> Any:
        request = super().pending
        if request.kind == "choose":
            first = self.turn * 3
            request.actions = tuple(range(first, first + 3))
        return request

    def disclosed(self, faces: Any) -> None:
        if self.steps[0] == "show" and tuple(faces) == (SIZE - 1,):
            self.steps.pop(0)
            self.public.append(faces[0])
            return
        super().disclosed(faces)


@cache
def _cheated() -> tuple[Setting, tuple[Entry, ...], int]:
    """A game in which the host leads with card 8, and the place of the entry that shows it."""
    for number in range(1000):
        setting = Setting(f"duel with a forbidden lead {number}", seat=0)
        tables = setting.tables({GAME: _Lenient})
        step = tables[HOST].step
        while step is not None and step.kind is not Kind.ACT:
            play(setting, tables, stop=len(tables[HOST].entries) + 1)
            step = tables[HOST].step
        leader = tables[HOST]
        if step != (HOST, Kind.ACT) or SIZE - 1 not in leader.game.faces[:3]:
            continue
        act = leader.act(leader.game.faces.index(SIZE - 1))
        tables[GUEST].receive(act.raw)
        show = leader.speak()
        return setting, tuple(leader.entries), show.number
    raise AssertionError("no such deal")


def _actions() -> Iterator[Case]:
    act = _honest()[_place(Kind.ACT)]
    yield _case("14.5", "a card of the other side", act, _signed(act, body=Act(8)),
                Fault.ILLEGAL_ACTION)  # fmt: skip
    setting, entries, place = _cheated()
    yield Case("14.5", "a lead with card 8, which shows only when the card does", place,
               (entries[place].raw,), Fault.ILLEGAL_ACTION, GUEST, HOST, setting.name)  # fmt: skip


def _signed_again(entry: Entry) -> bytes:
    """The same content under another good signature, whose nonce is not that of RFC 8032."""
    seeds = WHOLE.identity_seed(entry.author), seed("another nonce")
    a, r = (_clamped(hashlib.sha512(secret).digest()) for secret in seeds)
    start, public = (Identity(secret).public for secret in reversed(seeds))
    k = int.from_bytes(hashlib.sha512(start + public + entry.head).digest(), "little")
    again = entry.raw[:-64] + start + ((r + k * a) % ORDER).to_bytes(32, "little")
    Entry.decode(again).check_signature(public)
    return again


def _clamped(digest: bytes) -> int:
    """The secret scalar of an identity (RFC 8032 section 5.1.5)."""
    return int.from_bytes(digest[:32], "little") % 2**254 // 8 * 8 + 2**254


def cases() -> list[Case]:
    made = (_malformed(), _place_and_author(), _keys(), _proofs(), _actions())
    return [case for group in made for case in group]


def _incompatible() -> Iterator[tuple[str, bytes]]:
    offer = _honest()[0]
    body = offer.body
    assert isinstance(body, Offer)
    for comment, changed in (
        ("another version", replace(body, protocol="whitby/2")),
        ("another game", replace(body, game="whist/1")),
        ("unknown options", replace(body, options=b"long")),
    ):
        yield comment, _signed(offer, body=changed)


def negative() -> Json:
    """negative.json"""
    setting, entries, place = _cheated()
    return {
        "about": (
            "What must be refused. Take the first 'place' entries of a record: that of this "
            "name in game.json, or in 'games' here. Then 'given' comes to side 'reader', one "
            "after the other: all but the last are taken, and the last is refused with 'fault', "
            "which side 'blamed' is to blame for. Bytes of lower layers that must be refused are "
            "in their own files: codec.json, group.json, handshake.json. 'incompatible' are "
            "offers that a guest declines, blaming nobody. 'harmless' must change nothing."
        ),
        "section": "15",
        "games": [
            {
                **setting.to_json(),
                "entries": [entry.raw.hex() for entry in entries[:place]],
            }
        ],
        "cases": [
            {
                "section": case.section,
                "comment": case.comment,
                "game": case.game,
                "place": case.place,
                "given": [raw.hex() for raw in case.given],
                "reader": case.reader,
                "fault": case.fault.value,
                "blamed": case.blamed,
            }
            for case in cases()
        ],
        "incompatible": [
            {"comment": comment, "offer": raw.hex()} for comment, raw in _incompatible()
        ],
        "harmless": [
            {
                "comment": "an entry of the other side that the reader has already",
                "game": "duel",
                "place": place,
                "given": [_honest()[place - 1].raw.hex()],
                "reader": 1 - _honest()[place - 1].author,
            }
            for place in (1, 10)
        ]
        + [
            {
                "comment": "the same content, signed a second time",
                "game": "duel",
                "place": 10,
                "given": [_signed_again(_honest()[9]).hex()],
                "reader": 1 - _honest()[9].author,
            }
        ],
    }
