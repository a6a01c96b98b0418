"""Arguments of a wrong type for figures: each gets a sentence that names the argument and what is allowed."""

import copy
import re
from dataclasses import replace

import numpy as np
import pytest

from encoder_core.figures import (
    Arrow,
    HeatmapStyle,
    MosaicStyle,
    PanelStyle,
    RowBarsDetails,
    RowBarsStyle,
    TileGrid,
    Window,
    activation_curve,
    arrows,
    band,
    bars,
    colour_limit,
    curves,
    extent_of,
    heatmap,
    largest_magnitude,
    line_styles,
    mosaic,
    points,
    residual_flow,
    row_bars,
    tile_titles,
    word_lines,
)
from encoder_core.figures.axis import AxisMeaning
from encoder_core.figures.mosaic import tile_bin_size

pytestmark = pytest.mark.usefixtures("unchecked")

VALUES = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])
ROWS, COLUMNS = ["a", "b"], ["x", "y", "z"]
NO_NUMBERS = [None, "abc", ["a"], [None], {"a": 1}, object(), np.array([object()])]


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (HeatmapStyle, {"kind": "attention"}, "kind='attention' is invalid: allowed are 'signed', 'weights'"),
        (HeatmapStyle, {"kind": None}, "kind=None is invalid"),
        (HeatmapStyle, {"kind": ["signed"]}, r"kind=\['signed'\] is invalid"),
        (HeatmapStyle, {"theme": "blue"}, "theme='blue' is invalid: allowed are 'light', 'dark'"),
        (HeatmapStyle, {"limit": "1"}, "limit='1' is invalid: allowed are numbers from 0 to 3.40282e"),
        (HeatmapStyle, {"limit": -1}, "limit=-1 is invalid"),
        (HeatmapStyle, {"limit": float("nan")}, "limit=nan is invalid"),
        (HeatmapStyle, {"limit": float("inf")}, "limit=inf is invalid"),
        (HeatmapStyle, {"limit": np.ones(2)}, r"limit=array\(\[1., 1.\]\) is invalid"),
        (HeatmapStyle, {"row_axis": "rows"}, "row_axis='rows' is invalid: allowed are 'query', 'key'"),
        (HeatmapStyle, {"column_axis": None}, "column_axis=None is invalid: allowed are 'query', 'key'"),
        (HeatmapStyle, {"height": 0}, "height=0 is invalid: allowed are whole numbers from 1"),
        (HeatmapStyle, {"height": "tall"}, "height='tall' is invalid"),
        (HeatmapStyle, {"weight": 1.5}, "weight=1.5 is invalid"),
        (HeatmapStyle, {"title_colour": "red"}, "title_colour='red' is invalid: allowed are .*'query', 'key', 'value'"),
        (HeatmapStyle, {"title_colour": "signed"}, "title_colour='signed' is invalid"),
        (HeatmapStyle, {"alt": 3}, "alt=3 is invalid: allowed are None and strings"),
        (HeatmapStyle, {"show_values": "yes"}, "show_values='yes' is invalid: allowed are True, False"),
        (HeatmapStyle, {"has_scale": None}, "has_scale=None is invalid: allowed are True, False"),
        (HeatmapStyle, {"row_flags": 1}, "row_flags=1 is invalid: allowed are collections of row indices"),
        (HeatmapStyle, {"column_flags": [1]}, r"column_flags=\[1\] is invalid: allowed are None and mappings"),
        (HeatmapStyle, {"column_flags": {0: 1}}, r"column_flags=\{0: 1\} is invalid: allowed are None and mappings"),
        (MosaicStyle, {"kind": "heads"}, "kind='heads' is invalid"),
        (RowBarsStyle, {"colour": "red"}, "colour='red' is invalid"),
        (RowBarsStyle, {"numbers_width": "a"}, "numbers_width='a' is invalid: allowed are numbers from 0 to 10"),
        (RowBarsStyle, {"decimals": -1}, "decimals=-1 is invalid: allowed are whole numbers from 0"),
        (PanelStyle, {"theme": None}, "theme=None is invalid"),
    ],
)
def test_a_field_of_a_style(kind, fields, message):
    with pytest.raises(ValueError, match=message):
        kind(**fields)


