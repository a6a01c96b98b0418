"""The rows of scaled_dot_product and of its example: five tokens of width 4, with queries = keys = values."""

import numpy as np

from encoder_core.analysis import self_matches
from encoder_core.figures import Line, ThemeName
from encoder_core.figures.axis import AxisMeaning
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.models import SELF_ATTENTION, demo_run


def _output_shapes(seed: int) -> Finding:
    layer = demo_run("attention", seed).trace.layers[0]
    values, weights = layer.z[:, 0], layer.pattern[:, 0]
    shapes = f"{values.shape} and {weights.shape}"

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"attention {weights.shape}", values=weights[0], kind="weights", row_axis="query",
                       column_axis="key", title_colour="attention"),
                "·",
                Matrix(title=f"v {layer.v[:, 0].shape}", values=layer.v[0, 0], row_axis="key", title_colour="value"),
                "=",
                Matrix(title=f"values {values.shape}", values=values[0], row_axis="query"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(values.shape == (1, 5, 4) and weights.shape == (1, 5, 5)),
        shapes,
        f"The shapes here are **{values.shape}** for the values and **{weights.shape}** for the attention weights.",
        draw,
    )


def _same_key(seed: int) -> Finding:
    layer = demo_run("attention", seed).trace.layers[0]
    q, k, v, dots = layer.q[0, 0], layer.k[0, 0], layer.v[0, 0], layer.dot_products[0, 0]
    all_equal = np.array_equal(q, k) and np.array_equal(q, v)
    asymmetry = np.abs(dots - dots.T).max()
    matches = self_matches(dots, np.ones(dots.shape, bool))

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="q", values=q, title_colour="query"),
                "=",
                Matrix(title="k", values=k, title_colour="key"),
                "=",
                Matrix(title="v", values=v, title_colour="value"),
                "→",
                Matrix(title="q kᵀ, symmetric", values=dots, row_axis="query", column_axis="key", own_scale=True),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(not all_equal),
        "q = k = v" if all_equal else "q, k, v differ",
        f"The largest difference between q kᵀ and its transpose is **{format_number(asymmetry, 2)}**. In "
        f"**{matches.matches} of {matches.rows}** rows (without the mask), a token's dot product with itself is the "
        "largest.",
        draw,
    )


def _weighted_values(seed: int) -> Finding:
    values = demo_run("attention", seed).trace.layers[0].z[0, 0]
    num_rows, num_columns = values.shape
    as_labelled = (num_columns, num_rows)  # the x axis is labelled as positions, the y axis as dimensions

    def draw(theme: ThemeName) -> Line:
        swapped = Matrix(
            title="as labelled in the tutorial", values=values,
            row_axis=AxisMeaning("dimension", "Embedding Dimension"),
            column_axis=AxisMeaning("token", "Sequence Position"),
            rows=[str(i) for i in range(num_rows)],
            columns=[str(i) for i in range(num_columns)],
        )  # fmt: skip
        right = Matrix(title="with the axes exchanged", values=values)
        return line_of([swapped, "≠", right], theme=theme)

    return Finding(
        judge(as_labelled == (5, 4)),
        f"{num_rows} rows, {num_columns} columns",
        f"The matrix has **{num_rows}** rows and **{num_columns}** columns. There are 5 positions and 4 dimensions, so "
        "its rows are the positions and its columns the dimensions.",
        draw,
    )


def _scores_or_weights(seed: int) -> Finding:
    trace = demo_run("attention", seed).trace
    weights, scores, visible = trace.layers[0].pattern[0, 0], trace.layers[0].scores[0, 0], trace.mask[0, 0]
    sums = weights.sum(-1)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="scores, masked", values=np.where(visible, scores, 0), mask=visible, row_axis="query",
                       column_axis="key"),
                "softmax →",
                Matrix(title="what the function returns", values=weights, kind="weights", mask=visible,
                       row_axis="query", column_axis="key", title_colour="attention"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(np.allclose(weights, np.where(visible, scores, 0), atol=1e-3)),
        f"rows add up to {sums.mean():.3f}",
        f"The rows of the returned matrix add up to **{sums.min():.3f}** to **{sums.max():.3f}**, and all its numbers "
        f"are from 0 to 1. The visible scores are from {format_fixed(scores[visible].min(), 2)} to "
        f"{format_fixed(scores[visible].max(), 2)}.",
        draw,
    )


