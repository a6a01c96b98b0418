"""Derivations of the feed-forward network (Vaswani et al. 2017, section 3.3)."""

import numpy as np

from encoder_core.explain.cell import Cell
from encoder_core.explain.derivation import Step
from encoder_core.explain.derivations.operand_source import OperandSource
from encoder_core.explain.derivations.rule_result import RuleResult, bias_formula, copy_step, linear_step
from encoder_core.explain.sublayers import activate

_FORMULAS = {
    "relu": r"\max(0, x)",
    "gelu": r"x\,\Phi(x) = \tfrac{x}{2}\left(1 + \mathrm{erf}\tfrac{x}{\sqrt 2}\right)",
    "gelu_tanh": r"\tfrac{x}{2}\left(1 + \tanh\left(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\right)\right)",
}
_NAMES = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)"}


def mlp_pre(source: OperandSource, cell: Cell) -> RuleResult:
    """x W_up + b: one of the d_ff hidden values of a token."""
    formula, step = _linear(source, cell, "mlp_in", "up")
    return RuleResult(rf"\mathrm{{mlp\_pre}}_{{tj}} = {formula}", (step,))


def mlp_act(source: OperandSource, cell: Cell) -> RuleResult:
    """The activation, or mlp_pre itself with activation_after="second_linear"; then dropout in training mode."""
    before = source.operand("mlp_pre", cell.index, cell.layer)
    if source.config.activation_after == "second_linear":
        copy = copy_step("no activation between the linear layers", "x", before)
        formula = r"\mathrm{mlp\_act}_{tj} = \mathrm{mlp\_pre}_{tj}"
        return RuleResult(formula, (copy, *source.dropout_steps("mlp_act", cell, copy.value)))
    steps = [copy_step("before the activation", "x", before), _activation(source, before.value)]
    steps += source.dropout_steps("mlp_act", cell, steps[-1].value)
    phi = rf"\phi(x) = {_FORMULAS[source.config.activation]}"
    first = r"\mathrm{mlp\_act}_{tj} = \phi(x), \quad x = \mathrm{mlp\_pre}_{tj}"
    return RuleResult(rf"\begin{{gathered}} {first} \\ {phi} \end{{gathered}}", tuple(steps))


def mlp_out(source: OperandSource, cell: Cell) -> RuleResult:
    """a W_down + b, or its activation with activation_after="second_linear"; then dropout in training mode."""
    formula, step = _linear(source, cell, "mlp_act", "down")
    steps, cell_of = [step], r"\mathrm{mlp\_out}_{tj}"
    whole = rf"{cell_of} = {formula}"
    if source.config.activation_after == "second_linear":
        steps.append(_activation(source, step.value))
        phi = rf"\phi(x) = {_FORMULAS[source.config.activation]}"
        whole = rf"\begin{{gathered}} {cell_of} = \phi\left({formula}\right) \\ {phi} \end{{gathered}}"
    steps += source.dropout_steps("mlp_out", cell, steps[-1].value)
    return RuleResult(whole, tuple(steps))


def _linear(source: OperandSource, cell: Cell, input_name: str, part: str) -> tuple[str, Step]:
    sentence, token, dimension = cell.index
    name = f"layers.{cell.layer}.mlp.{part}"
    step = linear_step(source, source.operands_along(input_name, (sentence, token, None), cell.layer), name, dimension)
    x, bias = input_name.replace("_", r"\_"), bias_formula(source, name, rf"b_{{\mathrm{{{part}}},j}}")
    return rf"\sum_i \mathrm{{{x}}}_{{ti}} \, (W_\mathrm{{{part}}})_{{ij}}{bias}", step


def _activation(source: OperandSource, x: float) -> Step:
    activation = source.config.activation
    value = activate(np.array([x]), activation)[0]
    return Step(_NAMES[activation], _FORMULAS[activation], float(value))
