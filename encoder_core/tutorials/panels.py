"""Panels that rows of several tutorials use: labelled bars and curves."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from encoder_core.figures import Panel, PanelStyle, RowBarsStyle, ThemeName, bars, curves, row_bars, span_of
from encoder_core.scenes.items import HEIGHT, Matrix

Parts = list[Matrix | Panel | str]  # of a line, with the operators between them


def bar_panel(
    values: Mapping[str, float | int], *, title: str, theme: ThemeName, y_axis: str = "", marks: Sequence[int] = ()
) -> Panel:
    """One bar with its number for each name: upright bars for names of up to three characters, otherwise rows.

    Names of more than twelve characters are shortened.
    """
    numbers, names = np.array(list(values.values()), float), list(values)
    if all(len(name) <= 3 for name in names):
        return bars(numbers, names, title=title, y_axis=y_axis, show_values=True, marks=marks,
                    style=PanelStyle(height=HEIGHT, theme=theme))  # fmt: skip
    style = RowBarsStyle(row_axis="", span=span_of(numbers), colour="muted", decimals=None, numbers_width=0.15,
                         height=34 * len(names), theme=theme)  # fmt: skip
    return row_bars(numbers, names, title=title, marks=marks, style=style)


def curve_panel(
    series: Mapping[str, Float[np.ndarray, "x"]],
    x: Sequence[int | float] | Sequence[str],
    *,
    title: str,
    x_axis: str,
    y_axis: str,
    theme: ThemeName,
    y_range: tuple[float, float] | None = None,
) -> Panel:
    """Named curves over one axis, as high as the matrices of a line."""
    style = PanelStyle(height=HEIGHT, theme=theme)
    return curves(series, x, title=title, x_axis=x_axis, y_axis=y_axis, y_range=y_range, style=style)
