"""Claim 9: residual connections keep gradients alive."""

import numpy as np

from encoder_core.config import Norm
from encoder_core.experiments.experiment import Control, Experiment, Measurement, Option, Setup
from encoder_core.experiments.stack_gradients import DEPTHS, NUM_ENCODERS, all_stack_norms, stack_norms
from encoder_core.figures import Line, PanelStyle, ThemeName, curves, format_number

_NORMS: dict[str, Norm] = {"post-norm": "post", "pre-norm": "pre"}
_HEIGHT = 320


def _measure(setup: Setup) -> Measurement:
    depth, chosen = int(setup["depth"]), str(setup["norm"])
    runs = {
        "with residuals": all_stack_norms(_NORMS[chosen], depth, True),
        "without residuals": all_stack_norms(_NORMS[chosen], depth, False),
    }
    first = {name: np.array([norms.gradient[0] for norms in all_norms]) for name, all_norms in runs.items()}
    losses = first["with residuals"] / first["without residuals"]
    middle = float(np.median(losses))

    def draw(theme: ThemeName) -> Line:
        blocks = [str(block) for block in range(1, depth + 1)]
        mean = {name: np.mean([norms.gradient for norms in all_norms], axis=0) for name, all_norms in runs.items()}
        logarithms = {name: np.log10(gradient) for name, gradient in mean.items()}
        return [
            curves(logarithms, blocks, title="gradient of the loss", x_axis="at the input of block",
                   y_axis="log₁₀ of its length", style=PanelStyle(height=_HEIGHT, theme=theme)),
        ]  # fmt: skip

    return Measurement(
        int(np.digitize(middle, (2.0, 10.0))),
        f"the gradient at block 1 is {format_number(middle, 3)} times larger with residuals "
        f"({format_number(float(losses.min()), 2)} to {format_number(float(losses.max()), 2)} in {NUM_ENCODERS} "
        "encoders)",
        f"At the input of the first of {depth} blocks, the gradient has a length of "
        f"**{format_number(float(np.median(first['with residuals'])), 3)}** with residual connections and "
        f"**{format_number(float(np.median(first['without residuals'])), 3)}** without them ({chosen}; medians). The "
        "first blocks lie farthest from the loss: they learn from what is left.",
        draw,
    )


EXPERIMENT = Experiment(
    number=9,
    name="residual-gradients",
    title="Residual connections keep gradients alive",
    claim="Without residual connections, gradients shrink on their way back through the blocks. With them, a gradient "
    "has a path around every sublayer.",
    hypothesis="The gradient at the first block is smaller without residual connections.",
    question="The residual connections of {depth} blocks are removed ({norm}). How much smaller does the gradient at "
    "the first block become?",
    options=(
        Option(
            "Less than 2 times smaller",
            "A path around a sublayer carries the gradient unchanged; without it, everything passes the sublayer.",
        ),
        Option(
            "2 to 10 times smaller",
            "Every sublayer without a path around it changes the gradient. The norms rescale it and hide a part.",
        ),
        Option(
            "More than 10 times smaller",
            "Without norms, the factors of all sublayers would multiply. Here a norm in every block rescales the "
            "gradient.",
        ),
    ),
    controls=(
        Control("depth", "Blocks", DEPTHS, 12),
        Control("norm", "Norm", tuple(_NORMS), "post-norm"),
    ),
    measure=_measure,
    limits="The norms in each block rescale the gradient as well, which hides a part of the effect. The encoders are "
    "random, as at the start of training.",
    code=(stack_norms,),
    stage="add_and_norm",
    source="He et al. 2016, “Identity Mappings in Deep Residual Networks”",
)  # fmt: skip
