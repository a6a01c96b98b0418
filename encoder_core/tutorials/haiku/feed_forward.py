"""The rows of the section Feed Forward Sublayer, and the opening of the page on the encoder."""

import numpy as np

from encoder_core.figures import Line, PanelStyle, ThemeName, residual_flow
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.haiku.intro import sublayer_errors
from encoder_core.tutorials.haiku.models import BLOCK, CONFIG, ENCODER, FEED_FORWARD, D, block, block_run
from encoder_core.tutorials.haiku.transforms import NEXT_KEY_ITEM
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel


def _feed_forward(seed: int, x: np.ndarray, *, activation: bool = True) -> np.ndarray:
    """The sub-layer in float64; without its activation it is one affine map."""
    parameters = block(seed).parameters()
    up, down = ((parameters[f"layers.0.mlp.{n}.kernel"], parameters[f"layers.0.mlp.{n}.bias"]) for n in ("up", "down"))
    hidden = x.astype(float) @ up[0] + up[1]
    return np.asarray((np.maximum(hidden, 0) if activation else hidden) @ down[0] + down[1])


def _two_sublayers(seed: int) -> Finding:
    errors = sublayer_errors(block_run(seed))

    def draw(theme: ThemeName) -> Line:
        return [residual_flow("post", title="one encoder block", style=PanelStyle(theme=theme))]

    return Finding(
        judge(max(errors) < 1e-4),
        f"difference {format_number(max(errors), 1)}",
        "The outputs of both sub-layers equal norm(x + sublayer(x)): the largest differences are "
        f"**{format_number(errors[0], 2)}** (attention) and **{format_number(errors[1], 2)}** (feed-forward).",
        draw,
    )


def _linear(seed: int) -> Finding:
    a, b = np.random.default_rng(seed).standard_normal((2, 6, D))
    errors = {}
    for name, activation in (("with ReLU", True), ("without ReLU", False)):
        of_sum, f_a, f_b, f_0 = (_feed_forward(seed, x, activation=activation) for x in (a + b, a, b, 0 * a))
        errors[name] = float(np.abs(of_sum - (f_a + f_b - f_0)).max())

    def draw(theme: ThemeName) -> Line:
        left = _feed_forward(seed, a + b)
        right = sum(_feed_forward(seed, x) for x in (a, b)) - _feed_forward(seed, 0 * a)
        parts: Parts = [Matrix(title="f(a + b)", values=left), "≠",
                        Matrix(title="f(a) + f(b) − f(0)", values=right)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(errors["with ReLU"] < 1e-6),
        f"differ by {errors['with ReLU']:.2f}",
        "For a linear layer with bias, f(a + b) equals f(a) + f(b) − f(0). Here they differ by up to "
        f"**{errors['with ReLU']:.2f}**; without the ReLU by **{format_number(errors['without ReLU'], 1)}**.",
        draw,
    )


def _position_wise(seed: int) -> Finding:
    x = np.random.default_rng(seed).standard_normal((12, D))
    changed = x.copy()
    changed[4] += 1
    change = np.abs(_feed_forward(seed, changed) - _feed_forward(seed, x)).max(-1)
    others = float(np.delete(change, 4).max())

    def draw(theme: ThemeName) -> Line:
        named = {str(position + 1): float(value) for position, value in enumerate(change)}
        return [bar_panel(named, title="largest change of each position's output", marks=[4], theme=theme)]

    return Finding(
        judge(others == 0 and bool(change[4] > 0)),
        f"others change by {others:g}",
        f"Only position 5 of the input changed. Its output changes by up to **{change[4]:.2f}**, the outputs of the "
        f"other positions by **{others:g}**.",
        draw,
    )


