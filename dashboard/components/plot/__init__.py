"""The plot component: panels on one line, joined by operators, repainted in place.

`st.plotly_chart` remounts its DOM at every change and knows no click on a heatmap. This component keeps one Plotly
figure a panel and calls `Plotly.react`, so that zoom stays and a move costs a repaint, not a remount.
"""

from collections.abc import Callable
from pathlib import Path

import plotly

from dashboard.components.plot.outlines import outlines
from dashboard.components.plot.serialise import to_json
from dashboard.components.static_files import component, publish
from dashboard.selection import focus
from dashboard.selection.inspected_cell import Inspection, choose
from dashboard.state.widgets import component_value
from encoder_core.figures import Line, Panel, Selection, panels_of

_COMPONENT = component("plot", Path(__file__).parent)
_PLAYER = publish(Path(__file__).parent / "play.js")
_PLOTLY = publish(Path(plotly.__file__).parent / "package_data" / "plotly.min.js")


def plot(
    line: Line,
    *,
    key: str,
    inspection: Inspection | None = None,
    stack: bool = False,
    on_click: Callable[[Selection], None] | None = focus.follow,
) -> None:
    """Draw panels from left to right, with the operators (strings) between them; on a phone they stack.

    A click on a cell calls `on_click` with what the panel says that it selects, before the rerun; if not told
    otherwise, the focus follows: a query row becomes the token looked at, a key column the key token, and so on. With
    None nothing is selected.
    `looked` is the inspected cell of the page: it is outlined, with what it was computed from, on the panels that show
    their tensors, and a click on a cell of such a panel inspects that one. `stack` puts the panels below each other at
    any width.
    """
    panels = panels_of(line)

    def clicked() -> None:
        said = component_value(key, "cell")
        if not said or said["panel"] >= len(panels):
            return
        panel, tile = panels[said["panel"]], said["tile"] and tuple(said["tile"])
        try:
            place = panel.place(said["row"], said["column"], tile)
        except IndexError:  # the panel has changed since
            return
        if on_click:
            on_click(panel.selection(place))
        cell = panel.shows.cell(*place) if inspection and panel.shows else None
        if cell:
            choose(cell)

    _COMPONENT(
        data={
            "panels": [
                {"operator": operator, "panel": to_json(panel, outlines(panel, inspection))}
                for operator, panel in _with_operators(line)
            ],
            "bundle": _PLOTLY,
            "player": _PLAYER,
            "stack": stack,
        },
        key=key,
        on_cell_change=clicked,
    )


def _with_operators(line: Line) -> list[tuple[str, Panel]]:
    """Each panel with the operator that stands before it."""
    before = ["", *line]
    return [
        (operator if isinstance(operator, str) else "", panel)
        for operator, panel in zip(before, line, strict=False)
        if isinstance(panel, Panel)
    ]
