"""The rows of the section Position-wise Feed-Forward Network."""

import numpy as np

from encoder_core.explain.sublayers import activate
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.article.models import (
    ENCODER_MODULE,
    FEED_FORWARD_MODULE,
    WALKTHROUGH,
    Rows,
    T,
    block,
    normalize,
    parameter,
    words,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import curve_panel


def feed_forward(seed: int, rows: Rows) -> Rows:
    """gelu(x W1 + b1) W2 + b2 with the parameters of the block."""
    hidden = activate(rows @ parameter(seed, "mlp.up.kernel") + parameter(seed, "mlp.up.bias"), "gelu_tanh")
    return hidden @ parameter(seed, "mlp.down.kernel") + parameter(seed, "mlp.down.bias")


def _position_wise(seed: int) -> Finding:
    layer = block(seed)
    x, out = layer.mlp_in[0].astype(float), layer.mlp_out[0]
    alone = np.concatenate([feed_forward(seed, row[None]) for row in x])
    error = np.abs(alone - out).max()
    total, parts = feed_forward(seed, x[:1] + x[1:2]), feed_forward(seed, x[:1]) + feed_forward(seed, x[1:2])
    bend = np.abs(total + feed_forward(seed, 0 * x[:1]) - parts).max()  # 0 for every affine map

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="normalized output of attention", values=x, rows=words(seed)),
                "→",
                Matrix(title="feed-forward, each row by itself", values=alone, rows=words(seed)),
                "|",
                Matrix(title="f(a + b) + f(0)", values=total + feed_forward(seed, 0 * x[:1]), rows=["1, 2"]),
                "≠",
                Matrix(title="f(a) + f(b)", values=parts, rows=["1, 2"]),
            ],
            theme=theme,
        )

    return Finding(
        judge(bool(error < 1e-4 and bend > 0.1)),
        f"f(a + b) differs by {bend:.2f}",
        f"Applied to each word by itself, the network gives the same result to **{format_number(error, 1)}**. For the "
        f"first two words, f(a + b) + f(0) and f(a) + f(b) differ by up to **{bend:.2f}**: it is not linear.",
        draw,
    )


def _gelu(seed: int) -> Finding:
    layer = block(seed)
    errors = {"gelu": np.abs(activate(layer.mlp_pre[0].astype(float), "gelu_tanh") - layer.mlp_act[0]).max(),
              "relu": np.abs(np.maximum(layer.mlp_pre[0], 0) - layer.mlp_act[0]).max()}  # fmt: skip
    shapes = [parameter(seed, f"mlp.{name}").shape for name in ("up.kernel", "up.bias", "down.kernel", "down.bias")]

    def draw(theme: ThemeName) -> Line:
        x = np.linspace(-3, 3, 61)
        functions = {"gelu (article, module)": activate(x, "gelu_tanh"), "relu (notebook)": np.maximum(x, 0)}
        return [
            curve_panel(
                functions,
                list(x),
                title="the activation between the two dense layers",
                x_axis="x",
                y_axis="",
                theme=theme,
            )
        ]

    fits = errors["gelu"] < 1e-4 and shapes == [(64, 256), (256,), (256, 64), (64,)]
    return Finding(
        judge(False, under_condition=bool(fits and errors["relu"] > 0.1)),
        "gelu, in the notebook relu",
        f"The module's network is the one here, with gelu (to **{format_number(errors['gelu'], 1)}**); relu differs by "
        f"up to **{errors['relu']:.2f}**. The shapes are **{shapes[0]}**, {shapes[1]}, **{shapes[2]}** and {shapes[3]} "
        "in both.",
        draw,
        "it is the article's module: the walkthrough notebook has a relu",
    )


