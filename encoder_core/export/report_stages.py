"""The stages of the report: title, one or two sentences, and figures."""

import html
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import stack_patterns, visible_keys
from encoder_core.export.svg import MAX_COLUMNS, MAX_ROWS, Appearance, colour, heatmap_svg
from encoder_core.figures.colour_scale import colour_limit
from encoder_core.support.number_format import format_number, format_percent
from encoder_core.support.wording import format_count, head_name
from encoder_core.trace import Run

FULL, HALF, THIRD, SMALL = 690, 338, 222, 104  # pixels: the widths of figures
_ROW, _SMALL_ROW = 13, 5


class ReportFocus(NamedTuple):
    """What the report shows: indices from 0, and the labels of the tokens."""

    sentence: int
    layer: int
    head: int
    tokens: tuple[str, ...]


Section = tuple[str, str, Sequence[str]]  # title, text, figures
Matrix = Float[np.ndarray, "row column"]


def stage_sections(run: Run, at: ReportFocus) -> list[Section]:
    """All stages, in the order of the computation."""
    return [*_input(run, at), *_attention(run, at), *_layer(run, at), _stack(run, at)]


def _input(run: Run, at: ReportFocus) -> list[Section]:
    c, trace = run.config, run.trace
    scaled, embedded = trace.scaled_embedding[at.sentence], trace.embedded[at.sentence]
    factor = {"none": "", "sqrt_d": " times √d_model", "inv_sqrt_d": " divided by √d_model"}[c.embedding_scale]
    limit = colour_limit(scaled, *([] if c.embedding_norm else [embedded]), trace.position_encoding)
    last = colour_limit(embedded) if c.embedding_norm else limit
    added = {
        "sinusoidal": "Sines and cosines of the position are added to the embedding.",
        "learned": "A row of a learned table, one for each position, is added to the embedding.",
        "none": "This encoder adds no positions.",
    }[c.positions]
    normed = " The sum is normalised." if c.embedding_norm else ""
    return [
        (
            "Embedding",
            f"Each token becomes a row of {c.d_model} numbers of the embedding table{factor}.",
            [_figure(scaled, at.tokens, None, "embedding", Appearance(limit=limit, width=FULL))],
        ),
        (
            "Positions",
            added + normed + (" Edits set some numbers of the input." if _sets_input(run, at) else ""),
            [
                _figure(trace.position_encoding, at.tokens, None, "positions", Appearance(limit=limit, width=HALF)),
                _figure(embedded, at.tokens, None, "input of the first layer", Appearance(limit=last, width=HALF)),
            ],
        ),
    ]


