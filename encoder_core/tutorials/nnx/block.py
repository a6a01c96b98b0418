"""The rows of the section Encoder Block: order, residuals, dropout, and the example in training mode."""

import numpy as np

from encoder_core.analysis import relative_change
from encoder_core.explain.recompute import difference
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.models import BLOCK, demo_run


def _order(seed: int) -> Finding:
    run = demo_run("block", seed)
    layer = run.trace.layers[0]
    changes = [relative_change(layer.resid_pre, rows) for rows in (layer.attn_in, layer.mlp_in)]

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="input of attention", values=layer.attn_in[0]), "→",
                Matrix(title="its output", values=layer.attn_out[0]), "add & norm →",
                Matrix(title="input of the feed-forward network", values=layer.mlp_in[0]), "→",
                Matrix(title="its output", values=layer.mlp_out[0]),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(changes[0] == 0 and changes[1] > 0),
        f"attention {changes[0]:.0%}, feed-forward {changes[1]:.0%} from the input",
        f"What attention reads differs from the input of the block by **{changes[0]:.0%}** of its length. The "
        "feed-forward network reads the normalised sum of the input and the attention output, which differs from the "
        f"input by **{changes[1]:.0%}**.",
        draw,
    )


def _residuals(seed: int) -> Finding:
    run = demo_run("block", seed)
    layer, parameters = run.trace.layers[0], run.parameters
    second = layer.mlp_in.astype(float) + layer.mlp_out
    sigma = np.sqrt(second.var(-1, keepdims=True) + run.config.norm_eps)
    normalised = (second - second.mean(-1, keepdims=True)) / sigma
    output = normalised * parameters["layers.0.norm2.scale"] + parameters["layers.0.norm2.bias"]
    gaps = difference(layer.resid_mid, layer.resid_pre + layer.attn_out), difference(layer.resid_post, output)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="x after the first norm", values=layer.mlp_in[0]), "+",
                Matrix(title="feed-forward", values=layer.mlp_out[0]), "norm →",
                Matrix(title="output of the block", values=layer.resid_post[0]),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(max(gaps) < 1e-5),
        f"largest difference {format_number(max(gaps), 1)}",
        f"x + attention(x) differs from the first sum by **{format_number(gaps[0], 1)}**, and the norm of x + "
        f"feed-forward(x) from the output of the block by **{format_number(gaps[1], 1)}** of the largest number.",
        draw,
    )


def _dropout_places(seed: int) -> Finding:
    run = demo_run("block", seed, dropout=seed)
    kept = run.trace.kept
    assert kept is not None, "the run is in training mode"
    places = [(place, kept.mask(place, 0)) for place in run.config.dropout_at]
    masks = {place: mask for place, mask in places if mask is not None}
    shares = {place: float((~mask).mean()) for place, mask in masks.items()}
    count = sum(mask.size for mask in masks.values())
    share = sum(int((~mask).sum()) for mask in masks.values()) / count

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"kept: {place.replace('_', ' ')}", values=mask[0].astype(float), kind="weights",
                       mask=mask[0], show_values=False)
                for place, mask in masks.items()
            ],
            theme=theme,
        )  # fmt: skip

    listed = ", ".join(f"{place.replace('_', ' ')} {share:.1%}" for place, share in shares.items())
    return Finding(
        judge({"attn_out", "mlp_out"} <= set(masks) and abs(share - kept.rate) < 0.05),
        f"{share:.1%} of {count:,} numbers dropped",
        f"In training mode, **{share:.1%}** of {count:,} numbers are dropped at {len(masks)} places ({listed}); the "
        f"rate is {kept.rate:.0%}.",
        draw,
    )


def _asserted_shape(seed: int) -> Finding:
    trace = demo_run("block", seed).trace
    shape = trace.output.shape

    def draw(theme: ThemeName) -> Line:
        return line_of([Matrix(title=f"input {trace.embedded.shape}, sentence 2", values=trace.embedded[1]), "→",
                        Matrix(title=f"output {shape}, sentence 2", values=trace.output[1])], theme=theme)  # fmt: skip

    return Finding(
        judge(shape == (2, 10, 16)),
        f"{shape}",
        f"The output has the shape **{shape}**, that of the input.",
        draw,
    )


def _input_and_output(seed: int) -> Finding:
    evaluation = demo_run("block", seed).trace
    training = [demo_run("block", seed, dropout=seed + draw).trace for draw in (0, 1)]
    change = relative_change(evaluation.output[0], training[0].output[0])
    between = relative_change(training[0].output[0], training[1].output[0])

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="Input Embeddings (Sample 1)", values=evaluation.embedded[0]), "→",
                Matrix(title="output in training mode, as in the tutorial", values=training[0].output[0]), "≠",
                Matrix(title="output in evaluation mode", values=evaluation.output[0]),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(change < 1e-6, under_condition=change > 1e-6),
        f"training and evaluation differ by {change:.0%}",
        f"The output in training mode differs from that in evaluation mode by **{change:.0%}** of its length, and a "
        f"second call in training mode from the first by **{between:.0%}**.",
        draw,
        "one random draw of dropout is meant, or block.eval() is called first",
    )


BLOCK_ITEMS = (
    Item(
        "block-order", "Attention first, then the feed-forward network", "claim",
        (Quotation("The encoder block starts with a multi-head attention mechanism followed by a feedforward network.",
                   BLOCK),), _order,
        "Attention mixes the tokens; the feed-forward network then works on each token by itself.", "full_stack",
    ),
    Item(
        "residual-connections", "Residual connections around both components", "claim",
        (Quotation("Residual connections wrap around both components", BLOCK),), _residuals,
        "In this block, the second residual starts after the first norm, not at the input of the block.",
        "add_and_norm",
    ),
)  # fmt: skip
BLOCK_CODE_ITEMS = (
    Item(
        "dropout-places", "Where dropout is applied", "claim",
        (Quotation("dropout (nnx.Dropout): Dropout layer applied after the multi-head attention and feedforward "
                   "layers.",
                   BLOCK, "code"),
         Quotation("linear (list[nnx.Module]): A list of feedforward layers including two linear transformations and "
                   "dropout.", BLOCK, "code")),
        _dropout_places,
        "Together the two lines of the documentation name all three places: after attention, between the two linear "
        "layers and after the feed-forward network. The attention weights have no dropout.", "feed_forward",
    ),
    Item(
        "block-shape", "Asserted shape of the block's output", "exercise",
        (Quotation('assert output.shape == (batch_size, seq_len, input_dim), "Output shape mismatch."', BLOCK,
                   "code"),),
        _asserted_shape, "Blocks can be stacked because their output has the shape of their input.", "full_stack",
    ),
    Item(
        "block-input-and-output", "Input and output embeddings of the block", "figure",
        (Quotation("EncoderBlock Input vs Output Embeddings", BLOCK),
         Quotation("output = encoder_block(x, mask=mask)", BLOCK, "code")),
        _input_and_output,
        "`nnx.Dropout` drops numbers unless it is told not to: a new module is in training mode. The figure of the "
        "tutorial shows one random draw. `encoder_block.eval()` before the call would show the output without dropout.",
        "full_stack",
    ),
)  # fmt: skip
