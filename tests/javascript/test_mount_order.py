"""Streamlit may call the script of a component for older data after it has for newer data, and takes that back."""

import sys
from pathlib import Path

import numpy as np
import pytest

from dashboard.components.plot.serialise import to_json
from dashboard.components.plotly_bundle import bundle
from encoder_core.figures import heatmap

_MOUNTS = """async figures => {
    document.body.innerHTML = "<div class='ew-plot'></div>";
    window.encoderWalkthroughPlotly = Promise.resolve(window.Plotly);
    const { default: mount } = await import("/plot/plot.js");
    const host = document.querySelector(".ew-plot");
    const show = figure => mount({
        data: { key: "plot", channel: "", revision: 1, figure, bundle: "", player: "", saver: "" },
        parentElement: document.body, setStateValue() {}, setTriggerValue() {},
    });
    const painted = async () => {
        await new Promise(done => setTimeout(done));
        await host.plotLine.paintQueue;
        return host.plotLine.panelElements[0].plot.data?.[0].z[0][0] ?? null;
    };
    const older = figures[0], newer = figures[1];
    ORDER
}"""
_ORDERS = {
    "the older one last": ("show(newer); show(older)(); return painted()", 2),
    "the older one last, after the newer one is painted": (
        "show(newer); await painted(); show(older)(); return painted()",
        2,
    ),
    "the older one first": ("show(older)(); show(newer); return painted()", 2),
    "both, and a third": ("show(newer); show(older)(); show(figures[2]); return painted()", 3),
}


@pytest.fixture
def figures():
    """Three figures, full of 1, 2 and 3."""
    panels = [to_json(heatmap(np.full((4, 4), value, np.float32), list("abcd"), title="M")) for value in (1, 2, 3)]
    return [{"panels": [{"operator": "", "panel": panel}], "stack": False, "present": False} for panel in panels]


@pytest.mark.parametrize("order", _ORDERS)
def test_the_newer_figure_is_painted(scripts, figures, order):
    script, expected = _ORDERS[order]
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    assert scripts.page.evaluate(_MOUNTS.replace("ORDER", script), figures) == expected


def test_all_is_released_when_the_component_has_left_the_page(scripts, figures):
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    script = """show(older); const leave = show(newer); await painted(); host.remove(); leave();
        return [host.plotLine.isReleased, host.plotLine.component]"""
    assert scripts.page.evaluate(_MOUNTS.replace("ORDER", script), figures) == [True, None]
