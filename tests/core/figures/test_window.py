"""Windows and bins: which number of the matrix each cell shows. First computed by hand, then as identities."""

import numpy as np
import pytest

from encoder_core.figures import HeatmapStyle, MosaicStyle, Place, TileGrid, Window, heatmap, mosaic
from encoder_core.figures.window import pool

ROWS = ["a", "b"]
VALUES = np.array([[1, -5, 2, 0, 3, -3, 7], [0, 0, 0, 4, -1, 4, -0.5]], np.float32)
BINS = Window(0, 7, 3)


def test_a_window_names_its_places_and_the_first_place_of_each_bin():
    assert Window(64, 67).names == ["64", "65", "66"]
    assert (len(BINS), BINS.names, BINS.places) == (3, ["0", "3", "6"], slice(0, 7))
    assert [BINS.bin_of(place) for place in (0, 2, 3, 6, 7, -1)] == [0, 0, 1, 2, None, None]
    assert [Window(64, 128).bin_of(place) for place in (63, 64, 127, 128)] == [None, 0, 63, None]


@pytest.mark.parametrize(
    ("columns", "max_cells", "size", "cells"),
    [(384, 64, 6, 64), (1536, 64, 24, 64), (312, 64, 5, 63), (64, 64, 1, 64), (65, 64, 2, 33), (7, 1, 7, 1)],
)
def test_a_window_fits_into_the_largest_number_of_cells(columns, max_cells, size, cells):
    fitted = Window(0, columns).fitted(max_cells)
    assert (fitted.size, len(fitted)) == (size, cells)
    assert fitted.places == slice(0, columns)


def test_a_bin_shows_its_number_of_largest_magnitude_and_the_first_of_equal_ones():
    values, offsets = pool(VALUES, ROWS, BINS)
    np.testing.assert_array_equal(values, [[-5, 3, 7], [0, 4, -0.5]])
    np.testing.assert_array_equal(offsets, [[1, 1, 0], [0, 0, 0]])


def test_bins_of_rows_and_of_columns():
    """Blocks of 2 x 3 of a matrix of 3 x 4: the last ones are smaller, and nothing beyond the matrix is drawn."""
    matrix = np.array([[1, 2, -3, 4], [0, -9, 5, -6], [-7, 7, 0, 0]], np.float32)
    values, offsets = pool(matrix, Window(0, 3, 2), Window(0, 4, 3))
    np.testing.assert_array_equal(values, [[-9, -6], [-7, 0]])
    np.testing.assert_array_equal(offsets, [[4, 3], [0, 0]])  # row 1, column 1 of its block; row 1, column 0; ...


def test_a_bin_in_a_window_counts_from_the_window():
    values, offsets = pool(VALUES, ROWS, Window(2, 6, 2))
    np.testing.assert_array_equal(values, [[2, 3], [4, 4]])
    np.testing.assert_array_equal(offsets, [[0, 0], [1, 1]])


def test_a_masked_number_is_shown_only_where_its_bin_has_no_other():
    values, offsets = pool(np.array([[-np.inf, 0.5, np.nan, -np.inf, -np.inf]]), ["a"], Window(0, 5, 2))
    np.testing.assert_array_equal(values, [[0.5, np.nan, -np.inf]])
    np.testing.assert_array_equal(offsets, [[1, 0, 0]])


def test_the_place_of_the_last_cell_of_a_large_bin():
    """300 · 300 cells in one bin: the offset of the last one, 89,999, is no 16-bit number. 256 cells have 8 bits."""
    matrix = np.zeros((300, 300), np.float32)
    matrix[299, 299] = 1
    panel = heatmap(matrix, Window(0, 300, 300), Window(0, 300, 300), title="t")
    assert panel.place(0, 0) == Place(299, 299)
    offsets = [pool(matrix, Window(0, 300, tall), Window(0, 300, 16)).offsets for tall in (16, 17, 300)]
    assert [array.dtype for array in offsets] == [np.uint8, np.uint16, np.uint16]
    tiled = mosaic(matrix[None, None], TileGrid([""], [""]), *[Window(0, 300, 300)] * 2, title="t")
    assert tiled.place(0, 0, (0, 0)) == Place(299, 299, (0, 0))


def test_a_small_number_is_shown_before_masked_ones():
    """A number that is not finite counts as -1, below the magnitude 0 of a zero."""
    values, offsets = pool(np.array([[-np.inf, 0.0, np.nan, 0.25]]), ["a"], Window(0, 4, 2))
    np.testing.assert_array_equal(values, [[0, 0.25]])
    np.testing.assert_array_equal(offsets, [[1, 1]])


