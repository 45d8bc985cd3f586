"""The catalogues: `python -m tests.tools.messages extract|update|compile|check`.

    extract   find all messages in the program, and write the template `peer/locale/whitby.pot`
    update    extract, and bring every language's `whitby.po` up to date with the template
    compile   make each `whitby.mo`, which is what the program reads, from its `whitby.po`
    check     fail unless all of these are up to date and complete

Compiled catalogues are committed: a wheel, an editable install and a bare checkout then hold the
same files, and nobody but who translates needs Babel.
"""

import importlib
import io
import pkgutil
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import peer
from peer.errors import SpokenError
from peer.languages import LANGUAGES, Language
from peer.page.words import MESSAGES, Plural
from peer.speech import DOMAIN

ROOT: Final = Path(__file__).parent.parent.parent
LOCALE: Final = ROOT / "peer" / "locale"
TEMPLATE: Final = LOCALE / f"{DOMAIN}.pot"
TRANSLATED: Final = tuple(language for language in LANGUAGES if language.folder)
PAGE: Final = "page/words.py"

KEYWORDS: Final = {
    "tr": None,
    "mark": None,
    "trn": (1, 2),
    "trc": ((1, "c"), 2),
    "markc": ((1, "c"), 2),
}
"""The functions of `peer.speech` that take a message.  Errors for people take one too."""

_NO_DATE: Final = datetime(2000, 1, 1, tzinfo=UTC)
_HEADER: Final = """\
# The messages of whitby.
# Each is its English original; see peer/speech.py.
#"""


def spoken_errors() -> set[str]:
    """The names of all errors whose first argument is a message."""
    for module in pkgutil.walk_packages(peer.__path__, "peer."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: set[type[SpokenError]] = {SpokenError}
    while new := {sub for kind in found for sub in kind.__subclasses__()} - found:
        found |= new
    return {kind.__name__ for kind in found}


def extract() -> Catalog:
    """Every message of the program, as a template."""
    catalog = Catalog(
        project="whitby", version="", header_comment=_HEADER, fuzzy=False, charset="utf-8"
    )
    keywords = {**KEYWORDS, **dict.fromkeys(spoken_errors())}
    found = extract_from_dir(
        ROOT / "peer", method_map=[("**.py", "python")], keywords=keywords, comment_tags=["Note:"]
    )
    for path, _, message, comments, context in sorted(found, key=lambda one: (one[0], one[1])):
        catalog.add(message, None, [(path, 0)], auto_comments=comments, context=context)
    for key, text in MESSAGES.items():
        message = (text.one, text.other) if isinstance(text, Plural) else text
        catalog.add(message, None, [(PAGE, 0)], context=key)
    return catalog


def po_path(language: Language) -> Path:
    return LOCALE / language.folder / "LC_MESSAGES" / f"{DOMAIN}.po"


def read(language: Language) -> Catalog:
    """The catalogue of a language, as it is translated."""
    if not po_path(language).exists():
        return Catalog(Locale.parse(language.folder), DOMAIN, project="whitby")
    with po_path(language).open("rb") as file:
        return read_po(file, locale=Locale.parse(language.folder), domain=DOMAIN)


def messages(catalog: Catalog) -> Iterator[Message]:
    """What is translated: all but the header."""
    return (message for message in catalog if message.id)


def updated(language: Language, template: Catalog) -> Catalog:
    """The catalogue with the messages of `template`, and no others."""
    catalog = read(language)
    catalog.update(template, no_fuzzy_matching=True, update_creation_date=False)
    catalog.obsolete.clear()
    catalog.header_comment, catalog.fuzzy, catalog.version = _HEADER, False, ""
    return catalog


def text_of(catalog: Catalog) -> str:
    """A catalogue as a file, with nothing in it that changes by itself: no dates, no lines."""
    file = io.BytesIO()
    write_po(file, catalog, width=100, omit_header=False, include_lineno=False)
    return re.sub(
        r'^"(POT-|PO-|Generated|Last-|Language-Team|Report-).*\n',
        "",
        file.getvalue().decode(),
        flags=re.MULTILINE,
    )


def compiled(language: Language) -> bytes:
    """The catalogue as the program reads it: the same bytes whenever it is made."""
    catalog = read(language)
    catalog.creation_date = catalog.revision_date = _NO_DATE
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def placeholders(text: str) -> set[str]:
    """What is to be filled in.  Nothing else may stand in braces."""
    found = re.findall(r"\{(.*?)\}", text)
    assert all(re.fullmatch(r"[a-z]\w*", name) for name in found), text
    return set(found)


def faults() -> Iterator[str]:
    """What is not as it should be."""
    template = extract()
    if not TEMPLATE.exists() or TEMPLATE.read_text("utf-8") != text_of(template):
        yield f"{TEMPLATE.name} is out of date: run update"
    wanted = {(message.context, message.id) for message in messages(template)}
    for language in TRANSLATED:
        catalog = read(language)
        found = {(message.context, message.id) for message in messages(catalog)}
        yield from (f"{language.code}: lacks {missing}" for missing in wanted - found)
        yield from (f"{language.code}: has no use for {old}" for old in found - wanted)
        yield from (f"{language.code}: has no use for {old}" for old in catalog.obsolete)
        for message in messages(catalog):
            yield from (f"{language.code}: {fault}" for fault in _faults_of(message, language))
        if not mo_path(language).exists() or mo_path(language).read_bytes() != compiled(language):
            yield f"{language.code}: not compiled"


def _faults_of(message: Message, language: Language) -> Iterator[str]:
    forms, sources = _all(message.string), _all(message.id)
    if message.fuzzy:
        yield f"fuzzy: {message.id}"
    if not all(forms):
        yield f"not translated: {message.context or ''} {message.id}"
        return
    if len(sources) > 1 and len(forms) != len(language.plurals):
        yield f"{len(forms)} plural forms, not {len(language.plurals)}: {message.id}"
    # A form for one thing, or for two, may say so itself.
    free = {"n"} if len(sources) > 1 else set()
    allowed = set().union(*map(placeholders, sources)) | free
    for form in forms:
        if placeholders(form) | free != allowed:
            yield f"other places to fill in: {form}"


def _all(text: object) -> tuple[str, ...]:
    """A message, or all forms of one that hangs on a number."""
    return tuple(text) if isinstance(text, tuple | list) else (str(text or ""),)


def mo_path(language: Language) -> Path:
    return po_path(language).with_suffix(".mo")


def main(command: str) -> int:
    """Carry out one of the commands above."""
    if command in ("extract", "update"):
        template = extract()
        TEMPLATE.write_text(text_of(template), "utf-8")
        for language in TRANSLATED if command == "update" else ():
            po_path(language).parent.mkdir(parents=True, exist_ok=True)
            po_path(language).write_text(text_of(updated(language, template)), "utf-8")
    elif command == "compile":
        for language in TRANSLATED:
            mo_path(language).write_bytes(compiled(language))
    elif command == "check":
        found = list(faults())
        print("\n".join(found) or "The catalogues are complete.")
        return bool(found)
    else:
        print(__doc__)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1]))
