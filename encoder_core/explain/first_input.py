"""The input of the first layer in float64 NumPy, recomputed or with another position encoding."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.edits.apply import set_embedded
from encoder_core.explain.sublayers import NormSteps, layer_norm_steps
from encoder_core.support.read_only import compared_by_identity
from encoder_core.trace import Run


@compared_by_identity
class FirstInput(NamedTuple):
    """The input of the first layer and the tensors that it is computed from.

    total     the scaled embedding plus the position encoding
    norm      the steps of the embedding norm of `total`; None where the model has no such norm
    embedded  the output of the norm, or `total` without a norm; after dropout and edits
    """

    total: Float[np.ndarray, "*batch seq d_model"]
    norm: NormSteps | None
    embedded: Float[np.ndarray, "*batch seq d_model"]

    def for_sentence(self, sentence: int) -> "FirstInput":
        """The tensors of one sentence of the batch."""
        norm = None if self.norm is None else NormSteps(*(step[sentence] for step in self.norm))
        return FirstInput(self.total[sentence], norm, self.embedded[sentence])


def first_input(run: Run) -> FirstInput:
    """The tensors of the trace; the steps of the norm are computed from the sum in the trace."""
    trace, total = run.trace, run.trace.embedding_sum
    if total is None:
        total = trace.scaled_embedding + trace.position_encoding
    return FirstInput(total, embedding_norm(run, total), trace.embedded)


def first_input_with_positions(run: Run, position_encoding: Float[np.ndarray, "seq d_model"]) -> FirstInput:
    """The tensors with this position encoding instead of that of the model."""
    total = run.trace.scaled_embedding.astype(float) + position_encoding
    norm = embedding_norm(run, total)
    embedded = run.apply_dropout(total if norm is None else norm.output, "embedded")
    return FirstInput(total, norm, set_embedded(embedded, run.effects))


def embedding_norm(run: Run, total: Float[np.ndarray, "*batch seq d_model"]) -> NormSteps | None:
    """The steps of the norm of embedding plus position (BERT; Devlin et al. 2019); None in models without it."""
    if not run.config.embedding_norm:
        return None
    scale, shift = run.edited_parameters["embedding_norm.scale"], run.edited_parameters["embedding_norm.bias"]
    return layer_norm_steps(total, scale, shift, run.config.norm_eps)
