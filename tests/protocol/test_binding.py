"""Proofs hold in one place only, and for one thing only: what a cheat with the real keys tries.

Whoever cheats here has the secrets of one side and signs properly.  What it sends would be right
somewhere else: in another game, for another side, deck, key or card, after another entry.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import pytest

from protocol import coin
from protocol.deck import MaskedCard, decryption_share, fresh_deck, remask
from protocol.entries import (
    Accept,
    Answer,
    Body,
    Commit,
    Entry,
    Key,
    Kind,
    Open,
    Share,
    Shuffle,
    state_hash,
)
from protocol.errors import Fault
from protocol.group import GENERATOR, SIZE, Element, Scalar, hash_to_group
from protocol.keys import SecretKey
from protocol.script import GUEST, HOST
from protocol.shuffle import shuffle_deck
from protocol.sigma import prove_equality, prove_knowledge
from protocol.table import Table
from protocol.transcript import Context
from tests.protocol import duel
from tests.protocol.duel import GAMES
from tests.protocol.helpers import (
    IDENTITIES,
    STRANGER,
    AnyTable,
    cards_in,
    chance,
    changed_body,
    context_at,
    entries,
    go_on,
    joint,
    ours,
    places,
    play_out,
    reader_at,
    record,
    refuse,
    refuse_any,
    secret,
    sign,
    table_at,
)

RNG = chance("cheat")
FIRST, SECOND = places("SHUFFLE")
PROVEN = places("ACCEPT", "KEY", "SHUFFLE", "SHARE")

ELSEWHERE: dict[str, Callable[[Context], Context]] = {
    "game id": lambda here: replace(here, game_id=bytes(32)),
    "host": lambda here: replace(here, identities=(STRANGER.public, here.identities[GUEST])),
    "guest": lambda here: replace(here, identities=(here.identities[HOST], STRANGER.public)),
    "swapped": lambda here: replace(here, identities=(here.identities[1], here.identities[0])),
    "side": lambda here: replace(here, side=1 - here.side),
    "deck": lambda here: replace(here, deck=here.deck + 1),
    "head": lambda here: replace(here, head=bytes(32)),
    "last head": lambda here: replace(here, head=entries()[-1].head),
}
"""Every context that differs in one thing from the one of an honest proof."""


def here(place: int) -> Context:
    return context_at(place, 0 if entries()[place].kind in (Kind.SHUFFLE, Kind.SHARE) else -1)


def before(place: int) -> Sequence[MaskedCard]:
    """The deck that the shuffle at `place` starts from."""
    return cards_in(entries()[FIRST]) if place == SECOND else fresh_deck(joint(), duel.SIZE)


DECK = cards_in(entries()[SECOND])


@cache
def owed(place: int) -> list[int]:
    """The handles of the honest shares at `place`."""
    body, key = entries()[place].body, secret(entries()[place].author)
    assert isinstance(body, Share)
    handles = {decryption_share(key, card).encode(): at for at, card in enumerate(DECK)}
    return [handles[body.shares[i : i + SIZE]] for i in range(0, len(body.shares), SIZE)]


def shares_of(
    cards: Sequence[MaskedCard], key: SecretKey, context: Context, images: Sequence[Element] = ()
) -> Share:
    """Shares of any cards, and a proof: the best there is, if `images` aren't the right ones."""
    images = images or [decryption_share(key, card) for card in cards]
    bases = [card.a for card in cards]
    proof = prove_equality(key.scalar, key.public, bases, images, context, RNG)
    return Share(b"".join(image.encode() for image in images), proof)


def shuffle_of(cards: Sequence[MaskedCard], key: Element, context: Context) -> Shuffle:
    deck, proof = shuffle_deck(cards, key, context, RNG)
    return Shuffle(b"".join(card.encode() for card in deck.cards), proof)


def prove(place: int, context: Context) -> Body:
    """An honest body for the entry at `place`, but for the context it is bound to."""
    entry = entries()[place]
    key = secret(entry.author)
    match entry.body:
        case Accept():
            return changed_body(entry.body, key_share=key.share(context, RNG).encode())
        case Key():
            return Key(key.share(context, RNG).encode())
        case Shuffle():
            return shuffle_of(before(place), joint(), context)
        case Share():
            return shares_of([DECK[handle] for handle in owed(place)], key, context)
    raise AssertionError(entry.kind)


def honest(place: int) -> Entry:
    return entries()[place]


def named(place: int) -> str:
    return f"{place}-{entries()[place].kind.name}"