@pytest.mark.parametrize("values", [*NO_NUMBERS, 3, [1.0, 2.0], np.zeros((2, 3, 4)), np.zeros((0, 3)), [[1], [1, 2]]])
def test_a_heatmap_has_a_matrix(values):
    with pytest.raises(ValueError, match=r"values.* invalid: allowed are numbers of shape \(row, column\)"):
        heatmap(values, ROWS, COLUMNS, title="t")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": "ab"}, "labels='ab' is invalid: allowed are lists of names, and windows"),
        ({"rows": None}, "labels=None is invalid: allowed are lists of names, and windows"),
        ({"columns": [1, 2, 3]}, r"labels\[0\]=1 is invalid: allowed for labels are lists of names"),
        ({"rows": ["a"]}, r"values of shape \(2, 3\) do not fit 1 rows and 3 columns"),
        ({"title": None}, "title=None is invalid: allowed are strings"),
        ({"mask": np.ones((2, 2), bool)}, r"mask=.* is invalid: allowed are None and boolean arrays of shape \(2, 3\)"),
        ({"mask": np.ones((2, 3))}, "mask=.* is invalid: allowed are None and boolean arrays"),
        ({"mask": "causal"}, "mask='causal' is invalid: allowed are None and boolean arrays"),
        ({"texts": [["a"]]}, r"texts=.* is invalid: allowed are one text for each of the values of shape \(2, 3\)"),
        ({"texts": np.zeros((2, 3))}, r"texts=.* is invalid: allowed are one text for each of the values"),
        ({"style": "dark"}, "style='dark' is invalid: allowed are styles such as HeatmapStyle"),
        ({"style": MosaicStyle()}, "style=.* is invalid: allowed are styles such as HeatmapStyle"),
        ({"style": None}, "style=None is invalid: allowed are styles such as HeatmapStyle"),
    ],
)
def test_an_argument_of_a_heatmap(arguments, message):
    with pytest.raises(ValueError, match=message):
        heatmap(**{"values": VALUES, "rows": ROWS, "columns": COLUMNS, "title": "t"} | arguments)


def test_lists_integers_and_windows_are_allowed():
    panel = heatmap(
        [[1, 2, 3], [4, 5, 6]], ("a", "b"), Window(0, 3), title="t", style=HeatmapStyle(limit=np.float32(2))
    )
    np.testing.assert_array_equal(panel.values, [[1, 2, 3], [4, 5, 6]])
    HeatmapStyle(row_axis=AxisMeaning("token", "from"), title_colour="query", height=np.int64(30))


def test_tiles():
    tiles, grid = np.zeros((1, 2, 2, 3)), TileGrid(["layer 1"], ["head 1", "2"])
    with pytest.raises(ValueError, match=r"tiles: shape=\(2, 3\) is invalid: allowed are numbers of shape \(tile_row"):
        mosaic(VALUES, grid, ROWS, COLUMNS, title="t")
    with pytest.raises(ValueError, match=r"mask=.* is invalid: allowed are None and boolean arrays"):
        mosaic(tiles, grid, ROWS, COLUMNS, title="t", mask=np.ones((2, 3), bool))
    with pytest.raises(ValueError, match=r"grid=None is invalid: allowed are grids"):
        mosaic(tiles, None, ROWS, COLUMNS, title="t")
    with pytest.raises(ValueError, match=r"style=.* is invalid: allowed are styles such as MosaicStyle"):
        mosaic(tiles, grid, ROWS, COLUMNS, title="t", style=HeatmapStyle())
    with pytest.raises(ValueError, match="count=0 is invalid: allowed are whole numbers from 1"):
        tile_titles("head", 0)
    with pytest.raises(ValueError, match="max_cells=0 is invalid: allowed are whole numbers from 1"):
        tile_bin_size(4, 0)


@pytest.mark.parametrize("values", [*NO_NUMBERS, 3, VALUES])
def test_bars_have_a_column_of_numbers(values):
    with pytest.raises(ValueError, match=r"values.* invalid: allowed are numbers of shape \(row\)"):
        row_bars(values, ROWS, title="t")
    with pytest.raises(ValueError, match=r"values.* invalid: allowed are numbers of shape \(bar\)"):
        bars(values, ROWS, title="t")
    with pytest.raises(ValueError, match=r"mean.* invalid: allowed are numbers of shape \(x\)"):
        band(VALUES[0], values, VALUES[0], title="t", x_axis="x", y_axis="y")


