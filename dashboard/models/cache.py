"""A cache of models for all sessions, limited by their total size; evicts the least recently used."""

import gc
import threading
from collections.abc import Callable
from functools import partial, wraps
from typing import ParamSpec, Protocol, TypeVar

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from encoder_core.engine.memory import release_freed_memory

MAX_BYTES = 200_000_000  # enough for a hundred people with different settings of the usual sizes
MAX_GARBAGE_BYTES = 100_000_000  # of models that left the cache; a collection takes up to 0.15 s, so it waits for these


class Sized(Protocol):
    """A value that reports its size."""

    @property
    def num_bytes(self) -> int: ...


P = ParamSpec("P")
Cached = TypeVar("Cached", bound=Sized)


class _Models(LRUCache[object, Sized]):
    """Counts the bytes of the values that left it or had no room in it, as `dropped_bytes`."""

    dropped_bytes = 0

    def __setitem__(self, key: object, value: Sized) -> None:
        if value.num_bytes > self.maxsize:
            self.dropped_bytes += value.num_bytes
        super().__setitem__(key, value)

    def popitem(self) -> tuple[object, Sized]:
        key, value = super().popitem()
        self.dropped_bytes += value.num_bytes
        return key, value


_CACHE = _Models(MAX_BYTES, getsizeof=lambda value: value.num_bytes)
_LOCK = threading.Lock()


def cached_by_size(compute: Callable[P, Cached]) -> Callable[P, Cached]:
    """Cache the results of a function of hashable arguments. A result larger than the cache is computed every time."""
    # Streamlit's caches limit the number of entries, but the sizes of models differ by a factor of 100.

    @wraps(compute)
    def compute_anew(*args: P.args, **kwargs: P.kwargs) -> Cached:
        _collect_dropped()
        return compute(*args, **kwargs)

    return cached(_CACHE, key=partial(hashkey, compute.__qualname__), lock=_LOCK)(compute_anew)


def _collect_dropped() -> None:
    """Free the models that left the cache, if they are large.

    The namespace of a page's script refers to the model, and its functions refer to the namespace: a cycle that only
    the garbage collector frees. It counts objects, not bytes, and let one visitor with the largest sizes fill 3 GB.
    """
    if _CACHE.dropped_bytes > MAX_GARBAGE_BYTES:
        _CACHE.dropped_bytes = 0
        gc.collect()
        release_freed_memory()
