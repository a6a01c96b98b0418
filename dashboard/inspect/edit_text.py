"""Edits as text, counted as on screen: layers, heads, sentences and tokens from 1, dimensions from 0."""

import re
from typing import assert_never

from dashboard.markdown import escape_markdown, escape_message, isolate
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
from encoder_core.support.number_format import format_number
from encoder_core.support.wording import form_for, format_count, head_name, shorten

SUBLAYER_NAMES: dict[str, str] = {"attention": "attention", "mlp": "feed-forward"}

# The index of an edit -> what it counts, in the singular and the plural, and whether these are tokens of a sentence.
_PARTS = {
    "layer": ("layer", "layers", False),
    "head": ("head", "heads", False),
    "batch": ("sentence", "sentences", False),
    "position": ("token", "tokens", True),
    "query": ("token", "tokens", True),
    "key": ("token", "tokens", True),
    "id": ("token in the vocabulary", "tokens in the vocabulary", False),
    "dimension": ("dimension", "dimensions", False),
    "row": ("row", "rows", False),
    "column": ("column", "columns", False),
}
# How messages of `encoder_core` write an index, which counts from 0, and a sublayer.
_INDEX = re.compile(r"\b(layer|head)=(\d+)")
_SUBLAYER = re.compile(r"\bsublayer='(attention|mlp)'")


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
            return f"{matrix} of {head_name(layer, head)} [{row}, {column}] = {format_number(value, 4)}"
        case SetScore(batch, layer, head, query, key, value):
            pair = f"{_token_name(model, batch, query)} → {_token_name(model, batch, key)}"
            return f"score {pair}, {head_name(layer, head)} = {format_number(value, 4)}"
        case ReplaceToken(batch, position, id):
            return f"{_token_name(model_for(model.settings), batch, position)} becomes {_word(model, id)}"
        case HideToken(batch, position):
            return f"{_token_name(model, batch, position)} is hidden as key"
        case Temperature(value):
            return f"temperature {format_number(value, 4)}"
        case HeadFactor(layer, head, factor):
            times = "off" if factor == 0 else f"× {format_number(factor, 4)}"
            return f"{head_name(layer, head)} {times}"
        case ResidualFactor(layer, sublayer, factor):
            times = "removed" if factor == 0 else f"× {format_number(factor, 4)}"
            return f"residual around {SUBLAYER_NAMES[sublayer]} {layer + 1} {times}"
        case Unscaled():
            return "scores not divided by √d_head"
        case Dropout(seed, rate):
            return f"dropout, seed {seed}" + ("" if rate is None else f", rate {format_number(rate, 17)}")
        case unknown:
            assert_never(unknown)


def describe_ignored_edit(problem: IgnoredEdit, model: Model) -> str:
    """The sentence about an edit that this model does not use, as markdown. It names the edit as the edit bar does."""
    name = escape_markdown(describe_edit(problem.edit, model))
    return f"The edit “{name}” is ignored: {describe_reason(problem, model)}"


def describe_reason(problem: IgnoredEdit, model: Model) -> str:
    """Why this model does not use an edit, as markdown: the end of a sentence, with layers and heads counted from 1."""
    if problem.missing is None:
        counted = _INDEX.sub(lambda index: f"{index[1]} {int(index[2]) + 1}", problem.reason)
        return escape_message(_SUBLAYER.sub(lambda sublayer: SUBLAYER_NAMES[sublayer[1]], counted))
    index, size = problem.missing
    one, several, is_token = _PARTS[index]
    where = " in a sentence" if is_token and len(model.batch.tokens) > 1 else ""
    return f"there {form_for(size, 'is', 'are')} {format_count(size, one, several)}{where}."


def _word(model: Model, id: int) -> str:
    return isolate(shorten(model.vocabulary[id])) if id < len(model.vocabulary) else f"id {id}"


def _token_name(model: Model, batch: int, position: int) -> str:
    tokens = model.batch.tokens
    sentence = f"sentence {batch + 1}, " if len(tokens) > 1 or batch else ""
    if batch >= len(tokens) or position >= len(tokens[batch]):
        return f"{sentence}token {position + 1}"
    return f"{sentence}{position + 1} · {isolate(shorten(tokens[batch][position]))}"
