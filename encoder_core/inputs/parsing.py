"""What an encoder can be given: text, ids or embeddings; all become rows of the embedding table's width."""

import warnings
from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from encoder_core.blocks import lookup
from encoder_core.config import EncoderConfig
from encoder_core.edits import Effects, ReplaceToken
from encoder_core.edits.apply import edited_ids, edited_rows
from encoder_core.inputs.tokenizer import TokenBatch, Tokenizer, WordTokenizer

Inputs = str | Sequence[str] | TokenBatch | Shaped[np.ndarray, "..."]
Table = Float[np.ndarray, "vocab d_model"]


class ReadInputs(NamedTuple):
    """The inputs as a trace shows them.

    tokens      token strings, batch x seq; empty where ids or embeddings were given
    ids         (batch, seq), or None where embeddings were given
    real        (batch, seq) False where a token is padding
    rows        (batch, seq, d_model) looked up, or given
    vocabulary  the token of each id, as far as it is known
    """

    tokens: tuple[tuple[str, ...], ...]
    ids: Int[np.ndarray, "batch seq"] | None
    real: Bool[np.ndarray, "batch seq"]
    rows: Float[np.ndarray, "batch seq d_model"]
    vocabulary: tuple[str, ...] = ()


def read_inputs(inputs: Inputs, config: EncoderConfig, table: Table, tokenizer: Tokenizer | None) -> ReadInputs:
    """Looked-up rows for text and ids, and embeddings as they are; text too long is cut, with a warning.

    Raises ValueError for what is none of them, or does not fit the model.
    """
    vocabulary = tokenizer.vocabulary if tokenizer else ()
    if isinstance(inputs, TokenBatch):
        found = _from_ids(inputs.ids, config, table)
        return found._replace(tokens=inputs.tokens, real=inputs.real.copy(), vocabulary=vocabulary)
    if _is_text(inputs):
        limit = config.max_len
        own = tokenizer or WordTokenizer.from_texts(inputs, max_len=limit, max_vocab=config.vocab_size)
        batch = own(inputs, max_len=limit)
        if any(batch.cut):
            warnings.warn(f"text cut at max_len={limit} tokens: {max(batch.cut)} left out.", stacklevel=3)
        return read_inputs(batch, config, table, own)
    array = np.asarray(inputs)
    if array.ndim == 2 and np.issubdtype(array.dtype, np.integer):
        return _from_ids(array, config, table)
    if array.ndim == 3 and np.issubdtype(array.dtype, np.floating):
        return _from_rows(array, config)
    raise ValueError(
        f"inputs of shape {array.shape} and type {array.dtype} are neither text, nor integer ids (batch, seq), "
        "nor embeddings (batch, seq, d_model)."
    )


def edit_inputs(found: ReadInputs, effects: Effects, table: Table) -> ReadInputs:
    """The inputs after the edits of tokens and of the embedding table, in the same words.

    Embeddings have no ids: no row of the table is looked up, so an edit of the table changes nothing. Raises
    ValueError where one of their tokens is to be replaced.
    """
    if found.ids is None:
        if effects.ids:
            replaced = next(edit for edit in effects.edits if isinstance(edit, ReplaceToken))
            raise ValueError(f"{replaced!r}: embeddings were given, which have no ids to replace; give text or ids.")
        return found
    ids = edited_ids(found.ids, effects)
    rows = edited_rows(lookup(table, ids), ids, effects)
    tokens = [list(sentence) for sentence in found.tokens]
    if tokens:
        for sentence, position in effects.ids:
            tokens[sentence][position] = _token(found, int(ids[sentence, position]))
    return found._replace(tokens=tuple(map(tuple, tokens)), ids=ids, rows=rows)


def _token(found: ReadInputs, of_id: int) -> str:
    """The token of an id: from the vocabulary, else from a sentence that has it, else the number in brackets."""
    if of_id < len(found.vocabulary):
        return found.vocabulary[of_id]
    where = np.argwhere(found.ids == of_id)
    return found.tokens[where[0][0]][where[0][1]] if len(where) else f"[{of_id}]"


def _from_ids(ids: Int[np.ndarray, "batch seq"], config: EncoderConfig, table: Table) -> ReadInputs:
    _require_length(ids.shape, config)
    vocab = config.vocab_size
    if ids.min() < 0 or ids.max() >= vocab:
        raise ValueError(f"ids from {ids.min()} to {ids.max()} are not all within 0 to {vocab - 1} (vocab_size).")
    return ReadInputs((), ids.astype(np.int32), np.ones(ids.shape, bool), lookup(table, ids))


def _from_rows(rows: Float[np.ndarray, "batch seq d_model"], config: EncoderConfig) -> ReadInputs:
    _require_length(rows.shape, config)
    if rows.shape[-1] != config.d_model:
        raise ValueError(f"embeddings of width {rows.shape[-1]} do not fit d_model={config.d_model}.")
    with np.errstate(over="ignore"):
        rows = rows.astype(np.float32)
    if not np.isfinite(rows).all():
        raise ValueError("the embeddings hold values that are not finite in float32.")
    return ReadInputs((), None, np.ones(rows.shape[:2], bool), rows)


def _require_length(shape: tuple[int, ...], config: EncoderConfig) -> None:
    batch, seq = shape[:2]
    if batch < 1 or not 1 <= seq <= config.max_len:
        raise ValueError(f"inputs of shape {shape}: batch must be at least 1 and seq 1 to {config.max_len} (max_len).")


def _is_text(inputs: object) -> TypeGuard[str | Sequence[str]]:
    return isinstance(inputs, str) or (isinstance(inputs, Sequence) and all(isinstance(i, str) for i in inputs))
