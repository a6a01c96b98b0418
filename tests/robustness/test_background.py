"""Threads in the background end with the process, although they compile at that moment."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dashboard.serving import background

ROOT = Path(__file__).parents[2]
_COMPILES = """
import threading
import jax
import jax.numpy as jnp
import numpy as np
from dashboard.serving.background import end_with_server, start_thread

compiles = threading.Event()

def long_program(x):
    for _ in range(200):
        x = jnp.sin(x @ x)
    return x

def work():
    for size in range(2, 1_000):
        program = jax.jit(long_program).lower(np.ones((size, size), np.float32))
        compiles.set()
        program.compile()
        end_with_server()

start_thread(work, "compile")
assert compiles.wait(60)
print("ends")
"""


def test_a_process_ends_while_a_program_is_compiled():
    # Ended anywhere in XLA's code, Python's thread would abort the process: -6, and a message of C++.
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "JAX_PLATFORMS": "cpu"}  # no compiled programs
    ended = subprocess.run(
        [sys.executable, "-c", _COMPILES], env=environment, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ends\n", "")


def test_a_thread_of_a_server_that_stops_starts_no_other(monkeypatch):
    stopping = threading.Event()
    monkeypatch.setattr(background, "_stopping", stopping)
    stopping.set()
    with pytest.raises(SystemExit):
        background.start_thread(lambda: None, "late")
    with pytest.raises(SystemExit):
        background.end_with_server(1, 2)


@pytest.mark.parametrize("stops", [False, True])
def test_an_error_is_silent_only_in_a_server_that_stops(monkeypatch, stops):
    stopping, errors = threading.Event(), []
    monkeypatch.setattr(background, "_stopping", stopping)
    monkeypatch.setattr(threading, "excepthook", lambda error: errors.append(error.exc_type))
    begins = threading.Event()

    def work():
        begins.wait(10)
        raise KeyError("what JAX has removed")

    thread = background.start_thread(work, "fails")
    if stops:
        stopping.set()
    begins.set()
    thread.join(10)
    assert errors == ([] if stops else [KeyError])
