"""The rows of the page The Multi-Headed Attention on the axes of its tensors, its masks and its test."""

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.haiku.draws import MASK_OF_12
from encoder_core.tutorials.haiku.masks import mask_matrix
from encoder_core.tutorials.haiku.models import (
    D_K,
    HEADS,
    MULTI_HEAD,
    VISIBLE,
    D,
    block,
    block_run,
    example_input,
    multi_head,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel


def _swapped_axes(seed: int) -> Finding:
    q = example_input(seed) @ block(seed).parameters()["layers.0.attention.query.kernel"]
    q = q + block(seed).parameters()["layers.0.attention.query.bias"]
    split = q.reshape(2, 12, HEADS, D_K).swapaxes(1, 2)
    layer = block_run(seed).trace.layers[0]
    error = float(np.abs(split - layer.q).max())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title=f"1) projected {q.shape}", values=q[0], title_colour="query"), "→",
                        Matrix(title="3) head 1", values=split[0, 0]), "",
                        Matrix(title="head 2", values=split[0, 1])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(split.shape == (2, HEADS, 12, D_K) and error < 1e-4),
        f"{split.shape}",
        f"Projected: {q.shape}; reshaped: (2, 12, 8, 8); swapped: **{split.shape}**. The head axis is at position 1. "
        f"The largest difference from the q of the encoder is {format_number(error, 1)}.",
        draw,
    )


def _comment_on_q(seed: int) -> Finding:
    shape = example_input(seed).shape

    def draw(theme: ThemeName) -> Line:
        sizes = {"q: d_model": shape[-1], "a head: d_k": D_K}
        return [bar_panel(sizes, title="size of the last axis", theme=theme)]

    return Finding(
        judge(shape[-1] == D_K),
        f"{shape}, d_k = {D_K}",
        f"In this line q has the shape **{shape}**, that is (B, S, d_model). d_k is **{D_K}** here, and the axis of "
        "this size appears two lines later.",
        draw,
    )


def _comment_on_attention(seed: int) -> Finding:
    layer = block_run(seed).trace.layers[0]
    shapes = layer.z.shape, layer.pattern.shape

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title=f"values {shapes[0]}: head 1", values=layer.z[0, 0], row_axis="query"), "",
                        weight_matrix(f"attention {shapes[1]}: head 1", layer.pattern[0, 0],
                                  mask=np.broadcast_to(VISIBLE[0], (12, 12)))]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(shapes[1] == shapes[0], under_condition=shapes[0] == (2, HEADS, 12, D_K)),
        f"{shapes[0]} and {shapes[1]}",
        f"`values` has the shape **{shapes[0]}**, as the comment says. `attention` has **{shapes[1]}**.",
        draw,
        condition="it describes the values only",
    )


