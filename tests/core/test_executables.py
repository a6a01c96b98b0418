"""In which order programs are asked for, and what is known about the time that they take."""

import threading
import time

import jax
import numpy as np

from encoder_core import Encoder, EncoderConfig
from encoder_core.engine import program
from encoder_core.engine.executables import one_ahead, seconds_waited, wait_for
from encoder_core.engine.gradients import layer_gradients

WAIT = 0.05  # seconds


class Result:
    """What a program returns: JAX waits for it as for an array."""

    def __init__(self, events, number):
        self.events, self.number = events, number
        events.append(f"ask for {number}")

    def block_until_ready(self):
        if (event := f"wait for {self.number}") not in self.events:
            time.sleep(WAIT)
            self.events.append(event)
        return self


def test_each_program_is_asked_for_while_the_one_before_is_computed():
    events = []
    results = one_ahead(Result(events, number) for number in range(4))
    assert [result.number for result in results] == [0, 1, 2, 3]
    assert events == [
        "ask for 0", "ask for 1", "wait for 0", "ask for 2", "wait for 1", "ask for 3", "wait for 2", "wait for 3",
    ]  # fmt: skip
    assert list(one_ahead([])) == []


def test_a_batch_keeps_no_more_runs_at_capacity_than_the_last_ones(monkeypatch):
    encoder = Encoder.random(EncoderConfig(d_model=16, num_heads=2, d_ff=16, num_layers=1))
    arrays, forward = [], program.forward

    def counted(*args):
        arrays.append(len(jax.live_arrays()))
        return forward(*args)

    monkeypatch.setattr(program, "forward", counted)
    encoder.trace(["a b"] * 9)
    assert len(arrays) == 9
    assert arrays[0] < arrays[1] < arrays[2]
    assert max(arrays) == arrays[3]


def test_what_a_thread_has_waited_is_counted_for_this_thread():
    before, elsewhere = seconds_waited(), []
    wait_for([Result([], 0), Result([], 1)])
    assert seconds_waited() - before >= 2 * WAIT
    thread = threading.Thread(target=lambda: elsewhere.append(seconds_waited()))
    thread.start()
    thread.join()
    assert elsewhere == [0.0]


def test_a_forward_pass_and_gradients_wait_for_xla():
    encoder = Encoder.random(EncoderConfig(d_model=32, num_heads=4, d_ff=64, num_layers=2))
    before = seconds_waited()
    run = encoder.run("it rains\ncats sleep")
    after_forward = seconds_waited()
    assert before < after_forward
    layer_gradients(run, np.ones_like(run.trace.output))
    assert after_forward < seconds_waited()
