"""What tests of the cryptographic core share: a fixed generator, a context and all others."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from protocol.group import Rng
from protocol.keys import SecretKey, joint_key
from protocol.transcript import Context, Transcript

VECTORS = Path(__file__).parent.parent / "vectors"


def vectors(name: str) -> Any:
    """A file of published vectors."""
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def rng(seed: str) -> Rng:
    """A generator that gives the same bytes in every run."""
    return Transcript("test").append(seed.encode()).stream()


HOST = SecretKey.derive(b"h" * 32)
GUEST = SecretKey.derive(b"g" * 32)
JOINT = joint_key(HOST.public, GUEST.public)

HERE = Context(
    game_id=b"\1" * 32, identities=(b"\2" * 32, b"\3" * 32), side=0, deck=0, head=b"\4" * 32
)

ELSEWHERE = {
    "game id": replace(HERE, game_id=b"\5" * 32),
    "host": replace(HERE, identities=(b"\5" * 32, b"\3" * 32)),
    "guest": replace(HERE, identities=(b"\2" * 32, b"\5" * 32)),
    "identities swapped": replace(HERE, identities=(b"\3" * 32, b"\2" * 32)),
    "side": replace(HERE, side=1),
    "deck": replace(HERE, deck=1),
    "no deck": replace(HERE, deck=-1),
    "head": replace(HERE, head=b"\5" * 32),
}
"""Every context that differs from `HERE` in one thing."""
