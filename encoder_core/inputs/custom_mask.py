"""A mask made by hand: a starting point and the cells that were set, independent of the sizes of the batch."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Literal

import numpy as np
from jaxtyping import Bool, Int8

from encoder_core.support.validation import (
    invalid_value,
    require_choice,
    require_index,
    require_integer,
    require_items,
    require_mask,
    require_numbers,
    require_type,
)

Axes = Literal["2", "3", "keys", "4"]
Start = Literal["all", "nothing", "causal", "padding", "both", "window"]
Index = tuple[int, ...]

SHAPES: Mapping[Axes, str] = {
    "2": "(seq, seq)",
    "3": "(batch, seq, seq)",
    "keys": "(batch, 1, seq)",
    "4": "(batch, heads, seq, seq)",
}
# What does not depend on the query is possible for keys; what depends on the sentence needs the axis batch.
STARTS: Mapping[Axes, tuple[Start, ...]] = {
    "2": ("all", "causal", "window", "nothing"),
    "3": ("all", "padding", "causal", "both", "window", "nothing"),
    "keys": ("all", "padding", "nothing"),
    "4": ("all", "padding", "causal", "both", "window", "nothing"),
}
WINDOW = 2  # a query of the start "window" attends to this many keys before it and after it
VISIBLE, HIDDEN = 1, 2  # a cell that was set; 0 stands for one that follows the starting point


@dataclass(frozen=True)
class CustomMask:
    """A mask of two, three or four axes. It is immutable, hashable and small, so it can be part of a cache key.

    axes   "2": one mask for all; "3": one per sentence; "keys": the keys of each sentence that all its queries see;
           "4": one per sentence and head
    start  the rule for all cells that were not set: "all" visible, "nothing" visible, "causal", "padding" (no query
           sees [PAD]), "both" (causal and padding), "window" (a query sees `WINDOW` keys on either side)
    shape  of the smallest array from index 0 that has all cells that were set: (query, key), (sentence, query, key),
           (sentence, key) or (sentence, head, query, key)
    cells  the bytes of this array: 0, `VISIBLE` or `HIDDEN`

    Cells beyond the present sizes are kept, but not used: they return with a longer text or more heads.

    Raises ValueError for other axes, a start that these axes do not have, sizes that are no whole numbers from 1, and
    cells that are not of `shape` or have other bytes; the methods also for sizes and indices that do not fit.
    """

    axes: Axes = "2"
    start: Start = "all"
    shape: Index = ()
    cells: bytes = b""

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", require_choice("axes", self.axes, SHAPES))
        object.__setattr__(self, "start", require_choice("start", self.start, STARTS[self.axes]))
        sizes = require_items("shape", self.shape, Integral, "tuples of whole numbers")
        shape = tuple(require_integer(f"shape[{axis}]", size, 1) for axis, size in enumerate(sizes))
        object.__setattr__(self, "shape", shape)
        require_type("cells", self.cells, bytes, "bytes")
        num_cells = math.prod(self.shape) if self.shape else 0
        if len(self.shape) not in (0, self._num_axes) or len(self.cells) != num_cells:
            raise ValueError(
                f"shape={self.shape} and {len(self.cells)} cells are invalid: allowed are {self._num_axes} sizes and "
                "one byte for each cell."
            )
        if self.cells.translate(None, bytes((0, VISIBLE, HIDDEN))):
            raise invalid_value("cells", self.cells, f"bytes of 0, {VISIBLE} (visible) and {HIDDEN} (hidden)")

    @classmethod
    def from_cells(cls, axes: Axes, start: Start, cells: Int8[np.ndarray, "..."]) -> "CustomMask":
        """The mask with these cells set; the array can be larger than needed."""
        unset = cls(axes, start)
        cells = require_numbers("cells", cells, "*axis")
        if cells.ndim != unset._num_axes:
            raise ValueError(f"cells: shape={cells.shape} is invalid: allowed are arrays of {unset._num_axes} axes.")
        if not cells.any():
            return unset
        if cells.dtype.kind not in "biu" or cells.min() < 0 or cells.max() > HIDDEN:
            raise invalid_value("cells", cells, f"arrays of 0, {VISIBLE} (visible) and {HIDDEN} (hidden)")
        box = tuple(int(places.max()) + 1 for places in np.nonzero(cells))
        return cls(axes, start, box, np.ascontiguousarray(_resized(cells, box), np.int8).tobytes())

    @cached_property
    def cell_array(self) -> Int8[np.ndarray, "..."]:
        """The cells that were set, as an array of `shape`."""
        return np.frombuffer(self.cells, np.int8).reshape(self.shape or (0,) * self._num_axes)

    def sizes(self, batch: int, heads: int, seq: int) -> Index:
        """The sizes of the axes of the cells."""
        return {"2": (seq, seq), "3": (batch, seq, seq), "keys": (batch, seq), "4": (batch, heads, seq, seq)}[self.axes]

    @property
    def _num_axes(self) -> int:
        return len(self.sizes(0, 0, 0))

    def visible(self, real: Bool[np.ndarray, "batch seq"], heads: int) -> Bool[np.ndarray, "..."]:
        """True where a query may attend to a key, with the axes of the cells."""
        allowed = self._rule(real, heads)
        cells = _resized(self.cell_array, allowed.shape)
        return np.where(cells == 0, allowed, cells == VISIBLE)

    def array(self, real: Bool[np.ndarray, "batch seq"], heads: int) -> Bool[np.ndarray, "..."]:
        """The mask for `Encoder.trace`, of the shape in `SHAPES`."""
        visible = self.visible(real, heads)
        return visible[:, None, :] if self.axes == "keys" else visible

    def with_visible(
        self, visible: Bool[np.ndarray, "..."], real: Bool[np.ndarray, "batch seq"], heads: int
    ) -> "CustomMask":
        """The mask with these visible cells, given at the present sizes; cells beyond them stay as they are."""
        allowed = self._rule(real, heads)
        require_mask("visible", visible, allowed.shape)
        box = tuple(map(max, self.cell_array.shape, allowed.shape))
        cells = _resized(self.cell_array, box)
        cells[tuple(map(slice, allowed.shape))] = np.where(visible == allowed, 0, np.where(visible, VISIBLE, HIDDEN))
        return self.from_cells(self.axes, self.start, cells)

    def with_axes(
        self, axes: Axes, real: Bool[np.ndarray, "batch seq"], heads: int, sentence: int = 0, head: int = 0
    ) -> "CustomMask":
        """The same mask with other axes. Without the axis of sentences or heads, that of this sentence or head remains;
        a key of the mask "keys" is visible if any query saw it."""
        require_choice("axes", axes, SHAPES)
        four = self.visible(real, heads)
        batch, seq = real.shape
        require_index("sentence", sentence, batch)
        require_index("head", head, heads)
        if self.axes in ("3", "keys"):
            four = four[:, None] if self.axes == "3" else four[:, None, None]
        four = np.broadcast_to(four, (batch, heads, seq, seq))
        by_axes = {"2": four[sentence, head], "3": four[:, head], "keys": four[:, head].any(axis=1), "4": four}
        start = self.start if self.start in STARTS[axes] else "all"
        return CustomMask(axes, start).with_visible(by_axes[axes], real, heads)

    def nearest_start(
        self, visible: Bool[np.ndarray, "..."], real: Bool[np.ndarray, "batch seq"], heads: int
    ) -> "CustomMask":
        """The mask with these visible cells and the starting point from which the fewest cells have to be set."""
        require_mask("visible", visible, self._rule(real, heads).shape)
        starts = sorted(STARTS[self.axes], key=lambda start: start != self.start)
        candidates = [replace(self, start=start) for start in starts]
        best = min(candidates, key=lambda mask: int((mask._rule(real, heads) != visible).sum()))
        return best.with_visible(visible, real, heads)

    def num_set(self, batch: int, heads: int, seq: int) -> tuple[int, int]:
        """How many cells were set: within the present sizes, and beyond them."""
        within = int(np.count_nonzero(self.cell_array[tuple(map(slice, self.sizes(batch, heads, seq)))]))
        return within, int(np.count_nonzero(self.cell_array)) - within

    def _rule(self, real: Bool[np.ndarray, "batch seq"], heads: int) -> Bool[np.ndarray, "..."]:
        """The starting point, with the axes of the cells."""
        real, heads = require_numbers("real", real, "batch seq"), require_integer("heads", heads, 1)
        require_mask("real", real, real.shape)
        batch, seq = real.shape
        query, key = np.ogrid[:seq, :seq]
        allowed = {"causal": key <= query, "both": key <= query, "window": abs(query - key) <= WINDOW}.get(self.start)
        sizes = self.sizes(batch, heads, seq)
        rule = np.full(sizes, self.start != "nothing") if allowed is None else np.broadcast_to(allowed, sizes)
        if self.start in ("padding", "both"):
            rule = rule & real.reshape(batch, *(1,) * (len(sizes) - 2), seq)
        return rule


def _resized(cells: Int8[np.ndarray, "..."], sizes: Index) -> Int8[np.ndarray, "..."]:
    """A copy cut to these sizes, or filled up with 0."""
    resized = np.zeros(sizes, np.int8)
    common = tuple(map(slice, map(min, cells.shape, sizes)))
    resized[common] = cells[common]
    return resized