# --- context ----------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PROVEN, ids=named)
def test_a_proof_made_here_holds_here(place: int) -> None:
    raw = sign(honest(place), body=prove(place, here(place)))
    assert reader_at(place).receive(raw) is not None


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
@pytest.mark.parametrize("place", PROVEN, ids=named)
def test_a_proof_made_elsewhere_does_not(place: int, elsewhere: str) -> None:
    body = prove(place, ELSEWHERE[elsewhere](here(place)))
    table = reader_at(place)
    refuse(table, sign(honest(place), body=body), Fault.BAD_PROOF)
    go_on(table, place)


def toss(context: Callable[[Context], Context]) -> tuple[AnyTable, bytes]:
    """The other side's table after a commitment bound to `context`, and the honest opening."""
    place = places("COMMIT")[0]
    committed, half = honest(place), b"\x07" * 32
    commitment = coin.commit(half, context(here(place)))
    table = reader_at(place)
    table.receive(sign(committed, body=Commit(commitment)))
    answer = table.speak()
    # What state the game has after the opening depends on the coin: ask an honest table.
    liar = table_at(place, committed.author)
    order = coin.uniform_order((half, answer.body.value), 2, here(place))  # type: ignore[attr-defined]
    liar.game.ordered(order)
    state = state_hash(liar.game.public_bytes())
    opening = Entry.sign(
        place + 2, committed.author, answer.head, Open(half), state, IDENTITIES[committed.author]
    )
    return table, opening.raw


def test_a_commitment_made_here_opens_here() -> None:
    table, opening = toss(lambda here: here)
    assert table.receive(opening) is not None


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_a_commitment_made_elsewhere_does_not_open(elsewhere: str) -> None:
    table, opening = toss(ELSEWHERE[elsewhere])
    refuse(table, opening, Fault.BAD_OPENING)


def test_a_copied_commitment_cannot_be_opened() -> None:
    """The guest commits to what the host has committed to and opened before."""
    first, second = places("COMMIT", seat=None)
    salt = next(s for s in "abcdefgh" if entries(None, s)[second].author == GUEST)
    game = entries(None, salt)
    copied, opened = game[first].body, game[first + 2].body
    assert game[first].author == HOST
    table = reader_at(second, None, salt)
    table.receive(sign(game[second], body=copied))
    answer = table.speak()
    opening = sign(game[second + 2], body=opened, previous=answer.head)
    refuse(table, opening, Fault.BAD_OPENING)


# --- two games at once ------------------------------------------------------------------------


@cache
def twin() -> tuple[Entry, ...]:
    """Another game of the same two identities with the same keys; only chance is different."""
    tables = [
        Table(GAMES, replace(ours(side), rng=chance(f"twin {side}"))) for side in (HOST, GUEST)
    ]
    return tuple(map(Entry.decode, play_out(tables)))


def test_the_twin_has_the_same_keys() -> None:
    unsealed = [entry.body for entry in twin() if entry.kind is Kind.UNSEAL]
    assert {body.secret for body in unsealed} == {  # type: ignore[attr-defined]
        secret(side).reveal() for side in (HOST, GUEST)
    }
    assert twin()[2].head != honest(2).head


@pytest.mark.parametrize("place", range(1, len(record())))
def test_an_entry_of_another_game_does_not_continue_this_one(place: int) -> None:
    for other in twin()[1:]:
        if other.author == honest(place).author and other.number >= place:
            table = reader_at(place)
            assert refuse_any(table, other.raw).fault is Fault.BROKEN_CHAIN
            go_on(table, place)


@pytest.mark.parametrize("place", [*PROVEN, *places("OPEN")], ids=named)
def test_a_body_of_another_game_signed_for_this_one(place: int) -> None:
    body = next(
        other.body
        for other in twin()[place:]
        if (other.kind, other.author) == (honest(place).kind, honest(place).author)
    )
    if isinstance(body, Accept):
        body = changed_body(honest(place).body, key_share=body.key_share)
    fault = Fault.BAD_OPENING if isinstance(body, Open) else Fault.BAD_PROOF
    table = reader_at(place)
    refuse(table, sign(honest(place), body=body), fault)
    go_on(table, place)


@pytest.mark.parametrize("place", PROVEN, ids=named)
def test_a_body_of_this_game_in_another_place(place: int) -> None:
    for other in entries():
        if other.kind is honest(place).kind and other.number != place:
            error = refuse_any(reader_at(place), sign(honest(place), body=other.body))
            assert error.fault in (Fault.BAD_PROOF, Fault.MALFORMED)
            assert error.side == honest(place).author


# --- the joint key ----------------------------------------------------------------------------

KEY = places("KEY")[0]
THEIRS = secret(GUEST)
MINE = secret(HOST)


def key_share(public: Element, proof: bytes) -> bytes:
    return sign(honest(KEY), body=Key(public.encode() + proof))


def proven(scalar: Scalar) -> bytes:
    """A key share with a good proof, for a host who knows more than it should."""
    public = Element.base(scalar)
    return key_share(public, prove_knowledge(scalar, public, context_at(KEY), RNG))


