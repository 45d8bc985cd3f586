"""The games that this program plays, by the name that travels in an offer."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.state import State

DRACULA_VS_VAN_HELSING: Final = "dracula-vs-van-helsing/1"
"""Name and version of the rules in `spec/rules.md`."""


def _with_log(options: bytes) -> State:
    state = State.from_options(options)
    state.log = []
    return state


GAMES: Final[Mapping[str, Callable[[bytes], State]]] = {DRACULA_VS_VAN_HELSING: _with_log}
