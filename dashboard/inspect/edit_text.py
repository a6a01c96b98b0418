"""Edits as text, counted as on screen: layers, heads, sentences and tokens from 1, dimensions from 0."""

from typing import assert_never

from dashboard.models.model import Model, model_for
from encoder_core import Edit
from encoder_core.edits import (
    Dropout,
    HeadFactor,
    HideToken,
    ReplaceToken,
    ResidualFactor,
    SetEmbedded,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Temperature,
    Unscaled,
)
from encoder_core.explain.number_format import format_number
from encoder_core.figures.base import shorten


def describe_edit(edit: Edit, model: Model) -> str:
    """Describe the effect of an edit on this model in one line, with long tokens shortened."""
    match edit:
        case SetTokenEmbedding(id, dimension, value):
            return f"E[{shorten(model.vocabulary[id])}, {dimension}] = {format_number(value, 4)}"
        case SetEmbedded(batch, position, dimension, value):
            return f"embedded[{_token_name(model, batch, position)}, {dimension}] = {format_number(value, 4)}"
        case SetWeight(matrix, layer, head, row, column, value):
            return f"{matrix} of layer {layer + 1}, head {head + 1} [{row}, {column}] = {format_number(value, 4)}"
        case SetScore(batch, layer, head, query, key, value):
            pair = f"{_token_name(model, batch, query)} → {_token_name(model, batch, key)}"
            return f"score {pair}, layer {layer + 1}, head {head + 1} = {format_number(value, 4)}"
        case ReplaceToken(batch, position, id):
            return f"{_token_name(model_for(model.settings), batch, position)} becomes {shorten(model.vocabulary[id])}"
        case HideToken(batch, position):
            return f"{_token_name(model, batch, position)} is hidden as key"
        case Temperature(value):
            return f"temperature {format_number(value, 4)}"
        case HeadFactor(layer, head, factor):
            times = "off" if factor == 0 else f"× {format_number(factor, 4)}"
            return f"layer {layer + 1}, head {head + 1} {times}"
        case ResidualFactor(layer, sublayer, factor):
            times = "removed" if factor == 0 else f"× {format_number(factor, 4)}"
            return f"residual around {'attention' if sublayer == 'attention' else 'feed-forward'} {layer + 1} {times}"
        case Unscaled():
            return "scores not divided by √d_head"
        case Dropout(seed):
            return f"dropout, seed {seed}"
        case unknown:
            assert_never(unknown)


def _token_name(model: Model, batch: int, position: int) -> str:
    tokens = model.batch.tokens
    sentence = f"sentence {batch + 1}, " if len(tokens) > 1 else ""
    return f"{sentence}{position + 1} · {shorten(tokens[batch][position])}"
