"""The titles of a line of figures have one size: a small one if any of them is longer than two lines."""

import sys
from pathlib import Path

import numpy as np
import pytest

from dashboard.components.plot.serialise import to_json
from dashboard.components.plotly_bundle import bundle
from encoder_core.figures import heatmap

_SIZES = """async ([figure, width]) => {
    document.body.innerHTML = `<div class="ew-plot" style="width: ${width}px"></div>`;
    const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/plot/plot.css" });
    document.head.append(style);
    await new Promise(done => { style.onload = done; });
    window.encoderWalkthroughPlotly = Promise.resolve(window.Plotly);
    const { default: mount } = await import("/plot/plot.js");
    const data = { key: "plot", channel: "", revision: 1, figure, bundle: "", player: "", saver: "" };
    mount({ data, parentElement: document.body, setStateValue() {}, setTriggerValue() {} });
    await new Promise(done => setTimeout(done));
    await document.querySelector(".ew-plot").plotLine.paintQueue;
    return [...document.querySelectorAll(".ew-title")].map(title => parseFloat(getComputedStyle(title).fontSize));
}"""
LONG = "the length of the contribution of each head to each of the tokens of the selected sentence, in one layer"


@pytest.mark.parametrize(
    ("titles", "width", "sizes"),
    [(["in", "out"], 700, [14, 14]), (["in", LONG], 700, [11, 11]), (["in", 2 * LONG], 500, [14, 11])],
    ids=["short", "one is long", "below each other"],
)
def test_titles_beside_each_other_have_one_size(scripts, titles, width, sizes):
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    panels = [to_json(heatmap(np.zeros((4, 4), np.float32), list("abcd"), title=title)) for title in titles]
    figure = {"panels": [{"operator": "", "panel": panel} for panel in panels], "stack": width < 640, "present": False}
    assert scripts.page.evaluate(_SIZES, [figure, width]) == sizes
