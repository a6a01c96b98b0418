"""Panels as files: tables by hand, and a page that keeps text as text."""

import math

import numpy as np
import pytest

from dashboard.components.plot.serialise import to_json
from encoder_core.figures import bars, curves, heatmap, row_bars
from encoder_core.figures.axis import AxisMeaning
from encoder_core.figures.plane.arrows import Arrow, arrows
from encoder_core.figures.plane.points import extent_of, points
from tests.javascript.panels import axis, matrix_panel

SAVE, CSV = "plot/saving/save.js", "plot/saving/csv.js"
PANEL = matrix_panel([[1, 0.1], [math.nan, -4e-7]], axis("query", ["=1+1", 'a"b']), axis("key", ["x", "y,z"]))
TILES = {"rows": axis("layer", ["1"]), "columns": axis("head", ["1", "2"]), "tall": 1, "wide": 1, "gap": 1}


_CSV_OF = """async ([csv, panel, json]) => {
    const [{ toCsv }, { parsePanel }] = await Promise.all([csv, panel].map(module => import(`/${module}`)));
    return toCsv(parsePanel(json));
}"""


def csv_of(scripts, panel):
    """The table of a panel that the server sends."""
    return scripts.page.evaluate(_CSV_OF, [CSV, "plot/panel/panel.js", to_json(panel)])


@pytest.mark.parametrize(
    ("value", "field"),
    [(0.5, "0.5"), (0.10000000149011612, "0.100000001"), (None, ""), ("a", "a"), ("=1+1", "'=1+1"), ("-1.5", "-1.5"),
     ("@x", "'@x"), ('a"b', '"a""b"'), ("a,b", '"a,b"'), ("-", "'-")],
)  # fmt: skip
def test_fields(scripts, value, field):
    assert scripts.call(CSV, "csvField", math.nan if value is None else value) == field


def test_a_matrix_keeps_its_rows_and_columns(scripts):
    assert scripts.call(CSV, "toCsv", PANEL) == 'query \\ key,x,"y,z"\r\n\'=1+1,1,0.1\r\n"a""b",,-4e-7\r\n'


def test_the_tiles_of_a_mosaic(scripts):
    panel = matrix_panel([[1, math.nan, 3]], axis("query", "a"), axis("key", "b"), tiles=TILES)
    assert scripts.call(CSV, "toCsv", panel) == "layer,head,query,key,value\r\n1,1,a,b,1\r\n1,2,a,b,3\r\n"


def test_an_axis_of_tiles_without_names_is_left_out(scripts):
    one_row = {**TILES, "rows": axis("", [""])}
    panel = matrix_panel([[1, math.nan, 3]], axis("query", "a"), axis("key", "b"), tiles=one_row)
    assert scripts.call(CSV, "toCsv", panel) == "head,query,key,value\r\n1,a,b,1\r\n2,a,b,3\r\n"


def test_cells_with_texts(scripts):
    matrix = heatmap(np.array([[0.5, 0.25]]), ["it"], ["1", "2"], title="t", texts=[["<b>: 50%", "cat: 25%"]])
    assert csv_of(scripts, matrix) == "token,dimension,text,value\r\nit,1,<b>: 50%,0.5\r\nit,2,cat: 25%,0.25\r\n"


def test_bars_of_rows(scripts):
    bars = {"kind": "row_bars", "title": "exp", "rows": axis("key", "ab"), "data": [{"type": "bar", "x": [1, 2]}]}
    assert scripts.call(CSV, "toCsv", bars) == "key,exp\r\na,1\r\nb,2\r\n"
    hatched = {"type": "bar", "name": "masked", "x": [9], "y": [0]}
    bars["data"] = [{"type": "bar", "x": [0, 2], "base": [5, 0.5]}, hatched]
    assert scripts.call(CSV, "toCsv", bars) == "key,exp\r\na,\r\nb,2.5\r\n"  # the second bar ends at 2.5


def test_a_bar_that_is_no_number_is_empty_and_a_zero_is_zero(scripts):
    bars = row_bars(np.array([math.nan, 0, math.inf]), list("abc"), title="weights")
    assert csv_of(scripts, bars) == "key,weights\r\na,\r\nb,0\r\nc,\r\n"