def _test(seed: int) -> Finding:
    q, k, v = np.random.default_rng(seed).standard_normal((3, 2, 12, D)).astype(np.float32)
    out, weights = multi_head(seed, q, k, v, MASK_OF_12)
    shapes = f"Out {out.shape} Attention {weights.shape}"

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="q", values=q[0], title_colour="query"),
                        Matrix(title="k", values=k[0], title_colour="key"),
                        Matrix(title="v", values=v[0], title_colour="value"), "→",
                        Matrix(title="out", values=out[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(out.shape == (2, 12, 64) and weights.shape == (2, 8, 12, 12)),
        shapes,
        f"The test prints **{shapes}**. Here q, k and v are three different random inputs, so this is not "
        "self-attention.",
        draw,
    )


def _mask_for_all_heads(seed: int) -> Finding:
    pattern, expanded = block_run(seed).trace.layers[0].pattern, MASK_OF_12[:, None]
    hidden = ~np.broadcast_to(expanded, pattern.shape)
    largest = float(pattern[hidden].max())

    def draw(theme: ThemeName) -> Line:
        visible = np.broadcast_to(VISIBLE[0], (12, 12))
        parts: Parts = [mask_matrix(f"mask {MASK_OF_12.shape}", MASK_OF_12), "→"]
        parts += [weight_matrix(f"head {head + 1}", pattern[0, head], mask=visible) for head in (0, 1)]
        return line_of(parts, theme=theme)

    return Finding(
        judge(largest == 0),
        f"{expanded.shape}, weights {largest:g}",
        f"The mask becomes **{expanded.shape}**: the axis of the heads has size 1, not h = 8, and broadcasting repeats "
        f"it. All **{int(hidden.sum()):,}** hidden weights of the {HEADS} heads are **{largest:g}**.",
        draw,
    )


def _masks_in_decoders(seed: int) -> Finding:
    causal = block(seed).trace(example_input(seed), "causal")
    by_head = not bool((causal.mask == causal.mask[:, :1]).all())
    by_query = not bool((causal.mask == causal.mask[:, :, :1]).all())

    def draw(theme: ThemeName) -> Line:
        pattern = causal.layers[0].pattern
        parts: Parts = [
            weight_matrix(f"causal mask, head {head + 1}", pattern[0, head], mask=causal.mask[0, head])
            for head in (0, 1)
        ]
        return line_of(parts, theme=theme)

    return Finding(
        judge(by_head, under_condition=by_query),
        "causal: equal in all heads",
        f"With a causal mask, query 1 sees **{int(causal.mask[0, 0, 0].sum())}** key and query 12 sees "
        f"**{int(causal.mask[0, 0, -1].sum())}**. All **{HEADS}** heads have the same mask.",
        draw,
        condition="“different” means for each query, not for each head",
    )


HEAD_SHAPE_ITEMS = (
    Item(
        "swapped-axes",
        "Project, reshape, swap axes",
        "claim",
        (Quotation("each query/key/value vector is 1) linearly projected 2) reshaped to h heads and a size of d_k 3) "
                   "swapped axes such that the head axis is at position 1;", MULTI_HEAD),),
        _swapped_axes,
        "Each head takes d_k neighbouring columns of the projected matrix.",
        "multi_head",
    ),
    Item(
        "comment-on-q",
        "The comment (B,S,d_k)",
        "claim",
        (Quotation("batch_size, seq_length, d_model = q.shape # (B,S,d_k)", MULTI_HEAD, "code"),),
        _comment_on_q,
        "The left side of the line names the axes correctly: batch_size, seq_length, d_model.",
        "multi_head",
    ),
    Item(
        "comment-on-attention",
        "The comment (B,h,S,d_k)",
        "claim",
        (Quotation("values, attention = scaled_dot_product(q, k, v, mask=mask)  # (B,h,S,d_k)", MULTI_HEAD, "code"),),
        _comment_on_attention,
        "One comment stands for two results of different shapes.",
        "multi_head",
    ),
    Item(
        "mask-for-all-heads",
        "One mask for all heads",
        "claim",
        (Quotation("we add a dimension to the mask corresponding to the attention heads, such that the model will mask "
                   "every attention head equally", MULTI_HEAD),
         Quotation("mask = jnp.expand_dims(mask, 1)  # expand to (B,h,...)", MULTI_HEAD, "code")),
        _mask_for_all_heads,
        "An axis of size 1 is enough: it is repeated for every head. The comment “(B,h,...)” names the axis, not its "
        "size.",
        "multi_head",
    ),
    Item(
        "masks-in-decoders",
        "Different masks in decoders",
        "claim",
        (Quotation("(equal masks are expected in Encoders, while we will see that there will be different masks in "
                   "Decoders)", MULTI_HEAD),),
        _masks_in_decoders,
        "A decoder hides later tokens, so its mask differs from query to query. It is the same for all heads, as in "
        "an encoder.",
        "multi_head",
    ),
    Item(
        "test-multi-head",
        "Test of the multi-headed attention",
        "printed result",
        (Quotation('print("Out", out.shape, "Attention", attn.shape)', MULTI_HEAD, "code"),),
        _test,
        "The output has the shape of the input. Each of the 8 heads has its own 12 × 12 weights for each sentence.",
        "multi_head",
    ),
)  # fmt: skip