def test_names_fit_the_numbers():
    with pytest.raises(ValueError, match="3 values do not fit 2 rows"):
        row_bars(VALUES[0], ROWS, title="t")
    with pytest.raises(ValueError, match="3 values do not fit 2 names"):
        bars(VALUES[0], ROWS, title="t")
    with pytest.raises(ValueError, match="3 values do not fit 1 texts"):
        bars(VALUES[0], COLUMNS, title="t", texts=["1 k"])
    with pytest.raises(ValueError, match="names='abc' is invalid: allowed are lists of names"):
        bars(VALUES[0], "abc", title="t")
    with pytest.raises(ValueError, match="colour='red' is invalid"):
        bars(VALUES[0], COLUMNS, title="t", colour="red")
    with pytest.raises(ValueError, match="have 3, 2 and 3 numbers"):
        band(VALUES[0], VALUES[0, :2], VALUES[0], title="t", x_axis="x", y_axis="y")
    with pytest.raises(ValueError, match=r"series\['loss'\]: 3 numbers do not fit 2 places on the x axis"):
        curves({"loss": VALUES[0]}, [1, 2], title="t", x_axis="x", y_axis="y")
    with pytest.raises(ValueError, match="name of a series=1 is invalid: allowed are strings"):
        curves({1: VALUES[0]}, [1, 2, 3], title="t", x_axis="x", y_axis="y")
    with pytest.raises(ValueError, match=r"series=.* is invalid: allowed are mappings"):
        curves(VALUES[0], [1, 2, 3], title="t", x_axis="x", y_axis="y")
    with pytest.raises(ValueError, match="mark=3 is invalid: allowed are 0 to 2"):
        curves({"loss": VALUES[0]}, [1, 2, 3], title="t", x_axis="x", y_axis="y", mark=3)
    with pytest.raises(ValueError, match="marked_series='b' is invalid: allowed are 'loss'"):
        curves({"loss": VALUES[0]}, [1, 2, 3], title="t", x_axis="x", y_axis="y", marked_series="b")


def test_marks_and_styles_of_charts():
    for marks in (None, 3, "ab", ["a"]):
        with pytest.raises(ValueError, match=r"marks.*=.* is invalid: allowed (are|for marks are) .*lists of"):
            row_bars(VALUES[0], COLUMNS, title="t", marks=marks)
        with pytest.raises(ValueError, match=r"marks.*=.* is invalid: allowed (are|for marks are) .*lists of"):
            bars(VALUES[0], COLUMNS, title="t", marks=marks)
    with pytest.raises(ValueError, match=r"style='dark' is invalid: allowed are styles such as PanelStyle"):
        bars(VALUES[0], COLUMNS, title="t", style="dark")
    with pytest.raises(ValueError, match=r"style=None is invalid: allowed are styles such as PanelStyle"):
        curves({"loss": VALUES[0]}, [1, 2, 3], title="t", x_axis="x", y_axis="y", style=None)


def test_points_in_a_plane():
    meaning = AxisMeaning("token")
    arguments = {"title": "t", "extent": ((0, 1), (0, 1)), "axis_titles": ("x", "y"), "meaning": meaning}
    with pytest.raises(ValueError, match=r"places of shape \(2, 3\) do not fit 2 names and 2 groups"):
        points(VALUES, ROWS, ROWS, **arguments)
    for path, message in (
        ((9, VALUES[:, :2]), r"paths\[0\]: index=9 is invalid: allowed are 0 to 1"),
        ((0, [1, 2]), r"paths\[0\].* invalid: allowed are numbers of shape \(stage, 2\)"),
        ((0, VALUES), r"paths\[0\]=.* is invalid: allowed are places of shape \(stage, 2\)"),
    ):
        with pytest.raises(ValueError, match=message):
            points(VALUES[:, :2], ROWS, ROWS, paths=[path], **arguments)
    for places in (VALUES, np.full((1, 2), np.nan), None, np.zeros(0)):
        with pytest.raises(ValueError, match=r"places.* invalid: allowed are (finite )?numbers"):
            extent_of(places)


def test_arrows_in_a_plane():
    arguments = {"ends": [], "title": "t", "axis_titles": ("x", "y"), "meaning": AxisMeaning("token")}
    arrow = Arrow(name="a", start=np.zeros(2), step=np.ones(2))
    for wrong in (None, [], [1]):
        with pytest.raises(ValueError, match=r"arrows.* is invalid: allowed (are|for arrows are) .*lists of arrows"):
            arrows(wrong, **arguments)
    with pytest.raises(ValueError, match="marked=9 is invalid: allowed are 0 to 0"):
        arrows([arrow], marked=9, **arguments)
    with pytest.raises(ValueError, match="colour='nope' is invalid"):
        replace(arrow, colour="nope")
    with pytest.raises(ValueError, match=r"step=.* is invalid: allowed are pairs of numbers \(x, y\)"):
        replace(arrow, step=np.ones(3))


