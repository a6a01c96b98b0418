"""Derivations of the prediction: logits of the output head, and probabilities; and of the same after fewer layers, the
logit lens (nostalgebraist 2020)."""

from operator import neg

import numpy as np

from encoder_core.analysis import softmax_steps
from encoder_core.analysis.logit_attribution import logit_attribution
from encoder_core.explain.cell import Cell
from encoder_core.explain.derivation import Operand, Step, accumulate_terms, single_summands, sum_step
from encoder_core.explain.derivations.norm import derive_norm
from encoder_core.explain.derivations.operand_source import OperandSource
from encoder_core.explain.derivations.rule_result import RuleResult, bias_formula, copy_step, linear_step
from encoder_core.explain.measures import LENS_TENSORS

# Each measure of the logit lens -> the tensor or measure that it is computed from.
_LENS_OF = {f"{tensor}_lens_stream": tensor for tensor in LENS_TENSORS}
_LENS_OF |= {f"{tensor}_lens_logits": f"{tensor}_lens_stream" for tensor in LENS_TENSORS}
_LENS_OF |= {f"{tensor}_lens_probabilities": f"{tensor}_lens_logits" for tensor in LENS_TENSORS}


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


def lens_stream(source: OperandSource, cell: Cell) -> RuleResult:
    """What the output head reads where the layers end at this stage: the final norm of the residual stream, if any."""
    sentence, token, dimension = cell.index
    tensor = _LENS_OF[cell.tensor]
    if source.config.final_norm:
        row = source.operands_along(tensor, (sentence, token, None), cell.layer)
        return derive_norm(source, [row], dimension, "final_norm")
    step = copy_step("residual stream, without a final norm", "x_{tj}", source.operand(tensor, cell.index, cell.layer))
    return RuleResult(r"\mathrm{lens\_stream}_{tj} = x_{tj}", (step,))


def lens_logit(source: OperandSource, cell: Cell) -> RuleResult:
    """lens_stream W_head + b."""
    sentence, token, token_id = cell.index
    row = source.operands_along(_LENS_OF[cell.tensor], (sentence, token, None), cell.layer)
    bias = bias_formula(source, "output_head", r"b_{\mathrm{head},v}")
    formula = rf"\sum_i \mathrm{{lens\_stream}}_{{ti}} \, (W_\mathrm{{head}})_{{iv}}{bias}"
    return RuleResult(
        rf"\mathrm{{lens\_logits}}_{{tv}} = {formula}", (linear_step(source, row, "output_head", token_id),)
    )


def probability(source: OperandSource, cell: Cell) -> RuleResult:
    """Softmax of the logits over the vocabulary (Vaswani et al. 2017, section 3.4)."""
    sentence, token, token_id = cell.index
    tensor = _LENS_OF.get(cell.tensor, "logits")
    logits = source.operands_along(tensor, (sentence, token, None), cell.layer)
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
    name = "logits" if tensor == "logits" else r"lens\_logits"
    formula = r"p_v = \frac{e^{\ell_v - m}}{\sum_w e^{\ell_w - m}}"
    return RuleResult(rf"{formula}, \quad \ell = \mathrm{{{name}}}_t, \quad m = \max_w \ell_w", steps)
