"""Decisions: what the rules don't allow, at once or when a card shows it."""

from engine.actions import ACTIONS, DISCARD, DRAWN
from engine.board import DISTRICTS, NONE
from engine.cards import UNKNOWN, VALUE
from engine.state import State
from protocol.entries import Act, Entry, Kind
from protocol.errors import Fault
from tests.conformance.bench import DRACULA, HELSING, Bench
from tests.conformance.case import case
from tests.conformance.cases.forms import departs
from tests.conformance.forging import honest_copy, sign_body, state_after
from tests.conformance.player import Player

RULES = "A decision MUST be one that the rules allow"
DISCARDS = 6
"""So many cards have to be discarded before an 8 may be."""

for _action, _name, _does in (
    (ACTIONS, "unknown", f"decides for {ACTIONS}, which is no decision"),
    (2**32 - 1, "greatest", "decides for 2^32 - 1"),
    (ACTIONS - 1, "out-of-place", "changes the trump when a card is to be drawn"),
):
    departs(
        f"action-{_name}",
        "14.5",
        RULES,
        _does,
        lambda player, entry, action=_action: sign_body(player, entry, action=action),  # type: ignore[misc]
        Fault.ILLEGAL_ACTION,
        kinds=(Kind.ACT,),
    )


def _early_eight(player: Player) -> int | None:
    """The discard of an 8 that we see and must not discard yet, if it is our turn to discard."""
    game = player.table.game
    if not player.is_ours or player.due.kind is not Kind.ACT or game.hand == NONE:
        return None
    if len(game.discards) >= DISCARDS or not any(
        DISCARD <= a <= DISCARD + DRAWN for a in game.actions
    ):
        return None
    for place, handle in _own_cards(game, player.table.player):
        is_hidden = not game.public >> handle & 1  # else it would be refused at once
        if is_hidden and game.faces[handle] != UNKNOWN and VALUE[game.faces[handle]] == 8:
            return DISCARD + place
    return None


def _own_cards(game: State, who: int) -> list[tuple[int, int]]:
    first = DISTRICTS * who
    row = list(enumerate(game.rack[first : first + DISTRICTS]))
    return [*row, (DRAWN, game.hand)]


async def _discards_an_eight(bench: Bench, wanted: int) -> None:
    player = await bench.game_as(wanted)
    await player.until_our_turn(Kind.ACT, when=lambda p: _early_eight(p) is not None)
    action = _early_eight(player)
    assert action is not None
    dealer, deck = player.table._course._dealer, player.table.game.round
    handle = dict(_own_cards(player.table.game, player.table.player))[action - DISCARD]
    after = honest_copy(player).game  # it can't see the card, and so takes what our own refuses
    after.act(action)
    number, head = len(player.table.entries), player.table.head
    act = Entry.sign(number, player.side, head, Act(action), state_after(after), player.identity)
    body = dealer.share(deck, [handle], act.head)
    share = Entry.sign(number + 1, player.side, act.head, body, b"\x05" * 32, player.identity)
    await player.send(act.raw, share.raw)
    await player.is_refused(Fault.ILLEGAL_ACTION, after=number + 1)


TOO_EARLY = "A decision that turns out illegal when a card is shown MUST be refused then"
DOES = "discards an 8 onto fewer than six cards, unseen, and then shows it"


@case("14.5", TOO_EARLY, does=f"as Dracula, {DOES}", expects="REFUSAL illegal-action")
async def eight_too_early_by_dracula(bench: Bench) -> None:
    await _discards_an_eight(bench, DRACULA)


@case("14.5", TOO_EARLY, does=f"as Van Helsing, {DOES}", expects="REFUSAL illegal-action")
async def eight_too_early_by_helsing(bench: Bench) -> None:
    await _discards_an_eight(bench, HELSING)
