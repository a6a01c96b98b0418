"""All kinds of edits."""

from encoder_core.edits.inputs import HideToken, ReplaceToken, SetEmbedded, SetTokenEmbedding
from encoder_core.edits.layers import Dropout, HeadFactor, ResidualFactor, SetScore, SetWeight, Temperature, Unscaled

Edit = (
    SetTokenEmbedding
    | SetWeight
    | ReplaceToken
    | HideToken
    | SetEmbedded
    | Unscaled
    | SetScore
    | Temperature
    | HeadFactor
    | ResidualFactor
    | Dropout
)
