"""Measures of a trace, computed in float64 from their definitions, one number at a time."""

import math

import numpy as np

from encoder_core import EncoderTrace
from encoder_core.explain import Cell
from encoder_core.explain.measures import LAYER_MEASURE_AXES, MEASURE_AXES

MEASURES = frozenset((*LAYER_MEASURE_AXES, *MEASURE_AXES))
ABSOLUTE = 1e-5  # shares and cosines are at most 1; the products of positions are relative to their size


def measure_at(trace: EncoderTrace, cell: Cell) -> float:
    if cell.tensor == "pattern_entropy":
        weights = trace.layers[cell.layer].pattern[cell.index].astype(float)
        return -math.fsum(weight * math.log2(weight) for weight in weights if weight)
    *sentence, row, column = cell.index
    if cell.tensor == "position_products":
        return _dot(trace.position_encoding[row], trace.position_encoding[column])
    if cell.tensor.endswith("_cosines"):
        holder = trace if cell.layer is None else trace.layers[cell.layer]
        rows = getattr(holder, cell.tensor.removesuffix("_cosines"))[sentence[0]]
        lengths = [math.sqrt(_dot(rows[token], rows[token])) for token in (row, column)]
        return _dot(rows[row], rows[column]) / math.prod(lengths) if all(lengths) else 0.0
    patterns = [layer.pattern[sentence[0]] for layer in trace.layers[: cell.layer + 1]]
    if cell.tensor == "mean_pattern":
        return sum(float(weights[row, column]) for weights in patterns[-1]) / len(patterns[-1])
    shares = np.eye(patterns[0].shape[-1])
    for pattern in patterns if cell.tensor == "rollout" else patterns[-1:]:
        shares = _step(pattern) @ shares
    return float(shares[row, column])


def _dot(left, right) -> float:
    return math.fsum(float(a) * float(b) for a, b in zip(left, right, strict=True))


def _step(pattern):
    """Attention and the residual stream, each one half of the row; the residual stream alone where no key is seen."""
    mixed = sum(weights.astype(float) for weights in pattern) / len(pattern) + np.eye(pattern.shape[-1])
    return mixed / mixed.sum(axis=1)[:, None]
