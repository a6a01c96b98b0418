"""A safetensors file as a mapping of parameters, each read when it is asked for."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from safetensors import SafetensorError, safe_open

from encoder_core.pretrained.bert import PretrainedError, Stored, names_in_file

_FLOATS = ("F16", "F32", "F64")


class Checkpoint(Mapping[str, Float[np.ndarray, "..."]]):
    """Parameter name -> float32 array, read at each access and not kept: a large model is never in memory twice."""

    def __init__(self, file: Any, places: Mapping[str, tuple[Stored, ...]]) -> None:
        self._file = file
        self._places = places
        self._names = _resolve(file, places)

    def __getitem__(self, name: str) -> Float[np.ndarray, "..."]:
        first, *others = (self._read(stored) for stored in self._places[name])
        array = np.asarray(sum(others, start=first), np.float32)
        if not np.isfinite(array).all():
            raise PretrainedError(
                f"{self._places[name][0].name!r} in model.safetensors holds values that are not finite."
            )
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _read(self, stored: Stored) -> Float[np.ndarray, "..."]:
        name = self._names[stored.name]
        if stored.rows is not None:
            return self._file.get_slice(name)[: stored.rows]
        array = self._file.get_tensor(name)
        return array.T if stored.transposed else array


@contextmanager
def open_checkpoint(path: Path, places: Mapping[str, tuple[Stored, ...]]) -> Iterator[Checkpoint]:
    """The parameters of a file, while it is open. Nothing of it is run, and no pickle is ever read.

    Raises PretrainedError where the file is damaged, or has not the tensors of these names, shapes and types.
    """
    try:
        opened = safe_open(path, framework="numpy")
    except (SafetensorError, OSError) as error:
        raise PretrainedError(f"{path.name} is truncated, or no safetensors file ({error}).") from error
    with opened as file:
        yield Checkpoint(file, places)


def _resolve(file: Any, places: Mapping[str, tuple[Stored, ...]]) -> dict[str, str]:
    """What each tensor is called in the file, all of them checked before the first is read."""
    in_file = set(file.keys())
    names, missing = {}, []
    for stored in (stored for parts in places.values() for stored in parts):
        name = next((name for name in names_in_file(stored.name) if name in in_file), None)
        if name is None:
            missing.append(stored.name)
            continue
        header = file.get_slice(name)
        shape, kind = tuple(header.get_shape()), header.get_dtype()
        if shape != stored.shape:
            raise PretrainedError(
                f"tensor {name!r} of model.safetensors has shape {shape}, but config.json asks for {stored.shape}."
            )
        if kind not in _FLOATS:
            raise PretrainedError(f"tensor {name!r} is stored as {kind}, which is not one of {', '.join(_FLOATS)}.")
        names[stored.name] = name
    if missing:
        shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        raise PretrainedError(f"model.safetensors lacks {len(missing)} of the tensors of a BERT: {shown}.")
    return names
