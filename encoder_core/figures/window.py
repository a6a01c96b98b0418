"""What a figure draws of an axis that is too long for it: a window, or all of it in bins of neighbours.

Of a bin, the number of largest magnitude is drawn. So nothing large is hidden, and every number drawn is one of the
matrix, at a place that can be named.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Integer

WHOLE = 256  # columns that are still drawn one by one side by side; of more, a window or bins
_ALL = ((0, 1), (0, 1))  # first place and size of a bin, of rows and of columns: every number in its own place


@dataclass(frozen=True)
class Window:
    """The places of an axis that are drawn: from `start` up to `stop`, in bins of `size` neighbours."""

    start: int
    stop: int
    size: int = 1

    def __len__(self) -> int:
        """How many cells are drawn."""
        return math.ceil((self.stop - self.start) / self.size)

    @property
    def places(self) -> slice:
        """All places that the cells stand for."""
        return slice(self.start, self.stop)

    @property
    def names(self) -> list[str]:
        """The first place of each bin, counted from 0 as in code."""
        return [str(place) for place in range(self.start, self.stop, self.size)]

    def fitted(self, room: int) -> "Window":
        """The same places in at most `room` cells."""
        return self if len(self) <= room else replace(self, size=math.ceil((self.stop - self.start) / room))

    def bin_of(self, place: int) -> int | None:
        """The cell that stands for a place; None where it is not drawn."""
        return (place - self.start) // self.size if self.start <= place < self.stop else None


Axis = Sequence[str] | Window  # the names of all places, or which of them are drawn


class Drawn(NamedTuple):
    """The numbers that are drawn, and which one of its bin each is.

    offsets  counted row by row in a bin of rows and columns; None where every bin is one number
    """

    values: Float[np.ndarray, "*lead row column"]
    offsets: Integer[np.ndarray, "*lead row column"] | None


def drawn(values: Float[np.ndarray, "*lead row column"], rows: Axis, columns: Axis) -> Drawn:
    """Of every bin the number of largest magnitude, of equal ones the first.

    A number that is not finite counts as masked: it is drawn only where its bin has no other.
    """
    (top, tall), (left, wide) = _start_and_size(rows), _start_and_size(columns)
    down, across = (axis.stop if isinstance(axis, Window) else None for axis in (rows, columns))
    values = values[..., top:down, left:across]
    if tall * wide == 1:
        return Drawn(values, None)
    bins = _in_bins(values, tall, wide)
    offsets = np.where(np.isfinite(bins), np.abs(bins), -1).argmax(axis=-1)
    return Drawn(np.take_along_axis(bins, offsets[..., None], axis=-1)[..., 0], offsets.astype(np.uint16))


def windows(rows: Axis, columns: Axis) -> dict[str, Any]:
    """For a figure's meta: first place and size of a bin, of rows and of columns; nothing where each is drawn."""
    found = (_start_and_size(rows), _start_and_size(columns))
    return {} if found == _ALL else {"windows": found}


def names_of(axis: Axis) -> list[str]:
    """The names of the cells of an axis."""
    return axis.names if isinstance(axis, Window) else list(axis)


def title_of(axis: Axis, title: str) -> str:
    """The title of an axis, which says where its cells are bins."""
    _, size = _start_and_size(axis)
    return title if size == 1 else f"{title}, largest of {size}"


def said_of(offsets: Integer[np.ndarray, "*lead row column"] | None) -> str:
    """What the alt text of a figure says of its cells, where they are bins."""
    return "" if offsets is None else ", each cell the largest of its bin"


def cell_of(axis: Axis, place: int) -> int | None:
    """The cell that stands for a place of an axis; None where it is not drawn."""
    return axis.bin_of(place) if isinstance(axis, Window) else place


def place_behind(figure: go.Figure, row: int, column: int, tile: tuple[int, int] | None = None) -> tuple[int, int]:
    """Row and column, in the matrix, of the number at this row and column of a heatmap, or of a tile of a mosaic.

    Raises IndexError beyond the figure's end.
    """
    meta = figure.layout.meta
    (top, tall), (left, wide) = meta.get("windows", _ALL)
    offset = _offset(figure, meta, row, column, tile)
    return top + row * tall + offset // wide, left + column * wide + offset % wide


def place_on(figure: go.Figure, row: int, column: int) -> tuple[int, int] | None:
    """Row and column of a heatmap that show this row and column of its matrix; None where they are not drawn."""
    meta = figure.layout.meta
    (top, tall), (left, wide) = meta.get("windows", _ALL)
    place = (row - top) // tall, (column - left) // wide
    inside = all(0 <= at < len(names) for at, names in zip(place, (meta["rows"], meta["columns"]), strict=True))
    return place if inside and place_behind(figure, *place) == (row, column) else None


def _start_and_size(axis: Axis) -> tuple[int, int]:
    return (axis.start, axis.size) if isinstance(axis, Window) else (0, 1)


def _in_bins(
    values: Float[np.ndarray, "*lead row column"], tall: int, wide: int
) -> Float[np.ndarray, "*lead bin_row bin_column number"]:
    """The numbers of each bin side by side; the last bins, where they are smaller, filled up with NaN."""
    rows, columns = values.shape[-2:]
    missing = [(0, -rows % tall), (0, -columns % wide)]
    padded = np.pad(values, [(0, 0)] * (values.ndim - 2) + missing, constant_values=np.nan)
    down, across = padded.shape[-2] // tall, padded.shape[-1] // wide
    split = padded.reshape(*values.shape[:-2], down, tall, across, wide).swapaxes(-3, -2)
    return split.reshape(*values.shape[:-2], down, across, tall * wide)


def _offset(figure: go.Figure, meta: Mapping[str, Any], row: int, column: int, tile: tuple[int, int] | None) -> int:
    offsets = figure.data[0].customdata
    if offsets is None:
        return 0
    if tile:
        tall, wide, gap = meta["tile"]
        row, column = tile[0] * (tall + gap) + row, tile[1] * (wide + gap) + column
    return int(offsets[row][column])
