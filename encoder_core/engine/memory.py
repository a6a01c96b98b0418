"""Return freed memory to the operating system."""

import ctypes
import gc

import jax


def release_compiler_memory() -> None:
    """Free what JAX keeps to compile the same functions again, 40 MB after `warm_up`; the executables stay.

    Functions of `jax.jit` itself are compiled again when they are called next.
    """
    jax.clear_caches()
    gc.collect()
    release_freed_memory()


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
