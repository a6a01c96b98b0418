"""The rows of the section Encoder: six layers, two parts, and its figure."""

import numpy as np

from encoder_core.blocks.norm import layer_norm
from encoder_core.edits import ResidualFactor
from encoder_core.figures import Line, PanelStyle, ThemeName, residual_flow
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.annotated.models import (
    IMAGES,
    NOTEBOOK,
    add_and_norm_as_written,
    encoder,
    encodings,
    intended_run,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel

_PAPER_MILLIONS = 65  # parameters of the base model (table 3)


def paper_parameters(layers: int) -> int:
    """Parameters of the paper's base model with this many encoder and decoder layers: weights, biases and norms."""
    d, ff, vocab = 512, 2048, 37_000
    attention, feed_forward, norm = 4 * d * d, 2 * d * ff + ff + d, 2 * d
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    return vocab * d + layers * (encoder_layer + decoder_layer)


def _six_layers(_: int) -> Finding:
    millions = {str(n): paper_parameters(n) / 1e6 for n in range(1, 9)}
    nearest = min(millions, key=lambda n: abs(millions[n] - _PAPER_MILLIONS))

    def draw(theme: ThemeName) -> Line:
        return [bar_panel(millions, title="millions of parameters of the paper's model, by N", marks=[5], theme=theme)]

    return Finding(
        judge(nearest == "6"),
        f"{millions['6']:.0f} million parameters",
        f"With 6 encoder and 6 decoder layers, the paper's base model has **{millions['6']:.1f}** million parameters "
        f"by our count; its table 3 has {_PAPER_MILLIONS}. With 5 or 7 layers it would be **{millions['5']:.1f}** or "
        f"**{millions['7']:.1f}**.",
        draw,
    )


def _two_parts(seed: int) -> Finding:
    run = intended_run(seed)
    trace = run.trace.layers[0]
    scale, shift = run.parameters["layers.0.norm1.scale"], run.parameters["layers.0.norm1.bias"]
    total = trace.resid_pre + trace.attn_out
    error = float(np.abs(layer_norm(total, scale, shift, run.config.norm_eps) - trace.mlp_in).max())
    once = float(np.abs(layer_norm(trace.resid_pre + trace.mlp_out, scale, shift, 1e-6) - trace.resid_post).max())

    def draw(theme: ThemeName) -> Line:
        return [residual_flow("post", title="add and norm after each part", style=PanelStyle(theme=theme))]

    return Finding(
        judge(once < 1e-4, under_condition=error < 1e-4),
        f"difference {format_number(error, 1)}",
        "In the paper's block, the output of attention is LayerNorm(x + attention(x)), here to within "
        f"**{format_number(error, 1)}**. One Add and Norm around both parts would give outputs that differ by up to "
        f"**{once:.2f}**.",
        draw,
        condition="“the layer” means each of the two parts",
    )


def _encoder_figure(seed: int) -> Finding:
    block, x = encoder(seed), np.asarray(encodings())[:, :24]
    output = block.trace(x).output[0]
    cut = block.trace(x, edits=[ResidualFactor(0, "attention"), ResidualFactor(0, "mlp")]).output[0]
    difference = float(np.abs(output - cut).max())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="with skip connections", values=output), "≠",
                        Matrix(title="the chain of the figure", values=cut)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(difference < 1e-4, under_condition=difference > 0.01),
        f"outputs differ by {difference:.2f}",
        "The figure is a chain: it has no arrow around MHA or Feed Forward. Without the two residual connections, the "
        f"outputs of a block differ by up to **{difference:.2f}**.",
        draw,
        condition="an arrow around each part leads to Add and Norm",
    )


def _add_and_norm(seed: int) -> Finding:
    trace = intended_run(seed).trace.layers[0]
    sublayer = trace.attn_out[0].astype(float)
    written, intended = add_and_norm_as_written(sublayer), trace.mlp_in[0]
    deviation = float(written.std(-1).mean())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="attention(x)", values=sublayer[:24], title_colour="attention"), "→",
                        Matrix(title="as written: y + norm(y)", values=written[:24]), "≠",
                        Matrix(title="paper: norm(x + y)", values=intended[:24])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(float(np.abs(written - intended).max()) < 1e-3),
        f"standard deviation {deviation:.2f}, not 1",
        "The layer receives only y = attention(x), so it cannot add x. It adds y to its own norm: the rows have a "
        f"standard deviation of **{deviation:.2f}** instead of **{intended.std(-1).mean():.2f}**.",
        draw,
    )


ENCODER_TEXT_ITEMS = (
    Item(
        "six-layers",
        "Six layers",
        "claim",
        (Quotation("The original transformer consisted of 6 encoder and decoder layers.", NOTEBOOK),),
        _six_layers,
        "Six of each. The notebook's encoder has one layer, and it has no decoder.",
        "full_stack",
    ),
    Item(
        "two-parts",
        "Two parts, and Add and Norm",
        "claim",
        (Quotation("Each encoder layer has 2 parts: the Multi Head Attention layer and the feed forward layer. The "
                   "outputs from the layer are fed through an additional Residual (additive) and LayerNorm layer.",
                   NOTEBOOK),),
        _two_parts,
        "The paper: “the output of each sub-layer is LayerNorm(x + Sublayer(x))” (section 3.1).",
        "add_and_norm",
    ),
    Item(
        "encoder-figure",
        "The figure of the encoder",
        "figure",
        (Quotation("Encoded Input → MHA → Add and Norm → Feed Forward → Add and Norm → Encoder Output",
                   f"{IMAGES}/encoder.png"),),
        _encoder_figure,
        "“Add” needs two inputs: the input of the part and its output.",
        "add_and_norm",
    ),
)  # fmt: skip

ADD_AND_NORM_ITEM = Item(
    "add-and-norm",
    "What Add and Norm adds",
    "claim",
    (Quotation("class AddAndNormLayer(nn.Module):", NOTEBOOK, "code"),
     Quotation("return x + LayerNorm(self.normalised_shape)(x)", NOTEBOOK, "code")),
    _add_and_norm,
    "Here `x` is the output of the sub-layer. The input of the sub-layer is lost, and with it the residual connection.",
    "add_and_norm",
)  # fmt: skip
