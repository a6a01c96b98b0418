"""Measures of a matrix: one-hot rows, size, change, rank."""

import numpy as np
from jaxtyping import Float, Int


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
