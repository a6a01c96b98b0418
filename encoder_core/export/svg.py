"""Heatmaps as SVG: small, without a script, sharp in print."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from encoder_core.figures.theme import Scale, theme_named
from encoder_core.support.wording import shorten

THEME = theme_named("light")
LEVELS = 48  # different colours of a scale; cells of one colour are one path
MAX_ROWS, MAX_COLUMNS = 32, 64
_LABEL_WIDTH, _LABEL_HEIGHT, _LETTER = 62, 52, 5.2  # pixels
_NUMBER_WIDTH = 30  # pixels that a cell needs to contain its number, in any font
_TICK_WIDTH = 17  # pixels between two numbers of an axis of dimensions

HATCH = (
    '<pattern id="masked" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    f'<rect width="4" height="4" fill="{THEME.masked}"/><rect width="1" height="4" fill="{THEME.hatch}"/></pattern>'
)  # the fill of masked cells; the page defines it once


@dataclass(frozen=True)
class Appearance:
    """How a heatmap looks.

    kind    "signed": from -limit to limit, centred on zero; "weights": from 0 to limit
    limit   the end of the colour scale; larger numbers have the colour of its end
    width   pixels
    height  pixels of a row
    labels  whether the rows and columns have labels
    """

    kind: str = "signed"
    limit: float = 1.0
    width: int = 330
    height: int = 13
    labels: bool = True

    @property
    def scale(self) -> Scale:
        """The colours."""
        return THEME.signed if self.kind == "signed" else THEME.weights


def heatmap_svg(
    values: Float[np.ndarray, "row column"],
    rows: Sequence[str],
    columns: Sequence[str] | None,
    alt: str,
    look: Appearance,
) -> str:
    """One matrix as an SVG element; it has at most `MAX_ROWS` rows and `MAX_COLUMNS` columns.

    columns  names of the columns; None numbers them as dimensions, from 0
    alt      describes the figure
    """
    values = values[:MAX_ROWS, :MAX_COLUMNS]
    count_rows, count_columns = values.shape
    left = _LABEL_WIDTH if look.labels else 0
    bottom = 0 if not look.labels else 14 if columns is None else _LABEL_HEIGHT
    cell = (look.width - left) / count_columns
    size = look.width, count_rows * look.height + bottom
    labels = _labels(rows[:count_rows], columns, cell, look, count_columns) if look.labels else ""
    return (
        f'<svg viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" height="{size[1]}" role="img" '
        f'aria-label="{html.escape(alt)}"><g transform="translate({left} 0) scale({cell:.4g} {look.height})" '
        f'shape-rendering="crispEdges">{_cells(values, look)}</g>{_masked(values, left, cell, look)}'
        f"{_numbers(values, left, cell, look)}{labels}</svg>"
    )


def colour(scale: Scale, share: float) -> str:
    """The colour at a share (0 to 1) of a scale."""
    stops = [stop for stop, _ in scale]
    channels = [[int(colour[i : i + 2], 16) for _, colour in scale] for i in (1, 3, 5)]
    return "#" + "".join(f"{round(float(np.interp(share, stops, channel))):02x}" for channel in channels)


def levels(values: Float[np.ndarray, "row column"], look: Appearance) -> Int[np.ndarray, "row column"]:
    """The number of each cell's colour, from 0 to LEVELS - 1; -1 where the value is not finite."""
    finite = np.isfinite(values)
    share = np.where(finite, values, 0) / (look.limit or 1.0)
    share = (share + 1) / 2 if look.kind == "signed" else share
    return np.where(finite, np.rint(np.clip(share, 0, 1) * (LEVELS - 1)), -1).astype(int)


def _cells(values: Float[np.ndarray, "row column"], look: Appearance) -> str:
    """One path for each colour; neighbours of the same colour in a row are one rectangle."""
    paths: dict[int, list[str]] = {}
    for row, numbers in enumerate(levels(values, look)):
        starts = np.flatnonzero(np.diff(numbers, prepend=-2))
        for start, end in zip(starts, [*starts[1:], len(numbers)], strict=True):
            width = end - start
            paths.setdefault(int(numbers[start]), []).append(f"M{start} {row}h{width}v1h-{width}z")
    return "".join(
        f'<path fill="{colour(look.scale, level / (LEVELS - 1))}" d="{"".join(parts)}"/>'
        for level, parts in sorted(paths.items())
        if level >= 0
    )


def _masked(values: Float[np.ndarray, "row column"], left: int, cell: float, look: Appearance) -> str:
    """The hatched cells, in pixels: the scale of the other cells would stretch the hatching."""
    parts = []
    for row, is_masked in enumerate(~np.isfinite(values)):
        edges = np.flatnonzero(np.diff(is_masked, prepend=False, append=False))
        for start, end in edges.reshape(-1, 2):
            x, width = left + start * cell, (end - start) * cell
            parts.append(f"M{x:.1f} {row * look.height}h{width:.1f}v{look.height}h-{width:.1f}z")
    return f'<path fill="url(#masked)" d="{"".join(parts)}"/>' if parts else ""


def _numbers(values: Float[np.ndarray, "row column"], left: int, cell: float, look: Appearance) -> str:
    """The number of each cell, where there is room."""
    if cell < _NUMBER_WIDTH or look.height < 12 or not look.labels:
        return ""
    texts = []
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            is_dark = abs(value) > 0.55 * look.limit
            x, y = left + (column + 0.5) * cell, (row + 0.5) * look.height + 3
            fill = ' fill="#fff"' if is_dark else ""
            texts.append(f'<text x="{x:.0f}" y="{y:.0f}"{fill}>{_short(float(value))}</text>')
    return f'<g class="numbers">{"".join(texts)}</g>'


def _short(value: float) -> str:
    """Two decimals without the leading zero: ".12", "−1.5"."""
    text = f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"
    return (
        text.replace("-0.00", "0.00").replace("0.", ".", 1).replace("-", "−")
        if abs(value) < 1
        else text.replace("-", "−")
    )


def _labels(rows: Sequence[str], columns: Sequence[str] | None, cell: float, look: Appearance, count: int) -> str:
    texts = [
        f'<text x="{_LABEL_WIDTH - 4}" y="{(index + 0.5) * look.height + 3:.0f}" text-anchor="end">{_text(name)}</text>'
        for index, name in enumerate(rows)
    ]
    below = len(rows) * look.height
    if columns is None:
        step = next(step for step in (1, 2, 4, 8, 16, 32, 64) if step * cell >= _TICK_WIDTH or step == 64)
        texts += [
            f'<text x="{_LABEL_WIDTH + (index + 0.5) * cell:.0f}" y="{below + 11}" text-anchor="middle">{index}</text>'
            for index in range(0, count, step)
        ]
    else:
        for index, name in enumerate(columns[:count]):
            x, y = _LABEL_WIDTH + (index + 0.5) * cell + 3, below + 4
            texts.append(f'<text transform="translate({x:.0f} {y}) rotate(-90)" text-anchor="end">{_text(name)}</text>')
    return "".join(texts)


def _text(name: str) -> str:
    return html.escape(shorten(name, int((_LABEL_WIDTH - 6) / _LETTER)))
