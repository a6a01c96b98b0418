"""The rows of the page The Multi-Headed Attention on shapes: the formula and the comments of the code."""

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.haiku.models import (
    D_K,
    HEADS,
    MULTI_HEAD,
    VISIBLE,
    D,
    block,
    block_run,
    example_input,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel


def _aspects(seed: int) -> Finding:
    pattern = block_run(seed).trace.layers[0].pattern[0, :, 0]  # the first query, (head, key)
    total_variation = np.abs(pattern[:, None] - pattern).sum(-1) / 2
    mean = float(total_variation[np.triu_indices(HEADS, 1)].mean())
    attended = int((pattern[0] > 0).sum())

    def draw(theme: ThemeName) -> Line:
        heads = Matrix(title="weights of query 1 in each head", values=pattern, kind="weights", row_axis="head",
                       column_axis="key", mask=np.broadcast_to(VISIBLE[0], pattern.shape),
                       title_colour="attention")  # fmt: skip
        return line_of([heads], theme=theme)

    return Finding(
        judge(attended == 1, under_condition=attended > 1 and mean > 0.02),
        f"{attended} keys a head, {HEADS} heads",
        f"One head already spreads the weights of query 1 over **{attended}** keys. The {HEADS} heads spread them in "
        f"**{HEADS}** different ways: two heads differ in **{mean:.0%}** of the weight on average.",
        draw,
        condition="an aspect is one distribution over the keys: a head has one for each query",
    )


def _output_matrix(seed: int) -> Finding:
    kernel = block(seed).parameters()["layers.0.attention.out.kernel"]
    concat = block_run(seed).trace.layers[0].concat
    as_written = (HEADS * D, D)  # h d_v by d_v with d_v = 64, as the sentence has it for W^V

    def draw(theme: ThemeName) -> Line:
        rows = {"as written": as_written[0], "of concat": concat.shape[-1],
                "of the layer": kernel.shape[0]}  # fmt: skip
        return [bar_panel(rows, title="rows of W_O: as written, columns of concat, rows of the layer", theme=theme)]

    return Finding(
        judge(kernel.shape == as_written),
        f"{kernel.shape[0]} × {kernel.shape[1]}, not {as_written[0]} × {as_written[1]}",
        f"With d_v/h = {D_K} columns a head, as the same sentence has it for W_V, the **{HEADS}** heads have "
        f"**{concat.shape[-1]}** columns together. W_O is **{kernel.shape[0]} × {kernel.shape[1]}**; h·d_v × d_v "
        f"would be {as_written[0]} × {as_written[1]}.",
        draw,
    )


def _head_matrices(seed: int) -> Finding:
    names = ("query", "key", "value")
    shapes = {n: block(seed).parameters()[f"layers.0.attention.{n}.kernel"].shape for n in names}
    layer = block_run(seed).trace.layers[0]
    head_of = {n: layer_of.shape[-1] for n, layer_of in zip(names, (layer.q, layer.k, layer.v), strict=True)}

    def draw(theme: ThemeName) -> Line:
        kernel = block(seed).parameters()["layers.0.attention.query.kernel"]
        parts: Parts = [Matrix(title="x", values=example_input(seed)[0]), "·",
                        Matrix(title="W_Q of head 1", values=kernel[:, :D_K], row_axis="row", column_axis="column",
                               title_colour="query"), "→",
                        Matrix(title="q of head 1", values=layer.q[0, 0], title_colour="query")]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(all(s == (D, D) for s in shapes.values()) and set(head_of.values()) == {D // HEADS}),
        f"{D} × {D // HEADS} a head",
        f"Each of the three projections is one layer of **{D} × {D}**; the columns of one head are **{D} × "
        f"{D // HEADS}**. The widths of q, k and v of a head are **{', '.join(map(str, head_of.values()))}**.",
        draw,
    )


def _head_width(seed: int) -> Finding:
    layer = block_run(seed).trace.layers[0]
    widths = {heads: D // heads for heads in (1, 2, 4, 8, 16, 32, 64)}

    def draw(theme: ThemeName) -> Line:
        named = {f"{heads}": float(width) for heads, width in widths.items()}
        return [bar_panel(named, title="d_k for each number of heads h", marks=[3], theme=theme)]

    return Finding(
        judge(layer.q.shape[-1] == D // HEADS),
        f"64 / 8 = {layer.q.shape[-1]}",
        f"With d_model = {D} and h = {HEADS}, the queries of a head have **{layer.q.shape[-1]}** numbers.",
        draw,
    )


def _three_projections(seed: int) -> Finding:
    parameters = block(seed).parameters()
    kernels = {n: parameters[f"layers.0.attention.{n}.kernel"] for n in ("query", "key", "value", "out")}
    count = sum(kernel.size + kernel.shape[1] for kernel in kernels.values())
    different = all(not np.array_equal(kernels[a], kernels[b]) for a, b in (("query", "key"), ("key", "value")))

    def draw(theme: ThemeName) -> Line:
        parts: Parts = []
        for name, letter in (("query", "Q"), ("key", "K"), ("value", "V")):
            parts += [Matrix(title=f"W_{letter}", values=kernels[name], row_axis="row", column_axis="column",
                             title_colour=name), "≠"]  # fmt: skip
        return line_of(parts[:-1], theme=theme)

    return Finding(
        judge(different),
        f"{len(kernels)} layers, {count:,} parameters",
        f"The list has **{len(kernels)}** layers, the last for the output. Together they have **{count:,}** "
        "parameters: 4 · (64 · 64 + 64).",
        draw,
    )


MULTI_HEAD_ITEMS = (
    Item(
        "one-head-one-aspect",
        "One head, one aspect",
        "claim",
        (Quotation("However, the scaled dot product attention does not allow the element to focus on multiple aspects "
                   "of the sequence simultaneously. A solution for this is to use multiple attention heads.",
                   MULTI_HEAD),),
        _aspects,
        "A head has one distribution of weights for each query. It can attend to several keys, but only with one set "
        "of weights. With random parameters the heads differ by chance.",
        "multi_head",
    ),
    Item(
        "head-matrices",
        "The matrices of a head",
        "claim",
        (Quotation(r"W^Q_i \in \mathbb{R}^{d_q \times d_k/h},\ W^K_i \in \mathbb{R}^{d_k \times d_k/h},\ "
                   r"W^V_i \in \mathbb{R}^{d_v \times d_v/h}", MULTI_HEAD, "formula"),
         Quotation("Note that the d_k and d_v have the same dimension, so the d_v/h is the same as the d_k/h.",
                   MULTI_HEAD)),
        _head_matrices,
        "In this formula d_q, d_k and d_v stand for d_model; the paper uses d_k and d_v for the width of one head. The "
        "code has one layer for all heads and splits its result.",
        "qkv",
    ),
    Item(
        "output-matrix",
        "The size of W_O",
        "claim",
        (Quotation(r"W^O \in \mathbb{R}^{hd_v \times d_v}", MULTI_HEAD, "formula"),),
        _output_matrix,
        "The sentence mixes two meanings. If d_v is the width of all heads, W_O is d_v × d_v. If d_v is the width of "
        "one head, as in the paper, W_O is h·d_v × d_model. Both give the same matrix.",
        "multi_head",
    ),
    Item(
        "d-k-of-a-head",
        "d_k = d_model / h",
        "claim",
        (Quotation("following the original paper, we set a d_model and a d_k = d_model / h;", MULTI_HEAD),
         Quotation("assert d_model % num_heads == 0\n\nself.d_k = self.d_model // self.num_heads", MULTI_HEAD, "code")),
        _head_width,
        "All heads together are as wide as the model, so more heads are narrower heads.",
        "multi_head",
    ),
    Item(
        "three-projections",
        "Three different projections",
        "claim",
        (Quotation("queries, keys, and values have three different projections;", MULTI_HEAD),
         Quotation("self.lin_projs = [hk.Linear(self.d_model) for _ in range(4)]", MULTI_HEAD, "code")),
        _three_projections,
        "The comprehension calls hk.Linear four times. `[hk.Linear(self.d_model)] * 4` would be one layer four times.",
        "qkv",
    ),
)  # fmt: skip
