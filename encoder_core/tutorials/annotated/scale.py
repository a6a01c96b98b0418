"""The rows of the text on attention: softmax, its scale, the figures and the mask."""

import numpy as np

from encoder_core.analysis import entropy, softmax
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.annotated.attention import example
from encoder_core.tutorials.annotated.models import D_K, HEADS, IMAGES, NOTEBOOK, D, intended_run
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel

WIDTHS = (5, 64, 512)


def _without_scale(seed: int) -> Finding:
    bits, largest = [], []
    patterns = []
    for width in WIDTHS:
        q, k, _ = example(seed, width, 12)
        weights = softmax(q @ k.T)
        patterns.append(weights)
        bits.append(float(entropy(weights).mean()))
        largest.append(float(weights.max(-1).mean()))

    def draw(theme: ThemeName) -> Line:
        panels = [weight_matrix(f"softmax(Q Kᵀ), d_key = {w}", p) for w, p in zip(WIDTHS, patterns, strict=True)]
        return line_of(panels, theme=theme)

    return Finding(
        judge(bits[-1] > 0.8 * bits[0], under_condition=bits[0] > bits[-1]),
        f"entropy {bits[0]:.1f} to {bits[-1]:.1f} bits",
        f"For 12 random queries and keys, the mean entropy of the unscaled weights is **{bits[0]:.2f}** bits at "
        f"d_key = 5, **{bits[1]:.2f}** at 64 and **{bits[2]:.2f}** at 512. The largest weight of a query is then "
        f"**{largest[2]:.2f}** on average.",
        draw,
        condition="the keys are narrow, such as the 5 numbers of this notebook",
    )


def _overflow(seed: int) -> Finding:
    q, k, _ = example(seed, 512, 24)
    dots = (q @ k.T).astype(np.float32)
    limit = float(np.finfo(np.float32).max)
    weights = {name: softmax(scores) for name, scores in (("unscaled", dots), ("scaled", dots / np.sqrt(512)))}
    slope = {name: float((w * (1 - w)).mean()) for name, w in weights.items()}

    def draw(theme: ThemeName) -> Line:
        return [bar_panel(slope, title="mean slope of a weight, w (1 − w)", theme=theme)]

    return Finding(
        judge(bool(np.abs(dots).max() > 0.01 * limit)),
        f"largest score {np.abs(dots).max():.0f} of 3e38",
        f"At d_key = 512 the largest unscaled score is **{np.abs(dots).max():.0f}**; float32 holds numbers up to "
        f"3.4e38. The mean slope of softmax is **{slope['unscaled']:.4f}** without the scale and "
        f"**{slope['scaled']:.4f}** with it.",
        draw,
    )


def _factor(seed: int) -> Finding:
    layer = intended_run(seed).trace.layers[0]
    factor = float(np.median(layer.dot_products / layer.scores))
    q, k, _ = example(seed)
    products = {name: q @ k.T / divisor for name, divisor in (("√d_key", D_K**0.5), ("d_key", D_K))}

    def draw(theme: ThemeName) -> Line:
        panels = [weight_matrix(f"divided by {name}", softmax(scores)) for name, scores in products.items()]
        return line_of([panels[0], "≠", panels[1]], theme=theme)

    return Finding(
        judge(abs(factor - D_K) < 1e-3),
        f"√{D_K} = {factor:.3f}",
        f"d_key is {D} / {HEADS} = **{D_K}**. The formula below the sentence and the code divide by "
        f"√{D_K} = **{factor:.3f}**. The scores are {q.shape[0]} × {k.shape[0]} before and after the division.",
        draw,
    )


def _attention_figure(seed: int) -> Finding:
    q, k, v = example(seed)
    dots = q @ k.T
    weights = softmax(dots / np.sqrt(D_K))
    layer = intended_run(seed).trace.layers[0]
    error = float(np.abs(softmax(layer.q @ layer.k.swapaxes(-1, -2) / np.sqrt(D_K)) @ layer.v - layer.z).max())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="Q x K_T", values=dots, row_axis="query", column_axis="key", own_scale=True), "→",
                        Matrix(title="Scale", values=dots / np.sqrt(D_K), row_axis="query", column_axis="key",
                               own_scale=True), "→",
                        weight_matrix("Softmax", weights), "→",
                        Matrix(title="softmax x V", values=weights @ v, row_axis="query")]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(error < 1e-4),
        f"difference {format_number(error, 1)}",
        "The four steps in NumPy give the result of the encoder of these pages, to within "
        f"**{format_number(error, 1)}**.",
        draw,
    )


