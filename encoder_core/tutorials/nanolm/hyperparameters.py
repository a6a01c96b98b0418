"""The rows of the notebook's hyperparameters: size of the heads, context window."""

from dataclasses import replace

import numpy as np

from encoder_core.analysis import numerical_rank
from encoder_core.figures import Line, ThemeName
from encoder_core.figures.axis import AxisMeaning
from encoder_core.parameters import draw_parameters, parameter_shapes
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.scenes.recipes import rank_of_head
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.forward import CONFIG
from encoder_core.tutorials.nanolm.models import (
    BLOCK_SIZE,
    HYPERPARAMETERS,
    MODEL,
    NANOLM,
    parameters_of,
    runs,
)

HEAD_SIZE, NUM_HEADS, EMBED_SIZE = 32, 8, 256


def _attention_parameters(qkv_dim: int) -> int:
    shapes = parameter_shapes(replace(CONFIG, qkv_dim=qkv_dim, num_layers=1))
    return sum(int(np.prod(shape)) for name, shape in shapes.items() if "attention" in name)


def _head_size(seed: int) -> Finding:
    block = runs(seed).ids.blocks[0]
    wide = draw_parameters(replace(NANOLM.config("as intended"), num_layers=1), seed)
    q, k = (
        block.attn_in[0] @ wide[f"layers.0.attention.{part}.kernel"][:, :HEAD_SIZE]
        + wide[f"layers.0.attention.{part}.bias"][:HEAD_SIZE]
        for part in ("query", "key")
    )
    narrow_dots, wide_dots = block.dot_products[0, 0], q @ k.T
    ranks = numerical_rank(narrow_dots), numerical_rank(wide_dots)

    def draw(theme: ThemeName) -> Line:
        tokens = [str(number + 1) for number in range(10)]
        return rank_of_head({"heads of 4": narrow_dots, "heads of 32": wide_dots}, tokens=tokens, theme=theme)

    counts = [_attention_parameters(width) for width in (HEAD_SIZE, HEAD_SIZE * NUM_HEADS)]
    return Finding(
        judge(CONFIG.d_head == HEAD_SIZE),
        f"32 / 8 = {CONFIG.d_head}",
        f"`qkv_features` is the width of all heads together: each has 32 / 8 = **{CONFIG.d_head}** numbers. Q Kᵀ of "
        f"one head has the rank **{ranks[0]}**; with heads of 32, all **{ranks[1]}** that 10 tokens allow. A layer's "
        f"attention has {counts[0]:,} parameters instead of {counts[1]:,}.",
        draw,
    )


def _context_window(seed: int) -> Finding:
    table = parameters_of(seed)["position_embedding"]
    try:
        table[BLOCK_SIZE]
        last = "has a row"
    except IndexError:
        last = "has no row"

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"position table, first 32 of {table.shape[1]} columns", values=table[:, :32],
                       row_axis="position", own_scale=True, show_values=False)
            ],
            height=340,
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(len(table) == BLOCK_SIZE and last == "has no row"),
        f"{len(table)} positions",
        f"The position table has **{len(table)}** rows of {table.shape[1]} numbers. The {BLOCK_SIZE + 1}th token "
        f"{last}; linen's lookup returns NaN for it, without an error. Nothing else limits the length.",
        draw,
    )


def _key_parameters(_: int) -> Finding:
    sizes, heads = (8, 16, 32, 64), (2, 4, 8, 16)
    widths = np.array([[size * count for count in heads] for size in sizes])
    divisible = np.array([[size % count == 0 for count in heads] for size in sizes])
    possible = (widths == EMBED_SIZE) & divisible

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="head_size × num_heads / 256", values=widths / EMBED_SIZE, kind="weights",
                       row_axis=AxisMeaning("row", "head_size"), column_axis=AxisMeaning("column", "num_heads"),
                       rows=[*map(str, sizes)], columns=[*map(str, heads)], mask=divisible, own_scale=True)
            ],
            theme=theme,
        )  # fmt: skip

    count = int(possible.sum())
    return Finding(
        judge(count == possible.size, under_condition=count > 0),
        f"{count} of {possible.size} choices run",
        f"Attention returns head_size × num_heads numbers a token, which are added to {EMBED_SIZE}. Of these "
        f"{possible.size} choices **{count}** run: those with the ratio 1. Where it is hatched, the heads do not "
        "divide `qkv_features`.",
        draw,
        condition="head_size × num_heads = embed_size",
    )


HYPERPARAMETER_ITEMS = (
    Item(
        "head-size",
        "Size of the heads",
        "claim",
        (Quotation("# @markdown Size of the heads for the transformer model\nHEAD_SIZE = 32", HYPERPARAMETERS, "code"),
         Quotation("qkv_features=self.head_size,\nout_features=self.head_size * self.num_heads,", MODEL, "code")),
        _head_size,
        "A query and a key of 4 numbers can compare tokens in 4 directions only. The scores are divided by √4, not by "
        "√32. For heads of 32, `qkv_features` would be `head_size * num_heads`, as `out_features` is.",
        "multi_head",
        variant="as written",
    ),
    Item(
        "context-window",
        "Context window",
        "claim",
        (Quotation("# @markdown Context window for the transformer model\nBLOCK_SIZE = 64", HYPERPARAMETERS, "code"),),
        _context_window,
        "Every position has a learned row of its own, so the model cannot read more tokens than the table has rows.",
        "positions",
    ),
)  # fmt: skip

KEY_PARAMETERS = Item(
    "key-parameters",
    "Layers, heads and embedding size",
    "claim",
    (Quotation("Key parameters of the model, such as the number of layers, attention heads, and embedding size, are "
               "specified here.", MODEL),
     Quotation("out_features=self.head_size * self.num_heads,", MODEL, "code")),
    _key_parameters,
    "Three of the parameters depend on each other: the residual sum needs two vectors of the same width. In addition, "
    "`qkv_features` = head_size must be divisible by the number of heads. The number of layers is free.",
    "multi_head",
)  # fmt: skip
