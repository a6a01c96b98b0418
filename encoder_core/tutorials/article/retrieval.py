"""The rows on the formula of attention and on queries, keys and values as a search."""

import numpy as np

from encoder_core.analysis import softmax
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.article.models import Rows, T, article_run, bar_panel, block, parameter, words
from encoder_core.tutorials.item import Finding, Item, Quotation, judge

# The videos of the article's figure by what their descriptions mention.
FEATURES = ["cat", "funny or cute", "travel", "dog"]
VIDEOS = ["kitten", "Norway", "dog"]
KEYS: Rows = np.array([[2.0, 1, 0, 0], [0, 0, 2, 0], [0, 2, 0, 2]])
QUERY: Rows = np.array([[2.0, 1, 0, 0]])  # Cute cat videos
READ_FROM_FIGURE = np.array([1.0, 0.0, 0.6])  # the colours of the three cells on the scale from 0 to 1


def _formula(seed: int) -> Finding:
    layer, x = block(seed), article_run(seed).trace.embedded[0].astype(float)
    q, k, v = (x @ parameter(seed, f"attention.{name}.kernel")[:, :16] for name in ("query", "key", "value"))
    weights = softmax(q @ k.T / np.sqrt(16))
    results = {"q": (q, layer.q[0, 0]), "k": (k, layer.k[0, 0]), "v": (v, layer.v[0, 0]),
               "result": (weights @ v, layer.z[0, 0])}  # fmt: skip
    error = max(np.abs(mine - theirs).max() for mine, theirs in results.values())

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="Q", values=q, rows=words(seed), row_axis="query", title_colour="query"),
                "·",
                Matrix(title="Kᵀ", values=k.T, row_axis="dimension", column_axis="key", title_colour="key"),
                "→",
                Matrix(title="softmax(Q Kᵀ / √d_k)", values=weights, kind="weights", row_axis="query",
                       column_axis="key", title_colour="attention"),
                "·",
                Matrix(title="V", values=v, row_axis="key", title_colour="value"),
                "=",
                Matrix(title="Attention(Q, K, V)", values=weights @ v, row_axis="query"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(error < 1e-4),
        f"largest difference {format_number(error, 1)}",
        "Computed by the formula from the same rows X, Q = X W_Q, K = X W_K, V = X W_V and the result of the first "
        f"head differ by at most **{format_number(error, 1)}** from the encoder's.",
        draw,
    )


def _retrieval(seed: int) -> Finding:
    values = np.random.default_rng(seed).standard_normal((3, 4))
    scores = QUERY @ KEYS.T / np.sqrt(KEYS.shape[1])
    weights = softmax(scores)
    answer = weights @ values
    order = np.argsort(-scores[0])

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="query", values=QUERY, rows=["cute cat"], columns=FEATURES, title_colour="query"),
                "·",
                Matrix(title="keys", values=KEYS, rows=VIDEOS, columns=FEATURES, title_colour="key"),
                "→",
                Matrix(title="weights", values=weights, kind="weights", rows=["cute cat"], columns=VIDEOS,
                       title_colour="attention"),
                "·",
                Matrix(title="values: the videos", values=values, rows=VIDEOS, title_colour="value"),
                "=",
                Matrix(title="result", values=answer, rows=["cute cat"]),
            ],
            theme=theme,
        )  # fmt: skip

    numbers = ", ".join(f"{name} **{weight:.2f}**" for name, weight in zip(VIDEOS, weights[0], strict=True))
    return Finding(
        judge(
            [VIDEOS[i] for i in order] == ["kitten", "dog", "Norway"] and np.array_equal(order, (-weights[0]).argsort())
        ),
        f"{VIDEOS[order[0]]} {weights[0, order[0]]:.2f}",
        f"The query “cute cat” matches the keys with weights {numbers}. The result is the sum of the three values with "
        "these weights.",
        draw,
    )


def _search_figure(seed: int) -> Finding:
    scores = (QUERY @ KEYS.T)[0]
    relevance, weights = scores / scores.max(), softmax(QUERY @ KEYS.T / np.sqrt(KEYS.shape[1]))[0]
    total = READ_FROM_FIGURE.sum()

    def draw(theme: ThemeName) -> Line:
        return [
            bar_panel(READ_FROM_FIGURE, VIDEOS, "read from the figure", theme),
            "",
            bar_panel(relevance, VIDEOS, "q · k / largest q · k", theme),
            "≠",
            bar_panel(weights, VIDEOS, "softmax weights", theme),
        ]

    return Finding(
        judge(abs(total - weights.sum()) < 0.1),
        f"sum {total:.1f}, not 1",
        f"The three cells of the figure are about 1, 0 and 0.6 on its scale, a sum of **{total:.1f}**. Weights add up "
        f"to **{weights.sum():.0f}**: in this example {weights[0]:.2f}, {weights[1]:.2f} and {weights[2]:.2f}.",
        draw,
    )


RETRIEVAL_ITEMS = (
    Item(
        "formula",
        "Scaled dot-product attention",
        "claim",
        (Quotation(r"\text{Attention}(Q,K,V)=\text{softmax}({{QK^T}\over{\sqrt{d_k}}})V", T, "formula"),
         Quotation("These matrices are obtained by multiplying learned weight vectors WQ, WK and WV with positional "
                   "embeddings.", T),
         Quotation("queries, keys, and values come from the same source (as they’re derived from the input sequences), "
                   "hence the name self-attention.", T)),
        _formula,
        "Each of W_Q, W_K and W_V is a matrix, of 64 × 16 for one head. In self-attention all three multiply the same "
        "rows.",
        "scaled_scores",
    ),
    Item(
        "retrieval",
        "Queries, keys and values",
        "claim",
        (Quotation("Keys: They can be seen as holding information that the queries interact with, the compatibility "
                   "between a query and a key determines how much attention the query should pay to the corresponding "
                   "value.", T),
         Quotation("Values: Matching keys and queries allows us to decide which keys are relevant, values are the "
                   "actual content paired with the keys.", T)),
        _retrieval,
        "A search returns one video, attention a blend of all values. The features of keys and query are chosen by "
        "hand here; the values are drawn, because they play no part in the match.",
        "qkv",
    ),
    Item(
        "search-figure",
        "A video search as attention",
        "figure",
        (Quotation("Attention:\nHow relevant is video x\nwith respect to the query?", T),
         Quotation("In the following figure, the query is a YouTube search, the keys are the video descriptions and "
                   "metadata, while the value are the associated videos.", T)),
        _search_figure,
        "The figure shows a relevance for each video by itself, like scores before the softmax. Softmax weights "
        "compete: more for one video is less for the others.",
        "softmax",
    ),
)  # fmt: skip
