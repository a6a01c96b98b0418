"""The rows of the section Multi-Head Attention: one fused projection, four heads, two sentences of ten tokens."""

import ast

import numpy as np
from jaxtyping import Float

from encoder_core.encoder import Encoder
from encoder_core.explain.recompute import difference
from encoder_core.figures import Line, MosaicStyle, ThemeName, TileGrid, mosaic, position_labels
from encoder_core.scenes.attention import multi_head as scenes
from encoder_core.scenes.focus import Focus
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.support.wording import numbered
from encoder_core.trace import Run
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.models import MULTI_HEAD, NNX, demo_run
from encoder_core.tutorials.nnx.vectors import attend

Fused = Float[np.ndarray, "batch seq fused"]


def fused_projection(run: Run) -> Fused:
    """x W + b of the tutorial's one projection of width 3 embed_dim, in float64.

    Its columns: for each head the queries, then the keys, then the values of that head.
    """
    thirds = []
    for part in ("query", "key", "value"):
        name = f"layers.0.attention.{part}"
        flat = run.trace.layers[0].attn_in.astype(float) @ run.parameters[f"{name}.kernel"]
        flat = flat + run.parameters[f"{name}.bias"]
        thirds.append(flat.reshape(*flat.shape[:2], run.config.num_heads, -1))
    fused = np.concatenate(thirds, axis=-1)
    return fused.reshape(*fused.shape[:2], -1)


def split_heads(fused: Fused, heads: int) -> Float[np.ndarray, "batch head seq width"]:
    """The tutorial's first step: reshape to (batch, seq, head, -1) and transpose. The width is 3 d_k."""
    return fused.reshape(*fused.shape[:2], heads, -1).swapaxes(1, 2)


def _split(seed: int) -> Finding:
    run = demo_run("multi-head", seed)
    layer, heads = run.trace.layers[0], run.config.num_heads
    fused = fused_projection(run)
    by_head = np.array_split(split_heads(fused, heads), 3, axis=-1)
    thirds_first = [split_heads(third, heads) for third in np.array_split(fused, 3, axis=-1)]
    gaps = [
        max(difference(tensor, part) for tensor, part in zip((layer.q, layer.k, layer.v), parts, strict=True))
        for parts in (by_head, thirds_first)
    ]

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="x W, 48 columns: 12 for each head", values=fused[0]), "head 1 →",
                Matrix(title="q", values=by_head[0][0, 0], title_colour="query", show_values=False),
                Matrix(title="k", values=by_head[1][0, 0], title_colour="key", show_values=False),
                Matrix(title="v", values=by_head[2][0, 0], title_colour="value", show_values=False),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(gaps[1] < 1e-5, under_condition=gaps[0] < 1e-5),
        f"difference {format_number(gaps[0], 1)}; {format_number(gaps[1], 2)} otherwise",
        "Split into heads first and each head into thirds, q, k and v differ from those of the model by "
        f"**{format_number(gaps[0], 1)}** of the largest number. Split into Q, K, V first and then into heads, they "
        f"differ by **{format_number(gaps[1], 2)}**.",
        draw,
        "the columns of the fused projection are read head by head",
    )


def _independent(seed: int) -> Finding:
    demo = NNX.demos["multi-head"]
    run = demo_run("multi-head", seed)
    parameters, d_head = dict(run.parameters), run.config.d_head
    kernel = parameters["layers.0.attention.query.kernel"].copy()
    kernel[:, :d_head] *= -1
    parameters["layers.0.attention.query.kernel"] = kernel
    batch, mask, _ = demo.inputs(seed)
    changed = Encoder.from_parameters(demo.config, parameters).trace(batch, mask).layers[0].pattern
    before = run.trace.layers[0].pattern
    moved = np.abs(changed - before).max(axis=(0, 2, 3))
    heads = np.flatnonzero(moved)

    def draw(theme: ThemeName) -> Line:
        names, labels = position_labels(before.shape[-1]), numbered("head", len(moved))
        style = MosaicStyle(limit=1.0, height=260, theme=theme)
        grid = TileGrid(["before", "after"], labels, "row", "head")
        return [mosaic(np.stack([before[0], changed[0]]), grid, names, names,
                       title="W_Q of head 1 reversed: weights of sentence 1", style=style)]  # fmt: skip

    return Finding(
        judge(list(heads) == [0]),
        f"{len(heads)} of {len(moved)} heads changes",
        "W_Q of head 1 is replaced by its negative. The weights of head 1 change by up to "
        f"**{format_number(moved[0], 2)}**, those of the other {len(moved) - 1} heads by **{moved[1:].max():g}**.",
        draw,
    )


def _concatenate(seed: int) -> Finding:
    run = demo_run("multi-head", seed)
    layer, bias = run.trace.layers[0], run.parameters["layers.0.attention.out.bias"]
    parts = layer.head_contributions
    gap = difference(layer.attn_out, parts.astype(float).sum(1) + bias)

    def draw(theme: ThemeName) -> Line:
        at = Focus(labels=tuple(position_labels(parts.shape[2])))
        return scenes.contributions(parts[0], layer.attn_out[0], at, biased=True, theme=theme)

    return Finding(
        judge(gap < 1e-5 and layer.attn_out.shape == layer.attn_in.shape),
        f"{layer.concat.shape} → {layer.attn_out.shape}",
        f"The heads side by side have the shape {layer.concat.shape}, the projection gives **{layer.attn_out.shape}**, "
        "the shape of the input. The same numbers are the sum of the heads' contributions z W_O and the bias (largest "
        f"difference {format_number(gap, 1)}).",
        draw,
    )


