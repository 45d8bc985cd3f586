"""Commands about games that were played: list, verify, show, export.

They need no network, no secret and nobody's word: a record proves itself.
"""

import argparse
import errno
import json
import os
import secrets
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from rich.cells import cell_len

from engine.board import BOTH
from engine.events import Event, RoundStarted
from engine.state import State
from peer.errors import ExitCode, PeerError, StoreError
from peer.games import DRACULA_VS_VAN_HELSING, GAMES
from peer.home import open_home
from peer.narration import card_words, player_name, printable, result_sentence, sentence
from peer.speech import listed, mark, tr, trn
from peer.store import GameRow, Store
from protocol.claim import Claim, Ground
from protocol.course import Result
from protocol.entries import Kind, Share
from protocol.errors import Fault, IncompatibleError, InvalidError, RemoteProtocolError
from protocol.identity import fingerprint
from protocol.record import MAX_RECORD_BYTES, MAX_RECORD_CLAIMS, Record, read_record, write_record
from protocol.table import Table, Turn

_SIDES: Final = (mark("Host"), mark("Guest"))
_MAX_PATH: Final = 200
_TITLES: Final = {DRACULA_VS_VAN_HELSING: mark("Dracula vs. Van Helsing")}
_LABEL_CELLS: Final = 13


class RecordError(PeerError):
    """A record that doesn't hold, or isn't one."""

    exit_code = ExitCode.CHEATED


# --- games -----------------------------------------------------------------------------------


def games(options: argparse.Namespace) -> int:
    """List the games kept here."""
    with Store.open(open_home(options.home)) as store:
        rows = {row: len(store.claims(row.number)) for row in store.games()}
    if options.json:
        listed = [{**_row_as_json(row), "claims": claims} for row, claims in rows.items()]
        print(json.dumps(listed, indent=2))
    elif not rows:
        print(tr("No games yet. 'whitby play' starts one."))
    else:
        for row, claims in rows.items():
            print(_row_as_line(row) + ("  Claimed: see 'whitby verify'." if claims else ""))
    return ExitCode.DONE


def _row_as_line(row: GameRow) -> str:
    who = tr(
        "you as {player} against {name}.",
        player=player_name(row.player) if row.player is not None else "?",
        name=printable(row.opponent or "") or tr("somebody"),
    )
    how = result_sentence(row.result, row.player) if row.result else tr("Not finished.")
    return f"{row.number:>4}  {_moment(row.created)}  {who}  {how}"


def _row_as_json(row: GameRow) -> dict[str, Any]:
    return {
        "number": row.number,
        "id": row.game_id.hex() if row.game_id else None,
        "created": row.created,
        "status": row.status.value,
        "player": row.player,
        "opponent": row.opponent,
        "opponent_identity": row.opponent_identity.hex() if row.opponent_identity else None,
        "entries": row.entries,
        "result": _result_as_json(row.result),
    }


def _result_as_json(result: Result | None) -> dict[str, Any] | None:
    if result is None:
        return None
    return {"winner": result.winner, "reason": result.reason, "resigned": result.resigned}


# --- verify ----------------------------------------------------------------------------------


def verify(options: argparse.Namespace) -> int:
    """Check a record, from the first entry to the last, and say what it proves."""
    try:
        record = _read(options)
        table = _replay(record)
        claims = _check_claims(table, record)
    except RecordError as error:
        if options.json:
            print(json.dumps({"verified": False, "error": error.english}, indent=2))
            return error.exit_code
        raise
    if options.json:
        print(json.dumps(_table_as_json(table, claims), indent=2))
    else:
        print(summary(table, claims))
    return ExitCode.DONE if table.result else ExitCode.UNFINISHED


def summary(table: Table[State], claims: Sequence[Claim] = ()) -> str:
    """What a record proves, for a person to read."""
    counts = Counter(entry.kind for entry in table.entries)
    shares = sum(
        len(entry.body.shares) // 32 for entry in table.entries if isinstance(entry.body, Share)
    )
    proven = (
        trn("{n} shuffle", "{n} shuffles", counts[Kind.SHUFFLE]),
        trn("{n} decryption share", "{n} decryption shares", shares),
        trn("{n} coin", "{n} coins", counts[Kind.OPEN]),
    )
    entries = trn(
        "{n}, signed by its author",
        "{n}, each signed by its author and chained to the last",
        len(table.entries),
    )
    lines = [
        *_people(table),
        (tr("Entries"), entries),
        (tr("Proven"), listed([*proven])),
        (tr("Result"), _outcome(table)),
        (tr("Keys"), _keys(table)),
        *((tr("Claim"), _claim_sentence(table, claim)) for claim in claims),
        (tr("Head"), table.head.hex()),
    ]
    return "\n".join([*map(_row, lines), tr("VERIFIED") if table.result else tr("VERIFIED SO FAR")])


