"""The rows of the code of one head: its mask, and the matrix product."""

import numpy as np

from encoder_core.analysis import softmax
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.tutorials.annotated.attention import example
from encoder_core.tutorials.annotated.models import D_K, NOTEBOOK, SEQ, D
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel


def is_a_truth_value(mask: np.ndarray) -> bool:
    """Whether `if mask:` works. NumPy, like JAX, raises ValueError for an array of more than one number."""
    try:
        return bool(mask) is not None
    except ValueError:
        return False


def fit(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether arrays of these shapes can be broadcast to each other."""
    try:
        return bool(np.broadcast_shapes(shape, other))
    except ValueError:
        return False


def _mask_branch(seed: int) -> Finding:
    works = is_a_truth_value(np.ones((3, 3)))
    x = (1, SEQ, D)  # of the global variable: zeros
    q, k, _ = example(seed)
    scaled, mask = q @ k.T / np.sqrt(D_K), np.tri(6, dtype=bool)
    weights = softmax(np.where(mask, scaled, -1e9))

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="scaled", values=scaled, row_axis="query", column_axis="key"), "→",
                        weight_matrix("intended: weights with scaled", weights, mask=mask)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(works and fit((SEQ, SEQ), x)),
        "both lines raise an error",
        "`if mask:` raises a ValueError for a mask of more than one number. The next line would raise one, too: `x` is "
        f"the global array of shape {x}, which does not fit a mask of shape {(SEQ, SEQ)}. With `scaled` in its place, "
        f"the **{int((weights == 0).sum())}** masked weights of this example of 6 tokens are 0.",
        draw,
    )


def _masked_fill(seed: int) -> Finding:
    scores = np.random.default_rng(seed).standard_normal((6, 6))
    mask = np.tri(6, dtype=bool)
    filled = scores.copy()
    filled[~mask] = -1e9
    same = np.array_equal(np.where(mask, scores, -1e9), filled)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="scores", values=scores, row_axis="query", column_axis="key"), "→",
                        Matrix(title="where(mask == 0, −1e9, scores)", values=scores, row_axis="query",
                               column_axis="key", mask=mask)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(same),
        f"{int((~mask).sum())} scores replaced",
        f"`where` replaces the same **{int((~mask).sum())}** scores as an assignment to the masked cells does.",
        draw,
    )


def _matmul(_: int) -> Finding:
    product, scale = 2 * SEQ**2 * D_K, SEQ**2
    additive = SEQ**2 * (4 * D_K)  # for each pair: add, tanh, and multiply and add for a product with a vector

    def draw(theme: ThemeName) -> Line:
        counts = {"mat-mul": product, "the scale": scale, "additive": additive}
        return [bar_panel(counts, title="operations of one head for 100 tokens", theme=theme)]

    return Finding(
        judge(scale > product),
        f"the scale is {scale / (product + scale):.0%}",
        f"The scaled product is the matrix product and one division a score: **{product:,}** and **{scale:,}** "
        f"operations for {SEQ} tokens of {D_K} numbers. Additive attention needs about {additive:,}.",
        draw,
    )


ATTENTION_CODE_ITEMS = (
    Item(
        "masked-fill",
        "A masked fill",
        "claim",
        (Quotation("# since jax numpy doesn't have a masked fill like np.ma.array", NOTEBOOK, "code"),),
        _masked_fill,
        "`jnp.where` is the usual way in JAX, whose arrays cannot be changed.",
        "softmax",
    ),
    Item(
        "mask-branch",
        "The branch with a mask",
        "claim",
        (Quotation("if mask:", NOTEBOOK, "code"),
         Quotation("scaled = jnp.where(mask == 0, -1e9, x)", NOTEBOOK, "code")),
        _mask_branch,
        "The notebook never passes a mask, so the line is never executed. `if mask is not None` and `scaled` in place "
        "of `x` would work.",
        "softmax",
    ),
    Item(
        "matmul-faster",
        "Faster than scaled products",
        "claim",
        (Quotation("Also, why mat-mul? Faster than scaled products and can be acclelerated on GPUs and TPUs (via XLA "
                   "and CUDA).", NOTEBOOK),),
        _matmul,
        "A scaled dot product is computed with a matrix product; it is no alternative to it. The paper compares it "
        "with additive attention, which has no such product (section 3.2.1).",
        "scaled_scores",
    ),
)  # fmt: skip
