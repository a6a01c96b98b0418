"""The feed-forward network, cell by cell (Vaswani et al. 2017, section 3.3)."""

import numpy as np

from encoder_core.explain.cell import Cell
from encoder_core.explain.derivation import Step
from encoder_core.explain.derivations.source import Source
from encoder_core.explain.derivations.worked import Worked, copied, linear, plus_bias
from encoder_core.explain.sublayers import activate

_FORMULAS = {
    "relu": r"\max(0, x)",
    "gelu": r"x\,\Phi(x) = \tfrac{x}{2}\left(1 + \mathrm{erf}\tfrac{x}{\sqrt 2}\right)",
    "gelu_tanh": r"\tfrac{x}{2}\left(1 + \tanh\left(\sqrt{2/\pi}\,(x + 0.044715\,x^3)\right)\right)",
}
_NAMES = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)"}


def expanded(source: Source, cell: Cell) -> Worked:
    """x W_up + b: one of the d_ff hidden numbers of a token."""
    formula, step = _linear(source, cell, "mlp_in", "up")
    return Worked(rf"\mathrm{{mlp\_pre}}_{{tj}} = {formula}", (step,))


def activated(source: Source, cell: Cell) -> Worked:
    """The activation, or with activation_after="second_linear" the number as it is; then dropout in training mode."""
    before = source.at("mlp_pre", cell.index, cell.layer)
    if source.config.activation_after == "second_linear":
        same = copied("no activation between the linear layers", "x", before)
        whole = r"\mathrm{mlp\_act}_{tj} = \mathrm{mlp\_pre}_{tj}"
        return Worked(whole, (same, *source.dropout("mlp_act", cell, same.value)))
    steps = [copied("before the activation", "x", before), _activation(source, before.value)]
    steps += source.dropout("mlp_act", cell, steps[-1].value)
    phi = rf"\phi(x) = {_FORMULAS[source.config.activation]}"
    first = r"\mathrm{mlp\_act}_{tj} = \phi(x), \quad x = \mathrm{mlp\_pre}_{tj}"
    return Worked(rf"\begin{{gathered}} {first} \\ {phi} \end{{gathered}}", tuple(steps))


def contracted(source: Source, cell: Cell) -> Worked:
    """a W_down + b; with activation_after="second_linear" the activation of that; dropout in training mode."""
    formula, step = _linear(source, cell, "mlp_act", "down")
    steps, cell_of = [step], r"\mathrm{mlp\_out}_{tj}"
    whole = rf"{cell_of} = {formula}"
    if source.config.activation_after == "second_linear":
        steps.append(_activation(source, step.value))
        phi = rf"\phi(x) = {_FORMULAS[source.config.activation]}"
        whole = rf"\begin{{gathered}} {cell_of} = \phi\left({formula}\right) \\ {phi} \end{{gathered}}"
    steps += source.dropout("mlp_out", cell, steps[-1].value)
    return Worked(whole, tuple(steps))


def _linear(source: Source, cell: Cell, reads: str, part: str) -> tuple[str, Step]:
    sentence, token, dimension = cell.index
    name = f"layers.{cell.layer}.mlp.{part}"
    step = linear(source, source.along(reads, (sentence, token, None), cell.layer), name, dimension)
    x, bias = reads.replace("_", r"\_"), plus_bias(source, name, rf"b_{{\mathrm{{{part}}},j}}")
    return rf"\sum_i \mathrm{{{x}}}_{{ti}} \, (W_\mathrm{{{part}}})_{{ij}}{bias}", step


def _activation(source: Source, x: float) -> Step:
    activation = source.config.activation
    value = activate(np.array([x]), activation)[0]
    return Step(_NAMES[activation], _FORMULAS[activation], float(value))
