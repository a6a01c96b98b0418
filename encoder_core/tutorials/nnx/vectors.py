"""The rows about queries, keys and values, and about the formula of attention."""

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import entropy, softmax_steps
from encoder_core.explain.recompute import difference
from encoder_core.figures import Line, RowBarsStyle, ThemeName, position_labels, row_bars
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.number_format import format_number
from encoder_core.support.wording import form_for, format_count
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.models import SCORES, SELF_ATTENTION, demo_run, encoder_run

Rows = Float[np.ndarray, "seq d_head"]


def _head(seed: int) -> tuple[Rows, Rows, Rows]:
    """Queries, keys and values of head 1 of block 1, sentence 1."""
    layer = encoder_run(seed).trace.layers[0]
    return layer.q[0, 0], layer.k[0, 0], layer.v[0, 0]


def attend(
    q: Float[np.ndarray, "query d_head"], k: Float[np.ndarray, "key d_head"], v: Float[np.ndarray, "key width"]
) -> tuple[Float[np.ndarray, "query key"], Float[np.ndarray, "query width"]]:
    """Attention without a mask in float64: the weights and the weighted values (Vaswani et al. 2017, equation 1)."""
    weights = softmax_steps(q.astype(float) @ k.T / np.sqrt(q.shape[1])).weights
    return weights, weights @ v.astype(float)


def _query(seed: int) -> Finding:
    q, k, v = _head(seed)
    changed = q.copy()
    changed[0] = -changed[0]
    (before, _), (after, _) = attend(q, k, v), attend(changed, k, v)
    moved = np.abs(after - before).max(-1)
    rows = np.flatnonzero(moved > 1e-9)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                weight_matrix(title="weights", values=before, marks=[(0, None)], own_scale=True), "query 1 reversed →",
                weight_matrix(title="weights", values=after, marks=[(0, None)], own_scale=True),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(list(rows) == [0]),
        f"{len(rows)} of {len(q)} rows of weights change",
        f"The query of token 1 is replaced by its negative. **{len(rows)}** row of weights changes, its own, by up to "
        f"**{format_number(moved[0], 2)}**.",
        draw,
    )


def _key(seed: int) -> Finding:
    q, k, v = _head(seed)
    weights, _ = attend(q, k, v)
    first = weights.argmax(-1)
    count = len(set(first.tolist()))

    def draw(theme: ThemeName) -> Line:
        marks = [(row, int(column)) for row, column in enumerate(first)]
        matrix = weight_matrix(
            title="weights; the largest of each row is outlined", values=weights, marks=marks, own_scale=True
        )
        return line_of([matrix], theme=theme)

    return Finding(
        judge(count == 1, under_condition=count > 1),
        f"{format_count(count, 'key')} {form_for(count, 'is', 'are')} first for some query",
        f"The {len(q)} queries of sentence 1 (block 1, head 1) give their largest weight to **{count}** "
        f"{form_for(count, 'key', 'different keys')}.",
        draw,
        "a query is given",
    )


def _value(seed: int) -> Finding:
    q, k, v = _head(seed)
    v = v.astype(float)
    changed = v.copy()
    changed[0] += 1
    (weights, before), (same, after) = attend(q, k, v), attend(q, k, changed)
    gap = np.abs((after - before) - weights[:, :1]).max()

    def draw(theme: ThemeName) -> Line:
        style = RowBarsStyle(row_axis="query", span=(0.0, float(weights[:, 0].max())), colour="attention", decimals=3,
                             theme=theme)  # fmt: skip
        names = position_labels(len(q))
        return [row_bars(weights[:, 0], names, title="weight of key 1", style=style), "=",
                row_bars((after - before).mean(-1), names, title="change of the output", style=style)]  # fmt: skip

    return Finding(
        judge(gap < 1e-9 and np.array_equal(weights, same)),
        f"change − weight: {format_number(gap, 1)}",
        "1 is added to every number of the value of token 1. No weight changes, and each output moves by exactly the "
        f"weight that its query gives to token 1 (largest difference **{format_number(gap, 1)}**).",
        draw,
    )


def _formula(seed: int) -> Finding:
    q, k, v = _head(seed)
    layer = encoder_run(seed).trace.layers[0]
    weights, z = attend(q, k, v)
    gap = max(difference(layer.pattern[0, 0], weights), difference(layer.z[0, 0], z))

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                weight_matrix(title="softmax(Q Kᵀ / √d_k)", values=weights, own_scale=True), "·",
                Matrix(title="V", values=v, row_axis="key", title_colour="value"), "=",
                Matrix(title="Attention(Q, K, V)", values=z, row_axis="query"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(gap < 5e-6),
        f"largest difference {format_number(gap, 1)}",
        "The formula, computed from Q, K and V in float64, differs from what the encoder computes by at most "
        f"**{format_number(gap, 1)}** of the largest number (block 1, head 1, sentence 1).",
        draw,
    )


def _normalized(seed: int) -> Finding:
    layer = encoder_run(seed).trace.layers[0]
    weights = layer.pattern[0, 0].astype(float)
    gap = np.abs(layer.pattern.astype(float).sum(-1) - 1).max()
    columns = weights.sum(0)

    def draw(theme: ThemeName) -> Line:
        style = RowBarsStyle(row_axis="query", colour="attention", decimals=3, theme=theme)
        names = position_labels(len(weights))
        return [
            *line_of([weight_matrix(title="weights", values=weights, own_scale=True)], height=300, theme=theme),
            row_bars(weights.sum(1), names, title="sum of the row", style=style),
        ]

    return Finding(
        judge(gap < 1e-5),
        f"row sums 1 ± {format_number(gap, 1)}",
        f"Every row of weights of block 1 adds up to 1, to within **{format_number(gap, 1)}**. Columns do not: in head "
        f"1 of sentence 1 they add up to {columns.min():.2f} to {columns.max():.2f}.",
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


VECTOR_ITEMS = (
    Item(
        "query", "What the token wants to know", "claim",
        (Quotation("Query (𝑄): What the token wants to know.", SELF_ATTENTION),), _query,
        "A query decides about its own row of weights only: which keys its token reads from.", "qkv",
    ),
    Item(
        "key", "How relevant a token is for answering", "claim",
        (Quotation("Key (𝐾): How relevant a token is for answering.", SELF_ATTENTION),), _key,
        "A key alone is not a relevance. The relevance of a token is the dot product of a query with its key, so the "
        "same key is relevant to one query and not to another.", "qkv",
    ),
    Item(
        "value", "The content of the token", "claim",
        (Quotation("Value (𝑉): The content of the token.", SELF_ATTENTION),), _value,
        "The value is what is passed on. It has no influence on the weights.", "qkv",
    ),
    Item(
        "attention-formula", "The formula of attention", "claim",
        (Quotation(r"\text{Attention}(Q, K, V) = \text{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right) V", SCORES,
                   "formula"),),
        _formula, "The code computes this formula, and the mask in addition.", "weighted_values",
    ),
    Item(
        "softmax-normalizes", "Softmax normalizes the scores", "claim",
        (Quotation("softmax ensures the scores are normalized.", SCORES),), _normalized,
        "Softmax works along the keys (`axis=-1`): the weights of one query are positive and add up to 1. A key that "
        "many queries attend to has a column sum above 1.", "softmax",
    ),
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
)  # fmt: skip
