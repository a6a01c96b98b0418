"""The rows of the example of the section Multi-Head Attention: two sentences of ten tokens, a causal mask."""

import numpy as np

from encoder_core.figures import Line, MosaicStyle, ThemeName, TileGrid, mosaic, position_labels
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.models import MULTI_HEAD, demo_run


def _asserted_shapes(seed: int) -> Finding:
    layer = demo_run("multi-head", seed).trace.layers[0]
    shapes = layer.attn_out.shape, layer.pattern.shape

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"output {shapes[0]}, sentence 1", values=layer.attn_out[0]), "|",
                Matrix(title=f"attention {shapes[1]}, head 1", values=layer.pattern[0, 0], kind="weights",
                       row_axis="query", column_axis="key", title_colour="attention"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(shapes == ((2, 10, 16), (2, 4, 10, 10))),
        f"{shapes[0]} and {shapes[1]}",
        f"The output has the shape **{shapes[0]}** and the weights **{shapes[1]}**, as asserted for 2 sentences of 10 "
        "tokens, width 16 and 4 heads.",
        draw,
    )


def _grid(seed: int) -> Finding:
    trace = demo_run("multi-head", seed).trace
    weights, visible = trace.layers[0].pattern.swapaxes(0, 1), trace.mask.swapaxes(0, 1)
    ends = weights.min(axis=(2, 3)), weights.max(axis=(2, 3))
    one_scale = bool(np.all(ends[0] == 0) and np.all(ends[1] == 1))

    def draw(theme: ThemeName) -> Line:
        heads, batch, seq, _ = weights.shape
        grid = TileGrid([f"Head {i + 1}" for i in range(heads)], [f"Batch {i + 1}" for i in range(batch)], "head",
                        "sentence")  # fmt: skip
        style = MosaicStyle(limit=1.0, title_colour="attention", height=520, theme=theme)
        names = position_labels(seq)
        return [mosaic(weights, grid, names, names, title="Attention Weights Across Heads and Batches", mask=visible,
                       style=style)]  # fmt: skip

    return Finding(
        judge(one_scale and np.allclose(weights.sum(-1), 1, atol=1e-5)),
        f"{weights.shape[0]} heads × {weights.shape[1]} sentences",
        f"One heatmap for each of {weights.shape[0]} heads (rows) and {weights.shape[1]} sentences (columns). "
        "`matshow` gives each its own colour scale; all of them end at 0 and 1, because masked weights are 0 and the "
        f"first query gives its only key the weight **{ends[1].min():g}**.",
        draw,
    )


HEAD_EXAMPLE_ITEMS = (
    Item(
        "multi-head-shapes", "Asserted shapes of the example", "exercise",
        (Quotation("assert output.shape == (batch_size, seq_len, embed_dim)\n"
                   "assert attention.shape == (batch_size, num_heads, seq_len, seq_len)", MULTI_HEAD, "code"),),
        _asserted_shapes,
        "The output has the shape of the input, so that it can be added to it. There is a matrix of weights for each "
        "head of each sentence.", "multi_head",
    ),
    Item(
        "head-batch-grid", "Attention weights across heads and batches", "figure",
        (Quotation("Attention Weights Across Heads and Batches", MULTI_HEAD),), _grid,
        "“Batch 1” and “Batch 2” are two sentences of one batch. Both have different random rows, so their weights "
        "differ.",
        "multi_head",
    ),
)  # fmt: skip
