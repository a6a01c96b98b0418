"""`once`: threads that ask for a value at the same time get one that is computed once."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from encoder_core.blocks.capacity import CAPACITIES
from encoder_core.engine import stacked_parameters
from encoder_core.support.once import once
from encoder_core.training import shipped
from tests.two_threads import in_two_threads, slowly


def test_two_threads_get_one_value():
    calls = []
    one, other = in_two_threads(once(slowly(calls, object)), "a")
    assert one is other
    assert calls == [("a",)]


def test_other_arguments_do_not_wait():
    barrier = threading.Barrier(2)

    @once
    def both(name):
        barrier.wait(10)  # until the other one is computed as well
        return name

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(both, ["a", "b"])) == ["a", "b"]


def test_after_an_error_the_value_is_computed_again():
    results = iter([ValueError("no"), 3])

    @once
    def value():
        result = next(results)
        if isinstance(result, Exception):
            raise result
        return result

    with pytest.raises(ValueError, match="no"):
        value()
    assert (value(), value()) == (3, 3)


def test_the_shared_draw_is_made_once(monkeypatch):
    calls, drawn = [], stacked_parameters.draw_for_all_sizes
    monkeypatch.setattr(stacked_parameters, "draw_for_all_sizes", lambda *sizes: slowly(calls, lambda: drawn(*sizes))())
    widths = CAPACITIES[0]._replace(seq=0, d_model=8, qkv_width=8, d_ff=8, num_layers=1)  # which nothing else uses
    one, other = in_two_threads(stacked_parameters._shared_draw, widths)
    assert one is other
    assert len(calls) == 1


def test_a_shipped_encoder_is_opened_once():
    calls = []
    one, other = in_two_threads(shipped._made_once(slowly(calls, object)), "reverse")
    assert one is other
    assert calls == [("reverse",)]
