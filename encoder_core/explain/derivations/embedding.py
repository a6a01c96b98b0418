"""From the id of a token to the number that enters the first block."""

import numpy as np

from encoder_core.analysis import one_hot
from encoder_core.config import embedding_factors
from encoder_core.explain.cell import PARAMETERS, Cell
from encoder_core.explain.derivation import Operand, Step, each, products, sums
from encoder_core.explain.derivations.norm import formula_of, normalised
from encoder_core.explain.derivations.source import Source
from encoder_core.explain.derivations.worked import Worked, copied
from encoder_core.inputs.positions import frequency, waves

TABLE = f"{PARAMETERS}token_embedding"
_GIVEN = Worked("", note="The trace was given embeddings, not ids: this number was put in, not looked up.")


def lookup(source: Source, cell: Cell) -> Worked:
    """E[id, j]: column j of the row that the id names."""
    if source.trace.ids is None:
        return _GIVEN
    *token, dimension = cell.index
    row = source.at("ids", tuple(token))
    entry = source.at(TABLE, (int(row.value), dimension))
    steps = (copied("id of the token", r"\mathrm{id}_t", row), copied("entry of its row", r"E_{\mathrm{id}, j}", entry))
    return Worked(r"\mathrm{token\_embedding}_{tj} = E_{\mathrm{id}_t,\, j}", steps)


def one_hot_product(source: Source, cell: Cell) -> Worked:
    """sum_i onehot(id)_i E[i, j]: all terms are 0 but that of the id."""
    if source.trace.ids is None:
        return _GIVEN
    sentence, token, dimension = cell.index
    column = source.along(TABLE, (None, dimension))
    hot = one_hot(source.trace.ids[sentence, token : token + 1], len(column))[0].tolist()
    vector = [Operand(f"onehot[{i}]", value) for i, value in enumerate(hot)]
    step = sums("one-hot times column", r"\sum_i \mathrm{onehot}(\mathrm{id}_t)_i E_{ij}", products(vector, column))
    return Worked(r"\mathrm{token\_embedding}_{tj} = \sum_i \mathrm{onehot}(\mathrm{id}_t)_i \, E_{ij}", (step,))


def scaled(source: Source, cell: Cell) -> Worked:
    """The looked-up number times the embedding scale."""
    name = {"none": "1", "sqrt_d": r"\sqrt{d_\mathrm{model}}", "inv_sqrt_d": r"\tfrac{1}{\sqrt{d_\mathrm{model}}}"}
    words = {"none": "1", "sqrt_d": "√d_model", "inv_sqrt_d": "1/√d_model"}[source.config.embedding_scale]
    factor = Operand(words, embedding_factors(source.config.d_model)[source.config.embedding_scale])
    symbol = name[source.config.embedding_scale]
    looked_up = source.at("token_embedding", cell.index)
    step = sums(
        f"times {words}", rf"\mathrm{{token\_embedding}}_{{tj}} \cdot {symbol}", products([looked_up], [factor])
    )
    return Worked(rf"\mathrm{{scaled\_embedding}}_{{tj}} = \mathrm{{token\_embedding}}_{{tj}} \cdot {symbol}", (step,))


def position(source: Source, cell: Cell) -> Worked:
    """A sine or cosine of the position, an entry of the learned table, or 0."""
    match source.config.positions:
        case "sinusoidal":
            return _sinusoid(source, *cell.index)
        case "learned":
            entry = source.at(f"{PARAMETERS}position_embedding", cell.index)
            return Worked(
                r"P_{tj} \text{, an entry of the position table}",
                (copied("entry of the position table", "P_{tj}", entry),),
            )
        case _:
            return Worked(r"P_{tj} = 0", (Step("no positions are added", "0", 0.0),))


def _sinusoid(source: Source, token: int, dimension: int) -> Worked:
    """sin or cos of position x 10000^(-2i / d_model); which, and which i, the layout of the dimensions says.

    t counts from 0; on screen, positions count from 1.
    """
    config = source.config
    index, is_cosine = waves(config.d_model, config.position_layout, config.position_frequencies)
    i = int(index[dimension])
    falling = float(frequency(np.array([i]), config.d_model)[0])
    wave, name = (np.cos, "cosine") if is_cosine[dimension] else (np.sin, "sine")
    angle = products([Operand("position − 1", float(token))], [Operand("frequency", falling)])
    turned = sums("angle in radians", r"\theta = t\,\omega_i", angle)
    function = rf"\{wave.__name__}"
    steps = (
        Step("index of the frequency", "i", float(i)),
        Step("frequency", r"\omega_i = 10000^{-2i / d_\mathrm{model}}", falling),
        turned,
        Step(f"{name} of the angle", rf"{function}\,\theta", float(wave(turned.value))),
    )
    of_dimension = rf"t = {token} \text{{ for position }} {token + 1}, \quad j = {dimension} \Rightarrow i = {i}"
    return Worked(
        rf"P_{{tj}} = {function}\left(\frac{{t}}{{10000^{{2i / d_\mathrm{{model}}}}}}\right), \quad {of_dimension}",
        steps,
    )


def summed(source: Source, cell: Cell) -> Worked:
    """The scaled row plus the position encoding: what an embedding norm reads."""
    parts = [source.at("scaled_embedding", cell.index), source.at("position_encoding", cell.index[1:])]
    step = sums("embedding plus position", r"\mathrm{scaled\_embedding}_{tj} + P_{tj}", each(parts))
    tensor = cell.tensor.replace("_", r"\_")
    return Worked(rf"\mathrm{{{tensor}}}_{{tj}} = \mathrm{{scaled\_embedding}}_{{tj}} + P_{{tj}}", (step,))


def embedded(source: Source, cell: Cell) -> Worked:
    """The same sum where no norm reads it; in training mode, dropout after that."""
    return _then_dropout(source, cell, summed(source, cell))


def normed(source: Source, cell: Cell) -> Worked:
    """The embedding norm of the row of the sum; in training mode, dropout after that."""
    sentence, token, dimension = cell.index
    row = source.along("embedding_sum", (sentence, token, None))
    steps = normalised(source, [row], dimension, "embedding_norm").steps
    return _then_dropout(source, cell, Worked(formula_of(r"\mathrm{embedding\_sum}"), steps))


def _then_dropout(source: Source, cell: Cell, worked: Worked) -> Worked:
    dropped = source.dropout("embedded", cell, worked.steps[-1].value)
    return worked._replace(steps=(*worked.steps, *dropped))
