"""How similar rows are: cosines, dot products by distance, rows that match themselves."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Shaped


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
