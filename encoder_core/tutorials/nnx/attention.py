"""The rows of the section Self-Attention: the example of five tokens of width 4, with queries = keys = values."""

import numpy as np

from encoder_core.analysis import entropy, self_matches, softmax_steps
from encoder_core.figures import Line, ThemeName
from encoder_core.figures.axis import AxisMeaning
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.models import SCORES, SELF_ATTENTION, demo_run


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
        f"The largest difference between q kᵀ and its transpose is **{asymmetry:.2g}**. In **{matches.matches} of "
        f"{matches.rows}** rows (without the mask), a token's dot product with itself is the largest.",
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


def _scaling_factor(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    d_k = 64
    q, k = rng.standard_normal((2, 48, d_k))
    dots = q @ k.T
    divisors = {"q kᵀ": 1.0, "q kᵀ / √d_k": d_k**0.5, "q kᵀ / d_k": float(d_k)}
    deviations = {name: (dots / divisor).std() for name, divisor in divisors.items()}
    layer = demo_run("attention", seed).trace.layers[0]
    factor = float((layer.dot_products[0, 0, 1, 0] / layer.scores[0, 0, 1, 0]).round(4))
    entropies = [entropy(softmax_steps(dots / divisor).weights).mean() for divisor in divisors.values()]

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"softmax of {name}", values=softmax_steps(dots[:12, :12] / divisor).weights,
                       kind="weights", row_axis="query", column_axis="key")
                for name, divisor in divisors.items()
            ],
            theme=theme,
        )  # fmt: skip

    numbers = ", ".join(f"**{deviation:.2f}** ({name})" for name, deviation in deviations.items())
    bits = ", ".join(f"{mean:.2f}" for mean in entropies)
    return Finding(
        judge(abs(factor - layer.q.shape[-1]) < 1e-3),
        f"the divisor is √4 = {factor:g}",
        f"In the tutorial's example d_k is 4, and the code divides by **{factor:g}**. For 48 random queries and keys "
        f"of d_k = {d_k}, the standard deviation of the scores is {numbers}; the mean entropy of the weights is {bits} "
        f"bits, of at most {np.log2(48):.2f}.",
        draw,
    )


ATTENTION_ITEMS = (
    Item(
        "scaling-factor",
        "d_k as the scaling factor",
        "claim",
        (Quotation("d_k is the scaling factor to stabilize gradients.", SCORES),),
        _scaling_factor,
        "d_k is the width of a query and of a key. The formula above this sentence divides by its square root: a dot "
        "product of d_k independent products of variance 1 has the variance d_k, so its standard deviation is √d_k. "
        "Without a divisor the weights concentrate on few keys; divided by d_k they are almost equal.",
        "scaled_scores",
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
