"""A peer with its real keys that sends anything at all, at any moment of a real game.

An honest record is played once; the table of either side is kept as it was before each entry.
A run takes one of these up and sends it a few forged entries, each made from an honest one: other
fields, other bodies, other places, other bytes, signed with the real key of their author or not.
Honest play goes on in between, so that one deviation meets what follows from another.
"""

import copy
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Final

import pytest

from peer.games import GAMES
from protocol import codec
from protocol.codec import Value
from protocol.entries import BODIES, Entry, Kind, state_hash
from protocol.errors import (
    IncompatibleError,
    InvalidError,
    LocalProtocolError,
    LostEntriesError,
    RemoteProtocolError,
)
from protocol.identity import Identity
from protocol.table import Table, Turn
from protocol.transcript import Label, Transcript
from tests.fuzz.source import Source
from tests.peer import records
from tests.protocol import duel, helpers
from tests.protocol.helpers import IDENTITIES, STRANGER, AnyTable, is_signed

SIGNERS: Final = (*IDENTITIES, STRANGER, None)
PROVEN: Final = {Kind.ACCEPT, Kind.KEY, Kind.OPEN, Kind.SHUFFLE, Kind.SHARE, Kind.UNSEAL}
"""Kinds whose bodies nobody can make but by the protocol: no forged one may be taken."""


