"""Attention weights of all layers: which keys are visible, and attention rollout."""

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.trace import EncoderTrace


def patterns_of(trace: EncoderTrace, sentence: int) -> Float[np.ndarray, "layer head query key"]:
    """The attention weights of every head of every layer, for one sentence."""
    return np.stack([layer.pattern[sentence] for layer in trace.layers])


def visible_keys(trace: EncoderTrace, sentence: int) -> Bool[np.ndarray, "layer head query key"]:
    """Which keys each query sees: those of the mask, and those whose masked score an edit has set to a number."""
    return np.stack([np.isfinite(layer.scores[sentence]) for layer in trace.layers])


def rollout(patterns: Float[np.ndarray, "layer head seq seq"]) -> Float[np.ndarray, "layer seq seq"]:
    """How much of each input token reaches each token of every layer: R_l = A_l R_(l-1), with R_0 = I.

    A_l = 0.5 W_l + 0.5 I with W_l the pattern averaged over the heads: half of a row comes by way of attention, half
    along the residual stream. Rows are then made to add up to one again (a row masked everywhere has no attention).
    Source: Abnar & Zuidema 2020, "Quantifying attention flow in Transformers", section 3.
    """
    mixed = with_residual(patterns)
    rolled = [mixed[0]]
    for layer in mixed[1:]:
        rolled.append(layer @ rolled[-1])
    return np.stack(rolled)


def with_residual(patterns: Float[np.ndarray, "layer head seq seq"]) -> Float[np.ndarray, "layer seq seq"]:
    """A = 0.5 W + 0.5 I, each row divided by its sum; W is the average over the heads."""
    averaged = patterns.mean(axis=1)
    mixed = 0.5 * averaged + 0.5 * np.eye(averaged.shape[-1], dtype=averaged.dtype)
    return mixed / mixed.sum(axis=-1, keepdims=True)
