"""The plot component: figures on one line, joined by operators, repainted in place.

`st.plotly_chart` remounts its DOM at every change and knows no click on a heatmap. This component keeps one Plotly
figure a panel and calls `Plotly.react`, so that zoom stays and a move costs a repaint, not a remount.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import plotly
import plotly.graph_objects as go
import streamlit as st
from plotly.utils import PlotlyJSONEncoder

from dashboard import focus
from dashboard.assets import component, publish
from dashboard.cells import Looked, Shows, choose
from dashboard.focus import Cell
from dashboard.picture.outlines import outlines
from encoder_core.figures.window import place_behind

_COMPONENT = component("picture", Path(__file__).parent)
_PLAYER = publish(Path(__file__).parent / "play.js")
_PLOTLY = publish(Path(plotly.__file__).parent / "package_data" / "plotly.min.js")


def picture(
    parts: Sequence[go.Figure | str],
    *,
    key: str,
    stack: bool = False,
    still: bool = False,
    cells: Sequence[Shows | None] = (),
    looked: Looked | None = None,
    on_click: Callable[[Cell, Mapping[str, Any]], None] = focus.follow,
) -> None:
    """Draw figures from left to right, with the operators (strings) between them; on a phone they stack.

    A click on a cell calls `on_click` with the cell, by its row and column in the figure's matrix, and the figure's
    `layout.meta`, before the rerun; if not told otherwise, the focus follows: a query row becomes the token looked at,
    a key column the key token, and so on.
    `cells` says of each figure which part of which tensor it shows: a click then also chooses the number, and the one
    that is `looked` at is outlined with what it was computed from. `stack` puts the figures below each other at any
    width. `still` pictures do not depend on the focus: they leave the URL to the others, so that Streamlit finds them
    unchanged and sends nothing when the focus moves.
    """
    panels: list[dict[str, str]] = []
    figures = [part for part in parts if not isinstance(part, str)]
    operator = ""
    for part in parts:
        if isinstance(part, str):
            operator = part
        else:
            address = cells[len(panels)] if cells else None
            panels.append({"operator": operator, "figure": _as_json(part, outlines(part, address, looked))})
            operator = ""

    def clicked() -> None:
        said = (st.session_state.get(key) or {}).get("cell")
        if not said or said["panel"] >= len(figures):
            return
        figure, address = figures[said["panel"]], cells[said["panel"]] if cells else None
        try:
            row, column = place_behind(figure, said["row"], said["column"], said["tile"])
        except IndexError:  # the figure has changed since
            return
        on_click(Cell(said["panel"], row, column, said["tile"]), figure.layout.meta)
        chosen = address and address.cell(row, column, said["tile"])
        if chosen:
            choose(chosen)

    _COMPONENT(
        data={
            "panels": panels,
            "bundle": _PLOTLY,
            "player": _PLAYER,
            "stack": stack,
        },
        key=key,
        on_cell_change=clicked,
    )


def _as_json(figure: go.Figure, shapes: list[dict[str, Any]]) -> str:
    """The figure with more shapes as JSON, a quarter shorter than `to_json`, which writes every slash of base64 as six
    characters."""
    spec = figure.to_plotly_json()
    spec["layout"]["shapes"] = [*spec["layout"].get("shapes", []), *shapes]
    return json.dumps(spec, cls=PlotlyJSONEncoder, separators=(",", ":"))
