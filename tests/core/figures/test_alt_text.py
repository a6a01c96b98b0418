"""The alt texts of figures say their numbers: the range, the place of the largest, and how many are masked."""

import numpy as np

from encoder_core.figures import (
    AxisMeaning,
    HeatmapStyle,
    RowBarsDetails,
    RowBarsStyle,
    TileGrid,
    heatmap,
    mosaic,
    row_bars,
)

TOKENS = ["the", "<b>", "sat"]
VALUES = np.array([[-4.5, 1.0, 0.5], [0.25, 4.25, -np.inf], [0.0, 1.0, 2.0]])


def test_a_heatmap_of_signed_numbers():
    panel = heatmap(VALUES, TOKENS, title="Q")
    assert panel.alt == ("Q: heatmap, 3 token rows by 3 dimension columns; values −4.5 to 4.25, largest at "
                         "token “<b>”, dimension 1; 1 cell masked")  # fmt: skip


def test_rows_and_columns_that_have_no_other_name_are_named_once():
    for kind in ("row", AxisMeaning("row", "")):
        panel = heatmap(VALUES[:1], ["1"], title="x", style=HeatmapStyle(row_axis=kind, column_axis="column"))
        assert panel.alt.startswith("x: heatmap, 1 row by 3 columns; ")


def test_weights_say_what_is_masked():
    weights = np.array([[1.0, 0.0], [0.25, 0.75]], np.float32)
    style = HeatmapStyle(kind="weights", row_axis="query", column_axis="key")
    panel = heatmap(weights, ["a", "b"], ["a", "b"], title="A", mask=np.tril(np.ones((2, 2), bool)), style=style)
    assert panel.alt.endswith("; values 0.25 to 1, largest at query “a”, key “a”; 1 cell masked")


def test_the_largest_of_several_equal_numbers_and_of_tokens_with_the_same_name():
    weights = np.array([[0.25, 0.75], [0.75, 0.25]], np.float32)
    style = HeatmapStyle(kind="weights", row_axis="query", column_axis="key")
    panel = heatmap(weights, ["cat", "cat"], ["a", "b"], title="A", style=style)
    assert panel.alt.endswith("; values 0.25 to 0.75, largest at 2 cells, first query 1 “cat”, key “b”")
    panel = heatmap(np.array([[1.0, 2.0, 2.0]]), ["a"], title="t")
    assert panel.alt.endswith("; values 1 to 2, largest at 2 cells, first token “a”, dimension 1")


def test_equal_numbers_and_none():
    assert heatmap(np.ones((2, 2)), ["a", "b"], title="t").alt.endswith("2 dimension columns; all values 1")
    assert heatmap(np.full((2, 2), np.nan), ["a", "b"], title="t").alt.endswith("2 dimension columns; 4 cells masked")


def test_a_mosaic_names_the_tile():
    tiles = np.zeros((2, 2, 2, 2), np.float32)
    tiles[1, 0, 0, 1] = 0.7
    mask = np.ones(tiles.shape, bool)
    mask[..., 1, 1] = False
    panel = mosaic(tiles, TileGrid(["layer 1", "2"], ["head 1", "2"]), ["a", "b"], ["a", "b"], title="t", mask=mask)
    assert panel.alt.endswith("; values 0 to 0.7, largest at layer 2, head 1, query “a”, key “b”; 4 cells masked")


def test_bars_in_rows():
    mask = np.array([True, True, False])
    panel = row_bars(np.array([0.25, 0.75, 0.0]), TOKENS, title="weight", mask=mask, style=RowBarsStyle(decimals=3),
                     details=RowBarsDetails(footer="sum 1.000"))  # fmt: skip
    assert panel.alt == ("weight: one bar for each of 3 key rows; values 0.250 to 0.750, largest at key “<b>”; "
                         "1 row masked. sum 1.000")  # fmt: skip
    panel = row_bars(np.array([np.nan, 0.0, 0.5]), TOKENS, title="weight")
    assert panel.alt == ("weight: one bar for each of 3 key rows; values 0.00 to 0.50, largest at key “sat”; "
                         "1 row not finite. ")  # fmt: skip
