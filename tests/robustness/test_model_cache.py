"""The cache of models bounds the memory, also of the models that have left it."""

import gc
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.models import cache
from dashboard.models.cache import MAX_BYTES, MAX_FREED_BYTES, cached_by_size


class Free:
    """A value of this size that is freed as soon as nobody refers to it."""

    def __init__(self, num_bytes):
        self.num_bytes = num_bytes


class Value(Free):
    """A value that only the garbage collector frees, as the model of a run that was interrupted may be."""

    def __init__(self, num_bytes):
        super().__init__(num_bytes)
        self.itself = self


@pytest.fixture(autouse=True)
def _nothing_of_other_tests():
    cache._CACHE.clear()
    cache._CACHE.dropped, cache._CACHE.freed_bytes = [], 0


@pytest.fixture
def compute(no_collection):
    """A cached function of a number and a size, and the values that it has returned, while they live."""
    alive = weakref.WeakValueDictionary()

    @cached_by_size
    def value(number, num_bytes):
        alive[number] = Value(num_bytes)
        return alive[number]

    return value, alive


@pytest.mark.parametrize("num_bytes", [MAX_BYTES // 3, MAX_BYTES, MAX_BYTES + 1])
def test_large_values_that_left_the_cache_are_freed(compute, num_bytes):
    value, alive = compute
    for number in range(12):
        value(number, num_bytes)
    assert sum(found.num_bytes for found in alive.values()) <= 2.5 * MAX_BYTES
    assert 11 in alive


@pytest.mark.parametrize("num_bytes", [MAX_BYTES // 3, MAX_BYTES, MAX_BYTES + 1])
def test_values_that_nobody_shows_need_no_collection_and_their_memory_is_returned(monkeypatch, num_bytes):
    returned = []
    monkeypatch.setattr(gc, "collect", lambda: pytest.fail("a collection takes time"))
    monkeypatch.setattr(cache, "release_freed_memory", lambda: returned.append(number))

    @cached_by_size
    def value(number):
        return Free(num_bytes)

    for number in range(12):
        shown = value(number)
    assert shown.num_bytes == num_bytes
    first = next(number for number in range(12) if number in returned)
    least = MAX_FREED_BYTES // num_bytes + 1  # values, with whose memory it is worth it
    assert returned == list(range(first, 12, least))


def test_small_values_that_left_the_cache_do_not_start_a_collection(compute, monkeypatch):
    value, alive = compute
    for number in range(100):
        value(number, MAX_BYTES // 100)  # the cache is full
    value(100, 1)
    monkeypatch.setattr(gc, "collect", lambda: pytest.fail("a collection takes time"))
    for number in range(101, 120):
        value(number, MAX_BYTES // 100)
    assert len(alive) == 120


def test_two_threads_that_compute_a_value_at_once_get_the_same_one():
    """A lock is held while a value is looked up or put into the cache, and not while it is computed."""
    both = threading.Barrier(2)

    @cached_by_size
    def value(num_bytes):
        both.wait(60)
        return Value(num_bytes)

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(value, [1000, 1000])
    assert first is second


def test_threads_leave_the_cache_with_the_sizes_of_its_values(monkeypatch):
    """Eight threads ask for twelve values in turn, of which ten have room."""
    monkeypatch.setattr(cache, "MAX_GARBAGE_BYTES", 10**15)  # collections take time
    start, interval = threading.Barrier(8), sys.getswitchinterval()

    @cached_by_size
    def value(number, num_bytes):
        return Value(num_bytes)

    def use(_):
        start.wait(60)
        for number in range(2_000):
            value(number % 12, MAX_BYTES // 10)

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(use, range(8)))  # raises what a thread raises
    finally:
        sys.setswitchinterval(interval)
    assert value.cache.currsize == sum(found.num_bytes for found in value.cache.values())


def test_values_in_the_cache_are_computed_once(compute):
    value, _ = compute
    assert value(0, 1000) is value(0, 1000)
    assert value(1, MAX_BYTES + 1) is not value(1, MAX_BYTES + 1), "it has no room"
