"""Scenes of the output head: predicted tokens, the logit lens, and the contributions to one logit."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import LogitAttribution, NeuronContributions, TopTokens, softmax, top_tokens
from encoder_core.figures import (
    AxisMeaning,
    HeatmapStyle,
    LensTokens,
    Line,
    Panel,
    PanelStyle,
    RankedTokens,
    RowBarsDetails,
    RowBarsStyle,
    Selection,
    TensorSlice,
    ThemeName,
    colour_limit,
    curves,
    dimensions,
    heatmap,
    row_bars,
    series_colours,
    span_of,
    theme_named,
)
from encoder_core.scenes.focus import Focus
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.support.wording import format_count, shorten

HEIGHT = 320
MAX_WRITTEN = 30  # rows; the texts of more rows do not fit
MAX_BARS = 10  # output tokens, or neurons
MAX_LAYERS = 9  # with two bars each; a deeper stack has one bar for each layer


def predicted_tokens(
    top: TopTokens,
    logits: Float[np.ndarray, "vocab"],
    vocabulary: Sequence[str],
    at: Focus,
    *,
    real: Bool[np.ndarray, "seq"],
    output_id: int,
    theme: ThemeName = "light",
) -> Line:
    """The most probable tokens at every position; then the logits of the selected one → their probabilities.

    top        of all positions of the sentence; a click selects the position and the rank
    logits     of the selected position
    real       False where a token is padding, which has no prediction
    output_id  the output token that is outlined
    """
    ids, shares = top
    texts = [[_with_share(vocabulary[i], share) for i, share in zip(*row, strict=True)]
             for row in zip(ids.tolist(), shares.tolist(), strict=True)]  # fmt: skip
    marks = [(at.token, rank) for rank, i in enumerate(ids[at.token].tolist()) if i == output_id]
    style = HeatmapStyle(row_axis="token", column_axis="rank", kind="weights", limit=1.0, weight=40, height=HEIGHT,
                         theme=theme)  # fmt: skip
    return [
        heatmap(shares, at.labels, dimensions(ids.shape[1], 1), title="most probable output tokens at each position",
                texts=texts if len(texts) <= MAX_WRITTEN else None, marks=[(at.token, None), *marks],
                mask=np.repeat(real[:, None], ids.shape[1], axis=1),
                shows=RankedTokens("probabilities", at.sentence, ids.tolist()), style=style),
        *_softmax_over_vocabulary(logits, vocabulary, at, output_id, theme),
    ]  # fmt: skip


def _softmax_over_vocabulary(
    logits: Float[np.ndarray, "vocab"], vocabulary: Sequence[str], at: Focus, output_id: int, theme: ThemeName
) -> Line:
    """The largest logits and that of the outlined token → their probabilities; a click selects the rank."""
    top = top_tokens(logits, MAX_BARS).ids.tolist()
    ids = top if output_id in top else [*top[:-1], output_id]
    order = np.argsort(-logits, kind="stable").tolist()
    names = [vocabulary[i] for i in ids]
    axis = AxisMeaning("id", title="output token", selects=[{"rank": order.index(i)} for i in ids])
    probabilities, marks = softmax(logits)[ids], [ids.index(output_id)]
    logits_style = RowBarsStyle(row_axis=axis, span=span_of(logits[ids]), weight=14, height=HEIGHT, theme=theme)
    style = RowBarsStyle(row_axis=axis, colour="attention", decimals=3, weight=14, height=HEIGHT, theme=theme)
    others = len(logits) - len(ids)
    rest = f"{format_count(others, 'other')}: {format_fixed(1 - probabilities.sum())}" if others else "sum 1"
    return [
        row_bars(logits[ids], names, title=f"logits of “{shorten(at.labels[at.token])}”", marks=marks,
                 shows=_rows_of("logits", at, ids), style=logits_style),
        "softmax →",
        row_bars(probabilities, names, title="probability", marks=marks, details=RowBarsDetails(footer=rest),
                 shows=_rows_of("probabilities", at, ids), style=style),
    ]  # fmt: skip


def logit_lens(
    top: TopTokens,
    series: Mapping[str, Float[np.ndarray, "stage"]],
    vocabulary: Sequence[str],
    at: Focus,
    *,
    real: Bool[np.ndarray, "seq"],
    theme: ThemeName = "light",
) -> Line:
    """The most probable token at every stage and position, and probabilities of output tokens as curves over the
    stages.

    top     (stage, seq, 1); a click selects the position and the stage, and shows the arithmetic of the probability
    series  name -> probabilities at the selected position; the names are escaped, and the last series is muted
    """
    ids, shares = top.ids[..., 0].T, top.probabilities[..., 0].T
    stages = ["in", *dimensions(ids.shape[1] - 1, 1)]
    texts = [[_with_share(vocabulary[i], share) for i, share in zip(*row, strict=True)]
             for row in zip(ids.tolist(), shares.tolist(), strict=True)]  # fmt: skip
    selects: list[Selection] = [{"stage": stage} for stage in range(len(stages))]
    style = HeatmapStyle(row_axis="token", column_axis=AxisMeaning("stage", "after layer", selects), kind="weights",
                         limit=1.0, weight=40, height=HEIGHT, theme=theme)  # fmt: skip
    muted = theme_named(theme).muted
    colours = [colour for colour in series_colours(theme_named(theme)) if colour != muted][: len(series) - 1]
    highest = max(float(values.max()) for values in series.values())
    return [
        heatmap(shares, at.labels, stages, title="most probable output token after each layer",
                texts=texts if len(texts) <= MAX_WRITTEN else None, marks=[(at.token, None)],
                mask=np.repeat(real[:, None], len(stages), axis=1), shows=LensTokens(at.sentence, ids.tolist()),
                style=style),
        curves(series, stages, title=f"probabilities at “{shorten(at.labels[at.token])}”", x_axis="after layer",
               y_axis="probability", y_range=(0.0, 1.05 * highest), colours=[*colours, muted],
               style=PanelStyle(height=HEIGHT - 24, weight=24, theme=theme)),
    ]  # fmt: skip


def logit_attribution(
    attribution: LogitAttribution,
    neurons: NeuronContributions | None,
    name: str,
    at: Focus,
    *,
    theme: ThemeName = "light",
) -> Line:
    """The contributions of all heads and feed-forward networks to a logit, their sum, and those of the largest neurons
    of the selected layer.

    name  of the output token, for the title
    """
    steps = _sum_steps(attribution)
    values = np.array([value for _, value, _ in steps])
    running = np.cumsum(values)
    axis = AxisMeaning("component", "", [selects for _, _, selects in steps])
    style = RowBarsStyle(row_axis=axis, span=span_of(values, running), numbers_width=0.5, weight=14, height=HEIGHT,
                         theme=theme)  # fmt: skip
    rows = [row for row, _, _ in steps]
    details = RowBarsDetails(starts=running - values, footer=f"ends at the logit {format_fixed(running[-1], 2)}")
    parts: Line = [
        _by_layer(attribution, f"contributions to the logit of “{shorten(name)}”", at, theme),
        "Σ →",
        row_bars(values, rows, title="sum by layer", style=style),
        row_bars(running, rows, title="running sum", details=details, style=style),
    ]  # fmt: skip
    return parts if neurons is None else [*parts, _largest_neurons(neurons, at, theme)]


def _by_layer(attribution: LogitAttribution, title: str, at: Focus, theme: ThemeName) -> Panel:
    num_layers, num_heads = attribution.heads.shape
    columns: list[tuple[str, Selection, Float[np.ndarray, layer]]] = [
        (f"head {head + 1}", {"head": head}, attribution.heads[:, head]) for head in range(num_heads)
    ]
    columns += [("bias", {}, attribution.attention_biases)] if attribution.attention_biases.any() else []
    columns += [("FFN", {}, attribution.mlps)]
    columns += [("shifts", {}, attribution.norm_shifts)] if attribution.norm_shifts.any() else []
    names, selects, values = zip(*columns, strict=True)
    matrix = np.stack(values, axis=1)
    style = HeatmapStyle(row_axis="layer", column_axis=AxisMeaning("component", "", selects), weight=30,
                         limit=colour_limit(matrix), show_values=len(names) <= 12, height=HEIGHT,
                         theme=theme)  # fmt: skip
    return heatmap(matrix, dimensions(num_layers, 1), names, title=title, marks=[(at.layer, at.head)], style=style)


def _sum_steps(attribution: LogitAttribution) -> list[tuple[str, float, Selection]]:
    """Names, sums and selections of groups of contributions, whose sum is the logit."""
    before, after = dict(attribution.before), dict(attribution.after)
    shifts = [part.pop(name) for part in (before, after) for name in list(part) if "shift" in name]
    steps: list[tuple[str, float, Selection]] = [(name, value, {}) for name, value in before.items()]
    for layer, (heads, mlp) in enumerate(zip(attribution.heads.sum(axis=1), attribution.mlps, strict=True)):
        if len(attribution.mlps) <= MAX_LAYERS:
            steps += [(f"heads {layer + 1}", heads, {"layer": layer}), (f"FFN {layer + 1}", mlp, {"layer": layer})]
        else:
            steps.append((f"layer {layer + 1}", heads + mlp, {"layer": layer}))
    has_shifts = bool(shifts) or bool(attribution.norm_shifts.any())
    constants = sum(shifts) + attribution.attention_biases.sum() + attribution.norm_shifts.sum()
    if has_shifts or attribution.attention_biases.any():
        steps.append(("bias, shifts" if has_shifts else "biases", constants, {}))
    return [*steps, *((name, value, {}) for name, value in after.items())]


def _largest_neurons(neurons: NeuronContributions, at: Focus, theme: ThemeName) -> Panel:
    """The contributions of largest magnitude; the footer has the sum of the others."""
    largest = np.argsort(-np.abs(neurons.neurons), kind="stable")[:MAX_BARS]
    values = neurons.neurons[largest]
    total = neurons.neurons.sum() + neurons.bias
    rest = f"others {format_number(total - values.sum(), 3)}, sum {format_number(total, 3)}"
    axis = AxisMeaning("neuron", selects=[{"neuron": int(neuron)} for neuron in largest])
    style = RowBarsStyle(row_axis=axis, span=span_of(values), decimals=None, weight=12, height=HEIGHT, theme=theme)
    return row_bars(values, [str(neuron) for neuron in largest], title=f"neurons of FFN {at.layer + 1}",
                    details=RowBarsDetails(footer=rest), style=style)  # fmt: skip


def _rows_of(tensor: str, at: Focus, ids: Sequence[int]) -> TensorSlice:
    """A column of numbers of the selected position, one for each id."""
    return TensorSlice(tensor, (at.sentence, at.token, "row"), rows=ids)


def _with_share(token: str, share: float) -> str:
    """An output token with its probability: "cat: 83%"; short, because a phone shows seven columns."""
    return f"{shorten(token)}: {'<1' if share < 0.005 else '>99' if share >= 0.995 else round(100 * share)}%"
