"""The files of the page: read once, from the package, and served under their own names only."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class File:
    """What a browser is given."""

    type: str
    data: bytes


@cache
def static_files() -> dict[str, File]:
    """Every file of the page by the path it is asked for; `index.html` is also "/"."""
    found = {
        f"/{entry.name}": File(TYPES[entry.name.rpartition(".")[2]], entry.read_bytes())
        for entry in files("peer.page").joinpath("static").iterdir()
        if entry.name.rpartition(".")[2] in TYPES
    }
    found["/"] = found["/index.html"]
    return found
