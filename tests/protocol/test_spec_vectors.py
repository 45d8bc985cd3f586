"""The vectors of the specification hold against this code, and can be made again."""

import json
import re
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from peer.invitation import Address, Invitation, InvitationError
from peer.link import line_key
from protocol import codec, coin, line
from protocol.claim import Claim
from protocol.course import Ours, Terms
from protocol.deck import MaskedCard, card_points, face_of, unmask
from protocol.entries import BODIES, Entry, Kind
from protocol.errors import Fault, IncompatibleError, InvalidError, RemoteProtocolError
from protocol.group import Element, Scalar, hash_to_group
from protocol.identity import Identity, check_signature
from protocol.keys import KeyShare, SecretKey, joint_key, verify_key_share
from protocol.noise import XXPSK3, HandshakeState
from protocol.record import write_record
from protocol.sampling import uniform_below
from protocol.script import GUEST, HOST
from protocol.shuffle import shuffle_deck, verify_shuffle
from protocol.sigma import prove_equality, verify_equality
from protocol.table import Table, Turn
from protocol.transcript import PROLOGUE, Context, Transcript, number
from tests.protocol.duel import GAMES
from tests.tools.make_vectors import FOLDER, MAKERS, render
from tests.tools.vectors.chance import Chance, context_of, value_json, value_of

Json = Any
VECTORS: Final[dict[str, Json]] = {
    name: json.loads((FOLDER / name).read_text(encoding="utf-8")) for name in MAKERS
}
SPEC: Final = (FOLDER.parent / "protocol.md").read_text(encoding="utf-8")


def vectors(name: str, *path: str) -> Json:
    found = VECTORS[f"{name}.json"]
    for key in path:
        found = found[key]
    return found


def unhex(data: Json) -> bytes:
    return bytes.fromhex(data)


def fixed(data: bytes, size: int) -> bytes:
    """A generator that gives what a vector says."""
    assert size == len(data)
    return data


def elements(parts: Json) -> list[Element]:
    return [Element.decode(unhex(part)) for part in parts]


def scalars(parts: Json) -> list[Scalar]:
    return [Scalar.decode(unhex(part)) for part in parts]


def refused(case: Json, check: Callable[..., object], *values: object) -> None:
    with pytest.raises(InvalidError) as caught:
        check(*values)
    assert caught.value.fault.value == case["fault"], case["comment"]


# --- the files ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAKERS)
def test_vectors_can_be_made_again_byte_for_byte(name: str) -> None:
    assert (FOLDER / name).read_bytes() == render(name).encode()


def test_every_vector_says_what_it_is_and_which_section_it_is_about() -> None:
    sections = set(re.findall(r"^#{2,3} ([0-9]+(?:\.[0-9]+)?)\.? ", SPEC, re.MULTILINE))
    for name, file in VECTORS.items():
        assert file["about"], name
        assert file["section"] in sections, name
    assert {case["section"] for case in vectors("negative", "cases")} <= sections


def test_the_folder_holds_nothing_else_and_its_table_names_everything() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {*MAKERS, "README.md"}
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in table for name in MAKERS)


def test_every_fault_has_a_vector_and_a_line_in_the_specification() -> None:
    shown = set(re.findall(r'"fault": "([a-z-]+)"', json.dumps(VECTORS)))
    assert shown == {fault.value for fault in Fault}
    assert all(f"`{fault.value}`" in SPEC for fault in Fault)


# --- the layers, from below -----------------------------------------------------------------


def test_group() -> None:
    group = vectors("group")
    for case in group["multiples"]:
        element = Element.base(Scalar.of(int(case["scalar"])))
        assert element.encode().hex() == case["element"]
    joint = Element.decode(unhex(group["joint_key"]))
    for case in group["products"]:
        scalar = Scalar.decode(unhex(case["scalar"]))
        assert Element.base(scalar).encode().hex() == case["times_generator"]
        assert (joint * scalar).encode().hex() == case["times_joint_key"]
    for data in group["good_scalars"]:
        assert Scalar.decode(unhex(data)).encode().hex() == data
    for case in group["bad_scalars"]:
        refused(case, Scalar.decode, unhex(case["bytes"]))
    for case in group["scalars_from_uniform_bytes"]:
        assert Scalar.from_uniform(unhex(case["bytes"])).encode().hex() == case["scalar"]
    for case in group["elements_from_uniform_bytes"]:
        assert Element.from_uniform(unhex(case["bytes"])).encode().hex() == case["element"]


@pytest.mark.parametrize(
    "case",
    [vectors("group", "identity_refused"), *vectors("group", "bad_elements")],
    ids=lambda case: case["comment"],
)
def test_bad_elements(case: Json) -> None:
    data, allowed = unhex(case["bytes"]), case["identity_allowed"]
    refused(case, partial(Element.decode, allow_identity=allowed), data)


