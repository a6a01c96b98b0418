"""Panels as files: tables by hand, and a page that keeps text as text."""

import math

import pytest

from tests.javascript.panels import axis, matrix_panel

SAVE = "plot/save.js"
PANEL = matrix_panel([[1, 0.1], [math.nan, -4e-7]], axis("query", ["=1+1", 'a"b']), axis("key", ["x", "y,z"]))
TILES = {"rows": axis("layer", ["1"]), "columns": axis("head", ["1", "2"]), "tall": 1, "wide": 1, "gap": 1}


@pytest.mark.parametrize(
    ("value", "field"),
    [(0.5, "0.5"), (0.10000000149011612, "0.100000001"), (None, ""), ("a", "a"), ("=1+1", "'=1+1"), ("-1.5", "-1.5"),
     ("@x", "'@x"), ('a"b', '"a""b"'), ("a,b", '"a,b"'), ("-", "'-")],
)  # fmt: skip
def test_fields(scripts, value, field):
    assert scripts.call(SAVE, "csvField", math.nan if value is None else value) == field


def test_a_matrix_keeps_its_rows_and_columns(scripts):
    assert scripts.call(SAVE, "toCsv", PANEL) == 'query \\ key,x,"y,z"\r\n\'=1+1,1,0.1\r\n"a""b",,-4e-7\r\n'


def test_the_tiles_of_a_mosaic(scripts):
    panel = matrix_panel([[1, math.nan, 3]], axis("query", "a"), axis("key", "b"), tiles=TILES)
    assert scripts.call(SAVE, "toCsv", panel) == "layer,head,query,key,value\r\n1,1,a,b,1\r\n1,2,a,b,3\r\n"


def test_bars_and_curves(scripts):
    bars = {"kind": "row_bars", "title": "exp", "rows": axis("key", "ab"), "data": [{"type": "bar", "x": [1, 2]}]}
    assert scripts.call(SAVE, "toCsv", bars) == "key,exp\r\na,1\r\nb,2\r\n"
    hatched = {"type": "bar", "name": "masked", "x": [9], "y": [0]}
    bars["data"] = [{"type": "bar", "x": [0, 2], "base": [5, 0.5]}, hatched]
    assert scripts.call(SAVE, "toCsv", bars) == "key,exp\r\na,\r\nb,2.5\r\n"  # the second bar ends at 2.5
    curves = {"kind": "curves", "rows": None, "data": [{"type": "scatter", "name": "sin", "x": [0, 1], "y": [0, 0.5]}]}
    assert scripts.call(SAVE, "toCsv", curves) == "series,x,y\r\nsin,0,0\r\nsin,1,0.5\r\n"


def test_a_page_keeps_text_as_text(scripts):
    panel = {**PANEL, "title": "<img src=x onerror=alert(1)>", "alt": '"><b>'}
    figure = {"data": [], "layout": {"text": "</script><b>"}}
    page = scripts.call(SAVE, "standalonePage", panel, figure, "var s = '</script>'; Plotly = {newPlot() {}}", "#fff")
    scripts.page.set_content(page)
    assert scripts.page.locator("b, img").count() == 0
    assert scripts.page.title() == panel["title"]
    assert scripts.page.locator("#figure").get_attribute("aria-label") == panel["alt"]


def test_a_standalone_figure_has_a_title_and_room_for_the_colour_bar(scripts):
    layout = scripts.call(SAVE, "standaloneFigure", {**PANEL, "title": "a<b"}, 640, "#fff", "#000")["layout"]
    assert layout["title"]["text"] == "a&lt;b"
    assert (layout["width"], layout["height"], layout["margin"]["t"]) == (640, 230, 50)
    assert layout["margin"]["r"] == 10 + 64
