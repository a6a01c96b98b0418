"""Full stack: what all blocks together make of the tokens, one view at a time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.focus import Cell, Focus
from dashboard.frame import Question, Shape, Table
from dashboard.picture import picture
from dashboard.stages import stage_named
from dashboard.window import WINDOW, numbered, window
from encoder_core import Encoder, analysis, blocks, recompute
from encoder_core.figures import curves, heatmap, limit_of, mosaic, row_bars
from encoder_core.figures.base import label

current = frame.begin()
config, trace = current.config, current.trace
batch, seq = current.batch.ids.shape
d_model, num_layers, num_heads = config.d_model, config.num_layers, config.num_heads
HEIGHT = 320
STATES_HEIGHT = 210  # so that one token through the layers is in sight below it
MOST_CELLS = 25_000  # of a mosaic: with more of them, a cell would be smaller than a pixel

ENTERS = "a token alone" if config.positions == "none" else "a token and its place"

frame.heading(
    stage_named("full_stack"),
    f"{num_layers} block{'s' if num_layers > 1 else ''}, one after another, the same kind each time with parameters of "
    f"its own. What goes in is {ENTERS}; what comes out is a token in its context.",
    [Shape("embedded", (seq, d_model))],
    [Shape("weights", (num_layers, num_heads, seq, seq), "attention"), Shape("output", (seq, d_model))],
)


@st.fragment
def body() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        name = st.segmented_control(
            "View", list(VIEWS), default="All heads", required=True, label_visibility="collapsed",
            key="full_stack_view", persist_state="session",
        )  # fmt: skip
        parts, view, width = VIEWS[name if name in VIEWS else "All heads"]
        columns = window("Dimensions", d_model, key=f"full_stack_window_{width}", size=width) if width else slice(0)
    at = focus.pick(current, *parts, badge=lambda at: frame.recomputed(difference(at)))
    frame.depths(*view(at, columns))


def difference(at: Focus) -> float:
    """The block looked at, computed again from what enters it."""
    scale = config.d_head**-0.5 if config.scale_scores else 1.0
    return recompute.block(trace, at.layer, at.sentence, current.encoder.parameters(), config, scale)


Depths = tuple[Mapping[str, Table], str, Sequence[Callable[..., Any]], Question]


def all_heads(at: Focus, _: slice) -> Depths:
    """The pattern of every head of every layer, and one of them enlarged."""
    patterns = np.stack([layer.pattern[at.sentence] for layer in trace.layers])
    visible = np.broadcast_to(trace.mask[at.sentence], patterns.shape)
    draw_tiles(
        at,
        patterns,
        visible,
        titles=("Every head of every layer", f"Layer {at.layer + 1}, head {at.head + 1}"),
        row_titles=["layer 1", *map(str, range(2, num_layers + 1))],
        column_titles=["head 1", *map(str, range(2, num_heads + 1))],
        selected=(at.layer, at.head),
    )
    chosen = patterns[at.layer, at.head]
    largest = patterns[:, :, at.token].max(axis=-1)
    best, *others = (divmod(int(place), num_heads) for place in np.argsort(-largest, axis=None, kind="stable"))
    options = sorted([best, *others[len(others) // 2 :: max(1, len(others) // 2)][:2]])
    return (
        {f"layer {at.layer + 1}, head {at.head + 1}": Table(chosen, at.labels, at.labels)},
        rf"\begin{{aligned}} \underbrace{{A^{{(l,h)}}}}_{{{seq}\times{seq}}} &= \text{{softmax}}(S^{{(l,h)}}) \\"
        rf"l &= 1 \dots {num_layers}, \quad h = 1 \dots {num_heads} \end{{aligned}}",
        [blocks.EncoderStack.__call__],
        Question(
            f"which of these heads gives one single key the largest share of “{frame.plain(at.labels[at.token])}”?",
            [f"layer {layer + 1}, head {head + 1}" for layer, head in options],
            options.index(best),
            f"Its largest weight is {largest[best]:.3g}.",
        ),
    )


def head_average(at: Focus, _: slice) -> Depths:
    """The mean over the heads, layer by layer."""
    averages = np.stack([layer.pattern[at.sentence].mean(axis=0) for layer in trace.layers])
    visible = np.broadcast_to(trace.mask[at.sentence].any(axis=0), averages.shape)
    draw_tiles(
        at,
        averages[None],
        visible[None],
        titles=("Average over the heads, layer by layer", f"Layer {at.layer + 1}"),
        row_titles=[""],
        column_titles=["layer 1", *map(str, range(2, num_layers + 1))],
        selected=(0, at.layer),
    )
    overall = averages[:, at.token].mean(axis=0)
    return (
        {f"layer {at.layer + 1}, average": Table(averages[at.layer], at.labels, at.labels)},
        rf"\underbrace{{\bar A^{{(l)}}}}_{{{seq}\times{seq}}} = \frac{{1}}{{{num_heads}}} \sum_{{h=1}}^{{{num_heads}}}"
        r" A^{(l,h)}",
        [blocks.softmax, blocks.EncoderStack.__call__],
        which_token(
            at,
            f"over all layers and heads, which key does “{frame.plain(at.labels[at.token])}” attend to most?",
            overall,
            "Its share is {:.3g} on average.",
        ),
    )


def rolled_out(at: Focus, _: slice) -> Depths:
    """Attention rollout: one layer's step, and what has reached the token until then."""
    patterns = np.stack([layer.pattern[at.sentence] for layer in trace.layers])
    steps, rolled = analysis.with_residual(patterns), analysis.rollout(patterns)
    before = rolled[at.layer - 1] if at.layer else np.eye(seq, dtype=np.float32)
    step, after = steps[at.layer], rolled[at.layer]
    number = at.layer + 1
    limit = limit_of(step, after)
    maps = [
        heatmap(x, at.labels, at.labels, title=title, row_axis="query", column_axis=axis, kind="weights", limit=limit,
                marks=marks, height=HEIGHT, theme=frame.theme())
        for title, x, axis, marks in (
            (f"½ average + ½ I, layer {number}", step, "key", [(at.token, None)]),
            (f"rolled out to layer {number - 1}" if at.layer else "input: I", before, "input token", []),
            (f"rolled out to layer {number}", after, "input token", [(at.token, None)]),
        )
    ]  # fmt: skip
    shares = row_bars(
        100 * after[at.token],
        at.labels,
        title="share, %",
        row_axis="input token",
        span=(0, 100 * float(after[at.token].max())),
        marks=[at.token],
        colour="attention",
        number_format=".1f",
        height=HEIGHT,
        theme=frame.theme(),
    )
    picture([maps[0], "·", maps[1], "=", maps[2], shares], key="full_stack_rollout_picture")
    token = frame.plain(at.labels[at.token])
    st.caption(
        "How much of each input token is in each token by now, if attention and the residual stream carry half each "
        f"(Abnar & Zuidema 2020). On the right, what has reached “{token}” after layer {number}. Values and the "
        "feed-forward network are left out: it is an estimate of the way, not of the content."
    )
    own, straight = float(rolled[-1][at.token, at.token]), 0.5**num_layers
    return (
        {"rolled out": Table(after, at.labels, at.labels), "½ average + ½ I": Table(step, at.labels, at.labels)},
        rf"\begin{{aligned}} A_l &= \tfrac12 \bar W_l + \tfrac12 I, \quad \text{{rows to sum 1}} \\"
        rf"\underbrace{{R_l}}_{{{seq}\times{seq}}} &= A_l\, R_{{l-1}}, \quad R_0 = I \end{{aligned}}",
        [analysis.rollout, analysis.with_residual],
        Question(
            f"the residual stream alone carries ½ a layer: {straight:.2g} after {num_layers}. How much of its own "
            f"input does “{token}” hold at the end, by rollout?",
            ["less than that", "just that", "more than that"],
            1 if abs(own - straight) < 1e-6 else 2 if own > straight else 0,
            f"It is {own:.3g}: attention may also look at the token itself, or bring it back from others.",
        ),
    )


