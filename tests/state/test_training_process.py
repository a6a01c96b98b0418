"""The real training process: a tiny run, a pause, and its end."""

import os
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Event, Thread

import numpy as np
import pytest

from dashboard.training import compiled_programs, process
from dashboard.training.process import TrainingProcess
from dashboard.training.registry import RunRegistry
from dashboard.training.storage import RunStorage
from encoder_core.training import TrainingPlan
from encoder_core.training.messages import Start

PLAN = TrainingPlan(task="copy", d_model=16, num_heads=2, d_ff=16, num_layers=1, batch=16, steps=100, warm_up=20,
                    learning_rate=1e-2)  # fmt: skip
SECONDS = 120
ROOT = Path(__file__).parents[2]


def until(run, *statuses):
    end = time.monotonic() + SECONDS
    while run.status not in statuses:
        assert time.monotonic() < end, run.status
        time.sleep(0.02)


def test_its_compiled_programs_have_a_folder_of_their_own(monkeypatch):
    """JAX refuses to write into a limited folder to which others have written without a limit."""
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "/of/the/app")
    environment = process._environment()
    assert environment["JAX_COMPILATION_CACHE_DIR"] != "/of/the/app"
    assert int(environment["JAX_COMPILATION_CACHE_MAX_SIZE"]) <= 50_000_000


_HAS_A_FOLDER = """
import os
import signal
import sys
from dashboard.training.compiled_programs import compiled_programs_folder
print(compiled_programs_folder(), flush=True)
sys.stdin.read()
"""


@contextmanager
def server_with_folder(parent):
    """A process that has a folder of compiled programs in `parent`; yields it and the folder."""
    environment = {"PYTHONPATH": str(ROOT), "TMPDIR": str(parent)}
    command = [sys.executable, "-c", _HAS_A_FOLDER]
    with Popen(command, env=environment, stdin=PIPE, stdout=PIPE, text=True) as server:
        folder = Path(server.stdout.readline().strip())
        (folder / "program").write_bytes(b"compiled")
        yield server, folder


def test_the_folder_of_a_server_that_a_signal_has_ended_is_removed_by_the_next_one(tmp_path):
    (tmp_path / "encoder-training-file").write_text("of somebody else")
    with server_with_folder(tmp_path) as (_, first):
        with server_with_folder(tmp_path) as (killed, second):
            killed.kill()
        assert first.is_dir()
        assert second.is_dir()
        with server_with_folder(tmp_path) as (_, third):
            assert first.is_dir(), "it belongs to a server that still runs"
            assert not second.exists()
        assert not third.exists(), "a server that ends by itself removes its folder"
    assert [path.name for path in tmp_path.iterdir()] == ["encoder-training-file"]


@pytest.mark.parametrize("moment", [(compiled_programs.tempfile, "mkdtemp"), (compiled_programs.os, "open")])
def test_a_folder_that_another_server_removes_before_it_is_locked_is_made_again(tmp_path, monkeypatch, moment):
    """The other server looks for abandoned folders at the worst moment."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    module, name = moment
    original = getattr(module, name)

    def disturbed(*args, **kwargs):
        result = original(*args, **kwargs)
        monkeypatch.setattr(module, name, original)
        for folder in tmp_path.iterdir():
            compiled_programs._remove_if_abandoned(folder)
        return result

    monkeypatch.setattr(module, name, disturbed)
    folder = compiled_programs._make_locked_folder()
    compiled_programs._remove_if_abandoned(Path(folder))
    assert Path(folder).is_dir()
    assert list(tmp_path.iterdir()) == [Path(folder)]


@pytest.fixture
def registry(unchecked):
    registry = RunRegistry(RunStorage(10**8, lambda _: True), 2, TrainingProcess, time.monotonic)
    yield registry
    registry.close()


def test_a_run_from_its_first_step_to_its_last(registry):
    run = registry.start([PLAN], "me", until=10)
    until(run, "paused")
    assert (run.step, [checkpoint.step for checkpoint in run.checkpoints]) == (10, [0, 10])
    registry.resume(run)
    until(run, "finished")
    history = run.history
    assert history.checkpoint_steps == PLAN.checkpoint_steps
    assert history.steps.loss[-10:].mean() < history.steps.loss[:10].mean() / 2
    assert history.evaluations[-1].accuracy > 0.9
    assert np.isfinite(history.steps.gradient_norms).all()
    assert not run.checkpoints[0].parameters.keys() ^ run.checkpoints[-1].parameters.keys()
    # The same process trains the next one, and ends when it is killed.
    other = registry.start([TrainingPlan(**{**vars(PLAN), "steps": 8000})], "you")
    until(other, "running")
    registry._process._process.kill()
    until(other, "failed")
    assert "ended unexpectedly" in other.sentence
    assert run.status == "finished"


class Notes:
    """A listener that notes what happens."""

    def __init__(self):
        self.lost = Event()

    def receive(self, process, report):
        raise RuntimeError(report)

    def lose(self, process):
        self.lost.set()

    def tick(self):
        pass


def test_nobody_waits_until_a_process_that_starts_reads_its_requests():
    training = TrainingProcess(notes := Notes())
    os.kill(training._process.pid, signal.SIGSTOP)  # as long as it imports JAX, it reads nothing either
    sender = Thread(target=training.send, args=(bytes(10_000_000),), daemon=True)
    sender.start()
    sender.join(SECONDS)
    assert not sender.is_alive()
    training._process.kill()
    assert notes.lost.wait(SECONDS)


def test_a_report_that_cannot_be_read_ends_the_process(caplog):
    training = TrainingProcess(notes := Notes())
    training.send(Start("a", PLAN, None, 0))
    assert notes.lost.wait(SECONDS)
    assert training._process.wait(SECONDS) is not None
    assert "The reports of the training process cannot be read." in caplog.text
