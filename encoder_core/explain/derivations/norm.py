"""LayerNorm, cell by cell (Ba, Kiros & Hinton 2016, equations 3 and 4)."""

from collections.abc import Sequence
from operator import neg

import numpy as np
from jaxtyping import Float

from encoder_core.explain.cell import PARAMETERS
from encoder_core.explain.derivation import Operand, Step, each, products, running_sum, sums
from encoder_core.explain.derivations.source import Source
from encoder_core.explain.derivations.worked import Worked
from encoder_core.explain.sublayers import layer_norm

FORMULA = (
    r"y_j = \gamma_j \frac{x_j - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta_j, \quad "
    r"\mu = \tfrac{1}{d} \sum_i x_i, \quad \sigma^2 = \tfrac{1}{d} \sum_i (x_i - \mu)^2"
)
_VARIANCE = r"\sigma^2 = \tfrac{1}{d} \sum_i (x_i - \mu)^2"


def formula_of(x: str) -> str:
    """The formula, and what x is in it, on a line of its own."""
    return rf"\begin{{gathered}} {FORMULA} \\ x = {x} \end{{gathered}}"


def normalised(source: Source, rows: Sequence[list[Operand]], dimension: int, name: str) -> Worked:
    """The norm of a row, which is given as one list of numbers, or as the two that are added up to it.

    name  what the parameters call the norm: "embedding_norm", "layers.3.norm1", "final_norm"
    """
    parts = list(zip(*rows, strict=True))
    x = np.array([sum(operand.value for operand in of_feature) for of_feature in parts])
    gamma, beta = source.parameters[f"{name}.scale"], source.parameters[f"{name}.bias"]
    done = layer_norm(x, gamma, beta, source.config.norm_eps)
    own, own_value = parts[dimension], float(done.normalised[dimension])
    steps = [sums("residual plus sublayer", "x_j", each(own))] if len(rows) > 1 else []
    x_j = Operand("x_j", steps[0].value) if len(rows) > 1 else own[0]
    steps += [
        _mean("mean of the token", r"\mu = \tfrac{1}{d} \sum_i x_i", parts, x, float(done.mean)),
        _mean("variance of the token", _VARIANCE, parts, (x - float(done.mean)) ** 2, float(done.variance)),
        sums("minus the mean", r"x_j - \mu", each([x_j]), each([Operand("mean", float(done.mean))], neg)),
        Step("normalised", r"\frac{x_j - \mu}{\sqrt{\sigma^2 + \epsilon}}", own_value),
        _scale_and_shift(source, name, dimension, own_value),
    ]
    return Worked(FORMULA, tuple(steps))


def _mean(
    name: str, formula: str, parts: list[tuple[Operand, ...]], values: Float[np.ndarray, "d_model"], mean: float
) -> Step:
    """The mean of what each feature gives: each adds its value / d_model."""
    return Step(name, formula, mean, running_sum(list(zip(parts, (values / values.size).tolist(), strict=True))))


def _scale_and_shift(source: Source, name: str, dimension: int, value: float) -> Step:
    scale, shift = (source.at(f"{PARAMETERS}{name}.{part}", (dimension,)) for part in ("scale", "bias"))
    scaled = products([Operand("normalised", value)], [scale])
    return sums("scale and shift", r"\gamma_j \cdot \text{normalised}_j + \beta_j", scaled, each([shift]))
