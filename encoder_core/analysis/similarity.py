"""Similarity of rows: cosines, dot products by distance, rows that are most similar to themselves."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import (
    invalid_value,
    require_finite,
    require_mask,
    require_numbers,
    require_square,
    require_type,
)


def cosines(
    rows: Float[np.ndarray, "*lead row feature"], others: Float[np.ndarray, "*lead other feature"]
) -> Float[np.ndarray, "*lead row other"]:
    """cos(a, b) = a . b / (|a| |b|) of every row a and every other row b; 0 where a or b is all zeros.

    Leading axes are broadcast. Raises ValueError for rows of different widths, for leading axes that do not fit, and
    for what is no finite numbers.
    """
    rows = require_numbers("rows", rows, "*lead row feature")
    others = require_numbers("others", others, "*lead other feature")
    require_finite("rows", rows)
    require_finite("others", others)
    if rows.shape[-1] != others.shape[-1]:
        raise ValueError(
            f"rows of {rows.shape[-1]} and {others.shape[-1]} features are invalid: allowed are equal widths."
        )
    _require_leading_axes(rows, others)
    return unit_rows(rows) @ unit_rows(others).swapaxes(-1, -2)


def _require_leading_axes(rows: Shaped[np.ndarray, "..."], others: Shaped[np.ndarray, "..."]) -> None:
    """Raises ValueError unless the axes before the last two can be broadcast."""
    try:
        np.broadcast_shapes(rows.shape[:-2], others.shape[:-2])
    except ValueError:
        shapes = f"rows of shape {rows.shape} and others of shape {others.shape}"
        raise ValueError(f"{shapes} are invalid: allowed are equal leading axes.") from None


def unit_rows(rows: Float[np.ndarray, "*lead row feature"]) -> Float[np.ndarray, "*lead row feature"]:
    """Each row divided by its length; a row of zeros stays as it is. float16 becomes float32, integers float64."""
    rows = rows.astype(np.result_type(rows, np.float32) if rows.dtype.kind == "f" else float, copy=False)
    # A power of two, which rounds nothing, brings the largest number of each row near 1, so that no square overflows.
    _, exponents = np.frexp(np.abs(rows).max(axis=-1, keepdims=True))
    least = 1 - np.finfo(rows.dtype).maxexp
    rows = rows * np.ldexp(np.ones(1, rows.dtype), -np.maximum(exponents, least))
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths == 0, 1, lengths)


def mean_off_diagonal(square: Float[np.ndarray, "*lead row row"]) -> Float[np.ndarray, "*lead"]:
    """The mean of all cells off the diagonal, in float64; NaN for a single row.

    Raises ValueError for what is no square matrix of finite numbers.
    """
    square = require_numbers("square", square, "*lead row row")
    require_square("square", square)
    require_finite("square", square)
    count = square.shape[-1]
    if count == 1:
        return np.full(square.shape[:-2], np.nan)
    square = square.astype(float)
    total = square.sum(axis=(-1, -2)) - np.trace(square, axis1=-2, axis2=-1)
    return np.asarray(total / (count * (count - 1)))


@compared_by_identity
class GroupCosines(NamedTuple):
    """The mean cosine of all pairs of rows of the same group, and of all pairs of different groups."""

    within: Float[np.ndarray, "*lead"]
    between: Float[np.ndarray, "*lead"]


def cosines_by_group(rows: Float[np.ndarray, "*lead row feature"], groups: Sequence[object]) -> GroupCosines:
    """The mean cosines of different rows within the groups and between them; NaN where there is no such pair.

    groups  the group of each row

    Raises ValueError for another number of groups, for groups that cannot be told apart, and for what is no finite
    numbers.
    """
    rows = require_numbers("rows", rows, "*lead row feature")
    require_type("groups", groups, Sequence | np.ndarray, "lists of one group for each row")
    if len(groups) != rows.shape[-2]:
        raise ValueError(f"{len(groups)} groups do not fit {rows.shape[-2]} rows: allowed is one for each row.")
    numbers = _group_numbers(groups)
    same = numbers[:, None] == numbers
    between_rows = cosines(rows.astype(float), rows.astype(float))
    return GroupCosines(*(
        between_rows[..., pairs].mean(axis=-1) if pairs.any() else np.full(rows.shape[:-2], np.nan)
        for pairs in (same & ~np.eye(len(same), dtype=bool), ~same)
    ))  # fmt: skip


def _group_numbers(groups: Sequence[object]) -> Int[np.ndarray, "row"]:
    """The number of the group of each row, in the order of first appearance."""
    try:
        different = list(dict.fromkeys(groups))
    except TypeError:  # such as lists, which have no hash
        raise invalid_value("groups", groups, "lists of one group for each row, such as its word or number") from None
    return np.array([different.index(group) for group in groups])


@compared_by_identity
class Similarity(NamedTuple):
    """The smallest, mean and largest dot product of all pairs of rows at the same distance, by distance."""

    low: Float[np.ndarray, "distance"]
    mean: Float[np.ndarray, "distance"]
    high: Float[np.ndarray, "distance"]


def similarity_by_distance(dots: Float[np.ndarray, "row row"]) -> Similarity:
    """The smallest, mean and largest of dots[i, i + n] over all i, for each distance n.

    For sinusoids with frequencies w_k all three are sum_k cos(n w_k), because sin a sin b + cos a cos b = cos(a - b):
    the dot product depends on the distance only (Vaswani et al. 2017, section 3.5: the encoding of position p + n is a
    linear function of that of position p). Raises ValueError for what is no square matrix of finite numbers.
    """
    dots = require_numbers("dots", dots, "row row")
    require_square("dots", dots)
    require_finite("dots", dots)
    diagonals = [np.diagonal(dots, distance).astype(float) for distance in range(len(dots))]
    low, mean, high = np.array([(cells.min(), cells.mean(), cells.max()) for cells in diagonals]).T
    return Similarity(low, mean, high)


class SelfMatches(NamedTuple):
    """The number of rows, and of those whose largest visible dot product is that with themselves (`matches`)."""

    matches: int
    rows: int


def self_matches(dots: Float[np.ndarray, "token token"], visible: Bool[np.ndarray, "token token"]) -> SelfMatches:
    """The number of rows in which no visible number is larger than the one on the diagonal.

    Only rows in which the diagonal and another key are visible are counted. In other rows, such as the first with a
    causal mask, there is nothing to compare. a . b > a . a is possible for dot products of rows.
    Raises ValueError for what is no square matrix of finite numbers, and for a mask of another shape.
    """
    dots = require_numbers("dots", dots, "token token")
    require_square("dots", dots)
    require_finite("dots", dots)
    require_mask("visible", visible, dots.shape)
    diagonal = np.diagonal(visible)
    counted = diagonal & (visible.sum(axis=1) > 1)
    largest = np.where(visible, dots, -np.inf).max(axis=1)
    return SelfMatches(int((counted & (np.diagonal(dots) >= largest)).sum()), int(counted.sum()))
