"""Derivations of the prediction: logits of the output head, and probabilities."""

from operator import neg

import numpy as np

from encoder_core.analysis import softmax_steps
from encoder_core.analysis.logit_attribution import logit_attribution
from encoder_core.explain.cell import Cell
from encoder_core.explain.derivation import Operand, Step, accumulate_terms, single_summands, sum_step
from encoder_core.explain.derivations.operand_source import OperandSource
from encoder_core.explain.derivations.rule_result import RuleResult, bias_formula, copy_step, linear_step


def logit(source: OperandSource, cell: Cell) -> RuleResult:
    """output W_head + b: one number for each token of the vocabulary."""
    sentence, token, token_id = cell.index
    step = linear_step(source, source.operands_along("output", (sentence, token, None)), "output_head", token_id)
    bias = bias_formula(source, "output_head", r"b_{\mathrm{head},v}")
    return RuleResult(
        rf"\mathrm{{logits}}_{{tv}} = \sum_i \mathrm{{output}}_{{ti}} \, (W_\mathrm{{head}})_{{iv}}{bias}", (step,)
    )


def sum_of_contributions(source: OperandSource, cell: Cell) -> RuleResult:
    """The sum over all components that write to the residual stream (see `analysis.logit_attribution`)."""
    sentence, token, token_id = cell.index
    attribution = logit_attribution(source.run, token, token_id, sentence)
    operands = [Operand(component.name, component.value) for component in attribution.contributions()]
    formula = r"\sum_c \mathrm{contribution}_c"
    step = sum_step("sum of contributions", formula, single_summands(operands))
    return RuleResult(rf"\mathrm{{logits}}_{{tv}} = {formula}", (step,))


def probability(source: OperandSource, cell: Cell) -> RuleResult:
    """Softmax of the logits over the vocabulary (Vaswani et al. 2017, section 3.4)."""
    sentence, token, token_id = cell.index
    logits = source.operands_along("logits", (sentence, token, None))
    values = np.array([operand.value for operand in logits])
    softmax, largest = softmax_steps(values), logits[int(values.argmax())]
    summands = [((operand,), exp) for operand, exp in zip(logits, softmax.exp.tolist(), strict=True)]
    minus_largest = sum_step(
        "logit minus maximum",
        r"\ell_v - m",
        single_summands([logits[token_id]]),
        single_summands([largest], neg),
    )
    steps = (
        copy_step("largest logit", r"m = \max_w \ell_w", largest),
        minus_largest,
        Step("exp", r"e^{\ell_v - m}", float(softmax.exp[token_id])),
        Step("sum of exp over the vocabulary", r"\sum_w e^{\ell_w - m}", float(softmax.total),
             accumulate_terms(summands)),
        Step("probability: exp / sum", "p_v", float(softmax.weights[token_id])),
    )  # fmt: skip
    formula = r"p_v = \frac{e^{\ell_v - m}}{\sum_w e^{\ell_w - m}}, \quad \ell = \mathrm{logits}_t, \quad m = \max_w"
    return RuleResult(rf"{formula} \ell_w", steps)
