"""What all panels share: fonts, margins and plain axes."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from encoder_core.figures.panel import Panel, PanelKind
from encoder_core.figures.style import PanelStyle, require_style
from encoder_core.figures.theme import Theme
from encoder_core.support.validation import require_type
from encoder_core.support.wording import shorten

FONT = "Source Sans, Source Sans Pro, sans-serif"
PLOT_HEIGHT = 300  # pixels between the axes; it does not depend on the sizes of the model, so the page keeps its layout
TICK_SIZE = 11  # pixels: the font of the labels
_LETTER_WIDTH = 5.9  # pixels, the mean of the letters in a label


def label(text: str) -> str:
    """A token as the label of an axis: shortened, and escaped because Plotly renders some HTML."""
    return html.escape(shorten(text), quote=False)


def build_panel(
    kind: PanelKind,
    traces: Sequence[Mapping[str, Any]],
    style: PanelStyle,
    *,
    title: str,
    alt: str,
    height: int = PLOT_HEIGHT,
    weight: int = 20,
    **layout: Any,
) -> Panel:
    """A panel of Plotly's traces in the project's fonts, margins and colours.

    alt, height, weight  of the panel, where the style does not set them
    layout               parts of Plotly's layout

    Raises ValueError for what is no style or title.
    """
    require_style(style)
    require_type("title", title, str, "strings")
    theme = style.colours
    height = height if style.height is None else style.height
    margins = {"l": 58, "r": 10, "t": 44, "b": 52} | _room_for_labels(layout) | layout.pop("margin", {})
    return Panel(
        kind=kind,
        title=title,
        alt=style.alt or alt,
        data=tuple(traces),
        layout={
            "font": {"family": FONT, "size": 11, "color": theme.muted},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": theme.background,
            "margin": margins,
            "height": height + margins["t"] + margins["b"],
            "template": {"layout": {}},  # Plotly's default one adds 4 kB to each figure
            "showlegend": False,
            "hoverlabel": {"font": {"family": FONT, "size": 12}},
            **layout,
        },
        theme=theme,
        weight=weight if style.weight is None else style.weight,
        title_colour=getattr(theme, style.title_colour) if style.title_colour else None,
    )


def _room_for_labels(layout: Mapping[str, Any]) -> dict[str, int]:
    """Wider margins for long labels of rows and for long upright labels of columns."""
    x, y = layout.get("xaxis", {}), layout.get("yaxis", {})
    letters = {"l": _max_letters(y), "b": _max_letters(x) if x.get("tickangle") else 0}
    padding = {"l": 22, "b": 16}  # for the title of the axis
    needed = {side: padding[side] + round(_LETTER_WIDTH * count) for side, count in letters.items()}
    return {side: room for side, room in needed.items() if room > {"l": 58, "b": 52}[side]}


def _max_letters(axis: Mapping[str, Any]) -> int:
    return max((len(html.unescape(text)) for text in axis.get("ticktext", ())), default=0)


def token_axis(labels: Sequence[str], title: str, theme: Theme, *, reverse: bool = False) -> dict[str, Any]:
    """A numeric axis with one tick per label. A category axis would merge equal tokens.

    reverse  for rows, which are read from the top; short labels of columns are horizontal, longer ones upright
    """
    count = len(labels)
    upright = not reverse and any(len(text) > 3 for text in labels)
    ends = [count - 0.5, -0.5] if reverse else [-0.5, count - 0.5]
    angle = {} if reverse else {"tickangle": -90 if upright else 0}
    return (
        plain_axis(title, theme)
        | angle
        | {
            "tickmode": "array",
            "tickvals": list(range(count)),
            "ticktext": [label(text) for text in labels],
            "range": ends,
            "showgrid": False,
        }
    )


def plain_axis(title: str, theme: Theme) -> dict[str, Any]:
    """An axis of numbers with a light grid."""
    return {
        "title": {"text": title, "standoff": 4, "font": {"size": 11, "color": theme.muted}},
        "gridcolor": theme.line,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "ticklabelstandoff": 3,  # pixels between label and cell
        "ticklabeloverflow": "allow",  # the margins fit every label; Plotly's own check takes a third of a repaint
        "tickfont": {"size": TICK_SIZE, "color": theme.muted},
        "automargin": False,
    }
