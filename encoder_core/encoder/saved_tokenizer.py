"""A tokenizer as data for JSON, and back: its kind, and what a tokenizer of this kind is made from."""

from collections.abc import Collection
from typing import Any

from encoder_core.inputs.task_tokenizer import SPLITS, TaskTokenizer
from encoder_core.inputs.tokenizer import PAD, Tokenizer, WordTokenizer
from encoder_core.pretrained import WordPieceTokenizer
from encoder_core.support.validation import (
    invalid_value,
    require_choice,
    require_integer,
    require_items,
    require_type,
    short_repr,
)

# The fields of each kind. A text is split by the functions of this package only: a file has the name of one.
_FIELDS = {
    "words": ("vocabulary",),
    "wordpiece": ("json",),
    "task": ("vocabulary", "inputs", "rule", "max_len", "split", "unknown"),
}


def tokenizer_data(tokenizer: Tokenizer | None) -> dict[str, Any] | None:
    """The data for `read_tokenizer`. Raises ValueError for a tokenizer of another package: its code is in no file."""
    if tokenizer is None:
        return None
    if type(tokenizer) is WordTokenizer:
        return {"kind": "words", "vocabulary": tokenizer.vocabulary}
    if type(tokenizer) is WordPieceTokenizer:
        return {"kind": "wordpiece", "json": tokenizer.to_json()}
    splits = {function: name for name, function in SPLITS.items()}
    if isinstance(tokenizer, TaskTokenizer) and tokenizer.split in splits:
        given = {name: getattr(tokenizer, name) for name in _FIELDS["task"]}
        return {"kind": "task", **given, "inputs": sorted(tokenizer.inputs), "split": splits[tokenizer.split]}
    allowed = "tokenizers of this package and None; give its own one to Encoder.from_parameters after loading"
    raise invalid_value("tokenizer", tokenizer, allowed)


def read_tokenizer(data: Any) -> Tokenizer | None:
    """The tokenizer. Raises ValueError for any other data than `tokenizer_data` returns."""
    if data is None:
        return None
    require_type("tokenizer", data, dict, "null and objects of JSON")
    kind = require_choice("kind", data.get("kind"), _FIELDS)
    require_fields("tokenizer", data, ("kind", *_FIELDS[kind]))
    if kind == "wordpiece":
        require_type("json", data["json"], str, "strings")
        return WordPieceTokenizer.from_json(data["json"])
    vocabulary = require_items("vocabulary", data["vocabulary"], str, "lists of tokens")
    return _word_tokenizer(vocabulary) if kind == "words" else _task_tokenizer(vocabulary, data)


def require_fields(name: str, data: dict[str, Any], fields: Collection[str]) -> None:
    """Raises ValueError unless the data have these fields and no others."""
    missing, unknown = sorted(set(fields) - data.keys()), sorted(data.keys() - set(fields))
    if missing or unknown:
        raise ValueError(
            f"{name} lacks {short_repr(missing)} and has {short_repr(unknown)}: allowed are the fields of Encoder.save."
        )


def _word_tokenizer(vocabulary: list[str]) -> WordTokenizer:
    tokenizer = WordTokenizer(vocabulary)
    if list(tokenizer.vocabulary) != vocabulary:
        raise invalid_value("vocabulary", vocabulary, "lists of different tokens that begin with [PAD] and [UNK]")
    return tokenizer


def _task_tokenizer(vocabulary: list[str], data: dict[str, Any]) -> TaskTokenizer:
    inputs = frozenset(require_items("inputs", data["inputs"], str, "lists of tokens"))
    rule, unknown = data["rule"], data["unknown"]
    require_type("rule", rule, str, "strings")
    if vocabulary[:1] != [PAD] or len(set(vocabulary)) < len(vocabulary):
        raise invalid_value("vocabulary", vocabulary, "lists of different tokens that begin with [PAD]")
    if not inputs <= set(vocabulary):
        raise invalid_value("inputs", data["inputs"], "tokens of the vocabulary")
    if unknown is not None and unknown not in vocabulary:
        raise invalid_value("unknown", unknown, "null and tokens of the vocabulary")
    max_len = require_integer("max_len", data["max_len"], 1)
    split = SPLITS[require_choice("split", data["split"], SPLITS)]
    return TaskTokenizer(tuple(vocabulary), inputs, rule, max_len, split, unknown)
