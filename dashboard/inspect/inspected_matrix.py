"""The matrix around the inspected cell: its numbers in several models, with labels and colours for a heatmap."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Shaped

from dashboard.models.model import Model
from dashboard.selection.inspected_cell import AXIS_KINDS, FROM_ONE, Inspection
from dashboard.theme import current_theme
from encoder_core.explain.cell import AXES, tensor_at
from encoder_core.figures import HeatmapStyle, dimensions
from encoder_core.figures.axis import AxisKind

_TOKEN_AXES: set[AxisKind] = {"token", "query", "key", "input token", "other token"}
_TITLES = {  # where the figures have other names than the trace
    "pattern": "weights", "q": "Q", "k": "K", "v": "V", "mean_pattern": "average weights",
    "rollout_step": "½ average + ½ I",
}  # fmt: skip
_WEIGHTS = {
    "pattern", "probabilities", "mean_pattern", "rollout_step", "rollout", "embedded_lens_probabilities",
    "resid_post_lens_probabilities",
}  # fmt: skip
MAX_CELLS = 64  # of rows and of columns: the table of a trained encoder has 30,522 rows


class Names(NamedTuple):
    """The names of the rows and columns of a matrix."""

    rows: list[str]
    columns: list[str]


class InspectedMatrix(NamedTuple):
    """The last two axes of the tensor that contains the inspected cell, at most MAX_CELLS of each.

    title          name of the tensor
    matrices       its numbers in each model
    names          the names of its rows and columns in each model: edits can replace a token
    mark           row and column of the inspected cell
    style          axes, kind and theme of a heatmap
    """

    title: str
    matrices: tuple[Shaped[np.ndarray, "row column"], ...]
    names: tuple[Names, ...]
    mark: tuple[int, int]
    style: HeatmapStyle


def inspected_matrix(inspection: Inspection, models: Sequence[Model]) -> InspectedMatrix:
    """The matrix around the clicked cell, the first of the trail, in each of some models of the same sizes."""
    cell, at = inspection.trail[0], inspection.at
    axes = tuple(AXIS_KINDS[axis] for axis in AXES.get(cell.tensor, ("row", "column"))[-2:])
    tensors = [np.atleast_2d(tensor_at(model.run, cell)) for model in models]
    shape = tensors[0].shape
    *lead, row, column = (0, *cell.index)[-len(shape) :]  # a bias is one row
    row_range, column_range = (_window(place, size) for place, size in zip((row, column), shape[-2:], strict=True))
    matrices = tuple(tensor[tuple(lead)][row_range, column_range] for tensor in tensors)

    def names(tokens: Sequence[str]) -> Names:
        windows = (row_range, column_range)
        return Names(*(_axis_names(axis, window, tokens) for axis, window in zip(axes, windows, strict=True)))

    return InspectedMatrix(
        title=_TITLES.get(cell.tensor, cell.tensor.replace("_", " ")),
        matrices=matrices,
        names=tuple(names(model.batch.tokens[at.sentence]) for model in models),
        mark=(row - row_range.start, column - column_range.start),
        style=HeatmapStyle(
            kind="weights" if cell.tensor in _WEIGHTS else "signed",
            row_axis=axes[0],
            column_axis=axes[-1],
            theme=current_theme(),
        ),
    )


def _axis_names(axis: AxisKind, window: slice, tokens: Sequence[str]) -> list[str]:
    """The names of the places of a window; numbers where the axis has no tokens."""
    if axis in _TOKEN_AXES and window.stop <= len(tokens):
        return list(tokens[window])
    return dimensions(window.stop - window.start, start=window.start + (axis in FROM_ONE))


def _window(place: int, count: int) -> slice:
    """The plotted window of an axis: around this place, within `count`."""
    first = max(0, min(place - MAX_CELLS // 2, count - MAX_CELLS))
    return slice(first, min(first + MAX_CELLS, count))
