"""The rows of Add and Norm, the feed-forward layer and the whole encoder."""

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.annotated.encoder_text import ADD_AND_NORM_ITEM
from encoder_core.tutorials.annotated.models import (
    HIDDEN,
    NOTEBOOK,
    D,
    add_and_norm_as_written,
    attention_as_written,
    dense,
    feed_forward_as_written,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel


def _add_norm_shape(seed: int) -> Finding:
    out = add_and_norm_as_written(attention_as_written(seed).out)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="mha_out[0]", values=attention_as_written(seed).out[0, :24]), "→",
                        Matrix(title="add_norm_out[0]", values=out[0, :24])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(out.shape == (4, 100, 20)), f"{out.shape}", f"The shape is **{out.shape}**, that of the input.", draw
    )


def _chain(seed: int, hidden: int) -> tuple[np.ndarray, np.ndarray]:
    """The output of Add and Norm, and of the feed-forward layer after it."""
    x = add_and_norm_as_written(attention_as_written(seed).out)
    return x, feed_forward_as_written(np.random.default_rng(seed), x, hidden)


def _feed_forward_shape(seed: int) -> Finding:
    x, out = _chain(seed, 10)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title=f"input {x.shape}", values=x[0, :24]), "→",
                        Matrix(title=f"output {out.shape}", values=out[0, :24])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(out.shape == (4, 100, 10)),
        f"{out.shape}",
        f"The shape is **{out.shape}**: each row has **{out.shape[-1]}** numbers, and its input had {x.shape[-1]}.",
        draw,
    )


def _dense_arguments(_: int) -> Finding:
    written, intended = {"first": (D, D), "second": (D, HIDDEN)}, {"first": (D, HIDDEN), "second": (HIDDEN, D)}

    def draw(theme: ThemeName) -> Line:
        widths = {"input": D, "written 1": D, "written 2": HIDDEN, "paper 1": HIDDEN, "paper 2": D}
        return [bar_panel(widths, title="width after each layer, FeedForwardLayer(20, 80)", theme=theme)]

    return Finding(
        judge(written == intended),
        "width 80, not 20",
        f"The second argument of `nn.Dense` is `use_bias`. So the kernels are **{D} × {D}** and **{D} × {HIDDEN}**, "
        f"not {D} × {HIDDEN} and {HIDDEN} × {D}.",
        draw,
    )


def _relu_last(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, 6, D))

    def layers(x: np.ndarray) -> np.ndarray:
        weights = np.random.default_rng(seed)
        return dense(weights, dense(weights, x, D), 10)

    collapse = float(np.abs(layers(a + b) - layers(a) - layers(b)).max())
    smallest = float(np.maximum(layers(a), 0).min())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="after both layers", values=layers(a)), "→",
                        Matrix(title="after ReLU: the output", values=np.maximum(layers(a), 0))]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(collapse > 1e-9 and smallest < 0),
        f"smallest output {smallest:g}",
        "Without an activation between them, the two layers are linear: f(a + b) and f(a) + f(b) differ by "
        f"**{format_number(collapse, 1)}**. The smallest output is **{smallest:g}**, so the layer can only add.",
        draw,
    )


def _encoder_shape(seed: int) -> Finding:
    _, hidden = _chain(seed, HIDDEN)
    out = add_and_norm_as_written(hidden)

    def draw(theme: ThemeName) -> Line:
        return line_of([Matrix(title=f"enc_out {out.shape}: entry 1", values=out[0, :24])], theme=theme)

    return Finding(
        judge(out.shape == (4, 100, 80)),
        f"{out.shape}",
        f"The shape is **{out.shape}**. The input was (1, 100, 20): the first axis counts the heads, and the last has "
        f"ff_hidden = **{HIDDEN}** numbers.",
        draw,
    )


LAYER_ITEMS = (
    ADD_AND_NORM_ITEM,
    Item(
        "add-norm-shape",
        "The shape after Add and Norm",
        "printed result",
        (Quotation("(4, 100, 20)", NOTEBOOK, "code"), Quotation("add_norm_out.shape", NOTEBOOK, "code")),
        _add_norm_shape,
        "A norm and a sum keep the shape.",
        "add_and_norm",
    ),
    Item(
        "dense-arguments",
        "The widths of the feed-forward layer",
        "claim",
        (Quotation("x = nn.Dense(self.d_model, self.hidden)(x)\nx = nn.Dense(self.hidden, self.d_model)(x)", NOTEBOOK,
                   "code"),),
        _dense_arguments,
        "`nn.Dense` has one width, that of its output; it reads the width of the input from x.",
        "feed_forward",
    ),
    Item(
        "relu-after-second",
        "The activation at the end",
        "claim",
        (Quotation("# leaky_relu can be used as well!\nx = nn.relu(x)", NOTEBOOK, "code"),),
        _relu_last,
        "The paper has the activation between the two layers. There, leaky ReLU could replace ReLU as well.",
        "feed_forward",
    ),
    Item(
        "feed-forward-shape",
        "The shape of the feed-forward layer",
        "printed result",
        (Quotation("(4, 100, 10)", NOTEBOOK, "code"),
         Quotation("ff_layer = FeedForwardLayer(20, 10)", NOTEBOOK, "code")),
        _feed_forward_shape,
        "The output should have d_model = 20 numbers, so that it can be added to the input.",
        "feed_forward",
    ),
    Item(
        "encoder-shape",
        "The shape of the encoder",
        "printed result",
        (Quotation("(4, 100, 80)", NOTEBOOK, "code"),
         Quotation("transformer_encoder = TransformerEncoder(d_model=20, ff_hidden=80)", NOTEBOOK, "code")),
        _encoder_shape,
        "The shape is not kept, so a second encoder layer could not be added to its input.",
        "full_stack",
    ),
)  # fmt: skip
