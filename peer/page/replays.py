"""Games that are over, for looking at: the list, and each of them step by step.

A game whose keys were both shown is told from three sides: what each of the players saw, and all
cards open.  Otherwise only what was public can be told.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final

from engine.board import BOTH
from engine.events import Event, RankingDrawn, RoundStarted
from engine.state import State
from peer.games import GAMES
from peer.narration import printable, result_sentence
from peer.page.hub import Json
from peer.page.scenes import event_json, open_scene_json, scene_json
from peer.store import GameRow, Status, Store
from protocol.entries import Act
from protocol.table import Table, Turn

ALL_OPEN: Final = 2
"""The third way to look at a game, after the two players'."""


def games_json(store: Store) -> list[Json]:
    """All games kept here, the newest first."""
    return [_row(row) for row in store.games()]


def _row(row: GameRow) -> Json:
    result = row.result
    return {
        "number": row.number,
        "created": row.created,
        "player": row.player,
        "opponent": printable(row.opponent or ""),
        "over": row.status is not Status.PLAYING,
        "entries": row.entries,
        "winner": result.winner if result else None,
        "text": result_sentence(result, row.player) if result else None,
    }


def replay_json(store: Store, number: int, seat: int) -> Json | None:
    """Every step of a game as `seat` saw it (0, 1, or `ALL_OPEN`); None while it is played.

    Checks the whole record on the way, which takes a second or two.
    """
    row = store.game(number)
    if row.status is Status.PLAYING:
        return None
    raws = tuple(store.entries(number))
    table = _checked(raws)
    is_open = table.turn is Turn.DONE
    frames = _open_frames(table, seat) if is_open else _public_frames(raws, seat)
    offer, accept = table.offer, table.accept
    assert offer is not None
    assert accept is not None
    names = [printable(player.name) for player in (offer, accept)]
    return {
        "number": number,
        "player": row.player,
        "seat": seat,
        "open": is_open,
        "names": names if table.player_of(0) == 0 else names[::-1],
        "result": result_sentence(table.result) if table.result else None,
        "head": table.head.hex(),
        "entries": len(table.entries),
        "frames": frames,
    }


@lru_cache(maxsize=1)
def _checked(raws: tuple[bytes, ...]) -> Table[State]:
    """The game of this record.  Whoever looks from one seat will look from another."""
    return Table.replay(raws, GAMES)


def _open_frames(table: Table[State], seat: int) -> list[Json]:
    """Play the game once more, with all cards open."""
    assert table.offer is not None
    actions = deque(entry.body.action for entry in table.entries if isinstance(entry.body, Act))
    ranking = next(e.ranking for e in table.game.log or () if isinstance(e, RankingDrawn))
    state = State.from_options(table.offer.options)
    state.log = []
    frames: list[Json] = []
    while True:
        request = state.pending
        match request.kind:
            case "order":
                state.ordered(ranking)
            case "shuffle":
                state.shuffled(table.all_faces(request.deck))
            case "choose" if actions:
                state.act(actions.popleft())
            case _:
                return frames
        if not state.log:
            continue
        frames.append(_frame(state, seat, state.log))
        state.log = []


def _public_frames(raws: Sequence[bytes], seat: int) -> list[Json]:
    """Go through the record once more, as a witness who sees no hidden card."""
    games: list[State] = []
    frames: list[Json] = []

    def watch(options: bytes, new: Callable[[bytes], State]) -> State:
        games.append(new(options))
        return games[-1]

    def entries() -> Iterator[bytes]:
        for raw in raws:
            yield raw  # and when the next is asked for, this one was taken
            for state in games:
                if state.log:
                    frames.append(_frame(state, seat, state.log))
                    state.log.clear()

    Table.replay(entries(), {name: partial(watch, new=new) for name, new in GAMES.items()})
    return frames


def _frame(state: State, seat: int, events: Sequence[Event]) -> Json:
    is_start = any(isinstance(event, RoundStarted) for event in events)
    if seat in BOTH:
        scene, reader = scene_json(state, seat), seat
    else:
        scene, reader = open_scene_json(state, 1), None
    told = [event_json(event, reader) for event in events]
    return {"scene": scene, "events": told, "start": state.round if is_start else None}
