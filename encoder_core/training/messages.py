"""The messages between a training process and the one that has started it."""

from typing import NamedTuple

from encoder_core.parameters import Parameters
from encoder_core.training.plan import TrainingPlan
from encoder_core.training.run import Evaluation, Steps
from encoder_core.training.run_state import RunState


class Start(NamedTuple):
    """Begin or continue a run. The process pauses it after step `until`, if that is not the last one."""

    run: str
    plan: TrainingPlan
    state: RunState | None
    until: int


class Pause(NamedTuple):
    """Answer with `Paused`, and forget the run."""

    run: str


class Stop(NamedTuple):
    """Forget the run, without an answer."""

    run: str


class StepsMade(NamedTuple):
    """What was measured in the steps that end with step `step`, and the seconds since the steps before.

    seconds  0 where they are not known: for the first steps in the process, which include compiling, and the last ones
             of a run that diverges
    """

    run: str
    step: int
    steps: Steps
    seconds: float


class CheckpointMade(NamedTuple):
    """The parameters after step `step`, and their evaluation."""

    run: str
    step: int
    parameters: Parameters
    evaluation: Evaluation


class Paused(NamedTuple):
    """The run waits; the process does not keep it. The state is None if the run has not begun."""

    run: str
    state: RunState | None


class Finished(NamedTuple):
    """All steps of the run are made."""

    run: str


class Failed(NamedTuple):
    """The run cannot continue.

    has_diverged  whether the loss diverged; False for an error of the program
    """

    run: str
    sentence: str
    has_diverged: bool


Request = Start | Pause | Stop
Report = StepsMade | CheckpointMade | Paused | Finished | Failed
