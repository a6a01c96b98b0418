"""What the plots of a page show, and where their cells are."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from playwright.sync_api import Page, TimeoutError

# What each plot shows, in the order of the page: null where a cell is masked, and where nobody needs the numbers.
_PLOTS = """(needed = true) => [...document.querySelectorAll(".ew-plot .js-plotly-plot")].map(plot => {
    const texts = (element, selector) => [...element.querySelectorAll(selector)].map(part => part.textContent);
    const heatmap = plot.data.find(trace => trace.type === "heatmap" && trace.name !== "masked");
    const bars = plot.data.find(trace => trace.type === "bar"), line = plot.closest(".ew-plot").plotLine;
    const { panel } = line.items[line.panelElements.findIndex(elements => elements.plot === plot)];
    return {
        title: plot.closest(".ew-panel").querySelector(".ew-title").textContent,
        z: heatmap && needed ? [...heatmap.z].map(row => [...row].map(z => Number.isFinite(z) ? z : null)) : null,
        bars: bars ? [...bars.x].map(Number) : null,
        shapes: (plot.layout.shapes ?? []).filter(shape => shape.line?.width === 2)
            .map(({ x0, x1, y0, y1 }) => [x0, x1, y0, y1]),
        ranges: [...plot.layout.xaxis.range, ...plot.layout.yaxis.range],
        rows: panel.rows?.names, columns: panel.columns?.names,
        labels: { x: texts(plot, ".ew-columns > .ew-name"), y: texts(plot, ".ew-rows > .ew-name") },
        drawn: Boolean(plot.querySelector(".heatmaplayer image, .barlayer path, .scatterlayer path, .shapelayer path")),
        background: plot.layout.plot_bgcolor, ink: plot.layout.font.color, scale: heatmap?.colorscale,
    };
})"""
_SHOWN = f"""([expected, tolerance]) => {{
    const shown = ({_PLOTS})().map(plot => plot.z).filter(Boolean);
    const same = (a, b) => a === null || b === null ? a === b : Math.abs(a - b) <= tolerance;
    const alike = (row, other) => row.length === other.length && row.every((x, c) => same(x, other[c]));
    return shown.length === expected.length
        && shown.every((z, i) => z.length === expected[i].length && z.every((row, r) => alike(row, expected[i][r])));
}}"""
_PLACE = """([index, row, column]) => {
    const plot = document.querySelectorAll(".ew-plot .js-plotly-plot")[index];
    plot.scrollIntoView({ block: "nearest" });
    const { area } = plot.closest(".ew-plot").plotLine.panelElements.find(elements => elements.plot === plot);
    const { left, top } = plot.getBoundingClientRect(), { xaxis, yaxis } = plot.layout;
    const share = (value, from, to) => (value - from) / (to - from);
    return [left + area.left + share(column, ...xaxis.range) * area.width,
            top + area.top + share(row, yaxis.range[1], yaxis.range[0]) * area.height];
}"""


def plots(page: Page, numbers: bool = True) -> list[dict[str, Any]]:
    """All plots on the page, with what they show. Without the numbers of the cells it takes a tenth of the time."""
    return page.evaluate(_PLOTS, numbers)


def wait_for_heatmaps(page: Page, expected: Sequence[np.ndarray], tolerance: float) -> None:
    """Wait until the heatmaps of the page are these, in this order."""
    wanted = [[[float(x) if np.isfinite(x) else None for x in row] for row in matrix] for matrix in expected]
    try:
        page.wait_for_function(_SHOWN, arg=[wanted, tolerance])
    except TimeoutError:
        shown = [np.array(plot["z"], float) for plot in plots(page) if plot["z"]]
        assert [z.shape for z in shown] == [z.shape for z in expected]
        for z, matrix in zip(shown, expected, strict=True):
            np.testing.assert_allclose(z, np.where(np.isfinite(matrix), matrix, np.nan), atol=tolerance)
        raise


def place(page: Page, plot: int, row: float, column: float) -> tuple[float, float]:
    """Where on the screen a cell of a plot is, in pixels."""
    return tuple(page.evaluate(_PLACE, [plot, row, column]))