@pytest.mark.parametrize("name", ["cards", "generators"])
def test_hash_to_group(name: str) -> None:
    group = vectors("hash_to_group", name)
    dst = group["dst"].encode()
    for index, data in enumerate(group["elements"]):
        assert hash_to_group(number(index), dst).encode().hex() == data


def test_transcripts() -> None:
    for case in vectors("transcript", "transcripts"):
        transcript = Transcript(case["label"]).append(*map(unhex, case["parts"]))
        assert transcript.digest().hex() == case["digest"]
        assert transcript.scalar().encode().hex() == case["scalar"]
        assert transcript.stream()(200).hex() == case["stream"]
    for case in vectors("transcript", "contexts"):
        assert (
            context_of(case["context"]).transcript(case["label"]).digest().hex() == case["digest"]
        )


def test_codec() -> None:
    limit = vectors("codec", "limit")
    for case in vectors("codec", "good"):
        assert codec.encode(value_of(case["value"])).hex() == case["bytes"]
        assert value_json(codec.decode(unhex(case["bytes"]), limit=limit)) == case["value"]
    for case in vectors("codec", "bad"):
        refused(case, partial(codec.decode, limit=limit), unhex(case["bytes"]))


def test_key_share() -> None:
    case = vectors("key_share")
    context = context_of(case["context"])
    key = SecretKey.derive(unhex(case["seed"]))
    share = key.share(context, lambda _: unhex(case["rng"]))
    assert key.reveal().hex() == case["secret"]
    assert share.encode().hex() == case["key_share"]

    def check(data: bytes, where: Context) -> None:
        verify_key_share(KeyShare.decode(data), where)

    check(unhex(case["key_share"]), context)
    for bad in case["bad"]:
        refused(bad, check, unhex(bad["key_share"]), context_of(bad["context"]))
    for good in case["joint_keys"]:
        joint = joint_key(*elements([good["host"], good["guest"]]))
        assert joint.encode().hex() == good["joint"]
    for bad in case["bad_joint_keys"]:
        refused(bad, joint_key, *elements([bad["host"], bad["guest"]]))


def test_shuffle() -> None:
    case = vectors("shuffle")
    before = [MaskedCard.decode(unhex(card)) for card in case["before"]]
    joint, context = Element.decode(unhex(case["joint_key"])), context_of(case["context"])
    drawn = map(unhex, case["rng"])
    after, proof = shuffle_deck(before, joint, context, lambda _: next(drawn))
    assert [card.encode().hex() for card in after] == case["after"]
    assert proof.hex() == case["proof"]
    assert not list(drawn)
    verify_shuffle(before, after.cards, proof, joint, context)

    def check(cards: Json, claim: str, where: Json = case["context"]) -> None:
        claimed = [MaskedCard.decode(unhex(card)) for card in cards]
        verify_shuffle(before, claimed, unhex(claim), joint, context_of(where))

    for bad in case["bad"]:
        refused(bad, check, bad["after"], bad["proof"])
    for bad in case["bad_contexts"]:
        refused(bad, check, case["after"], case["proof"], bad["context"])


def test_shares() -> None:
    file = vectors("shares")
    deck = [MaskedCard.decode(unhex(card)) for card in vectors("shuffle", "after")]
    secret, context = Scalar.decode(unhex(file["secret"])), context_of(file["context"])
    public = Element.base(secret)
    assert public.encode().hex() == file["public"]
    for case in file["shares"]:
        bases = [deck[handle].a for handle in case["handles"]]
        images = [base * secret for base in bases]
        assert images == elements(case["shares"])
        rng = partial(fixed, unhex(case["rng"]))
        proof = prove_equality(secret, public, bases, images, context, rng)
        assert proof.hex() == case["proof"]
        verify_equality(proof, public, bases, images, context)
        for handle, face, *both in zip(
            case["handles"], case["faces"], images, elements(case["guest_shares"]), strict=True
        ):
            assert face_of(unmask(deck[handle], both), len(deck)) == face
            assert unmask(deck[handle], both) == card_points(len(deck))[face]
        for bad in case["bad"]:
            where, wrong = context_of(bad["context"]), elements(bad["shares"])
            refused(bad, verify_equality, unhex(bad["proof"]), public, bases, wrong, where)


