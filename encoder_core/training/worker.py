"""The training process: it trains several runs in turn, a few steps of each at a time.

    python -m encoder_core.training.worker FILE_DESCRIPTOR

It receives requests and sends reports over the connection with this file descriptor, and ends when the connection is
closed. It gives way to other processes: it has a lower priority. Its environment should set PJRT_NPROC=1 and
OPENBLAS_NUM_THREADS=1, so that XLA and NumPy compute in one thread.
"""

import os
import queue
import sys
import threading
import time
import traceback
from collections import deque
from multiprocessing.connection import Connection

from encoder_core.training.messages import (
    CheckpointMade,
    Failed,
    Finished,
    Pause,
    Paused,
    Report,
    Request,
    Start,
    StepsMade,
)
from encoder_core.training.plan import CHUNK
from encoder_core.training.run import Diverged, TrainingRun

_PRIORITY = 10  # added to the niceness


class Worker:
    """The runs of this process.

    connection  to the process that has started this one
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._turns: deque[Start] = deque()
        self._runs: dict[str, TrainingRun] = {}
        self._reported: dict[str, float] = {}  # run -> when its last progress was sent

    def serve(self) -> None:
        """Train until the connection is closed."""
        # Requests are read while a step is compiled, so that the sender never waits.
        threading.Thread(target=self._read, daemon=True).start()
        while True:
            while not self._turns or not self._requests.empty():
                request = self._requests.get()
                if request is None:
                    return
                self._handle(request)
            self._take_turn()

    def _read(self) -> None:
        try:
            while True:
                self._requests.put(self._connection.recv())
        except (EOFError, OSError):
            self._requests.put(None)

    def _handle(self, request: Request) -> None:
        if isinstance(request, Start):
            self._turns.append(request)
            return
        run = self._runs.get(request.run)
        if isinstance(request, Pause) and any(turn.run == request.run for turn in self._turns):
            start = next(turn for turn in self._turns if turn.run == request.run)
            self._send(Paused(request.run, run.state() if run else start.state))
        self._forget(request.run)

    def _take_turn(self) -> None:
        """Make some steps of the run whose turn it is."""
        start = self._turns[0]
        self._turns.rotate(-1)
        try:
            self._advance(start)
        except Diverged as error:
            self._send(StepsMade(start.run, error.step, error.steps, 0.0))
            self._fail(start.run, str(error), has_diverged=True)
        except Exception as error:  # whatever it is, the other runs continue
            traceback.print_exc()
            self._fail(start.run, f"the training process had an error ({type(error).__name__})", has_diverged=False)

    def _advance(self, start: Start) -> None:
        name, run = start.run, self._runs.get(start.run)
        if run is None:
            run = self._runs[name] = TrainingRun(start.plan, start.state)
            if start.state is None:
                self._send(CheckpointMade(name, 0, run.parameters(), run.evaluate()))
                return
        steps = run.advance(min(CHUNK - run.step % CHUNK, start.until - run.step))
        now = time.monotonic()
        self._send(StepsMade(name, run.step, steps, now - self._reported.get(name, now)))
        self._reported[name] = now
        if run.step in start.plan.checkpoint_steps:
            self._send(CheckpointMade(name, run.step, run.parameters(), run.evaluate()))
        if run.step >= start.plan.steps:
            self._send(Finished(name))
        elif run.step >= start.until:
            self._send(Paused(name, run.state()))
        else:
            return
        self._forget(name)

    def _fail(self, name: str, sentence: str, *, has_diverged: bool) -> None:
        self._send(Failed(name, sentence, has_diverged))
        self._forget(name)

    def _forget(self, name: str) -> None:
        self._turns = deque(turn for turn in self._turns if turn.run != name)
        self._runs.pop(name, None)
        self._reported.pop(name, None)

    def _send(self, report: Report) -> None:
        try:
            self._connection.send(report)
        except OSError:  # nobody listens any more
            self._requests.put(None)
            self._turns.clear()


def main() -> None:
    """Serve the connection whose file descriptor is the first argument."""
    os.nice(_PRIORITY)
    Worker(Connection(int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
