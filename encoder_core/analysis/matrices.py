"""Measures of matrices: one-hot rows, root mean square, relative change, singular values, rank."""

import numpy as np
from jaxtyping import Float, Int

from encoder_core.support.validation import invalid_value, require_finite, require_integer, require_numbers


def one_hot(ids: Int[np.ndarray, "*batch seq"], vocab_size: int) -> Float[np.ndarray, "*batch seq vocab"]:
    """For each token, a row of zeros with a 1 in column `id`.

    Raises ValueError unless the ids are whole numbers from 0 to vocab_size - 1.
    """
    ids, vocab_size = require_numbers("ids", ids, "*batch seq"), require_integer("vocab_size", vocab_size, 1)
    if ids.dtype.kind not in "iu" or (ids < 0).any() or (ids >= vocab_size).any():
        raise invalid_value("ids", ids, f"whole numbers from 0 to {vocab_size - 1}")
    return (ids[..., None] == np.arange(vocab_size)).astype(np.float32)


def root_mean_square(values: Float[np.ndarray, "..."]) -> float:
    """sqrt(mean(x^2)), the typical size of the numbers of an array. For sinusoids of even width it is sqrt(1/2).

    Raises ValueError for what is no finite numbers.
    """
    values = require_numbers("values", values, "*axis")
    require_finite("values", values)
    if not values.size:
        raise invalid_value("values", values, "at least one number")
    scaled, exponent = _scaled(values.astype(float))
    return float(np.ldexp(np.sqrt(np.mean(scaled**2)), exponent))


def relative_change(before: Float[np.ndarray, "*shape"], after: Float[np.ndarray, "*shape"]) -> float:
    """|after - before| / |before|, in float64, where |x| is the square root of the sum of all squares.

    |after| where `before` is all zeros. Raises ValueError for different shapes, for what is no finite numbers, and
    where the change is too large for float64.
    """
    before, after = require_numbers("before", before, "*axis"), require_numbers("after", after, "*axis")
    if before.shape != after.shape:
        raise ValueError(f"shapes {before.shape} and {after.shape} are invalid: allowed are equal shapes.")
    require_finite("before", before)
    require_finite("after", after)
    before, after = before.astype(float), after.astype(float)
    start, start_exponent = _scaled(before) if before.any() else (np.ones(1), 0)
    half_difference, exponent = _scaled(after / 2 - before / 2)  # the difference itself can overflow
    with np.errstate(over="ignore"):  # an infinite change gets the message below
        ratio = np.linalg.norm(half_difference) / np.linalg.norm(start)
        change = float(np.ldexp(ratio, exponent + 1 - start_exponent))
    if not np.isfinite(change):
        raise ValueError("before, after: a change that is too large for float64 is invalid.")
    return change


def singular_values(matrix: Float[np.ndarray, "row column"]) -> Float[np.ndarray, "value"]:
    """The singular values in float64, largest first; their number is the smaller side of the matrix.

    Raises ValueError for what is no matrix of finite numbers.
    """
    return np.linalg.svdvals(_finite_matrix(matrix).astype(float))


def numerical_rank(matrix: Float[np.ndarray, "row column"]) -> int:
    """The number of singular values above the rounding noise of the array's precision.

    The noise is max(row, column) eps times the largest singular value, with eps = 1.2e-7 for float32 and 2.2e-16 for
    float64. The singular values are computed in float64. A matrix of zeros has rank 0. Integers count
    as float64. Raises ValueError for what is no matrix of finite numbers.
    """
    matrix = _finite_matrix(matrix)
    matrix = matrix if matrix.dtype.kind == "f" else matrix.astype(float)
    noise = max(matrix.shape) * np.finfo(matrix.dtype).eps
    return int(np.linalg.matrix_rank(matrix.astype(float), rtol=noise))


def _scaled(values: Float[np.ndarray, "*shape"]) -> tuple[Float[np.ndarray, "*shape"], int]:
    """The values divided by a power of two, and its exponent: the largest becomes 1/2 to 1, so that no square
    overflows. Such a division rounds nothing."""
    _, exponent = np.frexp(np.abs(values).max(initial=0.0))
    return np.ldexp(values, -exponent), int(exponent)


def _finite_matrix(matrix: Float[np.ndarray, "row column"]) -> Float[np.ndarray, "row column"]:
    matrix = require_numbers("matrix", matrix, "row column")
    if not np.isfinite(matrix).all():
        raise ValueError("the matrix contains values that are not finite: it has no singular values.")
    return matrix