def _second_residual(seed: int) -> Finding:
    layer = block(seed)
    total = layer.mlp_in + layer.mlp_out
    error = np.abs(normalize(total) - layer.resid_post).max()
    attention_only = np.abs(normalize(layer.attn_out + layer.mlp_out) - layer.resid_post).max()

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="normalized attention", values=layer.mlp_in[0], rows=words(seed)),
                "+",
                Matrix(title="feed-forward", values=layer.mlp_out[0], rows=words(seed)),
                "→",
                Matrix(title="layer norm of the sum", values=layer.resid_post[0], rows=words(seed)),
            ],
            theme=theme,
        )

    return Finding(
        judge(bool(error < 1e-4 < attention_only)),
        f"largest difference {format_number(error, 1)}",
        "The norm of the feed-forward output plus its own input is the encoder's output, to "
        f"**{format_number(error, 1)}**. With the output of attention as the summand it would differ by up to "
        f"{attention_only:.2f}.",
        draw,
    )


def _notebook_residual(seed: int) -> Finding:
    layer = block(seed)
    intended, written = layer.mlp_out[0] + layer.mlp_in[0], layer.mlp_out[0] + layer.attn_out[0]
    difference = np.abs(intended - written).max()

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="feed-forward + its input", values=intended, rows=words(seed)),
                "≠",
                Matrix(title="notebook: feed-forward + linear_attention", values=written, rows=words(seed)),
                "Δ",
                Matrix(title="difference", values=written - intended, rows=words(seed)),
            ],
            theme=theme,
        )

    return Finding(
        judge(bool(difference < 1e-4)),
        f"difference up to {difference:.2f}",
        "The notebook adds the output of attention before its residual and norm. In this model, the sum differs by up "
        f"to **{difference:.2f}** from feed-forward plus its own input.",
        draw,
    )


FEED_FORWARD_ITEMS = (
    Item(
        "position-wise",
        "A position-wise network",
        "claim",
        (Quotation("This fully connected network takes the normalized outputs of the attention block as inputs and is "
                   "used to introduce non-linearity and increase the model’s capacity to learn complex "
                   "functions.", T),),
        _position_wise,
        "Words do not exchange anything here; attention does that. It is not the only non-linear part: softmax and the "
        "norms are, too.",
        "feed_forward",
    ),
    Item(
        "gelu",
        "Two dense layers and a gelu",
        "claim",
        (Quotation("It is composed of two dense layers separated by a gelu activation:", T),
         Quotation("FFN(x) = gelu(xW1 + b1)W2 + b2", FEED_FORWARD_MODULE, "code"),
         Quotation("FFN(x) = max(0, xW1 + b1)W2 + b2", WALKTHROUGH, "code"),
         Quotation("{'linear': {'b': (256,), 'w': (64, 256)}, 'linear_1': {'b': (64,), 'w': (256, 64)}}", WALKTHROUGH,
                   "code")),
        _gelu,
        "`jax.nn.gelu` computes the tanh approximation unless told otherwise. The printed shapes are those of both.",
        "feed_forward",
    ),
    Item(
        "second-residual",
        "The second residual and norm",
        "claim",
        (Quotation("After this block, we have another residual connection and layer normalization to complete the "
                   "encoder.", T),
         Quotation("return self.post_feedforward_layer_norm(\n    feedforward_outputs + "
                   "normalized_residual_attention\n)",
                   ENCODER_MODULE, "code"),
         Quotation("- Apply a residual connection (attention matrix + feed-forward net output)", ENCODER_MODULE,
                   "code")),
        _second_residual,
        "The docstring's “attention matrix” is the normalized sum of attention and embeddings.",
        "add_and_norm",
    ),
    Item(
        "notebook-residual",
        "The residual in the notebook",
        "figure",
        (Quotation("post_ffn_res = ffn + linear_attention", WALKTHROUGH, "code"),
         Quotation("Output of the Feed Forward Network + Residual Connection (Linear Attention)", WALKTHROUGH)),
        _notebook_residual,
        "A residual connection skips a layer: its summand is that layer's input, here `normalized`. The article's "
        "module has it right.",
        "add_and_norm",
    ),
)  # fmt: skip
