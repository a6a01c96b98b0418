"""Edits as short texts for an address: "head.2.0=0", "score.0.3.1.4.7=2.5", "unscaled".

A text is a name, then indices (counted from 0) after dots, then a number after "=". It holds letters, digits, "_", ".",
"-" and "=" only: nothing that an address would escape, and nothing that could not separate several of them, as ",".
"""

import math
import re
from typing import NamedTuple, get_args

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


class _Form(NamedTuple):
    """How a kind of edit is written: the fields after dots, the field after "=", and those that the name stands for."""

    kind: type
    places: tuple[str, ...] = ()
    value: str | None = None
    fixed: tuple[tuple[str, str], ...] = ()


_FORMS = {
    "token_embedding": _Form(SetTokenEmbedding, ("id", "dimension"), "value"),
    **{
        matrix.replace("_", "").lower(): _Form(
            SetWeight, ("layer", "head", "row", "column"), "value", (("matrix", matrix),)
        )
        for matrix in get_args(Matrix)
    },
    "token": _Form(ReplaceToken, ("batch", "position"), "id"),
    "hide": _Form(HideToken, ("batch", "position")),
    "embedded": _Form(SetEmbedded, ("batch", "position", "dimension"), "value"),
    "unscaled": _Form(Unscaled),
    "score": _Form(SetScore, ("batch", "layer", "head", "query", "key"), "value"),
    "temperature": _Form(Temperature, (), "value"),
    "head": _Form(HeadFactor, ("layer", "head"), "factor"),
    "residual": _Form(ResidualFactor, ("layer", "sublayer"), "factor"),
    "dropout": _Form(Dropout, ("seed",), "rate"),
}
_INTEGER = re.compile(r"[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?")
_WORDS = {"sublayer": get_args(Sublayer)}
_OPTIONAL = ("rate",)


def to_text(edit: Edit) -> str:
    """The short text of an edit; `from_text` gives back an equal edit, exactly, for every finite number."""
    for name, form in _FORMS.items():
        if isinstance(edit, form.kind) and all(getattr(edit, field) == word for field, word in form.fixed):
            places = "".join(f".{getattr(edit, field)}" for field in form.places)
            value = None if form.value is None else getattr(edit, form.value)
            return f"{name}{places}" if value is None else f"{name}{places}={_digits(value)}"
    raise ValueError(f"{edit!r} is no edit that has a text.")


def from_text(text: str) -> Edit:
    """The edit that a text stands for; whether it fits a model, its `check` says.

    Raises ValueError that names the text, what is wrong with it and what is allowed.
    """
    left, equals, right = text.partition("=")
    name, *places = left.split(".")
    form = _FORMS.get(name)
    if form is None:
        raise ValueError(f"edit {text!r}: {name!r} is not one of {', '.join(_FORMS)}.")
    pattern = _pattern(name, form)
    if len(places) != len(form.places):
        raise ValueError(f"edit {text!r}: {len(places)} of {len(form.places)} places after the name; write {pattern}.")
    required = form.value is not None and form.value not in _OPTIONAL
    if (required and not equals) or (equals and form.value is None):
        problem = "a number after '=' is missing" if required else "there is no number to set"
        raise ValueError(f"edit {text!r}: {problem}; write {pattern}.")
    given = dict(zip(form.places, places, strict=True))
    if equals and form.value is not None:
        given[form.value] = right
    types = form.kind.__annotations__
    read = {field: _read(text, field, types[field] is int, part) for field, part in given.items()}
    return form.kind(**dict(form.fixed), **read)


def _read(text: str, field: str, is_integer: bool, part: str) -> int | float | str:
    if field in _WORDS:
        if part not in _WORDS[field]:
            raise ValueError(f"edit {text!r}: {field} {part!r} is not one of {', '.join(map(repr, _WORDS[field]))}.")
        return part
    if is_integer:
        if not _INTEGER.fullmatch(part):
            raise ValueError(f"edit {text!r}: {field} {part!r} is not a whole number of at least 0.")
        return int(part)
    if not _NUMBER.fullmatch(part) or not math.isfinite(float(part)):
        raise ValueError(f"edit {text!r}: {field} {part!r} is not a finite number like 2, -0.25 or 1e-6.")
    return float(part)


def _digits(value: float | int) -> str:
    """The fewest digits that give back the same number; the exponent without "+", which an address reads as a space."""
    if isinstance(value, int):
        return str(value)
    mantissa, _, exponent = repr(float(value)).partition("e")
    return mantissa.removesuffix(".0") + (f"e{int(exponent)}" if exponent else "")


def _pattern(name: str, form: _Form) -> str:
    return name + "".join(f".<{field}>" for field in form.places) + (f"=<{form.value}>" if form.value else "")