def test_a_share_that_repeats_or_cancels_is_refused_even_if_it_is_proven() -> None:
    for scalar in (THEIRS.scalar, -THEIRS.scalar):
        refuse(reader_at(KEY), proven(scalar), Fault.BAD_KEY_SHARE)


def test_a_share_of_another_key_is_fine_as_long_as_it_is_proven() -> None:
    assert reader_at(KEY).receive(proven(Scalar.of(5))) is not None


def test_a_share_without_knowledge_is_refused() -> None:
    accept, mine = honest(1).body, honest(KEY).body
    assert isinstance(accept, Accept)
    assert isinstance(mine, Key)
    copied, own = accept.key_share[SIZE:], mine.key_share[SIZE:]
    rogue = MINE.public - THEIRS.public  # the joint key would be the cheat's alone
    other = secret(HOST, "another game").public
    for public, proof in [
        (THEIRS.public, copied),
        (-THEIRS.public, copied),
        (THEIRS.public, own),
        (MINE.public, copied),
        (rogue, own),
        (rogue, copied),
        (rogue, bytes(64)),
        (other, own),
        (other, prove_knowledge(MINE.scalar, other, context_at(KEY), RNG)),
    ]:
        refuse(reader_at(KEY), key_share(public, proof), Fault.BAD_PROOF)


@pytest.mark.parametrize("scalar", [Scalar.of(0), THEIRS.scalar], ids=["identity", "repeated"])
def test_no_other_spelling_gets_past_these_rules(scalar: Scalar) -> None:
    """The identity, or the other's own share, under a proof that is made for that spelling."""
    spelled = bytearray(Element.base(scalar).encode())
    spelled[31] |= 0x80
    public = Element._of_valid(bytes(spelled))
    raw = key_share(public, prove_knowledge(scalar, public, context_at(KEY), RNG))
    refuse(reader_at(KEY), raw, Fault.BAD_ELEMENT)


# --- shuffles ---------------------------------------------------------------------------------


def with_cards(place: int, cards: Sequence[MaskedCard]) -> bytes:
    body = changed_body(honest(place).body, cards=b"".join(card.encode() for card in cards))
    return sign(honest(place), body=body)


def outside() -> MaskedCard:
    return MaskedCard(GENERATOR, hash_to_group(b"no card", b"test") + joint())


WRONG_DECKS: dict[str, Callable[[list[MaskedCard]], list[MaskedCard]]] = {
    "a card doubled": lambda cards: [cards[1], *cards[1:]],
    "a card doubled and remasked": lambda cards: [
        remask(cards[1], joint(), Scalar.of(9)), *cards[1:]
    ],
    "a card from outside": lambda cards: [outside(), *cards[1:]],
    "a card remasked": lambda cards: [remask(cards[0], joint(), Scalar.of(9)), *cards[1:]],
    "two cards swapped": lambda cards: [cards[1], cards[0], *cards[2:]],
    "halves swapped": lambda cards: [MaskedCard(cards[0].b, cards[0].a), *cards[1:]],
    "halves of two cards exchanged": lambda cards: [
        MaskedCard(cards[0].a, cards[1].b), MaskedCard(cards[1].a, cards[0].b), *cards[2:]
    ],
    "the fresh deck": lambda cards: list(fresh_deck(joint(), duel.SIZE)),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG_DECKS)
@pytest.mark.parametrize("place", [FIRST, SECOND], ids=named)
def test_a_deck_with_a_wrong_card(place: int, wrong: str) -> None:
    cards = WRONG_DECKS[wrong](cards_in(honest(place)))
    table = reader_at(place)
    refuse(table, with_cards(place, cards), Fault.BAD_PROOF)
    go_on(table, place)


@pytest.mark.parametrize("place", [FIRST, SECOND], ids=named)
def test_a_deck_with_a_card_more_or_less(place: int) -> None:
    cards, body = cards_in(honest(place)), honest(place).body
    assert isinstance(body, Shuffle)
    for raw in [
        with_cards(place, cards[1:]),
        with_cards(place, [*cards, outside()]),
        with_cards(place, []),
        sign(honest(place), body=Shuffle(body.cards[:-1], body.proof)),
        sign(honest(place), body=Shuffle(body.cards + b"\0", body.proof)),
        sign(honest(place), body=Shuffle(body.cards, body.proof[:-32])),
        sign(honest(place), body=Shuffle(body.cards, body.proof + bytes(32))),
        sign(honest(place), body=Shuffle(body.cards, b"")),
        # A smaller deck, shuffled and proven without a fault.
        sign(honest(place), body=shuffle_of(before(place)[1:], joint(), here(place))),
    ]:
        refuse(reader_at(place), raw, Fault.MALFORMED)


