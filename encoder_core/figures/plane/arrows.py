"""Arrows in a plane with their names."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.figures.axis import AxisMeaning, axis_of
from encoder_core.figures.base import label
from encoder_core.figures.panel import Panel
from encoder_core.figures.plane.points import dots, extent_of, plane_panel
from encoder_core.figures.style import DEFAULT_STYLE, PanelStyle, require_style
from encoder_core.figures.theme import Theme, require_colour
from encoder_core.support.number_format import format_number
from encoder_core.support.validation import invalid_value, require_index, require_items, require_numbers

_PADDING = 0.2  # of the larger span, around the arrows: their names need more room than those of points


@dataclass(frozen=True, kw_only=True)
class Arrow:
    """An arrow from `start` by `step`, both (x, y).

    colour  a field of the theme
    strong  whether it is thick

    Raises ValueError for a start or a step that is no pair of numbers, and for a colour that the theme does not have.
    """

    name: str
    start: Float[np.ndarray, "2"]
    step: Float[np.ndarray, "2"]
    colour: str = "muted"
    strong: bool = False

    def __post_init__(self) -> None:
        for name in ("start", "step"):
            if require_numbers(name, getattr(self, name), "number").shape != (2,):
                raise invalid_value(name, getattr(self, name), "pairs of numbers (x, y)")
        require_colour("colour", self.colour)

    @property
    def tip(self) -> Float[np.ndarray, "2"]:
        """The end of the arrow."""
        return self.start + self.step

    @property
    def name_place(self) -> Float[np.ndarray, "2"]:
        """The place of the name: the middle of a thick arrow, because the next one begins at its tip; else the tip."""
        return self.start + self.step / 2 if self.strong else self.tip


def arrows(
    arrows: Sequence[Arrow],
    ends: Sequence[tuple[str, Float[np.ndarray, "2"]]],
    *,
    title: str,
    axis_titles: tuple[str, str],
    meaning: AxisMeaning,
    marked: int | None = None,
    style: PanelStyle = DEFAULT_STYLE,
) -> Panel:
    """Arrows with their names, and named points.

    ends     names and places of the points, such as both ends of a step
    meaning  of the arrows: what a click on the name of each selects
    marked   the arrow whose name is drawn first, before those of strong arrows and of the longest ones

    Raises ValueError for what is no list of arrows, and where there is none or no `marked` one.
    """
    arrows = require_items("arrows", arrows, Arrow, "lists of arrows", least=1)
    ends = require_items("ends", ends, tuple, "lists of a name and a place")
    if marked is not None:
        require_index("marked", marked, len(arrows))
    require_style(style)
    theme = style.colours
    names = [arrow.name for arrow in arrows]
    tips = np.array([arrow.tip for arrow in arrows])
    everything = np.concatenate([tips, [arrow.start for arrow in arrows], [place for _, place in ends]])
    by_length = np.argsort([-np.linalg.norm(arrow.step) for arrow in arrows], kind="stable").tolist()
    ranked = sorted(by_length, key=lambda index: (index != marked, not arrows[index].strong))
    colours = [getattr(theme, arrows[index].colour) for index in ranked]
    marker = {"size": 7, "color": colours, "opacity": 0.01}  # the arrowhead is an annotation; this is what a mouse hits
    end_dots = {
        "type": "scatter", "mode": "markers+text", "x": [place[0] for _, place in ends],
        "y": [place[1] for _, place in ends], "text": [label(name) for name, _ in ends], "textposition": "top center",
        "textfont": {"color": theme.text, "size": 12}, "cliponaxis": False, "hoverinfo": "skip",
        "marker": {"size": 10, "color": theme.background, "line": {"width": 2.5, "color": theme.text}},
    }  # fmt: skip
    hover = [format_number(float(np.linalg.norm(arrow.step))) for arrow in arrows]
    name_places = np.array([arrow.name_place for arrow in arrows])
    labels = dots(name_places, ranked, names, marker, theme, hover) | {"textfont": {"color": colours, "size": 11}}
    panel = plane_panel([end_dots, labels], style, title, extent_of(everything, _PADDING), axis_titles,
                   alt=f"{title}: arrows of {', '.join(names)}")  # fmt: skip
    drawn = [_arrow(arrow, theme, thick=arrow.strong or index == marked) for index, arrow in enumerate(arrows)]
    return replace(panel, layout={**panel.layout, "annotations": drawn}, columns=axis_of(names, meaning),
                   marked=() if marked is None else ((None, marked),))  # fmt: skip


def _arrow(arrow: Arrow, theme: Theme, *, thick: bool) -> dict[str, Any]:
    (x, y), (tip_x, tip_y) = arrow.start.tolist(), arrow.tip.tolist()
    return {
        "x": tip_x, "y": tip_y, "ax": x, "ay": y, "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": "",
        "showarrow": True, "arrowhead": 2, "arrowsize": 1, "arrowwidth": 2.5 if thick else 1.2,
        "arrowcolor": getattr(theme, arrow.colour), "opacity": 1 if thick else 0.75,
    }  # fmt: skip
