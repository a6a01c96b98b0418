"""The rows on the heads' results side by side and the linear layer after them."""

import jax
import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.article.heads import D_K, HEADS, per_head
from encoder_core.tutorials.article.models import (
    ATTENTION_MODULE,
    WALKTHROUGH,
    T,
    article_run,
    block,
    parameter,
    words,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge


def _concatenation(seed: int) -> Finding:
    z = block(seed).z.swapaxes(0, 1)  # the article's order: head, batch, seq, d_k
    batch, seq = z.shape[1:3]
    concat = z.transpose(1, 2, 0, 3).reshape(batch, seq, -1)
    mixed = z.reshape(batch, seq, -1)  # without the transpose
    is_ours = np.array_equal(concat, block(seed).concat)
    origin = np.broadcast_to(np.arange(batch)[None, :, None, None], z.shape).reshape(batch, seq, -1)
    sequences = len(np.unique(origin[0]))

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="Concatenated Attention Matrix for one batch", values=concat[0], rows=words(seed)),
                "≠",
                Matrix(title="reshape without transpose", values=mixed[0], row_axis="row"),
            ],
            theme=theme,
        )

    return Finding(
        judge(concat.shape == (32, 10, 64) and is_ours and not np.array_equal(concat, mixed)),
        str(concat.shape),
        f"Transposed and reshaped, the four results of width 16 have shape **{concat.shape}**. Without the transpose, "
        f"the shape would be the same, but the first of 32 matrices would hold numbers of **{sequences}** sequences.",
        draw,
    )


def _linear_layer(seed: int) -> Finding:
    layer, kernel = block(seed), parameter(seed, "attention.out.kernel")
    bias = parameter(seed, "attention.out.bias")
    parts = np.stack([layer.z[0, h] @ kernel[D_K * h : D_K * (h + 1)] for h in range(HEADS)])
    error = np.abs(parts.sum(axis=0) + bias - layer.attn_out[0]).max()
    shapes = {"w": kernel.shape, "b": bias.shape}

    def draw(theme: ThemeName) -> Line:
        matrices: list[Matrix | str] = []
        for head, part in enumerate(parts):
            matrices += ["+", Matrix(title=f"Z · W_O of head {head + 1}", values=part, rows=words(seed))]
        total = Matrix(title="attention output", values=layer.attn_out[0], rows=words(seed))
        return line_of([*matrices[1:], "=", total], theme=theme)

    return Finding(
        judge(error < 1e-4 and shapes == {"w": (64, 64), "b": (64,)} and layer.attn_out.shape == (32, 10, 64)),
        f"w {shapes['w']}, b {shapes['b']}",
        f"The layer has w **{shapes['w']}** and b **{shapes['b']}**; its output has shape **{layer.attn_out.shape}**. "
        f"It is the sum of each head's result times its 16 rows of w, plus b, to **{format_number(error, 1)}**.",
        draw,
    )


def _alpha(seed: int) -> Finding:
    layer, kernel = block(seed), parameter(seed, "attention.out.kernel")
    product, cellwise = layer.concat[0] @ kernel, layer.concat[0] * kernel[:10]

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="Output", values=layer.concat[0], rows=words(seed)),
                "·",
                Matrix(title="α = W_O", values=kernel, row_axis="dimension"),
                "=",
                Matrix(title="matrix product", values=product, rows=words(seed)),
                "≠",
                Matrix(title="cell by cell (first 10 rows of α)", values=cellwise, rows=words(seed)),
            ],
            theme=theme,
        )

    fits = layer.concat[0].shape == kernel.shape
    return Finding(
        judge(False, under_condition=not fits and product.shape == layer.attn_out[0].shape),
        "α is 64 × 64",
        f"Output is **{layer.concat[0].shape}** and α **{kernel.shape}**: a product cell by cell does not fit. The "
        f"matrix product has the shape of the drawn result, **{product.shape}**.",
        draw,
        "∗ is the matrix product",
    )


def _tree_map(seed: int) -> Finding:
    x = article_run(seed).trace.embedded[0]
    kernels = [per_head(parameter(seed, f"attention.{name}.kernel"))[0] for name in ("query", "key", "value")]
    mapped = jax.tree.map(lambda kernel: x @ kernel, kernels)  # of NumPy arrays
    layer = block(seed)
    error = max(np.abs(a - b[0, 0]).max() for a, b in zip(mapped, (layer.q, layer.k, layer.v), strict=True))
    exists = hasattr(jax, "tree_map")

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [Matrix(title=f"X · W_{letter}", values=values, rows=words(seed), title_colour=name)
             for letter, name, values in zip("QKV", ("query", "key", "value"), mapped, strict=True)],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(exists and error < 1e-4, under_condition=error < 1e-4),
        f"jax.tree_map {'exists' if exists else 'was removed'}",
        f"JAX {jax.__version__} {'still has' if exists else 'no longer has'} `jax.tree_map`. `jax.tree.map` multiplies "
        "the list of three matrices, and differs from the encoder's Q, K and V by at most "
        f"**{format_number(error, 1)}**.",
        draw,
        "it is written jax.tree.map",
    )


OUTPUT_ITEMS = (
    Item(
        "concatenation",
        "The heads side by side",
        "printed result",
        (Quotation("Concatenated Attention Matrix for one batch", WALKTHROUGH),
         Quotation("# transpose the matrix to (BATCH_SIZE, SEQ_LEN, N_HEADS, D_K)\n# so that N_HEADS and D_K are "
                   "trailing, call reshape to concatenate the N_HEADS D_K vectors\n(32, 10, 64)", WALKTHROUGH, "code"),
         Quotation("This way, concatenating the outputs of each head conveniently gives an array with shape "
                   "(batch_size, seq_len, embed_dim), as the input.", T)),
        _concatenation,
        "4 · 16 = 64. The transpose brings the four results of one word together; the reshape then only joins them.",
        "multi_head",
    ),
    Item(
        "linear-layer",
        "The linear layer after the heads",
        "claim",
        (Quotation("The Transformer paper also adds a linear layer at the end of the multi-head attention module, to "
                   "aggregate and combine the learned representations from all the attention heads.", T),
         Quotation("{'linear': {'b': (64,), 'w': (64, 64)}}\n(32, 10, 64)", WALKTHROUGH, "code")),
        _linear_layer,
        "Concatenation and one matrix are the same as one matrix for each head and a sum: all heads write into all 64 "
        "dimensions.",
        "multi_head",
    ),
    Item(
        "attention-part-2",
        "Concatenate, then a linear layer",
        "figure",
        (Quotation("4: Concatenate the Attention Heads' outputs\nand pass the result through a linear layer", T),
         Quotation("Linear Layer\nOutput ∗ α + β", T)),
        _alpha,
        "The figure draws three heads, the code has four. α is the weight w of the linear layer and β its bias.",
        "multi_head",
    ),
    Item(
        "tree-map",
        "tree_map over the weights",
        "claim",
        (Quotation("tree_map (to map matrix dot-products over weight vectors).", T),
         Quotation("return jax.tree_map(\n    lambda x: jnp.matmul(positional_embeddings, x), [WQ, WK, WV]\n)",
                   ATTENTION_MODULE, "code")),
        _tree_map,
        "A list is a tree with one level, so the function is applied to each of its three matrices.",
        "qkv",
    ),
)  # fmt: skip
