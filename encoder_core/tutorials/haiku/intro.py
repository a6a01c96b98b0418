"""The rows of the introduction: the encoder in words and in a figure."""

import numpy as np

from encoder_core.blocks.norm import layer_norm
from encoder_core.figures import Line, PanelStyle, ThemeName, residual_flow
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.trace import LayerTrace, Run
from encoder_core.tutorials.haiku.models import INTRO, block_run, encoder_run
from encoder_core.tutorials.item import Finding, Item, Quotation, judge


def sublayer_errors(run: Run, layer: int = 0) -> tuple[float, float]:
    """The largest difference of each sub-layer's output from norm(x + sublayer(x)), recomputed in NumPy."""
    trace, name = run.trace.layers[layer], f"layers.{layer}.norm"
    sums = ((trace.resid_pre + trace.attn_out, trace.mlp_in), (trace.mlp_in + trace.mlp_out, trace.resid_post))
    errors = []
    for number, (total, result) in enumerate(sums, 1):
        scale, shift = (run.parameters[f"{name}{number}.{part}"] for part in ("scale", "bias"))
        errors.append(float(np.abs(layer_norm(total, scale, shift, run.config.norm_eps) - result).max()))
    return errors[0], errors[1]


def _encoder_flow(seed: int) -> Finding:
    run = block_run(seed)
    errors, trace = sublayer_errors(run), run.trace.layers[0]

    def draw(theme: ThemeName) -> Line:
        return _sum_and_norm(trace, theme)

    return Finding(
        judge(max(errors) < 1e-4),
        f"difference {format_number(max(errors), 1)}",
        "Both outputs of a block were computed again in NumPy as norm(x + sublayer(x)). The largest differences are "
        f"**{format_number(errors[0], 2)}** (attention) and **{format_number(errors[1], 2)}** (feed-forward): "
        "rounding.",
        draw,
    )


def _sum_and_norm(trace: LayerTrace, theme: ThemeName) -> Line:
    return line_of(
        [
            Matrix(title="x", values=trace.resid_pre[0]),
            "+",
            Matrix(title="attention(x)", values=trace.attn_out[0], title_colour="attention"),
            "=",
            Matrix(title="sum", values=trace.resid_mid[0]),
            "→",
            Matrix(title="norm of each row", values=trace.mlp_in[0]),
        ],
        theme=theme,
    )


def _figure(seed: int) -> Finding:
    run = encoder_run(seed)
    largest = max(max(sublayer_errors(run, layer)) for layer in range(run.config.num_layers))

    def draw(theme: ThemeName) -> Line:
        return [residual_flow("post", title="left half of the figure: one of N blocks", style=PanelStyle(theme=theme))]

    return Finding(
        judge(largest < 1e-4),
        f"difference {format_number(largest, 1)}",
        f"In all **{run.config.num_layers}** blocks, both outputs of “Add & Norm” equal norm(x + sublayer(x)), to "
        f"within **{format_number(largest, 2)}**. The right half of the figure, the decoder, is not computed here.",
        draw,
    )


def _replicas(seed: int) -> Finding:
    run = encoder_run(seed)
    names = [name.removeprefix("layers.0.") for name in run.parameters if name.startswith("layers.0.")]
    first, second = ({n: run.parameters[f"layers.{i}.{n}"] for n in names} for i in (0, 1))
    same_shapes = all(first[n].shape == second[n].shape for n in names)
    query = "attention.query.kernel"
    kernels = first[query], second[query]
    correlation = float(np.corrcoef(kernels[0].ravel(), kernels[1].ravel())[0, 1])

    def draw(theme: ThemeName) -> Line:
        blocks = [
            Matrix(title=f"W_Q of block {i}", values=kernel, row_axis="row", column_axis="column")
            for i, kernel in enumerate(kernels, 1)
        ]
        return line_of([blocks[0], "≠", blocks[1]], theme=theme)

    return Finding(
        judge(np.array_equal(*kernels), under_condition=same_shapes),
        f"correlation {format_fixed(correlation)}",
        f"The parameters of blocks 1 and 2 have the same shapes and different numbers: the correlation of the two W_Q "
        f"is **{format_fixed(correlation)}**.",
        draw,
        condition="“identical” means the same structure, not the same parameters",
    )


def _mixing(seed: int) -> Finding:
    run = block_run(seed)
    trace = run.trace.layers[0]
    attended = int((trace.pattern[0] > 0).sum(-1).min())
    negative = float((trace.mlp_pre < 0).mean())

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="before the activation", values=trace.mlp_pre[0], column_axis="neuron"),
                "→",
                Matrix(title="after it: max(x, 0)", values=trace.mlp_act[0], column_axis="neuron"),
            ],
            theme=theme,
        )

    return Finding(
        judge(bool((trace.mlp_act == np.maximum(trace.mlp_pre, 0)).all())),
        f"{negative:.0%} become 0",
        f"The feed-forward block sets **{negative:.1%}** of its 128 numbers per token to 0 and keeps the others. Each "
        f"number depends on itself only; in attention, each query mixes **{attended}** values.",
        draw,
    )


INTRO_ITEMS = (
    Item(
        "encoder-flow",
        "Residual connections and norms",
        "claim",
        (Quotation("Both the operations apply residual connection and layer normalization.", INTRO),),
        _encoder_flow,
        "Each sub-layer computes norm(x + sublayer(x)). This order, with the norm after the sum, is called post-norm.",
        "add_and_norm",
    ),
    Item(
        "point-wise-activation",
        "The activation is point-wise",
        "claim",
        (Quotation("Then, it mixes input words using Attention, then feeds the results to a fully-connected "
                   "feed-forward block with point-wise non-linear activation.", INTRO),),
        _mixing,
        "The activation is ReLU: negative numbers become 0, and no number depends on another one. Tokens are mixed "
        "in attention only.",
        "feed_forward",
    ),
    Item(
        "identical-replicas",
        "Identical replicas",
        "claim",
        (Quotation("This computation is repeated N times by identical, stacked replicas to compute the final word "
                   "representations.", INTRO),),
        _replicas,
        "All blocks have the same structure, and each block has its own parameters.",
        "full_stack",
    ),
    Item(
        "transformer-figure",
        "The figure of the Transformer",
        "figure",
        (Quotation("The Transformer Encoder (Figure below, left) receives as input a sequence of items (in our case, "
                   "words), often referred to as the source sequence.", INTRO),
         Quotation("Q K V → Multi-Headed Attention → Add & Norm → Feed-Forward → Add & Norm, Nx",
                   "https://github.com/g8a9/graphics/blob/main/transformer/transformer.drawio.png")),
        _figure,
        "The left half of the tutorial's figure is a post-norm block. An arrow around each sub-layer leads to "
        "“Add & Norm”; here it is the straight line.",
        "add_and_norm",
    ),
)  # fmt: skip
