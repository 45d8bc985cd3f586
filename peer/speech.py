"""What the program says, in the language that it speaks.

Messages are written in English where they are said, and are their own keys in the catalogues
(`peer/locale`, made by `python -m tests.tools.messages`).  A message is always a whole sentence
or a whole label: never a part of one, for other languages put the parts in another order and give
them other forms.  What is filled in comes in its plainest form.

The program speaks one language at a time, since it has one person to speak to.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from typing import Final

from peer.languages import ENGLISH, Language

DOMAIN: Final = "whitby"


class _Speaker:
    """Which language is spoken."""

    def __init__(self) -> None:
        self.language = ENGLISH


_speaker: Final = _Speaker()


def spoken() -> Language:
    """The language that is spoken now."""
    return _speaker.language


def speak(language: Language) -> None:
    """Speak another language from now on."""
    _speaker.language = language


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Speak another language for a while."""
    before = spoken()
    speak(language)
    try:
        yield
    finally:
        speak(before)


@cache
def catalogue(language: Language) -> NullTranslations:
    """The messages of a language.  They are read once, and belong to the package."""
    if not language.folder:
        return NullTranslations()
    place = files("peer") / "locale" / language.folder / "LC_MESSAGES" / f"{DOMAIN}.mo"
    with place.open("rb") as file:
        return GNUTranslations(file)


def mark(message: str) -> str:
    """`message` itself: it is said later, by `tr`, and has to be in the catalogues."""
    return message


def markc(context: str, message: str) -> str:  # noqa: ARG001 - which `trc` will give
    """As `mark`, for `trc`."""
    return message


def tr(message: str, **values: object) -> str:
    """`message` in the language spoken, with `values` filled in."""
    return _filled(catalogue(spoken()).gettext(message), values)


def trc(context: str, message: str, **values: object) -> str:
    """As `tr`, for a word that means something else elsewhere: `context` tells the two apart."""
    return _filled(catalogue(spoken()).pgettext(context, message), values)


def trn(one: str, many: str, n: int, **values: object) -> str:
    """The form of a message that goes with the number `n`, which is filled in as well."""
    return _filled(catalogue(spoken()).ngettext(one, many, n), {"n": n, **values})


def sentences(*texts: str) -> str:
    """Whole sentences, one after the other; empty ones are left out."""
    return spoken().gap.join(filter(None, texts))


def listed(texts: list[str]) -> str:
    """A list of names or cards."""
    return tr(", ").join(texts)


def _filled(text: str, values: dict[str, object]) -> str:
    return text.format(**values) if values else text
