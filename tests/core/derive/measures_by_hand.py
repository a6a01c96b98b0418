"""Measures of a run, computed in float64 from their definitions, one number at a time."""

import math

import numpy as np

from encoder_core import Run
from encoder_core.explain import Cell
from encoder_core.explain.measures import LAYER_MEASURE_AXES, MEASURE_AXES

MEASURES = frozenset((*LAYER_MEASURE_AXES, *MEASURE_AXES))
ABSOLUTE = 1e-5  # shares and cosines are at most 1; the products of positions are relative to their size


def measure_at(run: Run, cell: Cell) -> float:
    trace = run.trace
    if "_lens_" in cell.tensor:
        return _lens_at(run, cell)
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


def _lens_at(run: Run, cell: Cell) -> float:
    """The final norm of a row of the residual stream, times the matrix of the output head, and the softmax of that."""
    tensor, part = cell.tensor.split("_lens_")
    (sentence, token, place), parameters = cell.index, run.edited_parameters
    x = getattr(run.trace if cell.layer is None else run.trace.layers[cell.layer], tensor)[sentence, token].tolist()
    if run.config.final_norm:
        mean = math.fsum(x) / len(x)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in x) / len(x) + run.config.norm_eps)
        scale, shift = parameters["final_norm.scale"].tolist(), parameters["final_norm.bias"].tolist()
        x = [(value - mean) / deviation * g + b for value, g, b in zip(x, scale, shift, strict=True)]
    if part == "stream":
        return x[place]
    biases = parameters.get("output_head.bias", np.zeros(run.config.vocab_size)).tolist()
    logits = [
        _dot(x, column) + bias for column, bias in zip(parameters["output_head.kernel"].T.tolist(), biases, strict=True)
    ]
    if part == "logits":
        return logits[place]
    return 1 / math.fsum(math.exp(logit - logits[place]) for logit in logits)


def _dot(left, right) -> float:
    return math.fsum(float(a) * float(b) for a, b in zip(left, right, strict=True))


def _step(pattern):
    """Attention and the residual stream, each one half of the row; the residual stream alone where no key is seen."""
    mixed = sum(weights.astype(float) for weights in pattern) / len(pattern) + np.eye(pattern.shape[-1])
    return mixed / mixed.sum(axis=1)[:, None]
