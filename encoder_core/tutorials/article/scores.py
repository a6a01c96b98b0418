"""The rows on the steps of attention: queries, keys and values, softmax, and the weighted values."""

import numpy as np

from encoder_core.analysis import softmax
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.tutorials.article.models import (
    ATTENTION_MODULE,
    WALKTHROUGH,
    T,
    bar_panel,
    block,
    words,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import curve_panel


def _qkv_shapes(seed: int) -> Finding:
    layer = block(seed)
    printed = layer.q.swapaxes(0, 1).shape  # the article has the heads first
    one_head = layer.q[:, 0].shape

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [Matrix(title=f"{letter} of head 1, sequence 0", values=values[0, 0], rows=words(seed), title_colour=name)
             for letter, name, values in (("Q", "query", layer.q), ("K", "key", layer.k), ("V", "value", layer.v))],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(printed == (32, 10, 16), under_condition=one_head == (32, 10, 16) and printed == (4, 32, 10, 16)),
        str(printed),
        f"All heads together have shape **{printed}**, one head **{one_head}**.",
        draw,
        "one head is meant",
    )


def _rows_sum(seed: int) -> Finding:
    pattern = block(seed).pattern
    sums, shape = pattern.sum(axis=-1), pattern[:, 0].shape
    error = np.abs(sums - 1).max()

    def draw(theme: ThemeName) -> Line:
        weights = Matrix(title="weights of head 1, sequence 0", values=pattern[0, 0], kind="weights", rows=words(seed),
                         row_axis="query", column_axis="key", title_colour="attention", show_values=False)  # fmt: skip
        return [*line_of([weights], theme=theme), "→", bar_panel(sums[0, 0], words(seed), "sum of each row", theme)]

    return Finding(
        judge(error < 1e-5 and shape == (32, 10, 10)),
        f"sums 1 ± {format_number(error, 1)}",
        f"Each of the {sums.size:,} rows of weights adds up to 1, to **{format_number(error, 1)}**. One head has the "
        f"shape **{shape}**.",
        draw,
    )


def _large_values(seed: int) -> Finding:
    layer = block(seed)
    v, z, dots = layer.v[0, 0], layer.z[0, 0], layer.dot_products[0, 0].astype(float)
    inside = bool(((z <= v.max(axis=0) + 1e-5) & (z >= v.min(axis=0) - 1e-5)).all())
    factors = [1, 4, 16, 64]
    with_softmax = [np.abs(softmax(factor * dots / 4) @ v).max() for factor in factors]
    without = [np.abs(factor * dots / 4 @ v).max() for factor in factors]

    def draw(theme: ThemeName) -> Line:
        series = {"softmax(scores) · V": np.array(with_softmax), "scores · V": np.array(without)}
        logs = {name: np.log10(values) for name, values in series.items()}
        title = "largest result, with and without softmax"
        return [curve_panel(logs, factors, title=title, x_axis="scores times", y_axis="log10", theme=theme)]

    return Finding(
        judge(False, under_condition=inside and max(with_softmax) <= np.abs(v).max() + 1e-5 < max(without)),
        f"{with_softmax[-1]:.1f} against {without[-1]:,.0f}",
        f"Every result lies between the smallest and the largest value of its column of V, so none exceeds "
        f"**{np.abs(v).max():.2f}**. With scores 64 times as large it is **{with_softmax[-1]:.2f}**; without softmax "
        f"it would be **{without[-1]:,.0f}**.",
        draw,
        "“values” are the results, which stay within the range of V",
    )


def _comments(seed: int) -> Finding:
    layer = block(seed)
    keys = layer.k.swapaxes(0, 1)  # head, batch, seq, d_k
    transposed = keys.transpose(0, 1, 3, 2)
    along = {axis: np.abs(layer.pattern.sum(axis=axis) - 1).max() for axis in (-1, -2)}

    def draw(theme: ThemeName) -> Line:
        weights = Matrix(title="softmax along the last axis: the keys", values=layer.pattern[0, 0], kind="weights",
                         row_axis="query", column_axis="key", show_values=False)  # fmt: skip
        return line_of(
            [
                Matrix(title="K (10, 16)", values=layer.k[0, 0], row_axis="key", title_colour="key"),
                "→",
                Matrix(title="Kᵀ (16, 10)", values=layer.k[0, 0].T, row_axis="dimension", column_axis="key",
                       title_colour="key"),
                "|",
                weights,
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(transposed.shape == (4, 32, 16, 10) and along[-1] < 1e-5 < along[-2]),
        str(transposed.shape),
        f"K of all heads, transposed, has shape **{transposed.shape}**. The weights add up to 1 along the last axis "
        f"(to {format_number(along[-1], 1)}), the keys; along the queries they differ from 1 by up to "
        f"**{along[-2]:.2f}**.",
        draw,
    )


def _returned_scores(seed: int) -> Finding:
    layer = block(seed)
    scores, result = layer.pattern.swapaxes(0, 1), layer.z.swapaxes(0, 1)
    sums = result[0, 0].sum(axis=-1)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="attention weights (10, 10)", values=scores[0, 0], kind="weights", rows=words(seed),
                       row_axis="query", column_axis="key", show_values=False),
                "≠",
                Matrix(title="Attention Matrix for head 0, batch 0: (10, 16)", values=result[0, 0], rows=words(seed),
                       row_axis="query", column_axis="dimension"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(result.shape == scores.shape and bool(np.allclose(sums, 1))),
        f"{result.shape}, not {scores.shape}",
        f"The printed shape **{result.shape}** is that of the weighted values. The weights have shape "
        f"**{scores.shape}**. A row of the result adds up to {format_fixed(sums.min(), 2)} to "
        f"{format_fixed(sums.max(), 2)}, not to 1.",
        draw,
    )