def hidden_states(at: Focus, columns: slice) -> Depths:
    """The residual stream after each block: all tokens side by side, then one token through the layers."""
    stages, names = streams(at)

    def clicked(cell: Cell, meta: Mapping[str, Any]) -> None:
        """A stage is looked at by the block that made it: "embedded" by the first, the final norm by the last."""
        stage = cell.tile[1] if cell.tile else cell.row
        tile = (0, min(max(stage, 1), num_layers) - 1)
        focus.follow(cell._replace(tile=tile), {**meta, "tile_column_axis": "layer"})

    limit = limit_of(stages)
    sheet = mosaic(
        stages[None, :, :, columns],
        [""],
        ["embedded", "block 1", *names[2 : num_layers + 1], *(["final norm"] if config.final_norm else [])],
        title="Hidden states, layer by layer",
        rows=at.labels,
        columns=numbered(columns),
        row_axis="token",
        column_axis="dimension",
        tile_row_axis="",
        tile_column_axis="stage",
        kind="signed",
        limit=limit,
        selected=(0, at.layer + 1),
        height=STATES_HEIGHT,
        theme=frame.theme(),
    )
    picture([sheet], key="full_stack_states_picture", on_click=clicked)
    whole = slice(0, min(d_model, WINDOW))
    one = stages[:, at.token]
    token = at.labels[at.token]
    lengths = np.linalg.norm(one, axis=-1)
    common: dict[str, Any] = {"row_axis": "stage", "height": 20 * len(stages), "theme": frame.theme()}
    marks = [(at.layer + 1, None)]
    through = heatmap(
        one[:, whole], names, numbered(whole), title=f"“{token}” through the layers", limit=limit, marks=marks, **common
    )
    bars = row_bars(lengths, names, title="length", span=(0, float(lengths.max()) or 1.0), colour="muted", **common)
    picture([through, bars], key="full_stack_token_picture", on_click=clicked)
    moved = np.linalg.norm(np.diff(stages[: num_layers + 1, at.token], axis=0), axis=-1)
    best = int(moved.argmax())
    options = sorted({best, 0, num_layers - 1, num_layers // 2})
    return (
        {f"“{token}”": Table(one, names, numbered(slice(0, d_model)))},
        rf"\underbrace{{X_l}}_{{{seq}\times{d_model}}} = \text{{block}}_l(X_{{l-1}}), \qquad l = 1 \dots {num_layers}",
        [blocks.EncoderStack.__call__],
        Question(
            f"which block changes “{frame.plain(token)}” most?",
            [f"block {layer + 1}" for layer in options],
            options.index(best),
            f"It moves the token's vector by {moved[best]:.3g}.",
        ),
    )


def similarity(at: Focus, _: slice) -> Depths:
    """Cosine of each token with its own embedding, and with the other tokens, by layer."""
    stages, names = streams(at)
    real = int(current.batch.real[at.sentence].sum())
    own = np.stack([np.diagonal(analysis.cosines(stages[0, :real], rows[:real])) for rows in stages])
    between = analysis.cosines(stages[:, :real], stages[:, :real])
    others = analysis.mean_off_diagonal(between)
    series = {"itself, mean": own.mean(axis=1), "the others, mean": others}
    if at.token < real:
        series[f"“{label(at.labels[at.token])}” itself"] = own[:, at.token]
    chart = curves(series, names, title="Cosine with …, by layer", x_axis="", y_axis="cosine", height=HEIGHT - 24,
                   y_range=(min(0.0, float(np.nanmin([np.nanmin(s) for s in series.values()]))) - 0.05, 1.05),
                   theme=frame.theme())  # fmt: skip
    labels = at.labels[:real]
    marks = [(at.token, None)] if at.token < real else []
    maps = [
        heatmap(between[stage], labels, labels, title=title, column_axis="token", limit=1.0, marks=marks, height=HEIGHT,
                theme=frame.theme())
        for stage, title in ((0, "Tokens with each other: embedded"), (at.layer + 1, f"after block {at.layer + 1}"))
    ]  # fmt: skip
    picture([chart, maps[0], "→", maps[1]], key="full_stack_cosine_picture")
    st.caption(
        "“Itself” is the token's own embedding: a falling line says how far the blocks have turned it. “The others” "
        "are the other tokens at the same layer: a rising line says that tokens become alike: attention averages."
    )
    if real > 1:
        question = Question(
            "from the embedding to the last block, do the tokens of this sentence become more alike?",
            ["more alike", "less alike"],
            int(others[-1] < others[0]),
            f"Their mean cosine goes from {others[0]:.3g} to {others[-1]:.3g}.",
        )
    else:
        question = Question(
            "how far does this one token turn away from its embedding?",
            ["less than 60° (cosine above 0.5)", "60° or more"],
            int(own[-1, 0] <= 0.5),
            f"At the end its cosine with the embedding is {own[-1, 0]:.3g}.",
        )
    return (
        {
            f"after block {at.layer + 1}": Table(between[at.layer + 1], labels, labels),
            "with own embedding": Table(own, names, labels),
        },
        r"\cos(a, b) = \frac{a \cdot b}{\lVert a \rVert\, \lVert b \rVert}",
        [analysis.cosines, analysis.mean_off_diagonal],
        question,
    )


def in_and_out(at: Focus, columns: slice) -> Depths:
    """What goes into the first block, and what comes out after the last."""
    before, after = trace.embedded[at.sentence], trace.output[at.sentence]
    cosine = np.diagonal(analysis.cosines(before, after))
    common: dict[str, Any] = {"height": HEIGHT, "theme": frame.theme()}
    maps = [
        heatmap(x[:, columns], at.labels, numbered(columns), title=title, limit=limit_of(before, after),
                marks=[(at.token, None)], **common)
        for title, x in ((f"Embedded: {ENTERS}", before), ("Output: a token in its context", after))
    ]  # fmt: skip
    span = (min(0.0, float(cosine.min())), 1.0)
    bars = row_bars(cosine, at.labels, title="cosine", row_axis="token", span=span, marks=[at.token], **common)
    operator = f"{num_layers} block{'s' if num_layers > 1 else ''}"
    picture([maps[0], "→", maps[1], bars], key="full_stack_ends_picture")
    st.caption(
        f"Between the two, {operator}. The cosine says how much of a token's own direction is left: 1 is all of it."
    )
    return (
        {
            "output": Table(after, at.labels, numbered(slice(0, d_model))),
            "embedded": Table(before, at.labels, numbered(slice(0, d_model))),
        },
        rf"\underbrace{{Y}}_{{{seq}\times{d_model}}} = \text{{{'norm ∘ ' if config.final_norm else ''}}}"
        rf"\text{{block}}_{{{num_layers}}} \circ \dots \circ \text{{block}}_1"
        rf" (\underbrace{{X}}_{{{seq}\times{d_model}}})",
        [Encoder.trace],
        which_token(at, "which token is farthest from its embedding at the end?", -cosine, "Its cosine is {:.3g}.", -1),
    )


def streams(at: Focus) -> tuple[Float[np.ndarray, "stage seq d_model"], list[str]]:
    """The residual stream as it goes in, after each block, and after the final norm if there is one; with names."""
    rows = [
        trace.embedded,
        *(layer.resid_post for layer in trace.layers),
        *([trace.output] if config.final_norm else []),
    ]
    names = ["in", *map(str, range(1, num_layers + 1)), *(["out"] if config.final_norm else [])]
    return np.stack([row[at.sentence] for row in rows]), names


def draw_tiles(
    at: Focus,
    tiles: Float[np.ndarray, "tile_row tile_column query key"],
    visible: np.ndarray,
    *,
    titles: tuple[str, str],
    row_titles: Sequence[str],
    column_titles: Sequence[str],
    selected: tuple[int, int],
) -> None:
    """All tiles, and the selected one enlarged beside them. With many tokens, a block of cells becomes one."""
    size = int(np.ceil(np.sqrt(tiles.size / MOST_CELLS))) if tiles.size > MOST_CELLS else 1
    area = st.container()
    own_scale = st.toggle("Each small tile on a scale of its own", key="full_stack_own_scale", persist_state="session")
    largest = limit_of(tiles)
    peaks = tiles.max(axis=(-1, -2), keepdims=True)
    drawn = tiles / np.where(peaks == 0, 1, peaks) if own_scale else tiles
    labels = [at.labels[i] if size == 1 else f"{i + 1} to {min(i + size, seq)}" for i in range(0, seq, size)]

    def clicked(cell: Cell, meta: Mapping[str, Any]) -> None:
        in_tiles = cell._replace(row=cell.row * size, column=cell.column * size) if cell.tile else cell
        focus.follow(in_tiles, meta)

    layers_across = len(row_titles) == 1
    sheet = mosaic(
        analysis.pooled(drawn, size),
        row_titles,
        column_titles,
        title=f"{titles[0]}, as a share of the tile's largest weight" if own_scale else titles[0],
        rows=labels,
        columns=labels,
        tile_row_axis="" if layers_across else "layer",
        tile_column_axis="layer" if layers_across else "head",
        limit=1.0 if own_scale else largest,
        mask=analysis.pooled(visible, size),
        selected=selected,
        height=HEIGHT + 28,
        weight=int(1.5 * np.clip(seq, 12, 40)),
        theme=frame.theme(),
    )
    enlarged = heatmap(
        tiles[selected],
        at.labels,
        at.labels,
        title=titles[1],
        row_axis="query",
        column_axis="key",
        kind="weights",
        limit=limit_of(tiles[selected]),
        mask=visible[selected],
        marks=[(at.token, None)],
        height=HEIGHT,
        theme=frame.theme(),
    )
    with area:
        picture([sheet, enlarged], key="full_stack_tiles_picture", on_click=clicked)
        pooled = f" With {seq} tokens, a small tile shows the largest of {size} × {size} weights." if size > 1 else ""
        st.caption(
            f"Click a tile to enlarge it. The largest weight of all is {largest:.2g}; the enlarged tile has a scale of "
            f"its own.{pooled}"
        )


def which_token(at: Focus, text: str, values: np.ndarray, why: str, sign: int = 1) -> Question:
    """Which token has the largest value? It, and the next two."""
    order = np.argsort(-values, kind="stable")
    options = sorted(int(place) for place in order[:3])
    best = int(order[0])
    return Question(
        text,
        [f"{place + 1} · {frame.plain(at.labels[place])}" for place in options],
        options.index(best),
        why.format(sign * values[best]),
    )


# Each view with its pickers, and how many dimensions it has room for; 0 where it shows none.
STAGES_SHOWN = num_layers + 1 + config.final_norm
VIEWS: dict[str, tuple[tuple[focus.Part, ...], Callable[[Focus, slice], Depths], int]] = {
    "All heads": (("layer", "head", "token"), all_heads, 0),
    "Head average": (("layer", "token"), head_average, 0),
    "Rollout": (("layer", "token"), rolled_out, 0),
    "Hidden states": (("layer", "token"), hidden_states, max(4, 200 // STAGES_SHOWN // 4 * 4)),
    "Similarity": (("layer", "token"), similarity, 0),
    "In and out": (("token",), in_and_out, WINDOW),
}

body()
