"""Softmax step by step, and the entropy of its weights."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float


class SoftmaxSteps(NamedTuple):
    """The steps of softmax along rows of scores s; `blocks.softmax` does the same in one go.

    shifted  (s - max s) / T: the largest becomes 0, so that exp cannot overflow
    exp      exp(shifted), from 0 to 1; 0 where the key is masked
    total    its sum along the row; 0 where every key is masked
    weights  exp / total, zeros where every key is masked
    """

    shifted: Float[np.ndarray, "*row key"]
    exp: Float[np.ndarray, "*row key"]
    total: Float[np.ndarray, "*row"]
    weights: Float[np.ndarray, "*row key"]


def softmax_steps(scores: Float[np.ndarray, "*row key"], temperature: float = 1.0) -> SoftmaxSteps:
    """Softmax step by step, in float64.

    weights_j = exp((s_j - max s) / T) / sum_k exp((s_k - max s) / T)

    With T = 1 it is the softmax of Vaswani et al. 2017, equation 1. Temperature: Hinton, Vinyals & Dean 2015,
    section 2. That subtracting the maximum changes nothing: Goodfellow, Bengio & Courville 2016, section 4.1.
    """
    scores = scores.astype(float)
    row_max = np.max(scores, axis=-1, keepdims=True)
    visible = np.isfinite(scores)
    shifted = np.where(visible, scores - np.where(np.isfinite(row_max), row_max, 0), -np.inf) / temperature
    exp = np.exp(shifted)
    total = np.asarray(exp.sum(axis=-1))  # an array for a single row, too
    weights = exp / np.where(total == 0, 1, total)[..., None]
    return SoftmaxSteps(shifted, exp, total, weights)


def entropy(weights: Float[np.ndarray, "*row key"]) -> Float[np.ndarray, "*row"]:
    """H = - sum_j w_j log2 w_j of each row, in bits, with 0 log 0 = 0 (Shannon 1948, section 6).

    0 where one key has all the weight; `largest_entropy` where all visible keys have the same. A row of zeros gives 0.
    """
    weights = weights.astype(float)
    logs = np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    return np.asarray(np.abs(np.sum(weights * logs, axis=-1)))


def largest_entropy(visible: Bool[np.ndarray, "*row key"]) -> Float[np.ndarray, "*row"]:
    """log2 of the number of keys each row can see, in bits: the entropy of equal weights. 0 where it sees none."""
    return np.asarray(np.log2(np.maximum(visible.sum(axis=-1), 1)))
