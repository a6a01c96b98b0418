"""Apply edits to NumPy arrays: parameters, ids, rows, mask, embedded input.

The arguments are never changed. Arrays without edits are not copied, except ids and rows. The compiled program applies
the edits inside a layer (see `engine/program_inputs.py`).
"""

import numpy as np
from jaxtyping import Bool, Float, Int

from encoder_core.edits.effects import Effects
from encoder_core.parameters import Parameters
from encoder_core.support.read_only import ReadOnlyOverlay


def edited_parameters(parameters: Parameters, effects: Effects) -> Parameters:
    """The parameters by name after `SetTokenEmbedding` and `SetWeight`, in a read-only mapping where there are any."""
    if not effects.parameters:
        return parameters
    edited = {}
    for name, cells in effects.parameters.items():
        edited[name] = parameters[name].copy()
        for cell, value in cells.items():
            edited[name][cell] = value
    return ReadOnlyOverlay(parameters, edited)


def edited_ids(ids: Int[np.ndarray, "batch seq"], effects: Effects) -> Int[np.ndarray, "batch seq"]:
    """The ids after `ReplaceToken`."""
    edited = ids.copy()
    for cell, token_id in effects.ids.items():
        edited[cell] = token_id
    return edited


def edited_rows(
    rows: Float[np.ndarray, "batch seq d_model"], ids: Int[np.ndarray, "batch seq"], effects: Effects
) -> Float[np.ndarray, "batch seq d_model"]:
    """The looked-up rows after `SetTokenEmbedding`.

    They are the rows of the edited table. The table, which can be large, is not copied.
    """
    edited = rows.copy()
    for (token_id, dimension), value in effects.parameters.get("token_embedding", {}).items():
        edited[ids == token_id, dimension] = value
    return edited


def edited_mask(
    mask: Bool[np.ndarray, "batch head seq seq"], effects: Effects
) -> Bool[np.ndarray, "batch head seq seq"]:
    """The mask after `HideToken`."""
    if not effects.hidden:
        return mask
    edited = mask.copy()
    for sentence, token in effects.hidden:
        edited[sentence, :, :, token] = False
    edited.setflags(write=False)
    return edited


def set_embedded(
    embedded: Float[np.ndarray, "batch seq d_model"], effects: Effects
) -> Float[np.ndarray, "batch seq d_model"]:
    """The embedded input after `SetEmbedded`."""
    if not effects.embedded:
        return embedded
    edited = embedded.copy()
    for cell, value in effects.embedded.items():
        edited[cell] = value
    return edited