def test_scales_and_lines():
    for measure in (largest_magnitude, colour_limit):
        with pytest.raises(ValueError, match=r"array=.* is invalid: allowed are numbers"):
            measure(VALUES, "abc")
        assert measure([1, -2, 1]) == 2
    with pytest.raises(ValueError, match=r"weights.* invalid: allowed are numbers of shape \(head, key\)"):
        word_lines(VALUES[0])
    with pytest.raises(ValueError, match="count=-1 is invalid: allowed are whole numbers from 0"):
        line_styles(-1, "light")
    with pytest.raises(ValueError, match="theme='blue' is invalid: allowed are 'light', 'dark'"):
        line_styles(3, "blue")
    with pytest.raises(ValueError, match="norm='both' is invalid: allowed are 'post', 'pre'"):
        residual_flow("both", title="t")
    with pytest.raises(ValueError, match="chosen='elu' is invalid: allowed are 'relu'"):
        activation_curve(VALUES[0], {"relu": VALUES[0]}, "elu", (VALUES[0], VALUES[0]), 0, title="t")


_COLUMN, _PLACES = VALUES[0], VALUES[:, :2]
_OTHER_KINDS = [10**30, np.ones(2), "x", {}, object()]
_PLANE = {
    "places": _PLACES,
    "names": ROWS,
    "groups": ROWS,
    "title": "t",
    "extent": ((0, 1), (0, 1)),
    "axis_titles": ("x", "y"),
    "meaning": AxisMeaning("token"),
}
_CURVES = {"series": {"loss": _COLUMN}, "x": [1, 2, 3], "title": "t", "x_axis": "x", "y_axis": "y"}
_RELU = {
    "x": _COLUMN,
    "functions": {"relu": _COLUMN},
    "chosen": "relu",
    "neurons": (_COLUMN, _COLUMN),
    "selected": 0,
}
OPTIONS = {
    "texts": lambda value: heatmap(VALUES, ROWS, COLUMNS, title="t", texts=value),
    "marks": lambda value: heatmap(VALUES, ROWS, COLUMNS, title="t", marks=value),
    "marks[0]": lambda value: heatmap(VALUES, ROWS, COLUMNS, title="t", marks=[value]),
    "span": lambda value: RowBarsStyle(span=value),
    "starts": lambda value: row_bars(_COLUMN, COLUMNS, title="t", details=RowBarsDetails(starts=value)),
    "references": lambda value: row_bars(_COLUMN, COLUMNS, title="t", details=RowBarsDetails(references=value)),
    "excluded": lambda value: row_bars(_COLUMN, COLUMNS, title="t", details=RowBarsDetails(excluded=value)),
    "row_titles": lambda value: TileGrid(value, ["head 1"]),
    "column_titles": lambda value: TileGrid(["layer 1"], value),
    "gap": lambda value: TileGrid(["layer 1"], ["head 1"], gap=value),
    "show_values": lambda value: bars(_COLUMN, COLUMNS, title="t", show_values=value),
    "x": lambda value: curves(**_CURVES | {"x": value}),
    "y_range": lambda value: curves(**_CURVES, y_range=value),
    "colours": lambda value: curves(**_CURVES, colours=value),
    "mark": lambda value: curves(**_CURVES, mark=value),
    "marked_series": lambda value: curves(**_CURVES, marked_series=value),
    "extent": lambda value: points(**_PLANE | {"extent": value}),
    "extent[1]": lambda value: points(**_PLANE | {"extent": ((0, 1), value)}),
    "axis_titles": lambda value: points(**_PLANE | {"axis_titles": value}),
    "paths": lambda value: points(**_PLANE, paths=value),
    "paths[0]": lambda value: points(**_PLANE, paths=[value]),
    "marked": lambda value: points(**_PLANE, marked=value),
    "factors": lambda value: residual_flow("post", title="t", factors=value),
    "functions": lambda value: activation_curve(**_RELU | {"functions": value}, title="t"),
    "neurons": lambda value: activation_curve(**_RELU | {"neurons": value}, title="t"),
}