def _mask_figure(seed: int) -> Finding:
    q, k, v = example(seed)
    visible = np.tri(6, dtype=bool)
    scale_first = softmax(np.where(visible, q @ k.T / np.sqrt(D_K), -np.inf))
    mask_first = softmax(np.where(visible, q @ k.T, -np.inf) / np.sqrt(D_K))
    difference = float(np.abs(scale_first - mask_first).max())

    def draw(theme: ThemeName) -> Line:
        scores = q @ k.T / np.sqrt(D_K)
        parts: Parts = [Matrix(title="Scale", values=scores, row_axis="query", column_axis="key"), "→",
                        Matrix(title="Masking", values=scores, row_axis="query", column_axis="key", mask=visible), "→",
                        weight_matrix("Softmax", scale_first, mask=visible), "→",
                        Matrix(title="softmax x V", values=scale_first @ v, row_axis="query")]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(bool((scale_first[~visible] == 0).all()) and difference < 1e-12),
        "hidden weights are 0",
        f"All **{int((~visible).sum())}** hidden weights are **{scale_first[~visible].max():g}**. With −∞, masking "
        f"before the scale gives the same weights (difference {format_number(difference, 1)}).",
        draw,
    )


def _decoder_only(seed: int) -> Finding:
    x = np.random.default_rng(seed).standard_normal((6, D_K))
    changed = x.copy()
    changed[5] += 1

    def outputs(rows: np.ndarray, *, causal: bool) -> np.ndarray:
        scores = rows @ rows.T / np.sqrt(D_K)
        return np.asarray(softmax(np.where(np.tri(6), scores, -np.inf) if causal else scores) @ rows)

    causal_change, full_change = (
        float(np.abs(outputs(changed, causal=causal) - outputs(x, causal=causal))[:5].max()) for causal in (True, False)
    )

    def draw(theme: ThemeName) -> Line:
        scores = x @ x.T / np.sqrt(D_K)
        visible = np.tri(6, dtype=bool)
        causal = softmax(np.where(visible, scores, -np.inf))
        masks: Parts = [
            weight_matrix("encoder", softmax(scores)),
            "≠",
            weight_matrix("GPT", causal, mask=visible),
        ]
        return line_of(masks, theme=theme)

    return Finding(
        judge(full_change == 0, under_condition=causal_change == 0),
        f"earlier tokens change by {causal_change:g}",
        f"Token 6 was changed. With the causal mask, the outputs of tokens 1 to 5 change by **{causal_change:g}**, "
        f"without it by up to **{full_change:.2f}**.",
        draw,
        condition="a decoder is a stack with a causal mask: GPT has no attention to an encoder",
    )


SCALE_ITEMS = (
    Item(
        "formula-without-scale",
        "The formula without the scale",
        "claim",
        (Quotation("A(Q, K, V) = softmax(QK^{T})V", NOTEBOOK, "formula"),
         Quotation("There's one small problem though", NOTEBOOK)),
        _without_scale,
        "The dot products of wide vectors are large, and softmax then chooses nearly one key.",
        "scaled_scores",
    ),
    Item(
        "scaling-and-overflow",
        "Scaling against overflow",
        "claim",
        (Quotation("There's one small problem though, remember scaling the embeddings? It was done to avoid numerical "
                   "overflow (quite common if your gradients suddenly explode during training).", NOTEBOOK),),
        _overflow,
        "Nothing overflows: softmax subtracts the largest score first. The paper's reason is the slope of softmax, "
        "which is small where one weight is near 1 (section 3.2.1).",
        "scaled_scores",
    ),
    Item(
        "factor-is-dimension",
        "The factor of the scale",
        "claim",
        (Quotation("So, self-attention in transformer is also scaled by the a factor, which here is the dimension of "
                   "the keys or the information space (consider this as narrowing your search space for speed).",
                   NOTEBOOK),
         Quotation("scaled = q_k_t / jnp.sqrt(d_key)", NOTEBOOK, "code")),
        _factor,
        "The factor is the square root of the dimension. It changes no size, so it saves no time.",
        "scaled_scores",
    ),
    Item(
        "attention-figure",
        "The figure of attention",
        "figure",
        (Quotation("In a nutshell:", NOTEBOOK), Quotation("Q x K_T → Scale → Softmax → softmax x V",
                                                          f"{IMAGES}/attn.png")),
        _attention_figure,
        "The figure has the paper's order (figure 2, left, without the mask).",
        "weighted_values",
    ),
    Item(
        "decoder-only",
        "GPT and masking",
        "claim",
        (Quotation("For GPT like causal (or generative) models, which consist only of decoders (no encoders there!) "
                   "there's a concept called masking.", NOTEBOOK),),
        _decoder_only,
        "Apart from the mask, a block of GPT has the parts of an encoder block. The notebook has no decoder yet.",
        "softmax",
    ),
    Item(
        "mask-figure",
        "The figure of attention with a mask",
        "figure",
        (Quotation("Q x K_T → Scale → Masking → Softmax → softmax x V", f"{IMAGES}/attn_mask.png"),),
        _mask_figure,
        "Masked scores must be replaced before softmax; before or after the scale makes no difference.",
        "softmax",
    ),
)  # fmt: skip
