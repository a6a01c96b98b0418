"""What-if edits: small, frozen changes to a forward pass. They are traced values, so none of them compiles anything.

They take effect in the order in which data flows, whatever their order in the list:

    1. parameters     SetTokenEmbedding, SetWeight
    2. tokens         ReplaceToken, HideToken
    3. embedded       SetEmbedded
    4. in each layer  Unscaled, SetScore, Temperature, HeadFactor, ResidualFactor

`Dropout` is training mode; it drops before an edit sets the embedded input, and after the other edits of its place.
Edits of one kind compose: factors and temperatures multiply (the product has the range of a single one), and of two
that set the same cell the later one wins. `effects_of` validates a list of edits and combines them.
"""

from encoder_core.edits.apply import edited_parameters
from encoder_core.edits.effects import Effects, effects_of
from encoder_core.edits.inputs import HideToken, ReplaceToken, SetEmbedded, SetTokenEmbedding
from encoder_core.edits.kinds import Edit
from encoder_core.edits.layers import (
    Dropout,
    HeadFactor,
    Matrix,
    ResidualFactor,
    SetScore,
    SetWeight,
    Sublayer,
    Temperature,
    Unscaled,
)
from encoder_core.edits.text import from_text, to_text

__all__ = [
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
    "edited_parameters",
    "effects_of",
    "from_text",
    "to_text",
]
