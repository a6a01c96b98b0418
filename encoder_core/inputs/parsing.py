"""Inputs of an encoder: text, ids or embeddings. All of them become rows of width d_model."""

import sys
import warnings
from collections.abc import Sequence
from types import FrameType
from typing import NamedTuple, TypeGuard

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from encoder_core.blocks import lookup
from encoder_core.config import EncoderConfig
from encoder_core.edits import Effects, ReplaceToken
from encoder_core.edits.apply import edited_ids, edited_rows
from encoder_core.inputs.tokenizer import UNK, TokenBatch, Tokenizer, WordTokenizer
from encoder_core.support.validation import invalid_value, require_array, require_items, require_type, short_repr

Inputs = str | Sequence[str] | TokenBatch | Shaped[np.ndarray, "..."]
_PACKAGE = __name__.partition(".")[0]
Table = Float[np.ndarray, "vocab d_model"]


class ParsedInputs(NamedTuple):
    """The inputs in the form in which a trace contains them.

    tokens      token strings, batch x seq; empty where the input is ids or embeddings
    ids         (batch, seq), or None where the input is embeddings
    real        (batch, seq) False where a token is padding
    rows        (batch, seq, d_model) looked-up rows, or the embeddings of the input
    vocabulary  the token of each id; empty where it is not known
    """

    tokens: tuple[tuple[str, ...], ...]
    ids: Int[np.ndarray, "batch seq"] | None
    real: Bool[np.ndarray, "batch seq"]
    rows: Float[np.ndarray, "batch seq d_model"]
    vocabulary: tuple[str, ...] = ()


def parse_inputs(
    inputs: Inputs, config: EncoderConfig, table: Table, tokenizer: Tokenizer | None, *, makes_vocabulary: bool = True
) -> ParsedInputs:
    """Tokens, ids and rows of the inputs. Text of more than `config.max_len` tokens is truncated, with a warning.

    makes_vocabulary  whether the vocabulary is made from the text where there is no tokenizer

    In such a vocabulary, words for which `config.vocab_size` has no room become [UNK], with a warning.
    Raises ValueError for inputs of another type, or that do not fit the model, and for text that nothing splits.
    """
    vocabulary = tokenizer.vocabulary if tokenizer is not None else ()
    if isinstance(inputs, TokenBatch):
        _require_batch(inputs)
        parsed = _parse_ids(inputs.ids, config, table)
        return parsed._replace(tokens=inputs.tokens, real=inputs.real.copy(), vocabulary=vocabulary)
    if _is_text(inputs):
        limit = config.max_len
        is_made_here = tokenizer is None
        if tokenizer is None and not makes_vocabulary:
            raise ValueError(
                "text needs a tokenizer: only the one that the parameters were trained with knows the ids of words. "
                "Pass it as tokenizer=..., or give ids or a TokenBatch."
            )
        if tokenizer is None:
            tokenizer = WordTokenizer.from_texts(inputs, max_len=limit, max_vocab=config.vocab_size)
        batch = tokenizer(inputs, max_len=limit)
        require_type("tokenizer(text)", batch, TokenBatch, "batches of the type TokenBatch")
        if any(batch.truncated):
            _warn(f"text truncated to max_len={limit} tokens: {max(batch.truncated)} left out.")
        if is_made_here:
            _warn_of_unknown_words(batch, tokenizer, config)
        return parse_inputs(batch, config, table, tokenizer)
    array = require_array("inputs", inputs, "rows of one length; text and a `TokenBatch` are padded")
    if array.ndim == 2 and np.issubdtype(array.dtype, np.integer):
        return _parse_ids(array, config, table)
    if array.ndim == 3 and np.issubdtype(array.dtype, np.floating):
        return _parse_embeddings(array, config)
    raise ValueError(
        f"inputs of shape {array.shape} and type {array.dtype} are invalid: allowed are text, integer ids (batch, seq) "
        "and embeddings (batch, seq, d_model)."
    )