def _row(line: tuple[str, str]) -> str:
    """A label and what it says, in two columns: of cells, for Chinese characters take two."""
    label, text = line
    return f"{label}{' ' * max(1, _LABEL_CELLS - cell_len(label))}{text}"


def _people(table: Table[State]) -> list[tuple[str, str]]:
    if table.offer is None:
        return []
    when = _moment(table.offer.started)
    title = tr(_TITLES[table.offer.game])
    lines = [(tr("Game"), tr("{title}, {when} by the host's clock", title=title, when=when))]
    for side, player in enumerate((table.offer, table.accept)):
        if player is not None:
            seat = player_name(table.player_of(side)) if table.has_seats else tr(_SIDES[side])
            name = printable(player.name) or tr("(no name)")
            lines.append((seat, f"{name}, {fingerprint(player.identity)}"))
    return lines


def _moment(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):  # after the year 9999; a host may say anything
        return tr("{n} seconds after 1970", n=seconds)


def _outcome(table: Table[State]) -> str:
    if table.result is not None:
        return result_sentence(table.result)
    if table.step is None or not table.entries:
        return tr("none: the record is empty")
    return tr("none yet: the record ends where {step} is due", step=table.step)


def _claim_sentence(table: Table[State], claim: Claim) -> str:
    player, other = (player_name(table.player_of(side)) for side in (claim.side, 1 - claim.side))
    return tr(_CLAIMS[claim.ground], player=player, other=other, seconds=claim.seconds)


_CLAIMS: Final = {
    Ground.TIME: mark(
        "{player} says that {other} has thought for {seconds} seconds, more than was agreed, and "
        "claims the game. Nobody can prove that."
    ),
    Ground.ABSENCE: mark(
        "{player} says that {other} has been away for {seconds} seconds, and claims the game. "
        "Nobody can prove that."
    ),
}


def _keys(table: Table[State]) -> str:
    shown = sum(entry.kind is Kind.UNSEAL for entry in table.entries)
    if table.turn is Turn.DONE:
        return tr("both shown: every card that was ever hidden can be seen")
    if table.result is None:
        return tr("not shown before the game is over")
    if shown:
        return tr("shown by one of the two: what was hidden stays so")
    return tr("shown by neither of the two: what was hidden stays so")


def _table_as_json(table: Table[State], claims: Sequence[Claim]) -> dict[str, Any]:
    return {
        "verified": True,
        "finished": table.result is not None,
        "id": table.game_id.hex() if table.accept else None,
        "started": table.offer.started if table.offer else None,
        "sides": [
            {
                "name": player.name,
                "identity": player.identity.hex(),
                "player": table.player_of(side) if table.has_seats else None,
            }
            for side, player in enumerate((table.offer, table.accept))
            if player is not None
        ],
        "entries": len(table.entries),
        "head": table.head.hex(),
        "result": _result_as_json(table.result),
        "keys_shown": table.turn is Turn.DONE,
        "claims": [
            {
                "player": table.player_of(claim.side),
                "ground": claim.ground.name.lower(),
                "seconds": claim.seconds,
                "made": claim.made,
            }
            for claim in claims
        ],
    }


# --- show ------------------------------------------------------------------------------------


def show(options: argparse.Namespace) -> int:
    """Tell the moves of a game, and who held what if the keys were shown."""
    table = _replay(_read(options))
    print("\n".join(map(_row, _people(table))))
    print()
    events = table.game.log if table.offer else None
    for event in events or ():
        for line in _told(table, event):
            print(line)
    print(f"\n{_outcome(table)}")
    return ExitCode.DONE if table.result else ExitCode.UNFINISHED


def _told(table: Table[State], event: Event) -> list[str]:
    lines = [sentence(event)]
    if isinstance(event, RoundStarted):
        lines.insert(0, "")
        if table.turn is Turn.DONE:
            faces = table.all_faces(event.number)
            for player in BOTH:
                hand = listed([card_words(face) for face in faces[5 * player : 5 * player + 5]])
                dealt = tr("{player} was dealt {cards}.", player=player_name(player), cards=hand)
                lines.append(f"  {dealt}")
    return lines


