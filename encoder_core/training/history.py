"""What was measured during a run, from its first step to the latest."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.training.run import Evaluation, Steps


class History(NamedTuple):
    """What was measured in each step so far, and after the steps with a checkpoint."""

    steps: Steps
    checkpoint_steps: tuple[int, ...]
    evaluations: tuple[Evaluation, ...]


def mean_of_bins(
    values: Float[np.ndarray, "step"], max_bins: int
) -> tuple[Float[np.ndarray, "bin"], Float[np.ndarray, "bin"], int]:
    """The last step of each bin of consecutive steps, the mean of its values, and the number of steps in a full bin."""
    size = max(1, -(-len(values) // max_bins))
    starts = np.arange(0, len(values), size)
    lasts = np.minimum(starts + size, len(values))
    means = np.add.reduceat(values, starts) / (lasts - starts) if len(values) else np.zeros(0)
    return lasts.astype(np.float32), means.astype(np.float32), size
