"""Return freed memory to the operating system."""

import ctypes


def release_freed_memory() -> None:
    """Return freed pages to the operating system (glibc); no effect with other C libraries.

    Reading a model and compiling its programs frees as much memory as the model takes, 100 MB for all-MiniLM-L6-v2,
    which glibc does not return by itself. The call takes some milliseconds.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(0)