def _attention(run: Run, at: ReportFocus) -> list[Section]:
    c, layer = run.config, run.trace.layers[at.layer]
    q, k, v, z, dots, scores, pattern = (
        tensor[at.sentence, at.head]
        for tensor in (layer.q, layer.k, layer.v, layer.z, layer.dot_products, layer.scores, layer.pattern)
    )
    where = head_name(at.layer, at.head)
    steps = ["divided by √d_head"] if run.scales_scores else []
    steps += ["masked"] if not np.isfinite(scores).all() else []
    then = f", then {' and '.join(steps)}" if steps else "; neither scaled nor masked here"
    projected, compared = colour_limit(q, k, v), colour_limit(dots, scores)
    signed = Appearance(limit=projected, width=THIRD)
    half = Appearance(limit=compared, width=HALF)
    largest = float(pattern.max(initial=0)) or 1.0
    temperature, factor = run.effects.temperature, float(run.head_factors(at.layer)[at.head])
    tempered = f", divided by the temperature {format_number(temperature)}," if temperature != 1 else ""
    times = f"{format_number(factor)} × " if factor != 1 else ""
    multiplied = f"; an edit multiplies the sum by {format_number(factor)}" if factor != 1 else ""
    return [
        (
            "Queries, keys, values",
            f"Three linear maps of the same rows; a head has {format_count(c.d_head, 'feature')} of each ({where}).",
            [_figure(q, at.tokens, None, "Q", signed, "query"), _figure(k, at.tokens, None, "K", signed, "key"),
             _figure(v, at.tokens, None, "V", signed, "value")],
        ),
        (
            "Scores",
            f"The dot product of every query (row) with every key (column){then}."
            + (" Edits set some scores." if _sets_scores(run, at) else ""),
            [_figure(dots, at.tokens, at.tokens, "Q Kᵀ", half), _figure(scores, at.tokens, at.tokens, "scores", half)],
        ),
        (
            "Softmax weights",
            f"Each row{tempered} becomes weights from 0 to 1 that add up to one"
            + (", except rows in which every key is masked." if _has_empty_row(scores) else ".")
            + (" Dropout has changed the weights shown here." if _drops_weights(run) else ""),
            [_figure(_hatched(pattern, np.isfinite(scores)), at.tokens, at.tokens, "attention weights",
                     Appearance("weights", largest, FULL), "attention")],
        ),
        (
            "Weighted values",
            f"Each query takes the sum of all values, weighted by its row of attention weights{multiplied}.",
            [_figure(v, at.tokens, None, "V", Appearance(limit=colour_limit(v, z), width=HALF), "value"),
             _figure(z, at.tokens, None, f"{times}weights × V", Appearance(limit=colour_limit(v, z), width=HALF))],
        ),
        (
            "All heads",
            f"Every head of layer {at.layer + 1} has its own attention weights; queries are rows, keys are columns.",
            _small_figures(_hatched(layer.pattern[at.sentence], np.isfinite(layer.scores[at.sentence])), "head"),
        ),
    ]  # fmt: skip


def _layer(run: Run, at: ReportFocus) -> list[Section]:
    c, layer = run.config, run.trace.layers[at.layer]
    before, added, after, mlp_in, act, out, post = (
        tensor[at.sentence]
        for tensor in (layer.resid_pre, layer.attn_out, layer.resid_mid, layer.mlp_in, layer.mlp_act, layer.mlp_out,
                       layer.resid_post)
    )  # fmt: skip
    limit = colour_limit(before, added, after)
    third = Appearance(limit=limit, width=THIRD)
    order = (
        "Post-norm: the sum is normalised, and so is the sum after the feed-forward network."
        if c.norm == "post"
        else "Pre-norm: the input of each sublayer is normalised, the sum is not."
    )
    factors = " Edits change the residual of some layers." if run.effects.residual_factors else ""
    active = format_percent((act != 0).mean())
    relu = f" ReLU leaves {active} of them above zero." if c.activation == "relu" and _is_between(run) else ""
    return [
        (
            "Add and norm",
            f"The output of attention is added to the residual stream. {order}{factors}",
            [_figure(before, at.tokens, None, "residual", third),
             _figure(added, at.tokens, None, "attention output", third),
             _figure(after, at.tokens, None, "sum", third)],
        ),
        (
            "Feed-forward",
            f"Each token alone is mapped to {c.d_ff:,} numbers and back to {c.d_model:,}.{relu}",
            [_figure(mlp_in, at.tokens, None, "input", Appearance(limit=colour_limit(mlp_in), width=THIRD)),
             _figure(act, at.tokens, None, "hidden", Appearance(limit=colour_limit(act), width=THIRD)),
             _figure(out, at.tokens, None, "output", Appearance(limit=colour_limit(out), width=THIRD))],
        ),
        (
            f"Output of layer {at.layer + 1}",
            "The next layer reads these rows." if at.layer + 1 < c.num_layers and c.attention_read_out == "stack"
            else "The rows after this layer.",
            [_figure(post, at.tokens, None, "after the layer", Appearance(limit=colour_limit(post), width=FULL))],
        ),
    ]  # fmt: skip


