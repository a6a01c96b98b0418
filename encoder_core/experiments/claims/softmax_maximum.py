"""Claim 3: subtracting the row maximum changes nothing but keeps softmax finite."""

from decimal import Decimal, localcontext

import numpy as np
from jaxtyping import Float

from encoder_core.experiments.experiment import Control, Experiment, Measurement, Option, Setup, verdict_if
from encoder_core.figures import Line, RowBarsStyle, ThemeName, row_bars, span_of
from encoder_core.support.number_format import format_number

PRECISIONS: dict[str, type[np.floating]] = {"16 bits": np.float16, "32 bits": np.float32, "64 bits": np.float64}
_LIMITS = (11.0, 89.0, 710.0)
_SCORES = np.array([0.0, -1.0, -2.5, -4.0, -6.0])  # relative to the largest one
_HEIGHT = 260
_TOLERANCES = {"16 bits": 1e-3, "32 bits": 1e-6, "64 bits": 1e-12}  # of a weight, by rounding


def largest_finite_exponent(precision: str) -> float:
    """The largest x for which exp(x) is finite in this precision, by bisection; ln of the largest number."""
    kind = PRECISIONS[precision]
    low, high = 0.0, 1_000.0
    with np.errstate(over="ignore"):
        while high - low > 1e-3:
            middle = (low + high) / 2
            low, high = (middle, high) if np.isfinite(np.exp(kind(middle))) else (low, middle)
    return low


def plain_softmax(scores: Float[np.ndarray, "key"], precision: str) -> Float[np.ndarray, "key"]:
    """exp(s) / sum exp(s) as the formula has it, without subtracting the maximum. NaN where exp overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        exponentials = np.exp(scores.astype(PRECISIONS[precision]))
        return exponentials / exponentials.sum()


def shifted_softmax(scores: Float[np.ndarray, "key"], precision: str) -> Float[np.ndarray, "key"]:
    """exp(s - max s) / sum exp(s - max s): the factor exp(-max s) cancels."""
    shifted = scores.astype(PRECISIONS[precision])
    exponentials = np.exp(shifted - shifted.max())
    return exponentials / exponentials.sum()


def largest_error(weights: Float[np.ndarray, "key"], scores: Float[np.ndarray, "key"]) -> float:
    """The largest difference from softmax(scores) computed with 50 decimal digits."""
    with localcontext(prec=50):
        exponentials = [Decimal(float(score)).exp() for score in scores]
        total = sum(exponentials)
        errors = (Decimal(float(weight)) - e / total for weight, e in zip(weights, exponentials, strict=True))
        return float(max(map(abs, errors)))


def _measure(setup: Setup) -> Measurement:
    precision, largest = str(setup["precision"]), float(setup["largest"])
    scores = largest + _SCORES
    plain, shifted = plain_softmax(scores, precision), shifted_softmax(scores, precision)
    limit = largest_finite_exponent(precision)
    is_finite = bool(np.isfinite(plain).all())

    def draw(theme: ThemeName) -> Line:
        names = [f"key {number}" for number in range(1, len(scores) + 1)]
        style = RowBarsStyle(span=(0.0, 1.0), colour="attention", decimals=3, height=_HEIGHT, theme=theme)
        score_style = RowBarsStyle(span=span_of(scores), decimals=1, height=_HEIGHT, theme=theme)
        return [
            row_bars(scores, names, title="scores", style=score_style),
            "→",
            row_bars(plain.astype(float), names, title="weights by the formula", style=style),
            "|",
            row_bars(shifted.astype(float), names, title="weights with the maximum subtracted", style=style),
        ]

    by_formula = (
        f"the formula gives the same weights to within **{format_number(largest_error(plain, scores), 2)}**"
        if is_finite
        else "the formula divides by infinity: " + _not_finite(int(np.isnan(plain).sum()), len(scores))
    )
    return Measurement(
        int(np.argmin(np.abs(np.array(_LIMITS) - limit))),
        f"exp(x) is finite up to x = {limit:.2f} in {precision}",
        f"The largest score is {largest:g} and exp(x) overflows above **{limit:.2f}** in {precision}, so {by_formula}. "
        "With the maximum subtracted, all weights are finite, and their largest error is "
        f"**{format_number(largest_error(shifted, scores), 2)}**.",
        draw,
        verdict_if(bool(np.isfinite(shifted).all()) and largest_error(shifted, scores) < _TOLERANCES[precision]),
    )


def _not_finite(count: int, total: int) -> str:
    if count == total:
        return f"none of the **{total}** weights is a number"
    return f"**{count}** of {total} weights {'is not a number' if count == 1 else 'are not numbers'}, the others are 0"


EXPERIMENT = Experiment(
    number=3,
    name="softmax-maximum",
    title="Why softmax subtracts the maximum",
    claim="Subtracting the largest score of a row before exp changes no weight, but keeps every number finite.",
    hypothesis="Where exp does not overflow, both ways give the same weights. Where it does, only the subtraction "
    "gives numbers.",
    question="exp(x) is computed with numbers of {precision}. From about which x on is the result infinite?",
    options=(
        Option("11", "That is the limit of 16 bits: the largest of these numbers is 65,504, about exp(11.09)."),
        Option("89", "That is the limit of 32 bits: the largest of these numbers is 3.4 · 10³⁸, about exp(88.72)."),
        Option("710", "That is the limit of 64 bits: the largest of these numbers is 1.8 · 10³⁰⁸, about exp(709.78)."),
    ),
    controls=(
        Control("precision", "Numbers of", tuple(PRECISIONS), "32 bits"),
        Control("largest", "Largest score", (5, 10, 12, 50, 88, 90, 500, 800), 90),
    ),
    measure=_measure,
    limits="Scores that are divided by √d_k are rarely that large in 32 bits. In 16 bits (float16), a score of "
    "12 is enough. bfloat16, in which many large models compute, has 16 bits as well, but the range of 32.",
    code=(plain_softmax, shifted_softmax, largest_finite_exponent),
    stage="softmax",
    source="Goodfellow, Bengio & Courville 2016, section 4.1",
)
