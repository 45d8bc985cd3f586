"""A state as bytes: what is public, in one canonical form, and a copy with all that it sees.

The layout is in spec/rules.md.  Decoding trusts nothing: it accepts the bytes of a position that
is consistent in itself, whether or not play can lead to it, and refuses all else.
"""

from collections.abc import Container, Iterable
from struct import Struct
from typing import TYPE_CHECKING, Final, TypeVar

from engine.actions import DRAWN
from engine.board import BOTH, DISTRICTS, HANDICAPS, INHABITANTS, NONE, PILE, PLACES, ROUNDS, TOP
from engine.cards import COLOURS, DECK, RANKINGS, UNKNOWN
from engine.consistency import check_consistent
from engine.disclosures import wanted
from engine.errors import MalformedStateError
from engine.phases import Phase
from engine.views import options

if TYPE_CHECKING:
    from engine.state import State

S = TypeVar("S", bound="State")

FORMAT: Final = 1
_PUBLIC: Final = Struct(f">7B{len(COLOURS)}s{DISTRICTS}s{PLACES}s2BHB{DECK}s{DECK - PILE}s")
PUBLIC_SIZE: Final = _PUBLIC.size
"""85 bytes."""

SIZE: Final = PUBLIC_SIZE + 1 + DECK
"""118 bytes: the public state, whether the copy is open, and the faces it sees."""


_ABSENT: Final = 255
"""How `NONE` and `UNKNOWN` are written."""


def encode_public(state: "State") -> bytes:
    """Everything public, in `PUBLIC_SIZE` bytes."""
    return _PUBLIC.pack(
        FORMAT,
        state.start_hp,
        state.hp,
        state.round,
        state.phase,
        state.player,
        state.caller & _ABSENT,
        _pad(state.ranking, len(COLOURS)),
        bytes(state.vampires),
        bytes(state.rack),
        state.hand & _ABSENT,
        state.top,
        state.face_up,
        state.target & _ABSENT,
        _pad([state.public_face(handle) for handle in range(DECK)], DECK),
        _pad(state.discards, DECK - PILE),
    )


def decode_public(cls: type[S], data: bytes) -> S:
    """The closed copy of one who sees only what is public.

    Raises `MalformedStateError` if `data` is not the encoding of a consistent position.
    """
    state = _read(cls, data)
    check_consistent(state)
    state.actions = options(state)
    return state


def encode(state: "State") -> bytes:
    """A copy with all the faces it sees, in `SIZE` bytes."""
    return encode_public(state) + bytes((state.open,)) + _pad(state.faces, DECK)


def decode(cls: type[S], data: bytes) -> S:
    """The copy that `encode` wrote.

    Raises `MalformedStateError` if `data` is not the encoding of a consistent copy.
    """
    if len(data) != SIZE:
        raise MalformedStateError(f"a copy takes {SIZE} bytes, not {len(data)}")
    state = decode_public(cls, data[:PUBLIC_SIZE])
    faces = _faces(data[PUBLIC_SIZE + 1 :])
    seen = [face for face in faces if face != UNKNOWN]
    if len(set(seen)) != len(seen):
        raise MalformedStateError("a face is there twice")
    if any(face not in (UNKNOWN, faces[handle]) for handle, face in enumerate(state.faces)):
        raise MalformedStateError("this copy does not see a public face")
    match data[PUBLIC_SIZE]:
        case 0:
            state.open = False
        case 1 if UNKNOWN not in faces and not wanted(state)[0]:
            state.open = True
        case _:
            raise MalformedStateError("an open copy sees every card and waits for none")
    state.faces = faces
    state.actions = options(state)
    return state


def _read(cls: type[S], data: bytes) -> S:
    """The fields, each within its range."""
    if len(data) != PUBLIC_SIZE:
        raise MalformedStateError(f"a public state takes {PUBLIC_SIZE} bytes, not {len(data)}")
    (
        version,
        start_hp,
        hp,
        number,
        phase,
        player,
        caller,
        ranking,
        vampires,
        rack,
        hand,
        top,
        face_up,
        target,
        faces,
        discards,
    ) = _PUBLIC.unpack(data)
    fields: tuple[tuple[object, Container[object], str], ...] = (
        (version, (FORMAT,), "format"),
        (start_hp, HANDICAPS, "health at the start"),
        (hp, range(start_hp + 1), "health"),
        (number, range(ROUNDS), "round"),
        (phase, range(len(Phase)), "phase"),
        (player, BOTH, "player"),
        (caller, (_ABSENT, 1 - player), "caller"),
        (_unpad(ranking), ((), *RANKINGS), "ranking"),
        (max(vampires), range(INHABITANTS + 1), "number of vampires"),
        (top, range(PILE, DECK + 1), "top of the pile"),
        (face_up, range(1 << TOP + 1), "mask of face-up cards"),
        (target, (_ABSENT, *range(DRAWN + 1)), "target"),
    )
    for value, allowed, name in fields:
        if value not in allowed:
            raise MalformedStateError(f"the {name} cannot be {value}")
    state = cls(start_hp)
    state.hp = hp
    state.round = number
    state.phase = Phase(phase)
    state.player = player
    state.caller = _or_none(caller)
    state.ranking = _unpad(ranking)
    state.vampires = list(vampires)
    state.rack = list(rack)
    state.hand = _or_none(hand)
    state.top = top
    state.face_up = face_up
    state.target = _or_none(target)
    state.faces = _faces(faces)
    state.public = sum(1 << handle for handle in range(DECK) if faces[handle] != _ABSENT)
    state.discards = list(_unpad(discards))
    return state


def _pad(numbers: Iterable[int], size: int) -> bytes:
    return bytes(number & _ABSENT for number in numbers).ljust(size, bytes((_ABSENT,)))


def _or_none(byte: int) -> int:
    return NONE if byte == _ABSENT else byte


def _unpad(field: bytes) -> tuple[int, ...]:
    """The numbers of a field without its padding."""
    return tuple(field.rstrip(bytes((_ABSENT,))))


def _faces(field: bytes) -> tuple[int, ...]:
    faces = tuple(UNKNOWN if byte == _ABSENT else byte for byte in field)
    if any(face >= DECK for face in faces):
        raise MalformedStateError(f"a face is a number below {DECK}, or {_ABSENT} if unknown")
    return faces
