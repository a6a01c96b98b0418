"""Find the edit that sets a number on screen, or the score or factor that the number depends on."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from dashboard.selection.focus import Focus
from encoder_core import Edit, Run
from encoder_core.edits import (
    HeadFactor,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    Sublayer,
    kernel_cell_edit,
)
from encoder_core.explain import Cell


class CellEdit(NamedTuple):
    """What an edit can set: its name, a function from a new value to the edit, and its current value.

    is_factor  whether it is the factor of a head or a residual, instead of a number of a tensor
    """

    name: str
    make_edit: Callable[[float], Edit]
    value: float
    is_factor: bool = False


def find_cell_edit(cell: Cell, run: Run) -> CellEdit | None:
    """The edit for a number of the run; None if the number can only be changed through its operands."""
    if cell.parameter is not None:
        return _parameter_edit(cell, run)
    trace, layer, index = run.trace, cell.layer or 0, cell.index
    match cell.tensor, index:
        case "token_embedding", (batch, token, dimension):
            if trace.ids is None:
                return None
            row, value = int(trace.ids[batch, token]), float(trace.token_embedding[index])
            return CellEdit("this cell of E", lambda new: SetTokenEmbedding(row, dimension, new), value)
        case "embedded", (batch, token, dimension):
            value = float(trace.embedded[index])
            return CellEdit("this number", lambda new: SetEmbedded(batch, token, dimension, new), value)
        case (("scores" | "dot_products" | "pattern"), (batch, head, query, key)):
            value = float(trace.layers[layer].scores[index])
            name = "this score" if cell.tensor == "scores" else "the score of this pair"
            return CellEdit(name, lambda new: SetScore(batch, layer, head, query, key, new), value)
        case (("z" | "head_contributions"), (_, head, _, _)):
            factor = float(run.head_factors(layer)[head])
            return CellEdit("the factor of this head", lambda new: HeadFactor(layer, head, new), factor, is_factor=True)
        case (("resid_mid" | "resid_post"), _):
            sublayer: Sublayer = "attention" if cell.tensor == "resid_mid" else "mlp"
            factor = run.residual_factor(layer, sublayer)
            return CellEdit(
                "the factor of the residual", lambda new: ResidualFactor(layer, sublayer, new), factor, is_factor=True
            )
    return None


def sets_score_of(edit: Edit, at: Focus) -> bool:
    """Whether the edit sets a score of the selected query, in any layer and head."""
    return isinstance(edit, SetScore) and (edit.batch, edit.query) == (at.sentence, at.token)


def _parameter_edit(cell: Cell, run: Run) -> CellEdit | None:
    name, value = cell.parameter or "", float(run.edited_parameters[cell.parameter or ""][cell.index])
    if name == "token_embedding":
        row, dimension = cell.index
        return CellEdit("this cell of E", lambda new: SetTokenEmbedding(row, dimension, new), value)
    edit = kernel_cell_edit(name, cell.index, value, run.config.d_head)
    if edit is None:
        return None
    return CellEdit(f"this cell of {edit.matrix}", lambda new: replace(edit, value=new), value)
