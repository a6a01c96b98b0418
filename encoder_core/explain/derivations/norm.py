"""Derivations of layer normalisation (Ba, Kiros & Hinton 2016, equations 3 and 4)."""

from collections.abc import Sequence
from operator import neg

import numpy as np
from jaxtyping import Float

from encoder_core.explain.cell import PARAMETERS
from encoder_core.explain.derivation import Operand, Step, accumulate_terms, product_summands, single_summands, sum_step
from encoder_core.explain.derivations.operand_source import OperandSource
from encoder_core.explain.derivations.rule_result import RuleResult
from encoder_core.explain.sublayers import layer_norm_steps

_MEAN = r"\mu = \tfrac{1}{d} \sum_i x_i"
_VARIANCE = r"\sigma^2 = \tfrac{1}{d} \sum_i (x_i - \mu)^2"
_LINES = rf"y_j = \gamma_j \frac{{x_j - \mu}}{{\sqrt{{\sigma^2 + \epsilon}}}} + \beta_j \\ {_MEAN}, \quad {_VARIANCE}"
FORMULA = rf"\begin{{gathered}} {_LINES} \end{{gathered}}"


def norm_formula(x: str) -> str:
    """The formula of layer normalisation, with the definition of x on a line of its own."""
    return rf"\begin{{gathered}} {_LINES} \\ x = {x} \end{{gathered}}"


def derive_norm(source: OperandSource, rows: Sequence[list[Operand]], dimension: int, name: str) -> RuleResult:
    """The norm of a row.

    rows  the numbers of the row, or the numbers of two rows whose sum is normalised
    name  name of the norm in the parameters: "embedding_norm", "layers.3.norm1", "final_norm"
    """
    parts = list(zip(*rows, strict=True))
    x = np.array([sum(operand.value for operand in operands) for operands in parts])
    gamma, beta = source.parameters[f"{name}.scale"], source.parameters[f"{name}.bias"]
    norm = layer_norm_steps(x, gamma, beta, source.config.norm_eps)
    operands, normalised = parts[dimension], float(norm.normalised[dimension])
    steps = [sum_step("residual plus sublayer", "x_j", single_summands(operands))] if len(rows) > 1 else []
    x_j = Operand("x_j", steps[0].value) if len(rows) > 1 else operands[0]
    steps += [
        _mean("mean of the token", _MEAN, parts, x, float(norm.mean)),
        _mean("variance of the token", _VARIANCE, parts, (x - float(norm.mean)) ** 2, float(norm.variance)),
        sum_step(
            "minus the mean",
            r"x_j - \mu",
            single_summands([x_j]),
            single_summands([Operand("mean", float(norm.mean))], neg),
        ),
        Step("normalised", r"\frac{x_j - \mu}{\sqrt{\sigma^2 + \epsilon}}", normalised),
        _scale_and_shift(source, name, dimension, normalised),
    ]
    return RuleResult(FORMULA, tuple(steps))


def _mean(
    name: str, formula: str, parts: list[tuple[Operand, ...]], values: Float[np.ndarray, "d_model"], mean: float
) -> Step:
    """The step that computes a mean over the features: each term is a value / d_model."""
    return Step(name, formula, mean, accumulate_terms(list(zip(parts, (values / values.size).tolist(), strict=True))))


def _scale_and_shift(source: OperandSource, name: str, dimension: int, value: float) -> Step:
    scale, shift = (source.operand(f"{PARAMETERS}{name}.{part}", (dimension,)) for part in ("scale", "bias"))
    scaled = product_summands([Operand("normalised", value)], [scale])
    return sum_step(
        "scale and shift", r"\gamma_j \cdot \text{normalised}_j + \beta_j", scaled, single_summands([shift])
    )
