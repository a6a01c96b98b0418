"""The rows of the section Residual or skip connections."""

import numpy as np
from jaxtyping import Float

from encoder_core.experiments.claims.residual_gradients import gradient_norms
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.article.models import (
    WALKTHROUGH,
    T,
    article_run,
    bar_panel,
    block,
    normalize,
    words,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import curve_panel

_DEPTH, _WIDTH = 24, 32
_STEPS, _RATE = 50, 0.1


def losses(seed: int, residual: bool) -> Float[np.ndarray, "step"]:
    """The mean squared error of a net of 12 tanh layers of width 16 that learns a linear map by gradient descent."""
    rng = np.random.default_rng(seed)
    depth, width = 12, 16
    kernels = rng.standard_normal((depth, width, width)) * 0.5 / np.sqrt(width)
    x = rng.standard_normal((32, width))
    target = x @ rng.standard_normal((width, width)) / np.sqrt(width)
    recorded = []
    for _ in range(_STEPS):
        inputs, outs, y = [], [], x
        for kernel in kernels:
            inputs.append(y)
            outs.append(np.tanh(y @ kernel))
            y = y + outs[-1] if residual else outs[-1]
        error = y - target
        recorded.append(float((error**2).mean()))
        gradient = error / len(x)
        for layer in reversed(range(depth)):
            through = gradient * (1 - outs[layer] ** 2)
            back = through @ kernels[layer].T
            kernels[layer] -= _RATE * inputs[layer].T @ through
            gradient = gradient + back if residual else back
    return np.array(recorded)


def _vanishing(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    kernels = rng.standard_normal((_DEPTH, _WIDTH, _WIDTH)) * 0.5 / np.sqrt(_WIDTH)
    x = rng.standard_normal(_WIDTH)
    norms = {name: gradient_norms(kernels, x, residual) for name, residual in
             (("with residuals", True), ("without", False))}  # fmt: skip

    def draw(theme: ThemeName) -> Line:
        logs = {name: np.log10(each) for name, each in norms.items()}
        title = "norm of the gradient by layers passed"
        return [curve_panel(logs, range(_DEPTH + 1), title=title, x_axis="layers from the output", y_axis="log10",
                            theme=theme)]  # fmt: skip

    with_, without = norms["with residuals"][-1], norms["without"][-1]
    return Finding(
        judge(bool(without < 1e-4 and with_ > 0.1)),
        f"{with_:.1f} against {format_number(without, 1)}",
        f"After {_DEPTH} layers tanh(x W), a gradient of norm 1 has the norm **{format_number(without, 1)}** without "
        f"residuals and **{with_:.1f}** with them.",
        draw,
    )


def _skip(seed: int) -> Finding:
    trace, layer = article_run(seed).trace, block(seed)
    total = layer.attn_out + trace.embedded
    error = np.abs(normalize(total) - layer.mlp_in).max()

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="output of attention", values=layer.attn_out[0], rows=words(seed)),
                "+",
                Matrix(title="positional embeddings", values=trace.embedded[0], rows=words(seed)),
                "=",
                Matrix(title="Output of the Residual Connection", values=total[0], rows=words(seed)),
            ],
            theme=theme,
        )

    return Finding(
        judge(bool(error < 1e-4 and np.array_equal(layer.resid_pre, trace.embedded))),
        f"largest difference {format_number(error, 1)}",
        f"The norm of this sum is the input of the feed-forward network, to **{format_number(error, 1)}**. The sum has "
        f"shape **{total.shape}**.",
        draw,
    )


def _gradients_flow(seed: int) -> Finding:
    curves = {name: losses(seed, residual) for name, residual in (("with residuals", True), ("without", False))}
    last = {name: curve[-1] / curve[0] for name, curve in curves.items()}

    def draw(theme: ThemeName) -> Line:
        logs = {name: np.log10(curve) for name, curve in curves.items()}
        return [
            curve_panel(
                logs, range(_STEPS), title="loss of a net of 12 layers", x_axis="step", y_axis="log10", theme=theme
            ),
            bar_panel(np.array(list(last.values())), list(last), "last loss / first loss", theme),
        ]

    return Finding(
        judge(bool(last["with residuals"] < 0.5 * last["without"])),
        f"loss × {last['with residuals']:.2f} against × {last['without']:.2f}",
        f"In {_STEPS} steps of gradient descent, 12 layers of width 16 bring the loss to "
        f"**{last['with residuals']:.2f}** of its first value with residuals, and to **{last['without']:.2f}** "
        "without.",
        draw,
    )


RESIDUAL_ITEMS = (
    Item(
        "vanishing-gradients",
        "Residuals and vanishing gradients",
        "claim",
        (Quotation("Residual connections are a standard solution to solve the vanishing gradient problem, which occurs "
                   "when gradients become too small to effectively update the model’s parameters.", T),
         Quotation("residual connections are used in a variety of complex models such as ResNet (Kaiming et al, 2015) "
                   "in computer vision", T)),
        _vanishing,
        "The derivative of x + f(x) is I + f′: the identity passes the gradient on whatever f does. In this example "
        "the weights are small (0.5/√d); large ones would make gradients grow. ResNet is by He et al.: Kaiming is the "
        "first name of its first author.",
        "add_and_norm",
    ),
    Item(
        "skip-connection",
        "The residual around attention",
        "figure",
        (Quotation("Output of the Residual Connection", WALKTHROUGH),
         Quotation("For instance, the residual connection around the multi-head attention is equivalent to summing the "
                   "output of multi-head attention with positional embeddings.", T)),
        _skip,
        "In a second block the summand would be the output of the first block, not the positional embeddings.",
        "add_and_norm",
    ),
    Item(
        "gradient-flow",
        "Faster convergence",
        "claim",
        (Quotation("This enables gradients to flow more efficiently through the architecture during backpropagation "
                   "and can usually lead to faster convergence and more stable training.", T),),
        _gradients_flow,
        "Both nets start with the same parameters and learn the same linear map at the same rate. One small task is an "
        "example, not a proof of “usually”.",
        "add_and_norm",
    ),
)  # fmt: skip
