"""Derivations of self-attention (Vaswani et al. 2017, sections 3.2.1 and 3.2.2)."""

from operator import neg

import numpy as np

from encoder_core.analysis import softmax_steps
from encoder_core.explain.cell import PARAMETERS, Cell
from encoder_core.explain.derivation import Operand, Step, accumulate_terms, product_summands, single_summands, sum_step
from encoder_core.explain.derivations.operand_source import OperandSource
from encoder_core.explain.derivations.rule_result import RuleResult, bias_formula, copy_step, linear_step
from encoder_core.support.number_format import format_number

PROJECTION_OF_TENSOR = {"q": "query", "k": "key", "v": "value"}


def projection(source: OperandSource, cell: Cell) -> RuleResult:
    """x W + b with one column of W_Q, W_K or W_V; dimension d of head h is column h d_head + d."""
    sentence, head, token, dimension = cell.index
    name, letter = f"layers.{cell.layer}.attention.{PROJECTION_OF_TENSOR[cell.tensor]}", cell.tensor.upper()
    row = source.operands_along("attn_in", (sentence, token, None), cell.layer)
    step = linear_step(source, row, name, head * source.config.d_head + dimension)
    bias = bias_formula(source, name, rf"b_{{{letter},j}}")
    return RuleResult(rf"{cell.tensor}_{{tj}} = \sum_i x_{{ti}} \, (W_{letter})_{{ij}}{bias}", (step,))


def dot_product(source: OperandSource, cell: Cell) -> RuleResult:
    """q . k, the dot product of a query and a key."""
    sentence, head, query, key = cell.index
    left = source.operands_along("q", (sentence, head, query, None), cell.layer)
    right = source.operands_along("k", (sentence, head, key, None), cell.layer)
    step = sum_step("dot product of query and key", r"\sum_d q_{id} k_{jd}", product_summands(left, right))
    return RuleResult(r"(QK^\top)_{ij} = \sum_d q_{id} \, k_{jd}", (step,))


def score(source: OperandSource, cell: Cell) -> RuleResult:
    """The dot product times 1/sqrt(d_head); minus infinity where the key is masked, by the mask or by an edit."""
    dots = source.operand("dot_products", cell.index, cell.layer)
    if source.effects.scales_scores(source.config):
        factor = Operand("1/√d_head", source.config.d_head**-0.5)
        scaled = sum_step(
            "divided by √d_head", r"\frac{q_i \cdot k_j}{\sqrt{d_\mathrm{head}}}", product_summands([dots], [factor])
        )
        formula = r"S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_\mathrm{head}}}"
    else:
        reason = " because of an edit" if source.config.scale_scores else ""
        scaled = copy_step(f"not divided by √d_head{reason}", r"q_i \cdot k_j", dots)
        formula = r"S_{ij} = q_i \cdot k_j"
    if source.trace.mask[cell.index]:
        return RuleResult(formula, (scaled,))
    sentence, _, _, key = cell.index
    is_hidden = (sentence, key) in source.effects.hidden
    reason = "an edit hides the key" if is_hidden else "the query may not attend to the key"
    masked = Step(f"masked: {reason}", r"S_{ij} = -\infty", -np.inf)
    return RuleResult(rf"{formula} \;\to\; -\infty \text{{ (masked)}}", (scaled, masked))


def weight(source: OperandSource, cell: Cell) -> RuleResult:
    """Softmax along the row of scores (`softmax_steps`); then dropout in training mode."""
    *row, key = cell.index
    scores, temperature = source.operands_along("scores", (*row, None), cell.layer), source.effects.temperature
    values = np.array([score.value for score in scores])
    softmax = softmax_steps(values, temperature)
    largest = scores[int(values.argmax())]
    divisor = " / T" if temperature != 1 else ""
    key_exp, term_exp = (rf"e^{{(s_{{i{letter}}} - m_i){divisor}}}" for letter in "jk")
    steps = [copy_step("row maximum", r"m_i = \max_k s_{ik}", largest)]
    if np.isfinite(largest.value):
        steps += _shifted(scores[key], largest, float(softmax.shifted[key]), temperature)
        summands = [((score,), exp) for score, exp in zip(scores, softmax.exp.tolist(), strict=True)]
        steps += [
            Step("exp", key_exp, float(softmax.exp[key])),
            Step("row sum of exp", rf"\sum_k {term_exp}", float(softmax.total), accumulate_terms(summands)),
            Step("weight: exp / row sum", "A_{ij}", float(softmax.weights[key])),
        ]
    else:
        steps.append(Step("every key of the row is masked", "A_{ij} = 0", float(softmax.weights[key])))
    formula = rf"A_{{ij}} = \frac{{{key_exp}}}{{\sum_k {term_exp}}}, \quad m_i = \max_k s_{{ik}}"
    return RuleResult(formula, (*steps, *source.dropout_steps("pattern", cell, steps[-1].value)))


