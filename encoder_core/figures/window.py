"""What a figure draws of an axis that is too long for it: a window, or all of it in bins of neighbours.

Of a bin, the number of largest magnitude is drawn. So nothing large is hidden, and every number drawn is one of the
matrix, at a place that can be named.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Integer

WHOLE = 256  # columns that are still drawn one by one side by side; of more, a window or bins


@dataclass(frozen=True)
class Window:
    """The places of an axis that are drawn: from `start` up to `stop`, in bins of `size` neighbours.

    labels  the names of all places of the axis; None numbers them from 0, as in code
    """

    start: int
    stop: int
    size: int = 1
    labels: tuple[str, ...] | None = None

    def __len__(self) -> int:
        """How many cells are drawn."""
        return math.ceil((self.stop - self.start) / self.size)

    @property
    def places(self) -> slice:
        """All places that the cells stand for."""
        return slice(self.start, self.stop)

    @property
    def names(self) -> list[str]:
        """Of numbered places the first of each bin; of named ones their names, or which ones, counted from 1."""
        firsts = range(self.start, self.stop, self.size)
        if self.labels is None:
            return [str(place) for place in firsts]
        if self.size == 1:
            return list(self.labels[self.places])
        ends = [min(first + self.size, self.stop) for first in firsts]
        return [
            str(end) if end == first + 1 else f"{first + 1} to {end}" for first, end in zip(firsts, ends, strict=True)
        ]

    def fitted(self, room: int) -> "Window":
        """The same places in at most `room` cells."""
        return self if len(self) <= room else replace(self, size=math.ceil((self.stop - self.start) / room))

    def bin_of(self, place: int) -> int | None:
        """The cell that stands for a place; None where it is not drawn."""
        return (place - self.start) // self.size if self.start <= place < self.stop else None


Labels = Sequence[str] | Window  # the names of all places, or which of them are drawn


class Drawn(NamedTuple):
    """The numbers that are drawn, and which one of its bin each is.

    offsets  counted row by row in a bin of rows and columns; None where every bin is one number
    """

    values: Float[np.ndarray, "*lead row column"]
    offsets: Integer[np.ndarray, "*lead row column"] | None


def drawn(values: Float[np.ndarray, "*lead row column"], rows: Labels, columns: Labels) -> Drawn:
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
    largest = np.take_along_axis(bins, offsets[..., None], axis=-1)[..., 0]
    return Drawn(largest, offsets.astype(np.uint8 if tall * wide <= 256 else np.uint16))


def names_of(axis: Labels) -> list[str]:
    """The names of the cells of an axis."""
    return axis.names if isinstance(axis, Window) else list(axis)


def title_of(axis: Labels, title: str) -> str:
    """The title of an axis, which says where its cells are bins."""
    _, size = _start_and_size(axis)
    return title if size == 1 else f"{title}, largest of {size}"


def said_of(offsets: Integer[np.ndarray, "*lead row column"] | None) -> str:
    """What the alt text of a figure says of its cells, where they are bins."""
    return "" if offsets is None else ", each cell the largest of its bin"


def cell_of(axis: Labels, place: int) -> int | None:
    """The cell that stands for a place of an axis; None where it is not drawn."""
    return axis.bin_of(place) if isinstance(axis, Window) else place


def _start_and_size(axis: Labels) -> tuple[int, int]:
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
