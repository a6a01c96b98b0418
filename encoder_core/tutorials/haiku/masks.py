"""The rows on masks: the random masks as the tutorial draws them, and rows that see nothing."""

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.figures.axis import AxisMeaning
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.haiku.draws import EMPTY_KEY, EMPTY_MASK, MASK_OF_3, MASK_OF_12
from encoder_core.tutorials.haiku.models import ATTENTION, BLOCK, scaled_dot_product
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel

SENTENCE = AxisMeaning("sentence", "sentence")


def mask_matrix(title: str, mask: np.ndarray) -> Matrix:
    """A mask of shape (batch, 1, key) with one row for each sentence: 1 is visible."""
    visible = mask[:, 0].astype(np.float32)
    return Matrix(title=title, values=visible, kind="weights", row_axis=SENTENCE, column_axis="key",
                  show_values=False)  # fmt: skip


def _ignored(seed: int) -> Finding:
    q, k, v = np.random.default_rng(seed).standard_normal((3, 3, 4)).astype(np.float32)
    mask = np.array([[True, True, False]])
    values, weights = scaled_dot_product(q, k, v, mask)
    other_v = v + np.where(mask.T, 0, 10).astype(np.float32)
    change = float(np.abs(scaled_dot_product(q, k, other_v, mask)[0] - values).max())
    all_hidden = np.zeros((1, 3), bool)
    empty = scaled_dot_product(q, k, v, all_hidden)[0]
    empty_change = float(np.abs(scaled_dot_product(q, k, other_v, all_hidden)[0] - empty).max())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [weight_matrix("key 3 is hidden", weights, mask=np.broadcast_to(mask, (3, 3))), "·",
                        Matrix(title="values", values=v, row_axis="key", title_colour="value"), "=",
                        Matrix(title="outputs", values=values, row_axis="query")]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(change == 0 and empty_change == 0, under_condition=change == 0),
        f"change {change:g}; none visible: {format_number(empty_change, 3)}",
        f"With key 3 hidden, adding 10 to its value changes the outputs by **{change:g}**. With all three keys hidden, "
        f"the same change of the value changes them by **{format_number(empty_change, 3)}**.",
        draw,
        condition="at least one key of the sentence is visible",
    )


def _broadcast(seed: int) -> Finding:
    q, k, v = np.random.default_rng(seed).standard_normal((3, 2, 3, 4)).astype(np.float32)
    _, weights = scaled_dot_product(q, k, v, MASK_OF_3)
    full = np.broadcast_to(MASK_OF_3, weights.shape)
    ones = full.astype(np.float32)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [mask_matrix(f"mask {MASK_OF_3.shape}", MASK_OF_3), "→"]
        for i in range(2):
            parts += [Matrix(title=f"sentence {i + 1}", values=ones[i], kind="weights", row_axis="query",
                             column_axis="key", show_values=False), ""]  # fmt: skip
        return line_of(parts[:-1], theme=theme)

    return Finding(
        judge(full.shape == (2, 3, 3) and bool((weights[~full] == 0).all())),
        f"{MASK_OF_3.shape} → {full.shape}",
        f"The mask of shape **{MASK_OF_3.shape}** is broadcast to **{full.shape}**, and all "
        f"**{int((~full).sum())}** hidden weights are 0. All queries of a sentence see the same keys.",
        draw,
    )


def _as_drawn(_: int) -> Finding:
    counts = [int(row.sum()) for mask in (MASK_OF_3, MASK_OF_12) for row in mask[:, 0]]
    padding_last = [bool((np.diff(row.astype(int)) <= 0).all()) for row in (*MASK_OF_3[:, 0], *MASK_OF_12[:, 0])]

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [mask_matrix("mask of the first test", MASK_OF_3), "",
                        mask_matrix("mask of the other tests", MASK_OF_12)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(all(padding_last)),
        f"{sum(padding_last)} of 4 are padding at the end",
        f"In the tutorial's masks, the four sentences see **{counts[0]}** and **{counts[1]}** of 3 keys and "
        f"**{counts[2]}** and **{counts[3]}** of 12. In **{sum(padding_last)} of 4** sentences all hidden keys "
        "are at the end, so these masks do not look like padding.",
        draw,
    )