def test_the_first_shuffle_played_back_as_the_second() -> None:
    refuse(reader_at(SECOND), sign(honest(SECOND), body=honest(FIRST).body), Fault.BAD_PROOF)


def test_a_shuffle_of_another_deck_however_well_proven() -> None:
    fresh = fresh_deck(joint(), duel.SIZE)
    first = cards_in(honest(FIRST))
    for cards, key in [
        (fresh, joint()),  # the other side's shuffle is undone
        ([first[0], first[0], *first[2:]], joint()),
        (cards_in(twin()[FIRST]), joint()),
        (first, THEIRS.public),
        (first, MINE.public),
    ]:
        body = shuffle_of(cards, key, here(SECOND))
        refuse(reader_at(SECOND), sign(honest(SECOND), body=body), Fault.BAD_PROOF)


# --- shares -----------------------------------------------------------------------------------

DEAL = places("SHARE")[0]


def dealt(
    handles: Sequence[int], images: Sequence[Element] = (), key: SecretKey | None = None
) -> bytes:
    key = key or secret(honest(DEAL).author)
    body = shares_of([DECK[handle] for handle in handles], key, here(DEAL), images)
    return sign(honest(DEAL), body=body)


def right() -> list[Element]:
    """The right shares of what is owed, in order."""
    key = secret(honest(DEAL).author)
    return [decryption_share(key, DECK[handle]) for handle in owed(DEAL)]


def test_what_is_owed_at_the_deal_are_the_other_players_cards() -> None:
    assert [owed(place) for place in places("SHARE")[:2]] == [[0, 1, 2], [3, 4, 5]]
    assert reader_at(DEAL).receive(dealt(owed(DEAL))) is not None


@pytest.mark.parametrize("handles", [[3, 4, 5], [0, 1, 6], [1, 0, 2], [2, 1, 0], [0, 0, 2]])
def test_good_shares_of_other_handles_or_in_another_order(handles: list[int]) -> None:
    table = reader_at(DEAL)
    refuse(table, dealt(handles), Fault.BAD_PROOF)
    go_on(table, DEAL)


@pytest.mark.parametrize("handles", [[0], [0, 1], [0, 1, 2, 3], [0, 1, 2, 2], list(range(9))])
def test_good_shares_of_fewer_or_more_cards(handles: list[int]) -> None:
    refuse(reader_at(DEAL), dealt(handles), Fault.MALFORMED)


def test_no_shares_and_bytes_that_are_no_whole_share() -> None:
    body = honest(DEAL).body
    assert isinstance(body, Share)
    for shares in (b"", body.shares[:-1], body.shares + b"\0"):
        raw = sign(honest(DEAL), body=Share(shares, body.proof))
        refuse(reader_at(DEAL), raw, Fault.MALFORMED)


def test_wrong_shares_with_the_best_proof_there_is() -> None:
    first, second, third = right()
    error = hash_to_group(b"error", b"test")
    for images in [
        [second, first, third],
        [first, first, third],
        [first + error, second, third],
        [first + error, second - error, third],  # wrong by as much in both directions
        [first + second, second, third],
        [-first, second, third],
        [DECK[0].a, second, third],
        [DECK[0].b, second, third],
        [first, second, THEIRS.public],
    ]:
        refuse(reader_at(DEAL), dealt(owed(DEAL), images), Fault.BAD_PROOF)


def test_shares_of_another_key() -> None:
    for key in (secret(1 - honest(DEAL).author), secret(honest(DEAL).author, "another game")):
        refuse(reader_at(DEAL), dealt(owed(DEAL), key=key), Fault.BAD_PROOF)


def test_shares_without_a_proof_or_with_an_old_one() -> None:
    body = honest(DEAL).body
    assert isinstance(body, Share)
    old = [entry.body.proof for entry in (*entries()[DEAL + 1 :], *twin()) if is_share(entry)]  # type: ignore[attr-defined]
    for proof in (bytes(64), *old):
        raw = sign(honest(DEAL), body=Share(body.shares, proof))
        refuse(reader_at(DEAL), raw, Fault.BAD_PROOF)


def is_share(entry: Entry) -> bool:
    return entry.kind is Kind.SHARE


def test_a_card_shown_again_needs_no_second_share() -> None:
    """Nobody can ask for a card: what is owed is known, and an unasked share is out of place."""
    place = places("ACT")[0]
    speaker = honest(place).author
    body = shares_of([DECK[8]], secret(speaker), replace(here(DEAL), side=speaker))
    assert refuse_any(reader_at(place), sign(honest(place), body=body)).fault is Fault.UNEXPECTED
    assert isinstance(honest(places("ANSWER")[0]).body, Answer)
