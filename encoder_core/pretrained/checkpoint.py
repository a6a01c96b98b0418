"""A safetensors file as a mapping of parameters, each read at its access."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from safetensors import SafetensorError, safe_open

from encoder_core.pretrained.bert import PretrainedError, Stored, names_in_file

_FLOATS = ("F16", "F32", "F64")


class CheckpointTensors(Mapping[str, Float[np.ndarray, "..."]]):
    """Parameter name -> float32 array, read at each access, so a large model is never in memory twice."""

    def __init__(self, file: Any, stored: Mapping[str, tuple[Stored, ...]]) -> None:
        self._file = file
        self._stored = stored
        self._names = _resolve(file, stored)

    def __getitem__(self, name: str) -> Float[np.ndarray, "..."]:
        first, *others = (self._read(tensor) for tensor in self._stored[name])
        array = np.asarray(sum(others, start=first), np.float32)
        if not np.isfinite(array).all():
            raise PretrainedError(
                f"{self._stored[name][0].name!r} in model.safetensors contains values that are not finite."
            )
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)

    def _read(self, tensor: Stored) -> Float[np.ndarray, "..."]:
        name = self._names[tensor.name]
        if tensor.rows is not None:
            return self._file.get_slice(name)[: tensor.rows]
        array = self._file.get_tensor(name)
        return array.T if tensor.transposed else array


@contextmanager
def open_checkpoint(path: Path, stored: Mapping[str, tuple[Stored, ...]]) -> Iterator[CheckpointTensors]:
    """Open a file and give access to its parameters. No code in it is run, and a pickle file is never read.

    Raises PretrainedError if the file is damaged, or a tensor is missing or has another shape or type.
    """
    try:
        opened = safe_open(path, framework="numpy")
    except (SafetensorError, OSError) as error:
        raise PretrainedError(f"{path.name} is truncated or not a safetensors file ({error}).") from error
    with opened as file:
        yield CheckpointTensors(file, stored)


def _resolve(file: Any, stored: Mapping[str, tuple[Stored, ...]]) -> dict[str, str]:
    """The name of each tensor in the file. Checks all tensors before the first is read."""
    in_file = set(file.keys())
    names, missing = {}, []
    for tensor in (tensor for tensors in stored.values() for tensor in tensors):
        name = next((name for name in names_in_file(tensor.name) if name in in_file), None)
        if name is None:
            missing.append(tensor.name)
            continue
        header = file.get_slice(name)
        shape, dtype = tuple(header.get_shape()), header.get_dtype()
        if shape != tensor.shape:
            raise PretrainedError(
                f"tensor {name!r} of model.safetensors has shape {shape}, but config.json requires {tensor.shape}."
            )
        if dtype not in _FLOATS:
            raise PretrainedError(f"tensor {name!r} is stored as {dtype}, which is not one of {', '.join(_FLOATS)}.")
        names[tensor.name] = name
    if missing:
        examples = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise PretrainedError(f"model.safetensors lacks {len(missing)} of the tensors of a BERT: {examples}.")
    return names