def _part_one(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    x, (wq, wk, wv) = rng.standard_normal((3, 6)), rng.standard_normal((3, 6, 2))
    q, k, v = x @ wq, x @ wk, x @ wv
    weights = softmax(q @ k.T / np.sqrt(2))
    result = weights @ v

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="X", values=x, show_values=False),
                "·",
                Matrix(title="W_Q", values=wq, row_axis="dimension", show_values=False, title_colour="query"),
                "=",
                Matrix(title="Q", values=q, row_axis="query", show_values=False, title_colour="query"),
                "|",
                Matrix(title="softmax(Q Kᵀ / √2)", values=weights, kind="weights", row_axis="query",
                       column_axis="key", title_colour="attention"),
                "·",
                Matrix(title="V", values=v, row_axis="key", title_colour="value"),
                "=",
                Matrix(title="result", values=result, row_axis="query"),
            ],
            theme=theme,
        )  # fmt: skip

    shapes = [array.shape for array in (x, wq, q, weights, result)]
    return Finding(
        judge(shapes == [(3, 6), (6, 2), (3, 2), (3, 3), (3, 2)]),
        "3 × 6 · 6 × 2 = 3 × 2",
        f"With the sizes that are drawn, X **{shapes[0]}** · W **{shapes[1]}** = Q **{shapes[2]}**; the weights are "
        f"**{shapes[3]}**, and weights · V is **{shapes[4]}**.",
        draw,
    )


SCORE_ITEMS = (
    Item(
        "qkv-shapes",
        "Shapes of Q, K and V",
        "printed result",
        (Quotation("We obtain Q, K, and V matrices with shapes (batch_size, seq_len, d_k).", T),
         Quotation("jax.tree_map(lambda x: x.shape, [Q, K, V])\n[(4, 32, 10, 16), (4, 32, 10, 16), (4, 32, 10, 16)]",
                   WALKTHROUGH, "code")),
        _qkv_shapes,
        "The code maps over the heads with `vmap`: inside, one head has three axes; outside, the heads are the first "
        "of four.",
        "qkv",
    ),
    Item(
        "rows-sum-to-one",
        "Rows of weights add up to one",
        "claim",
        (Quotation("attention scores for an input token (i.e. a row) sum up to one", T),
         Quotation("The output has shape (batch_size, seq_len, seq_len)", T)),
        _rows_sum,
        "Softmax divides each row by its sum. What adds up to one are the weights; the scores are the numbers before "
        "it.",
        "softmax",
    ),
    Item(
        "large-values",
        "Softmax and large values",
        "claim",
        (Quotation("this helps prevent values from becoming too large and slowing down computation.", T),),
        _large_values,
        "A weighted mean cannot leave the range of what it averages. A multiplication takes the same time for small "
        "and large numbers. The divisor √d_k is there for another reason: large scores make softmax pick one key, "
        "with gradients close to 0.",
        "softmax",
    ),
    Item(
        "attention-comments",
        "Comments in the code of attention",
        "claim",
        (Quotation("# transpose K to (N_HEADS, BATCH_SIZE, D_K, SEQ_LEN)\n"
                   "attention_score = jnp.matmul(Q, K.transpose(0, 2, 1))\n"
                   "# apply softmax along the SEQ_LEN dimension", ATTENTION_MODULE, "code"),),
        _comments,
        "Inside `vmap` the arrays have no axis of heads, so the code transposes three axes. Two axes have the length "
        "SEQ_LEN; the softmax runs along that of the keys.",
        "scaled_scores",
    ),
    Item(
        "attention-part-1",
        "Attention in three steps",
        "figure",
        (Quotation("1: Multiply Positional embeddings with weight matrices\n2: Multiply Q with Kᵀ and scale\n3: "
                   "Compute the Attention Matrix", T),
         Quotation("Finally, we dot the result of the previous operation with V, making the shape of the output "
                   "(batch_size, seq_len, d_k).", T)),
        _part_one,
        "Three words of width 6, d_k = 2. The inner sizes of each product agree.",
        "weighted_values",
    ),
    Item(
        "attention-matrix",
        "“Attention Matrix”",
        "figure",
        (Quotation("Attention Matrix for head 0, batch 0", WALKTHROUGH),
         Quotation("print(attention_matrix.shape)\n(4, 32, 10, 16)", WALKTHROUGH, "code"),
         Quotation("Returns:\n    jnp.ndarray: Attention scores with shape (n_heads, batch_size, seq_len, d_k)",
                   ATTENTION_MODULE, "code")),
        _returned_scores,
        "What the notebook draws and the module returns are the weighted values of a head, one row of 16 numbers for "
        "each word. They are neither scores nor weights, and “batch 0” is sequence 0 of the batch.",
        "weighted_values",
    ),
)  # fmt: skip
