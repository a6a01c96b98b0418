"""The mask of a run as code: by its name where it has one, else cell by cell."""

import numpy as np
from jaxtyping import Bool

from encoder_core.edits.apply import edited_mask
from encoder_core.export.cells import literal
from encoder_core.inputs.masks import MaskName, attention_mask
from encoder_core.trace import Run

NAMES: tuple[MaskName | None, ...] = (None, "padding", "causal", "causal+padding")


def has_mask(run: Run, name: MaskName | None) -> bool:
    """Whether the mask of the run is this one, apart from tokens that edits hide."""
    named = attention_mask(name, run.trace.real, run.config.num_heads)
    return np.array_equal(edited_mask(named, run.effects), run.trace.mask)


def mask_cells_source(run: Run) -> str:
    """Code that makes `mask` from its cells; axes along which it does not change have size 1."""
    visible = _shortest(run.trace.mask)
    rows = ["".join("1" if cell else "0" for cell in row) for row in visible.reshape(-1, visible.shape[-1])]
    return f'{literal("rows", rows)}\nmask = (np.array([list(row) for row in rows]) == "1").reshape{visible.shape}'


def _shortest(mask: Bool[np.ndarray, "batch head seq seq"]) -> Bool[np.ndarray, "_batch _head _query seq"]:
    """The mask with size 1 on each axis along which it does not change, except that of keys."""
    shortest = mask
    for axis in range(3):
        first = shortest.take([0], axis)
        if np.array_equal(np.broadcast_to(first, mask.shape), mask):
            shortest = first
    return shortest
