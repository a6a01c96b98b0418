"""Edits as text, counted as on screen: layers, heads, sentences and tokens from 1, dimensions from 0."""

from typing import assert_never

from dashboard.markdown import escape_markdown, escape_message
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
from encoder_core.edits.compatible import IgnoredEdit
from encoder_core.explain.number_format import form_for, format_count, format_number
from encoder_core.figures.base import shorten


def describe_edit(edit: Edit, model: Model) -> str:
    """Describe the effect of an edit on this model in one line, with long tokens shortened.

    Tokens that the model does not have are named by their numbers.
    """
    match edit:
        case SetTokenEmbedding(id, dimension, value):
            return f"E[{_word(model, id)}, {dimension}] = {format_number(value, 4)}"
        case SetEmbedded(batch, position, dimension, value):
            return f"embedded[{_token_name(model, batch, position)}, {dimension}] = {format_number(value, 4)}"
        case SetWeight(matrix, layer, head, row, column, value):
            return f"{matrix} of layer {layer + 1}, head {head + 1} [{row}, {column}] = {format_number(value, 4)}"
        case SetScore(batch, layer, head, query, key, value):
            pair = f"{_token_name(model, batch, query)} → {_token_name(model, batch, key)}"
            return f"score {pair}, layer {layer + 1}, head {head + 1} = {format_number(value, 4)}"
        case ReplaceToken(batch, position, id):
            return f"{_token_name(model_for(model.settings), batch, position)} becomes {_word(model, id)}"
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


def describe_ignored_edit(problem: IgnoredEdit, model: Model) -> str:
    """The sentence about an edit that this model does not use, as markdown.

    An edit of a layer, head or token that the model does not have (any more) is named as in the edit bar.
    """
    missing = _missing_part(problem.edit, model)
    if not missing:
        return escape_message(problem)
    return f"The edit “{escape_markdown(describe_edit(problem.edit, model))}” is ignored: {missing}."


def _missing_part(edit: Edit, model: Model) -> str:
    """What there is too few of for this edit: "there are 2 layers"; empty where all its parts exist."""
    config, (batch, seq) = model.config, model.batch.ids.shape
    tokens = seq, f"token{' in a sentence' if batch > 1 else ''}", f"tokens{' in a sentence' if batch > 1 else ''}"
    matrix = (config.d_head, config.d_model) if isinstance(edit, SetWeight) and edit.matrix == "W_O" else (
        config.d_model, config.d_head
    )  # fmt: skip
    sizes = {
        "layer": (config.num_layers, "layer", "layers"), "head": (config.num_heads, "head", "heads"),
        "batch": (batch, "sentence", "sentences"), "position": tokens, "query": tokens, "key": tokens,
        "id": (config.vocab_size, "token in the vocabulary", "tokens in the vocabulary"),
        "dimension": (config.d_model, "dimension", "dimensions"), "row": (matrix[0], "row", "rows"),
        "column": (matrix[1], "column", "columns"),
    }  # fmt: skip
    for field, (size, one, several) in sizes.items():
        if getattr(edit, field, -1) >= size:
            return f"there {form_for(size, 'is', 'are')} {format_count(size, one, several)}"
    return ""


def _word(model: Model, id: int) -> str:
    return shorten(model.vocabulary[id]) if id < len(model.vocabulary) else f"id {id}"


def _token_name(model: Model, batch: int, position: int) -> str:
    tokens = model.batch.tokens
    sentence = f"sentence {batch + 1}, " if len(tokens) > 1 or batch else ""
    if batch >= len(tokens) or position >= len(tokens[batch]):
        return f"{sentence}token {position + 1}"
    return f"{sentence}{position + 1} · {shorten(tokens[batch][position])}"
