"""What the page shows, and everybody who looks at it.

The page is a set of named values and a few lists that grow.  Every tab is told all of it when it
comes, and from then on what changes, in the same order as all others: a reload, a second tab and a
line that was lost for a moment are one and the same.

A function among the values stands for a text that is made when it is sent, in the language that
is spoken then.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import trio

Json = dict[str, Any]

MAX_WAITING: Final = 256
"""Messages for one tab that doesn't read.  With one more it is let go; it may come again."""
MAX_TABS: Final = 8


class Hub:
    """One page and its tabs."""

    def __init__(self) -> None:
        self._values: Final[Json] = {}
        self._lists: Final[dict[str, list[Json]]] = {}
        self._tabs: Final[list[trio.MemorySendChannel[str]]] = []
        self.changed: Final = trio.lowlevel.ParkingLot()

    @property
    def tabs(self) -> int:
        """How many look on."""
        return len(self._tabs)

    def show(self, lists: dict[str, Sequence[Json]] | None = None, **values: Any) -> None:
        """Set values, and add to lists, in one message."""
        new = {
            name: value
            for name, value in values.items()
            if name not in self._values or self._values[name] != value
        }
        added = {name: list(items) for name, items in (lists or {}).items() if items}
        if not new and not added:
            return
        self._values.update(new)
        for name, items in added.items():
            self._lists.setdefault(name, []).extend(items)
        self._send(_message(new, added))

    def clear(self, *lists: str, **values: Any) -> None:
        """Empty some lists, and set values, for a new game."""
        self._values.update(values)
        for name in lists:
            self._lists.pop(name, None)
        self._send(self._all())

    @contextmanager
    def tab(self) -> Iterator[trio.MemoryReceiveChannel[str]]:
        """A new tab: the messages for it, the first of which tells everything."""
        send, receive = trio.open_memory_channel[str](MAX_WAITING)
        if len(self._tabs) >= MAX_TABS:
            self._drop(self._tabs[0])
        send.send_nowait(self._all())
        self._tabs.append(send)
        self.changed.unpark_all()
        try:
            yield receive
        finally:
            self._drop(send)
            receive.close()

    def _all(self) -> str:
        return _message(self._values, self._lists, fresh=True)

    def _send(self, message: str) -> None:
        for tab in self._tabs[:]:
            try:
                tab.send_nowait(message)
            except (trio.WouldBlock, trio.BrokenResourceError):
                self._drop(tab)

    def _drop(self, tab: trio.MemorySendChannel[str]) -> None:
        if tab in self._tabs:
            self._tabs.remove(tab)
            tab.close()
            self.changed.unpark_all()


def _message(values: Json, lists: dict[str, list[Json]], *, fresh: bool = False) -> str:
    return to_json({"set": values, "add": lists, "fresh": fresh})


def to_json(value: Any) -> str:
    """JSON, in which functions have become the texts that they make."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_made)


def _made(make: Any) -> Any:
    if not callable(make):
        raise TypeError(f"a {type(make).__name__} can't be told to a page")
    return make()
