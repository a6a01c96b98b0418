"""When a figure is drawn with its numbers only, and when Plotly has to fill in all attributes again."""

import sys
from pathlib import Path

import pytest

from dashboard.components.plotly_bundle import bundle

# Draws figures one after another. Returns how many Plotly has drawn in full, and whether the last is as it would be.
_DRAW = """async figures => {
    document.body.innerHTML = "<div></div>";
    const { draw } = await import("/plot/drawing/redraw.js");
    const plot = document.querySelector("div");
    let inFull = 0;
    const counting = { ...Plotly, react: (...values) => { inFull += 1; return Plotly.react(...values); } };
    const copies = figures.map(figure => JSON.parse(JSON.stringify(figure)));  // Plotly writes into layouts
    for (const { data, layout } of copies) await draw(plot, data, layout, counting);
    const pictureOf = () => [...plot.querySelectorAll(".main-svg")].map(svg => svg.outerHTML).join("");
    const drawn = pictureOf(), { data, layout } = figures.at(-1);
    await Plotly.react(plot, data, layout);  // the configuration stays
    return [inFull, drawn === pictureOf()];
}"""
SIZE = {"width": 300, "height": 200, "margin": {"l": 30, "r": 10, "t": 10, "b": 30}, "template": {}}
AXES = {"xaxis": {"range": [-1, 30]}, "yaxis": {"range": [-1, 9]}}


def figure(trace, **layout):
    return {"data": [trace], "layout": {**SIZE, **AXES, **layout}}


def line(count, **attributes):
    return {"type": "scatter", "x": list(range(count)), "y": [x % 7 for x in range(count)], **attributes}


CELLS = {"type": "heatmap", "zmin": 0, "zmax": 6, "showscale": False}
CASES = {
    "cells": (figure(CELLS | {"z": [[1, 2], [3, 4]]}), figure(CELLS | {"z": [[5, 2, 0], [3, 4, 1]]}), 1),
    "size and margins": (
        figure(line(4, mode="lines")),
        figure(line(9, mode="lines"), width=260, height=240, margin={"l": 50, "r": 10, "t": 20, "b": 30}),
        1,
    ),
    "bars": (figure(line(4) | {"type": "bar"}), figure(line(9) | {"type": "bar"}), 1),
    "no points at first": (figure(line(0, mode="lines")), figure(line(9, mode="lines")), 2),
    "no points at last": (figure(line(9, mode="lines")), figure(line(0, mode="lines")), 2),
    "a mode by the length": (figure(line(9)), figure(line(30)), 2),
    "categories": (
        figure(line(2, mode="lines") | {"x": ["a", "b"]}),
        figure(line(3, mode="lines") | {"x": ["c", "b", "a"]}),
        2,
    ),
    "no range": (figure(line(4, mode="lines"), yaxis={}), figure(line(9, mode="lines"), yaxis={}), 2),
    "another colour": (
        figure(line(4, mode="lines", line={"color": "red"})),
        figure(line(4, mode="lines", line={"color": "blue"})),
        2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_figure_is_drawn_in_full_where_more_than_numbers_has_changed(scripts, case):
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    *figures, in_full = CASES[case]
    assert scripts.page.evaluate(_DRAW, figures) == [in_full, True]
