"""Measures of a trace whose numbers have cells, like those of its tensors: entropies, averages, rollout, cosines.

They are computed when they are read. Measures with the prefix of a tensor compare the rows of that tensor.
"""

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float

from encoder_core import analysis
from encoder_core.trace import EncoderTrace

Square = Float[np.ndarray, "*batch row column"]

# The axes of each measure; those that are neither sentences nor heads are as long as the trace has tokens.
LAYER_MEASURE_AXES = {
    "pattern_entropy": "batch head query",
    "mean_pattern": "batch query key",
    "rollout_step": "batch query key",
    "rollout": "batch query input",
    "resid_post_cosines": "batch seq other",
}
MEASURE_AXES = {
    "position_products": "position other_position",
    "embedded_cosines": "batch seq other",
    "output_cosines": "batch seq other",
}
COMPARED_TENSORS = {f"{tensor}_cosines": tensor for tensor in ("embedded", "resid_post", "output")}


def measure(trace: EncoderTrace, name: str, layer: int | None) -> Float[np.ndarray, "..."]:
    """The numbers of a measure for all sentences; `layer` is None for measures outside the layers."""
    return _MEASURES[name](trace, layer)


def _pattern_entropy(trace: EncoderTrace, layer: int) -> Float[np.ndarray, "batch head query"]:
    """The entropy of each row of attention weights, in bits; dropout can make it negative."""
    return analysis.entropy(trace.layers[layer].pattern)


def _mean_pattern(trace: EncoderTrace, layer: int) -> Square:
    """The attention weights averaged over the heads."""
    return np.asarray(trace.layers[layer].pattern.mean(axis=1))


def _rollout_step(trace: EncoderTrace, layer: int) -> Square:
    """½ average + ½ I, as in `analysis.mix_with_residual`."""
    return analysis.mix_with_residual(trace.layers[layer].pattern)  # of all sentences, as of several layers


def _rollout(trace: EncoderTrace, layer: int) -> Square:
    """The product of the steps up to this layer, as in `analysis.rollout`."""
    sentences = range(len(trace.real))
    return np.stack([analysis.rollout(analysis.stack_patterns(trace, place)[: layer + 1])[-1] for place in sentences])


def _position_products(trace: EncoderTrace, _: None) -> Square:
    """The dot product of every pair of positions."""
    return trace.position_encoding @ trace.position_encoding.T


def _cosines(tensor: str) -> Callable[..., Square]:
    """The cosine of every pair of tokens of a sentence, in a tensor (batch, seq, d_model)."""

    def compute(trace: EncoderTrace, layer: int | None) -> Square:
        rows = getattr(trace if layer is None else trace.layers[layer], tensor)
        return analysis.cosines(rows, rows)

    return compute


_MEASURES: Mapping[str, Callable[..., Float[np.ndarray, "..."]]] = {
    "pattern_entropy": _pattern_entropy,
    "mean_pattern": _mean_pattern,
    "rollout_step": _rollout_step,
    "rollout": _rollout,
    "position_products": _position_products,
    **{name: _cosines(tensor) for name, tensor in COMPARED_TENSORS.items()},
}
