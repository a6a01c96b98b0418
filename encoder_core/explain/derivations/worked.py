"""What a rule hands back, and the linear layer, which half of the rules are."""

from typing import NamedTuple

from encoder_core.explain.cell import PARAMETERS
from encoder_core.explain.derivation import Operand, Step, each, products, sums
from encoder_core.explain.derivations.source import Source


class Worked(NamedTuple):
    """The formula in LaTeX and the steps of one cell; `note` says why there are none."""

    formula: str
    steps: tuple[Step, ...] = ()
    note: str = ""


def linear(source: Source, rows: list[Operand], name: str, column: int) -> Step:
    """sum_i x_i W_ij + b_j: the row x times column j of the kernel, plus the bias where the layer has one."""
    kernel = source.along(f"{PARAMETERS}{name}.kernel", (None, column))
    bias = source.bias(name, column)
    formula = r"\sum_i x_i W_{ij}" + (" + b_j" if bias else "")
    return sums("row times column" + (", plus bias" if bias else ""), formula, products(rows, kernel), each(bias))


def plus_bias(source: Source, name: str, symbol: str) -> str:
    """The bias in a formula, where the layer has one."""
    return f" + {symbol}" if f"{name}.bias" in source.parameters else ""


def copied(name: str, formula: str, operand: Operand) -> Step:
    """The number as it stands in another place."""
    return sums(name, formula, each([operand]))
