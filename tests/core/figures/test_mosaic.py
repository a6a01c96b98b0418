"""Tiles, stripes and masked cells of a mosaic."""

from dataclasses import replace

import numpy as np
import pytest

from encoder_core.figures import MosaicStyle, TileGrid, mosaic, theme_named

TILES = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)
GRID = TileGrid([""], ["<i>", "2"])
NAMES = {"rows": ["<b>", "b"], "columns": ["x", "y", "z"]}
SIGNED = MosaicStyle(kind="signed")


def test_tiles_are_side_by_side_with_a_gap():
    panel = mosaic(TILES, GRID, **NAMES, title="t", style=SIGNED)
    np.testing.assert_array_equal(panel.figure.data[0].z[0], [0, 1, 2, np.nan, 6, 7, 8])
    assert (panel.tiles.tall, panel.tiles.wide, panel.tiles.gap) == (2, 3, 1)
    assert panel.figure.data[0].zmax == 11


def test_tiles_without_a_gap_are_the_matrix():
    panel = mosaic(TILES, replace(GRID, gap=0), **NAMES, title="t", style=SIGNED)
    np.testing.assert_array_equal(panel.figure.data[0].z, [[0, 1, 2, 6, 7, 8], [3, 4, 5, 9, 10, 11]])
    (frames,) = panel.figure.layout.shapes
    assert frames.path == "M-0.5,-0.5H2.5V1.5H-0.5ZM2.5,-0.5H5.5V1.5H2.5Z"


def test_the_selected_tile_has_a_thicker_frame_above_the_others():
    panel = mosaic(TILES, replace(GRID, gap=0, selected=(0, 1)), **NAMES, title="t", style=SIGNED)
    other, selected = panel.figure.layout.shapes
    assert other.path == "M-0.5,-0.5H2.5V1.5H-0.5Z"
    assert (selected.x0, selected.x1, selected.y0, selected.y1) == (2.5, 5.5, -0.5, 1.5)
    assert selected.line.width > other.line.width
    alone = mosaic(TILES[:, :1], TileGrid([""], ["1"], selected=(0, 0)), **NAMES, title="t", style=SIGNED)
    assert len(alone.figure.layout.shapes) == 1


def test_a_single_row_of_tiles_names_its_rows_and_escapes_them():
    panel = mosaic(TILES, GRID, **NAMES, title="t", style=SIGNED)
    assert panel.figure.layout.yaxis.ticktext == ("&lt;b&gt;", "b")
    assert panel.figure.layout.xaxis.ticktext == ("&lt;i&gt;", "2")


def test_of_many_rows_as_many_have_labels_as_fit():
    tiles, tokens = np.zeros((1, 1, 64, 1), np.float32), [str(i) for i in range(64)]
    panel = mosaic(tiles, TileGrid([""], ["1"]), tokens, ["x"], title="t", style=MosaicStyle(height=128))
    assert panel.figure.layout.yaxis.ticktext[:3] == ("0", "5", "10")
    assert panel.figure.layout.yaxis.tickvals[:3] == (0, 5, 10)


def test_a_marked_row_keeps_its_label_and_its_neighbours_give_way():
    names = [str(row) for row in range(10)]
    grid = TileGrid([""], [""], marks=[(3, None)])
    panel = mosaic(np.ones((1, 1, 10, 2)), grid, names, ["a", "b"], title="", style=MosaicStyle(height=65))
    assert panel.figure.layout.yaxis.ticktext == ("0", "3", "6", "8")  # without the mark: every second one
    assert panel.figure.layout.yaxis.tickvals == (0, 3, 6, 8)


def test_a_row_one_step_from_a_marked_one_keeps_its_label():
    """Every second row has a label. Row 2 and row 6 are two steps of a row from the marked row 4: they have room."""
    names = [str(row) for row in range(10)]
    grid = TileGrid([""], [""], marks=[(4, None)])
    panel = mosaic(np.ones((1, 1, 10, 2)), grid, names, ["a", "b"], title="", style=MosaicStyle(height=65))
    assert panel.figure.layout.yaxis.tickvals == (0, 2, 4, 6, 8)


def test_masked_cells_are_grey_and_have_no_number():
    mask = np.ones(TILES.shape, bool)
    mask[0, 1, 0, 2] = False
    panel = mosaic(TILES, GRID, **NAMES, title="t", mask=mask, style=MosaicStyle(kind="signed", theme="dark"))
    numbers, masked = panel.figure.data
    assert np.isnan(numbers.z[0, 6])
    assert masked.z[0, 6] == 0
    assert np.isnan(masked.z[0, 0])
    assert masked.colorscale[0][1] == theme_named("dark").masked


def test_a_single_column_of_tiles_names_its_columns_below_and_escapes_them():
    tiles = TILES.swapaxes(0, 1)
    panel = mosaic(
        tiles,
        TileGrid(["layer 1", "2"], [""]),
        ["1", "2"],
        ["<b>", "cat", "sofa"],
        title="t",
        style=MosaicStyle(limit=12.0),
    )
    assert panel.figure.layout.xaxis.ticktext == ("&lt;b&gt;", "cat", "sofa")
    assert panel.figure.layout.xaxis.tickvals == (0, 1, 2)
    assert panel.figure.layout.xaxis.side is None
    assert panel.figure.layout.yaxis.ticktext == ("layer 1", "2")
    np.testing.assert_array_equal(panel.figure.data[0].z[3], [6, 7, 8])


def test_a_row_of_the_selected_tile_and_a_column_of_all_are_outlined():
    tiles = TILES.swapaxes(0, 1)
    names = {"rows": ["1", "2"], "columns": ["x", "y", "z"], "title": "t"}
    panel = mosaic(tiles, TileGrid(["1", "2"], [""], selected=(1, 0), marks=[(1, None), (None, 2)]), **names)
    *_, row, column = panel.figure.layout.shapes
    assert (row.y0, row.y1, row.x0, row.x1) == (3.5, 4.5, -0.5, 2.5)  # the second tile starts at row 3, after a gap
    assert (column.x0, column.x1, column.y0, column.y1) == (1.5, 2.5, -0.5, 4.5)


@pytest.mark.parametrize("grid", [GRID, TileGrid([""], ["1"]), TileGrid([""], ["1", "2"], gap=0)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_have_the_colour_of_the_theme(grid, theme):
    tiles = TILES[: len(grid.row_titles), : len(grid.column_titles)]
    layout = mosaic(tiles, grid, **NAMES, title="t", style=MosaicStyle(kind="signed", theme=theme)).layout
    colours = {layout[axis]["tickfont"]["color"] for axis in ("xaxis", "yaxis")}
    assert colours == {theme_named(theme).muted}


def test_titles_of_an_iterator_are_read_once(unchecked):
    grid = TileGrid(iter([""]), iter(["<i>", "2"]))
    assert (grid.row_titles, grid.column_titles) == (("",), ("<i>", "2"))
    assert mosaic(TILES, grid, **NAMES, title="t", style=SIGNED).tiles.columns.names == ("<i>", "2")
