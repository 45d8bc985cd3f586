"""A position and its events as JSON: what a page draws, and nothing that its reader may not know.

Cards are `{"h": handle, "f": face or -1, "lies": "hidden" | "known" | "up"}`.  A handle is the
card's place in the shuffled deck: public, and the same as long as the round lasts, so that a page
can follow a card it cannot see.
"""

from dataclasses import fields
from enum import Enum
from functools import partial
from typing import Any

from engine.actions import (
    CALL,
    DISCARD,
    DRAW,
    EXCHANGE,
    EXPOSE,
    PAIRS,
    REVEAL,
    SWAP,
    TRUMP,
    action_name,
)
from engine.board import BOTH, DISTRICTS, NONE
from engine.cards import DECK
from engine.events import Event
from engine.phases import ORDER, SHUFFLE, TURN
from engine.state import State
from peer.narration import sentence
from peer.page.hub import Json
from peer.terminal.choices import describe, question
from peer.terminal.scene import Scene, Spot


def scene_json(view: State, player: int) -> Json:
    """The position as `player` sees it: nothing but `view.view(player)` is looked at."""
    return _scene(view.view(player), player)


def open_scene_json(state: State, player: int) -> Json:
    """The position with every card that `state` sees, for a game that is over."""
    return _scene(state, player)


def _scene(view: State, player: int) -> Json:
    scene = Scene.of(view, player)
    return {
        "player": player,
        "deck": view.round - (view.phase is SHUFFLE and view.round > 0),  # what lies on the table
        "dealt": view.phase is not ORDER and (view.phase is not SHUFFLE or view.round > 0),
        "phase": view.phase.name,
        "turn": view.player if view.phase >= TURN else NONE,
        "caller": view.caller,
        "hp": view.hp,
        "startHp": view.start_hp,
        "vampires": list(view.vampires),
        "ranking": list(view.ranking),
        "racks": [
            [
                _card(view.rack[DISTRICTS * owner + district], spot)
                for district, spot in enumerate(scene.racks[owner])
            ]
            for owner in BOTH
        ],
        "drawn": None if scene.drawn is None else _card(view.hand, scene.drawn),
        "top": None if scene.top is None else _card(view.top, scene.top),
        "pile": scene.pile if view.top < DECK else 0,
        "discards": [
            {"h": handle, "f": face, "lies": "up"}
            for handle, face in zip(view.discards, scene.discards, strict=True)
        ],
    }


def _card(handle: int, spot: Spot) -> Json:
    return {"h": handle, "f": spot.face, "lies": spot.lies.name.lower()}


def event_json(event: Event, reader: int | None) -> Json:
    """What has happened, with its sentence."""
    told: Json = {"k": type(event).__name__, "text": partial(sentence, event, reader)}
    for field in fields(event):
        value = getattr(event, field.name)
        told[field.name] = value.name if isinstance(value, Enum) else value
    return told


def choice_json(view: State) -> Json:
    """The question of the moment, and each legal answer with what it will do."""
    return {
        "kind": "choose",
        "phase": view.phase.name,
        "question": partial(question, view),
        "options": [option_json(view, action) for action in view.actions],
    }


def option_json(view: State, action: int) -> Json:
    """One answer: its number, what it is about, and what it will do, at length and in short."""
    verb, *_ = action_name(action).split()
    return {
        "a": action,
        "k": verb,
        "on": _targets(action),
        "does": partial(describe, view, action),
        "brief": partial(describe, view, action, brief=True),
    }


def _targets(action: int) -> list[Any]:
    """Districts, or a colour for the trump; 5 is the drawn card."""
    if action in (DRAW, CALL):
        return []
    if action >= TRUMP:
        return [action - TRUMP]
    if EXCHANGE > action >= SWAP:
        return list(PAIRS[action - SWAP])
    for first in (EXCHANGE, EXPOSE, REVEAL, DISCARD):
        if action >= first:
            return [action - first]
    raise AssertionError(action)
