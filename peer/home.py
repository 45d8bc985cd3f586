"""Where things are kept: one folder, which only its owner can open.

It is the user's data directory, as the system knows it; `WHITBY_HOME` names another, and a path
given by the user yet another.
"""

import os
from pathlib import Path
from typing import Final

import platformdirs

from peer.errors import HomeError

VARIABLE: Final = "WHITBY_HOME"
_MODE: Final = 0o700


def open_home(chosen: Path | None = None) -> Path:
    """The absolute path of the folder; it is made, with mode 0700, if it isn't there.

    `chosen` is what the user asked for on the command line, if anything.  A folder that exists
    keeps its mode: the files in it have their own.

    Raises:
        HomeError: it is no folder, can't be made or can't be written to.
    """
    home = _place(chosen)
    try:
        _make(home)
    except FileExistsError:
        raise HomeError(
            "{home} is not a folder. To keep things elsewhere, set {variable} to the path of a "
            "folder.",
            home=home,
            variable=VARIABLE,
        ) from None
    except OSError as error:
        raise HomeError(
            "{home} can't be made: {why}. To keep things elsewhere, set {variable} to the path of "
            "a folder.",
            home=home,
            why=error.strerror,
            variable=VARIABLE,
        ) from None
    if not os.access(home, os.R_OK | os.W_OK | os.X_OK):
        raise HomeError(
            "{home} can't be written to. Change its permissions. To keep things elsewhere, set "
            "{variable} to the path of a folder.",
            home=home,
            variable=VARIABLE,
        )
    return home


def _place(chosen: Path | None) -> Path:
    if chosen is None and (named := os.environ.get(VARIABLE)):
        chosen = Path(named)
    if chosen is None:
        return platformdirs.user_data_path("whitby", appauthor=False)
    try:
        return chosen.expanduser().absolute()
    except RuntimeError:  # "~somebody", and there is no somebody
        raise HomeError(
            "There is no home of {user}. To keep things elsewhere, set {variable} to the path of a "
            "folder.",
            user=chosen.parts[0],
            variable=VARIABLE,
        ) from None


def _make(home: Path) -> None:
    if home.is_dir():
        return
    home.mkdir(mode=_MODE, parents=True, exist_ok=True)
    home.chmod(_MODE)  # mkdir takes away what the umask says, and that could be too much
