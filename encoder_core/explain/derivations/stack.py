"""Derivations of the residual stream, its norms, and the output (Vaswani et al. 2017, section 3.1)."""

from encoder_core.edits import Sublayer
from encoder_core.explain.cell import Cell
from encoder_core.explain.derivation import Operand, Step, product_summands, single_summands, sum_step
from encoder_core.explain.derivations.norm import derive_norm, norm_formula
from encoder_core.explain.derivations.operand_source import OperandSource
from encoder_core.explain.derivations.rule_result import RuleResult, copy_step
from encoder_core.support.number_format import format_number, latex_number

_NOT_FROM_LAYERS = (
    "Each layer of this trace is applied to the embedded input, as in the recipe. The output is that of the stack, in "
    "which each layer is applied to the output of the previous one. It is not computed from the layers of this trace."
)


def resid_pre(source: OperandSource, cell: Cell) -> RuleResult:
    """The output of the previous layer; the embedded input for the first layer and with attention_read_out="input"."""
    assert cell.layer is not None
    if cell.layer == 0 or source.config.attention_read_out == "input":
        step = copy_step("embedded input", r"\mathrm{embedded}_{tj}", source.operand("embedded", cell.index))
        return RuleResult(r"\mathrm{resid\_pre}_{tj} = \mathrm{embedded}_{tj}", (step,))
    previous = source.operand("resid_post", cell.index, cell.layer - 1)
    step = copy_step("output of the previous layer", r"\mathrm{resid\_post}^{(l-1)}_{tj}", previous)
    return RuleResult(r"\mathrm{resid\_pre}^{(l)}_{tj} = \mathrm{resid\_post}^{(l-1)}_{tj}", (step,))


def attn_in(source: OperandSource, cell: Cell) -> RuleResult:
    """The input of attention: the residual stream with post-norm, its norm with pre-norm."""
    sentence, token, dimension = cell.index
    if source.config.norm == "pre":
        row = source.operands_along("resid_pre", (sentence, token, None), cell.layer)
        return derive_norm(source, [row], dimension, f"layers.{cell.layer}.norm1")
    stream = source.operand("resid_pre", cell.index, cell.layer)
    step = copy_step("residual stream, without a norm (post-norm)", r"\mathrm{resid\_pre}_{tj}", stream)
    return RuleResult(r"\mathrm{attn\_in}_{tj} = \mathrm{resid\_pre}_{tj}", (step,))


def resid_mid(source: OperandSource, cell: Cell) -> RuleResult:
    """The residual stream plus the output of attention."""
    return _residual(source, cell, "resid_pre", "attn_out", "attention")


def mlp_in(source: OperandSource, cell: Cell) -> RuleResult:
    """The input of the feed-forward network: the norm of resid_mid, norm1 with post-norm, norm2 with pre-norm."""
    sentence, token, dimension = cell.index
    name = "norm1" if source.config.norm == "post" else "norm2"
    row = source.operands_along("resid_mid", (sentence, token, None), cell.layer)
    return derive_norm(source, [row], dimension, f"layers.{cell.layer}.{name}")


def resid_post(source: OperandSource, cell: Cell) -> RuleResult:
    """The output of the layer: norm2(mlp_in + mlp_out) with post-norm, resid_mid + mlp_out with pre-norm."""
    assert cell.layer is not None
    if source.config.norm == "pre":
        return _residual(source, cell, "resid_mid", "mlp_out", "mlp")
    sentence, token, dimension = cell.index
    residual, out = (source.operands_along(name, (sentence, token, None), cell.layer) for name in ("mlp_in", "mlp_out"))
    factor_steps, residual, f = _times_factor(source, residual, dimension, cell.layer, "mlp")
    norm = derive_norm(source, [residual, out], dimension, f"layers.{cell.layer}.norm2")
    formula = norm_formula(rf"{f}\mathrm{{mlp\_in}} + \mathrm{{mlp\_out}}")
    return RuleResult(formula, (*factor_steps, *norm.steps))


def output(source: OperandSource, cell: Cell) -> RuleResult:
    """The output of the last layer, after the final norm if there is one."""
    last, (sentence, token, dimension) = len(source.trace.layers) - 1, cell.index
    if not source.config.has_chained_layers:
        return RuleResult("", note=_NOT_FROM_LAYERS)
    if source.config.final_norm:
        row = source.operands_along("resid_post", (sentence, token, None), last)
        return derive_norm(source, [row], dimension, "final_norm")
    last_output = source.operand("resid_post", cell.index, last)
    step = copy_step("output of the last layer", r"\mathrm{resid\_post}^{(L)}_{tj}", last_output)
    return RuleResult(r"\mathrm{output}_{tj} = \mathrm{resid\_post}^{(L)}_{tj}", (step,))


def _residual(source: OperandSource, cell: Cell, stream: str, added: str, sublayer: Sublayer) -> RuleResult:
    """The residual, times its factor where an edit sets one, plus the output of the sublayer."""
    assert cell.layer is not None
    residual, out = ([source.operand(name, cell.index, cell.layer)] for name in (stream, added))
    factor_steps, residual, f = _times_factor(source, residual, 0, cell.layer, sublayer)
    left, right, total = (name.replace("_", r"\_") for name in (stream, added, cell.tensor))
    formula = rf"{f}\mathrm{{{left}}}_{{tj}} + \mathrm{{{right}}}_{{tj}}"
    step = sum_step("residual plus sublayer", formula, single_summands(residual), single_summands(out))
    return RuleResult(rf"\mathrm{{{total}}}_{{tj}} = {formula}", (*factor_steps, step))


def _times_factor(
    source: OperandSource, residual: list[Operand], index: int, layer: int, sublayer: Sublayer
) -> tuple[tuple[Step, ...], list[Operand], str]:
    """The residual of a sublayer times the factor of an edit.

    Returns the step for the number at `index`, the products of all numbers, and the factor for the formula; without
    such an edit, no step, the numbers themselves, and an empty text.
    """
    factor = source.effects.residual_factors.get((layer, sublayer))
    if factor is None:
        return (), residual, ""
    step = sum_step(
        f"residual times its factor {format_number(factor)}",
        r"f\,x_j",
        product_summands([residual[index]], [Operand("residual factor", factor)]),
    )
    products = [Operand(f"{format_number(factor)} × {operand.name}", factor * operand.value) for operand in residual]
    return (step,), products, rf"{latex_number(format_number(factor, 6))} \cdot "
