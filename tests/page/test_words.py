"""Every word of the page is in the catalogue, and every message of the catalogue is used."""

import json
import re
from collections.abc import Iterator

import pytest

from peer.page.files import static_files
from peer.page.words import MESSAGES, Plural, messages

SCRIPTS = {
    path: file.data.decode() for path, file in static_files().items() if path.endswith(".js")
}
MADE = {
    "card": range(4),
    "colour": range(4),
    "letter": range(4),
    "player": range(2),
    "rules": range(1, 6),
    "how": range(1, 6),
    "effect": range(1, 9),
}
"""Keys that end in a number."""


def keys_asked_for() -> Iterator[re.Pattern[str]]:
    """The keys in the scripts, as patterns: what is filled in can be anything."""
    for text in SCRIPTS.values():
        for match in re.finditer(r"\bt\(\s*(?:[\w.?!&|>=<\s()-]*\?\s*)?([\"`])(.+?)\1", text):
            key = re.sub(r"\\\$\\\{.*?\\\}", ".+", re.escape(match[2]))
            yield re.compile(key)


def test_every_key_that_is_asked_for_is_there() -> None:
    asked = list(keys_asked_for())
    assert len(asked) > 100
    for pattern in asked:
        assert any(pattern.fullmatch(key) for key in MESSAGES), pattern.pattern


def test_no_message_is_there_for_nothing() -> None:
    everything = "\n".join(SCRIPTS.values())
    patterns = list(keys_asked_for())
    for key in MESSAGES:
        stem = key.rpartition(".")[0]
        assert (
            any(pattern.fullmatch(key) for pattern in patterns)
            or f'"{key}"' in everything
            or (stem in MADE and f'"{stem}"' in everything)
        ), key


@pytest.mark.parametrize(("stem", "numbers"), MADE.items())
def test_numbered_keys_are_complete(stem: str, numbers: range) -> None:
    found = {key for key in MESSAGES if re.fullmatch(rf"{stem}\.\d+", key)}
    assert found == {f"{stem}.{number}" for number in numbers}


def test_plurals_have_all_their_forms_and_the_same_places_to_fill_in() -> None:
    for key, text in MESSAGES.items():
        if isinstance(text, Plural):
            places = [set(re.findall(r"\{(\w+)\}", form)) for form in (text.one, text.other)]
            assert places[0] | {"n"} == places[1] | {"n"}, key
    told = messages()
    assert told["lang"] == "en"
    assert told["messages"]["pile.count"] == {
        "one": "{n} card to draw",
        "other": "{n} cards to draw",
    }
    assert json.loads(json.dumps(told)) == told


def test_nothing_that_people_read_stands_in_the_scripts() -> None:
    """A sentence has two words in a row at least; strings in scripts that do are no sentences."""
    known = {"use strict"}
    for path, text in SCRIPTS.items():
        code = re.sub(r"^\s*(//|\*|/\*).*$", "", text, flags=re.MULTILINE)
        for match in re.finditer(r"\"((?:[^\"\\\n]|\\.)*)\"", code):
            words = match[1]
            if re.search(r"[A-Z][a-z]+ [a-z]+ [a-z]+", words):
                assert words in known, f"{path}: {words}"
