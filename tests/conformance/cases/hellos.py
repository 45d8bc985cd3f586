"""Who is at the other end: the first message each way, and whose entries may come."""

import secrets
from collections.abc import Callable
from dataclasses import replace

from protocol.entries import Kind
from protocol.errors import Fault
from protocol.identity import Identity
from protocol.line import Hello, Message, Sync
from protocol.script import GUEST
from tests.conformance.bench import Bench
from tests.conformance.case import Case, add, case
from tests.conformance.forging import sign_body
from tests.conformance.line import Line

TURNED_AWAY = "the line is closed before SYNC; a REFUSAL or BYE 2 may come before"

WEAK = b"\x01" + bytes(31)
"""The neutral element of the curve: anybody can sign for it."""
WEAK_SIGNATURE = WEAK + bytes(32)
"""R is the neutral element and S zero: this holds for every message under `WEAK`."""

Forge = Callable[[Line, Identity], Message | bytes]


def _hello(name: str, title: str, does: str, forge: Forge, section: str = "13.4") -> None:
    async def run(bench: Bench) -> None:
        line = await bench.shaken()
        await line.say(forge(line, bench.identity()))
        await bench.is_turned_away(line)

    add(Case(name, section, title, does, TURNED_AWAY, run))


def _honest(line: Line, who: Identity) -> Hello:
    return Hello.sign(who, line.side, line.noise.handshake_hash)


_hello(
    "hello-of-another-key",
    "The signature of a HELLO MUST be the one of its identity",
    "names the identity of somebody else",
    lambda line, who: replace(_honest(line, who), identity=Identity(bytes(32)).public),
)
_hello(
    "hello-altered",
    "The signature of a HELLO MUST hold",
    "alters one bit of the signature",
    lambda line, who: replace(_honest(line, who), signature=bytes(64)),
)
_hello(
    "hello-of-our-side",
    "A HELLO MUST be signed for the other side",
    "signs its HELLO for the side of the peer under test",
    lambda line, who: Hello.sign(who, 1 - line.side, line.noise.handshake_hash),
)
_hello(
    "hello-of-another-line",
    "A HELLO MUST be signed for this very line",
    "signs its HELLO for another handshake",
    lambda line, who: Hello.sign(who, line.side, secrets.token_bytes(32)),
)
_hello(
    "hello-of-another-version",
    "A HELLO of another protocol MUST be refused",
    "says that it speaks whitby/2",
    lambda line, who: replace(_honest(line, who), protocol="whitby/2"),
)
_hello(
    "hello-of-a-weak-key",
    "An identity of small order MUST be refused: anybody can sign for it",
    "names the neutral element as its identity, with a signature that holds for everything",
    lambda line, who: replace(_honest(line, who), identity=WEAK, signature=WEAK_SIGNATURE),
    section="12.4",
)
_hello(
    "no-hello",
    "The first message MUST be a HELLO",
    "begins with SYNC",
    lambda line, who: Sync(None, 0, bytes(32)),
)
_hello(
    "hello-malformed",
    "A HELLO MUST have its three fields",
    "sends a HELLO with no signature",
    lambda line, who: b"\x93\x00\xa8whitby/1\xc4\x20" + who.public,
)


@case(
    "13.4",
    "A side MUST refuse its own HELLO, played back",
    does="answers with the HELLO of the peer under test",
    expects=TURNED_AWAY,
)
async def hello_played_back(bench: Bench) -> None:
    line = await bench.shaken()
    async with bench.in_time("no HELLO came"):
        await line.say(await line.hear())
    await bench.is_turned_away(line)


@case(
    "13.4",
    "The identity of the HELLO MUST be the one of OFFER or ACCEPT",
    does="names another identity in its OFFER or ACCEPT, and signs as that",
    expects="REFUSAL unexpected",
)
async def another_author(bench: Bench) -> None:
    player = await bench.game()
    entry = await player.until(Kind.OFFER, Kind.ACCEPT)
    player.identity = bench.identity()
    await player.send(sign_body(player, entry, identity=player.identity.public))
    await player.is_refused(Fault.UNEXPECTED, after=entry.number)


@case(
    "14.5",
    "An OFFER or ACCEPT MUST NOT name the identity of whoever receives it",
    does="names the identity of the peer under test in its OFFER or ACCEPT",
    expects="REFUSAL reflection or bad-signature",
)
async def their_own_identity(bench: Bench) -> None:
    player = await bench.game()
    entry = await player.until(Kind.OFFER, Kind.ACCEPT)
    await player.send(sign_body(player, entry, identity=player.line.other))
    await player.is_refused(Fault.REFLECTION, Fault.BAD_SIGNATURE, after=entry.number)


@case(
    "13.4",
    "A game that is under way MUST go on with the same identity only",
    does="breaks the line off, and is somebody else when the guest comes back",
    expects="REFUSAL unexpected or BYE 2, and no entry",
    subjects=(GUEST,),
)
async def another_host_in_a_running_game(bench: Bench) -> None:
    player = await bench.game()
    await player.until_our_turn(Kind.SHUFFLE)
    await player.line.cut()
    line = await bench.introduced(bench.identity())
    await line.say(Sync(player.table.game_id, len(player.table.entries), player.table.head))
    await bench.is_turned_away(line, may_sync=True)
