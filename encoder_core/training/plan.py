"""The settings of a training run: a frozen, validated dataclass."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Integral, Real

import numpy as np
import optax

from encoder_core.config import EncoderConfig, Norm, Positions
from encoder_core.parameters.cost import BYTES_PER_PARAMETER, parameters_by_part
from encoder_core.support.validation import invalid_value, require_integer
from encoder_core.support.wording import numbered
from encoder_core.training.task import Task
from encoder_core.training.tasks import tasks

# The allowed settings. They bound the time and the memory of a run.
CHOICES: Mapping[str, tuple[str | int | float, ...]] = {
    "d_model": (16, 32, 48, 64, 96, 128),
    "num_heads": (1, 2, 4, 8, 16),
    "d_ff": (16, 32, 64, 128, 256, 512),
    "num_layers": (1, 2, 3, 4),
    "norm": ("post", "pre"),
    "positions": ("sinusoidal", "learned", "none"),
    "learning_rate": (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0),
    "warm_up": (0, 20, 50, 100, 200, 500),
    "batch": (16, 32, 64, 128),
    "steps": (100, 200, 500, 1000, 2000, 4000, 8000),
    "seed": tuple(range(10)),
}

CHUNK = 10  # steps of one call of the compiled program
_CHECKPOINTS = 25  # of a run, at most
_CHECKPOINT_BYTES = 24_000_000  # of all checkpoints of a run; a large encoder has fewer of them


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """What is trained, and how.

    task           name of a task in `tasks()`
    d_model, num_heads, d_ff, num_layers, norm, positions  as in `EncoderConfig`; pre-norm has a final norm
    learning_rate  the greatest of the run: it rises during `warm_up` steps and then falls to 0 with a cosine
    batch          random inputs of one step
    steps          number of updates
    seed           of the initial parameters (`draw_parameters`) and of the inputs

    Raises ValueError that names the field, its value and the allowed values.
    """

    task: str = "reverse"
    d_model: int = 64
    num_heads: int = 4
    d_ff: int = 128
    num_layers: int = 2
    norm: Norm = "post"
    positions: Positions = "learned"
    learning_rate: float = 3e-3
    warm_up: int = 100
    batch: int = 64
    steps: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            allowed = tuple(tasks()) if field.name == "task" else CHOICES[field.name]
            value = getattr(self, field.name)
            # A whole number is no 64.0, as in `EncoderConfig`; a learning rate may be 1.
            is_plain = isinstance(value, Integral if isinstance(allowed[0], int) else str | Real)
            is_plain = is_plain and not isinstance(value, bool)
            if not is_plain or value not in allowed:
                raise invalid_value(field.name, value, ", ".join(map(str, allowed)))
            # Numbers of NumPy become numbers of Python, so that equal plans have the same cache key.
            object.__setattr__(self, field.name, allowed[allowed.index(value)])

    @property
    def definition(self) -> Task:
        """The task itself."""
        return tasks()[self.task]

    @property
    def config(self) -> EncoderConfig:
        """The configuration of the encoder that is trained."""
        return EncoderConfig(
            vocab_size=len(self.definition.vocabulary),
            max_len=self.definition.max_len,
            d_model=self.d_model,
            num_heads=self.num_heads,
            d_ff=self.d_ff,
            num_layers=self.num_layers,
            norm=self.norm,
            final_norm=self.norm == "pre",
            positions=self.positions,
            output_head=True,
        )

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the encoder whose gradients are measured: embedding, each layer, output."""
        return ("embedding", *numbered("layer", self.num_layers), "output")

    @property
    def checkpoint_steps(self) -> tuple[int, ...]:
        """The steps after which the parameters are kept: 0, the last one, and squares between, multiples of CHUNK."""
        size = sum(parameters_by_part(self.config).values()) * BYTES_PER_PARAMETER
        intervals = int(np.clip(_CHECKPOINT_BYTES // size, 2, _CHECKPOINTS)) - 1
        squares = self.steps / CHUNK * (np.arange(intervals + 1) / intervals) ** 2
        return tuple(int(step) * CHUNK for step in np.unique(np.round(squares)))

    @property
    def warm_up_steps(self) -> int:
        """The steps in which the learning rate rises: `warm_up`, or all but the last of a shorter run."""
        return min(self.warm_up, self.steps - 1)

    def learning_rates(self, first: int, count: int) -> np.ndarray:
        """The learning rate of each of `count` steps from step `first` on (0: the first step), shape (count,).

        Raises ValueError unless both are whole numbers from 0.
        """
        first, count = require_integer("first", first, 0), require_integer("count", count, 0)
        warm_up = self.warm_up_steps
        schedule = optax.warmup_cosine_decay_schedule(
            self.learning_rate / (warm_up + 1), self.learning_rate, warm_up, self.steps
        )
        return np.asarray(schedule(np.arange(first, first + count)), np.float32)
