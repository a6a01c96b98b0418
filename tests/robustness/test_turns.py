"""Runs take turns: in the order in which they came, and a long one does not keep the others waiting."""

import threading
import time

import pytest

from dashboard.serving.limits import turns as module
from dashboard.serving.limits.turns import LONGEST, Turns


class Timed(Turns):
    """Turns with a clock that only waiting moves."""

    time = 0.0

    def now(self):
        return self.time

    def wait(self, seconds):
        assert seconds is not None, "only a run behind another one waits without an end"
        self.time += seconds


def test_runs_compute_one_at_a_time_in_the_order_in_which_they_came(monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 3_600.0)  # however long the machine stands still, no turn is a long one
    turns, computing, order = Turns(), threading.Lock(), []

    def run(number):
        with turns.take():
            assert computing.acquire(blocking=False), "another run computes"
            order.append(number)
            computing.release()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(5)]
    with turns.take():
        for number, thread in enumerate(threads):
            thread.start()
            while len(turns._waiting) <= number:
                time.sleep(0.001)
        assert order == []
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]


def test_a_long_run_keeps_the_next_one_waiting_for_a_limited_time():
    turns = Timed()
    with turns.take(), turns.take():
        assert turns.time == LONGEST
    with turns.take():
        assert turns.time == LONGEST, "both turns have ended"


def test_the_end_of_a_long_run_does_not_end_the_turn_of_the_next_one():
    turns = Timed()
    first, second = turns.take(), turns.take()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    with turns.take():
        assert turns.time == pytest.approx(2 * LONGEST)
    second.__exit__(None, None, None)


def test_a_run_that_fails_ends_its_turn():
    turns = Timed()
    with pytest.raises(ZeroDivisionError), turns.take():
        1 / 0  # noqa: B018
    with turns.take():
        assert turns.time == 0
