"""Games that are over, as the page tells them."""

import json
from pathlib import Path

import pytest

from engine.board import BOTH
from engine.cards import DECK
from peer.games import GAMES
from peer.page.face import Face
from peer.page.gate import Gate
from peer.page.replays import ALL_OPEN, games_json, replay_json
from peer.store import Store
from protocol.script import HOST
from protocol.table import Table
from tests.page.helpers import served
from tests.peer.records import NAMES, keep, ours, resigned_game, whole_game
from tests.protocol.helpers import seed


def faces(scene: object) -> list[int]:
    text = json.dumps(scene)
    return [int(part.split(",")[0]) for part in text.split('"f": ')[1:]]


@pytest.mark.parametrize("seat", [*BOTH, ALL_OPEN])
def test_a_game_is_told_from_every_side(tmp_path: Path, seat: int) -> None:
    number = keep(tmp_path / "home", whole_game())
    with Store.open(tmp_path / "home") as store:
        told = replay_json(store, number, seat)
    assert told is not None
    table = Table.replay(whole_game(), GAMES)
    assert told["open"]
    assert told["entries"] == len(whole_game())
    assert sorted(told["names"]) == sorted(NAMES)
    events = [event for frame in told["frames"] for event in frame["events"]]
    assert len(events) == len(table.game.log or ())
    assert [event["k"] for event in events] == [type(e).__name__ for e in table.game.log or ()]
    last = told["frames"][-1]["scene"]
    assert last["hp"] == table.game.hp
    assert last["vampires"] == table.game.vampires
    rounds = [frame["start"] for frame in told["frames"] if frame["start"] is not None]
    assert rounds == list(range(table.game.round + 1))
    dealt = next(frame["scene"] for frame in told["frames"] if frame["start"] == 0)
    hidden = faces(dealt["racks"]).count(-1)
    assert hidden == (0 if seat == ALL_OPEN else 5)
    if seat == ALL_OPEN:
        dealt_faces = [card["f"] for rack in dealt["racks"] for card in rack]
        assert dealt_faces == table.all_faces(0)[:10]
        assert all(0 <= face < DECK for face in dealt_faces)
    else:
        assert all(card["f"] >= 0 for card in dealt["racks"][seat])


def test_without_the_keys_only_what_was_public_is_told(tmp_path: Path) -> None:
    number = keep(tmp_path / "home", resigned_game()[:-2])
    with Store.open(tmp_path / "home") as store:
        told = replay_json(store, number, ALL_OPEN)
    assert told is not None
    assert not told["open"]
    first = next(frame["scene"] for frame in told["frames"] if frame["start"] == 0)
    assert set(faces(first["racks"])) == {-1}


async def test_a_game_that_is_played_cannot_be_looked_into(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with Store.open(home) as store:
        number = store.new_game(side=HOST, seed=seed(0), line_seed=seed(0), created=0)
        table = Table.replay(whole_game()[:20], GAMES, ours(HOST))
        store.append(number, table.entries)
        assert replay_json(store, number, 0) is None
        assert games_json(store)[0]["over"] is False
    async with served(home) as site:
        cookie = await site.enter()
        for seat in (0, 1, 2):
            answer = await site.get(f"/games/{number}?seat={seat}", cookie=cookie)
            assert answer.status == 404


async def test_games_are_served_by_number(tmp_path: Path) -> None:
    number = keep(tmp_path / "home", whole_game())
    async with served(tmp_path / "home", plays=False) as site:
        cookie = await site.enter()
        (listed,) = (await site.get("/games.json", cookie=cookie)).json
        assert listed["number"] == number
        assert listed["over"]
        answer = await site.get(f"/games/{number}?seat=2", cookie=cookie)
        assert answer.status == 200
        assert answer.json["frames"]
        for path, status in (
            (f"/games/{number}", 400),
            (f"/games/{number}?seat=3", 400),
            (f"/games/{number + 1}?seat=0", 404),
            ("/games/x?seat=0", 404),
            ("/games/?seat=0", 404),
            ("/games/99999999999999?seat=0", 404),
        ):
            assert (await site.get(path, cookie=cookie)).status == status


def test_the_first_game_is_known_to_be_the_first(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with Store.open(home) as store:
        assert _is_first(Face(store, Gate(1), plays=True))
    keep(home, whole_game())
    with Store.open(home) as store:
        assert not _is_first(Face(store, Gate(1), plays=True))


def _is_first(face: Face) -> bool:
    with face.hub.tab() as tab:
        return bool(json.loads(tab.receive_nowait())["set"]["first"])
