"""LayerNorm, cell by cell (Ba, Kiros & Hinton 2016, equations 3 and 4)."""

from collections.abc import Sequence

import numpy as np

from encoder_core.derive.cell import PARAMETERS
from encoder_core.derive.derivation import Operand, Step, each, products, running_sum, sums
from encoder_core.derive.source import Source
from encoder_core.derive.worked import Worked
from encoder_core.sublayers import NormName, layer_norm, norm_parameters

FORMULA = (
    r"y_j = \gamma_j \frac{x_j - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta_j, \quad "
    r"\mu = \tfrac{1}{d} \sum_i x_i, \quad \sigma^2 = \tfrac{1}{d} \sum_i (x_i - \mu)^2"
)


def normalised(source: Source, rows: Sequence[list[Operand]], dimension: int, name: NormName, layer: int) -> Worked:
    """The norm of a row, which is given as one list of numbers, or as the two that are added up to it."""
    parts = list(zip(*rows, strict=True))
    x = np.array([sum(operand.value for operand in of_feature) for of_feature in parts])
    done = layer_norm(x, *norm_parameters(source.parameters, layer, name), source.config.norm_eps)
    mean, variance = float(done.mean), float(done.variance)
    of_mean = list(zip(parts, (x / x.size).tolist(), strict=True))
    of_variance = list(zip(parts, ((x - mean) ** 2 / x.size).tolist(), strict=True))
    own = sums("residual plus sublayer", "x_j", each(parts[dimension]))
    steps = [own] if len(rows) > 1 else []
    x_j = Operand("x_j", own.value) if len(rows) > 1 else parts[dimension][0]
    centred = [((x_j,), x_j.value), ((Operand("mean", mean),), -mean)]
    steps += [
        Step("mean of the token", r"\mu = \tfrac{1}{d} \sum_i x_i", mean, running_sum(of_mean)),
        Step(
            "variance of the token", r"\sigma^2 = \tfrac{1}{d} \sum_i (x_i - \mu)^2", variance, running_sum(of_variance)
        ),
        sums("minus the mean", r"x_j - \mu", centred),
        Step("normalised", r"\frac{x_j - \mu}{\sqrt{\sigma^2 + \epsilon}}", float(done.normalised[dimension])),
        _scale_and_shift(
            source, name if name == "final_norm" else f"layers.{layer}.{name}", dimension, done.normalised[dimension]
        ),
    ]
    return Worked(FORMULA, tuple(steps))


def _scale_and_shift(source: Source, name: str, dimension: int, value: float) -> Step:
    scale, shift = (source.at(f"{PARAMETERS}{name}.{part}", (dimension,)) for part in ("scale", "bias"))
    scaled = products([Operand("normalised", float(value))], [scale])
    return sums("scale and shift", r"\gamma_j \cdot \text{normalised}_j + \beta_j", scaled, each([shift]))