def test_coin() -> None:
    for case in vectors("coin", "tosses"):
        context = context_of(case["context"])
        seeds = unhex(case["opening"]), unhex(case["answer"])
        assert coin.commit(seeds[0], context).hex() == case["commitment"]
        coin.check_opening(unhex(case["commitment"]), seeds[0], context)
        assert coin.uniform_bit(seeds, context) == case["bit"]
        for size in (2, 4, 32):
            assert list(coin.uniform_order(seeds, size, context)) == case[f"order_of_{size}"]
    for bad in vectors("coin", "bad_openings"):
        commitment, opening = unhex(bad["commitment"]), unhex(bad["opening"])
        refused(bad, coin.check_opening, commitment, opening, context_of(bad["context"]))
    for case in vectors("coin", "below"):
        data = unhex(case["bytes"])
        draws = BytesIO(data)
        assert uniform_below(case["bound"], draws.read) == case["chosen"]
        assert draws.tell() == case["used"]


# --- entries and the line -------------------------------------------------------------------


def test_entries() -> None:
    cases = vectors("entries", "entries")
    assert [case["kind"] for case in cases] == [kind.name for kind in Kind]
    for case in cases:
        entry = Entry.decode(unhex(case["raw"]))
        body = BODIES[entry.kind].parse(tuple(map(value_of, case["body"].values())))
        made = Entry.sign(
            case["number"],
            case["author"],
            unhex(case["previous"]),
            body,
            unhex(case["state"]),
            Identity(unhex(case["identity_seed"])),
        )
        assert made == entry
        assert entry.head.hex() == case["head"]
        assert Transcript("entry").append(unhex(case["content"])).digest() == entry.head
        check_signature(unhex(case["identity"]), entry.head, unhex(case["signature"]))


def test_claims() -> None:
    game = vectors("game", "games")[0]
    identities = [unhex(side["identity"]) for side in game["sides"]]

    def read(raw: str) -> Claim:
        claim = Claim.decode(unhex(raw))
        claim.check_signature(identities[claim.side])
        return claim

    for bad in vectors("claim", "bad"):
        refused(bad, read, bad["raw"])
    for case in vectors("claim", "claims"):
        claim = read(case["raw"])
        assert claim.encode().hex() == case["raw"]
        assert claim.game_id.hex() == game["game_id"]
        assert [claim.ground, claim.seconds, claim.made] == [
            case[name] for name in ("ground", "seconds", "made")
        ]
        assert claim.head.hex() == game["entries"][claim.count - 1]["head"]
        assert Transcript("claim").append(unhex(case["content"])).digest().hex() == case["digest"]


def test_invitations() -> None:
    file = vectors("handshake", "invitations")
    for case in file["good"]:
        addresses = tuple(Address(*address) for address in case["addresses"])
        invitation = Invitation(unhex(case["secret"]), unhex(case["fingerprint"]), addresses)
        assert invitation.to_text() == case["text"]
        assert Invitation.parse(case["text"]) == invitation
        assert invitation.psk.hex() == case["psk"]
        assert invitation.matches(unhex(case["host_static_key"]))
    for text in file["other_spellings"]:
        assert Invitation.parse(text).to_text() == file["good"][0]["text"]
    for case in file["bad"]:
        with pytest.raises(InvitationError):
            Invitation.parse(case["text"])


def hands(file: Json, side: int, psk: str | None = None) -> HandshakeState:
    """One side of the handshake in handshake.json."""
    own = file[("host", "guest")[side]]
    return HandshakeState(
        XXPSK3,
        initiator=side == GUEST,
        static=X25519PrivateKey.from_private_bytes(unhex(own["static_key"])),
        psk=unhex(psk or file["psk"]),
        prologue=PROLOGUE,
        rng=partial(fixed, unhex(own["ephemeral_key"])),
    )


def test_handshake() -> None:
    file = vectors("handshake", "handshake")
    for name in ("host", "guest"):
        assert (
            line_key(unhex(file[name]["seed"])).private_bytes_raw().hex()
            == (file[name]["static_key"])
        )
    states = [hands(file, side) for side in (HOST, GUEST)]
    for writer, message in zip((GUEST, HOST, GUEST), file["messages"], strict=True):
        assert states[writer].write_message().hex() == message
        assert states[1 - writer].read_message(unhex(message)) == b""
    assert states[HOST].handshake_hash.hex() == file["handshake_hash"]
    lines = [state.split() for state in states]
    for case in file["sealed"]:
        frame, side = unhex(case["frame"]), case["side"]
        assert int.from_bytes(frame[:2], "big") == len(frame) - 2
        assert lines[side].encrypt(unhex(case["message"])) == frame[2:]
        message = line.decode(lines[1 - side].decrypt(frame[2:]))
        if isinstance(message, line.Hello):
            message.check(side, unhex(file["handshake_hash"]))
            assert message.identity.hex() == file[("host", "guest")[side]]["identity"]


def test_a_hello_of_another_version_is_nobodys_fault() -> None:
    hello = line.decode(unhex(vectors("handshake", "incompatible_hello")))
    assert isinstance(hello, line.Hello)
    with pytest.raises(IncompatibleError):
        hello.check(HOST, unhex(vectors("handshake", "handshake", "handshake_hash")))


