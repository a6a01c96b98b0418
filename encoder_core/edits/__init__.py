"""Edits: small, frozen changes to a forward pass. They are traced values, so no edit compiles anything.

Edits take effect in the order of the data flow, whatever their order in the list:

    1. parameters     SetTokenEmbedding, SetWeight
    2. tokens         ReplaceToken, HideToken
    3. embedded       SetEmbedded
    4. in each layer  Unscaled, SetScore, Temperature, HeadFactor, ResidualFactor

`Dropout` is training mode. In each place it is applied last, except that `SetEmbedded` comes after the dropout of the
embedded input. Edits of one type combine: factors and temperatures multiply (their product has the range of a single
one), and of two edits that set the same cell the later one applies. `combine_edits` validates and combines a list.
"""

from encoder_core.edits.apply import edited_parameters
from encoder_core.edits.edit_types import (
    FACTOR_RANGE,
    LARGEST_VALUE,
    Dropout,
    Edit,
    HeadFactor,
    HideToken,
    Matrix,
    ReplaceToken,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Sublayer,
    Temperature,
    Unscaled,
)
from encoder_core.edits.effects import Effects, combine_edits
from encoder_core.edits.kernel_cells import kernel_cell_edit
from encoder_core.edits.text import format_edit, parse_edit

__all__ = [
    "FACTOR_RANGE",
    "LARGEST_VALUE",
    "Dropout",
    "Edit",
    "Effects",
    "HeadFactor",
    "HideToken",
    "Matrix",
    "ReplaceToken",
    "ResidualFactor",
    "SetEmbedded",
    "SetScore",
    "SetTokenEmbedding",
    "SetWeight",
    "Sublayer",
    "Temperature",
    "Unscaled",
    "combine_edits",
    "edited_parameters",
    "format_edit",
    "kernel_cell_edit",
    "parse_edit",
]
