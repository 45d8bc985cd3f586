"""The languages that the program speaks, and which of them a person would like.

What the environment or a browser says of that may be anything: it is compared with the table
below, and is never part of a path or of a message.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

MAX_WISHES: Final = 20
"""So many of the languages in a list are looked at; nobody reads more."""
_MAX_TEXT: Final = 1_000


@dataclass(frozen=True, slots=True)
class Language:
    """A language.

    Attributes:
        code: as in BCP 47, for browsers and for `--lang`.
        name: what its speakers call it.
        folder: of its catalogue in `peer/locale`; empty for English, which needs none.
        plurals: the forms of a noun beside a whole number, as the CLDR calls them, each with a
            number that takes it.
        gap: between two sentences, and between a word and a picture of a card.
        has_spaces: whether words are set apart, so that lines can be broken there only.
    """

    code: str
    name: str
    folder: str = ""
    plurals: tuple[tuple[str, int], ...] = (("one", 1), ("other", 2))
    gap: str = " "
    has_spaces: bool = True


ENGLISH: Final = Language("en", "English")
FRENCH: Final = Language("fr", "français", "fr")
RUSSIAN: Final = Language("ru", "русский", "ru", (("one", 1), ("few", 2), ("many", 5)))
CHINESE: Final = Language(
    "zh-Hant", "繁體中文", "zh_Hant", (("other", 1),), gap="", has_spaces=False
)
"""Written traditionally.  Whoever asks for any Chinese gets it: we have no other."""

LANGUAGES: Final = (ENGLISH, FRENCH, RUSSIAN, CHINESE)
_BY_TONGUE: Final = {language.code.partition("-")[0]: language for language in LANGUAGES}


def language_named(text: str) -> Language | None:
    """The language that a tag (`fr-CA`) or a locale (`fr_CA.UTF-8`) means, if it is spoken here."""
    tag = text[:_MAX_TEXT].strip().lower().replace("_", "-")
    for end in ".@":
        tag = tag.partition(end)[0]
    return _BY_TONGUE.get(tag.partition("-")[0])


def from_environment(environ: Mapping[str, str]) -> Language:
    """The language of a terminal, by the variables and in the order that GNU gettext has them.

    `LANGUAGE` is a list, and counts only where the locale (`LC_ALL`, else `LC_MESSAGES`, else
    `LANG`) is not "C".
    """
    locales = (environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, locales), "")
    if locale in ("C", "POSIX"):
        return ENGLISH
    wishes = environ.get("LANGUAGE") or locale
    for wish in wishes[:_MAX_TEXT].split(":")[:MAX_WISHES]:
        if (language := language_named(wish)) is not None:
            return language
    return ENGLISH


def from_browser(accepted: str) -> Language | None:
    """The language that an `Accept-Language` header (RFC 9110, section 12.5.4) likes best.

    None if it likes none of ours.  What can't be read of it is left out.
    """
    best: tuple[float, Language] | None = None
    for wish in accepted[:_MAX_TEXT].split(",")[:MAX_WISHES]:
        tag, _, weight = wish.partition(";")
        quality = _quality(weight)
        language = language_named(tag)
        if language is not None and quality > (best[0] if best else 0):
            best = (quality, language)
    return best[1] if best else None


def _quality(text: str) -> float:
    """What follows a tag: `q=0.8`.  Without it, 1; if it is no such thing, 0."""
    if not text.strip():
        return 1
    name, _, number = text.strip().partition("=")
    digits = number.replace(".", "", 1)
    if name.strip().lower() != "q" or not (digits.isascii() and digits.isdigit()):
        return 0
    return min(float(number), 1)
