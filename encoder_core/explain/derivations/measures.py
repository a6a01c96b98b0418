"""Derivations of measures of a trace: entropy, averages over the heads, attention rollout, dot products, cosines."""

import math

from encoder_core.explain.cell import Cell
from encoder_core.explain.derivation import Operand, Step, product_summands, single_summands, sum_step
from encoder_core.explain.derivations.operand_source import OperandSource
from encoder_core.explain.derivations.rule_result import RuleResult, copy_step
from encoder_core.explain.measures import COMPARED_TENSORS
from encoder_core.support.wording import format_count


def entropy(source: OperandSource, cell: Cell) -> RuleResult:
    """-w log2 w of every weight of the row, added up (Shannon 1948, section 6)."""
    weights = source.operands_along("pattern", (*cell.index, None), cell.layer)
    formula = r"-\sum_j A_{ij} \log_2 A_{ij}"
    step = sum_step("−w log₂ w of each weight w", formula, single_summands(weights, _bits))
    return RuleResult(f"H_i = {formula}", (step,))


def _bits(weight: float) -> float:
    return 0.0 - weight * math.log2(weight) if weight else 0.0


def mean_weight(source: OperandSource, cell: Cell) -> RuleResult:
    """The weights of all heads added up, divided by the number of heads."""
    sentence, query, key = cell.index
    weights = source.operands_along("pattern", (sentence, None, query, key), cell.layer)
    total = sum_step("sum over the heads", r"\sum_h A^{(h)}_{ij}", single_summands(weights))
    mean = Step(f"divided by {format_count(len(weights), 'head')}", r"\bar A_{ij}", total.value / len(weights))
    return RuleResult(rf"\bar A_{{ij}} = \frac{{1}}{{{len(weights)}}} \sum_h A^{{(h)}}_{{ij}}", (total, mean))


def rollout_step(source: OperandSource, cell: Cell) -> RuleResult:
    """½ average + ½ I, divided by the sum of the row (Abnar & Zuidema 2020, section 3)."""
    sentence, query, key = cell.index
    means = source.operands_along("mean_pattern", (sentence, query, None), cell.layer)
    half, residual = Operand("½", 0.5), single_summands([Operand("½ of the token itself", 0.5)])
    mixed = sum_step(
        "half of the average" + (", plus half of the token itself" if query == key else ""),
        r"\tfrac12 \bar A_{ij} + \tfrac12 I_{ij}",
        product_summands([means[key]], [half]),
        residual if query == key else [],
    )
    total = sum_step(
        "sum of the row",
        r"\sum_k \left( \tfrac12 \bar A_{ik} + \tfrac12 I_{ik} \right)",
        product_summands(means, [half] * len(means)),
        residual,
    )
    share = Step("divided by the sum of the row", "M_{ij}", mixed.value / total.value)
    formula = (
        r"M_{ij} = \frac{\tfrac12 \bar A_{ij} + \tfrac12 I_{ij}}"
        r"{\sum_k \left( \tfrac12 \bar A_{ik} + \tfrac12 I_{ik} \right)}"
    )
    return RuleResult(formula, (mixed, total, share))


def rollout(source: OperandSource, cell: Cell) -> RuleResult:
    """The step of this layer times the rollout before it, which is I before the first layer."""
    sentence, query, token = cell.index
    assert cell.layer is not None
    if cell.layer == 0:
        step = copy_step("step of the first layer", "M^{(1)}_{ij}", source.operand("rollout_step", cell.index, 0))
        return RuleResult("R^{(1)}_{ij} = M^{(1)}_{ij}", (step,))
    steps = source.operands_along("rollout_step", (sentence, query, None), cell.layer)
    earlier = source.operands_along("rollout", (sentence, None, token), cell.layer - 1)
    formula = r"\sum_k M^{(l)}_{ik} R^{(l-1)}_{kj}"
    product = sum_step("step times the rollout before it", formula, product_summands(steps, earlier))
    return RuleResult(rf"R^{{(l)}}_{{ij}} = {formula}", (product,))


def position_product(source: OperandSource, cell: Cell) -> RuleResult:
    """The dot product of the encodings of two positions."""
    left, right = (source.operands_along("position_encoding", (position, None)) for position in cell.index)
    step = sum_step("dot product of the positions", r"\sum_d p_{id} p_{jd}", product_summands(left, right))
    return RuleResult(r"p_i \cdot p_j = \sum_d p_{id} \, p_{jd}", (step,))


def cosine(source: OperandSource, cell: Cell) -> RuleResult:
    """The dot product of the vectors of two tokens, divided by their lengths; 0 where a vector is all zeros."""
    sentence, *pair = cell.index
    tensor = COMPARED_TENSORS[cell.tensor]
    left, right = (source.operands_along(tensor, (sentence, token, None), cell.layer) for token in pair)
    dot = sum_step("dot product", r"\sum_d x_{id} x_{jd}", product_summands(left, right))
    squares = [
        sum_step(f"squared length of {name}", rf"\sum_d x_{{{letter}d}}^2", product_summands(row, row))
        for name, letter, row in (("the token", "i", left), ("the other token", "j", right))
    ]
    lengths = math.sqrt(squares[0].value) * math.sqrt(squares[1].value)
    quotient = Step("divided by both lengths", r"\cos(x_i, x_j)", dot.value / lengths if lengths else 0.0)
    formula = r"\cos(x_i, x_j) = \frac{\sum_d x_{id} \, x_{jd}}{\sqrt{\sum_d x_{id}^2} \sqrt{\sum_d x_{jd}^2}}"
    return RuleResult(formula, (dot, *squares, quotient))
