"""The rows of the section Scaled Dot Product Attention: what it computes, and its test."""

import numpy as np

from encoder_core.analysis import entropy, softmax_steps
from encoder_core.figures import Line, ThemeName
from encoder_core.figures.axis import AxisMeaning
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.tutorials.haiku.draws import MASK_OF_3, QKV
from encoder_core.tutorials.haiku.models import (
    ATTENTION,
    D_K,
    HARRY,
    block_run,
    scaled_dot_product,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, curve_panel


def _mixing_values(seed: int) -> Finding:
    q, k, v = np.random.default_rng(seed).standard_normal((3, 3, 4)).astype(np.float32)
    values, weights = scaled_dot_product(q, k, v)
    sums = weights.sum(-1)
    inside = bool(((values >= v.min(0) - 1e-6) & (values <= v.max(0) + 1e-6)).all())

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                weight_matrix("weights: the alignment", weights),
                "·",
                Matrix(title="values", values=v, row_axis="key", title_colour="value"),
                "=",
                Matrix(title="mixed values", values=values, row_axis="query"),
            ],
            theme=theme,
        )

    return Finding(
        judge(bool(weights.min() >= 0) and bool(np.allclose(sums, 1, atol=1e-5)) and inside),
        "weights ≥ 0, sum 1",
        f"The weights of a query are between **{weights.min():.3f}** and **{weights.max():.3f}**, and their sum is 1 "
        f"to within {format_number(np.abs(sums - 1).max(), 1)}. Every output is between the smallest and the largest "
        "value of its column.",
        draw,
    )


def _product_then_softmax(seed: int) -> Finding:
    layer = block_run(seed).trace.layers[0]
    rng = np.random.default_rng(seed)
    q, k = rng.standard_normal((2, 12, 64))
    dots = q @ k.T
    without, divided = softmax_steps(dots).weights, softmax_steps(dots / 8).weights
    bits = entropy(without).mean(), entropy(divided).mean()
    visible = np.isfinite(layer.scores)
    ratio = float(np.median(layer.dot_products[visible] / layer.scores[visible]))

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [weight_matrix("softmax(Q Kᵀ), as in the sentence", without), "≠",
                        weight_matrix("softmax(Q Kᵀ / √d_k), as in the formula", divided)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(bool(np.abs(without - divided).max() < 0.05), under_condition=abs(ratio - D_K**0.5) < 1e-3),
        f"entropy {bits[0]:.2f}, with √d_k {bits[1]:.2f} bits",
        f"The sentence has no division; the formula below it and the code divide by √d_k. For 12 random queries and "
        f"keys of d_k = 64, the mean entropy of the weights is **{bits[0]:.2f}** bits without the division and "
        f"**{bits[1]:.2f}** bits with it.",
        draw,
        condition="the product is divided by √d_k before softmax",
    )  # fmt: skip


def _weights_are_called_scores(seed: int) -> Finding:
    q, k, v = np.random.default_rng(seed).standard_normal((3, 3, 4)).astype(np.float32)
    scores = q @ k.T / 2
    _, weights = scaled_dot_product(q, k, v)

    def draw(theme: ThemeName) -> Line:
        before = Matrix(title="scores in the code", values=scores, row_axis="query", column_axis="key")
        return line_of([before, "→", weight_matrix("attention_weights in the code", weights)], theme=theme)

    return Finding(
        judge(np.array_equal(scores, weights)),
        f"scores from {format_fixed(scores.min(), 2)} to {format_fixed(scores.max(), 2)}",
        f"In the code, `scores` are the numbers before softmax, here from **{format_fixed(scores.min(), 2)}** to "
        f"**{format_fixed(scores.max(), 2)}**. The result of softmax is called `attention_weights`; its rows add up "
        "to 1.",
        draw,
    )


WIDTHS = (4, 16, 64, 256)


