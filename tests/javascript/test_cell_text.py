"""The numbers in the cells of a heatmap can be read on every colour of the scale."""

import sys
from pathlib import Path

import numpy as np
import pytest

from dashboard.components.plot.serialise import to_json
from dashboard.components.plotly_bundle import bundle
from encoder_core.figures import HeatmapStyle, heatmap
from tests.contrast import contrast

_PAINT = """async ([figure, zoom]) => {
    document.body.innerHTML = "<div class='ew-plot' style='width: 900px'></div>";
    window.encoderWalkthroughPlotly = Promise.resolve(window.Plotly);
    const { default: mount } = await import("/plot/plot.js");
    const host = document.querySelector(".ew-plot");
    const data = { key: "plot", channel: "", revision: 1, figure, bundle: "", player: "", saver: "" };
    mount({ data, parentElement: document.body, setStateValue() {}, setTriggerValue() {} });
    await new Promise(done => setTimeout(done));
    await host.plotLine.paintQueue;
    const [{ plot }] = host.plotLine.panelElements;
    if (zoom) await Plotly.relayout(plot, { "xaxis.range": [-0.5, 4.5] });
    const picture = plot.querySelector(".heatmaplayer image"), image = new Image();
    image.src = picture.href.baseVal;
    await image.decode();
    const canvas = document.createElement("canvas"), { width, height } = image;
    Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const box = picture.getBoundingClientRect();
    return [...plot.querySelectorAll(".heatmap-label text")].map(text => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        const x = ((left + right) / 2 - box.left) / box.width, y = ((top + bottom) / 2 - box.top) / box.height;
        const [...pixel] = context.getImageData(Math.floor(x * width), Math.floor(y * height), 1, 1).data;
        return [getComputedStyle(text).fill.match(/\\d+/g).slice(0, 3).map(Number), pixel.slice(0, 3)];
    });
}"""


@pytest.mark.parametrize("zoom", [False, True], ids=["whole", "zoomed"])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["weights", "lengths", "signed"])
def test_numbers_have_the_contrast_of_wcag(scripts, kind, theme, zoom):
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    values = np.linspace(-1 if kind == "signed" else 0, 1, 40, dtype=np.float32).reshape(5, 8)
    style = HeatmapStyle(kind=kind, limit=1.0, show_values=True, theme=theme, height=400)
    panel = to_json(heatmap(values, list("abcde"), list("ABCDEFGH"), title="M", style=style))
    figure = {"panels": [{"operator": "", "panel": panel}], "stack": False, "present": False}
    cells = scripts.page.evaluate(_PAINT, [figure, zoom])
    assert len(cells) == (25 if zoom else 40)
    assert min(contrast(text, cell) for text, cell in cells) > 4.4  # a pixel is rounded


def test_negative_numbers_have_a_minus_sign_and_no_zero_has_one(scripts):
    numbers = {"type": "heatmap", "z": [[-0.81, -0.004, 0.5], [1.005, None, -12]], "texttemplate": "%{z:.2f}"}
    written = scripts.call("plot/labels/cell_text.js", "withMinusSigns", numbers)
    assert written["text"] == [["−0.81", "0.00", "0.50"], ["1.00", "", "−12.00"]]
    assert written["texttemplate"] == "%{text}"
    weights = numbers | {"z": [[0.5, 1]]}
    assert scripts.call("plot/labels/cell_text.js", "withMinusSigns", weights) == weights


def test_numbers_on_screen_have_minus_signs(scripts):
    """Plotly writes a hyphen by itself."""
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    style = HeatmapStyle(limit=1.0, show_values=True, height=400)
    values = np.array([[-0.81, 0.5]], dtype=np.float32)
    panel = to_json(heatmap(values, ["a"], ["b", "c"], title="M", style=style))
    figure = {"panels": [{"operator": "", "panel": panel}], "stack": False, "present": False}
    scripts.page.evaluate(_PAINT, [figure, False])
    assert scripts.page.locator(".heatmap-label text").all_text_contents() == ["−0.81", "0.50"]


@pytest.mark.parametrize(
    ("z", "width", "is_written"),
    [(0.5, 29.9, False), (0.5, 30, True), (-0.5, 30, True), (-10.5, 32.9, False), (-10.5, 33, True)],
)
def test_numbers_stand_in_cells_that_are_wide_enough_only(scripts, z, width, is_written):
    numbers = {"type": "heatmap", "z": [[0.5] * 11 + [z]], "texttemplate": "%{z:.2f}"}
    shown = scripts.call("plot/labels/cell_text.js", "withNumbersThatFit", numbers, width)
    assert shown == (numbers if is_written else {"type": "heatmap", "z": numbers["z"]})
    for other in ({"type": "heatmap", "z": [[0.5] * 12], "texttemplate": "%{text}"}, {"type": "bar", "x": [1]}):
        assert scripts.call("plot/labels/cell_text.js", "withNumbersThatFit", other, width) == other


def test_the_colour_of_a_cell_is_mixed_from_two_of_the_scale(scripts):
    heatmap = {"zmin": 0, "zmax": 2, "colorscale": [[0, "#000000"], [0.5, "#ff8000"], [1, "#ffffff"]]}
    colours = [
        scripts.call("plot/labels/cell_text.js", "cellColour", heatmap, value) for value in (-1, 0, 0.5, 1, 1.5, 3)
    ]
    assert colours == [[0, 0, 0], [0, 0, 0], [127.5, 64, 0], [255, 128, 0], [255, 191.5, 127.5], [255, 255, 255]]
