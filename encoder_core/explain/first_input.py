"""What enters the first block, in float64 NumPy: for the badge, and to try another position encoding."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.edits.apply import set_embedded
from encoder_core.explain.sublayers import NormSteps, layer_norm
from encoder_core.trace import Run


class FirstInput(NamedTuple):
    """What enters the first block, and what it is made from.

    total     the scaled embedding plus the position encoding
    norm      the embedding norm of that, step by step; None where the model has none
    embedded  the norm's output, or else the sum; after dropout, and with the numbers that are set by hand
    """

    total: Float[np.ndarray, "*batch seq d_model"]
    norm: NormSteps | None
    embedded: Float[np.ndarray, "*batch seq d_model"]

    def of(self, sentence: int) -> "FirstInput":
        """The same for one sentence of the batch."""
        norm = None if self.norm is None else NormSteps(*(step[sentence] for step in self.norm))
        return FirstInput(self.total[sentence], norm, self.embedded[sentence])


def first_input(run: Run) -> FirstInput:
    """As the trace shows it; the steps of the norm are computed from the sum shown."""
    trace, total = run.trace, run.trace.embedding_sum
    if total is None:
        total = trace.scaled_embedding + trace.position_encoding
    return FirstInput(total, embedding_norm(run, total), trace.embedded)


def first_input_with(run: Run, position_encoding: Float[np.ndarray, "seq d_model"]) -> FirstInput:
    """As it would be with this position encoding in the place of the model's."""
    total = run.trace.scaled_embedding.astype(float) + position_encoding
    norm = embedding_norm(run, total)
    embedded = run.dropped(total if norm is None else norm.output, "embedded")
    return FirstInput(total, norm, set_embedded(embedded, run.effects))


def embedding_norm(run: Run, total: Float[np.ndarray, "*batch seq d_model"]) -> NormSteps | None:
    """The norm of embedding plus position (BERT; Devlin et al. 2019); None where the model has none."""
    if not run.config.embedding_norm:
        return None
    scale, shift = run.edited_parameters["embedding_norm.scale"], run.edited_parameters["embedding_norm.bias"]
    return layer_norm(total, scale, shift, run.config.norm_eps)
