"""What all panels share: fonts, margins, and axes without ornament."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from encoder_core.figures.panel import Panel, PanelKind
from encoder_core.figures.theme import Theme

FONT = "Source Sans, Source Sans Pro, sans-serif"
PLOT_HEIGHT = 300  # pixels between the axes; the same whatever the sizes, so that nothing jumps
_LONGEST_LABEL = 12
TICK_SIZE = 11  # pixels: the font of the labels
_LETTER = 5.9  # pixels of a letter in a label, on average


def shorten(text: str, longest: int = _LONGEST_LABEL) -> str:
    """A text cut to at most so many characters; a token to the length of a label."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def label(text: str) -> str:
    """A token as an axis label: shortened, and escaped, because Plotly renders some HTML in labels."""
    return html.escape(shorten(text), quote=False)


def build_panel(
    kind: PanelKind,
    traces: Sequence[Mapping[str, Any]],
    theme: Theme,
    *,
    title: str,
    alt: str,
    height: int = PLOT_HEIGHT,
    weight: int = 20,
    title_colour: str | None = None,
    **layout: Any,
) -> Panel:
    """A panel in the project's style.

    height        pixels between the axes
    title_colour  a field of the theme
    layout        parts of Plotly's layout
    """
    margins = {"l": 58, "r": 10, "t": 44, "b": 52} | _room_for_labels(layout) | layout.pop("margin", {})
    return Panel(
        kind=kind,
        title=title,
        alt=alt,
        data=tuple(traces),
        layout={
            "font": {"family": FONT, "size": 11, "color": theme.muted},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": theme.background,
            "margin": margins,
            "height": height + margins["t"] + margins["b"],
            "template": {"layout": {}},  # Plotly's default one is 4 kB a figure
            "showlegend": False,
            "hoverlabel": {"font": {"family": FONT, "size": 12}},
            **layout,
        },
        theme=theme,
        weight=weight,
        title_colour=getattr(theme, title_colour) if title_colour else None,
    )


def _room_for_labels(layout: Mapping[str, Any]) -> dict[str, int]:
    """Wider margins where labels of rows, or upright ones of columns, are longer than most."""
    x, y = layout.get("xaxis", {}), layout.get("yaxis", {})
    longest = {"l": _longest(y), "b": _longest(x) if x.get("tickangle") else 0}
    beside = {"l": 22, "b": 16}  # the title of the axis, and air
    needed = {side: beside[side] + round(_LETTER * count) for side, count in longest.items()}
    return {side: room for side, room in needed.items() if room > {"l": 58, "b": 52}[side]}


def _longest(axis: Mapping[str, Any]) -> int:
    return max((len(html.unescape(text)) for text in axis.get("ticktext", ())), default=0)


def token_axis(labels: Sequence[str], title: str, theme: Theme, *, reverse: bool = False) -> dict[str, Any]:
    """A numeric axis with one tick per label: equal tokens stay apart, which a category axis would merge."""
    count = len(labels)
    ends = [count - 0.5, -0.5] if reverse else [-0.5, count - 0.5]
    return plain_axis(title, theme) | {
        "tickmode": "array",
        "tickvals": list(range(count)),
        "ticktext": [label(text) for text in labels],
        "range": ends,
        "showgrid": False,
    }


def plain_axis(title: str, theme: Theme) -> dict[str, Any]:
    """An axis of numbers with a quiet grid."""
    return {
        "title": {"text": title, "standoff": 4, "font": {"size": 11, "color": theme.muted}},
        "gridcolor": theme.line,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "ticklabelstandoff": 3,  # air between label and cell
        "ticklabeloverflow": "allow",  # the margins hold every label; Plotly's own check is a third of a repaint
        "tickfont": {"size": TICK_SIZE, "color": theme.muted},
        "automargin": False,
    }
