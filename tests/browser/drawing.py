"""What the plots of a page look like, next to what Plotly.react makes of the same figures."""

from typing import Any

from tests.browser.screen import Screen

# Without what the app itself draws over Plotly's picture: the gaps between cells, the colours of numbers.
_DIFFERENCES = """async () => {
    const pictureOf = plot => [...plot.querySelectorAll(".main-svg")].map(svg => {
        const copy = svg.cloneNode(true);
        for (const gaps of copy.querySelectorAll(".ew-gaps")) gaps.remove();
        for (const number of copy.querySelectorAll(".heatmap-label text")) number.style.fill = "";
        return copy.outerHTML;
    }).join("");
    const differences = [];
    for (const plot of document.querySelectorAll(".ew-plot .js-plotly-plot")) {
        const drawn = pictureOf(plot), title = plot.closest(".ew-panel").querySelector(".ew-title").textContent;
        await Plotly.react(plot, plot.data, plot.layout);  // the configuration stays
        const expected = pictureOf(plot);
        if (drawn === expected) continue;
        const start = [...expected].findIndex((letter, i) => letter !== drawn[i]) - 140;
        differences.push([title, ...[drawn, expected].map(text => text.slice(Math.max(0, start), start + 300))]);
    }
    return differences;
}"""
_COUNT = """() => {
    if (!Plotly.calls) for (const name of ["react", "relayout"]) {
        const call = Plotly[name];
        Plotly[name] = (...values) => { Plotly.calls[name] += 1; return call(...values); };
    }
    Plotly.calls = { react: 0, relayout: 0 };
}"""


def differences_from_react(screen: Screen) -> list[Any]:
    """The titles of the plots that Plotly.react would draw otherwise, with where the two pictures begin to differ."""
    return screen.page.evaluate(_DIFFERENCES)


def count_drawings(screen: Screen) -> None:
    """Count from now on how often Plotly draws: with all attributes (`react`), and with numbers only (`relayout`)."""
    screen.page.evaluate(_COUNT)


def drawings(screen: Screen) -> dict[str, int]:
    """How often Plotly has drawn since `count_drawings`."""
    return screen.page.evaluate("Plotly.calls")
