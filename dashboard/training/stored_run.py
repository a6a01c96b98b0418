"""A training run with all that was measured so far."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from encoder_core.parameters import Parameters
from encoder_core.training import Evaluation, RunState, Steps, TrainingPlan
from encoder_core.training.history import History

Status = Literal["queued", "starting", "running", "pausing", "paused", "finished", "stopped", "diverged", "failed"]
ACTIVE: tuple[Status, ...] = ("starting", "running", "pausing")  # the training process has the run
_SPEED_MEMORY = 0.9  # weight of the earlier estimate of the speed in the next one


class StoredCheckpoint(NamedTuple):
    """The parameters after step `step`, and their evaluation."""

    step: int
    parameters: Parameters
    evaluation: Evaluation


@dataclass(eq=False)
class StoredRun:
    """A run. Only the registry changes it; pages read it without a lock.

    number       the place in the order of creation
    id           in the URL; it cannot be guessed
    partner      id of the run that was started together with this one, for a comparison
    owner        the session that has started it
    viewers      the sessions that have looked at it, and when each was last open, in seconds
    last_seen    when one of them was last open, in seconds
    until        the step after which it pauses
    sentence     why it ended or failed; "" if there is nothing to say
    step         steps so far
    speed        steps per second, lately; 0 before the first steps
    checkpoints  in increasing order of their steps
    state        what a paused run needs to continue
    """

    number: int
    id: str
    plan: TrainingPlan
    owner: str
    last_seen: float
    partner: str | None = None
    viewers: dict[str, float] = field(default_factory=dict)
    until: int = 0
    status: Status = "queued"
    sentence: str = ""
    step: int = 0
    speed: float = 0.0
    checkpoints: tuple[StoredCheckpoint, ...] = ()
    state: RunState | None = None

    def __post_init__(self) -> None:
        steps = self.plan.steps
        # Numbers once written stay, so that a page can read those before `step` at any time.
        shapes: tuple[tuple[int, ...], ...] = ((steps,), (steps,), (steps, len(self.plan.parts)))
        self._steps = Steps(*(np.zeros(shape, np.float32) for shape in shapes))
        self._measured_bytes = sum(array.nbytes for array in self._steps)

    @property
    def num_bytes(self) -> int:
        """Memory of the measurements, the checkpoints and the state."""
        return self._measured_bytes + (self.state.num_bytes if self.state else 0)

    @property
    def is_open(self) -> bool:
        """Whether the run waits for its turn or is being trained."""
        return self.status == "queued" or self.status in ACTIVE

    @property
    def history(self) -> History:
        """What was measured so far."""
        step, checkpoints = self.step, self.checkpoints
        return History(
            Steps(*(array[:step] for array in self._steps)),
            tuple(checkpoint.step for checkpoint in checkpoints),
            tuple(checkpoint.evaluation for checkpoint in checkpoints),
        )

    def add_steps(self, last: int, steps: Steps, seconds: float) -> None:
        """Add the measurements of the steps that end with step `last`."""
        first = last - len(steps.loss)
        for stored, new in zip(self._steps, steps, strict=True):
            stored[first:last] = new
        self.step = last
        if seconds:
            latest = len(steps.loss) / seconds
            self.speed = latest if self.speed == 0 else _SPEED_MEMORY * self.speed + (1 - _SPEED_MEMORY) * latest

    def add_checkpoint(self, checkpoint: StoredCheckpoint) -> None:
        """Add a checkpoint, which is later than all others."""
        self._measured_bytes += sum(array.nbytes for array in checkpoint.parameters.values())
        self.checkpoints = (*self.checkpoints, checkpoint)

    def checkpoint_at(self, step: int | None) -> StoredCheckpoint | None:
        """The latest checkpoint that is not after `step`, or of all; None before the first one."""
        before = [checkpoint for checkpoint in self.checkpoints if step is None or checkpoint.step <= step]
        return before[-1] if before else self.checkpoints[0] if self.checkpoints else None
