"""The result of a rule, and the steps that several rules share: linear layers and copies."""

from typing import NamedTuple

from encoder_core.explain.cell import PARAMETERS
from encoder_core.explain.derivation import Operand, Step, product_summands, single_summands, sum_step
from encoder_core.explain.derivations.operand_source import OperandSource


class RuleResult(NamedTuple):
    """The formula in LaTeX and the steps of one cell; `note` is the reason where there are no steps."""

    formula: str
    steps: tuple[Step, ...] = ()
    note: str = ""


def linear_step(source: OperandSource, rows: list[Operand], name: str, column: int) -> Step:
    """sum_i x_i W_ij + b_j: the row x times column j of the kernel, plus the bias where the layer has one."""
    kernel = source.operands_along(f"{PARAMETERS}{name}.kernel", (None, column))
    bias = source.bias_operands(name, column)
    formula = r"\sum_i x_i W_{ij}" + (" + b_j" if bias else "")
    return sum_step(
        "row times column" + (", plus bias" if bias else ""),
        formula,
        product_summands(rows, kernel),
        single_summands(bias),
    )


def bias_formula(source: OperandSource, name: str, symbol: str) -> str:
    """The term of the bias in a formula; empty where the layer has no bias."""
    return f" + {symbol}" if f"{name}.bias" in source.parameters else ""


def copy_step(name: str, formula: str, operand: Operand) -> Step:
    """The step that copies a number from another cell."""
    return sum_step(name, formula, single_summands([operand]))
