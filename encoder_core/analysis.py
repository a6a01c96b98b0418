"""What the pages measure in a trace: pure functions of NumPy arrays, each with its formula and its source."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from encoder_core.trace import EncoderTrace


def one_hot(ids: Int[np.ndarray, "*batch seq"], vocab_size: int) -> Float[np.ndarray, "*batch seq vocab"]:
    """A row of zeros a token, with a 1 in column `id`."""
    return (ids[..., None] == np.arange(vocab_size)).astype(np.float32)


def root_mean_square(values: Float[np.ndarray, "..."]) -> float:
    """sqrt(mean(x^2)): the typical size of the numbers in an array. A sinusoid encoding of even width has sqrt(1/2)."""
    return float(np.sqrt(np.mean(values.astype(float) ** 2)))


def relative_change(before: Float[np.ndarray, "*shape"], after: Float[np.ndarray, "*shape"]) -> float:
    """|after - before| / |before|, in float64: how far an array of numbers moves, as a fraction of its length.

    The length |x| is the square root of the sum of all squares. Where `before` is all zeros, |after|.
    """
    was, now = before.astype(float), after.astype(float)
    return float(np.linalg.norm(now - was) / (np.linalg.norm(was) or 1.0))


class Similarity(NamedTuple):
    """The dot products of all pairs of rows that are equally far apart, by distance: the smallest, mean and largest."""

    low: Float[np.ndarray, "distance"]
    mean: Float[np.ndarray, "distance"]
    high: Float[np.ndarray, "distance"]


def similarity_by_distance(dots: Float[np.ndarray, "row row"]) -> Similarity:
    """For each distance n, over all i: the smallest, mean and largest of dots[i, i + n].

    Of sinusoids all three are the same, sum_k cos(n w_k) with the frequencies w_k, because
    sin a sin b + cos a cos b = cos(a - b): the dot product depends on the distance only (Vaswani et al. 2017, section
    3.5: the encoding of a position n further is a linear function of the encoding).
    """
    diagonals = [np.diagonal(dots, distance).astype(float) for distance in range(len(dots))]
    low, mean, high = np.array([(cells.min(), cells.mean(), cells.max()) for cells in diagonals]).T
    return Similarity(low, mean, high)


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


class SelfMatches(NamedTuple):
    """`matches` of `rows` have their largest visible dot product with themselves."""

    matches: int
    rows: int


def self_matches(dots: Float[np.ndarray, "token token"], visible: Bool[np.ndarray, "token token"]) -> SelfMatches:
    """How many rows have no larger visible number than the one on the diagonal.

    Only rows that see themselves and another key are counted: for a row that sees itself alone (the first under a
    causal mask) nothing else could be the largest. Of dot products of the rows themselves, a . b > a . a is possible.
    """
    diagonal = np.diagonal(visible)
    counted = diagonal & (visible.sum(axis=1) > 1)
    largest = np.where(visible, dots, -np.inf).max(axis=1)
    return SelfMatches(int((counted & (np.diagonal(dots) >= largest)).sum()), int(counted.sum()))


def patterns_of(trace: EncoderTrace, sentence: int) -> Float[np.ndarray, "layer head query key"]:
    """The attention weights of every head of every layer, for one sentence."""
    return np.stack([layer.pattern[sentence] for layer in trace.layers])


def visible_keys(trace: EncoderTrace, sentence: int) -> Bool[np.ndarray, "layer head query key"]:
    """Which keys each query sees: those of the mask, and those whose masked score an edit has set to a number."""
    return np.stack([np.isfinite(layer.scores[sentence]) for layer in trace.layers])


def residual_stream(
    trace: EncoderTrace, which: int | Bool[np.ndarray, "batch seq"], *, final_norm: bool
) -> Float[np.ndarray, "stage *row d_model"]:
    """The stream as it enters the first block, after each block, and, if asked for, after the final norm.

    which  a sentence of the batch, or True for the tokens wanted.
    """
    stages = [trace.embedded, *(layer.resid_post for layer in trace.layers), *([trace.output] if final_norm else [])]
    return np.stack([stage[which] for stage in stages])


def travel(before: EncoderTrace, after: EncoderTrace, sentence: int = 0) -> Float[np.ndarray, "stage seq"]:
    """How far a change has come: |after - before| of each token's row of the residual stream, in float64.

    Row 0 is what enters the first block, row l + 1 what leaves block l; a norm after the last block is not among them.
    Raises ValueError where the two traces are not of the same shape.
    """
    shapes = [(*trace.embedded.shape, len(trace.layers)) for trace in (before, after)]
    if shapes[0] != shapes[1]:
        raise ValueError(f"traces of (batch, seq, d_model, layers) = {shapes[0]} and {shapes[1]} cannot be compared.")
    was, now = (residual_stream(trace, sentence, final_norm=False).astype(float) for trace in (before, after))
    return np.asarray(np.linalg.norm(now - was, axis=-1))


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


def cosines(
    rows: Float[np.ndarray, "*lead row feature"], others: Float[np.ndarray, "*lead other feature"]
) -> Float[np.ndarray, "*lead row other"]:
    """cos(a, b) = a . b / (|a| |b|) of every row a with every row b; 0 where one of them is all zeros."""
    return _of_length_one(rows) @ _of_length_one(others).swapaxes(-1, -2)


def mean_off_diagonal(square: Float[np.ndarray, "*lead row row"]) -> Float[np.ndarray, "*lead"]:
    """The mean over all cells beside the diagonal; NaN where there is only the diagonal."""
    count = square.shape[-1]
    if count == 1:
        return np.full(square.shape[:-2], np.nan, square.dtype)
    total = square.sum(axis=(-1, -2)) - np.trace(square, axis1=-2, axis2=-1)
    return np.asarray(total / (count * (count - 1)))


def singular_values(matrix: Float[np.ndarray, "row column"]) -> Float[np.ndarray, "value"]:
    """The singular values in float64, largest first: as many as the smaller side of the matrix."""
    return np.linalg.svd(matrix.astype(float), compute_uv=False)


def numerical_rank(matrix: Float[np.ndarray, "row column"]) -> int:
    """How many singular values are above the rounding noise of the array's own precision.

    The noise is taken as max(row, column) eps times the largest singular value, with eps = 1.2e-7 for float32 and
    2.2e-16 for float64; the singular values are those in float64. A matrix of zeros has rank 0.
    """
    noise = max(matrix.shape) * np.finfo(matrix.dtype).eps
    return int(np.linalg.matrix_rank(matrix.astype(float), rtol=noise))


def pooled(
    squares: Shaped[np.ndarray, "*lead row column"], block: int
) -> Shaped[np.ndarray, "*lead pooled_row pooled_column"]:
    """The largest value of every block of `block` x `block` cells; the last row and column of blocks may be smaller.
    Of True and False, the largest is True."""
    starts_down, starts_across = (np.arange(0, size, block) for size in squares.shape[-2:])
    return np.maximum.reduceat(np.maximum.reduceat(squares, starts_down, axis=-2), starts_across, axis=-1)


def _of_length_one(rows: Float[np.ndarray, "*lead row feature"]) -> Float[np.ndarray, "*lead row feature"]:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths == 0, 1, lengths)
