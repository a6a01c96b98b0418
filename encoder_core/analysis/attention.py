"""Attention weights of all layers, visible keys, and attention rollout."""

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis.comparable import require_chained_trace
from encoder_core.support.validation import require_index, require_numbers, require_square, require_weights
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


def later_key_share(trace: EncoderTrace) -> float:
    """The share of all attention weight that queries give to later keys, in all layers, heads and sentences.

    It is the sum above the diagonals over the sum. Padding counts neither as a query nor as a later key, but its weight
    is a part of the sum. 0 if there is no weight at all, because every key is masked. Raises ValueError for what is no
    trace.
    """
    require_trace(trace)
    patterns = [np.where(trace.real[:, None, :, None], layer.pattern, 0) for layer in trace.layers]
    total = sum(float(pattern.sum()) for pattern in patterns)
    patterns = [np.where(trace.real[:, None, None, :], pattern, 0) for pattern in patterns]
    later = sum(float(np.triu(pattern, 1).sum()) for pattern in patterns)
    return later / total if total else 0.0


def rollout(
    trace: EncoderTrace, sentence: int = 0, *, allow_unchained: bool = False
) -> Float[np.ndarray, "layer seq seq"]:
    """Attention rollout, an estimate of the share of each input token in each token of every layer.

    allow_unchained  True: also for layers that all read the embedded input, see `require_chained_trace`

    R_l = M_l R_(l-1) with R_0 = I and M_l of `mix_with_residual`: attention and the residual stream have equal weight.
    Source: Abnar & Zuidema 2020, "Quantifying attention flow in Transformers", section 3. Raises ValueError where there
    is no such sentence, and for layers that are not chained.
    """
    require_trace(trace)
    require_chained_trace(trace, allow_unchained=allow_unchained)
    return rollout_of_weights(stack_patterns(trace, sentence))


def rollout_of_weights(patterns: Float[np.ndarray, "layer head seq seq"]) -> Float[np.ndarray, "layer seq seq"]:
    """The rollout of the attention weights of all layers, see `rollout`."""
    mixed = mix_with_residual(patterns)
    rolled = [mixed[0]]
    for layer in mixed[1:]:
        rolled.append(layer @ rolled[-1])
    return np.stack(rolled)


def mix_with_residual(patterns: Float[np.ndarray, "*lead head seq seq"]) -> Float[np.ndarray, "*lead seq seq"]:
    """M = 0.5 A + 0.5 I, each row divided by its sum; A is the mean of the attention weights over the heads.

    patterns  of one layer or several: those of `stack_patterns`, or `trace.layers[0].pattern`

    Before the division, the sum is 1, but 1/2 where every key is masked, and below or above 1 with dropout. Raises
    ValueError for weights on other axes, that are not finite, or that are below 0 or above 1e300.
    """
    patterns = require_numbers("patterns", patterns, "*lead head query key")
    require_square("patterns", patterns)
    require_weights("patterns", patterns)
    averaged = patterns.mean(axis=-3)
    mixed = 0.5 * averaged + 0.5 * np.eye(averaged.shape[-1], dtype=averaged.dtype)
    return mixed / mixed.sum(axis=-1, keepdims=True)
