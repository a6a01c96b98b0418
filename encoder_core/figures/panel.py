"""A panel: one figure as plain data, with a typed description of its contents.

A page sends the data to the browser as they are. A `plotly.graph_objects.Figure` is built only for a notebook, because
building and copying figures took a quarter of the time of a page.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float, Integer

from encoder_core.explain.cell import Cell
from encoder_core.figures.axis import Axis, Selectable
from encoder_core.figures.tensor_map import Place, TensorMap
from encoder_core.figures.theme import Theme

PanelKind = Literal["heatmap", "mosaic", "row_bars", "bars", "curves", "band", "flow", "points"]
Mark = tuple[int | None, int | None]  # (row, column); (row, None) is the whole row, (None, column) the whole column


class Product(NamedTuple):
    """factor * (left @ right); `left` and `right` are indices of panels in the same line, operators not counted."""

    left: int
    right: int
    factor: float = 1.0


@dataclass(frozen=True)
class Tiles:
    """The tiles of a mosaic on its sheet: rows and columns of tiles, the size of a tile, and the gap in cells."""

    rows: Axis
    columns: Axis
    tall: int
    wide: int
    gap: int

    def on_sheet(self, place: Place) -> tuple[int, int]:
        """Row and column of a place on the whole sheet."""
        tile = place.tile or (0, 0)
        return tile[0] * (self.tall + self.gap) + place.row, tile[1] * (self.wide + self.gap) + place.column


@dataclass(frozen=True, eq=False)
class Panel:
    """One figure of a line of figures.

    data, layout   the Plotly figure as plain dictionaries; the title is not in the layout
    alt            the alt text
    weight         width relative to other panels of the line
    title_colour   a colour; None takes the colour of the text
    rows, columns  the axes of the cells; None where there are no cells
    tiles          of a mosaic, whose `rows` and `columns` are those of each tile
    values         the numbers of the cells, for a mosaic on one sheet; NaN where masked
    offsets        the index of each number within its bin, counted row by row; None where every bin is one number
    shows          the cells of a tensor that the cells of the panel show; None where it shows no tensor of a trace
    product        the product of two other panels that the panel is; None where it is no product
    set_by_hand    cells (row, column) that an edit has set, so that the product does not hold for them
    marked         the cells, rows and columns that are outlined, as indices of cells
    opens_next     whether the next panel of the line shows the selected tile enlarged
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
    opens_next: bool = False

    def __repr__(self) -> str:
        return f"Panel(kind={self.kind!r}, title={self.title!r})"

    @property
    def figure(self) -> go.Figure:
        """A Plotly figure, with its title."""
        font = {"size": 14, "color": self.title_colour or self.theme.text}
        title = {"text": self.title, "x": 0, "xref": "paper", "font": font}
        return go.Figure({"data": list(self.data), "layout": {"title": title, **self.layout}}, _validate=False)

    def _ipython_display_(self) -> None:
        """Displays the figure in a notebook."""
        self.figure._ipython_display_()

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        return self.figure._repr_mimebundle_(*args, **kwargs)

    def with_product(self, product: Product, set_by_hand: Collection[tuple[int, int]] = ()) -> "Panel":
        """The same panel as the product of two others; `set_by_hand` are cells of the matrix that an edit has set."""
        cells = (self.drawn_at(Place(*cell)) for cell in set_by_hand)
        return replace(self, product=product, set_by_hand=frozenset(cell[:2] for cell in cells if cell))

    def place(self, row: int, column: int, tile: tuple[int, int] | None = None) -> Place:
        """The place in the matrix of the number that this cell shows. Raises IndexError outside the panel."""
        self._check(row, column, tile)
        rows, columns = _span(self.rows), _span(self.columns)
        offset = 0
        if self.offsets is not None:
            index = self.tiles.on_sheet(Place(row, column, tile)) if self.tiles else (row, column)
            offset = int(self.offsets[index])
        down, across = divmod(offset, columns[1])
        return Place(rows[0] + row * rows[1] + down, columns[0] + column * columns[1] + across, tile)

    def drawn_at(self, place: Place) -> Place | None:
        """The cell that shows the number at this place of the matrix; None where no cell shows it."""
        (top, tall), (left, wide) = _span(self.rows), _span(self.columns)
        cell = Place((place.row - top) // tall, (place.column - left) // wide, place.tile)
        try:
            return cell if self.place(*cell) == place else None
        except IndexError:
            return None

    def cell(self, row: int, column: int, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the tensor that this cell shows; None where it shows none."""
        return self.shows.cell(*self.place(row, column, tile)) if self.shows else None

    def value(self, row: int, column: int, tile: tuple[int, int] | None = None) -> float:
        """The number that this cell shows; NaN where it is masked."""
        assert self.values is not None, f"a panel of the kind {self.kind} has no cells"
        return float(self.values[self.tiles.on_sheet(Place(row, column, tile)) if self.tiles else (row, column)])

    def selection(self, place: Place) -> dict[Selectable, int]:
        """What a click on the cell of this place selects: the token, the layer, ..."""
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
            raise IndexError(f"cell {row}, {column} of tile {tile} is outside the panel “{self.title}”.")


def _span(axis: Axis | None) -> tuple[int, int]:
    """The first place of an axis, and the number of places of a cell."""
    return (axis.start, axis.size) if axis else (0, 1)


Line = list[Panel | str]  # panels from left to right, with the operators between them


def panels_of(line: Line) -> list[Panel]:
    """The panels of a line, without the operators."""
    return [part for part in line if isinstance(part, Panel)]