def test_a_window_has_the_colour_scale_of_the_whole_matrix():
    panel = heatmap(VALUES, ROWS, Window(2, 6), title="t", marks=[(1, None), (None, 3), (0, 6)])
    np.testing.assert_array_equal(panel.figure.data[0].z, VALUES[:, 2:6])
    assert panel.columns.names == ("2", "3", "4", "5")
    assert panel.figure.data[0].zmax == 7  # outside the window
    row, column = panel.figure.layout.shapes  # no outline for the cell outside the window
    assert (row.y0, row.x0, row.x1) == (0.5, -0.5, 3.5)
    assert (column.x0, column.x1) == (0.5, 1.5)
    assert panel.place(1, 0) == Place(1, 2)
    drawn_at = [panel.drawn_at(Place(1, column)) for column in (1, 2, 5, 6)]
    assert drawn_at == [None, Place(1, 0), Place(1, 3), None]


def test_titles_and_alt_text_name_the_bins():
    panel = heatmap(
        VALUES,
        ROWS,
        BINS,
        title="t",
        marks=[(None, 4)],
        style=HeatmapStyle(column_flags={1: "red", 2: "red", 5: "blue"}),
    )
    assert panel.figure.layout.xaxis.title.text == "dimension, largest of 3"
    assert panel.figure.layout.yaxis.title.text == "token"
    assert "2 token rows by 3 dimension columns, each cell the largest of its bin; values −5 to 7, " in panel.alt
    assert panel.figure.layout.xaxis.ticktext == ("0", "3", "6")
    *flags, mark = panel.figure.layout.shapes
    assert [(flag.x0, flag.x1, flag.fillcolor) for flag in flags] == [(-0.5, 0.5, "red"), (0.5, 1.5, "blue")]
    assert (mark.x0, mark.x1) == (0.5, 1.5)


def test_a_figure_without_a_window_shows_every_number_in_its_place():
    panel = heatmap(VALUES, ROWS, title="t")
    assert (panel.columns.start, panel.columns.size) == (0, 1)
    assert panel.figure.data[0].customdata is None
    assert panel.columns.names == tuple(str(index) for index in range(7))
    assert panel.place(1, 6) == panel.drawn_at(Place(1, 6)) == Place(1, 6)


@pytest.mark.parametrize("window", [Window(0, 9), Window(4, 8), Window(0, 12, 3)])
def test_a_window_outside_the_matrix_raises_a_value_error(window):
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
def test_every_cell_is_the_largest_number_of_its_bin(rows, columns):
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


def test_a_number_that_its_bin_does_not_show_has_no_cell():
    panel = heatmap(VALUES, ROWS, BINS, title="t")
    cells = [panel.drawn_at(Place(0, column)) for column in range(7)]
    assert cells == [None, Place(0, 0), None, None, Place(0, 1), None, Place(0, 2)]


def test_a_click_outside_a_figure_that_has_changed_raises_an_index_error():
    with pytest.raises(IndexError):
        heatmap(VALUES, ROWS, BINS, title="t").place(0, 40)


def test_bins_of_tiles():
    tiles = np.stack([VALUES, -2 * VALUES[::-1]])[None]
    panel = mosaic(tiles, TileGrid([""], ["1", "2"], gap=2), ROWS, BINS, title="t", style=MosaicStyle(kind="signed"))
    np.testing.assert_array_equal(panel.figure.data[0].z[0], [-5, 3, 7, np.nan, np.nan, 0, -8, 1])
    assert (panel.tiles.tall, panel.tiles.wide, panel.tiles.gap) == (2, 3, 2)
    for tile, row, column in np.ndindex(2, 2, 3):
        place = panel.place(row, column, (0, tile))
        assert panel.value(row, column, (0, tile)) == tiles[(0, tile, *place[:2])]
        assert panel.drawn_at(place) == Place(row, column, (0, tile))


def test_bins_of_masked_cells_in_tiles():
    mask = np.array([[True] * 3 + [False] * 4, [True] * 7])[None, None]
    panel = mosaic(VALUES[None, None], TileGrid([""], ["1"]), ROWS, BINS, title="t", mask=mask)
    np.testing.assert_array_equal(np.isnan(panel.figure.data[0].z), [[False, True, True], [False] * 3])
    np.testing.assert_array_equal(panel.figure.data[-1].z, [[np.nan, 0, 0], [np.nan] * 3])


@pytest.mark.parametrize(
    ("columns", "title"),
    [
        (Window(0, 7), "dimension"),
        (Window(0, 3), "dimension, 0–2 of 7"),
        (Window(3, 7), "dimension, 3–6 of 7"),
        (Window(0, 7, 3), "dimension, largest of 3"),
        (Window(0, 3, labels=tuple("abcdefg")), "dimension"),  # the names say which
        (list("abcdefg"), "dimension"),
    ],
)
def test_the_title_of_a_numbered_axis_says_which_part_is_drawn(columns, title):
    panel = heatmap(VALUES, ROWS, columns, title="t")
    assert panel.layout["xaxis"]["title"]["text"] == title
    assert panel.columns.title == "dimension"
    assert heatmap(VALUES.T, columns, ROWS, title="t").layout["yaxis"]["title"]["text"].endswith(title[9:])
