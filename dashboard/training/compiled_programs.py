"""The folder in which the training processes of this server keep their compiled programs."""

import fcntl
import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

from encoder_core.support.once import once

_PREFIX = "encoder-training-"


@once
def compiled_programs_folder() -> str:
    """A folder that is removed when this process ends or, if a signal ends it, when another one makes its own.

    A server that is stopped by SIGTERM removes nothing, and in a container /tmp outlives it, in memory.
    """
    for other in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        _remove_if_abandoned(other)
    folder = _make_locked_folder()
    weakref.finalize(compiled_programs_folder, shutil.rmtree, folder, ignore_errors=True)
    return folder


def _make_locked_folder() -> str:
    """A new folder with a lock that lasts until this process ends, however it ends.

    Another process can take it for abandoned before it is locked, and remove it.
    """
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        with suppress(FileNotFoundError):
            descriptor = os.open(folder, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if Path(folder).exists():
                return folder
            os.close(descriptor)


def _remove_if_abandoned(folder: Path) -> None:
    """Remove a folder of this user that no process has locked."""
    with suppress(OSError):  # another process removes it, or uses it
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_uid == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)
