"""A folder with a trained model, checked and opened."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from encoder_core.config import EncoderConfig
from encoder_core.pretrained.bert import PretrainedError, encoder_config, stored_parameters
from encoder_core.pretrained.checkpoint import Checkpoint, open_checkpoint
from encoder_core.pretrained.hub import CONFIG, TOKENIZER, WEIGHTS, no_weights
from encoder_core.pretrained.wordpiece import WordPieceTokenizer


class OpenModel(NamedTuple):
    """A trained model, its parameters still in the file."""

    config: EncoderConfig
    parameters: Checkpoint
    tokenizer: WordPieceTokenizer


@contextmanager
def open_model(folder: Path, max_len: int) -> Iterator[OpenModel]:
    """The model in a folder, for texts of up to `max_len` pieces, while its file is open.

    Raises PretrainedError naming the file that is missing or damaged, or what in it does not fit.
    """
    if max_len < 3:
        raise PretrainedError(f"max_len={max_len} must be at least 3: [CLS], a piece and [SEP].")
    found = _read_config(folder)
    config = encoder_config(found, max_len)
    for name in (WEIGHTS, TOKENIZER):
        if not (folder / name).is_file():
            beside = {path.name for path in folder.iterdir()}
            raise PretrainedError(no_weights(str(folder), beside) if name == WEIGHTS else f"{folder} has no {name}.")
    tokenizer = WordPieceTokenizer.from_file(folder / TOKENIZER)
    if len(tokenizer) > config.vocab_size:
        raise PretrainedError(
            f"{TOKENIZER} has {len(tokenizer)} pieces, more than the {config.vocab_size} that {CONFIG} speaks of."
        )
    with open_checkpoint(folder / WEIGHTS, stored_parameters(config, found)) as parameters:
        yield OpenModel(config, parameters, tokenizer)


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    if not path.is_file():
        raise PretrainedError(f"{folder} has no {CONFIG}.")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise PretrainedError(f"{CONFIG} is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise PretrainedError(f"{CONFIG} holds no JSON object.")
    return found
