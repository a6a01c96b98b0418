"""The plot component: a line of panels with operators between them, updated in place.

`st.plotly_chart` remounts its DOM at every change and does not report clicks on a heatmap. This component keeps one
Plotly figure per panel and calls `Plotly.react`, which keeps the zoom and only repaints.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from dashboard.components.plot.outlines import inspection_outlines, shows_inspected_cell
from dashboard.components.plot.serialise import to_json
from dashboard.components.plotly_bundle import PLOTLY
from dashboard.components.static_files import publish, register_component
from dashboard.selection import focus
from dashboard.selection.inspected_cell import Inspection, set_inspected_cell
from dashboard.serving.early_figures.channel import Numbered
from dashboard.serving.early_figures.channels import current_channel
from dashboard.state.presentation import is_presenting
from dashboard.state.widgets import component_value
from encoder_core.figures import Line, Panel, Selection, panels_of

_COMPONENT = register_component("plot", Path(__file__).parent)
_PLAYER, _SAVER = (publish(Path(__file__).parent / name) for name in ("interaction/play.js", "saving/save.js"))


def render_plot(
    line: Line,
    *,
    key: str,
    inspection: Inspection | None = None,
    stack: bool = False,
    on_click: Callable[[Selection], None] | None = focus.move_focus,
) -> None:
    """Render panels from left to right with the operators (strings) between them.

    A narrow screen stacks low panels, and shows higher ones one at a time, with a switcher.

    inspection  the inspected cell of the page. It and its operands are outlined on panels that show their tensors, and
                a click on a cell of such a panel inspects that cell
    stack       stack the panels at any width
    on_click    called before the rerun with what a clicked cell selects. By default the click moves the focus: a row
                of queries selects the token, a column of keys the key token. None: a click selects nothing
    """
    panels = panels_of(line)

    def on_cell_click() -> None:
        clicked = _parse_click(component_value(key, "cell"))
        if clicked is None or not clicked.panel < len(panels):
            return
        panel = panels[clicked.panel]
        try:
            place = panel.place(clicked.row, clicked.column, clicked.tile)
        except IndexError:  # the panel has changed since the click
            return
        if on_click:
            on_click(panel.selection(place))
        cell = panel.shows.cell(*place) if inspection and panel.shows else None
        if cell:
            set_inspected_cell(cell)

    figure = {
        "panels": [
            {
                "operator": operator,
                "panel": to_json(
                    panel,
                    inspection_outlines(panel, inspection),
                    is_inspected=shows_inspected_cell(panel, inspection),
                ),
            }
            for operator, panel in _with_operators(line)
        ],
        "stack": stack,
        "present": is_presenting(),
    }
    channel = current_channel()
    numbered = channel.send(key, figure) if channel else Numbered("", 0, figure)
    _COMPONENT(
        data={"key": key, **numbered._asdict(), "bundle": PLOTLY, "player": _PLAYER, "saver": _SAVER},
        key=key,
        on_cell_change=on_cell_click,
        on_missing_change=channel.disconnect if channel else lambda: None,
    )


class _Click(NamedTuple):
    panel: int
    row: int
    column: int
    tile: tuple[int, int] | None


def _parse_click(state: Any) -> _Click | None:
    """The click that the browser sent; None if it is not one, because anybody can send anything."""
    if not isinstance(state, dict):
        return None
    tile = state.get("tile")
    if tile is not None and not (isinstance(tile, list) and len(tile) == 2):
        return None
    numbers: list[Any] = [state.get(name) for name in ("panel", "row", "column")]
    if not all(type(number) is int and number >= 0 for number in (*numbers, *(tile or ()))):
        return None
    panel, row, column = numbers
    return _Click(panel, row, column, tuple(tile) if tile else None)


def _with_operators(line: Line) -> list[tuple[str, Panel]]:
    """Each panel with the operator before it."""
    previous = ["", *line]
    return [
        (operator if isinstance(operator, str) else "", panel)
        for operator, panel in zip(previous, line, strict=False)
        if isinstance(panel, Panel)
    ]