def edit_inputs(inputs: ParsedInputs, effects: Effects, table: Table) -> ParsedInputs:
    """The inputs after the edits of tokens and of the embedding table.

    An edit of the table has no effect on embeddings, because no row is looked up. Raises ValueError for `ReplaceToken`
    on embeddings, which have no ids.
    """
    if inputs.ids is None:
        if effects.ids:
            edit = short_repr(next(edit for edit in effects.edits if isinstance(edit, ReplaceToken)))
            raise ValueError(f"{edit}: embeddings as inputs have no ids to replace: allowed are text and ids.")
        return inputs
    ids = edited_ids(inputs.ids, effects)
    rows = edited_rows(lookup(table, ids), ids, effects)
    tokens = [list(sentence) for sentence in inputs.tokens]
    if tokens:
        for sentence, position in effects.ids:
            tokens[sentence][position] = _token(inputs, int(ids[sentence, position]))
    return inputs._replace(tokens=tuple(map(tuple, tokens)), ids=ids, rows=rows)


def _token(inputs: ParsedInputs, token_id: int) -> str:
    """The token of an id: from the vocabulary, else from a sentence that contains it, else the id in brackets."""
    if token_id < len(inputs.vocabulary):
        return inputs.vocabulary[token_id]
    places = np.argwhere(inputs.ids == token_id)
    return inputs.tokens[places[0][0]][places[0][1]] if len(places) else f"[{token_id}]"


def _parse_ids(ids: Int[np.ndarray, "batch seq"], config: EncoderConfig, table: Table) -> ParsedInputs:
    _require_length(ids.shape, config)
    largest = config.vocab_size - 1
    if ids.min() < 0 or ids.max() > largest:
        raise ValueError(f"ids from {ids.min()} to {ids.max()} are invalid: allowed are 0 to {largest} (vocab_size).")
    return ParsedInputs((), ids.astype(np.int32), np.ones(ids.shape, bool), lookup(table, ids))


def _parse_embeddings(rows: Float[np.ndarray, "batch seq d_model"], config: EncoderConfig) -> ParsedInputs:
    _require_length(rows.shape, config)
    if rows.shape[-1] != config.d_model:
        raise ValueError(f"embeddings of width {rows.shape[-1]} are invalid: allowed is d_model={config.d_model}.")
    with np.errstate(over="ignore"):
        rows = rows.astype(np.float32)
    if not np.isfinite(rows).all():
        raise ValueError("the embeddings contain values that are not finite in float32.")
    return ParsedInputs((), None, np.ones(rows.shape[:2], bool), rows)


def _require_batch(batch: TokenBatch) -> None:
    """Raises ValueError unless the fields of the batch are of the right types and fit together."""
    ids, real = batch.ids, batch.real
    is_ids = isinstance(ids, np.ndarray) and ids.ndim == 2 and np.issubdtype(ids.dtype, np.integer)
    if not is_ids:
        raise invalid_value("ids", ids, "integer arrays of shape (batch, seq)")
    if not isinstance(real, np.ndarray) or real.dtype != bool or real.shape != ids.shape:
        raise invalid_value("real", real, f"boolean arrays of the shape of the ids, {ids.shape}")
    allowed = f"one token, as a text, for each of the ids of shape {ids.shape}"
    sentences = require_items("tokens", batch.tokens, tuple | list, allowed)
    if [len(sentence) for sentence in sentences] != [ids.shape[1]] * len(ids) or not all(
        isinstance(token, str) for sentence in sentences for token in sentence
    ):
        raise invalid_value("tokens", batch.tokens, allowed)


def _warn_of_unknown_words(batch: TokenBatch, tokenizer: Tokenizer, config: EncoderConfig) -> None:
    unknown = {word for sentence in batch.tokens for word in sentence}.difference(tokenizer.vocabulary)
    if unknown:
        _warn(
            f"vocab_size={config.vocab_size} is too small for the words of the text: {len(unknown)} of them became "
            f"{UNK}. Use vocab_size={len(tokenizer) + len(unknown)} or more."
        )


def _warn(message: str) -> None:
    """A warning that points at the line that called this package."""
    frame: FrameType | None = sys._getframe()
    level = 0
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level + 1)


def _require_length(shape: tuple[int, ...], config: EncoderConfig) -> None:
    batch, seq = shape[:2]
    if batch < 1 or not 1 <= seq <= config.max_len:
        limits = f"batch from 1 and seq from 1 to {config.max_len} (max_len)"
        raise ValueError(f"inputs of shape {shape} are invalid: allowed are {limits}.")


def _is_text(inputs: object) -> TypeGuard[str | Sequence[str]]:
    return isinstance(inputs, str) or (isinstance(inputs, Sequence) and all(isinstance(i, str) for i in inputs))
