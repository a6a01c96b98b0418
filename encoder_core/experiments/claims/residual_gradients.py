"""Claim 9: residual connections keep gradients alive."""

import numpy as np
from jaxtyping import Float

from encoder_core.config import Norm
from encoder_core.experiments.experiment import Control, Experiment, Measurement, Option, Setup, verdict_if
from encoder_core.experiments.stack_gradients import (
    DEPTHS,
    NUM_ENCODERS,
    StackNorms,
    all_stack_norms,
    geometric_mean,
    stack_norms,
)
from encoder_core.figures import Line, Panel, PanelStyle, ThemeName, curves
from encoder_core.support.number_format import format_number

_NORMS: dict[str, Norm] = {"post-norm layers": "post", "pre-norm layers": "pre"}
_TANH = "tanh layers"
_WIDTH, _SPREAD = 32, 0.5  # of a tanh layer: its kernel has a standard deviation of _SPREAD / √_WIDTH
_HEIGHT = 320
# Between the answers: no depth and no kind of layers is nearer to them than the spread of its networks' mean.
_LIMITS = (10.0, 1_000.0)


def gradient_norms(
    kernels: Float[np.ndarray, "layer d d"], x: Float[np.ndarray, "d"], residual: bool
) -> Float[np.ndarray, "depth"]:
    """The norm of the gradient of a linear read-out at the input of each layer, from the last layer to the first.

    A layer is f(x) = tanh(x W), or x + f(x) with a residual. The read-out has a gradient of norm 1 at the output.
    """
    hidden = []
    for kernel in kernels:
        out = np.tanh(x @ kernel)
        hidden.append(out)
        x = x + out if residual else out
    gradient, norms = np.full(len(x), len(x) ** -0.5), [1.0]
    for kernel, out in zip(kernels[::-1], hidden[::-1], strict=True):
        through = (gradient * (1 - out**2)) @ kernel.T
        gradient = gradient + through if residual else through
        norms.append(float(np.linalg.norm(gradient)))
    return np.array(norms)


def stream_norms(
    kernels: Float[np.ndarray, "layer d d"], x: Float[np.ndarray, "d"], residual: bool
) -> Float[np.ndarray, "layer"]:
    """The length of the vector after each of these layers, which are those of `gradient_norms`."""
    norms = []
    for kernel in kernels:
        out = np.tanh(x @ kernel)
        x = x + out if residual else out
        norms.append(np.linalg.norm(x))
    return np.array(norms)


def network_norms(stack: str, depth: int) -> tuple[list[StackNorms], list[StackNorms]]:
    """The lengths of the gradient and of the stream at each layer, in several random networks: with residuals, and
    without them."""
    if stack != _TANH:
        norm = _NORMS[stack]
        with_, without = all_stack_norms(depth, (norm, True), (norm, False))
        return with_, without
    networks: tuple[list[StackNorms], list[StackNorms]] = [], []
    for seed in range(NUM_ENCODERS):
        rng = np.random.default_rng(seed)
        kernels = rng.standard_normal((depth, _WIDTH, _WIDTH)) * _SPREAD / np.sqrt(_WIDTH)
        x = rng.standard_normal(_WIDTH)
        for network, residual in zip(networks, (True, False), strict=True):
            gradient = gradient_norms(kernels, x, residual)[:0:-1]
            network.append(StackNorms(gradient, stream_norms(kernels, x, residual)))
    return networks


def _logarithms(
    lengths: dict[str, Float[np.ndarray, "network layer"]], theme: ThemeName, *, title: str, x_axis: str
) -> Panel:
    series = {name: np.log10(geometric_mean(norms)) for name, norms in lengths.items()}
    values = np.stack(list(series.values()))
    # At least one decade: after norms, all lengths are the same up to rounding.
    low, high = float(values.min()), float(values.max())
    middle, half = (low + high) / 2, max(0.5, 0.55 * (high - low))
    layers = [str(layer) for layer in range(1, values.shape[1] + 1)]
    return curves(series, layers, title=title, x_axis=x_axis, y_axis="log₁₀ of its length",
                  y_range=(middle - half, middle + half), style=PanelStyle(height=_HEIGHT, theme=theme))  # fmt: skip


def _measure(setup: Setup) -> Measurement:
    depth, stack = int(setup["depth"]), str(setup["stack"])
    networks = dict(zip(("with residuals", "without residuals"), network_norms(stack, depth), strict=True))
    gradients, streams = (
        {name: np.stack([getattr(norms, field) for norms in all_norms]) for name, all_norms in networks.items()}
        for field in StackNorms._fields
    )
    first = {name: norms[:, 0] for name, norms in gradients.items()}
    ratios = first["with residuals"] / first["without residuals"]
    middle = float(geometric_mean(ratios))

    def draw(theme: ThemeName) -> Line:
        return [
            _logarithms(gradients, theme, title="gradient of the loss", x_axis="at the input of layer"),
            "|",
            _logarithms(streams, theme, title="output of the layers", x_axis="after layer"),
        ]

    with_, without = (format_number(float(geometric_mean(norms)), 2) for norms in first.values())
    ends = [format_number(float(geometric_mean(norms[:, -1])), 3) for norms in streams.values()]
    low, high = (format_number(float(x), 2) for x in (ratios.min(), ratios.max()))
    smaller = int((ratios < 1).sum())
    exceptions = f" In {smaller} of the {NUM_ENCODERS} networks it is larger without them." if smaller else ""
    return Measurement(
        int(np.digitize(middle, _LIMITS)),
        f"with residuals, the gradient at layer 1 is {format_number(middle, 3)} times as large ({low} to {high} in "
        f"{NUM_ENCODERS} networks)",
        f"At the input of the first of {depth} {stack}, the gradient has a length of **{with_}** with residual "
        f"connections and **{without}** without them (geometric means).{exceptions} The first layers lie farthest from "
        "the loss: they learn from what is left. On the way there, the output of the last layer has a length of "
        f"**{ends[0]}** with residual connections and **{ends[1]}** without them.",
        draw,
        verdict_if(middle > _LIMITS[0]),
    )


EXPERIMENT = Experiment(
    number=9,
    name="residual-gradients",
    title="Residual connections keep gradients alive",
    claim="Without residual connections, gradients vanish on their way back through the layers. With them, a gradient "
    "has a path around every layer.",
    hypothesis="The gradient at the first layer is much smaller without residual connections.",
    question="The residual connections of {depth} {stack} are removed. How much smaller does the gradient at the first "
    "layer become?",
    options=(
        Option(
            "Less than 10 times smaller, or not at all",
            "In few layers, or where norms in every layer keep the gradient's size, little is lost on the way back.",
        ),
        Option(
            "10 to 1,000 times smaller",
            "Every layer without a path around it changes the gradient by a factor. Four to eight tanh layers multiply "
            "it to this; norms, or another number of layers, give another product.",
        ),
        Option(
            "More than 1,000 times smaller",
            "In layers without norms, the factors of all layers multiply, so that the gradient shrinks exponentially "
            "with the depth.",
        ),
    ),
    controls=(
        Control("stack", "Layers", (_TANH, *_NORMS), _TANH, "tanh layers have no norms; encoder layers do"),
        Control("depth", "Number of layers", DEPTHS, 12),
    ),
    measure=_measure,
    limits="All networks are random, as at the start of training. In encoder layers the norms rescale the gradient as "
    "well, which hides most of the effect: there, residuals and norms have to be judged together.",
    code=(network_norms, gradient_norms, stack_norms),
    stage="add_and_norm",
    source="He et al. 2016, “Identity Mappings in Deep Residual Networks”",
)
