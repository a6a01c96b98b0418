"""A move of a slider, a click on a cell: what is on screen afterwards is what the engine says, repainted in place."""

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from dashboard.page_list import STAGES
from tests.browser.engine import HEATMAPS, scaled_scores, trace_of

SLIDERS = {"d_model": "d_model", "heads": "heads", "layers": "layers", "d_ff": "d_ff", "seed": "Seed"}


@pytest.fixture(params=HEATMAPS)
def name(request):
    return request.param


def _chosen(screen):
    return {key: screen.says(label) for key, label in SLIDERS.items()}


def test_every_slider_repaints_all_heatmaps(screen, name):
    """In layer 2, where the width of the feed-forward network of layer 1 tells."""
    screen.open(name, layer=2, head=1)
    screen.shows(*HEATMAPS[name](trace_of(), 2, 1))
    with screen.rerun():
        screen.page.get_by_text("More choices").click()
    for label in SLIDERS.values():
        before = _chosen(screen)
        for key in ("End", "ArrowLeft"):
            screen.press(label, key)
            screen.shows(*HEATMAPS[name](trace_of(**_chosen(screen)), 2, 1))
            assert _chosen(screen) != before
    assert set(screen.parameters) == {*SLIDERS, "layer"}


def test_a_drag_repaints_all_heatmaps(screen, name):
    screen.open(name)
    thumb = screen.slider("d_model").locator("xpath=../..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] - 2
    screen.page.mouse.move(x, y)
    screen.page.mouse.down()
    screen.page.mouse.move(x + 35, y, steps=7)
    with screen.rerun():
        screen.page.mouse.up()
    assert screen.says("d_model") > 100
    screen.shows(*HEATMAPS[name](trace_of(d_model=screen.says("d_model")), 1, 1))
    screen.settle()  # a slow drag is sent in parts: the last run may not be the one that was waited for
    assert screen.parameters == {"d_model": [str(screen.says("d_model"))]}


def test_a_typed_text_is_shown(screen, name):
    text = "שלום 👨‍👩‍👧‍👦 <b> naïve\ntwo words"
    screen.open(name)
    screen.page.get_by_role("textbox", name="Text").fill(text)
    with screen.rerun():
        screen.page.keyboard.press("Control+Enter")
    trace = trace_of(text)
    screen.shows(*HEATMAPS[name](trace, 1, 1))
    assert screen.plots()[0]["rows"] == list(trace.tokens[0])
    assert screen.parameters == {"text": [text]}


_WATCH = """() => {
    cancelAnimationFrame(window.watching);
    document.querySelectorAll(".js-plotly-plot").forEach((plot, i) => { plot.mark = i; });
    const places = window.places = new Set(), main = document.querySelector("[data-testid=stMain]");
    const parts = [...document.querySelectorAll("h1, .ew-plot, .ew-diagram, [data-testid=stDataFrame]")];
    const look = () => {
        places.add(parts.map(part => Math.round(part.getBoundingClientRect().top + main.scrollTop)).join());
        window.watching = requestAnimationFrame(look);
    };
    look();
}"""


def test_a_move_repaints_in_place(screen):
    """Plots keep their DOM; no heading, picture or table moves, not even for one frame."""
    screen.open()
    labels, keys = ["d_model", "heads"], ["ArrowLeft", "ArrowRight"]
    for stage in STAGES:
        screen.go(stage.name).page.evaluate(_WATCH)
        for label in labels:
            before = screen.says(label)
            assert screen.press(label, keys[0]) != before
        labels, keys = labels[::-1], keys[::-1]  # and back again on the next page
        plots = screen.page.evaluate("[...document.querySelectorAll('.js-plotly-plot')].map(plot => plot.mark)")
        assert plots == list(range(len(plots))), stage.name
        places = screen.page.evaluate("[...window.places]")
        assert len(places) == 1, (stage.name, places)


# Of the columns that are in view, in pixels of the window.
_NAMES_AND_GAPS = """index => {
    const plot = document.querySelectorAll(".js-plotly-plot")[index];
    const names = [...plot.querySelectorAll(".ew-columns > .ew-name")].map(name => {
        const { left, right } = name.getBoundingClientRect();
        return (left + right) / 2;
    });
    const picture = plot.querySelector(".ew-gaps"), { e } = picture.getScreenCTM();
    const lines = [...picture.getAttribute("d").matchAll(/M([^,]+),[^V]+V/g)].map(([, x]) => e + Number(x));
    return { names, gaps: lines.filter(x => x > names[0] && x < names.at(-1)) };
}"""


def test_a_zoom_survives_the_move_of_a_slider(screen):
    screen.open("scaled_scores", layer=2)
    untouched = screen.plots()[2]["ranges"]
    screen.page.mouse.move(*screen.place(2, 3, 3))
    screen.page.mouse.down()
    screen.page.mouse.move(*screen.place(2, 12, 12), steps=5)
    screen.page.mouse.up()
    screen.page.wait_for_function(
        "x => document.querySelectorAll('.js-plotly-plot')[2].layout.xaxis.range[0] !== x", arg=untouched[0]
    )
    zoomed = screen.plots()[2]["ranges"]
    assert zoomed == pytest.approx([3, 12, 12, 3], abs=0.6)
    tokens = trace_of().tokens[0]
    visible = [token for key, token in enumerate(tokens) if zoomed[0] <= key <= zoomed[1]]
    names = screen.page.locator(".ew-chart").nth(2).locator(".ew-columns > .ew-name")
    expect(names).to_have_text(visible)
    names_and_gaps = screen.page.evaluate(_NAMES_AND_GAPS, 2)
    middles, gaps = names_and_gaps["names"], names_and_gaps["gaps"]
    assert gaps == pytest.approx([(left + right) / 2 for left, right in pairwise(middles)], abs=1)
    screen.press("d_ff", "ArrowRight")
    screen.shows(*scaled_scores(trace_of(d_ff=264), 2, 1))
    assert screen.plots()[2]["ranges"] == zoomed
    expect(names).to_have_text(visible)
    assert screen.plots()[3]["ranges"] == untouched
    assert len(screen.plots()[3]["labels"]["x"]) == len(tokens)


def test_a_double_click_resets_a_zoom_to_all_cells_of_the_figure_on_screen(screen):
    screen.open("scaled_scores")
    screen.press("d_model", "ArrowRight")
    whole = screen.plots()[0]["ranges"]
    assert whole == [-0.5, 16.5, 19.5, -0.5]
    screen.page.mouse.move(*screen.place(0, 2, 3))
    screen.page.mouse.down()
    screen.page.mouse.move(*screen.place(0, 9, 9), steps=5)
    screen.page.mouse.up()
    ends = "document.querySelector('.js-plotly-plot').layout.xaxis.range[1]"
    screen.page.wait_for_function(f"{ends} < 16")
    screen.page.mouse.dblclick(*screen.place(0, 5, 6))
    screen.page.wait_for_function(f"{ends} > 16")
    assert screen.come_to_rest().plots()[0]["ranges"] == whole


def test_a_click_on_a_cell_moves_the_focus_and_a_link_reproduces_the_screen(screen, stranger):
    screen.open("scaled_scores", d_model=96, layer=3, head=2)
    with screen.rerun():
        screen.page.mouse.click(*screen.place(4, row=7, column=2))
    assert screen.parameters == {
        "d_model": ["96"], "layer": ["3"], "head": ["2"], "token": ["8"], "key_token": ["3"],
        "cell": ["scores.2.0.1.7.2"],
    }  # fmt: skip
    assert (screen.looked_at("token"), screen.looked_at("key_token")) == ("8 · ,", "3 · cat")
    screen.shows(*scaled_scores(trace_of(d_model=96), 3, 2))
    shown = screen.plots()
    assert [plot["shapes"] for plot in shown[2:]] == [[[1.5, 2.5, 6.5, 7.5]]] * 3
    assert shown[0]["shapes"] == [[-0.5, 23.5, 6.5, 7.5]]
    assert shown[1]["shapes"] == [[1.5, 2.5, -0.5, 23.5]]
    screen.page.reload()
    assert screen.arrived("scaled_scores").plots() == shown
    stranger.page.goto(screen.page.url)
    assert stranger.arrived("scaled_scores").plots() == shown
    assert stranger.looked_at("layer") == "3"


def test_back_and_forward_lead_through_the_pages(screen):
    screen.open("qkv", d_model=32)
    screen.go("scaled_scores")
    with screen.rerun():
        screen.page.mouse.click(*screen.place(2, row=3, column=9))
    screen.go("softmax")
    assert (screen.looked_at("token"), screen.looked_at("key_token")) == ("4 · jumped", "10 · down")
    assert screen.says("d_model") == 32
    screen.shows(*HEATMAPS["softmax"](trace_of(d_model=32), 1, 1))
    screen.page.go_back()
    screen.arrived("scaled_scores")
    assert screen.name == "scaled_scores"
    assert (screen.looked_at("token"), screen.looked_at("key_token")) == ("4 · jumped", "10 · down")
    screen.shows(*scaled_scores(trace_of(d_model=32), 1, 1))
    screen.page.go_back()
    screen.arrived("qkv")
    assert screen.says("d_model") == 32
    screen.page.go_forward()
    screen.arrived("scaled_scores")
    screen.shows(*scaled_scores(trace_of(d_model=32), 1, 1))
    screen.page.go_forward()
    assert screen.arrived("softmax").name == "softmax"
