"""The registry of training runs: a queue in front of the training process, and what the process reports."""

import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from dashboard.markdown import capitalize
from dashboard.training.storage import RunStorage
from dashboard.training.stored_run import ACTIVE, Status, StoredCheckpoint, StoredRun
from encoder_core.training import TrainingPlan
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
    Stop,
)

UNSEEN = 30.0  # seconds without an open page after which a run ends
IDLE = 120.0  # seconds without work after which the process ends
_TICK = 1.0  # seconds between two checks of what nobody looks at
_MAX_PROGRAMS = 24  # configurations that one process compiles: their memory returns only when it ends
_LOST = "The training process ended unexpectedly. Finished runs are kept; press Run to train again."
_NO_PROCESS = "The server could not start the training process."
_UNSEEN_SENTENCE = f"Nobody had this run open for {UNSEEN:.0f} seconds, so it was stopped."


class Process(Protocol):
    """A training process."""

    def send(self, request: Request) -> None:
        """Send a request; ignored if the process has ended."""

    def close(self) -> None:
        """Let the process end."""


class RunRegistry:
    """All runs of a server. Threads can share it.

    storage      where the runs are kept
    max_active   runs that are trained in turn; further ones wait
    start_process  starts a training process, which calls `receive`, `tick` and `lose` of this registry
    clock        the time in seconds
    """

    def __init__(
        self,
        storage: RunStorage,
        max_active: int,
        start_process: Callable[["RunRegistry"], Process],
        clock: Callable[[], float],
    ) -> None:
        self.max_active = max_active
        self._storage = storage
        self._start_process = start_process
        self._clock = clock
        self._lock = threading.RLock()
        self._process: Process | None = None
        self._programs: set[tuple[object, ...]] = set()  # configurations that the process has compiled
        self._worked = self._ticked = clock()  # when the process last had work, and when time last passed
        self._queue: list[StoredRun] = []
        self._count = 0

    def start(self, plans: Sequence[TrainingPlan], owner: str, until: int | None = None) -> StoredRun:
        """Queue one run, or two for a comparison, until a step or to the end.

        Unfinished runs that the same session has started are stopped.
        """
        self.tick()
        with self._lock:
            for run in self._storage:
                if run.owner == owner:
                    self._end(run, "stopped", "Another run was started on this page.")
            runs = [self._new_run(plan, owner) for plan in plans]
            if len(runs) == 2:
                runs[0].partner, runs[1].partner = runs[1].id, runs[0].id
            for run in runs:
                run.until = min(run.plan.steps, until or run.plan.steps)
            self._queue += runs
            self._storage.make_room()
            self._fill()
            return runs[0]

    def find(self, run: str, session: str) -> StoredRun | None:
        """The run with this id, at which the session now looks; None if the server does not have it."""
        self.tick()
        stored = self._storage.get(run)
        if stored:
            stored.viewers[session] = self._clock()
        return stored

    def partner(self, run: StoredRun) -> StoredRun | None:
        """The run that was started together with this one."""
        return self._storage.get(run.partner) if run.partner else None

    def position(self, run: StoredRun) -> int:
        """The place of a run in the queue, from 1; 0 if it is not in the queue."""
        with self._lock:
            return self._queue.index(run) + 1 if run in self._queue else 0

    def pause(self, run: StoredRun) -> None:
        """Pause a run; one that is being trained pauses after its present steps."""
        with self._lock:
            if run in self._queue:
                self._queue.remove(run)
                run.status = "paused"
            elif run.status in ("starting", "running"):
                run.status = "pausing"
                self._send(Pause(run.id))

    def leave(self, run: StoredRun, session: str) -> None:
        """The session looks at something else: pause the run unless others have it open."""
        with self._lock:
            if self._storage.is_seen(run, without=session):
                run.viewers.pop(session, None)
            else:
                self.pause(run)

    def resume(self, run: StoredRun, until: int | None = None) -> None:
        """Queue a paused run again, until a step or to its end; it stays paused where it has made these steps."""
        with self._lock:
            if run.status == "paused" and (until is None or until > run.step):
                run.status, run.sentence = "queued", ""
                run.until = min(run.plan.steps, until or run.plan.steps)
                run.last_seen = self._clock()
                self._queue.append(run)
                self._fill()

    def stop(self, run: StoredRun) -> None:
        """End a run; what was measured stays."""
        with self._lock:
            self._end(run, "stopped", "")
            self._fill()

    def receive(self, process: Process, report: Report) -> None:
        """Keep what the process reports."""
        with self._lock:
            run = self._storage.get(report.run)
            if process is not self._process or run is None or run.status not in ACTIVE:
                return  # of a run that was stopped in the meantime
            match report:
                case StepsMade():
                    run.add_steps(report.step, report.steps, report.seconds)
                    run.status = "running" if run.status == "starting" else run.status
                case CheckpointMade():
                    run.add_checkpoint(StoredCheckpoint(*report[1:]))
                    self._storage.make_room()
                case Paused():
                    run.status, run.state = "paused", report.state
                    self._storage.make_room()
                case Finished():
                    run.status = "finished"
                case Failed():
                    run.status, run.sentence = (
                        "diverged" if report.has_diverged else "failed",
                        _sentence(report.sentence),
                    )
            self._fill()

    def lose(self, process: Process) -> None:
        """The process has ended: its runs cannot continue."""
        with self._lock:
            if process is self._process:
                self._forget_process()
                for run in self._active():
                    run.status, run.sentence = "failed", _LOST
                self._fill()

    def tick(self) -> None:
        """End what nobody looks at, and an unused process. The process calls it at least once a second, and everybody
        who asks for a run: without a process, runs can be paused."""
        with self._lock:
            now = self._clock()
            if now - self._ticked < _TICK:
                return
            self._ticked = now
            for run in self._storage:
                is_seen = self._storage.update_viewers(run, now, UNSEEN)
                if run.is_open or run.status == "paused":
                    if is_seen:
                        run.last_seen = now
                    elif now - run.last_seen > UNSEEN:
                        self._end(run, "stopped", _UNSEEN_SENTENCE)
            self._fill()
            if self._active() or self._queue:
                self._worked = now
            elif self._process and now - self._worked > IDLE:
                self.close()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._process:
                self._process.close()
                self._forget_process()

    def _new_run(self, plan: TrainingPlan, owner: str) -> StoredRun:
        self._count += 1
        now = self._clock()
        run = StoredRun(self._count, secrets.token_hex(5), plan, owner, now, viewers={owner: now})
        self._storage.add(run)
        return run

    def _active(self) -> list[StoredRun]:
        return [run for run in self._storage if run.status in ACTIVE]

    def _fill(self) -> None:
        """Start runs of the queue while there is room."""
        while self._queue and len(self._active()) < self.max_active:
            run = self._queue[0]
            program = (run.plan.config, run.plan.batch)
            if program not in self._programs and len(self._programs) >= _MAX_PROGRAMS:
                if self._active():
                    return  # the process ends after these
                self.close()
            if self._process is None:
                try:
                    self._process = self._start_process(self)
                except OSError:
                    logging.getLogger(__name__).exception("The training process did not start.")
                    self._queue.remove(run)
                    run.status, run.sentence, run.state = "failed", _NO_PROCESS, None
                    continue
            self._programs.add(program)
            self._queue.remove(run)
            run.status = "starting"
            self._send(Start(run.id, run.plan, run.state, run.until))
            run.state = None

    def _send(self, request: Request) -> None:
        if self._process:
            self._process.send(request)

    def _end(self, run: StoredRun, status: Status, sentence: str) -> None:
        """End a run. The caller starts others, when it has ended all that are to end."""
        if run in self._queue:
            self._queue.remove(run)
        elif run.status in ACTIVE:
            self._send(Stop(run.id))
        elif run.status != "paused":
            return
        run.status, run.sentence, run.state = status, sentence, None

    def _forget_process(self) -> None:
        self._process = None
        self._programs.clear()


def _sentence(text: str) -> str:
    """A message as a sentence."""
    return f"{capitalize(text).rstrip('.')}."
