"""Checks and opens the folder of a trained model."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from encoder_core.config import EncoderConfig
from encoder_core.parameters import Parameters
from encoder_core.pretrained.bert import PretrainedError, encoder_config, stored_parameters
from encoder_core.pretrained.checkpoint import CheckpointTensors, open_checkpoint
from encoder_core.pretrained.find import find_model, on_this_machine
from encoder_core.pretrained.hub import CONFIG, TOKENIZER, WEIGHTS, no_weights
from encoder_core.pretrained.wordpiece import SHORTEST, WordPieceTokenizer
from encoder_core.support.validation import require_integer, short_repr

_COMPARED = ("embedding_norm.scale", "layers.0.mlp.up.bias")


class OpenModel(NamedTuple):
    """A trained model. Its parameters are read from the file when they are accessed."""

    config: EncoderConfig
    parameters: CheckpointTensors
    tokenizer: WordPieceTokenizer


def require_max_len(max_len: int) -> int:
    """The length as an integer of Python. Raises PretrainedError unless it leaves room for a piece of a text."""
    try:
        return require_integer("max_len", max_len, SHORTEST)
    except ValueError:
        raise PretrainedError(
            f"max_len={short_repr(max_len)} must be a whole number from {SHORTEST}: [CLS], a piece and [SEP]."
        ) from None


@contextmanager
def open_model(folder: Path, max_len: int) -> Iterator[OpenModel]:
    """Open the model in a folder, for texts of up to `max_len` pieces.

    Raises PretrainedError that names the missing or damaged file, or the setting that does not fit.
    """
    bert = _read_config(folder)
    config = encoder_config(bert, require_max_len(max_len))
    for name in (WEIGHTS, TOKENIZER):
        if not (folder / name).is_file():
            files = {path.name for path in folder.iterdir()}
            raise PretrainedError(no_weights(str(folder), files) if name == WEIGHTS else f"{folder} has no {name}.")
    tokenizer = WordPieceTokenizer.from_file(folder / TOKENIZER)
    if len(tokenizer) > config.vocab_size:
        raise PretrainedError(
            f"{TOKENIZER} has {len(tokenizer)} pieces, more than the vocab_size={config.vocab_size} of {CONFIG}."
        )
    with open_checkpoint(folder / WEIGHTS, stored_parameters(config, bert)) as parameters:
        yield OpenModel(config, parameters, tokenizer)


def may_be_model(name: str, config: EncoderConfig, parameters: Parameters) -> bool:
    """Whether the model of this name has this configuration and these parameters, of which two are compared.

    True where the model is not on this machine or cannot be read. It reads only what it compares, which takes 1 ms.
    """
    if not on_this_machine(name):
        return True
    folder = find_model(name, allowed=None, max_bytes=0, offline=True, progress=None)
    try:
        bert = _read_config(folder)
        its_config = encoder_config(bert, config.max_len)
        with open_checkpoint(folder / WEIGHTS, stored_parameters(its_config, bert)) as stored:
            return config == its_config and all(np.array_equal(parameters[key], stored[key]) for key in _COMPARED)
    except PretrainedError:
        return True


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    if not path.is_file():
        raise PretrainedError(f"{folder} has no {CONFIG}.")
    try:
        bert = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise PretrainedError(f"{CONFIG} is not JSON: {error}.") from error
    if not isinstance(bert, dict):
        raise PretrainedError(f"{CONFIG} is not a JSON object.")
    return bert
