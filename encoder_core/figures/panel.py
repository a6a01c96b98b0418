"""A panel: one figure as plain data, with a typed description of what it shows.

A page sends the data to the browser as they are; a `plotly.graph_objects.Figure` is built only where one is asked for,
because building and copying figures was a quarter of a page's time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Integer

from encoder_core.explain.cell import Cell
from encoder_core.figures.axis import Axis, Selectable
from encoder_core.figures.tensor_map import Place, TensorMap
from encoder_core.figures.theme import Theme

PanelKind = Literal["heatmap", "mosaic", "row_bars", "bars", "curves", "band", "flow"]
Mark = tuple[int | None, int | None]  # (row, column); None in one place marks the whole column or row


class Product(NamedTuple):
    """factor * (left @ right): the matrices are other panels of the same line, counted from 0 without the operators."""

    left: int
    right: int
    factor: float = 1.0


@dataclass(frozen=True)
class Tiles:
    """The tiles of a mosaic on its sheet: their rows and columns, the size of each, and the cells between two."""

    rows: Axis
    columns: Axis
    tall: int
    wide: int
    gap: int

    def on_sheet(self, place: Place) -> tuple[int, int]:
        """Row and column on the whole sheet."""
        tile = place.tile or (0, 0)
        return tile[0] * (self.tall + self.gap) + place.row, tile[1] * (self.wide + self.gap) + place.column


@dataclass(frozen=True, eq=False)
class Panel:
    """One figure of a line of figures.

    data, layout   the Plotly figure, as plain dictionaries; the title is not in the layout
    alt            says in words what is seen
    weight         how wide the panel is beside others
    title_colour   one of the identity colours; None is the colour of the text
    rows, columns  what its cells are; None where there are none
    tiles          of a mosaic, whose `rows` and `columns` are those of each tile
    values         the numbers of the cells drawn, of a mosaic on one sheet; NaN where masked
    offsets        which number of its bin each cell is, counted row by row; None where every bin is one number
    shows          which tensor it shows, and how its places are cells of that tensor; None where it is none of a trace
    product        the product that it is, if it is one
    set_by_hand    the cells drawn (row, column) that an edit has set: there, the product does not hold
    marked         the cells, rows and columns that are outlined, as they are drawn
    """

    kind: PanelKind
    title: str
    alt: str
    data: Sequence[Mapping[str, Any]]
    layout: Mapping[str, Any]
    theme: Theme
    weight: int = 20
    title_colour: str | None = None
    rows: Axis | None = None
    columns: Axis | None = None
    tiles: Tiles | None = None
    values: Float[np.ndarray, "row column"] | None = None
    offsets: Integer[np.ndarray, "row column"] | None = None
    shows: TensorMap | None = None
    product: Product | None = None
    set_by_hand: frozenset[tuple[int, int]] = frozenset()
    marked: tuple[Mark, ...] = ()

    @property
    def figure(self) -> go.Figure:
        """A Plotly figure, with its title."""
        font = {"size": 14, "color": self.title_colour or self.theme.text}
        title = {"text": self.title, "x": 0, "xref": "paper", "font": font}
        return go.Figure({"data": list(self.data), "layout": {"title": title, **self.layout}}, _validate=False)

    def _ipython_display_(self) -> None:
        """A notebook displays the figure."""
        self.figure._ipython_display_()

    def _repr_mimebundle_(self, *given: Any, **named: Any) -> Any:
        return self.figure._repr_mimebundle_(*given, **named)

    def place(self, row: int, column: int, tile: tuple[int, int] | None = None) -> Place:
        """Where in the matrix the number stands that is drawn in this cell. Raises IndexError beyond the panel."""
        self._check(row, column, tile)
        rows, columns = _span(self.rows), _span(self.columns)
        offset = 0
        if self.offsets is not None:
            drawn = self.tiles.on_sheet(Place(row, column, tile)) if self.tiles else (row, column)
            offset = int(self.offsets[drawn])
        down, across = divmod(offset, columns[1])
        return Place(rows[0] + row * rows[1] + down, columns[0] + column * columns[1] + across, tile)

    def drawn_at(self, place: Place) -> Place | None:
        """The cell that shows the number at this place of the matrix; None where it is not drawn."""
        (top, tall), (left, wide) = _span(self.rows), _span(self.columns)
        drawn = Place((place.row - top) // tall, (place.column - left) // wide, place.tile)
        try:
            shown = self.place(*drawn)
        except IndexError:
            return None
        return drawn if shown == place else None

    def cell(self, row: int, column: int, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the tensor that is drawn here; None where the panel shows no tensor, or none here."""
        return self.shows.cell(*self.place(row, column, tile)) if self.shows else None

    def value(self, row: int, column: int, tile: tuple[int, int] | None = None) -> float:
        """The number that is drawn in this cell; NaN where it is masked."""
        assert self.values is not None, f"a panel of the kind {self.kind} has no cells"
        return float(self.values[self.tiles.on_sheet(Place(row, column, tile)) if self.tiles else (row, column)])

    def selection(self, place: Place) -> dict[Selectable, int]:
        """What a click on a cell of this place selects: the token, the layer, ..."""
        along = [(self.rows, place.row), (self.columns, place.column)]
        if self.tiles and place.tile:
            along += [(self.tiles.rows, place.tile[0]), (self.tiles.columns, place.tile[1])]
        return {what: index for axis, at in along if axis for what, index in axis.selection(at).items()}

    def _check(self, row: int, column: int, tile: tuple[int, int] | None) -> None:
        counts = [len(axis) if axis else 1 for axis in (self.rows, self.columns)]
        inside = 0 <= row < counts[0] and 0 <= column < counts[1] and (tile is None) == (self.tiles is None)
        if self.tiles and tile:
            inside &= 0 <= tile[0] < len(self.tiles.rows) and 0 <= tile[1] < len(self.tiles.columns)
        if not inside:
            raise IndexError(f"cell {row}, {column} of tile {tile} is beyond the panel “{self.title}”.")


def _span(axis: Axis | None) -> tuple[int, int]:
    """The first place of an axis, and the places of a cell."""
    return (axis.start, axis.size) if axis else (0, 1)


Line = list[Panel | str]  # panels from left to right, with the operators between them


def panels_of(line: Line) -> list[Panel]:
    """The panels of a line, without the operators."""
    return [part for part in line if isinstance(part, Panel)]
