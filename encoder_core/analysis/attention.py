"""Attention weights of all layers, visible keys, and attention rollout."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.support.validation import invalid_value, require_index, require_mask, require_numbers, require_square
from encoder_core.trace import EncoderTrace, require_trace


def stack_patterns(trace: EncoderTrace, sentence: int = 0) -> Float[np.ndarray, "layer head query key"]:
    """The attention weights of all heads of all layers, for one sentence.

    Raises ValueError where there is no such sentence.
    """
    require_trace(trace)
    require_index("sentence", sentence, len(trace.mask))
    return np.stack([layer.pattern[sentence] for layer in trace.layers])


def visible_keys(trace: EncoderTrace, sentence: int = 0) -> Bool[np.ndarray, "layer head query key"]:
    """True where a query attends to a key: where the mask allows it, or an edit sets the masked score.

    Raises ValueError where there is no such sentence.
    """
    require_trace(trace)
    require_index("sentence", sentence, len(trace.mask))
    return np.stack([np.isfinite(layer.scores[sentence]) for layer in trace.layers])


def later_key_share(
    patterns: Sequence[Float[np.ndarray, "batch head seq seq"]], real: Bool[np.ndarray, "batch seq"] | None = None
) -> float:
    """The share of all attention weight that queries give to later keys: the sum above the diagonals over the sum.

    patterns  the attention weights of each layer
    real      True for tokens that are not padding: only these are queries that count, and later keys; None for all

    0 if there is no weight at all, because every key is masked. Raises ValueError for what is no list of weights, and
    for `real` of another shape.
    """
    if isinstance(patterns, str | Mapping | EncoderTrace) or not isinstance(patterns, Iterable):
        raise invalid_value("patterns", patterns, "lists of the weights of each layer")
    patterns = [require_numbers("patterns", pattern, "batch head query key") for pattern in patterns]
    for pattern in patterns:
        require_square("patterns", pattern)
    if real is not None:
        for pattern in patterns:
            require_mask("real", real, (pattern.shape[0], pattern.shape[2]))
        patterns = [np.where(real[:, None, :, None], pattern, 0) for pattern in patterns]
    total = sum(float(pattern.sum()) for pattern in patterns)
    if real is not None:
        patterns = [np.where(real[:, None, None, :], pattern, 0) for pattern in patterns]
    later = sum(float(np.triu(pattern, 1).sum()) for pattern in patterns)
    return later / total if total else 0.0


def rollout(patterns: Float[np.ndarray, "layer head seq seq"]) -> Float[np.ndarray, "layer seq seq"]:
    """Attention rollout, an estimate of the share of each input token in each token of every layer.

    R_l = M_l R_(l-1) with R_0 = I and M_l of `mix_with_residual`: attention and the residual stream have equal weight.
    Source: Abnar & Zuidema 2020, "Quantifying attention flow in Transformers", section 3. Raises ValueError for weights
    on other axes.
    """
    mixed = mix_with_residual(patterns)
    rolled = [mixed[0]]
    for layer in mixed[1:]:
        rolled.append(layer @ rolled[-1])
    return np.stack(rolled)


def mix_with_residual(patterns: Float[np.ndarray, "layer head seq seq"]) -> Float[np.ndarray, "layer seq seq"]:
    """M = 0.5 A + 0.5 I, each row divided by its sum; A is the mean of the attention weights over the heads.

    Before the division, the sum is 1, but 1/2 where every key is masked, and below or above 1 with dropout. Raises
    ValueError for weights on other axes.
    """
    patterns = require_numbers("patterns", patterns, "layer head query key")
    require_square("patterns", patterns)
    averaged = patterns.mean(axis=1)
    mixed = 0.5 * averaged + 0.5 * np.eye(averaged.shape[-1], dtype=averaged.dtype)
    return mixed / mixed.sum(axis=-1, keepdims=True)
