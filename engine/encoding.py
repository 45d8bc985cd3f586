"""A state as bytes: what is public, in one canonical form, and a copy with all that it sees.

The layout is in spec/rules.md.  Decoding trusts nothing: it accepts the bytes of a position that
is consistent in itself, whether or not it can be reached, and refuses all else.
"""

from collections.abc import Container, Iterable
from struct import Struct
from typing import TYPE_CHECKING, Final, TypeVar

from engine.actions import DRAWN
from engine.board import (
    DISCARDS_TO_END,
    DISTRICTS,
    DRACULA,
    HANDICAPS,
    INHABITANTS,
    NONE,
    PILE,
    PLACES,
    ROUNDS,
    TOP,
)
from engine.cards import COLOURS, DECK, RANKINGS, UNKNOWN
from engine.disclosures import wanted
from engine.errors import MalformedStateError
from engine.phases import (
    DEAL_DRACULA,
    DEAL_HELSING,
    DISCARDED,
    DISCARDING,
    DRAWING,
    EFFECT,
    ORDER,
    OVER,
    SHOWDOWN_HELSING,
    SHOWING,
    SHUFFLE,
    TURN,
    Phase,
)
from engine.scoring import hidden_handles
from engine.views import options

if TYPE_CHECKING:
    from engine.state import State

S = TypeVar("S", bound="State")

FORMAT: Final = 1
_PUBLIC: Final = Struct(f">7B{len(COLOURS)}s{DISTRICTS}s{PLACES}s2BHB{DECK}s{DECK - PILE}s")
PUBLIC_SIZE: Final = _PUBLIC.size
"""85 bytes."""
SIZE: Final = PUBLIC_SIZE + 1 + DECK
"""118 bytes."""

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
    for holds, rule in (
        (_has_every_card_once, "each card lies in one place, and the pile is what is left"),
        (_has_its_target, "a discard or an effect being shown has a target, nothing else has"),
        (_shows_what_is_public, "public is what lies open or was exchanged, each face once"),
        (_fits_its_phase, "the phase does not fit the position"),
        (_is_scored, "each district resolved costs a human or a health point"),
    ):
        if not holds(state):
            raise MalformedStateError(rule)
    state.actions = options(state)
    if state.phase is EFFECT and len(state.actions) < 2:
        raise MalformedStateError("an effect without a choice asks nothing")
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
        (player, (0, 1), "player"),
        (caller, (_ABSENT, 1 - player), "caller"),
        (_unpad(ranking), ((), *RANKINGS), "ranking"),
        (max(vampires), range(INHABITANTS + 1), "number of vampires"),
        (top, range(PILE, DECK + 1), "top of the pile"),
        (face_up, range(1 << TOP + 1), "mask of face-up cards"),
        (target, (_ABSENT, *range(DRAWN + 1)), "target"),
    )
    for value, allowed, name in fields:
        if value not in allowed:
            raise MalformedStateError(f"{value} is no {name}")
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


def _has_every_card_once(state: "State") -> bool:
    moved = [*state.rack, *state.discards]
    if (state.hand != NONE) != (state.phase in (DRAWING, DISCARDING, DISCARDED)):
        return False
    if state.hand != NONE:
        moved.append(state.hand)
    return sorted(moved) == list(range(state.top))


def _has_its_target(state: "State") -> bool:
    if state.phase is DISCARDED:
        return state.target != NONE
    if state.phase not in (EFFECT, SHOWING):
        return state.target == NONE
    value = state.last_value if state.discards else 0
    if state.phase is EFFECT:
        return state.target == NONE and value in (1, 3, 4, 6, 7)
    if value == 2:
        return state.target == NONE and state.top < DECK
    return value in (1, 3, 6) and state.target in range(DISTRICTS)


def _shows_what_is_public(state: "State") -> bool:
    top = state.top if state.hand == NONE else state.hand
    face_up = [h for place, h in enumerate((*state.rack, top)) if state.face_up >> place & 1]
    must_be_public = {*state.discards, *face_up}
    if state.phase is SHOWING:
        must_be_public.difference_update(wanted(state)[0])
    public = {handle for handle in range(DECK) if state.public >> handle & 1}
    faces = [state.faces[handle] for handle in public]
    return (
        len(set(faces)) == len(faces)
        and must_be_public <= public
        and public <= {*state.rack, *must_be_public}
    )


def _fits_its_phase(state: "State") -> bool:
    phase = state.phase
    if (phase is ORDER) != (state.ranking == ()):
        return False
    if phase is ORDER or (phase is SHUFFLE and state.round == 0):
        return state.round == 0 and _is_untouched(state)
    if phase in (DEAL_HELSING, DEAL_DRACULA):
        return _is_untouched(state)
    if phase in (SHUFFLE, OVER):
        return all(state.public >> handle & 1 for handle in state.rack)
    if phase is TURN:
        enough = len(state.discards) >= DISCARDS_TO_END
        return enough and state.top < DECK and state.caller == NONE
    if phase in (DRAWING, DISCARDED):
        return not state.public >> state.hand & 1
    if phase is SHOWDOWN_HELSING and hidden_handles(state, DRACULA):
        return False
    return phase in (DISCARDING, EFFECT) or bool(wanted(state)[0])


def _is_untouched(state: "State") -> bool:
    return (
        state.top == PILE
        and state.rack == list(range(PLACES))
        and (state.player, state.caller) == (DRACULA, NONE)
        and not state.face_up
        and not state.public
    )


def _is_scored(state: "State") -> bool:
    resolved = sum(state.vampires) + state.start_hp - state.hp
    decided = state.hp == 0 or INHABITANTS in state.vampires
    before = DISTRICTS * state.round
    if state.phase is not OVER:
        return resolved == before and not decided
    last = before + DISTRICTS
    return before < resolved <= last and (decided or resolved == DISTRICTS * ROUNDS)


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
