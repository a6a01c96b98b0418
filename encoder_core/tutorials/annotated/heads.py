"""The rows of the code of Multi Head Attention."""

import numpy as np

from encoder_core.analysis import softmax
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.annotated.attention import example
from encoder_core.tutorials.annotated.models import (
    D_K,
    HEADS,
    IMAGES,
    NOTEBOOK,
    SEQ,
    D,
    attention_as_written,
    encodings,
    intended_run,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel


def _mask_axis(seed: int) -> Finding:
    q, k, _ = example(seed)
    scaled, padding = q @ k.T / np.sqrt(D_K), np.array([1, 1, 1, 1, 0, 0], bool)
    rows = softmax(np.where(padding[:, None], scaled, -1e9))
    columns = softmax(np.where(padding[None], scaled, -1e9))
    attended = float(rows[:4, 4:].sum())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [weight_matrix("written: hides queries", rows, mask=np.broadcast_to(padding[:, None], (6, 6))),
                        "≠",
                        weight_matrix("hides keys", columns, mask=np.broadcast_to(padding, (6, 6)))]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(attended == 0),
        f"weight {attended:.2f} on padding",
        f"With tokens 5 and 6 hidden, a mask of shape (s, 1) replaces their rows. The other four queries still give "
        f"them a total weight of **{attended:.2f}**; with the shape (1, s) it is **{columns[:4, 4:].sum():g}**.",
        draw,
    )


def _one_layer(seed: int) -> Finding:
    heads = attention_as_written(seed)
    asymmetry = float(np.abs(heads.scores - heads.scores.swapaxes(-1, -2)).max())

    def draw(theme: ThemeName) -> Line:
        intended = intended_run(seed).trace.layers[0].scores[0, 0, :24, :24]
        parts: Parts = [Matrix(title="written: scores of head 1", values=heads.scores[0, 0, :24, :24],
                               row_axis="query", column_axis="key", own_scale=True), "≠",
                        Matrix(title="with three layers", values=intended, row_axis="query", column_axis="key",
                               own_scale=True)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(asymmetry > 1e-6),
        "1 layer: q = k = v",
        "The list has one layer three times: its parameters are 20 · 20 + 20, once. So q = k = v, and the scores are "
        f"symmetric: the largest difference from their transpose is **{format_number(asymmetry, 1)}**.",
        draw,
    )


def _assert_message(_: int) -> Finding:
    passes = D % HEADS == 0
    message_true = HEADS % D == 0

    def draw(theme: ThemeName) -> Line:
        remainders = {str(heads): float(D % heads) for heads in (1, 2, 3, 4, 5, 6, 10, 20)}
        return [bar_panel(remainders, title="d_model % nheads for d_model = 20; 0 passes", theme=theme)]

    return Finding(
        judge(passes and message_true),
        f"{HEADS} is no multiple of {D}",
        f"The code tests {D} % {HEADS} = **{D % HEADS}**: d_model is a multiple of the number of heads. The message "
        f"says the reverse, which would need {HEADS} % {D} = 0; it is **{HEADS % D}**.",
        draw,
    )


def _concat(seed: int) -> Finding:
    heads = attention_as_written(seed)
    below = np.concatenate(list(heads.z))
    beside = heads.z.swapaxes(1, 2).reshape(1, SEQ, D)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title=f"written {below.shape}: entry 1", values=below[0, :24]), "≠",
                        Matrix(title=f"side by side {beside.shape}", values=beside[0, :24])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(below.shape == beside.shape),
        f"{below.shape}, not {beside.shape}",
        f"`jnp.concat` joins along the first axis: **{below.shape}**, the heads in place of the sentences. Side by "
        f"side they are **{beside.shape}**. What is joined are the outputs of attention, not scores.",
        draw,
    )


def _printed(seed: int) -> Finding:
    out = attention_as_written(seed).out
    two = attention_as_written(seed, 2).out.shape

    def draw(theme: ThemeName) -> Line:
        panels = [Matrix(title=f"mha_out[{i}]: head {i + 1}", values=out[i, :24]) for i in range(HEADS)]
        return line_of(panels, theme=theme)

    return Finding(
        judge(out.shape == (4, 100, 20)),
        f"{out.shape}",
        f"As written, the shape is **{out.shape}** for one sentence, and **{two}** for two. The paper's layer would "
        f"return **{encodings().shape}**.",
        draw,
    )


def _figure(seed: int) -> Finding:
    layer = intended_run(seed).trace.layers[0]
    concat = layer.z.swapaxes(1, 2).reshape(layer.concat.shape)
    same = np.array_equal(concat, layer.concat)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [*(Matrix(title=f"head {h + 1}", values=layer.z[0, h, :24]) for h in range(HEADS)), "→",
                        Matrix(title="Concat", values=layer.concat[0, :24]), "→",
                        Matrix(title="Linear", values=layer.attn_out[0, :24])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(same),
        f"{HEADS} × {D_K} = {layer.concat.shape[-1]} columns",
        f"In the encoder of these pages, the {HEADS} heads of {D_K} columns stand side by side: "
        f"**{layer.concat.shape[-1]}** columns, then a linear layer. The notebook's code below the figure does not do "
        "this.",
        draw,
    )


HEAD_ITEMS = (
    Item(
        "multi-head-figure",
        "The figure of multi-head attention",
        "figure",
        (Quotation("Linear → Scaled Dot-Product Attention → Concat → Linear", f"{IMAGES}/mha.png"),),
        _figure,
        "It is the paper's figure 2, right. Three linear layers, one each for V, K and Q, stand at its bottom.",
        "multi_head",
    ),
    Item(
        "heads-and-d-model",
        "The message of the assertion",
        "claim",
        (Quotation('assert self.d_model % self.nheads == 0, "Number of heads must be a multiple of d_model"', NOTEBOOK,
                   "code"),),
        _assert_message,
        "The test is right, its message has the two the wrong way round.",
        "multi_head",
    ),
    Item(
        "three-dense-layers",
        "Three dense layers",
        "claim",
        (Quotation("# 3 dense linear layers, for q, k, v\nself.linear_layers = [nn.Dense(self.d_model)] * 3", NOTEBOOK,
                   "code"),),
        _one_layer,
        "`[layer] * 3` repeats a reference. `[nn.Dense(self.d_model) for _ in range(3)]` makes three layers.",
        "qkv",
    ),
    Item(
        "mask-axis",
        "The axis of the mask",
        "claim",
        (Quotation('if mask:\n    mask = rearrange(mask, "s -> s 1")', NOTEBOOK, "code"),),
        _mask_axis,
        "A padding mask hides keys, which are the columns: its shape must be (1, s).",
        "softmax",
    ),
    Item(
        "concat-of-heads",
        "Concatenating the heads",
        "claim",
        (Quotation("# concat the scores\nconcatenated = jnp.concat(score)", NOTEBOOK, "code"),),
        _concat,
        "Each head then passes through the final layer alone, so no output combines the heads.",
        "multi_head",
    ),
    Item(
        "multi-head-shape",
        "The shape of multi-head attention",
        "printed result",
        (Quotation("(4, 100, 20)", NOTEBOOK, "code"), Quotation("mha_out.shape", NOTEBOOK, "code")),
        _printed,
        "The printed shape is what this code gives. Its first axis counts the 4 heads, where the input has sentences.",
        "multi_head",
    ),
)  # fmt: skip
