"""A cache of models for all sessions, limited by their total size; evicts the least recently used."""

import threading
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, Protocol, TypeVar

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

MAX_BYTES = 200_000_000  # enough for a hundred people with different settings of the usual sizes


class Sized(Protocol):
    """A value that reports its size."""

    @property
    def num_bytes(self) -> int: ...


P = ParamSpec("P")
Cached = TypeVar("Cached", bound=Sized)

_CACHE: LRUCache[object, Sized] = LRUCache(MAX_BYTES, getsizeof=lambda value: value.num_bytes)
_LOCK = threading.Lock()


def cached_by_size(compute: Callable[P, Cached]) -> Callable[P, Cached]:
    """Cache the results of a function of hashable arguments. A result larger than the cache is computed every time."""
    # Streamlit's caches limit the number of entries, but the sizes of models differ by a factor of 100.
    return cached(_CACHE, key=partial(hashkey, compute.__qualname__), lock=_LOCK)(compute)
