"""A cache of models for all sessions, limited by their total size; evicts the least recently used."""

import gc
import threading
import weakref
from collections.abc import Callable
from functools import partial, wraps
from typing import ParamSpec, Protocol, TypeVar

from cachetools import LRUCache, cached
from cachetools.keys import hashkey

from encoder_core.engine.memory import release_freed_memory

MAX_BYTES = 200_000_000  # enough for a hundred people with different settings of the usual sizes
MAX_GARBAGE_BYTES = 250_000_000  # of models that left the cache and still live; a collection takes 50 ms and more
MAX_FREED_BYTES = 100_000_000  # that are not returned to the operating system yet: it takes 10 ms


class Sized(Protocol):
    """A value that reports its size, and that can be referred to weakly: no tuple."""

    @property
    def num_bytes(self) -> int: ...


P = ParamSpec("P")
Cached = TypeVar("Cached", bound=Sized)


class _Models(LRUCache[object, Sized]):
    """A cache that notes the values that left it or had no room in it.

    dropped      these values, with their sizes
    freed_bytes  of those that are no longer noted, since memory was returned to the operating system
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes, getsizeof=lambda value: value.num_bytes)
        self.dropped: list[tuple[weakref.ref[Sized], int]] = []
        self.freed_bytes = 0

    def __setitem__(self, key: object, value: Sized) -> None:
        if value.num_bytes > self.maxsize:
            self._note(value)
        super().__setitem__(key, value)

    def popitem(self) -> tuple[object, Sized]:
        key, value = super().popitem()
        self._note(value)
        return key, value

    def _note(self, value: Sized) -> None:
        self.dropped.append((weakref.ref(value), value.num_bytes))


_CACHE = _Models(MAX_BYTES)
_LOCK = threading.Lock()


def cached_by_size(compute: Callable[P, Cached]) -> Callable[P, Cached]:
    """Cache the results of a function of hashable arguments. A result larger than the cache is computed every time."""
    # Streamlit's caches limit the number of entries, but the sizes of models differ by a factor of 100.

    @wraps(compute)
    def compute_anew(*args: P.args, **kwargs: P.kwargs) -> Cached:
        _free_dropped()
        return compute(*args, **kwargs)

    return cached(_CACHE, key=partial(hashkey, compute.__qualname__), lock=_LOCK)(compute_anew)


def _free_dropped() -> None:
    """Free what is left of the models that left the cache, and return their memory, if they are large.

    Nothing refers to most of them once no page shows them (dashboard/state/script_names.py). Those of a run that was
    interrupted, or of a session that has ended, only the garbage collector finds. It counts objects, not bytes, and let
    one visitor with the largest sizes fill 3 GB.
    """
    with _LOCK:
        alive = [(value, num_bytes) for value, num_bytes in _CACHE.dropped if value() is not None]
        _CACHE.freed_bytes += _total(_CACHE.dropped) - _total(alive)
        collects = _total(alive) > MAX_GARBAGE_BYTES
        returns = collects or _CACHE.freed_bytes > MAX_FREED_BYTES
        _CACHE.dropped = [] if collects else alive  # what a collection leaves is in use
        if returns:
            _CACHE.freed_bytes = 0
    if collects:
        gc.collect()
    if returns:
        release_freed_memory()


def _total(values: list[tuple[weakref.ref[Sized], int]]) -> int:
    return sum(num_bytes for _, num_bytes in values)
