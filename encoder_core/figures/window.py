"""Windows and bins: how a figure draws an axis that is too long to draw every place.

A bin of neighbouring places shows its number of largest magnitude. So no large number is hidden, and every number shown
is a number of the matrix at a known place.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import require_integer, require_type

MAX_UNBINNED = 256  # columns that a figure draws one by one; of more columns it draws a window or bins
_OFFSET_TYPES = (np.uint8, np.uint16, np.int32)  # Plotly cannot read 64-bit integers


@dataclass(frozen=True)
class Window:
    """The places of an axis that are drawn: from `start` up to `stop`, in bins of `size` neighbours.

    labels  the names of all places of the axis; None numbers them from 0, as in the code
    """

    start: int
    stop: int
    size: int = 1
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Raises ValueError unless these are whole numbers with 0 <= start <= stop and 1 <= size, and a name for each
        place."""
        require_integer("start", self.start, 0)
        require_integer("stop", self.stop, self.start)
        require_integer("size", self.size, 1)
        require_type("labels", self.labels, tuple | list | None, "None and lists of names")
        if self.labels is not None and len(self.labels) < self.stop:
            raise ValueError(f"{len(self.labels)} labels do not fit stop={self.stop}: allowed is one for each place.")

    def __len__(self) -> int:
        """The number of cells."""
        return math.ceil((self.stop - self.start) / self.size)

    @property
    def places(self) -> slice:
        """The places that the cells stand for."""
        return slice(self.start, self.stop)

    @property
    def names(self) -> list[str]:
        """One name for each cell: its first place if places are numbered; if they are named, its name or "3 to 4"."""
        firsts = range(self.start, self.stop, self.size)
        if self.labels is None:
            return [str(place) for place in firsts]
        if self.size == 1:
            return list(self.labels[self.places])
        ends = [min(first + self.size, self.stop) for first in firsts]
        return [
            str(end) if end == first + 1 else f"{first + 1} to {end}" for first, end in zip(firsts, ends, strict=True)
        ]

    def fitted(self, max_cells: int) -> "Window":
        """The same places in at most `max_cells` cells. Raises ValueError unless it is a whole number from 1."""
        require_integer("max_cells", max_cells, 1)
        if len(self) <= max_cells:
            return self
        return replace(self, size=math.ceil((self.stop - self.start) / max_cells))

    def bin_of(self, place: int) -> int | None:
        """The index of the cell that stands for a place; None outside the window."""
        return (place - self.start) // self.size if self.start <= place < self.stop else None


Labels = Sequence[str] | Window  # the names of all places, or the window of them that is drawn


@compared_by_identity
class Pooled(NamedTuple):
    """One number for each bin of rows and columns.

    offsets  the index of the number within its bin, counted row by row; None where every bin is one number
    """

    values: Float[np.ndarray, "*lead row column"]
    offsets: Integer[np.ndarray, "*lead row column"] | None


def pool(values: Float[np.ndarray, "*lead row column"], rows: Labels, columns: Labels) -> Pooled:
    """The number of largest magnitude in each bin of the windows; the first of equal ones.

    Numbers that are not finite count as masked: one of them is returned only where its bin has no finite number.
    """
    (top, tall), (left, wide) = _start_and_size(rows), _start_and_size(columns)
    bottom, right = (axis.stop if isinstance(axis, Window) else None for axis in (rows, columns))
    values = values[..., top:bottom, left:right]
    if tall * wide == 1:
        return Pooled(values, None)
    bins = _in_bins(values, tall, wide)
    offsets = np.where(np.isfinite(bins), np.abs(bins), -1).argmax(axis=-1)
    largest = np.take_along_axis(bins, offsets[..., None], axis=-1)[..., 0]
    smallest = next(dtype for dtype in _OFFSET_TYPES if tall * wide - 1 <= np.iinfo(dtype).max)
    return Pooled(largest, offsets.astype(smallest))


def cell_names(axis: Labels) -> list[str]:
    """The names of the cells of an axis."""
    return axis.names if isinstance(axis, Window) else list(axis)


def axis_title(axis: Labels, title: str, count: int) -> str:
    """The title of an axis of `count` places: with the size of its bins if its cells are bins, and with the numbered
    places that are drawn if they are not all."""
    if not isinstance(axis, Window):
        return title
    is_partial = axis.labels is None and len(axis) and (axis.start > 0 or axis.stop < count)
    places = f", {axis.start}–{axis.stop - 1} of {count:,}" if is_partial else ""
    return f"{title}{places}" if axis.size == 1 else f"{title}{places}, largest of {axis.size}"


def bins_in_words(offsets: Integer[np.ndarray, "*lead row column"] | None) -> str:
    """The addition to an alt text where cells are bins; empty where they are not."""
    return "" if offsets is None else ", each cell the largest of its bin"


def cell_index(axis: Labels, place: int) -> int | None:
    """The index of the cell that stands for a place of an axis; None where it is not drawn."""
    return axis.bin_of(place) if isinstance(axis, Window) else place


def _start_and_size(axis: Labels) -> tuple[int, int]:
    return (axis.start, axis.size) if isinstance(axis, Window) else (0, 1)


def _in_bins(
    values: Float[np.ndarray, "*lead row column"], tall: int, wide: int
) -> Float[np.ndarray, "*lead bin_row bin_column number"]:
    """The numbers of each bin along one axis; smaller bins at the end are filled up with NaN."""
    rows, columns = values.shape[-2:]
    missing = [(0, -rows % tall), (0, -columns % wide)]
    padded = np.pad(values, [(0, 0)] * (values.ndim - 2) + missing, constant_values=np.nan)
    down, across = padded.shape[-2] // tall, padded.shape[-1] // wide
    split = padded.reshape(*values.shape[:-2], down, tall, across, wide).swapaxes(-3, -2)
    return split.reshape(*values.shape[:-2], down, across, tall * wide)
