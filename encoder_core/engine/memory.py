"""Memory that was used in passing and is free again: given back to the system."""

import ctypes


def give_back_freed() -> None:
    """Hand freed pages back, where the C library keeps them (glibc); elsewhere nothing is done.

    Reading a model and compiling its programs leave freed memory as large as the model itself, which glibc would keep
    for later: 100 MB with all-MiniLM-L6-v2. It takes some milliseconds; worth it after work that is done once.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(0)
