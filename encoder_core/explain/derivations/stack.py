"""The residual stream from block to block, its norms, and the output (Vaswani et al. 2017, section 3.1)."""

from encoder_core.edits import Sublayer
from encoder_core.explain.cell import Cell
from encoder_core.explain.derivation import Operand, Step, each, products, sums
from encoder_core.explain.derivations.norm import formula_of, normalised
from encoder_core.explain.derivations.source import Source
from encoder_core.explain.derivations.worked import Worked, copied, linear, plus_bias
from encoder_core.explain.number_format import format_number

_NOT_SHOWN = (
    "The layers shown each read the embedded input, as the recipe's read-out does; the output is that of the stack, in "
    "which each layer reads what the one before it gave. So it does not follow from the layers shown."
)


def resid_pre(source: Source, cell: Cell) -> Worked:
    """What the block before gave; for the first block, and where each block reads the input, what is embedded."""
    assert cell.layer is not None
    if cell.layer == 0 or source.config.attention_read_out == "input":
        step = copied("what enters the stack", r"\mathrm{embedded}_{tj}", source.at("embedded", cell.index))
        return Worked(r"\mathrm{resid\_pre}_{tj} = \mathrm{embedded}_{tj}", (step,))
    before = source.at("resid_post", cell.index, cell.layer - 1)
    step = copied("what the layer before gives", r"\mathrm{resid\_post}^{(l-1)}_{tj}", before)
    return Worked(r"\mathrm{resid\_pre}^{(l)}_{tj} = \mathrm{resid\_post}^{(l-1)}_{tj}", (step,))


def attn_in(source: Source, cell: Cell) -> Worked:
    """What attention reads: the stream, or with pre-norm the norm of it."""
    sentence, token, dimension = cell.index
    if source.config.norm == "pre":
        row = source.along("resid_pre", (sentence, token, None), cell.layer)
        return normalised(source, [row], dimension, f"layers.{cell.layer}.norm1")
    stream = source.at("resid_pre", cell.index, cell.layer)
    step = copied("the stream itself: post-norm", r"\mathrm{resid\_pre}_{tj}", stream)
    return Worked(r"\mathrm{attn\_in}_{tj} = \mathrm{resid\_pre}_{tj}", (step,))


def resid_mid(source: Source, cell: Cell) -> Worked:
    """The stream plus what attention adds."""
    return _residual(source, cell, "resid_pre", "attn_out", "attention")


def mlp_in(source: Source, cell: Cell) -> Worked:
    """What the feed-forward network reads: the norm of resid_mid, norm1 with post-norm, norm2 with pre-norm."""
    sentence, token, dimension = cell.index
    name = "norm1" if source.config.norm == "post" else "norm2"
    row = source.along("resid_mid", (sentence, token, None), cell.layer)
    return normalised(source, [row], dimension, f"layers.{cell.layer}.{name}")


def resid_post(source: Source, cell: Cell) -> Worked:
    """What leaves the block: norm2(mlp_in + mlp_out) with post-norm, resid_mid + mlp_out with pre-norm."""
    assert cell.layer is not None
    if source.config.norm == "pre":
        return _residual(source, cell, "resid_mid", "mlp_out", "mlp")
    sentence, token, dimension = cell.index
    past, out = (source.along(name, (sentence, token, None), cell.layer) for name in ("mlp_in", "mlp_out"))
    factored, past, f = _times_factor(source, past, dimension, cell.layer, "mlp")
    worked = normalised(source, [past, out], dimension, f"layers.{cell.layer}.norm2")
    formula = formula_of(rf"{f}\mathrm{{mlp\_in}} + \mathrm{{mlp\_out}}")
    return Worked(formula, (*factored, *worked.steps))


def output(source: Source, cell: Cell) -> Worked:
    """What leaves the last block, through the final norm if there is one."""
    last, (sentence, token, dimension) = len(source.trace.layers) - 1, cell.index
    if source.config.attention_read_out == "input" and last > 0:
        return Worked("", note=_NOT_SHOWN)
    if source.config.final_norm:
        row = source.along("resid_post", (sentence, token, None), last)
        return normalised(source, [row], dimension, "final_norm")
    left = source.at("resid_post", cell.index, last)
    step = copied("what the last layer gives", r"\mathrm{resid\_post}^{(L)}_{tj}", left)
    return Worked(r"\mathrm{output}_{tj} = \mathrm{resid\_post}^{(L)}_{tj}", (step,))


def logits(source: Source, cell: Cell) -> Worked:
    """output W_head + b: one number for each entry of the vocabulary."""
    sentence, token, entry = cell.index
    step = linear(source, source.along("output", (sentence, token, None)), "output_head", entry)
    bias = plus_bias(source, "output_head", r"b_{\mathrm{head},v}")
    return Worked(
        rf"\mathrm{{logits}}_{{tv}} = \sum_i \mathrm{{output}}_{{ti}} \, (W_\mathrm{{head}})_{{iv}}{bias}", (step,)
    )


def _residual(source: Source, cell: Cell, stream: str, added: str, sublayer: Sublayer) -> Worked:
    """The stream, times its factor if an edit gives it one, plus what the sublayer adds."""
    assert cell.layer is not None
    past, out = ([source.at(name, cell.index, cell.layer)] for name in (stream, added))
    factored, past, f = _times_factor(source, past, 0, cell.layer, sublayer)
    left, right, total = (name.replace("_", r"\_") for name in (stream, added, cell.tensor))
    formula = rf"{f}\mathrm{{{left}}}_{{tj}} + \mathrm{{{right}}}_{{tj}}"
    step = sums("residual plus sublayer", formula, each(past), each(out))
    return Worked(rf"\mathrm{{{total}}}_{{tj}} = {formula}", (*factored, step))


def _times_factor(
    source: Source, past: list[Operand], own: int, layer: int, sublayer: Sublayer
) -> tuple[tuple[Step, ...], list[Operand], str]:
    """What flows past a sublayer, times the factor that an edit gives it: the step for the number at place `own`, the
    products, and the factor in a formula. Without such an edit: no step, the numbers as they are, and nothing."""
    factor = source.effects.residual_factors.get((layer, sublayer))
    if factor is None:
        return (), past, ""
    step = sums(
        f"residual times its factor {format_number(factor)}",
        r"f\,x_j",
        products([past[own]], [Operand("residual factor", factor)]),
    )
    times = [Operand(f"{format_number(factor)} × {operand.name}", factor * operand.value) for operand in past]
    return (step,), times, rf"{factor:g} \cdot "
