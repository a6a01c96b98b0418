"""The registry of runs and the worker of the training process, in one process and in turns that the test takes."""

import time
from dataclasses import replace

import numpy as np
import pytest

from dashboard.lessons.training import run_controls
from dashboard.training.registry import RunRegistry
from dashboard.training.storage import RunStorage
from encoder_core.training import TrainingPlan
from encoder_core.training.messages import Failed
from encoder_core.training.worker import Worker

PLAN = TrainingPlan(task="copy", d_model=16, num_heads=1, d_ff=16, num_layers=1, batch=16, steps=500)


class Reports:
    """The worker's connection: what it has sent."""

    def __init__(self):
        self.sent = []

    def send(self, report):
        self.sent.append(report)


class ProcessInTurns:
    """A worker that makes one turn when the test says so."""

    def __init__(self, registry):
        self._registry, self._reports = registry, Reports()
        self._worker = Worker(self._reports)

    def send(self, request):
        self._worker._handle(request)

    def close(self):
        pass

    def turn(self):
        if self._worker._turns:
            self._worker._take_turn()
        reports, self._reports.sent = self._reports.sent, []
        for report in reports:
            self._registry.receive(self, report)

    def fail(self, run):
        """The run fails, as where its loss diverges."""
        self._worker._forget(run.id)
        self._registry.receive(self, Failed(run.id, "the run diverged", True))


@pytest.fixture
def registry(unchecked):
    return RunRegistry(RunStorage(10**9, lambda _: True), 2, ProcessInTurns, time.monotonic)


def turns(registry, count):
    for _ in range(count):
        registry._process.turn()


def steps_of(run):
    return [checkpoint.step for checkpoint in run.checkpoints]


@pytest.mark.parametrize("before", [0, 1])
def test_a_run_that_is_paused_before_its_first_step_has_one_checkpoint_of_it(registry, before):
    run = registry.start([PLAN], "me", until=10)
    turns(registry, before)
    registry.pause(run)
    turns(registry, 1)
    assert (run.status, steps_of(run)) == ("paused", [0] * before)
    registry.resume(run, until=10)
    turns(registry, 3)
    assert (run.status, run.step, steps_of(run)) == ("paused", 10, [0, 10])
    assert run.num_bytes < 3 * sum(array.nbytes for array in run.checkpoints[0].parameters.values()) + 3 * 10**5


def test_the_next_checkpoint_of_a_comparison_is_that_of_the_run_that_goes_on(registry, monkeypatch):
    first = registry.start([PLAN, PLAN], "me")
    second = registry.partner(first)
    while second.step < 50:
        registry._process.turn()
    registry._process.fail(first)
    while second.step < 110:
        registry._process.turn()
    registry.pause(second)
    turns(registry, 1)
    assert (first.status, second.status) == ("diverged", "paused")
    assert first.step < second.step
    buttons = {}
    monkeypatch.setattr(run_controls, "RUNS", registry)
    monkeypatch.setattr(run_controls.st, "button", lambda label, **options: buttons.update({label: options}))
    run_controls._render_buttons([first, second])
    after = next(step for step in PLAN.checkpoint_steps if step > second.step)
    button = buttons[f"To step {after}"]
    button["on_click"](*button["args"])
    while second.status != "paused":
        registry._process.turn()
    assert (second.step, second.sentence, steps_of(second)[-1]) == (after, "", after)
    registry.resume(second, until=first.step)  # it has made these steps
    assert (second.status, second.step) == ("paused", after)


def test_a_run_that_diverges_keeps_the_steps_up_to_that_one(registry):
    run = registry.start([replace(PLAN, learning_rate=1.0, warm_up=0)], "me")
    while run.is_open:
        registry._process.turn()
    assert run.status == "diverged"
    assert f"diverged at step {run.step}:" in run.sentence
    loss = run.history.steps.loss
    assert len(loss) == run.step
    assert (loss[:-1] > 0).all()
    assert not loss[-1] < 3 * np.log(run.plan.config.vocab_size)
