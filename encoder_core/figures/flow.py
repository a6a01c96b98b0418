"""A diagram of the residual stream through a layer with pre-norm or post-norm."""

from typing import Any, Literal

from encoder_core.config import Norm
from encoder_core.figures.base import build_panel
from encoder_core.figures.panel import Panel
from encoder_core.figures.style import DEFAULT_STYLE, PanelStyle, require_style
from encoder_core.figures.theme import Theme
from encoder_core.support.number_format import format_number
from encoder_core.support.validation import require_choice, require_pair

# Coordinates: 0 to 100 from left to right; the stream is at height 1, the sublayers below it at height 0.
_STREAM, _BRANCH = 1.0, 0.0
_HALF_HEIGHT = 0.44  # of a box
_ABOVE = 0.3  # of a factor over the stream
_LENGTHS: dict[Norm, int] = {"post": 30, "pre": 45}  # from the start of a half of the layer to its sum
_Number = int | float
_Box = tuple[_Number, _Number, str, str]  # left, right, label, colour (a field of the theme)
# The start, the boxes before the sublayer, the sublayer, and the box on the stream after it.
_Half = tuple[_Number, list[_Box], _Box, _Box | None]


def residual_flow(
    norm: Norm,
    *,
    title: str,
    marked: Literal["norm1", "norm2"] | None = None,
    factors: tuple[float, float] = (1.0, 1.0),
    style: PanelStyle = DEFAULT_STYLE,
) -> Panel:
    """One layer: the residual stream as a straight line, each sublayer as a branch that is added back to it.

    "post" draws the norms on the stream, "pre" on the branches. The norm `marked` is filled. Raises
    ValueError for other values of `norm` and `marked`.

    factors  of the residuals around attention and feed-forward, which edits set; a residual with the factor 0 is dashed
    """
    require_choice("norm", norm, ("post", "pre"))
    require_choice("marked", marked, (None, "norm1", "norm2"))
    require_pair("factors", factors)
    require_style(style)
    colours = style.colours
    halves: list[_Half]
    if norm == "post":
        halves = [
            (0, [], (5, 26, "attention", "attention"), (35, 48, "norm1", "text")),
            (50, [], (55, 76, "feed-forward", "muted"), (85, 98, "norm2", "text")),
        ]
    else:
        halves = [
            (0, [(5, 18, "norm1", "text")], (20, 41, "attention", "attention"), None),
            (50, [(55, 68, "norm2", "text")], (70, 91, "feed-forward", "muted"), None),
        ]
    shapes = _stream(norm, factors, colours)
    notes: list[dict[str, Any]] = [_text("x", -2, _STREAM, colours.text), _text("y", 106, _STREAM, colours.text)]
    for (start, before, sublayer, after), factor in zip(halves, factors, strict=True):
        branch_start, branch_end = start + 2, start + _LENGTHS[norm]
        if factor != 1:
            middle = (branch_start + branch_end) / 2
            notes.append(_text(f"× {format_number(factor, 3)}", middle, _STREAM + _ABOVE, colours.text))
        shapes += [
            _line(branch_start, _STREAM, branch_start, _BRANCH, colours.muted, 1.5),
            _line(branch_start, _BRANCH, branch_end, _BRANCH, colours.muted, 1.5),
            _line(branch_end, _BRANCH, branch_end, _STREAM, colours.muted, 1.5),
            _plus_circle(branch_end, colours),
        ]
        notes.append(_text("+", branch_end, _STREAM, colours.text, size=15))
        for left, right, name, colour in [*before, sublayer]:
            _add_box(shapes, notes, (left, right, name, colour), _BRANCH, name == marked, colours)
        if after:
            _add_box(shapes, notes, after, _STREAM, after[2] == marked, colours)
    no_axis = {"visible": False, "fixedrange": True}
    where = "on the residual stream, after each sum" if norm == "post" else "on the branches, before each sublayer"
    return build_panel(
        "flow",
        [],
        style,
        title=title,
        alt=f"{title}: the norms are {where}{_factors_text(factors)}",
        height=96,
        weight=40,
        xaxis=no_axis | {"range": [-4, 108]},
        yaxis=no_axis | {"range": [-0.5, 1.5]},
        shapes=shapes,
        annotations=notes,
        margin={"l": 4, "r": 4, "b": 4},
        plot_bgcolor="rgba(0,0,0,0)",
    )


def _stream(norm: Norm, factors: tuple[float, float], colours: Theme) -> list[dict[str, Any]]:
    """The thick line from x to y, dashed and thin beside a sublayer whose residual has the factor 0."""
    ends, whole = [start + x for start in (0, 50) for x in (2, _LENGTHS[norm])], 1.0
    stretches = zip([0, *ends], [*ends, 104], (whole, factors[0], whole, factors[1], whole), strict=True)
    dashed = {"color": colours.muted, "width": 1.5, "dash": "dash"}
    lines = [(_line(left, _STREAM, right, _STREAM, colours.text, 3), factor) for left, right, factor in stretches]
    return [line if factor else line | {"line": dashed} for line, factor in lines]


def _factors_text(factors: tuple[float, float]) -> str:
    changed = zip(("attention", "feed-forward"), factors, strict=True)
    texts = [f"; the residual around {name} is multiplied by {format_number(x, 3)}" for name, x in changed if x != 1]
    return "".join(texts)


def _add_box(
    shapes: list[dict[str, Any]], notes: list[dict[str, Any]], box: _Box, y: _Number, marked: bool, theme: Theme
) -> None:
    left, right, name, field = box
    colour = getattr(theme, field)
    corners = {"x0": left, "x1": right, "y0": y - _HALF_HEIGHT, "y1": y + _HALF_HEIGHT}
    fill = colour if marked else theme.background
    shapes.append({"type": "rect", **corners, "line": {"color": colour, "width": 2}, "fillcolor": fill})
    notes.append(_text(name, (left + right) / 2, y, theme.background if marked else colour))


def _plus_circle(x: _Number, theme: Theme) -> dict[str, Any]:
    place = {"xsizemode": "pixel", "ysizemode": "pixel", "xanchor": x, "yanchor": _STREAM}
    size = {"x0": -10, "x1": 10, "y0": -10, "y1": 10}
    return {"type": "circle", **place, **size, "line": {"color": theme.text, "width": 2}, "fillcolor": theme.background}


def _line(x0: _Number, y0: _Number, x1: _Number, y1: _Number, colour: str, width: _Number) -> dict[str, Any]:
    return {"type": "line", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "line": {"color": colour, "width": width}}


def _text(text: str, x: _Number, y: _Number, colour: str, size: int = 11) -> dict[str, Any]:
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": {"color": colour, "size": size}}
