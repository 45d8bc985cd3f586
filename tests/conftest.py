"""For every test: the program speaks English, whatever the computer's language is."""

from collections.abc import Iterator

import pytest

from peer.languages import ENGLISH
from peer.speech import speaking

VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Also in the programs that a test starts."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    with speaking(ENGLISH):
        yield