@pytest.mark.parametrize("value", _OTHER_KINDS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_of_another_kind(name, value):
    if (name, type(value)) in {("x", np.ndarray), ("functions", dict)}:
        return  # of the right kind
    with pytest.raises(ValueError, match=rf"^{re.escape(name)}.* invalid: allowed (are|for [a-z_]+ are) "):
        OPTIONS[name](value)


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ([(2, 0)], r"marks\[0\]: row=2 is invalid: allowed are 0 to 1"),
        ([(0, 0), (None, 3)], r"marks\[1\]: column=3 is invalid: allowed are 0 to 2"),
        ([(-1, None)], r"marks\[0\]: row=-1 is invalid: allowed are 0 to 1"),
    ],
)
def test_marks_outside_the_matrix(marks, message):
    assert heatmap(VALUES, ROWS, COLUMNS, title="t", marks=[(1, None), (None, 2)]).marked == ((1, None), (None, 2))
    with pytest.raises(ValueError, match=message):
        heatmap(VALUES, ROWS, COLUMNS, title="t", marks=marks)
    with pytest.raises(ValueError, match=message):
        mosaic(VALUES[None, None], TileGrid([""], [""], marks=marks), ROWS, COLUMNS, title="t")


@pytest.mark.parametrize("flags", [[2], [-1], ["a"], [None], [0.5], "ab", [True]])
def test_flags_outside_the_matrix(flags):
    with pytest.raises(ValueError, match=r"row_flags.*=.* is invalid: allowed (are|for row_flags are) "):
        heatmap(VALUES, ROWS, COLUMNS, title="t", style=HeatmapStyle(row_flags=flags))
    with pytest.raises(ValueError, match=r"column_flags\[0\]=.* is invalid: allowed (are|for column_flags are) "):
        heatmap(VALUES, ROWS, COLUMNS, title="t", style=HeatmapStyle(column_flags={3: "red"}))


def test_marked_bars_exist():
    for draw in (bars, row_bars):
        with pytest.raises(ValueError, match=r"marks\[1\]=3 is invalid: allowed are 0 to 2"):
            draw(VALUES[0], COLUMNS, title="t", marks=[0, 3])
    with pytest.raises(ValueError, match=r"excluded\[0\]=-1 is invalid: allowed are 0 to 2"):
        row_bars(VALUES[0], COLUMNS, title="t", details=RowBarsDetails(excluded=[-1]))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((3, 1), "stop=1 is invalid: allowed are whole numbers from 3"),
        ((-1, 3), "start=-1 is invalid: allowed are whole numbers from 0"),
        (("a", 3), "start='a' is invalid"),
        ((0, None), "stop=None is invalid"),
        ((0, 3, 0), "size=0 is invalid: allowed are whole numbers from 1"),
        ((0, 3, 1.5), "size=1.5 is invalid"),
        ((0, 3, 1, "abc"), "labels='abc' is invalid: allowed are None and lists of names"),
        ((0, 3, 1, ("a", "b")), "2 labels do not fit stop=3: allowed is one for each place"),
    ],
)
def test_fields_of_a_window(fields, message):
    with pytest.raises(ValueError, match=message):
        Window(*fields)
    with pytest.raises(ValueError, match="max_cells=0 is invalid: allowed are whole numbers from 1"):
        Window(0, 3).fitted(0)


def test_a_figure_has_its_own_numbers():
    x, values = np.arange(3, dtype=np.float32), np.array([1, 2, 3], np.float32)
    details = RowBarsDetails(starts=values, references=values)
    panels = [
        curves({"a": values}, x, title="t", x_axis="", y_axis=""),
        bars(values, COLUMNS, title="t"),
        band(values, values, values, title="t", x_axis="", y_axis=""),
        row_bars(values, COLUMNS, title="t", details=details),
        activation_curve(x, {"relu": values}, "relu", (values, values), 0, title="t"),
        heatmap(values[None], ["a"], COLUMNS, title="t"),
        mosaic(values[None, None, None], TileGrid([""], [""]), ["a"], COLUMNS, title="t"),
    ]
    before = copy.deepcopy([panel.data for panel in panels])
    x[:], values[:] = 7, 7
    for panel, data in zip(panels, before, strict=True):
        for trace, expected in zip(panel.data, data, strict=True):
            for name in trace.keys() & {"x", "y", "z", "base"}:
                np.testing.assert_array_equal(trace[name], expected[name], f"{panel.kind} {name}")
