"""The rows of the worked example: tokens 1, 2 and 3 of a table from 0.1 to 2.0, the query is token 2."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import softmax_steps
from encoder_core.figures import Line, RowBarsDetails, RowBarsStyle, ThemeName, row_bars
from encoder_core.recipes.by_hand import WorkedAttention, worked_attention
from encoder_core.scenes.items import HEIGHT, Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.models import NANOLM

PRINTED_SCORES = (1.39, 2.23, 3.07)
PRINTED_WEIGHTS = (0.11518, 0.26680, 0.61801)
PRINTED_OUTPUT = (1.10113, 1.20113, 1.30113, 1.40113)
TOKENS = (1, 2, 3)
_QUERY = 1  # the place of token 2 among them
_NAMES = [f"token {token}" for token in TOKENS]


@lru_cache(maxsize=1)
def example() -> tuple[Float[np.ndarray, "key d"], WorkedAttention]:
    """The rows of the three tokens, and the attention of token 2 over them."""
    rows = NANOLM.demos["worked example"].parameters()["token_embedding"][list(TOKENS)]
    exact = rows.astype(float).round(1).tolist()
    return rows, worked_attention(exact[_QUERY], exact)


def _worked_example(_: int) -> Finding:
    rows, steps = example()
    pairs = (steps.weights, PRINTED_WEIGHTS), (steps.output, PRINTED_OUTPUT)
    difference = max(float(np.abs(np.subtract(ours, printed)).max()) for ours, printed in pairs)
    lengths = np.linalg.norm(rows, axis=1)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="weights of token 2", values=np.array([steps.weights]), kind="weights", row_axis="query",
                       rows=["token 2"], columns=["1", "2", "3"], column_axis="key", title_colour="attention"),
                "·",
                Matrix(title="rows of tokens 1, 2, 3", values=rows, row_axis="key", rows=_NAMES, title_colour="value"),
                "=",
                Matrix(title="output", values=np.array([steps.output]), row_axis="query", rows=["token 2"]),
            ],
            theme=theme,
        )  # fmt: skip

    weights, output = (", ".join(f"{x:.5f}" for x in numbers) for numbers in (steps.weights, steps.output))
    return Finding(
        judge(difference < 1e-5),
        f"largest difference {format_number(difference, 1)}",
        f"The weights are **{weights}**, the output is **{output}**: equal to the printed numbers within "
        f"{format_number(difference, 1)}. Token 2 gives its largest weight to token 3, not to itself: their rows have "
        f"the lengths {lengths[2]:.2f} and {lengths[1]:.2f}.",
        draw,
    )


def _raw_scores(_: int) -> Finding:
    steps = example()[1]
    dots, scores = np.array(steps.dot_products), np.array(steps.scores)
    difference = float(np.abs(dots - PRINTED_SCORES).max())
    of_raw = softmax_steps(dots).weights

    def draw(theme: ThemeName) -> Line:
        signed = RowBarsStyle(span=(0.0, float(dots.max())), height=HEIGHT, theme=theme)
        weights = replace(signed, span=(0.0, 1.0), colour="attention", decimals=3, title_colour="attention")
        return [
            row_bars(dots, _NAMES, title="q · k: raw", style=signed),
            "→",
            row_bars(scores, _NAMES, title="q · k / √4", details=RowBarsDetails(footer="printed as raw"), style=signed),
            "|",
            row_bars(np.array(steps.weights), _NAMES, title="softmax, scaled", style=weights),
            "≠",
            row_bars(of_raw, _NAMES, title="softmax, raw", style=weights),
        ]

    raw, scaled = (", ".join(f"{x:.2f}" for x in numbers) for numbers in (dots, scores))
    return Finding(
        judge(difference < 0.005),
        f"raw: {raw}",
        f"The dot products are **{raw}**. Divided by √4 = 2 they are **{scaled}**, the printed numbers. Softmax of "
        f"the raw ones would give token 3 the weight **{of_raw[2]:.3f}** instead of {steps.weights[2]:.3f}.",
        draw,
    )


WORKED_ITEMS = (
    Item(
        "raw-scores",
        "Raw scores that are already scaled",
        "printed result",
        (Quotation("raw scores", None), Quotation("scores 1.39, 2.23, 3.07", None)),
        _raw_scores,
        "The numbers are right as scaled scores; only their name is wrong. Whoever divides them by √d once more gets "
        "other weights.",
        "scaled_scores",
    ),
    Item(
        "worked-example",
        "Attention of one token by hand",
        "printed result",
        (Quotation("weights 0.11518, 0.26680, 0.61801; output 1.10113, 1.20113, 1.30113, 1.40113", None),),
        _worked_example,
        "Queries, keys and values are the rows themselves, and no mask hides token 3. A dot product grows with the "
        "length of the key, so a longer row that points almost the same way gets more weight than the query's own.",
        "weighted_values",
    ),
)  # fmt: skip