# --- export ----------------------------------------------------------------------------------


def export(options: argparse.Namespace) -> int:
    """Write the record of a game to a file."""
    with Store.open(open_home(options.home)) as store:
        row = store.find(options.game)
        data = write_record(store.entries(row.number), _claims(store, row.number))
    if options.file == Path("-"):
        sys.stdout.buffer.write(data)
        return ExitCode.DONE
    path: Path = options.file or Path(f"whitby-game-{row.number}.whitby")
    try:
        _write_whole(path, data, overwrite=options.force)
    except FileExistsError:
        raise PeerError(
            "{path} is there already. Use --force to overwrite it.", path=_named(path)
        ) from None
    except OSError as error:
        raise PeerError(
            "{path} can't be written: {why}.", path=_named(path), why=error.strerror
        ) from None
    print(
        trn(
            "{path}: the record of game {game}, {n} byte",
            "{path}: the record of game {game}, {n} bytes",
            len(data),
            path=_named(path),
            game=row.number,
        )
    )
    return ExitCode.DONE


def _write_whole(path: Path, data: bytes, *, overwrite: bool) -> None:
    """Write a file that is there as a whole or not at all."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.exists() and not overwrite:
        raise FileExistsError(path)
    part = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _named(path: Path) -> str:
    return printable(str(path), _MAX_PATH)


# --- reading ---------------------------------------------------------------------------------


def _read(options: argparse.Namespace) -> Record:
    """The record of a game of the store, of a file, or of what comes on stdin."""
    if options.record == "-":
        return _parse(sys.stdin.buffer.read(MAX_RECORD_BYTES + 1))
    path = Path(options.record)
    try:
        if path.exists() and not path.is_dir():  # a pipe will do
            with path.open("rb") as file:
                return _parse(file.read(MAX_RECORD_BYTES + 1))
    except OSError as error:
        raise PeerError(
            "{path} can't be read: {why}.", path=_named(path), why=error.strerror
        ) from None
    with Store.open(open_home(options.home)) as store:
        try:
            number = store.find(options.record).number
            return Record(tuple(store.entries(number)), _claims(store, number))
        except StoreError as error:
            raise PeerError("{why} There is no such file either.", why=error) from None


def _claims(store: Store, number: int) -> tuple[bytes, ...]:
    """The newest claims of a game, as many as a file holds."""
    return tuple(store.claims(number)[-MAX_RECORD_CLAIMS:])


def _parse(data: bytes) -> Record:
    try:
        return read_record(data)
    except InvalidError as error:
        raise RecordError("This is no record of a game: {why}.", why=error.detail) from None
    except IncompatibleError as error:
        raise PeerError("This record can't be read here: {why}.", why=error) from None


def _replay(record: Record) -> Table[State]:
    """Check a record with the very code that plays.

    Raises:
        RecordError: it doesn't hold, with the place and the culprit in one sentence.
    """
    try:
        return Table.replay(record.entries, GAMES)
    except RemoteProtocolError as error:
        # What a side has not signed, or not for this place, anybody can have put there.
        is_proven = error.evidence and error.fault is not Fault.BROKEN_CHAIN
        message = _FAULT[error.side] if is_proven else _NOBODYS
        raise RecordError(message, detail=error.detail, fault=error.fault.value) from None
    except InvalidError as error:
        raise RecordError(_NOBODYS, detail=error.detail, fault=error.fault.value) from None
    except IncompatibleError as error:
        raise PeerError("This record can't be read here: {why}.", why=error) from None


_NOBODYS: Final = mark(
    "This record does not hold: {detail} ({fault}). It has been altered or damaged, and nobody can "
    "be named for that."
)
_FAULT: Final = (
    mark("This record does not hold: {detail} ({fault}). The fault is that of the host."),
    mark("This record does not hold: {detail} ({fault}). The fault is that of the guest."),
)


def _check_claims(table: Table[State], record: Record) -> list[Claim]:
    """The claims of a record, each by one of its two sides and about this very record.

    Raises:
        RecordError: one of them isn't.
    """
    claims = []
    for raw in record.claims:
        try:
            claim = Claim.decode(raw)
            if not table.has_seats or claim.game_id != table.game_id:
                raise RecordError("This record does not hold: a claim is about another game.")
            claim.check_signature(table.identities[claim.side])
        except InvalidError as error:
            raise RecordError(
                "This record does not hold: a claim is broken: {why}.", why=error
            ) from None
        claims.append(claim)
    return claims
