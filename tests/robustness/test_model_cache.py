"""The cache of models bounds the memory, also of the models that have left it."""

import gc
import weakref

import pytest

from dashboard.models.cache import MAX_BYTES, cached_by_size


class Value:
    """A value of this size that only the garbage collector frees, as the model of a page's script is."""

    def __init__(self, num_bytes):
        self.num_bytes = num_bytes
        self.itself = self


@pytest.fixture
def compute():
    """A cached function of a number and a size, and the values that it has returned, while they live."""
    alive = weakref.WeakValueDictionary()

    @cached_by_size
    def value(number, num_bytes):
        alive[number] = Value(num_bytes)
        return alive[number]

    gc.disable()
    gc.freeze()  # what earlier tests have left takes 2 s a collection
    yield value, alive
    gc.enable()


@pytest.mark.parametrize("num_bytes", [MAX_BYTES // 3, MAX_BYTES, MAX_BYTES + 1])
def test_large_values_that_left_the_cache_are_freed(compute, num_bytes):
    value, alive = compute
    for number in range(12):
        value(number, num_bytes)
    assert sum(found.num_bytes for found in alive.values()) <= 2.5 * MAX_BYTES
    assert 11 in alive


def test_small_values_that_left_the_cache_do_not_start_a_collection(compute, monkeypatch):
    value, alive = compute
    for number in range(100):
        value(number, MAX_BYTES // 100)  # the cache is full
    value(100, 1)
    monkeypatch.setattr(gc, "collect", lambda: pytest.fail("a collection takes time"))
    for number in range(101, 120):
        value(number, MAX_BYTES // 100)
    assert len(alive) == 120


def test_values_in_the_cache_are_computed_once(compute):
    value, _ = compute
    assert value(0, 1000) is value(0, 1000)
    assert value(1, MAX_BYTES + 1) is not value(1, MAX_BYTES + 1), "it has no room"