def _sizes(seed: int) -> Finding:
    layer = block_run(seed).trace.layers[0]
    sizes = {"input": layer.mlp_in.shape[-1], "hidden": layer.mlp_act.shape[-1], "output": layer.mlp_out.shape[-1]}

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title=f"input: d_model = {sizes['input']}", values=layer.mlp_in[0]), "→",
                        Matrix(title=f"hidden: d_ff = {sizes['hidden']}", values=layer.mlp_act[0],
                               column_axis="neuron"), "→",
                        Matrix(title=f"output: d_model = {sizes['output']}", values=layer.mlp_out[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(sizes["input"] == sizes["output"] == D and sizes["hidden"] == CONFIG.d_ff),
        f"{sizes['input']} → {sizes['hidden']} → {sizes['output']}",
        f"Each token goes from **{sizes['input']}** numbers to **{sizes['hidden']}** and back to "
        f"**{sizes['output']}**. The bullet and the docstring (“The size of the embedding vector.”) name one size.",
        draw,
    )


def _in_training_only(seed: int) -> Finding:
    evaluation, training = block_run(seed), block_run(seed, seed)
    before, after = evaluation.trace.layers[0].mlp_act, training.trace.layers[0].mlp_act
    kept = training.trace.kept
    assert kept is not None
    mask = kept.layers[0].mlp_act
    assert mask is not None
    share = 1 - float(mask.mean())
    scale = kept.scale
    unchanged = np.array_equal(block_run.__wrapped__(seed).trace.output, evaluation.trace.output)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="evaluation: hidden layer", values=before[0][:, :32], column_axis="neuron"), "→",
                        Matrix(title="training: dropped numbers hatched", values=after[0][:, :32],
                               column_axis="neuron", mask=mask[0][:, :32])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(unchanged and abs(share - 0.1) < 0.03 and evaluation.trace.kept is None),
        f"{share:.1%} dropped",
        f"In training mode **{share:.1%}** of the hidden numbers are dropped (p_dropout is {CONFIG.dropout:.0%}), and "
        f"the others are multiplied by **{scale:.3f}** = 1/0.9. Two runs in evaluation mode are equal.",
        draw,
    )


FEED_FORWARD_ITEMS = (
    Item(
        "two-sub-layers",
        "Two sub-layers",
        "claim",
        (Quotation("Each of these blocks comprises two sub-layers: a multi-head self-attention layer, and a "
                   "feed-forward network. There is also a residual connection around each sub-layer, followed by layer "
                   "normalization.", ENCODER),
         Quotation("It applies the two sub-layers: the multi-head self-attention layer and the position-wise "
                   "feed-forward sub-layer.", BLOCK)),
        _two_sublayers,
        "The norms stand on the residual stream, after each sum.",
        "add_and_norm",
    ),
    Item(
        "linear-transformation",
        "A linear transformation",
        "claim",
        (Quotation("The main idea is to learn a linear transformation of the hidden representation of the previous "
                   "layer. This layer has an inner hidden layer of size d_ff, and an inner activation function (e.g., "
                   "ReLU).", FEED_FORWARD),),
        _linear,
        "The activation makes the sub-layer non-linear. Two linear layers without it are one affine map.",
        "feed_forward",
    ),
    Item(
        "position-wise",
        "Position-wise",
        "claim",
        (Quotation("This class is used to create a position-wise feed-forward network.", FEED_FORWARD, "code"),),
        _position_wise,
        "The same two layers are applied to each token alone. Only attention moves information between tokens.",
        "feed_forward",
    ),
    Item(
        "sizes-of-feed-forward",
        "d_model and d_ff",
        "claim",
        (Quotation("d_model: size of the hidden representation of the input.\nd_ff: inner size of the hidden layer.",
                   FEED_FORWARD),
         Quotation(":param d_model: The size of the embedding vector.", FEED_FORWARD, "code")),
        _sizes,
        "The embedding and the residual stream have the same width, so both descriptions are right. The paper has "
        "d_ff = 4 · d_model; here it is 2 · d_model.",
        "feed_forward",
    ),
    Item(
        "dropout-in-training",
        "Dropout during training",
        "claim",
        (Quotation("p_dropout: dropout probability (dropout will be applied during training).", FEED_FORWARD),),
        _in_training_only,
        "Numbers that are kept grow by 1/0.9, so their mean over many draws is that of evaluation mode.",
        "feed_forward",
    ),
    NEXT_KEY_ITEM,
)  # fmt: skip
