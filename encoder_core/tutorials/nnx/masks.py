"""The rows about masks: how masks of two, three and four axes expand, and what the number -1e9 does."""

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import softmax

from encoder_core.figures import Line, MosaicStyle, ThemeName, TileGrid, mosaic, position_labels
from encoder_core.inputs.masks import attention_mask
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.wording import format_count, numbered
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.models import MULTI_HEAD, SELF_ATTENTION, demo_run, encoder_run

UTILS = "https://github.com/mohsenh17/TransformerNNX/blob/main/model/utils.py"
BATCH, HEADS, SEQ = 2, 4, 6
Mask = Float[np.ndarray, "..."]


def expand_mask(mask: Mask) -> Float[np.ndarray, "batch head query key"]:
    """The tutorial's rule: two axes get a batch and a head axis of size 1, three axes a head axis, four stay.

    Raises ValueError for fewer than two axes.
    """
    if mask.ndim < 2:
        raise ValueError(f"a mask of {mask.ndim} axes has no (query, key) matrix.")
    if mask.ndim == 2:
        return mask[None, None]
    return mask[:, None] if mask.ndim == 3 else mask


def fill_and_softmax(
    scores: Float[np.ndarray, "query key"], visible: Bool[np.ndarray, "query key"], fill: float
) -> Float[np.ndarray, "query key"]:
    """softmax in float32 of scores whose masked cells are replaced by `fill`; NaN in a row of -inf alone."""
    filled = np.where(visible, scores, np.float32(fill)).astype(np.float32)
    with np.errstate(invalid="ignore"):
        return softmax(filled, axis=-1)


def _example(axes: int, seed: int) -> Mask:
    """A mask of this many axes; each token sees at least itself."""
    shape = {2: (SEQ, SEQ), 3: (BATCH, SEQ, SEQ), 4: (BATCH, HEADS, SEQ, SEQ)}[axes]
    if axes == 2:
        return np.tri(SEQ)
    drawn = np.random.default_rng(seed).integers(0, 2, shape).astype(float)
    return np.maximum(drawn, np.eye(SEQ))


def _expansion(axes: int, seed: int) -> Finding:
    mask = _example(axes, seed)
    expanded = expand_mask(mask)
    full = np.broadcast_to(expanded, (BATCH, HEADS, SEQ, SEQ))
    ours = attention_mask(mask.astype(bool), np.ones((BATCH, SEQ), bool), HEADS)
    different = len(np.unique(full.reshape(-1, SEQ * SEQ), axis=0))
    as_documented = {2: (1, 1, SEQ, SEQ), 3: (BATCH, 1, SEQ, SEQ), 4: (BATCH, HEADS, SEQ, SEQ)}[axes]

    def draw(theme: ThemeName) -> Line:
        grid = TileGrid(numbered("sentence", BATCH), numbered("head", HEADS), "sentence", "head")
        names = position_labels(SEQ)
        style = MosaicStyle(limit=1.0, height=280, theme=theme)
        title = f"mask of shape {mask.shape}: keys that each head of each sentence sees"
        return [mosaic(full, grid, names, names, title=title, mask=full > 0, style=style)]

    return Finding(
        judge(expanded.shape == as_documented and np.array_equal(full > 0, ours)),
        f"{mask.shape} → {expanded.shape}",
        f"A mask of shape {mask.shape} becomes **{expanded.shape}**. For {BATCH} sentences and {HEADS} heads this "
        f"gives {format_count(different, 'different matrix', 'different matrices')} of {SEQ} × {SEQ}.",
        draw,
    )


def _one_axis(seed: int) -> Finding:
    real = np.ones(SEQ)
    real[np.random.default_rng(seed).integers(1, SEQ) :] = 0
    try:
        expand_mask(real)
        refused = False
    except ValueError:
        refused = True
    right = np.broadcast_to(real, (SEQ, SEQ))

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"one axis: ({SEQ},)", values=real[None], kind="weights", row_axis="sentence",
                       column_axis="key", rows=["1"]),
                "real[None, :] →",
                Matrix(title=f"two axes: (1, {SEQ}), repeated to ({SEQ}, {SEQ})", values=right, kind="weights",
                       mask=right > 0, row_axis="query", column_axis="key"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(refused),
        "an error" if refused else "accepted",
        f"A mask of shape ({SEQ},), one number for each of {SEQ} keys ({int(real.sum())} of them real), is "
        f"{'refused' if refused else 'accepted'}. It needs an axis for the queries first.",
        draw,
    )


