"""Claim 2: without 1/√d_k the scores' variance grows with d_k, softmax saturates, and its gradient vanishes."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import entropy, softmax_steps
from encoder_core.experiments.experiment import (
    Control,
    Experiment,
    Measurement,
    Option,
    Setup,
    Verdict,
    describe_spread,
    seed_control,
)
from encoder_core.figures import Line, PanelStyle, ThemeName, curves
from encoder_core.support.number_format import format_number

WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_QUERIES = 256  # drawn for each width
_GROUPS = 16  # of queries, for the spread of the variance
_HEIGHT = 300


class ScoreStatistics(NamedTuple):
    """What scores of one d_k lead to, one entry per query.

    scores    (query, key)
    entropy   of the softmax weights, in bits: log2(key) for equal weights, 0 for a single weight of 1
    gradient  Frobenius norm of the Jacobian of the softmax (see `jacobian_norm`)
    """

    scores: Float[np.ndarray, "query key"]
    entropy: Float[np.ndarray, "query"]
    gradient: Float[np.ndarray, "query"]


def jacobian_norm(weights: Float[np.ndarray, "query key"]) -> Float[np.ndarray, "query"]:
    """The Frobenius norm of the Jacobian of softmax, diag(p) - p pᵀ, for each row p of weights.

    It is 0 for a single weight of 1: the weights then no longer react to the scores.
    """
    second, third = (weights**2).sum(-1), (weights**3).sum(-1)
    return np.sqrt(np.maximum(second - 2 * third + second**2, 0.0))


def score_statistics(d_k: int, keys: int, seed: int, *, scaled: bool) -> ScoreStatistics:
    """The scores of random queries and keys, whose components are independent with mean 0 and variance 1.

    q · k is a sum of d_k products with variance 1 each, so its variance is d_k (Vaswani et al. 2017, footnote 4).
    """
    rng = np.random.default_rng([seed, d_k])
    q = rng.standard_normal((_QUERIES, d_k))
    k = rng.standard_normal((_QUERIES, keys, d_k))
    scores = np.einsum("qd,qkd->qk", q, k)
    if scaled:
        scores = scores / np.sqrt(d_k)
    weights = softmax_steps(scores).weights
    return ScoreStatistics(scores, entropy(weights), jacobian_norm(weights))


def _measure(setup: Setup) -> Measurement:
    d_k, keys, seed = int(setup["d_k"]), int(setup["keys"]), int(setup["seed"])
    series = {
        name: [score_statistics(width, keys, seed, scaled=scaled) for width in WIDTHS]
        for name, scaled in (("q · k", False), ("q · k / √d_k", True))
    }
    plain, divided = (statistics[WIDTHS.index(d_k)] for statistics in series.values())
    variances = plain.scores.reshape(_GROUPS, -1).var(-1)
    growth = plain.scores.var() / series["q · k"][WIDTHS.index(d_k // 4)].scores.var()
    answer = int(np.argmin(np.abs(np.log(growth) - np.log([1.0, 2.0, 4.0, 16.0]))))

    def draw(theme: ThemeName) -> Line:
        style, mark = PanelStyle(height=_HEIGHT, theme=theme), WIDTHS.index(d_k)
        names = [str(width) for width in WIDTHS]
        variance = {name: np.log2([s.scores.var() for s in values]) for name, values in series.items()}
        mean_entropy = {name: np.array([s.entropy.mean() for s in values]) for name, values in series.items()}
        gradient = {name: np.array([s.gradient.mean() for s in values]) for name, values in series.items()}
        return [
            curves(variance, names, title="variance of the scores", x_axis="d_k", y_axis="log₂ of the variance",
                   mark=mark, style=style),
            "|",
            curves(mean_entropy, names, title="entropy of the weights", x_axis="d_k", y_axis="bits",
                   y_range=(0.0, 1.08 * np.log2(keys)), mark=mark, style=style),
            "|",
            curves(gradient, names, title="gradient of softmax", x_axis="d_k", y_axis="norm of the Jacobian",
                   y_range=(0.0, 0.6), mark=mark, style=style),
        ]  # fmt: skip

    change = plain.gradient.mean() / divided.gradient.mean() - 1
    grows = answer == 2 and plain.entropy.mean() < divided.entropy.mean()
    verdict: Verdict = "does not hold" if not grows else "holds" if change < 0 else "holds in part"
    return Measurement(
        answer,
        f"variance of q · k at d_k = {d_k}, median of {_GROUPS} groups of queries: {describe_spread(variances)}",
        f"Over all queries, at d_k = {d_k} the variance of q · k is **{format_number(plain.scores.var(), 3)}**, "
        "that of q · k / √d_k is "
        f"**{format_number(divided.scores.var(), 2)}**. Without the division the weights of {keys} keys have an "
        f"entropy of **{format_number(plain.entropy.mean(), 2)}** bits, with it "
        f"{format_number(divided.entropy.mean(), 2)} "
        f"(at most {format_number(np.log2(keys), 2)}), and the gradient of softmax is "
        f"**{format_number(100 * abs(change), 2)}%** "
        + (
            "smaller."
            if change <= 0
            else "larger: with so many keys, equal weights are small, and the gradient first rises as a few of them "
            "grow. It falls again when one weight has nearly everything, at larger d_k."
        ),
        draw,
        verdict,
    )


EXPERIMENT = Experiment(
    number=2,
    name="score-scaling",
    title="Why scores are divided by √d_k",
    claim="Without 1/√d_k the variance of the scores grows with d_k, softmax saturates, and its gradient vanishes.",
    hypothesis="For queries and keys of independent components with variance 1, the variance of q · k equals d_k. "
    "Divided by √d_k it stays 1, and the entropy and the gradient of softmax stay the same.",
    question="A head gets four times as many dimensions. How does the variance of q · k change, without the division?",
    options=(
        Option("It stays the same", "Each dimension adds a product to the sum; only a mean would keep its size."),
        Option("It doubles", "The standard deviation doubles: that is √4. The variance is its square."),
        Option(
            "It is four times as large",
            "The variances of independent products add up, and there are four times as many. So dividing by √d_k "
            "brings the standard deviation back to 1.",
        ),
        Option(
            "It is sixteen times as large",
            "That would hold if all products were equal. They are independent and partly cancel each other.",
        ),
    ),
    controls=(
        Control("d_k", "d_k", WIDTHS[2:], 64, "Dimensions of a query and a key"),
        Control("keys", "Keys", (4, 16, 64), 16, "Number of keys that share the weights"),
        seed_control("Another seed draws other random numbers", 20),
    ),
    measure=_measure,
    limits="Queries and keys are drawn, not computed: in a trained encoder their components are neither independent "
    "nor of variance 1, and training can enlarge or shrink W_Q and W_K. The division fixes the start of training.",
    code=(score_statistics, jacobian_norm),
    stage="scaled_scores",
    source="Vaswani et al. 2017, section 3.2.1 and footnote 4",
)