_DOCUMENTED, _DEFINED = "__call__(x, num_heads, mask=None)", "def __call__(self, x, mask=None): ..."


def _signature(seed: int) -> Finding:
    documented = [argument.id for argument in ast.parse(_DOCUMENTED, mode="eval").body.args]  # type: ignore[attr-defined]
    defined = [argument.arg for argument in ast.parse(_DEFINED).body[0].args.args[1:]]  # type: ignore[attr-defined]
    extra = [name for name in documented if name not in defined]
    fused = fused_projection(demo_run("multi-head", seed))
    patterns = {}
    for heads in (1, 2, 4, 8):
        q, k, v = np.array_split(split_heads(fused[:1], heads)[:, 0], 3, axis=-1)
        patterns[heads] = attend(q[0], k[0], v[0])[0]

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"head 1 of {heads}", values=pattern, kind="weights", row_axis="query", column_axis="key")
                for heads, pattern in patterns.items()
            ],
            theme=theme,
        )

    return Finding(
        judge(not extra),
        f"{', '.join(extra) or 'none'} is no argument",
        f"The documented call has the arguments {', '.join(f'`{name}`' for name in documented)}; the method has "
        f"{', '.join(f'`{name}`' for name in defined)}. The same fused projection of width {fused.shape[-1]} can be "
        "split into 1, 2, 4 or 8 heads, with different weights (here without a mask).",
        draw,
    )


def _comment(seed: int, is_split: bool) -> Finding:
    run = demo_run("multi-head", seed)
    fused, config = fused_projection(run), run.config
    batch, seq, _ = fused.shape
    tensor = split_heads(fused, config.num_heads) if is_split else fused
    documented = (batch, config.num_heads, seq, config.d_head) if is_split else (batch, seq, 3 * config.d_model)

    def draw(theme: ThemeName) -> Line:
        if not is_split:
            return line_of([Matrix(title=f"qkv of sentence 1: {fused.shape[1:]}", values=fused[0])], theme=theme)
        return line_of([Matrix(title=f"head 1 of sentence 1: {tensor.shape[2:]}", values=tensor[0, 0],
                               marks=[(None, 0), (None, config.d_head), (None, 2 * config.d_head)])],
                       theme=theme)  # fmt: skip

    return Finding(
        judge(tensor.shape == documented),
        f"{tensor.shape}",
        f"The shape is **{tensor.shape}**; the comment says {documented} in the numbers of the example."
        + (" The last axis still has queries, keys and values, 3 d_k; their first columns are outlined." * is_split),
        draw,
    )


HEAD_ITEMS = (
    Item(
        "split-heads", "Split Q, K, V into multiple heads", "claim",
        (Quotation("Split Q, K, V into multiple heads.", MULTI_HEAD),
         Quotation("qkv = qkv.reshape(batch_size, seq_len, self.num_heads, -1)  # Split heads\n"
                   "qkv = qkv.transpose(0, 2, 1, 3)  # Shape: (batch_size, num_heads, seq_len, d_k)\n"
                   "q, k, v = jnp.array_split(qkv, 3, axis=-1)  # Split into query, key, value", MULTI_HEAD, "code")),
        _split,
        "Which columns are queries is a convention, and training fits the numbers to it. It matters when parameters "
        "are copied to a library that splits into Q, K, V first.", "multi_head",
    ),
    Item(
        "independent-heads", "Each head on its own", "claim",
        (Quotation("Perform attention for each head independently.", MULTI_HEAD),), _independent,
        "No head reads the queries, keys or values of another one. They come together in the output projection.",
        "multi_head",
    ),
    Item(
        "concatenate-and-project", "Concatenate and project back", "claim",
        (Quotation("Concatenate the results and project back to the original model dimension.", MULTI_HEAD),),
        _concatenate,
        "To concatenate the heads and multiply by W_O is the same as to multiply each head by its rows of W_O and add "
        "the products.", "multi_head",
    ),
    Item(
        "call-arguments", "The arguments of the module", "claim",
        (Quotation(_DOCUMENTED, MULTI_HEAD, "code"),), _signature,
        "The number of heads is an argument of the constructor. It is not in the shape of any parameter: `num_heads` "
        "only decides how the columns are cut.", "multi_head",
    ),
    Item(
        "shape-of-qkv", "Shape of the fused projection", "claim",
        (Quotation("qkv = self.qkv_projection(x)  # Shape: (batch_size, seq_len, 3 * embed_dim)", MULTI_HEAD, "code"),),
        lambda seed: _comment(seed, is_split=False),
        "One projection of three times the width replaces three projections. The number of parameters is the same.",
        "qkv",
    ),
    Item(
        "shape-of-split-heads", "Shape after the split into heads", "claim",
        (Quotation("qkv = qkv.transpose(0, 2, 1, 3)  # Shape: (batch_size, num_heads, seq_len, d_k)", MULTI_HEAD,
                   "code"),),
        lambda seed: _comment(seed, is_split=True),
        "The comment is right one line later: after `array_split`, each of q, k and v has d_k columns.", "multi_head",
    ),
)  # fmt: skip
