"""An encoder as a safetensors file: parameters as tensors, configuration and tokenizer as JSON in the metadata.

Such a file contains numbers and text only. Nothing in it is run.
"""

import json
import secrets
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from encoder_core.config import EncoderConfig, field_names
from encoder_core.encoder.saved_tokenizer import read_tokenizer, require_fields, tokenizer_data
from encoder_core.inputs.tokenizer import Tokenizer
from encoder_core.parameters import ParameterDict, Parameters, require_names
from encoder_core.support.validation import require_type, short_repr

_FLOATS = ("F16", "F32", "F64")
_MOST_CHARACTERS = {"config": 10_000, "tokenizer": 50_000_000}  # the format allows 100 MB of metadata


def write_encoder(
    path: str | Path,
    config: EncoderConfig,
    parameters: Parameters,
    tokenizer: Tokenizer | None,
    *,
    makes_vocabulary: bool,
) -> None:
    """Write the file, in the place of another one, which stays as it is if the writing fails. Raises ValueError and
    OSError as `Encoder.save` does.

    makes_vocabulary  whether the encoder, without a tokenizer, makes its vocabulary from each text
    """
    path = _checked_path(path)
    metadata = {"config": json.dumps(asdict(config)), "tokenizer": json.dumps(tokenizer_data(tokenizer))}
    for name, text in metadata.items():
        _require_length(name, text)
    metadata["makes_vocabulary"] = json.dumps(makes_vocabulary)
    _replace_file(path, save({name: np.ascontiguousarray(array) for name, array in parameters.items()}, metadata))


def _replace_file(path: Path, content: bytes) -> None:
    """Write the content beside the file, then rename it: no other process reads half a file, and no full disk leaves
    one. A link stays, and the file that it names is replaced. What is no file, such as a device, is written to."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)  # raises IsADirectoryError for a folder
        return
    target = path.resolve()
    partial = target.with_name(f".{secrets.token_hex(8)}.partial")  # a random name: two processes can save at once
    try:
        partial.write_bytes(content)
        if target.exists():
            partial.chmod(target.stat().st_mode)
        partial.replace(target)
    except BaseException:  # KeyboardInterrupt, too
        partial.unlink(missing_ok=True)
        raise


def read_encoder(path: str | Path) -> tuple[EncoderConfig, ParameterDict, Tokenizer | None, bool]:
    """The configuration, float32 parameters, tokenizer, and whether the encoder makes its vocabulary from each text.

    Raises ValueError as `Encoder.load` does.
    """
    path = _checked_path(path)
    if not path.is_file():
        raise ValueError(f"{short_repr(str(path))} is no file: allowed are files of Encoder.save.")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            config = _read_config(_read_json("config", metadata))
            tokenizer = read_tokenizer(_read_json("tokenizer", metadata))
            makes_vocabulary = metadata.get("makes_vocabulary") == "true"
            return config, _read_parameters(file, config), tokenizer, makes_vocabulary
    except (SafetensorError, OSError) as error:
        raise ValueError(f"{path.name} is truncated or not a safetensors file ({error}).") from error
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error


def _checked_path(path: str | Path) -> Path:
    require_type("path", path, str | Path, "paths of files, such as 'encoder.safetensors'")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:  # of an unknown user, "~name"
        raise ValueError(f"path={short_repr(str(path))} is invalid: {error}") from None


def _read_json(name: str, metadata: dict[str, str]) -> Any:
    if name not in metadata:
        raise ValueError(f"the metadata have no {name!r}: allowed are files of Encoder.save.")
    _require_length(name, metadata[name])
    try:
        return json.loads(metadata[name])
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name!r} in the metadata is not JSON ({error}).") from None


def _require_length(name: str, text: str) -> None:
    most = _MOST_CHARACTERS[name]
    if len(text) > most:
        raise ValueError(f"{name!r} in the metadata has {len(text):,} characters: allowed are at most {most:,}.")


def _read_config(data: Any) -> EncoderConfig:
    require_type("config", data, dict, "objects of JSON")
    require_fields("config", data, field_names())
    places = data["dropout_at"]  # JSON has no tuples
    return EncoderConfig(**data | {"dropout_at": tuple(places) if isinstance(places, list) else places})


def _read_parameters(file: Any, config: EncoderConfig) -> ParameterDict:
    """The parameters, in the order of the forward pass. Checks all names, shapes and types before the first is read."""
    headers = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - not a dictionary
    shapes = require_names(config, headers)
    for name, shape in shapes.items():
        stored, dtype = tuple(headers[name].get_shape()), headers[name].get_dtype()
        if stored != shape:
            raise ValueError(f"parameter {name!r}: shape={stored} is invalid: allowed is {shape}.")
        if dtype not in _FLOATS:
            raise ValueError(f"parameter {name!r} is stored as {dtype}: allowed are {', '.join(_FLOATS)}.")
    parameters = {}
    for name in shapes:
        with np.errstate(over="ignore"):  # an infinite number gets the message below
            parameters[name] = np.asarray(file.get_tensor(name), np.float32)
        if not np.isfinite(parameters[name]).all():
            raise ValueError(f"parameter {name!r} contains values that are not finite in float32.")
    return parameters
