"""Whole games at two tables and a witness's: what each knows, says, and comes back to."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.course import Result
from protocol.entries import NO_ENTRY
from protocol.errors import LocalProtocolError
from protocol.game import UNKNOWN
from protocol.script import GUEST, HOST
from protocol.table import Table, Turn
from tests.protocol.duel import GAMES, HAND, SIZE
from tests.protocol.helpers import (
    IDENTITIES,
    SEATS,
    STRANGER,
    AnyTable,
    entries,
    ours,
    pair,
    places,
    play_one,
    play_out,
    raws,
    record,
    table_at,
)
from tests.protocol.scripted import NAME, SCRIPTED, Scripted

LAST = len(record(0))


# --- whole games ------------------------------------------------------------------------------


def kinds(host_player: int, leader: int, *, coin: bool) -> list[tuple[str, int]]:
    """A whole duel, entry by entry: its kind, and the player who writes it."""
    host, guest = host_player, 1 - host_player
    play = [("ACT", leader), ("SHARE", leader), ("ACT", 1 - leader), ("SHARE", 1 - leader)]
    return [
        *[("OFFER", host), ("ACCEPT", guest), ("KEY", host)],
        *([("COMMIT", host), ("ANSWER", guest), ("OPEN", host)] if coin else []),
        *[("COMMIT", 1), ("ANSWER", 0), ("OPEN", 1)],
        *[("SHUFFLE", 0), ("SHUFFLE", 1)],
        *[("SHARE", 1), ("SHARE", 0)],  # for player 0's cards, then for player 1's
        *play,
    ]


@pytest.mark.parametrize("salt", ["", "a", "b", "c"])
@pytest.mark.parametrize("seat", SEATS)
def test_every_entry_is_of_the_kind_and_side_that_the_scripts_say(
    seat: int | None, salt: str
) -> None:
    host, guest = pair(seat=seat, salt=salt)
    steps = []
    while host.step is not None:
        assert {host.turn, guest.turn} in ({Turn.WAIT, Turn.SPEAK}, {Turn.WAIT, Turn.DECIDE})
        entry = play_one((host, guest))
        steps.append((entry.kind.name, entry.author))
    assert host.result is not None
    leader, winner = host.game.leader, host.result.winner
    assert winner is not None
    players = kinds(host.player, leader, coin=seat is None)
    players += [("UNSEAL", winner), ("UNSEAL", 1 - winner)]
    assert steps == [(kind, host.player_of(player)) for kind, player in players]
    assert seat in (None, host.player)
    assert (host.turn, guest.turn) == (Turn.DONE, Turn.DONE)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(SEATS), st.text("abc", max_size=4), st.lists(st.integers(0, HAND - 1)))
def test_all_tables_agree_and_each_knows_just_what_it_was_shown(
    seat: int | None, salt: str, picks: list[int]
) -> None:
    tables: list[AnyTable] = list(pair(seat=seat, salt=salt))
    chosen = iter(picks)
    play_out(tables, lambda actions: actions[next(chosen, 0) % len(actions)])
    witness = Table.replay(raws(tables[HOST]), GAMES)
    assert witness.turn is Turn.DONE
    for table in (*tables, witness):
        assert table.head == witness.head
        assert table.result == witness.result
        assert table.identities == (IDENTITIES[HOST].public, IDENTITIES[GUEST].public)
        assert table.game.public_bytes() == witness.game.public_bytes()
        assert table.player_of(HOST) == witness.player_of(HOST)

    faces = witness.all_faces(0)
    assert sorted(faces) == list(range(SIZE))
    assert tables[HOST].all_faces(0) == tables[GUEST].all_faces(0) == faces
    for table in (*tables, witness):
        own = range(0)
        if table.side is not None:
            own = range(table.player * HAND, table.player * HAND + HAND)
        seen = [*own, *table.game.played]
        assert table.game.faces == [faces[i] if i in seen else UNKNOWN for i in range(SIZE)]


def test_other_chance_deals_other_cards() -> None:
    dealt = {tuple(Table.replay(record(0, salt), GAMES).all_faces(0)) for salt in "abcdefgh"}
    assert len(dealt) == 8


def requests() -> st.SearchStrategy[bytes]:
    """Options of a `Scripted` game over several decks, with cards shown again and again."""
    players = st.sampled_from("01")
    to = st.sampled_from(["0", "1", "01"])
    sizes = st.integers(1, 5)
    shows = st.builds(
        lambda deck, handles, to: ("show", deck, handles, to),
        st.integers(0, 2),
        st.lists(st.integers(0, 4), min_size=1, max_size=4, unique=True),
        to,
    )
    shuffles = st.builds(lambda size, player: ("shuffle", size, player), sizes, players)
    others = st.one_of(
        st.builds("order {} {}".format, sizes, players),
        st.builds("choose {} {}".format, players, sizes),
    )

    def spelled(parts: list[Any]) -> bytes:
        sizes: list[int] = []
        lines = []
        for part in parts:
            match part:
                case ("shuffle", size, player):
                    sizes.append(size)
                    lines.append(f"shuffle {size} {player}")
                case ("show", deck, handles, shown_to) if sizes:
                    deck %= len(sizes)
                    fitting = [str(handle) for handle in handles if handle < sizes[deck]] or ["0"]
                    lines.append(f"show {deck} {','.join(fitting)} {shown_to}")
                case str():
                    lines.append(part)
        return "\n".join(lines).encode()

    return st.lists(st.one_of(shuffles, shows, shows, others), max_size=12).map(spelled)


@settings(max_examples=40, deadline=None)
@given(requests(), st.sampled_from(SEATS))
def test_any_list_of_requests_is_served(options: bytes, seat: int | None) -> None:
    tables: list[AnyTable] = list(pair(SCRIPTED, game=NAME, options=options, seat=seat, salt="s"))
    played = play_out(tables, lambda actions: actions[-1])
    witness = Table.replay(played, SCRIPTED)
    decks = Scripted(options).decks
    faces = [witness.all_faces(deck) for deck in range(decks)]
    assert all(sorted(deck) == list(range(len(deck))) for deck in faces)
    shown = [request for request in Scripted(options).requests if request.kind == "disclose"]
    for table in (*tables, witness):
        assert table.result == Result(0, "the end")
        assert table.game.public == witness.game.public
        who = {table.player} if table.side is not None else {0, 1}
        assert table.game.seen == [
            (
                request.deck,
                request.handles,
                tuple(
                    faces[request.deck][handle] if who <= set(request.to) else UNKNOWN
                    for handle in request.handles
                ),
            )
            for request in shown
        ]


# --- coming back ------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [HOST, GUEST])
@pytest.mark.parametrize("place", range(len(record(None)) + 1))
def test_a_table_rebuilt_from_any_prefix_goes_on(place: int, side: int) -> None:
    tables = [table_at(place, HOST, None), table_at(place, GUEST, None)]
    before = table_at(place, side, None)
    assert before.head == (entries(None)[place - 1].head if place else NO_ENTRY)
    assert raws(before) == list(record(None)[:place])
    tables[side] = before
    played = play_out(tables)
    assert len(played) == len(record(None))
    assert Table.replay(played, GAMES).turn is Turn.DONE
    faces = before.all_faces(0)
    own = range(before.player * HAND, before.player * HAND + HAND)
    assert all(before.game.faces[i] == faces[i] for i in own)


def test_a_table_rebuilt_after_its_commitment_opens_it() -> None:
    for place in places("OPEN", seat=None):
        author = entries(None)[place].author
        assert table_at(place, author, None).speak().raw == record(None)[place]


@pytest.mark.parametrize("side", [HOST, GUEST])
def test_a_rebuilt_table_knows_its_own_cards(side: int) -> None:
    place = places("ACT")[0]
    live: AnyTable = pair()[side]
    for entry in entries()[:place]:
        if entry.author == side:
            live.speak()
        else:
            live.receive(entry.raw)
    again = table_at(place, side)
    assert UNKNOWN not in again.game.faces[again.player * HAND : again.player * HAND + HAND]
    assert again.game.faces == live.game.faces
    assert again.game.pending == live.game.pending


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lambda: ours(GUEST, salt="other"), id="another seed"),
        pytest.param(lambda: ours(GUEST, identity=STRANGER), id="another identity"),
    ],
)
def test_a_record_is_not_taken_up_with_somebody_elses_secrets(other: Callable[[], Any]) -> None:
    # Otherwise the next card can't be seen, and the peer would be blamed for it.
    with pytest.raises(LocalProtocolError):
        Table.replay(record()[:9], GAMES, other())
