"""Edits applied to NumPy arrays: parameters, ids, rows, mask. Nothing given is changed, and what no edit touches is
not copied. What happens inside a block travels into the compiled program instead: see `controls.py`."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from encoder_core.config import EncoderConfig
from encoder_core.edits.inputs import HideToken, ReplaceToken, SetEmbedded, SetTokenEmbedding
from encoder_core.edits.kinds import Edit
from encoder_core.edits.layers import SetWeight, Temperature

_KERNELS = {"W_Q": "query", "W_K": "key", "W_V": "value", "W_O": "out"}


def check_edits(edits: Sequence[Edit], config: EncoderConfig, batch: int, seq: int) -> None:
    """Raises ValueError naming the first edit that does not fit the model and the input, alone or with the others."""
    temperature = 1.0
    for edit in edits:
        edit.check(config, batch, seq)
        if isinstance(edit, Temperature):
            temperature *= edit.value
    Temperature(temperature).check(config, batch, seq)  # of all together


def first_changed_layer(edits: Sequence[Edit]) -> int:
    """The first block whose steps these edits change: what enters it is the same as without them."""
    return min((getattr(edit, "layer", 0) for edit in edits), default=0)


def weight_cells(edits: Sequence[Edit], config: EncoderConfig) -> Iterator[tuple[int, str, tuple[int, int], float]]:
    """Layer, kernel ("query", "key", "value" or "out"), cell (row, column) of the kernel over all heads, and value."""
    for edit in edits:
        if isinstance(edit, SetWeight):
            past = edit.head * config.d_head  # the heads before this one
            cell = (past + edit.row, edit.column) if edit.matrix == "W_O" else (edit.row, past + edit.column)
            yield edit.layer, _KERNELS[edit.matrix], cell, edit.value


def edited_parameters(
    parameters: dict[str, Float[np.ndarray, "..."]], edits: Sequence[Edit], config: EncoderConfig
) -> dict[str, Float[np.ndarray, "..."]]:
    """The flat dictionary of parameters after `SetTokenEmbedding` and `SetWeight`: what a what-if is computed with."""
    edited = dict(parameters)

    def set_cell(name: str, cell: tuple[int, int], value: float) -> None:
        if edited[name] is parameters[name]:
            edited[name] = parameters[name].copy()
        edited[name][cell] = value

    for edit in edits:
        if isinstance(edit, SetTokenEmbedding):
            set_cell("token_embedding", (edit.id, edit.dimension), edit.value)
    for layer, kernel, cell, value in weight_cells(edits, config):
        set_cell(f"layers.{layer}.attention.{kernel}.kernel", cell, value)
    for name, array in edited.items():
        if array is not parameters[name]:
            array.setflags(write=False)
    return edited


def edited_ids(ids: Int[np.ndarray, "batch seq"], edits: Sequence[Edit]) -> Int[np.ndarray, "batch seq"]:
    """The ids after `ReplaceToken`."""
    edited = ids.copy()
    for edit in edits:
        if isinstance(edit, ReplaceToken):
            edited[edit.batch, edit.position] = edit.id
    return edited


def edited_rows(
    rows: Float[np.ndarray, "batch seq d_model"], ids: Int[np.ndarray, "batch seq"], edits: Sequence[Edit]
) -> Float[np.ndarray, "batch seq d_model"]:
    """The looked-up rows after `SetTokenEmbedding`: the same as looking them up in the edited table, without a copy of
    the table, which may be large."""
    edited = rows.copy()
    for edit in edits:
        if isinstance(edit, SetTokenEmbedding):
            edited[ids == edit.id, edit.dimension] = edit.value
    return edited


def edited_mask(
    mask: Bool[np.ndarray, "batch head seq seq"], edits: Sequence[Edit]
) -> Bool[np.ndarray, "batch head seq seq"]:
    """The mask after `HideToken`."""
    hidden = [edit for edit in edits if isinstance(edit, HideToken)]
    if not hidden:
        return mask
    edited = mask.copy()
    for edit in hidden:
        edited[edit.batch, :, :, edit.position] = False
    edited.setflags(write=False)
    return edited


def set_embedded(
    embedded: Float[np.ndarray, "batch seq d_model"], edits: Sequence[Edit]
) -> Float[np.ndarray, "batch seq d_model"]:
    """The embedded input after `SetEmbedded`."""
    edited = embedded.copy()
    for edit in edits:
        if isinstance(edit, SetEmbedded):
            edited[edit.batch, edit.position, edit.dimension] = edit.value
    return edited