def _large_negative(seed: int) -> Finding:
    trace = demo_run("attention", seed).trace
    scores, visible = trace.layers[0].dot_products[0, 0] / np.float32(2), trace.mask[0, 0]
    finite, infinite = (fill_and_softmax(scores, visible, fill) for fill in (-1e9, -np.inf))
    gap = float(np.abs(finite - infinite).max())
    no_key = fill_and_softmax(scores[:1], np.zeros((1, len(scores)), bool), -1e9)

    def draw(theme: ThemeName) -> Line:
        return line_of([weight_matrix("with −1e9", finite, mask=visible, own_scale=True), "=",
                        weight_matrix("with −∞", infinite, mask=visible, own_scale=True)], theme=theme)  # fmt: skip

    return Finding(
        judge(gap == 0 and float(no_key.max()) == 0, under_condition=gap == 0),
        f"difference between −1e9 and −∞: {gap:g}",
        f"In the example, the weights with −1e9 and with −∞ differ by **{gap:g}**: exp(−1e9) is 0 in float32. If a "
        f"query saw no key at all, −1e9 would give it the weight **{no_key[0, 0]:g}** for each of the {len(scores)} "
        "masked keys.",
        draw,
        "each query sees at least one key",
    )


def _fully_masked(seed: int) -> Finding:
    layer = encoder_run(seed).trace.layers[0]
    scores = layer.dot_products[0, 0, :SEQ, :SEQ] / np.float32(layer.q.shape[-1] ** 0.5)
    visible = np.tri(SEQ, dtype=bool)
    visible[2] = False
    finite, infinite = (fill_and_softmax(scores, visible, fill) for fill in (-1e9, -np.inf))
    zeros = np.nan_to_num(infinite)
    is_uniform = bool(np.allclose(finite[2], 1 / SEQ))

    def draw(theme: ThemeName) -> Line:
        marks = [(2, None)]
        return line_of(
            [
                weight_matrix("−1e9: equal weights", finite, marks=marks, own_scale=True), "|",
                weight_matrix("−∞: not a number (hatched)", infinite, marks=marks, own_scale=True), "|",
                weight_matrix("this walkthrough: zeros", zeros, marks=marks, own_scale=True),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(not is_uniform and bool(np.isfinite(infinite).all())),
        f"weight {finite[2, 0]:.3f} = 1/{SEQ} for each masked key",
        f"Query 3 sees no key. With −1e9 each of the {SEQ} masked keys gets the weight **{finite[2, 0]:.3f}**; with −∞ "
        f"the row is 0/0, **{int(np.isnan(infinite[2]).sum())}** numbers that are not a number. This walkthrough sets "
        "the row to zeros.",
        draw,
    )


_EXPANSION_MEANINGS = {
    2: "One matrix serves all sentences and heads. A causal mask has this shape.",
    3: "Each sentence has its own matrix, which its heads share. Masks against padding have "
    "three axes, (batch, 1, seq) or (batch, seq, seq).",
    4: "Each head of each sentence has its own matrix.",
}


def _expansion_item(axes: int, quotation: str) -> Item:
    name = {2: "two", 3: "three", 4: "four"}[axes]
    return Item(
        f"mask-{name}-axes", f"A mask of {name} axes", "claim", (Quotation(quotation, UTILS, "code"),),
        lambda seed: _expansion(axes, seed), _EXPANSION_MEANINGS[axes], "scaled_scores",
    )  # fmt: skip


FILL_ITEMS = (
    Item(
        "large-negative-value", "A large negative value as the mask", "claim",
        (Quotation("attn_logits = jnp.where(mask == 0, -1e9, attn_logits)  # Apply mask with large negative value",
                   SELF_ATTENTION, "code"),),
        _large_negative,
        "After the largest score of the row is subtracted, −1e9 is still so low that exp gives exactly 0. That needs "
        "one visible key, whose score is the largest.", "softmax",
    ),
    Item(
        "fully-masked-row", "A query that sees no key", "claim",
        (Quotation("attn_logits = jnp.where(mask == 0, -1e9, attn_logits)", SELF_ATTENTION, "code"),),
        _fully_masked,
        "If every score of a row is −1e9, all are equal, and softmax gives the masked keys equal weights: the mask has "
        "no effect on this row. −∞ makes the mistake visible, because 0/0 is not a number. The tutorial's own masks "
        "have no such row.", "softmax",
    ),
)  # fmt: skip
MASK_ITEMS = (
    _expansion_item(2, "2D input: shape will be (1, 1, seq_length, seq_length)"),
    _expansion_item(3, "3D input: shape will be (batch_size, 1, seq_length, seq_length)"),
    _expansion_item(4, "4D input: shape will be (batch_size, num_heads, seq_length, seq_length)"),
    Item(
        "mask-one-axis", "A mask of one axis", "claim",
        (Quotation('assert mask.ndim >= 2, "Mask must be at least 2-dimensional with seq_length x seq_length"', UTILS,
                   "code"),
         Quotation("mask = utils.expand_mask(mask)  # Ensure mask is in the correct 4D format", MULTI_HEAD, "code")),
        _one_axis,
        "A single row of keys does not say which query it is for. `real[None, :]` has two axes, and "
        "broadcasting repeats it for every query.",
        "scaled_scores",
    ),
)  # fmt: skip