def _rows_that_see_nothing(seed: int) -> Finding:
    q, k, v = np.random.default_rng(seed).standard_normal((3, 2, 3, 4)).astype(np.float32)
    _, weights = scaled_dot_product(q, k, v, EMPTY_MASK)
    empty = weights[0]

    def draw(theme: ThemeName) -> Line:
        infinite = np.full((3, 3), np.nan, np.float32)  # exp(-inf - -inf) is not a number
        parts: Parts = [mask_matrix(f"mask from key {EMPTY_KEY}", EMPTY_MASK), "→",
                        weight_matrix("sentence 1 with −1e9", empty, show_values=True), "≠",
                        weight_matrix("with −∞", infinite)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(bool((empty == 0).all())),
        f"weights of {empty.max():.3f}",
        f"With `PRNGKey({EMPTY_KEY})`, the first sentence sees no key. Its three scores are all −1e9, so softmax "
        f"gives each hidden key the weight **{empty.max():.3f}**. With −∞ instead of −1e9, softmax would divide 0 by "
        "0, and no weight would be a number.",
        draw,
    )


def _probability(seed: int) -> Finding:
    draws = np.random.default_rng(seed).integers(0, 2, (20_000, 3))
    measured = {3: float((draws.sum(-1) == 0).mean()), 12: 2.0**-12}
    empty = int((MASK_OF_3.sum(-1) == 0).sum() + (MASK_OF_12.sum(-1) == 0).sum())

    def draw(theme: ThemeName) -> Line:
        shares = {str(seq): 2.0**-seq for seq in (1, 2, 3, 4, 6, 8, 12)}
        return [bar_panel(shares, title="probability that a sentence of S keys sees none: 2^−S", theme=theme)]

    return Finding(
        judge(measured[3] == 0, under_condition=empty == 0),
        f"{empty} of 4 sentences see no key",
        f"In the tutorial's draw, **{empty} of 4** sentences see no key. In 20,000 random masks of 3 keys, "
        f"**{measured[3]:.1%}** are empty (expected: 1/8); for 12 keys the probability is 1/4096.",
        draw,
        condition="the masks are those of key 42",
    )


MASK_ITEMS = (
    Item(
        "mask-ignores",
        "The mask hides keys",
        "claim",
        (Quotation("The mask allows us to ignore some portion of the sequence (typically, padding tokens if present).",
                   ATTENTION),
         Quotation("if mask is not None:\n    scores = jnp.where(mask == 0, -1e9, scores)", ATTENTION, "code")),
        _ignored,
        "A score of −1e9 gets a weight of exactly 0 next to an ordinary score. Where all scores are −1e9, softmax "
        "sees equal scores. The mask hides tokens as keys only: a hidden token still has a query and an output.",
        "softmax",
    ),
    Item(
        "mask-broadcast",
        "A mask of shape (B, 1, S)",
        "claim",
        (Quotation(":param mask: mask tensor (shape broadcastable to: B,...,S,S)", ATTENTION, "code"),),
        _broadcast,
        "One row for each sentence: the axis of size 1 stands for all queries. So either all queries of a sentence "
        "see nothing, or none of them.",
        "softmax",
    ),
    Item(
        "random-mask",
        "The random mask exactly as drawn",
        "claim",
        (Quotation("mask = jax.random.randint(rng, (bs, 1, seq_len), minval=0, maxval=2)", BLOCK, "code"),
         Quotation("The mask allows us to ignore some portion of the sequence (typically, padding tokens if present).",
                   ATTENTION)),
        _as_drawn,
        "Each key is visible with probability 1/2. `rng` is drawn once and never again, so the masks of all later "
        "tests are equal; the same key also draws q, k and v of the first test. These numbers are constants: JAX "
        "before 0.5 draws them with key 42, newer versions draw others by default.",
        "softmax",
    ),
    Item(
        "no-empty-rows-drawn",
        "Does the random mask leave a key to every sentence?",
        "claim",
        (Quotation("mask = jax.random.randint(rng, (bs, 1, seq_len), minval=0, maxval=2)", ATTENTION, "code"),),
        _probability,
        "In the tutorial every row sees something, by chance. Nothing in the code ensures it. The recipe on these "
        "pages always leaves one key visible.",
        "softmax",
    ),
    Item(
        "rows-that-see-nothing",
        "Rows that see nothing",
        "claim",
        (Quotation("scores = jnp.where(mask == 0, -1e9, scores)", ATTENTION, "code"),),
        _rows_that_see_nothing,
        "The code is meant to ignore hidden keys. A sentence without a visible key attends to all of them evenly "
        "instead. The encoder of these pages gives such a row the weights 0.",
        "softmax",
    ),
)  # fmt: skip