def test_curves_and_bars_have_the_names_of_their_axes(scripts):
    over_numbers = curves({"sin": np.array([0, 0.5])}, [0, 2], title="t", x_axis="position", y_axis="value")
    assert csv_of(scripts, over_numbers) == "series,position,value\r\nsin,0,0\r\nsin,2,0.5\r\n"
    over_names = curves({"a": np.array([1.0, 2]), "b": np.array([3.0, 4])}, ["in", "<1>"], title="t", x_axis="block",
                        y_axis="")  # fmt: skip
    assert csv_of(scripts, over_names) == "series,block,y\r\na,in,1\r\na,<1>,2\r\nb,in,3\r\nb,<1>,4\r\n"
    parts = bars(np.array([3.0, 4]), ["embedding", "norms"], title="t", y_axis="parameters")
    assert csv_of(scripts, parts) == "name,parameters\r\nembedding,3\r\nnorms,4\r\n"


def test_points_paths_and_arrows_have_their_names(scripts):
    places = np.array([[0, 1], [2.0, 3]])
    shown = points(places, ["a<b", "cat"], ["one", "two"], title="t", extent=extent_of(places),
                   axis_titles=("component 1", "component 2"), meaning=AxisMeaning("token"),
                   paths=[(1, np.array([[5, 6], [2.0, 3]]))])  # fmt: skip
    assert csv_of(scripts, shown).split("\r\n")[:-1] == [
        "series,name,component 1,component 2", "path of cat,,5,6", "path of cat,,2,3", "one,a<b,0,1", "two,cat,2,3",
    ]  # fmt: skip
    by = [Arrow(name="attention", start=np.array([0.0, 0]), step=np.array([1.0, 2]))]
    moved = arrows(
        by, [("in", np.array([0.0, 0]))], title="t", axis_titles=("x", "y"), meaning=AxisMeaning("component")
    )
    assert csv_of(scripts, moved).split("\r\n")[:-1] == [
        "name,from x,from y,to x,to y", "attention,0,0,1,2", "in,,,0,0",
    ]  # fmt: skip


def test_a_diagram_has_no_table(scripts):
    hidden = scripts.page.evaluate("""async () => {
        const [{ connectSaveMenus }, { appendPanel }] =
            await Promise.all(["interaction/on_demand", "panel/panel_elements"]
                .map(name => import(`/plot/${name}.js`)));
        const kinds = ["heatmap", "flow"], items = kinds.map(kind => ({ panel: { kind } }));
        const panelElements = kinds.map(() => appendPanel(document.body));
        connectSaveMenus({ items, panelElements }, "", "");
        return panelElements.map(({ saveButtons }) =>
            saveButtons.filter(button => button.hidden).map(button => button.textContent));
    }""")
    assert hidden == [[], ["CSV"]]


def test_a_page_keeps_text_as_text(scripts):
    panel = {**PANEL, "title": "<img src=x onerror=alert(1)>", "alt": '"><b>'}
    figure = {"data": [], "layout": {"text": "</script><b>", "width": 700}}
    script, font = "var s = '</script>'; Plotly = {newPlot() {}}", "@font-face{font-family:x;src:url(data:,)}"
    page = scripts.call(SAVE, "standalonePage", panel, figure, script, "#fff", font)
    scripts.page.set_content(page)
    assert scripts.page.locator("b, img").count() == 0
    assert scripts.page.title() == panel["title"]
    assert scripts.page.locator("#figure").get_attribute("aria-label") == panel["alt"]
    assert scripts.page.evaluate("document.styleSheets[0].cssRules[0].style.fontFamily") == "x"
    assert scripts.page.evaluate("getComputedStyle(document.querySelector('#figure')).minWidth") == "700px"


def test_a_standalone_figure_has_a_title_and_room_for_the_colour_bar(scripts):
    layout = scripts.call(SAVE, "standaloneFigure", {**PANEL, "title": "a<b"}, 640, "#fff", "#000")["layout"]
    assert layout["title"]["text"] == "a&lt;b"
    assert (layout["width"], layout["height"], layout["margin"]["t"]) == (640, 230, 50)
    assert layout["margin"]["r"] == 10 + 64
