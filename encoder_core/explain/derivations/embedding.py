"""Derivations of the tensors before the first layer: lookup, scale, position encoding, sum, embedding norm."""

import numpy as np

from encoder_core.analysis import one_hot
from encoder_core.config import EmbeddingScale, embedding_factors
from encoder_core.explain.cell import PARAMETERS, Cell
from encoder_core.explain.derivation import Operand, Step, product_summands, single_summands, sum_step
from encoder_core.explain.derivations.norm import derive_norm, norm_formula
from encoder_core.explain.derivations.operand_source import OperandSource
from encoder_core.explain.derivations.rule_result import RuleResult, copy_step
from encoder_core.inputs.positions import sinusoid_frequency, sinusoid_layout

TABLE = f"{PARAMETERS}token_embedding"
# The embedding scales in LaTeX.
SCALE_SYMBOLS: dict[EmbeddingScale, str] = {
    "none": "1",
    "sqrt_d": r"\sqrt{d_\mathrm{model}}",
    "inv_sqrt_d": r"\tfrac{1}{\sqrt{d_\mathrm{model}}}",
}
_EMBEDDINGS_AS_INPUT = RuleResult("", note="The inputs are embeddings, not ids: this number is an input.")


def lookup(source: OperandSource, cell: Cell) -> RuleResult:
    """E[id, j]: column j of row `id`."""
    if source.trace.ids is None:
        return _EMBEDDINGS_AS_INPUT
    *token, dimension = cell.index
    row = source.operand("ids", tuple(token))
    entry = source.operand(TABLE, (int(row.value), dimension))
    steps = (
        copy_step("id of the token", r"\mathrm{id}_t", row),
        copy_step("entry of its row", r"E_{\mathrm{id}, j}", entry),
    )
    return RuleResult(r"\mathrm{token\_embedding}_{tj} = E_{\mathrm{id}_t,\, j}", steps)


def one_hot_product(source: OperandSource, cell: Cell) -> RuleResult:
    """sum_i onehot(id)_i E[i, j]: the only term that may differ from 0 is that of the id."""
    if source.trace.ids is None:
        return _EMBEDDINGS_AS_INPUT
    sentence, token, dimension = cell.index
    column = source.operands_along(TABLE, (None, dimension))
    one_hot_values = one_hot(source.trace.ids[sentence, token : token + 1], len(column))[0].tolist()
    vector = [Operand(f"onehot[{i}]", value) for i, value in enumerate(one_hot_values)]
    step = sum_step(
        "one-hot times column", r"\sum_i \mathrm{onehot}(\mathrm{id}_t)_i E_{ij}", product_summands(vector, column)
    )
    return RuleResult(r"\mathrm{token\_embedding}_{tj} = \sum_i \mathrm{onehot}(\mathrm{id}_t)_i \, E_{ij}", (step,))


def scaled_embedding(source: OperandSource, cell: Cell) -> RuleResult:
    """token_embedding times the embedding scale."""
    words = {"none": "1", "sqrt_d": "√d_model", "inv_sqrt_d": "1/√d_model"}[source.config.embedding_scale]
    factor = Operand(words, embedding_factors(source.config.d_model)[source.config.embedding_scale])
    symbol = SCALE_SYMBOLS[source.config.embedding_scale]
    embedding = source.operand("token_embedding", cell.index)
    step = sum_step(
        f"times {words}", rf"\mathrm{{token\_embedding}}_{{tj}} \cdot {symbol}", product_summands([embedding], [factor])
    )
    return RuleResult(
        rf"\mathrm{{scaled\_embedding}}_{{tj}} = \mathrm{{token\_embedding}}_{{tj}} \cdot {symbol}", (step,)
    )


def position_encoding(source: OperandSource, cell: Cell) -> RuleResult:
    """A sine or cosine of the position, an entry of the learned table, or 0."""
    match source.config.positions:
        case "sinusoidal":
            return _sinusoid(source, *cell.index)
        case "learned":
            entry = source.operand(f"{PARAMETERS}position_embedding", cell.index)
            return RuleResult(
                r"P_{tj} \text{, an entry of the position table}",
                (copy_step("entry of the position table", "P_{tj}", entry),),
            )
        case _:
            return RuleResult(r"P_{tj} = 0", (Step("no positions are added", "0", 0.0),))


def _sinusoid(source: OperandSource, token: int, dimension: int) -> RuleResult:
    """sin or cos of t 10000^(-2i / d_model); the layout of the sinusoids determines i and the function.

    t counts from 0; on screen, positions count from 1.
    """
    config = source.config
    index, is_cosine = sinusoid_layout(config.d_model, config.position_layout, config.position_frequencies)
    i = int(index[dimension])
    frequency = float(sinusoid_frequency(np.array([i]), config.d_model)[0])
    wave, name = (np.cos, "cosine") if is_cosine[dimension] else (np.sin, "sine")
    angle = product_summands([Operand("position − 1", float(token))], [Operand("frequency", frequency)])
    angle_step = sum_step("angle in radians", r"\theta = t\,\omega_i", angle)
    function = rf"\{wave.__name__}"
    steps = (
        Step("index of the frequency", "i", float(i)),
        Step("frequency", r"\omega_i = 10000^{-2i / d_\mathrm{model}}", frequency),
        angle_step,
        Step(f"{name} of the angle", rf"{function}\,\theta", float(wave(angle_step.value))),
    )
    indices = rf"t = {token} \text{{ for position }} {token + 1}, \quad j = {dimension} \Rightarrow i = {i}"
    return RuleResult(
        rf"P_{{tj}} = {function}\left(\frac{{t}}{{10000^{{2i / d_\mathrm{{model}}}}}}\right), \quad {indices}",
        steps,
    )


def embedding_sum(source: OperandSource, cell: Cell) -> RuleResult:
    """The scaled embedding plus the position encoding."""
    parts = [source.operand("scaled_embedding", cell.index), source.operand("position_encoding", cell.index[1:])]
    step = sum_step("embedding plus position", r"\mathrm{scaled\_embedding}_{tj} + P_{tj}", single_summands(parts))
    tensor = cell.tensor.replace("_", r"\_")
    return RuleResult(rf"\mathrm{{{tensor}}}_{{tj}} = \mathrm{{scaled\_embedding}}_{{tj}} + P_{{tj}}", (step,))


def embedded(source: OperandSource, cell: Cell) -> RuleResult:
    """The scaled embedding plus the position encoding in models without an embedding norm; then dropout."""
    return _then_dropout(source, cell, embedding_sum(source, cell))


def embedding_norm(source: OperandSource, cell: Cell) -> RuleResult:
    """The embedding norm of a row of embedding_sum; then dropout in training mode."""
    sentence, token, dimension = cell.index
    row = source.operands_along("embedding_sum", (sentence, token, None))
    steps = derive_norm(source, [row], dimension, "embedding_norm").steps
    return _then_dropout(source, cell, RuleResult(norm_formula(r"\mathrm{embedding\_sum}"), steps))


def _then_dropout(source: OperandSource, cell: Cell, result: RuleResult) -> RuleResult:
    dropout = source.dropout_steps("embedded", cell, result.steps[-1].value)
    return result._replace(steps=(*result.steps, *dropout))
