"""Training an encoder on a task whose attention can be interpreted.

    from encoder_core.training import TrainingPlan, TrainingRun

    run = TrainingRun(TrainingPlan(task="reverse", steps=200))    # the default of 1000 steps learns more
    while run.step < run.plan.steps:
        run.advance(50)
    encoder = run.encoder()                  # an `Encoder` with an output head and the tokenizer of the task

`task` says what a task is, `tasks` has one module for each, `plan` has the settings of a run, `network` the model,
`run` the loop, `shipped` the small trained encoders of this package, `worker` the process that trains several runs in
turn, `messages` what it receives and sends.
`python -m encoder_core.training.ship` trains the encoders that are part of this package.
"""

from encoder_core.inputs.task_tokenizer import TaskTokenizer
from encoder_core.training.plan import TrainingPlan
from encoder_core.training.run import Diverged, Evaluation, Steps, TrainingRun
from encoder_core.training.run_state import RunState
from encoder_core.training.shipped import PLANS, initial_encoder, model_card, trained_encoder
from encoder_core.training.task import Batch, Task
from encoder_core.training.tasks import tasks

__all__ = [
    "PLANS",
    "Batch",
    "Diverged",
    "Evaluation",
    "RunState",
    "Steps",
    "Task",
    "TaskTokenizer",
    "TrainingPlan",
    "TrainingRun",
    "initial_encoder",
    "model_card",
    "tasks",
    "trained_encoder",
]
