"""Small encoders that differ in their number of heads alone, and how well each of them has learned a task.

Each has one layer of width 16 and was trained on the same inputs, with every seed for the same number of steps.
`python -m encoder_core.training.ship` makes their weights, which are stored as 16-bit numbers.
"""

from functools import cache
from importlib.resources import files

import numpy as np
from safetensors.numpy import load

from encoder_core.blocks import output_logits
from encoder_core.encoder import Encoder
from encoder_core.parameters import Parameters
from encoder_core.support.validation import require_choice
from encoder_core.training.plan import TrainingPlan
from encoder_core.training.seen_inputs import set_aside
from encoder_core.training.shipped import FOLDER
from encoder_core.training.task import Batch

TASKS = ("sort", "bracket")
HEADS = (1, 2, 4, 8, 16)
SEEDS = (0, 1, 2)
NUM_INPUTS = 100  # of the test inputs; all of them take 5 s for the encoders of one task


def file_name(task: str) -> str:
    """The file with the weights of all encoders of a task, without its ending."""
    return f"heads_{task}"


def head_count_plan(task: str, heads: int, seed: int) -> TrainingPlan:
    """How one of the encoders was trained."""
    return TrainingPlan(task=task, d_model=16, num_heads=heads, d_ff=32, num_layers=1, steps=2000, seed=seed)


def stored_name(heads: int, seed: int, parameter: str) -> str:
    """The name of a parameter in the file of its task."""
    return f"{heads}.{seed}.{parameter}"


@cache
def _stored(task: str) -> Parameters:
    weights = files("encoder_core.training").joinpath(FOLDER, f"{file_name(task)}.safetensors").read_bytes()
    return {name: array.astype(np.float32) for name, array in load(weights).items()}


def head_count_encoder(task: str, heads: int, seed: int) -> Encoder:
    """One of the encoders. Raises ValueError for a task, a number of heads or a seed that is not among those above."""
    require_choice("task", task, TASKS)
    require_choice("heads", heads, HEADS)
    require_choice("seed", seed, SEEDS)
    plan, prefix = head_count_plan(task, heads, seed), stored_name(heads, seed, "")
    parameters = {name.removeprefix(prefix): array for name, array in _stored(task).items() if name.startswith(prefix)}
    return Encoder.from_parameters(plan.config, parameters, tokenizer=plan.definition.tokenizer)


@cache
def right_outputs(task: str, heads: int, seed: int) -> float:
    """The fraction of right outputs for the test inputs."""
    encoder, plan = head_count_encoder(task, heads, seed), head_count_plan(task, heads, seed)
    batch = Batch(*(array[:NUM_INPUTS] for array in set_aside(plan)))
    inputs = plan.definition.separate(batch)
    output = np.concatenate([trace.stages[-1] for trace in encoder.trace_sentences(inputs)])  # there is no final norm
    is_right = output_logits(output, encoder.parameters()).argmax(axis=-1) == batch.targets[batch.real]
    return float(is_right[batch.scored[batch.real]].mean())