def _constant_scalar(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    before = np.array([rng.standard_normal((2, 400, width)).prod(0).sum(-1).std() for width in WIDTHS])
    after = before / np.sqrt(WIDTHS)
    layer = block_run(seed).trace.layers[0]
    widths = {name: getattr(layer, name).shape[-1] for name in ("q", "k", "v")}

    def draw(theme: ThemeName) -> Line:
        panel = curve_panel({"q · k": before, "q · k / √d_k": after}, [str(width) for width in WIDTHS],
                            title="standard deviation of 400 random scores", x_axis="d_k", y_axis="",
                            theme=theme)  # fmt: skip
        return [panel]

    return Finding(
        judge(len(set(widths.values())) == 1 and bool(np.abs(after - 1).max() < 0.25)),
        f"widths {', '.join(map(str, widths.values()))}",
        f"In the block, queries, keys and values of a head have the widths **{widths['q']}**, **{widths['k']}** and "
        f"**{widths['v']}**. For random vectors of d_k = 4 to 256, the standard deviation of q · k grows from "
        f"**{before[0]:.2f}** to **{before[-1]:.2f}**; divided by √d_k it stays between **{after.min():.2f}** and "
        f"**{after.max():.2f}**.",
        draw,
    )


def _shape_comment(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    shapes = []
    for between in ((), (8,), (2, 3)):
        q, k, v = rng.standard_normal((3, 2, *between, 5, 4)).astype(np.float32)
        shapes.append(scaled_dot_product(q, k, v)[1].shape)

    def draw(theme: ThemeName) -> Line:
        sizes = np.full((3, 5), np.nan)
        for row, shape in enumerate(shapes):
            sizes[row, :1], sizes[row, 1 : len(shape) - 2], sizes[row, 3:] = shape[0], shape[1:-2], shape[-2:]
        between = AxisMeaning("row", "axes between")
        matrix = Matrix(title="sizes of the axes of scores", values=sizes, row_axis=between, column_axis="",
                        rows=["none", "one", "two"], columns=["B", "…", "…", "S", "S"],
                        show_values=True)  # fmt: skip
        return line_of([matrix], theme=theme)

    return Finding(
        judge(all(shape[0] == 2 and shape[-2:] == (5, 5) for shape in shapes)),
        str(shapes[1]),
        f"With no, one and two axes between B = 2 and S = 5, the shapes of `scores` are **{shapes[0]}**, "
        f"**{shapes[1]}** and **{shapes[2]}**.",
        draw,
    )


def _printed(_: int) -> Finding:
    q, k, v = QKV
    values, weights = scaled_dot_product(q, k, v, MASK_OF_3)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = []
        for i in range(2):
            parts += [weight_matrix(f"attention[{i}]", weights[i], mask=np.broadcast_to(MASK_OF_3[i], (3, 3))), "→",
                      Matrix(title=f"values[{i}]", values=values[i], row_axis="query"), ""]  # fmt: skip
        return line_of(parts[:-1], theme=theme)

    return Finding(
        judge(values.shape == (2, 3, 4) and weights.shape == (2, 3, 3)),
        f"{values.shape} and {weights.shape}",
        f"The shapes are **{values.shape}** and **{weights.shape}**. The first row of values is "
        f"**{', '.join(format_fixed(value, 5) for value in values[0, 0])}**: the tutorial's own q, k, v and mask, "
        "drawn with `hk.PRNGSequence(jax.random.PRNGKey(42))`, do not depend on the seed of this page.",
        draw,
    )


ATTENTION_ITEMS = (
    Item(
        "mixing-values",
        "Harry's outfit: queries, keys and values",
        "claim",
        (Quotation("Each word is a query (Harry's outfit) whose representation is updated in alignment with a set of "
                   "other words (the influencers' profiles), the keys, mixing some of their values (the influencers' "
                   "products).", HARRY),),
        _mixing_values,
        "A query's new representation is a weighted mean of the values. The weights depend on the query and the keys "
        "only. In self-attention, the set of “other words” includes the word itself.",
        "weighted_values",
    ),
    Item(
        "product-then-softmax",
        "Multiply, then softmax",
        "claim",
        (Quotation("First, queries (Q) and keys (K) are multiplied; then, softmax is applied to the result to obtain "
                   "the attention scores.", ATTENTION),
         Quotation(r"attention(Q, K, V) = \text{softmax}(\frac{QK^T}{\sqrt{d_k}})V", ATTENTION, "formula")),
        _product_then_softmax,
        "The sentence leaves out the division by √d_k. Without it, the weights of wide vectors concentrate on few "
        "keys.",
        "scaled_scores",
    ),
    Item(
        "scores-or-weights",
        "The result of softmax: scores or weights",
        "claim",
        (Quotation("Finally, values (V) are multiplied by the attention scores to get the final representation of the "
                   "sequence.", ATTENTION),
         Quotation("attention_weights = jax.nn.softmax(scores, axis=-1)\nvalues = jnp.matmul(attention_weights, v)",
                   ATTENTION, "code")),
        _weights_are_called_scores,
        "The sentence calls the result of softmax “scores”; the code multiplies the values by the weights. Only the "
        "name differs. These pages call the numbers before softmax scores and those after it weights.",
        "softmax",
    ),
    Item(
        "one-width",
        "One width for query, key and value",
        "claim",
        (Quotation("Where d_k is a constant scalar. In the original paper, d_k corresponds to the dimension of the "
                   "query/key/value (they all share the same dimension).", ATTENTION),),
        _constant_scalar,
        "The product Q Kᵀ needs queries and keys of one width. The formula allows another width for the values; the "
        "paper and the tutorial use one width for all three.",
        "scaled_scores",
    ),
    Item(
        "shape-of-scores",
        "The shape comment (B,...,S,S)",
        "claim",
        (Quotation("`scores` will have a shape of B, any random number of dimensions, and will end with the two final "
                   "dimensions with size S.", ATTENTION),
         Quotation("scores = jnp.matmul(q, k.swapaxes(-2, -1)) / jnp.sqrt(d_k)  # (B,...,S,S)", ATTENTION, "code")),
        _shape_comment,
        "A matrix product treats all axes before the last two as a batch. So the same function computes one head and "
        "many heads.",
        "scaled_scores",
    ),
    Item(
        "test-scaled-dot-product",
        "Test of the scaled dot product",
        "printed result",
        (Quotation('print("Values\\n", values, values.shape)  # result should be (B,S,d_k)\n'
                   'print("Attention\\n", attention, attention.shape)  # result should be (B,S,S)', ATTENTION, "code"),
         Quotation("q, k, v = jax.random.normal(rng, (3, bs, seq_len, d_k))", ATTENTION, "code")),
        _printed,
        "The book stores no output; these are the numbers of JAX as it was in 2022. In the first sentence the mask "
        "leaves one key, so each of its weights is 1 and all three outputs are that key's value. Newer versions of "
        "JAX draw other numbers with the same key by default.",
        "weighted_values",
    ),
)  # fmt: skip
