"""Scenes of the tutorials' rows: matrices side by side, joined by operators or separated."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures import (
    HeatmapStyle,
    Line,
    MatrixKind,
    Panel,
    ThemeName,
    dimensions,
    heatmap,
    largest_magnitude,
)
from encoder_core.figures.axis import AxisKind, AxisMeaning

HEIGHT = 230
_MOST_NUMBERED = 6  # columns; a matrix of more has no numbers in its cells


@dataclass(frozen=True, eq=False, kw_only=True)
class Matrix:
    """One matrix of a line.

    kind           "signed" or "weights" (0 to 1)
    rows, columns  the names; None numbers them from 1, as tokens are (dimensions from 0)
    mask           False cells are hatched
    own_scale      whether its colours end at its own largest value, not at that of all matrices of its kind
    """

    title: str
    values: Float[np.ndarray, "row column"]
    kind: MatrixKind = "signed"
    row_axis: AxisKind | AxisMeaning = "token"
    column_axis: AxisKind | AxisMeaning = "dimension"
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    mask: Bool[np.ndarray, "row column"] | None = None
    marks: Sequence[tuple[int | None, int | None]] = ()
    title_colour: str | None = None
    own_scale: bool = False
    show_values: bool | None = None


def weight_matrix(
    title: str,
    values: Float[np.ndarray, "query key"],
    *,
    mask: Bool[np.ndarray, "query key"] | None = None,
    marks: Sequence[tuple[int | None, int | None]] = (),
    own_scale: bool = False,
    show_values: bool | None = None,
) -> Matrix:
    """Attention weights with queries as rows and keys as columns; colours end at 1.

    own_scale  whether the colours end at the largest weight instead: for many keys
    """
    return Matrix(title=title, values=values, kind="weights", row_axis="query", column_axis="key", mask=mask,
                  marks=marks, title_colour="attention", own_scale=own_scale, show_values=show_values)  # fmt: skip


def line_of(parts: Sequence[Matrix | Panel | str], *, height: int = HEIGHT, theme: ThemeName = "light") -> Line:
    """The matrices from left to right with the operators (strings) and other panels between them.

    Signed matrices share one colour scale; weights have the scale from 0 to 1.
    """
    shared = [p.values for p in parts if isinstance(p, Matrix) and p.kind == "signed" and not p.own_scale]
    limit = largest_magnitude(*shared) if shared else 1.0
    return [_panel(part, limit, height, theme) if isinstance(part, Matrix) else part for part in parts]


def _panel(matrix: Matrix, limit: float, height: int, theme: ThemeName) -> Panel:
    values = np.asarray(matrix.values, np.float32)
    rows = _names(matrix.rows, len(values), matrix.row_axis)
    columns = _names(matrix.columns, values.shape[1], matrix.column_axis)
    numbered = values.shape[1] <= _MOST_NUMBERED and len(values) <= 10
    largest = largest_magnitude(values) if matrix.own_scale else limit
    style = HeatmapStyle(
        kind=matrix.kind,
        limit=1.0 if matrix.kind == "weights" and not matrix.own_scale else largest,
        row_axis=matrix.row_axis,
        column_axis=matrix.column_axis,
        show_values=numbered if matrix.show_values is None else matrix.show_values,
        title_colour=matrix.title_colour,
        height=height,
        theme=theme,
    )
    return heatmap(values, rows, columns, title=matrix.title, mask=matrix.mask, marks=matrix.marks, style=style)


def _names(names: Sequence[str] | None, count: int, axis: AxisKind | AxisMeaning) -> list[str]:
    if names is not None:
        return list(names)
    kind = axis.kind if isinstance(axis, AxisMeaning) else axis
    return dimensions(count, start=0 if kind in ("dimension", "neuron", "id") else 1)
