"""The rows of the text on attention: heads, comparisons, queries, keys and values."""

import numpy as np

from encoder_core.analysis import softmax
from encoder_core.figures import Line, ThemeName
from encoder_core.parameters.cost import BYTES_PER_PARAMETER
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.tutorials.annotated.models import D_K, HEADS, NOTEBOOK, equal_heads_run, intended_run
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, curve_panel


def example(seed: int, width: int = D_K, seq: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random queries, keys and values of this width."""
    q, k, v = np.random.default_rng(seed).standard_normal((3, seq, width))
    return q, k, v


def _heads_differ(seed: int) -> Finding:
    pattern = intended_run(seed).trace.layers[0].pattern[0]
    pairs = [(a, b) for a in range(HEADS) for b in range(a)]
    differences = [float(np.abs(pattern[a] - pattern[b]).sum(-1).mean() / 2) for a, b in pairs]
    copies = equal_heads_run(seed).trace.layers[0].pattern[0]
    same = max(float(np.abs(copies[a] - copies[b]).max()) for a, b in pairs)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [weight_matrix(f"head {h + 1}", pattern[h, :24, :24], own_scale=True) for h in range(HEADS)], theme=theme
        )

    return Finding(
        judge(same > 1e-5, under_condition=min(differences) > 1e-3),
        f"heads differ in {np.mean(differences):.0%} of the weight",
        f"With random parameters, two of the {HEADS} heads differ in **{np.mean(differences):.1%}** of the weight of a "
        f"query on average. If all heads get the parameters of head 1, they differ by **{format_number(same, 1)}**.",
        draw,
        condition="the heads have parameters of their own, and training makes the patterns useful",
    )


def _correlates(seed: int) -> Finding:
    q, k, _ = example(seed)
    weights = softmax(q @ k.T / np.sqrt(D_K))
    asymmetry = float(np.abs(weights - weights.T).max())
    of_one_matrix = softmax(q @ q.T / np.sqrt(D_K))

    def draw(theme: ThemeName) -> Line:
        correlation = np.corrcoef(q)
        parts: Parts = [weight_matrix("attention weights", weights), "≠",
                        Matrix(title="correlations of the queries", values=correlation, row_axis="token",
                               column_axis="other token")]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(asymmetry < 1e-6, under_condition=bool(np.allclose(weights.sum(-1), 1))),
        f"weights differ by {asymmetry:.2f} from their transpose",
        f"A correlation is symmetric and lies between −1 and 1. The weights are between **{weights.min():.2f}** and "
        f"**{weights.max():.2f}**, their rows add up to 1, and they differ from their transpose by up to "
        f"**{asymmetry:.2f}**; with the queries as keys, which have symmetric scores, still by "
        f"**{np.abs(of_one_matrix - of_one_matrix.T).max():.2f}**.",
        draw,
        condition="“correlates” means that a query weighs the keys",
    )


def _n_by_n(_: int) -> Finding:
    lengths = (10, 100, 1000)
    kilobytes = {str(n): n * n * BYTES_PER_PARAMETER / 1000 for n in lengths}

    def draw(theme: ThemeName) -> Line:
        ns = np.array([1, 100, 200, 400, 600, 800, 1000])
        return [curve_panel({"N²": ns.astype(float) ** 2}, ns.tolist(), title="weights of one head", x_axis="N, tokens",
                            y_axis="", theme=theme)]  # fmt: skip

    return Finding(
        judge(kilobytes["1000"] == 100 * kilobytes["100"]),
        "10 times N, 100 times the memory",
        f"One head of N = 10, 100 and 1000 tokens has **100**, **10,000** and **1,000,000** weights, as float32 "
        f"{kilobytes['10']:g}, **{kilobytes['100']:g}** and **{kilobytes['1000']:,.0f}** kB.",
        draw,
    )


def _values_are_not_probabilities(seed: int) -> Finding:
    layer = intended_run(seed).trace.layers[0]
    v, weights = layer.v[0, 0, :12], layer.pattern[0, 0]
    negative, sums = int((v < 0).sum()), v.sum(-1)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [weight_matrix("softmax: rows add up to 1", weights[:12, :12], own_scale=True), "·",
                        Matrix(title="V: the contents", values=v, row_axis="key", title_colour="value")]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(negative == 0 and bool(np.allclose(sums, 1, atol=1e-4))),
        f"{negative} of {v.size} values are negative",
        f"Of the first {v.size} numbers of V, **{negative}** are negative, and the sums of the rows are between "
        f"**{format_fixed(sums.min(), 2)}** and **{format_fixed(sums.max(), 2)}**. The weights after softmax are all "
        "positive, and each of their rows adds up to 1.",
        draw,
    )


ATTENTION_ITEMS = (
    Item(
        "heads-model-aspects",
        "Each head a different pattern",
        "claim",
        (Quotation("Each head is expected to model a different pattern or aspect from a sequence.", NOTEBOOK),),
        _heads_differ,
        "Different parameters give different patterns. That a pattern means something is a result of training.",
        "multi_head",
    ),
    Item(
        "how-elements-correlate",
        "Correlation of the elements",
        "claim",
        (Quotation("Self-attention compares a sequence against itself and tries to figure out how each element "
                   "correlates to the rest of the components (learning semantic similarities for example).",
                   NOTEBOOK),),
        _correlates,
        "Queries and keys come from different matrices, so the score of a and b is not that of b and a. Besides, each "
        "row of weights is divided by its own sum.",
        "softmax",
    ),
    Item(
        "n-by-n",
        "N × N comparisons",
        "claim",
        (Quotation("As a result, for a sequence of length N, this operation becomes an N × N comparison. Also, the "
                   "self-attention has quadriatic memory complexity", NOTEBOOK),),
        _n_by_n,
        "This is the memory of the weights if they are stored. Newer implementations compute them in blocks and never "
        "store all of them.",
        "scaled_scores",
    ),
    Item(
        "values-are-probabilities",
        "Values as probabilities",
        "claim",
        (Quotation("values are the probability of each element in the sequence being the desired search result.",
                   NOTEBOOK),
         Quotation("Why softmax? V stores the probabilities. And softmax gives you a probability distribution.",
                   NOTEBOOK)),
        _values_are_not_probabilities,
        "The probabilities are the weights after softmax. V holds what is found: the contents that are averaged.",
        "weighted_values",
    ),
)  # fmt: skip
