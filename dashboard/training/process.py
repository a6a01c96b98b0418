"""The training process, and the threads that send its requests and read its reports."""

import contextlib
import logging
import os
import subprocess
import sys
import threading
from multiprocessing import Pipe
from pathlib import Path
from queue import SimpleQueue
from typing import Protocol

from dashboard.training.compiled_programs import compiled_programs_folder
from encoder_core.training.messages import Report, Request

_logger = logging.getLogger(__name__)
_ROOT = Path(__file__).parents[2]
_CACHE_BYTES = 50_000_000  # of compiled programs, a few hundred plans; in a container /tmp is in memory
_TICK = 1.0  # seconds without a report after which the listener is told that time passes
_PATIENCE = 15.0  # seconds in which a process must end after its connection is closed


class Listener(Protocol):
    """What the thread calls. See `RunRegistry`."""

    def receive(self, process: "TrainingProcess", report: Report) -> None: ...
    def lose(self, process: "TrainingProcess") -> None: ...
    def tick(self) -> None: ...


class TrainingProcess:
    """A process that runs `encoder_core.training.worker`. It ends when this process ends."""

    def __init__(self, listener: Listener) -> None:
        """Start it. Raises OSError if that is impossible."""
        self._listener = listener
        self._requests: SimpleQueue[Request | None] = SimpleQueue()  # None is the last one
        self._connection, other = Pipe()
        descriptor = other.fileno()
        command = [sys.executable, "-m", "encoder_core.training.worker", str(descriptor)]
        try:
            self._process = subprocess.Popen(command, pass_fds=[descriptor], env=_environment())
        finally:
            other.close()
        for name, target in (("training reports", self._read), ("training requests", self._write)):
            threading.Thread(target=target, name=name, daemon=True).start()

    def send(self, request: Request) -> None:
        """Send a request, without waiting for the process, which reads nothing in its first seconds. It is ignored if
        the process has ended."""
        self._requests.put(request)

    def close(self) -> None:
        """Let the process end after its present steps."""
        self._requests.put(None)

    def _write(self) -> None:
        request: Request | None
        while request := self._requests.get():
            self._send(request)
        self._send(None)

    def _send(self, request: Request | None) -> None:
        with contextlib.suppress(OSError):  # the other thread notices that the process has ended
            self._connection.send(request)

    def _read(self) -> None:
        try:
            while True:
                if self._connection.poll(_TICK):
                    self._listener.receive(self, self._connection.recv())
                self._listener.tick()
        except (EOFError, OSError):
            pass
        except Exception:
            _logger.exception("The reports of the training process cannot be read.")
            self._process.terminate()
        self._requests.put(None)
        self._listener.lose(self)
        self._end()

    def _end(self) -> None:
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _environment() -> dict[str, str]:
    """The environment of the process.

    Compiled programs are kept, so that the next process need not compile them again, in a folder of their own: JAX can
    limit a folder only if all who write to it do, and the app does not limit its own. XLA and NumPy compute in one
    thread.
    """
    cache_settings = {
        "JAX_COMPILATION_CACHE_DIR": compiled_programs_folder(),
        "JAX_COMPILATION_CACHE_MAX_SIZE": str(_CACHE_BYTES),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.5",
    }
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    one_thread = {"PJRT_NPROC": "1", "OPENBLAS_NUM_THREADS": "1"}
    return {**os.environ, **cache_settings, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu", **one_thread}