def _stack(run: Run, at: ReportFocus) -> Section:
    c, trace = run.config, run.trace
    averages = stack_patterns(trace, at.sentence).mean(axis=1)
    averages = _hatched(averages, np.any(visible_keys(trace, at.sentence), axis=1))
    output = trace.output[at.sentence]
    final = " after the final norm" if c.final_norm else ""
    return (
        "Full stack",
        f"Attention weights of each layer, averaged over its heads, and the output of the encoder{final}.",
        [
            *_small_figures(averages, "layer"),
            _figure(output, at.tokens, None, "output", Appearance(limit=colour_limit(output), width=FULL)),
        ],
    )


def _figure(
    values: Matrix, rows: Sequence[str], columns: Sequence[str] | None, title: str, look: Appearance, identity: str = ""
) -> str:
    """A heatmap with its title, its sizes and its colour scale."""
    shape = f"{values.shape[0]} × {values.shape[1]}"
    cut = [
        f"first {most} of {count} {name}"
        for count, most, name in (
            (values.shape[0], MAX_ROWS, "rows"),
            (values.shape[1], MAX_COLUMNS if columns is None else MAX_ROWS, "columns"),
        )
        if count > most
    ]
    cells = values[:, : MAX_COLUMNS if columns is None else MAX_ROWS]
    note = f"{shape}{'; ' + ', '.join(cut) if cut else ''}"
    svg = heatmap_svg(cells, rows, columns, f"{title}: heatmap, {note}", look)
    return (
        f'<figure style="width:{look.width}px"><figcaption><b class="{identity}">{html.escape(title)}</b> '
        f"<small>{note}</small>{_scale(look)}</figcaption>{svg}</figure>"
    )


def _small_figures(patterns: Float[np.ndarray, "figure query key"], name: str) -> list[str]:
    """Small heatmaps of weights without labels, on one colour scale."""
    tiles = patterns[:, :MAX_ROWS, :MAX_ROWS]
    limit = float(np.nan_to_num(tiles).max(initial=0)) or 1.0
    height = max(2, round(SMALL / tiles.shape[1]))
    look = Appearance("weights", limit, SMALL, height, labels=False)
    figures = [
        f'<figure style="width:{SMALL}px"><figcaption><b class="attention">{name} {number}</b></figcaption>'
        f"{heatmap_svg(pattern, (), (), f'attention weights of {name} {number}', look)}</figure>"
        for number, pattern in enumerate(tiles, 1)
    ]
    return [*figures, f'<p class="note">{_scale(look)}</p>']


def _hatched(
    patterns: Float[np.ndarray, "*figure query key"], visible: Bool[np.ndarray, "*figure query key"]
) -> Float[np.ndarray, "*figure query key"]:
    """The weights, with NaN for masked keys, which are hatched: a weight can be 0 without a mask."""
    return np.where(visible, patterns, np.nan)


def _scale(look: Appearance) -> str:
    """The colour scale with its ends."""
    stops = ", ".join(colour(look.scale, share) for share in np.linspace(0, 1, 9))
    low = f"−{format_number(look.limit, 3)}" if look.kind == "signed" else "0"
    bar = f'<i style="background:linear-gradient(90deg, {stops})"></i>'
    return f'<span class="scale">{low}{bar}{format_number(look.limit, 3)}</span>'


def _has_empty_row(scores: Matrix) -> bool:
    return bool((~np.isfinite(scores)).all(axis=-1).any())


def _sets_input(run: Run, at: ReportFocus) -> bool:
    return any(sentence == at.sentence for sentence, *_ in run.effects.embedded)


def _sets_scores(run: Run, at: ReportFocus) -> bool:
    cells = run.effects.cell_values("scores", at.layer)
    return any((sentence, head) == (at.sentence, at.head) for sentence, head, *_ in cells)


def _drops_weights(run: Run) -> bool:
    kept = run.trace.kept
    return kept is not None and kept.layers[0].pattern is not None


def _is_between(run: Run) -> bool:
    """Whether the activation is between the two linear maps, and no dropout sets its output to zero."""
    return run.config.activation_after == "first_linear" and run.trace.kept is None
