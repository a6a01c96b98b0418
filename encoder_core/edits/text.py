"""Edits as short texts for a URL: "head.2.0=0", "score.0.3.1.4.7=2.5", "unscaled".

A text is a name, then indices (counted from 0) after dots, then a number after "=". It contains only letters, digits,
"_", ".", "-" and "=": characters that a URL does not escape, and none that separates several edits, such as ",".
"""

import math
import re
from numbers import Integral, Real
from typing import Any, NamedTuple, get_args

from encoder_core.edits.edit_types import (
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
from encoder_core.support.validation import invalid_value, require_choice, require_integer, require_type


class _TextFormat(NamedTuple):
    """The text format of a type of edit.

    edit_type  the class of the edit
    indices    the fields after dots
    value      the field after "=", or None
    fixed      fields and values that the name implies
    """

    edit_type: type
    indices: tuple[str, ...] = ()
    value: str | None = None
    fixed: tuple[tuple[str, str], ...] = ()


_FORMATS = {
    "token_embedding": _TextFormat(SetTokenEmbedding, ("id", "dimension"), "value"),
    **{
        matrix.replace("_", "").lower(): _TextFormat(
            SetWeight, ("layer", "head", "row", "column"), "value", (("matrix", matrix),)
        )
        for matrix in get_args(Matrix)
    },
    "token": _TextFormat(ReplaceToken, ("batch", "position"), "id"),
    "hide": _TextFormat(HideToken, ("batch", "position")),
    "embedded": _TextFormat(SetEmbedded, ("batch", "position", "dimension"), "value"),
    "unscaled": _TextFormat(Unscaled),
    "score": _TextFormat(SetScore, ("batch", "layer", "head", "query", "key"), "value"),
    "temperature": _TextFormat(Temperature, (), "value"),
    "head": _TextFormat(HeadFactor, ("layer", "head"), "factor"),
    "residual": _TextFormat(ResidualFactor, ("layer", "sublayer"), "factor"),
    "dropout": _TextFormat(Dropout, ("seed",), "rate"),
}
_INTEGER = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")
_CHOICES = {"sublayer": get_args(Sublayer)}
_OPTIONAL = ("rate",)
_MAX_LENGTH = 120  # of a text, in characters; the longest that `format_edit` writes has fewer than 100


def format_edit(edit: Edit) -> str:
    """The text of an edit. `parse_edit` returns exactly the same edit for every finite number.

    Raises ValueError for what is no edit, and for a field that has no text, such as an index of -1 or a value of NaN.
    """
    for name, text_format in _FORMATS.items():
        is_type = isinstance(edit, text_format.edit_type)
        if is_type and all(getattr(edit, field) == value for field, value in text_format.fixed):
            indices = "".join(f".{_format_index(field, getattr(edit, field))}" for field in text_format.indices)
            field = text_format.value
            if field is None or (field in _OPTIONAL and getattr(edit, field) is None):
                return f"{name}{indices}"
            return f"{name}{indices}={_shortest_decimal(field, getattr(edit, field))}"
    raise invalid_value("edit", edit, "the types of `encoder_core.edits`")


def parse_edit(text: str) -> Edit:
    """The edit with this text. Its method `check` tests whether it fits a model.

    Raises ValueError that names the text, the problem and the format that is allowed.
    """
    require_type("edit", text, str, "texts such as 'head.2.0=0'")
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"edit {text[:20]!r}…: {len(text)} characters are invalid: allowed are at most {_MAX_LENGTH}.")
    left, equals, value = text.partition("=")
    name, *indices = left.split(".")
    text_format = _FORMATS.get(name)
    if text_format is None:
        raise ValueError(f"edit {text!r}: name={name!r} is unknown: allowed are {', '.join(_FORMATS)}.")
    pattern = _pattern(name, text_format)
    if len(indices) != len(text_format.indices):
        count = len(text_format.indices)
        raise ValueError(f"edit {text!r}: the number of indices is {len(indices)} instead of {count}; write {pattern}.")
    is_required = text_format.value is not None and text_format.value not in _OPTIONAL
    if is_required and not equals:
        raise ValueError(f"edit {text!r}: the number after '=' is missing; write {pattern}.")
    if equals and text_format.value is None:
        raise ValueError(f"edit {text!r}: this edit has no value; write {pattern}.")
    parts = dict(zip(text_format.indices, indices, strict=True))
    if equals and text_format.value is not None:
        parts[text_format.value] = value
    types = text_format.edit_type.__annotations__
    fields = {field: _parse_field(text, field, types[field] is int, part) for field, part in parts.items()}
    return text_format.edit_type(**dict(text_format.fixed), **fields)


def _parse_field(text: str, field: str, is_integer: bool, part: str) -> int | float | str:
    if field in _CHOICES:
        allowed = ", ".join(map(repr, _CHOICES[field]))
        if part in _CHOICES[field]:
            return part
    elif is_integer:
        allowed = "whole numbers from 0"
        if _INTEGER.fullmatch(part):
            return int(part)
    else:
        allowed = "finite numbers such as 2, -0.25 or 1e-6"
        if _NUMBER.fullmatch(part) and math.isfinite(float(part)):
            return float(part)
    raise ValueError(f"edit {text!r}: {field}={part!r} is invalid: allowed are {allowed}.")


def _format_index(field: str, value: int | str) -> str:
    if field in _CHOICES:
        require_choice(field, value, _CHOICES[field])
        return str(value)
    return str(require_integer(field, value, 0))


def _shortest_decimal(field: str, value: Any) -> str:
    """The shortest decimal form of the number. Its exponent has no "+", which a URL decodes to a space."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise invalid_value(field, value, "finite numbers")
    if isinstance(value, Integral):
        return str(int(value))
    mantissa, _, exponent = repr(float(value)).partition("e")
    return mantissa.removesuffix(".0") + (f"e{int(exponent)}" if exponent else "")


def _pattern(name: str, text_format: _TextFormat) -> str:
    value = f"=<{text_format.value}>" if text_format.value else ""
    return name + "".join(f".<{field}>" for field in text_format.indices) + value