def _causal_mask(seed: int) -> Finding:
    trace = demo_run("attention", seed).trace
    weights, lower = trace.layers[0].pattern[0, 0], np.tri(5, dtype=bool)
    later = float(weights[~lower].max())

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="jnp.tril(jnp.ones((5, 5)))", values=lower.astype(float), kind="weights", row_axis="query",
                       column_axis="key"),
                "→",
                Matrix(title="attention", values=weights, kind="weights", mask=lower, row_axis="query",
                       column_axis="key", title_colour="attention"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(later == 0 and np.array_equal(trace.mask[0, 0], lower)),
        f"{int(lower.sum())} of 25 pairs visible",
        f"The mask has **{int(lower.sum())}** ones and {int((~lower).sum())} zeros. The largest weight of a later key "
        f"is **{later:g}**.",
        draw,
    )


def _attention_matrix(seed: int) -> Finding:
    trace = demo_run("attention", seed).trace
    layer, visible = trace.layers[0], trace.mask[0, 0]
    weights = layer.pattern[0, 0]
    matches = self_matches(layer.dot_products[0, 0], visible)
    is_by_query = np.allclose(weights.sum(1), 1, atol=1e-5) and weights[0, 0] == 1

    def draw(theme: ThemeName) -> Line:
        names = [str(i) for i in range(5)]
        matrix = Matrix(
            title="Attention Matrix", values=weights, kind="weights", mask=visible, rows=names, columns=names,
            row_axis=AxisMeaning("query", "Sequence Position (Query)"),
            column_axis=AxisMeaning("key", "Sequence Position (Key)"),
        )  # fmt: skip
        return line_of([matrix], theme=theme)

    return Finding(
        judge(is_by_query),
        f"own token first in {matches.matches} of {matches.rows} rows",
        "The rows add up to 1, so they are the queries, as the labels say. The first query can only attend to itself, "
        f"with weight 1. Of the other {matches.rows}, **{matches.matches}** give their largest weight to their own "
        "token.",
        draw,
    )


ATTENTION_ITEMS = (
    Item(
        "returns-weights",
        "What scaled_dot_product returns",
        "claim",
        (Quotation("attention: Tensor of shape (..., seq_len, seq_len) containing attention scores.", SELF_ATTENTION,
                   "code"),),
        _scores_or_weights,
        "The scores are the numbers before softmax. The function returns the numbers after it, the attention weights. "
        "The shape is right.",
        "softmax",
    ),
    Item(
        "output-shapes",
        "Shapes of the values and of the attention",
        "printed result",
        (Quotation("Output values shape: (1, 5, 4)\nAttention shape: (1, 5, 5)", SELF_ATTENTION, "code"),),
        _output_shapes,
        "One sentence, 5 tokens: each query has one weight for each of 5 keys, and one output of the width of v, 4.",
        "weighted_values",
    ),
    Item(
        "same-key",
        "Random tensors for q, k and v",
        "claim",
        (Quotation("# Create random tensors for q, k, v", SELF_ATTENTION, "code"),
         Quotation("q = jax.random.normal(key, (1, seq_len, d_k))\nk = jax.random.normal(key, (1, seq_len, d_k))\n"
                   "v = jax.random.normal(key, (1, seq_len, d_k))", SELF_ATTENTION, "code")),
        _same_key,
        "`jax.random.normal` returns the same numbers for the same key: one random tensor with three names. "
        "Then q kᵀ is symmetric. Its diagonal holds the squared lengths a · a, which are d_k on average; the other dot "
        "products are 0 on average. So the diagonal wins on average only: a · b is larger than a · a where the "
        "component of b along a is longer than a.",
        "qkv",
    ),
    Item(
        "causal-mask",
        "The mask of the example",
        "claim",
        (Quotation("# Optional mask encoding matrix\nmask = jnp.tril(jnp.ones((seq_len, seq_len)), k=0)",
                   SELF_ATTENTION, "code"),),
        _causal_mask,
        "The lower triangle with its diagonal is the causal mask: each query sees its own token and the earlier ones. "
        "Its number of ones is 1 + 2 + 3 + 4 + 5.",
        "scaled_scores",
    ),
    Item(
        "attention-matrix",
        "Attention matrix",
        "figure",
        (Quotation("Attention Matrix", SELF_ATTENTION),
         Quotation('plt.xlabel("Sequence Position (Key)")\nplt.ylabel("Sequence Position (Query)")', SELF_ATTENTION,
                   "code")),
        _attention_matrix,
        "The labels are right here. The bright diagonal comes from q = k = v (see the row about the random tensors), "
        "not from attention as such.",
        "softmax",
    ),
    Item(
        "weighted-values",
        "Weighted values",
        "figure",
        (Quotation("Weighted Values (Result of Attention)", SELF_ATTENTION),
         Quotation('plt.xlabel("Sequence Position")\nplt.ylabel("Embedding Dimension")', SELF_ATTENTION, "code")),
        _weighted_values,
        "`plt.imshow(values[0])` draws the first axis downwards, and the first axis is the position. The two labels "
        "are exchanged; the numbers are right.",
        "weighted_values",
    ),
)  # fmt: skip
