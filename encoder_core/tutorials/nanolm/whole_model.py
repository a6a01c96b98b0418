"""The rows on the whole model of the longer tutorial: its mask, its input of ones, its number of parameters."""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.figures import Line, Panel, RowBarsStyle, ThemeName, row_bars
from encoder_core.parameters.cost import parameters_by_part
from encoder_core.scenes.items import HEIGHT, Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.forward import CONFIG
from encoder_core.tutorials.nanolm.models import LOSS, MODEL, runs

PRINTED_PARAMETERS = 3_426_468


def _causal_mask(seed: int) -> Finding:
    pattern = runs(seed).ids.blocks[0].pattern
    mask, weights = np.tril(np.ones((10, 10))), pattern[0, 0]
    above = float(pattern[..., mask == 0].max())

    def draw(theme: ThemeName) -> Line:
        def panel(title: str, values: Float[np.ndarray, "query key"], visible: Bool[np.ndarray, "query key"]) -> Matrix:
            return Matrix(title=title, values=values, mask=visible, kind="weights", row_axis="query",
                          column_axis="key", show_values=False)  # fmt: skip

        everywhere = np.ones(mask.shape, bool)
        return line_of(
            [
                panel("jnp.tril: 1 where visible", mask, everywhere),
                "→",
                panel("weights, layer 1, head 1", weights, mask > 0),
            ],
            theme=theme,
        )

    return Finding(
        judge(bool(above == 0 and mask.sum() == 55 and abs(weights[0, 0] - 1) < 1e-6)),
        f"{mask.sum():.0f} of 100 visible",
        f"Row i has i ones: **{mask.sum():.0f}** of 100 cells. The largest weight above the diagonal is **{above:g}** "
        f"in all heads, and token 1 gives itself the weight **{weights[0, 0]:g}**.",
        draw,
    )


def _input_of_ones(seed: int) -> Finding:
    logits, zeroed = runs(seed).ones.logits, runs(seed).unplaced.logits
    sentences = float(np.abs(logits - logits[:1]).max())
    spread, without = float(logits[0].std(axis=0).mean()), float(np.abs(zeroed[0] - zeroed[0, :1]).max())

    def draw(theme: ThemeName) -> Line:
        names = [str(index) for index in range(CONFIG.vocab_size)]
        return line_of(
            [
                Matrix(title=title, values=values - values[0], row_axis="position", column_axis="id", columns=names)
                for title, values in (
                    ("logits − those of position 1", logits[0]),
                    ("the same, position table zero", zeroed[0]),
                )
            ],
            theme=theme,
        )

    return Finding(
        judge(logits.shape == (8, 10, 100) and sentences < 1e-5 and spread > 0.05 and without < 1e-4),
        f"spread {spread:.2f}; without table {format_number(without, 1)}",
        f"The logits have the shape **{logits.shape}** and are the same in all 8 sentences. Over the positions of a "
        f"sentence, the standard deviation of a logit is **{spread:.3f}** on average. With the position table set to "
        f"zero, the largest difference between two positions is **{format_number(without, 2)}**, although the mask is "
        "still causal.",
        draw,
    )


def _number_of_parameters(_: int) -> Finding:
    written, wide = (parameters_by_part(config) for config in (CONFIG, replace(CONFIG, qkv_dim=256)))
    total = sum(written.values())

    def draw(theme: ThemeName) -> Line:
        parts: list[Panel | str] = []
        span = (0.0, max(wide.values()) / 1000)
        for title, counts in ((f"heads of 4: {total:,}", written), (f"heads of 32: {sum(wide.values()):,}", wide)):
            values = np.array([*counts.values()]) / 1000
            parts.append(
                row_bars(values, [*counts], title=title,
                         style=RowBarsStyle(row_axis="", colour="muted", decimals=1, span=span, numbers_width=0.4,
                                            height=HEIGHT, theme=theme))
            )  # fmt: skip
        return parts

    share = written["feed-forward"] / total
    parts = ", ".join(f"{name} {count:,}" for name, count in written.items())
    return Finding(
        judge(total == PRINTED_PARAMETERS),
        f"{total:,}",
        f"The sum is **{total:,}**, in float32 **{total * 4 / 2**20:.2f} MiB**: {parts}. The feed-forward networks "
        f"have **{share:.0%}**. The bars show thousands.",
        draw,
    )


WHOLE_MODEL_ITEMS = (
    Item(
        "causal-mask",
        "The lower-triangular mask",
        "figure",
        (Quotation("mask=jnp.tril(jnp.ones((x.shape[-2], x.shape[-2])))", MODEL, "code"),),
        _causal_mask,
        "Row and column are query and key: a token sees itself and the tokens before it. Where the mask is 0, the "
        "library sets the score to the most negative number of float32, and softmax turns that into 0.",
        "scaled_scores",
    ),
    Item(
        "input-of-ones",
        "An input of ones: only positions differ",
        "printed result",
        (Quotation("batch 8, seq 10 … logits (8, 10, 100)", None),
         Quotation("jnp.ones((BATCH_SIZE, BLOCK_SIZE), dtype=jnp.int32)", LOSS, "code")),
        _input_of_ones,
        "Every token has the same row, so a position is known from the position table alone. The causal mask does not "
        "distinguish the positions here: later tokens see more keys, but a weighted mean of equal values is that "
        "value, however many there are. Such an input is enough to create the parameters, whose shapes do not depend "
        "on it.",
        "positions",
    ),
    Item(
        "parameters-by-part",
        "3,426,468 parameters by part",
        "printed result",
        (Quotation("3,426,468 parameters", None),),
        _number_of_parameters,
        "This is the number for 100 tokens and heads of 4, as the code has it. With heads of 32, the attention layers "
        "have about eight times as many.",
        "map",
        variant="as written",
    ),
)  # fmt: skip
