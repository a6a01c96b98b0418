"""A figure that arrives while its component is hidden is painted when it is shown.

Streamlit hides a component whose place on the page changes until the message with its new place arrives.
"""

import sys
from pathlib import Path

import pytest

from dashboard.components.plotly_bundle import bundle
from tests.javascript.panels import one_number_figures

_PAGE = """
    document.body.innerHTML = "<div class='ew-plot'></div>";
    const { default: mount } = await import("/plot/plot.js");
    const host = document.querySelector(".ew-plot");
    const show = (figure, display) => {
        host.style.display = display;
        const data = { key: "plot", channel: "", revision: 1, figure, bundle: "", player: "", saver: "" };
        mount({ data, parentElement: document.body, setStateValue() {}, setTriggerValue() {} });
    };
    const frames = async () => { for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); };
    const painted = async () => {
        await new Promise(done => setTimeout(done));
        await host.plotLine.paintQueue;
        const [{ plot }] = host.plotLine.panelElements;
        return [host.plotLine.isSwitched, plot.data?.[0].z[0][0] ?? null];
    };"""
_MOUNT = f"""async figures => {{
    window.encoderWalkthroughPlotly = Promise.resolve(window.Plotly);
    {_PAGE}
    show(figures[0], "");
    const results = [await painted()];
    show(figures[1], "none");
    results.push(await painted());
    WHEN_SHOWN
    return [...results, await painted()];
}}"""
# Within one frame, nothing but the message says that the component is shown again.
_SHOWN = {
    "some frames later": "await frames(); host.style.display = ''; await frames();",
    "by a message in the same frame": "host.plotLine.observer.disconnect(); show(figures[1], '');",
}


@pytest.mark.parametrize("how", _SHOWN)
def test_it_is_painted_when_it_is_shown(scripts, how):
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    figures = one_number_figures(1, 2, panels=4)
    first, hidden, shown = scripts.page.evaluate(_MOUNT.replace("WHEN_SHOWN", _SHOWN[how]), figures)
    assert first == [False, 1]
    assert hidden[1] == 1  # nothing can be painted
    assert shown == [False, 2]


_PLOTLY_LOADS = f"""async figures => {{
    let loaded;
    window.encoderWalkthroughPlotly = new Promise(resolve => {{ loaded = () => resolve(window.Plotly); }});
    {_PAGE}
    show(figures[0], "");
    await frames();
    const hide = HIDE;
    hide(true);
    loaded();
    const hidden = await painted();
    MEANWHILE
    hide(false);
    await frames();
    return [hidden, await painted()];
}}"""
# In one of a hundred loads of a page, Chromium gives the plots no width for some frames.
_PARTS = {
    "the component": "isHidden => { host.style.display = isHidden ? 'none' : ''; }",
    "the plots": """isHidden => host.querySelectorAll(".ew-chart").forEach(
        plot => { plot.style.width = isHidden ? "0" : ""; })""",
}


@pytest.mark.parametrize("frames", ["await frames();", ""])
@pytest.mark.parametrize("part", _PARTS)
def test_it_is_painted_although_it_had_no_width_when_plotly_had_loaded(scripts, part, frames):
    """Its place had been arranged before, for the same width."""
    scripts.page.add_script_tag(path=bundle(Path(sys.prefix)))
    figures = one_number_figures(1, panels=4)
    script = _PLOTLY_LOADS.replace("HIDE", _PARTS[part]).replace("MEANWHILE", frames)
    assert scripts.page.evaluate(script, figures) == [[False, None], [False, 1]]
