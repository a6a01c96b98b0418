"""Panels: the figure in a notebook, the tensor cell of each cell, and the selection of a click."""

import numpy as np
import plotly.graph_objects as go
import pytest

from encoder_core.figures import (
    AxisMeaning,
    HeatmapStyle,
    Place,
    Product,
    TensorSlice,
    TileGrid,
    Window,
    heatmap,
    mosaic,
    panels_of,
    row_bars,
)

VALUES = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])
WORDS = ["a", "b"]


def test_a_notebook_displays_the_figure_with_its_title():
    panel = heatmap(VALUES, WORDS, title="Q", style=HeatmapStyle(title_colour="query"))
    assert isinstance(panel.figure, go.Figure)
    assert panel.figure.layout.title.text == "Q"
    assert panel.figure.layout.title.font.color == panel.title_colour == panel.theme.query
    assert "title" not in panel.layout
    assert panel.figure.layout.meta is None
    assert panel._repr_mimebundle_(None, None).keys() == panel.figure._repr_mimebundle_(None, None).keys()


def test_a_cell_is_a_cell_of_the_tensor_and_has_its_value():
    shows = TensorSlice("q", (0, 1, "row", "column"), 2)
    panel = heatmap(VALUES, WORDS, Window(1, 3), title="", shows=shows)
    assert str(panel.cell(1, 0)) == "q.2.0.1.1.1"
    assert panel.value(1, 0) == 3
    assert heatmap(VALUES, WORDS, title="").cell(1, 0) is None


@pytest.mark.parametrize("place", [(2, 0, None), (0, 3, None), (-1, 0, None), (0, 0, (0, 0))])
def test_a_place_outside_the_panel_raises_an_index_error(place):
    with pytest.raises(IndexError):
        heatmap(VALUES, WORDS, title="t").place(*place)
    with pytest.raises(IndexError):
        mosaic(VALUES[None, None], TileGrid(["1"], ["1"]), WORDS, list("xyz"), title="t").place(0, 0, (0, 1))


def test_cells_that_an_edit_sets_are_cells_of_the_panel():
    by_hand = [(0, 1), (1, 2), (1, 0)]
    windowed = heatmap(VALUES, WORDS, Window(1, 3), title="").with_product(Product(0, 1), by_hand)
    assert windowed.set_by_hand == {(0, 0), (1, 1)}
    in_bins = heatmap(VALUES, WORDS, Window(0, 3, 3), title="").with_product(Product(0, 1), by_hand)
    assert in_bins.set_by_hand == {(0, 0)}  # the bin of the second row shows another number


def test_a_click_selects_what_the_axes_stand_for():
    panel = heatmap(VALUES, WORDS, title="", style=HeatmapStyle(row_axis="query", column_axis="dimension"))
    assert panel.selection(Place(1, 2)) == {"token": 1, "dimension": 2}
    looked_up = AxisMeaning("id", selects=[{"token": 4}, {}])
    panel = heatmap(VALUES, WORDS, title="", style=HeatmapStyle(row_axis=looked_up, column_axis="key"))
    assert panel.selection(Place(0, 2)) == {"token": 4, "key_token": 2}
    assert panel.selection(Place(1, 2)) == {"key_token": 2}


def test_named_places_keep_their_names_in_bins():
    names = tuple("abcde")
    assert Window(1, 4, 1, names).names == ["b", "c", "d"]
    places = Window(0, 5, 2, names)
    assert places.names == ["1 to 2", "3 to 4", "5"]
    panel = heatmap(
        np.arange(25.0).reshape(5, 5), places, places, title="", style=HeatmapStyle(row_axis="query", column_axis="key")
    )
    assert panel.rows.labels == names
    assert panel.place(1, 2) == Place(3, 4)  # 19, the largest of its bin
    assert panel.selection(panel.place(1, 2)) == {"token": 3, "key_token": 4}


def test_bars_have_one_row_each_and_one_column():
    panel = row_bars(np.array([0.5, -np.inf]), WORDS, title="", shows=TensorSlice("scores", (0, 1, 2, "row"), 3))
    assert str(panel.cell(1, 0)) == "scores.3.0.1.2.1"
    assert panel.selection(panel.place(1, 0)) == {"key_token": 1}
    assert panel.value(0, 0) == 0.5
    assert np.isnan(panel.value(1, 0))
    assert panels_of([panel, "=", panel]) == [panel, panel]
