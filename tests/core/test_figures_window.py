"""Windows on wide axes, and bins: what is drawn, and which number of the matrix it is. By hand, then as identities."""

import numpy as np
import pytest

from encoder_core.figures import Place, Product, Window, heatmap, mosaic
from encoder_core.figures.window import drawn
from encoder_core.scenes import embedding, full_stack, multi_head
from encoder_core.scenes.position import At

ROWS = ["a", "b"]
VALUES = np.array([[1, -5, 2, 0, 3, -3, 7], [0, 0, 0, 4, -1, 4, -0.5]], np.float32)
BINS = Window(0, 7, 3)


def test_a_window_names_its_places_and_a_bin_its_first():
    assert Window(64, 67).names == ["64", "65", "66"]
    assert (len(BINS), BINS.names, BINS.places) == (3, ["0", "3", "6"], slice(0, 7))
    assert [BINS.bin_of(place) for place in (0, 2, 3, 6, 7, -1)] == [0, 0, 1, 2, None, None]
    assert [Window(64, 128).bin_of(place) for place in (63, 64, 127, 128)] == [None, 0, 63, None]


@pytest.mark.parametrize(
    ("columns", "room", "size", "cells"),
    [(384, 64, 6, 64), (1536, 64, 24, 64), (312, 64, 5, 63), (64, 64, 1, 64), (65, 64, 2, 33), (7, 1, 7, 1)],
)
def test_all_fit_into_as_many_cells_as_there_is_room_for(columns, room, size, cells):
    fitted = Window(0, columns).fitted(room)
    assert (fitted.size, len(fitted)) == (size, cells)
    assert fitted.places == slice(0, columns)


def test_of_a_bin_the_number_of_largest_magnitude_is_drawn_of_equal_ones_the_first():
    values, offsets = drawn(VALUES, ROWS, BINS)
    np.testing.assert_array_equal(values, [[-5, 3, 7], [0, 4, -0.5]])
    np.testing.assert_array_equal(offsets, [[1, 1, 0], [0, 0, 0]])


def test_bins_of_rows_and_of_columns():
    """Blocks of 2 x 3 of a matrix of 3 x 4: the last ones are smaller, and nothing beyond the matrix is drawn."""
    matrix = np.array([[1, 2, -3, 4], [0, -9, 5, -6], [-7, 7, 0, 0]], np.float32)
    values, offsets = drawn(matrix, Window(0, 3, 2), Window(0, 4, 3))
    np.testing.assert_array_equal(values, [[-9, -6], [-7, 0]])
    np.testing.assert_array_equal(offsets, [[4, 3], [0, 0]])  # row 1, column 1 of its block; row 1, column 0; ...


def test_a_bin_in_a_window_counts_from_the_window():
    values, offsets = drawn(VALUES, ROWS, Window(2, 6, 2))
    np.testing.assert_array_equal(values, [[2, 3], [4, 4]])
    np.testing.assert_array_equal(offsets, [[0, 0], [1, 1]])


def test_a_masked_number_is_drawn_only_where_its_bin_has_no_other():
    values, offsets = drawn(np.array([[-np.inf, 0.5, np.nan, -np.inf, -np.inf]]), ["a"], Window(0, 5, 2))
    np.testing.assert_array_equal(values, [[0.5, np.nan, -np.inf]])
    np.testing.assert_array_equal(offsets, [[1, 0, 0]])


def test_a_figure_draws_its_window_on_the_scale_of_the_whole_matrix():
    panel = heatmap(VALUES, ROWS, Window(2, 6), title="t", marks=[(1, None), (None, 3), (0, 6)])
    np.testing.assert_array_equal(panel.figure.data[0].z, VALUES[:, 2:6])
    assert panel.columns.names == ("2", "3", "4", "5")
    assert panel.figure.data[0].zmax == 7  # which is not drawn
    row, column = panel.figure.layout.shapes  # the mark of a cell that is not drawn is none
    assert (row.y0, row.x0, row.x1) == (0.5, -0.5, 3.5)
    assert (column.x0, column.x1) == (0.5, 1.5)
    assert panel.place(1, 0) == Place(1, 2)
    drawn_at = [panel.drawn_at(Place(1, column)) for column in (1, 2, 5, 6)]
    assert drawn_at == [None, Place(1, 0), Place(1, 3), None]


def test_a_figure_says_that_its_cells_are_bins():
    panel = heatmap(VALUES, ROWS, BINS, title="t", marks=[(None, 4)], column_flags={1: "red", 2: "red", 5: "blue"})
    assert panel.figure.layout.xaxis.title.text == "dimension, largest of 3"
    assert panel.figure.layout.yaxis.title.text == "token"
    assert panel.alt.endswith("2 token rows by 3 dimension columns, each cell the largest of its bin")
    assert panel.figure.layout.xaxis.ticktext == ("0", "3", "6")
    *flags, mark = panel.figure.layout.shapes
    assert [(flag.x0, flag.x1, flag.fillcolor) for flag in flags] == [(-0.5, 0.5, "red"), (0.5, 1.5, "blue")]
    assert (mark.x0, mark.x1) == (0.5, 1.5)


def test_what_draws_every_number_in_its_place_says_nothing_of_windows():
    panel = heatmap(VALUES, ROWS, title="t")
    assert (panel.columns.start, panel.columns.size) == (0, 1)
    assert panel.figure.data[0].customdata is None
    assert panel.columns.names == tuple(str(index) for index in range(7))
    assert panel.place(1, 6) == panel.drawn_at(Place(1, 6)) == Place(1, 6)


