"""Many small heatmaps as one: heads beside each other, layers above each other. One trace, so it is drawn at once."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from jaxtyping import Float

from encoder_core.figures.base import figure, label, plain_axis
from encoder_core.figures.heatmap import Kind, limit_of
from encoder_core.figures.theme import ThemeName, theme_named

_GAP = 1  # empty cells between tiles


def mosaic(
    tiles: Float[np.ndarray, "tile_row tile_column row column"],
    row_titles: Sequence[str],
    column_titles: Sequence[str],
    *,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    row_axis: str = "query",
    column_axis: str = "key",
    tile_row_axis: str = "layer",
    tile_column_axis: str = "head",
    kind: Kind = "weights",
    limit: float | None = None,
    selected: tuple[int, int] | None = None,
    alt: str | None = None,
    height: int = 300,
    theme: ThemeName = "light",
) -> go.Figure:
    """A grid of heatmaps on one scale; every tile has the same rows and columns.

    tile_row_axis, tile_column_axis  what a row and a column of tiles stand for.
    selected  (tile row, tile column) of the tile to outline.
    Cells that are not finite stay empty. A hover names the tile and the cell.
    """
    colours = theme_named(theme)
    down, across, tall, wide = tiles.shape
    if (down, across, tall, wide) != (len(row_titles), len(column_titles), len(rows), len(columns)):
        raise ValueError(f"tiles of shape {tiles.shape} do not fit the titles and labels given.")
    finite = tiles[np.isfinite(tiles)]
    end = (limit_of(finite) if kind == "signed" else 1.0) if limit is None else limit
    padded = np.full((down, across, tall + _GAP, wide + _GAP), np.nan, np.float32)
    padded[:, :, :tall, :wide] = np.where(np.isfinite(tiles), tiles, np.nan)
    sheet = padded.swapaxes(1, 2).reshape(down * (tall + _GAP), across * (wide + _GAP))[:-_GAP, :-_GAP]
    trace = {
        "type": "heatmap",
        "z": sheet,
        "zmin": -end if kind == "signed" else 0.0,
        "zmax": end,
        "colorscale": [list(stop) for stop in (colours.signed if kind == "signed" else colours.weights)],
        "colorbar": {"thickness": 8, "outlinewidth": 0, "tickfont": {"size": 10}},
        "hovertemplate": "%{y} · %{x}: %{z:.4g}<extra></extra>",
        "hoverongaps": False,
    }
    frames = [
        _frame(i, j, tall, wide, colours.text if selected == (i, j) else colours.line, 2 if selected == (i, j) else 1)
        for i in range(down)
        for j in range(across)
        if selected != (i, j)
    ]
    if selected is not None:
        frames.append(_frame(*selected, tall, wide, colours.text, 2))
    return figure(
        [trace],
        colours,
        title=title,
        alt=alt or f"{title}: {down} by {across} heatmaps of {row_axis} by {column_axis}",
        height=height,
        meta={
            "kind": "mosaic",
            "rows": list(rows),
            "columns": list(columns),
            "row_axis": row_axis,
            "column_axis": column_axis,
            "row_titles": list(row_titles),
            "column_titles": list(column_titles),
            "tile_row_axis": tile_row_axis,
            "tile_column_axis": tile_column_axis,
            "tile": [tall, wide, _GAP],
            "weight": 40,
        },
        xaxis=_tile_axis(column_titles, wide) | {"range": [-1, sheet.shape[1]], "side": "top"},
        yaxis=_tile_axis(row_titles, tall) | {"range": [sheet.shape[0], -1]},
        shapes=frames,
        margin={"t": 62, "b": 6},
        uirevision=f"{tiles.shape}",
    )


def _tile_axis(titles: Sequence[str], size: int) -> dict:
    axis = plain_axis("", theme_named("light")) | {"showgrid": False, "tickmode": "array"}
    axis["tickvals"] = [index * (size + _GAP) + (size - 1) / 2 for index in range(len(titles))]
    axis["ticktext"] = [label(text) for text in titles]
    return axis


def _frame(i: int, j: int, tall: int, wide: int, colour: str, width: int) -> dict:
    x0, y0 = j * (wide + _GAP) - 0.5, i * (tall + _GAP) - 0.5
    line = {"color": colour, "width": width}
    return {"type": "rect", "x0": x0, "x1": x0 + wide, "y0": y0, "y1": y0 + tall, "line": line}
