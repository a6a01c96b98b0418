"""Which cell of a tensor each cell of a panel shows: a click inspects it, and an inspected cell is outlined."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from encoder_core.explain.cell import PARAMETERS, Cell

PanelAxis = Literal["row", "column", "tile row", "tile column"]


class Place(NamedTuple):
    """A place on the matrix of a panel: row and column, and for a mosaic (row, column) of the tile."""

    row: int
    column: int
    tile: tuple[int, int] | None = None

    def along(self, axis: PanelAxis) -> int:
        """The index along one axis; 0 along an axis of tiles where there are no tiles."""
        tile = self.tile or (0, 0)
        return {"row": self.row, "column": self.column, "tile row": tile[0], "tile column": tile[1]}[axis]


@dataclass(frozen=True)
class TensorSlice:
    """A slice of one tensor: each of its indices, and its layer, is fixed or runs along an axis of the panel.

    index    ("scores", (0, 1, "row", "column"), layer=2) is head 1 of sentence 0 in layer 2; ("column", "row") at the
             end transposes it; a "tile column" in the place of the head makes each column of tiles a head
    rows     the rows of the tensor that the panel has, in order; None if it has all
    columns  the same for its columns
    factor   the panel shows the numbers of the tensor times this factor
    step     the panel shows the value of this step of a cell's derivation, by its index or name; None shows the cell
    """

    tensor: str
    index: tuple[int | PanelAxis, ...]
    layer: int | PanelAxis | None = None
    rows: Sequence[int] | None = None
    columns: Sequence[int] | None = None
    factor: float = 1.0
    step: int | str | None = None

    def cell(self, row: int, column: int = 0, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the tensor at this place; None where the tensor has no such row or column."""
        try:
            place = Place(_in_tensor(self.rows, row), _in_tensor(self.columns, column), tile)
        except IndexError:
            return None
        index = tuple(place.along(along) if isinstance(along, str) else along for along in self.index)
        layer = place.along(self.layer) if isinstance(self.layer, str) else self.layer
        return Cell(self.tensor, index, layer)

    def place(self, cell: Cell) -> Place | None:
        """The place of the cell on the matrix of the panel; None where it is not in this slice."""
        if cell.tensor != self.tensor or len(cell.index) != len(self.index):
            return None
        if (cell.layer is None) != (self.layer is None):
            return None
        places: dict[str, int] = {}
        for axis, index in ((self.layer, cell.layer), *zip(self.index, cell.index, strict=True)):
            if isinstance(axis, str) and index is not None:
                places[axis] = index
            elif axis != index:
                return None
        for drawn_axis, drawn in (("row", self.rows), ("column", self.columns)):
            if drawn is not None:
                if places[drawn_axis] not in drawn:
                    return None
                places[drawn_axis] = list(drawn).index(places[drawn_axis])
        return _place_of(places)


@dataclass(frozen=True)
class ResidualStages:
    """The stages of the residual stream: the first layer's input, the output of each of the `layers` layers, and the
    output of the final norm.

    token  the token whose vector is shown, one row for each stage; None where each column of tiles is a stage with all
           tokens as rows
    """

    sentence: int
    layers: int
    token: int | None = None

    def cell(self, row: int, column: int = 0, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the tensor at this stage."""
        stage, token = (tile[1] if tile else 0, row) if self.token is None else (row, self.token)
        index = (self.sentence, token, column)
        if 0 < stage <= self.layers:
            return Cell("resid_post", index, stage - 1)
        return Cell("output" if stage else "embedded", index)

    def place(self, cell: Cell) -> Place | None:
        """The place of the cell on the matrix of the panel; None where it is no stage of it."""
        stages = {"embedded": 0, "resid_post": (cell.layer or 0) + 1, "output": self.layers + 1}
        if cell.tensor not in stages or cell.index[0] != self.sentence:
            return None
        (_, token, dimension), stage = cell.index, stages[cell.tensor]
        if self.token is None:
            return Place(token, dimension, (0, stage))
        return Place(stage, dimension) if token == self.token else None


@dataclass(frozen=True)
class HeadsSideBySide:
    """The rows of all heads side by side, `d_head` columns each."""

    tensor: str
    sentence: int
    layer: int
    d_head: int

    def cell(self, row: int, column: int = 0, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell in the head that the column belongs to."""
        head, dimension = divmod(column, self.d_head)
        return Cell(self.tensor, (self.sentence, head, row, dimension), self.layer)

    def place(self, cell: Cell) -> Place | None:
        """Row and column of the cell among all heads; None where the tensor is another."""
        if (cell.tensor, cell.layer, *cell.index[:1]) != (self.tensor, self.layer, self.sentence):
            return None
        _, head, row, dimension = cell.index
        return Place(row, head * self.d_head + dimension)


@dataclass(frozen=True)
class RankedTokens:
    """For each token of a sentence, one number of a tensor (batch, seq, vocab) in each column.

    ids  of each token's columns in the vocabulary
    """

    tensor: str
    sentence: int
    ids: Sequence[Sequence[int]]

    def cell(self, row: int, column: int = 0, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the tensor with the id of this column."""
        return Cell(self.tensor, (self.sentence, row, int(self.ids[row][column])))

    def place(self, cell: Cell) -> Place | None:
        """Row and column of the cell; None where its id has no column."""
        if cell.tensor != self.tensor or cell.index[0] != self.sentence:
            return None
        _, row, token_id = cell.index
        ids = list(self.ids[row])
        return Place(row, ids.index(token_id)) if token_id in ids else None


@dataclass(frozen=True)
class LensTokens:
    """For each token of a sentence, one probability of the logit lens at each stage: the first layer's input, and the
    output of each layer.

    ids  of each token's stages in the vocabulary
    """

    sentence: int
    ids: Sequence[Sequence[int]]

    def cell(self, row: int, column: int = 0, tile: tuple[int, int] | None = None) -> Cell | None:
        """The cell of the measure with the id of this stage."""
        index = (self.sentence, row, int(self.ids[row][column]))
        if column:
            return Cell("resid_post_lens_probabilities", index, column - 1)
        return Cell("embedded_lens_probabilities", index)

    def place(self, cell: Cell) -> Place | None:
        """Row and column of the cell; None where the stage shows another id."""
        stages = {"embedded_lens_probabilities": 0, "resid_post_lens_probabilities": (cell.layer or 0) + 1}
        if cell.tensor not in stages or cell.index[0] != self.sentence:
            return None
        (_, row, token_id), stage = cell.index, stages[cell.tensor]
        return Place(row, stage) if self.ids[row][stage] == token_id else None


TensorMap = TensorSlice | ResidualStages | HeadsSideBySide | RankedTokens | LensTokens


def parameter_slice(name: str, rows: Sequence[int] | None = None) -> TensorSlice:
    """A matrix of parameters, or the given rows of it."""
    return TensorSlice(f"{PARAMETERS}{name}", ("row", "column"), rows=rows)


def _in_tensor(drawn: Sequence[int] | None, place: int) -> int:
    """The row or column of the tensor that is drawn at this place. Raises IndexError where none is."""
    return place if drawn is None else int(drawn[place])


def _place_of(places: dict[str, int]) -> Place:
    has_tiles = "tile row" in places or "tile column" in places
    tile = (places.get("tile row", 0), places.get("tile column", 0)) if has_tiles else None
    return Place(places.get("row", 0), places.get("column", 0), tile)