def test_bad_handshakes() -> None:
    file = vectors("handshake", "handshake")
    for case in vectors("handshake", "bad_handshakes"):
        state = hands(file, case["reader"])
        for number_, message in enumerate(file["messages"][: case["message"] - 1]):
            if (number_ % 2 == 0) is (case["reader"] == GUEST):
                assert state.write_message().hex() == message
            else:
                state.read_message(unhex(message))
        refused(case, state.read_message, unhex(case["bytes"]))


def test_messages() -> None:
    kinds = set()
    for case in vectors("handshake", "messages"):
        message = line.decode(unhex(case["bytes"]))
        kinds.add(message.kind)
        assert message.kind.name == case["kind"]
        assert message.encode().hex() == case["bytes"]
        assert codec.encode(value_of(case["value"])).hex() == case["bytes"]
    assert kinds == set(line.Kind)
    for case in vectors("handshake", "bad_messages"):
        refused(case, line.decode, unhex(case["bytes"]))


# --- whole games ----------------------------------------------------------------------------

GIVEN: Final[dict[str, Json]] = {
    game["name"]: {**game, "entries": [entry["raw"] for entry in game["entries"]]}
    for game in vectors("game", "games")
} | {game["name"]: game for game in vectors("negative", "games")}


def ours(game: Json, side: int) -> Ours:
    """What one side of a game in game.json knows and draws."""
    given = game["sides"][side]
    clock = tuple(game["clock"]) if game["clock"] else None
    terms = Terms(
        game["game"],
        unhex(game["options"]),
        seat=game["seat"],
        clock=clock,
        started=game["started"],
    )
    return Ours(
        Identity(unhex(given["identity_seed"])),
        unhex(given["seed"]),
        Chance(given["rng"]),
        given["name"],
        terms if side == HOST else None,
    )


@pytest.mark.parametrize("game", vectors("game", "games"), ids=lambda game: game["name"])
def test_games(game: Json) -> None:
    tables = [Table[Any](GAMES, ours(game, side)) for side in (HOST, GUEST)]
    for case in game["entries"]:
        table, kind = tables[case["author"]], Kind[case["kind"]]
        read = Entry.decode(unhex(case["raw"]))
        match kind:
            case Kind.ACT:
                entry = table.act(read.body.values()[0])
            case Kind.RESIGN:
                entry = table.resign()
            case Kind.PROPOSE:
                entry = table.propose()
            case Kind.REPLY:
                entry = table.reply(bool(read.body.values()[0]))
            case _:
                entry = table.speak()
        assert entry.raw.hex() == case["raw"]
        assert entry.head.hex() == case["head"]
        assert tables[1 - case["author"]].receive(entry.raw) == entry
        assert table.game.public_bytes().decode() == case["state"]
    for side, table in enumerate(tables):
        assert table.turn is Turn.DONE
        assert table.result is not None
        assert (table.result.winner, table.result.resigned) == (game["winner"], game["resigned"])
        assert table.all_faces(0) == game["deck"]
        assert table.player == game["sides"][side]["player"]
        assert [[step, list(faces)] for step, faces in table.game.seen] == game["sides"][side][
            "saw"
        ]
        assert table.game_id.hex() == game["game_id"]
    record = write_record(map(unhex, GIVEN[game["name"]]["entries"]))
    assert len(record) == game["record_size"]
    assert record[:32].hex() == game["record_starts"]


def reader(case: Json) -> Table[Any]:
    """The table that a case of negative.json is given to."""
    given = GIVEN[case["game"]]
    raws = map(unhex, given["entries"][: case["place"]])
    return Table.replay(raws, GAMES, ours(given, case["reader"]))


@pytest.mark.parametrize(
    "case",
    vectors("negative", "cases"),
    ids=lambda case: f"{case['fault']}: {case['comment']}",
)
def test_what_must_be_refused(case: Json) -> None:
    table = reader(case)
    *good, bad = map(unhex, case["given"])
    for raw in good:
        assert table.receive(raw) is not None
    with pytest.raises(RemoteProtocolError) as caught:
        table.receive(bad)
    assert caught.value.fault.value == case["fault"]
    assert caught.value.side == case["blamed"]


def test_what_is_harmless() -> None:
    for case in vectors("negative", "harmless"):
        table = reader(case)
        head = table.head
        assert all(table.receive(unhex(raw)) is None for raw in case["given"])
        assert table.head == head


def test_offers_that_nobody_is_blamed_for() -> None:
    for case in vectors("negative", "incompatible"):
        with pytest.raises(IncompatibleError):
            Table.replay([], GAMES, ours(vectors("game", "games")[0], GUEST)).receive(
                unhex(case["offer"])
            )
