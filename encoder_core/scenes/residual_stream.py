"""Scenes of the residual stream of the full stack: its stages, one token through them, and their similarities."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from encoder_core.figures import (
    AxisMeaning,
    HeatmapStyle,
    Line,
    MosaicStyle,
    PanelStyle,
    ResidualStages,
    RowBarsStyle,
    TensorSlice,
    ThemeName,
    TileGrid,
    Window,
    colour_limit,
    curves,
    heatmap,
    mosaic,
    row_bars,
    tile_titles,
)
from encoder_core.scenes.focus import Focus, text_slice

HEIGHT = 320
STATES_HEIGHT = 220  # so that one token through the layers is visible below it
MAX_COLUMNS = 400  # of all stages side by side; more cells would be too narrow for a click
MAX_BINS = 240  # of all stages side by side, where cells are bins


def stage_window(columns: Window, stages: int) -> Window:
    """The columns that are drawn of each stage: one by one if they have room, otherwise in bins."""
    one_by_one = columns.size == 1 and len(columns) * stages <= MAX_COLUMNS
    return columns if one_by_one else columns.fitted(max(4, MAX_BINS // stages))


def stage_axis(layers: int, final_norm: bool = False) -> AxisMeaning:
    """The stages of the residual stream. A click selects the layer whose output the stage is; the first layer for the
    input of the stack, the last layer for the output of the final norm."""
    selected = [0, *range(layers), *([layers - 1] if final_norm else [])]
    return AxisMeaning("stage", selects=[{"layer": layer} for layer in selected])


def hidden_states(
    stages: Float[np.ndarray, "stage seq d_model"],
    columns: Window,
    at: Focus,
    *,
    limit: float,
    final_norm: bool,
    theme: ThemeName = "light",
) -> Line:
    """The residual stream of all tokens at every stage, side by side; the output of the selected layer is outlined.

    limit  the end of the colour scale
    """
    layers = len(stages) - 1 - final_norm
    names = ["embedded", *tile_titles("layer", layers), *(["final norm"] if final_norm else [])]
    grid = TileGrid([""], names, "", stage_axis(layers, final_norm), selected=(0, at.layer + 1),
                    marks=[(at.token, None)])  # fmt: skip
    style = MosaicStyle(row_axis="token", column_axis="dimension", kind="signed", limit=limit,
                        height=STATES_HEIGHT, theme=theme)  # fmt: skip
    return [
        mosaic(stages[None], grid, at.labels, stage_window(columns, len(stages)), title="hidden states, layer by layer",
               shows=ResidualStages(at.sentence, layers), style=style)
    ]  # fmt: skip


def one_token(
    stages: Float[np.ndarray, "stage seq d_model"],
    names: Sequence[str],
    columns: Window,
    at: Focus,
    *,
    limit: float,
    final_norm: bool,
    theme: ThemeName = "light",
) -> Line:
    """One token's vector in the residual stream, one row for each stage, and its length.

    limit  the end of the colour scale
    """
    rows, layers = stages[:, at.token], len(stages) - 1 - final_norm
    lengths = np.linalg.norm(rows, axis=-1)
    axis, height = stage_axis(layers, final_norm), 20 * len(stages)
    style = HeatmapStyle(row_axis=axis, limit=limit, height=height, theme=theme)
    lengths_style = RowBarsStyle(row_axis=axis, span=(0.0, float(lengths.max()) or 1.0), colour="muted", height=height,
                                 theme=theme)  # fmt: skip
    return [
        heatmap(rows, names, columns, title=f"“{at.labels[at.token]}” through the layers", marks=[(at.layer + 1, None)],
                shows=ResidualStages(at.sentence, layers, at.token), style=style),
        row_bars(lengths, names, title="length", style=lengths_style),
    ]  # fmt: skip


def similarity(
    series: Mapping[str, Float[np.ndarray, "stage"]],
    cosines: Float[np.ndarray, "stage token token"],
    names: Sequence[str],
    at: Focus,
    *,
    places: Sequence[int],
    theme: ThemeName = "light",
) -> Line:
    """Mean cosines as curves over the stages, and the cosine of each pair of tokens, embedded → after a layer.

    places  the positions of the sentence's tokens, without padding
    """
    tokens = [at.labels[place] for place in places]
    lowest = min(0.0, float(np.nanmin(list(series.values())))) - 0.05
    row_axis, layer = AxisMeaning("token", selects=[{"token": place} for place in places]), at.layer
    style = HeatmapStyle(row_axis=row_axis, column_axis="other token", limit=1.0, height=HEIGHT, theme=theme)
    marks = [(row, None) for row, place in enumerate(places) if place == at.token]

    def shows(tensor: str, layer: int | None = None) -> TensorSlice:
        return TensorSlice(tensor, (at.sentence, "row", "column"), layer, rows=places, columns=places)

    return [
        curves(series, names, title="cosine with …, by layer", x_axis="", y_axis="cosine", y_range=(lowest, 1.05),
               style=PanelStyle(height=HEIGHT - 24, theme=theme)),
        heatmap(cosines[0], tokens, tokens, title="cosine of tokens: embedded", marks=marks,
                shows=shows("embedded_cosines"), style=style),
        "→",
        heatmap(cosines[layer + 1], tokens, tokens, title=f"after layer {layer + 1}", marks=marks,
                shows=shows("resid_post_cosines", layer), style=style),
    ]  # fmt: skip


def in_and_out(
    embedded: Float[np.ndarray, "seq d_model"],
    output: Float[np.ndarray, "seq d_model"],
    cosine: Float[np.ndarray, "seq"],
    columns: Window,
    at: Focus,
    *,
    enters: str,
    theme: ThemeName = "light",
) -> Line:
    """The input of the first layer → the output of the model, and the cosine of the two for each token.

    enters  the input in words, for the title
    """
    style, marks = HeatmapStyle(limit=colour_limit(embedded, output), height=HEIGHT, theme=theme), [(at.token, None)]
    cosine_style = RowBarsStyle(row_axis="token", span=(min(0.0, float(cosine.min())), 1.0), height=HEIGHT, theme=theme)
    return [
        heatmap(embedded, at.labels, columns, title=f"embedded: {enters}", marks=marks,
                shows=text_slice("embedded", at), style=style),
        "→",
        heatmap(output, at.labels, columns, title="output: a token in its context", marks=marks,
                shows=text_slice("output", at), style=style),
        row_bars(cosine, at.labels, title="cosine", marks=[at.token], style=cosine_style),
    ]  # fmt: skip
