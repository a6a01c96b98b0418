"""The steps of softmax, and the entropy of its weights."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import entr

from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import invalid_value, require_number, require_numbers, require_weights


@compared_by_identity
class SoftmaxSteps(NamedTuple):
    """The steps of softmax along rows of scores s; `blocks.softmax` is the function of the encoder.

    shifted  (s - max s) / T: the largest becomes 0, so that exp cannot overflow
    exp      exp(shifted), from 0 to 1; 0 where the key is masked
    total    sum of exp along the row; 0 where every key is masked
    weights  exp / total; zeros where every key is masked
    """

    shifted: Float[np.ndarray, "*row key"]
    exp: Float[np.ndarray, "*row key"]
    total: Float[np.ndarray, "*row"]
    weights: Float[np.ndarray, "*row key"]


def softmax_steps(scores: Float[np.ndarray, "*row key"], temperature: float = 1.0) -> SoftmaxSteps:
    """The steps of softmax, in float64. A key whose score is -inf is masked.

    weights_j = exp((s_j - max s) / T) / sum_k exp((s_k - max s) / T)

    With T = 1 it is the softmax of Vaswani et al. 2017, equation 1. Temperature: Hinton, Vinyals & Dean 2015,
    section 2. Subtracting the maximum does not change the weights: Goodfellow, Bengio & Courville 2016, section 4.1.
    Raises ValueError for what is no numbers, for NaN and +inf, and unless the temperature is from 1e-12 to 1e12.
    """
    scores = require_numbers("scores", scores, "*row key")
    temperature = require_number("temperature", temperature, 1e-12, 1e12)
    if not (scores < np.inf).all():  # NaN, too
        raise invalid_value("scores", scores, "numbers below infinity; -inf masks a key")
    scores = scores.astype(float)
    row_max = np.max(scores, axis=-1, keepdims=True)
    visible = np.isfinite(scores)
    shifted = np.where(visible, scores - np.where(np.isfinite(row_max), row_max, 0), -np.inf) / temperature
    exp = np.exp(shifted)
    total = np.asarray(exp.sum(axis=-1))  # an array also for a single row
    weights = exp / np.where(total == 0, 1, total)[..., None]
    return SoftmaxSteps(shifted, exp, total, weights)


def softmax(scores: Float[np.ndarray, "*row key"]) -> Float[np.ndarray, "*row key"]:
    """The weights of each row of scores. Raises ValueError as `softmax_steps` does."""
    return softmax_steps(scores).weights


def entropy(weights: Float[np.ndarray, "*row key"]) -> Float[np.ndarray, "*row"]:
    """H = - sum_j w_j log2 w_j of each row, in bits, with 0 log 0 = 0 (Shannon 1948, section 6).

    0 where one key has weight 1, and for a row of zeros; `largest_entropy` where all visible keys have equal weights.
    Weights above 1, such as after dropout, can make it negative. Raises ValueError for what is no finite numbers, and
    for those below 0 or above 1e300.
    """
    weights = require_numbers("weights", weights, "*row key")
    require_weights("weights", weights)
    return np.asarray(entr(weights.astype(float)).sum(axis=-1) / np.log(2) + 0.0)  # not -0


def largest_entropy(visible: Bool[np.ndarray, "*row key"]) -> Float[np.ndarray, "*row"]:
    """The entropy of equal weights, in bits: log2 of the number of visible keys of each row; 0 where there is none.

    Raises ValueError for what is no mask.
    """
    visible = require_numbers("visible", visible, "*row key")
    if visible.dtype.kind != "b":
        raise invalid_value("visible", visible, "boolean arrays")
    return np.asarray(np.log2(np.maximum(visible.sum(axis=-1), 1)))
