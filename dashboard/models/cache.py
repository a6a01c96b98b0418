"""Models in memory, shared by all sessions: as many as fit, by their size; the least recently used go first."""

import threading
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, Protocol, TypeVar

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

MAX_BYTES = 600_000_000  # of the 2.7 GB that the cloud has; two dozen people, each at a setting of their own


class Sized(Protocol):
    """What is kept says how large it is."""

    @property
    def num_bytes(self) -> int: ...


P = ParamSpec("P")
Kept = TypeVar("Kept", bound=Sized)

_CACHE: LRUCache[object, Sized] = LRUCache(MAX_BYTES, getsizeof=lambda kept: kept.num_bytes)
_LOCK = threading.Lock()


def cached_by_size(make: Callable[P, Kept]) -> Callable[P, Kept]:
    """A function whose results are kept; its arguments are hashable. What is larger than the shelf is made anew."""
    # Streamlit's caches count entries, and one of these is a hundred times as large as another.
    return cached(_CACHE, key=partial(hashkey, make.__qualname__), lock=_LOCK)(make)
