"""Claim 8: post-norm keeps the residual stream at one length, pre-norm lets it grow; gradients differ by layer."""

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
from encoder_core.figures import Line, PanelStyle, ThemeName, curves
from encoder_core.support.number_format import format_number

_SAME = 1.03  # a length that changes by less counts as equal
_HEIGHT = 320
_NORMS: dict[str, Norm] = {"post-norm": "post", "pre-norm": "pre"}


def growth(norms: StackNorms) -> float:
    """How many times as long the residual stream is after the last layer as after the first."""
    return float(norms.stream[-1] / norms.stream[0])


def _measure(setup: Setup) -> Measurement:
    depth, chosen = int(setup["depth"]), str(setup["norm"])
    stacks = all_stack_norms(depth, *((norm, True) for norm in _NORMS.values()))
    encoders = dict(zip(_NORMS, stacks, strict=True))
    growths = np.array([growth(norms) for norms in encoders[chosen]])
    middle = float(np.median(growths))
    gradients = {name: np.stack([norms.gradient for norms in all_norms]) for name, all_norms in encoders.items()}

    def mean(field: str) -> dict[str, Float[np.ndarray, "layer"]]:
        return {name: geometric_mean(np.stack([getattr(norms, field) for norms in all_norms]))
                for name, all_norms in encoders.items()}  # fmt: skip

    def draw(theme: ThemeName) -> Line:
        style, layers = PanelStyle(height=_HEIGHT, theme=theme), [str(layer) for layer in range(1, depth + 1)]
        return [
            curves(mean("stream"), layers, title="length of the residual stream", x_axis="after layer",
                   y_axis="length", marked_series=chosen, style=style),
            "|",
            curves(mean("gradient"), layers, title="gradient of the loss", x_axis="at the input of layer",
                   y_axis="length", marked_series=chosen, style=style),
        ]  # fmt: skip

    def ratio(name: str) -> str:
        """How many times as long the gradient is at the first layer as at the last, and in single encoders."""
        ratios = gradients[name][:, 0] / gradients[name][:, -1]
        low, middle, high = (format_number(float(x), 2) for x in (ratios.min(), geometric_mean(ratios), ratios.max()))
        return f"**{middle} times** ({low} to {high})"

    is_same = 1 / _SAME < middle < _SAME
    length = "equally long after the first and the last layer" if is_same else (
        f"**{format_number(middle, 3)} times** as long after the last layer as after the first")  # fmt: skip
    return Measurement(
        1 if is_same else 0 if middle > 1 else 2,
        f"{chosen}: × {format_number(middle, 3)} from the first to the last layer "
        f"({format_number(growths.min(), 3)} to {format_number(growths.max(), 3)} in {NUM_ENCODERS} encoders)",
        f"In an encoder of {depth} layers with {chosen}, the residual stream is {length}. "
        f"The gradient at the first layer is {ratio('post-norm')} that at the last layer with post-norm, and "
        f"{ratio('pre-norm')} with pre-norm: "
        f"geometric means of {NUM_ENCODERS} encoders, and their range. The curves are such means, too.",
        draw,
        verdict_if(is_same if chosen == "post-norm" else middle >= _SAME),
    )


EXPERIMENT = Experiment(
    number=8,
    name="norm-placement",
    title="Post-norm and pre-norm in deep stacks",
    claim="With post-norm, each layer normalises the residual stream. With pre-norm, every layer adds to the "
    "stream, which grows, and gradients reach all layers.",
    hypothesis="After post-norm layers the residual stream has the same length everywhere. After pre-norm layers it is "
    "longer, the more layers there are.",
    question="An encoder has {depth} layers with {norm}. How long is the residual stream after the last layer, "
    "compared with the first?",
    options=(
        Option("Longer", "Each pre-norm layer adds its output to the stream. In a random encoder the two are nearly "
               "independent, so the sum is mostly longer."),
        Option("Equally long", "A post-norm layer ends with a norm, which gives every row the length √d_model."),
        Option("Shorter", "A sum of independent vectors is mostly longer than each of them; a norm restores one "
               "length."),
    ),
    controls=(
        Control("depth", "Layers", DEPTHS, 6),
        Control("norm", "Norm", tuple(_NORMS), "pre-norm"),
    ),
    measure=_measure,
    limits="The encoders are random: this is how training starts, not how it goes on. Which placement trains better "
    "also depends on the learning rate and its warm-up.",
    code=(stack_norms, growth),
    stage="add_and_norm",
    source="Xiong et al. 2020, “On Layer Normalization in the Transformer Architecture”",
)  # fmt: skip
