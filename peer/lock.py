"""A lock on a file, for as long as its holder lives.

The system drops it when the process ends, however it ends, so nothing is ever left locked.  The
file itself stays: to delete it would let two processes lock two files of the same name.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        # Not lockf: that would let the same process in again.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock on the file `path`, which is made, with mode 0600, if it isn't there.

    Raises:
        BlockingIOError: somebody else holds it, in this process or another.
        OSError: the file can't be opened, or can't be locked where it is.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            _lock(descriptor)
        except PermissionError as error:  # how Windows says it
            raise BlockingIOError(error.errno, error.strerror) from error
        yield
    finally:
        os.close(descriptor)  # which unlocks