class Game:
    """An honest record, and both sides of it at every moment."""

    def __init__(self, raws: Sequence[bytes], games: Mapping[str, Any], ours: Any) -> None:
        self.raws: Final = list(raws)
        self.games: Final = games
        self.entries: Final = [Entry.decode(raw) for raw in raws]
        self._ours: Final = (ours(0), ours(1))

    @cached_property
    def _moments(self) -> list[tuple[AnyTable, AnyTable]]:
        """The tables of host and guest before each entry, and after the last."""
        tables = [Table(self.games, ours) for ours in self._ours]
        moments = [(self._twin(tables[0]), self._twin(tables[1]))]
        for count in range(1, len(self.raws) + 1):
            part = self.raws[count - 1 : count]
            for table in tables:
                table._take(Entry.decode(part[0]))
            moments.append((self._twin(tables[0]), self._twin(tables[1])))
        return moments

    def _twin(self, table: AnyTable) -> AnyTable:
        """A copy of a table that shares nothing with it but what never changes."""
        fixed = [*self._ours, *table.entries]
        return copy.deepcopy(table, {id(value): value for value in fixed})

    # --- one run -----------------------------------------------------------------------

    def run(self, source: Source) -> None:
        place = source.below(len(self.raws) + 1)
        at = self.entries[min(place, len(self.raws) - 1)]
        table = self._twin(self._moments[place][1 - at.author])
        for _ in range(4):
            if not self._deliver(table, self._forge(table, source)) or source.is_empty:
                return
            if not self._answer(table, source):
                return

    def _deliver(self, table: AnyTable, raw: bytes) -> bool:
        """Let the table receive `raw`; whether it can go on."""
        before = list(table.entries)
        try:
            entry = table.receive(raw)
        except RemoteProtocolError as error:
            self._check_refused(table, error, before)
            return False
        except LostEntriesError:
            assert Entry.decode(raw).author == table.side
            assert table.entries == before
            return False
        except IncompatibleError:
            assert not before
            return False
        if entry is None:
            assert table.entries == before
            assert any(Entry.decode(raw).head == kept.head for kept in before)
            return True
        assert entry.raw == raw
        assert table.entries == [*before, entry]
        assert entry.author == 1 - (table.side or 0)
        assert is_signed(raw)
        if entry.kind in PROVEN:
            assert any(self._says_the_same(entry, honest) for honest in self.entries)
        return True

    @staticmethod
    def _says_the_same(entry: Entry, honest: Entry) -> bool:
        """Whether what is proven in `entry` is what was said honestly, in the same place."""
        if (entry.kind, entry.author) != (honest.kind, honest.author):
            return False
        if entry.kind in (Kind.UNSEAL, Kind.OPEN):  # whatever came before, or was answered
            return entry.body == honest.body
        if entry.previous != honest.previous:
            return False
        one, other = entry.body.values(), honest.body.values()
        return one[2:] == other[2:] if entry.kind is Kind.ACCEPT else one == other

    def _check_refused(
        self, table: AnyTable, error: RemoteProtocolError, before: list[Entry]
    ) -> None:
        """The liar is blamed and nobody else, what was accepted stays, and the table is closed."""
        assert table.side is not None
        assert error.side == 1 - table.side, error
        assert all(map(is_signed, error.evidence))
        assert table.entries == before
        for misuse in (table.speak, table.resign, partial(table.receive, self.raws[0])):
            with pytest.raises(LocalProtocolError):
                misuse()

    def _answer(self, table: AnyTable, source: Source) -> bool:
        """Say whatever is ours to say."""
        before = list(table.entries)
        try:
            for _ in range(8):
                match table.turn:
                    case Turn.SPEAK:
                        table.speak()
                    case Turn.DECIDE:
                        table.act(source.pick(table.game.pending.actions))
                    case Turn.CONSIDER:
                        table.reply(bool(source.below(2)))
                    case _:
                        break
                before = list(table.entries)
        except RemoteProtocolError as error:  # our share shows that an action was illegal
            self._check_refused(table, error, before)
            return False
        return table.turn is Turn.WAIT

    # --- forging -----------------------------------------------------------------------

    def _forge(self, table: AnyTable, source: Source) -> bytes:
        fields: tuple[Value, ...]
        due = min(len(table.entries), len(self.raws) - 1)
        honest = self.entries[due if source.below(4) else source.below(len(self.raws))]
        match source.below(8):
            case 0:
                return honest.raw
            case 1:
                return source.changed(honest.raw)
            case 2:  # other bytes where the content is, signed
                fields = (*self._fields(honest), honest.state)
                return self._seal(source.changed(codec.encode(fields)), honest.author, source)
            case 3:  # other fields
                fields = (*self._placed(table, honest, source), honest.state)
                return self._seal(self._encode(source.like(fields)), honest.author, source)
            case 4:  # another kind, with whatever body
                kind = source.pick(list(Kind))
                body: Value = source.value() if source.below(2) else self._values(kind, source)
                place = (len(table.entries), honest.author, table.head)
                fields = (*place, kind, body, honest.state)
                return self._seal(self._encode(fields), honest.author, source)
            case _:  # what could come, but for one part of the body
                number, author, previous, kind, _ = self._placed(table, honest, source)
                values: Value = honest.body.values()
                if source.below(4):
                    values = source.like(values)
                state = self._state_after(table, author, kind, values, previous)
                fields = (number, author, previous, kind, values, state or honest.state)
                return self._seal(self._encode(fields), honest.author, source)

    @staticmethod
    def _fields(honest: Entry) -> tuple[Any, ...]:
        """All fields but the state."""
        place = (honest.number, honest.author, honest.previous)
        return (*place, honest.kind, honest.body.values())

    @classmethod
    def _placed(cls, table: AnyTable, honest: Entry, source: Source) -> tuple[Any, ...]:
        """The same, mostly in the place that is free now."""
        if source.below(4) and table.side is not None:
            place = (len(table.entries), 1 - table.side, table.head)
            return (*place, honest.kind, honest.body.values())
        return cls._fields(honest)

    def _values(self, kind: Kind, source: Source) -> Value:
        """An honest body of this kind."""
        known = [entry.body for entry in self.entries if entry.kind is kind]
        return (source.pick(known) if known else helpers.body_of(kind)).values()

    def _state_after(
        self, table: AnyTable, author: int, kind: Kind, values: Value, previous: bytes
    ) -> bytes | None:
        """What an honest program would put there as the state, if it could."""
        twin = self._twin(table)
        try:
            body = BODIES[kind].parse(values)
            twin._course.apply(author, body, previous, own=False)
            return state_hash(twin.game.public_bytes())
        except (InvalidError, IncompatibleError, LocalProtocolError, AssertionError):
            return None  # out of its turn, where a course asserts: the table would not ask it
        except (IndexError, KeyError, ValueError):
            return None

    @staticmethod
    def _encode(fields: Value) -> bytes:
        try:
            return codec.encode(fields)
        except (OverflowError, ValueError):  # a number or a text that has no encoding
            return b""

    @staticmethod
    def _seal(content: bytes, author: int, source: Source) -> bytes:
        signer: Identity | None = IDENTITIES[author]
        if not source.below(6):
            signer = source.pick(SIGNERS)
        digest = Transcript(Label.ENTRY).append(content).digest()
        return codec.encode((content, signer.sign(digest) if signer else source.blob(64)))


DUEL: Final = Game(helpers.record(), duel.GAMES, helpers.ours)
REAL: Final = Game(records.resigned_game(actions=12), GAMES, records.ours)