@pytest.mark.parametrize("window", [Window(0, 9), Window(4, 8), Window(0, 12, 3)])
def test_a_window_beyond_the_matrix_is_refused(window):
    with pytest.raises(ValueError, match="do not fit"):
        heatmap(VALUES, ROWS, window, title="t")


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (Window(0, 50, 7), Window(0, 384, 6)),
        (Window(0, 50), Window(64, 128)),
        (Window(10, 47, 3), Window(100, 355, 24)),
        ([str(index) for index in range(50)], Window(0, 384, 24)),
    ],
)
def test_every_cell_is_a_number_of_the_matrix_and_none_of_its_bin_is_larger(rows, columns):
    matrix = np.random.default_rng(0).standard_normal((50, 384)).astype(np.float32)
    panel = heatmap(matrix, rows, columns, title="t")
    cells, down, across = panel.figure.data[0].z, getattr(rows, "size", 1), columns.size
    top, left = getattr(rows, "start", 0), columns.start
    bottom, right = getattr(rows, "stop", 50), columns.stop
    for row, column in np.ndindex(cells.shape):
        place = panel.place(row, column)
        assert cells[row, column] == panel.value(row, column) == matrix[place[:2]]
        assert panel.drawn_at(place) == Place(row, column)
        bin_rows = slice(top + row * down, min(top + (row + 1) * down, bottom))
        bin_columns = slice(left + column * across, min(left + (column + 1) * across, right))
        assert np.abs(matrix[bin_rows, bin_columns]).max() == abs(cells[row, column])


def test_a_number_that_its_bin_hides_has_no_place_on_the_figure():
    panel = heatmap(VALUES, ROWS, BINS, title="t")
    found = [panel.drawn_at(Place(0, column)) for column in range(7)]
    assert found == [None, Place(0, 0), None, None, Place(0, 1), None, Place(0, 2)]


def test_a_click_beyond_a_figure_that_has_changed_is_an_index_error():
    with pytest.raises(IndexError):
        heatmap(VALUES, ROWS, BINS, title="t").place(0, 40)


def test_tiles_have_bins_of_their_own():
    tiles = np.stack([VALUES, -2 * VALUES[::-1]])[None]
    panel = mosaic(tiles, [""], ["1", "2"], title="t", rows=ROWS, columns=BINS, kind="signed", gap=2)
    np.testing.assert_array_equal(panel.figure.data[0].z[0], [-5, 3, 7, np.nan, np.nan, 0, -8, 1])
    assert (panel.tiles.tall, panel.tiles.wide, panel.tiles.gap) == (2, 3, 2)
    for tile, row, column in np.ndindex(2, 2, 3):
        place = panel.place(row, column, (0, tile))
        assert panel.value(row, column, (0, tile)) == tiles[(0, tile, *place[:2])]
        assert panel.drawn_at(place) == Place(row, column, (0, tile))


def test_masked_cells_of_tiles_have_bins_too():
    mask = np.array([[True] * 3 + [False] * 4, [True] * 7])[None, None]
    panel = mosaic(VALUES[None, None], [""], ["1"], title="t", rows=ROWS, columns=BINS, mask=mask)
    np.testing.assert_array_equal(np.isnan(panel.figure.data[0].z), [[False, True, True], [False] * 3])
    np.testing.assert_array_equal(panel.figure.data[-1].z, [[np.nan, 0, 0], [np.nan] * 3])


def test_the_sum_behind_a_cell_is_of_columns_not_of_bins():
    table, ids = np.eye(3, 8, dtype=np.float32), np.array([2, 0])
    for columns, product in ((None, Product(0, 1)), (Window(2, 6), Product(0, 1)), (Window(0, 8, 2), None)):
        parts = embedding.lookup(ids, table[ids], table, At(), tokens=ROWS, vocabulary=["x", "y", "z"], columns=columns)
        assert parts[4].product == product


@pytest.mark.parametrize(
    ("d_head", "heads", "size"), [(64, 4, 1), (16, 16, 1), (32, 12, 4), (64, 12, 8), (26, 12, 4), (300, 1, 4)]
)
def test_heads_side_by_side_are_drawn_whole_or_so_that_a_cell_can_be_clicked(d_head, heads, size):
    columns = multi_head.in_split(d_head, heads)
    assert (columns.places, columns.size) == (slice(0, d_head), size)
    assert len(columns) * heads <= (256 if size == 1 else 96)


@pytest.mark.parametrize(
    ("columns", "stages", "size", "cells"),
    [
        (Window(0, 64), 5, 1, 64),
        (Window(0, 64), 6, 1, 64),
        (Window(64, 128), 7, 2, 32),  # 34 cells a stage
        (Window(0, 384, 6), 7, 12, 32),
        (Window(0, 64), 14, 4, 16),
        (Window(0, 4), 14, 1, 4),
    ],
)
def test_stages_side_by_side_are_drawn_so_that_a_cell_can_be_clicked(columns, stages, size, cells):
    found = full_stack.of_stage(columns, stages)
    assert (found.places, found.size, len(found)) == (columns.places, size, cells)


@pytest.mark.parametrize(
    ("columns", "d_model", "heads", "seq", "size"),
    [
        (Window(0, 64), 64, 4, 18, 1),
        (Window(0, 256), 256, 16, 64, 5),  # of 262,144 cells a picture holds 60,000
        (Window(64, 128), 384, 12, 20, 4),  # 21 cells a head
        (Window(0, 384, 6), 384, 12, 20, 19),
    ],
)
def test_what_heads_add_is_drawn_in_as_many_cells_as_there_is_room_for(columns, d_model, heads, seq, size):
    found = multi_head.in_added(columns, d_model, heads, seq)
    assert (found.places, found.size) == (columns.places, size)