def _shifted(score: Operand, largest: Operand, shifted: float, temperature: float) -> list[Step]:
    """s - max, and that divided by the temperature where it is not 1."""
    step = sum_step("score minus maximum", "s_{ij} - m_i", single_summands([score]), single_summands([largest], neg))
    if temperature == 1:
        return [step]
    return [step, Step(temperature_step(temperature), r"\frac{s_{ij} - m_i}{T}", shifted)]


def temperature_step(temperature: float) -> str:
    """The name of the step that divides by the temperature, where it is not 1."""
    return f"divided by the temperature {temperature:g}"


def weighted_value(source: OperandSource, cell: Cell) -> RuleResult:
    """sum_j A_ij v_j, times the factor of the head where an edit sets one."""
    sentence, head, query, dimension = cell.index
    weights = source.operands_along("pattern", (sentence, head, query, None), cell.layer)
    values = source.operands_along("v", (sentence, head, None, dimension), cell.layer)
    steps = [sum_step("weights times values", r"\sum_j A_{ij} v_{jd}", product_summands(weights, values))]
    formula = r"z_{id} = \sum_j A_{ij} \, v_{jd}"
    assert cell.layer is not None
    factor = source.effects.head_factors.get((cell.layer, head))
    if factor is not None:
        steps.append(
            Step(f"times the factor {format_number(factor)} of head {head + 1}", r"f_h z_{id}", steps[0].value * factor)
        )
        formula = r"z_{id} = f_h \sum_j A_{ij} \, v_{jd}"
    return RuleResult(formula, tuple(steps))


def concatenated(source: OperandSource, cell: Cell) -> RuleResult:
    """Dimension c of all heads together is dimension c mod d_head of head c // d_head."""
    sentence, token, column = cell.index
    head, dimension = divmod(column, source.config.d_head)
    step = copy_step(
        f"dimension {dimension} of head {head + 1}",
        r"z_{h,td}",
        source.operand("z", (sentence, head, token, dimension), cell.layer),
    )
    indices = rf"c = {column} = {head} \cdot {source.config.d_head} + {dimension}"
    return RuleResult(
        rf"\mathrm{{concat}}_{{tc}} = z_{{h,td}}, \quad c = h\,d_\mathrm{{head}} + d, \quad {indices}", (step,)
    )


def head_contribution(source: OperandSource, cell: Cell) -> RuleResult:
    """z_h W_O,h: z of one head times the rows of W_O that belong to the head."""
    sentence, head, token, dimension = cell.index
    d_head = source.config.d_head
    z = source.operands_along("z", (sentence, head, token, None), cell.layer)
    kernel = f"{PARAMETERS}layers.{cell.layer}.attention.out.kernel"
    rows = source.operands_along(kernel, (range(head * d_head, (head + 1) * d_head), dimension))
    step = sum_step("z times the head's rows of W_O", r"\sum_d z_{h,td} (W_{O,h})_{dj}", product_summands(z, rows))
    return RuleResult(r"(z_h W_{O,h})_{tj} = \sum_d z_{h,td} \, (W_{O,h})_{dj}", (step,))


def sum_of_heads(source: OperandSource, cell: Cell) -> RuleResult:
    """The contributions of all heads plus the bias; then dropout in training mode."""
    sentence, token, dimension = cell.index
    name = f"layers.{cell.layer}.attention.out"
    heads = source.operands_along("head_contributions", (sentence, None, token, dimension), cell.layer)
    bias = bias_formula(source, name, "b_{O,j}")
    formula = rf"\sum_h (z_h W_{{O,h}})_{{tj}}{bias}"
    step = sum_step(
        "sum of the heads", formula, single_summands(heads), single_summands(source.bias_operands(name, dimension))
    )
    return RuleResult(
        rf"\mathrm{{attn\_out}}_{{tj}} = {formula}", (step, *source.dropout_steps("attn_out", cell, step.value))
    )


def output_projection(source: OperandSource, cell: Cell) -> RuleResult:
    """concat W_O + bias; then dropout in training mode."""
    sentence, token, dimension = cell.index
    name = f"layers.{cell.layer}.attention.out"
    step = linear_step(source, source.operands_along("concat", (sentence, token, None), cell.layer), name, dimension)
    bias = bias_formula(source, name, "b_{O,j}")
    formula = rf"\mathrm{{attn\_out}}_{{tj}} = \sum_c \mathrm{{concat}}_{{tc}} \, (W_O)_{{cj}}{bias}"
    return RuleResult(formula, (step, *source.dropout_steps("attn_out", cell, step.value)))
