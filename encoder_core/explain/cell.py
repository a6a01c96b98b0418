"""The address of one number of a trace, of the measures of its run or of the parameters, with a text form for links."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Shaped

from encoder_core.explain.measures import LAYER_MEASURE_AXES, LENS_MEASURES, MEASURE_AXES, measure
from encoder_core.parameters import Parameters
from encoder_core.support.validation import invalid_value, require_index, require_type
from encoder_core.trace import EncoderTrace, Run, require_trace

PARAMETERS = "parameters."  # prefix of parameter names: the trace also has a `token_embedding`
_MAX_LENGTH = 120  # of an address, in characters; about twice that of the longest valid one

# The axes of each tensor, in the order of the forward pass; the axis names are those of `encoder_core`.
_TRACE_AXES = {
    "ids": "batch seq",
    "token_embedding": "batch seq d_model",
    "scaled_embedding": "batch seq d_model",
    "position_encoding": "seq d_model",
    "embedding_sum": "batch seq d_model",
    "embedded": "batch seq d_model",
}
_LAYER_AXES = {
    "resid_pre": "batch seq d_model",
    "attn_in": "batch seq d_model",
    "q": "batch head query d_head",
    "k": "batch head key d_head",
    "v": "batch head key d_head",
    "dot_products": "batch head query key",
    "scores": "batch head query key",
    "pattern": "batch head query key",
    "z": "batch head query d_head",
    "concat": "batch seq qkv_dim",
    "head_contributions": "batch head seq d_model",
    "attn_out": "batch seq d_model",
    "resid_mid": "batch seq d_model",
    "mlp_in": "batch seq d_model",
    "mlp_pre": "batch seq d_ff",
    "mlp_act": "batch seq d_ff",
    "mlp_out": "batch seq d_model",
    "resid_post": "batch seq d_model",
}
_OUTPUT_AXES = {
    "output": "batch seq d_model",
    "logits": "batch seq vocab",
    "probabilities": "batch seq vocab",
}
MEASURES = LAYER_MEASURE_AXES | MEASURE_AXES
_IN_LAYERS = _LAYER_AXES | LAYER_MEASURE_AXES
AXES = {name: tuple(axes.split()) for name, axes in (_TRACE_AXES | _LAYER_AXES | _OUTPUT_AXES | MEASURES).items()}


@dataclass(frozen=True)
class Cell:
    """The address of one number.

    tensor  name in the trace, of a measure, or "parameters." and the name of a parameter
    index   index in the tensor, from 0
    layer   layer from 0; None for tensors outside the layers and for parameters

    As a string: "pattern.3.0.1.4.7" is layer 3, sentence 0, head 1, query 4, key 7;
    "embedded.0.4.17" has no layer; "parameters.layers.3.attention.query.kernel.17.5" is row 17, column 5 of W_Q.
    """

    tensor: str
    index: tuple[int, ...]
    layer: int | None = None

    def __str__(self) -> str:
        numbers = self.index if self.layer is None else (self.layer, *self.index)
        return ".".join((self.tensor, *map(str, numbers)))

    @property
    def parameter(self) -> str | None:
        """The name of the parameter; None for a cell of the trace."""
        return self.tensor.removeprefix(PARAMETERS) if self.tensor.startswith(PARAMETERS) else None


class TensorShape(NamedTuple):
    """Axes and shape of a tensor, and the number of layers that have it; None for tensors outside the layers."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    layers: int | None


def tensor_shapes(trace: EncoderTrace) -> dict[str, TensorShape]:
    """The tensors of this trace by name, in the order of the forward pass, and then its measures.

    Raises ValueError for what is no trace.
    """
    require_trace(trace)
    shapes = {}
    batch, heads, seq, _ = trace.layers[0].z.shape
    sizes: dict[str, int] = {"batch": batch, "head": heads, "d_model": trace.embedded.shape[-1]}
    if trace.logits is not None:
        sizes["vocab"] = trace.logits.shape[-1]
    for name, axes in AXES.items():
        layers = len(trace.layers) if name in _IN_LAYERS else None
        if name in LENS_MEASURES and trace.logits is None:
            continue
        if name in MEASURES:
            shapes[name] = TensorShape(axes, tuple(sizes.get(axis, int(seq)) for axis in axes), layers)
            continue
        if name == "head_contributions":  # a property: its shape is known without computing it
            shapes[name] = TensorShape(axes, (batch, heads, seq, trace.embedded.shape[-1]), layers)
            continue
        stored = "logits" if name == "probabilities" else name  # a property, too, of the shape of the logits
        array = getattr(trace if layers is None else trace.layers[0], stored)
        if array is not None:
            shapes[name] = TensorShape(axes, array.shape, layers)
    return shapes


def tensor_at(run: Run, cell: Cell) -> Shaped[np.ndarray, "..."]:
    """The tensor that contains the cell; parameters are those after the edits."""
    if cell.parameter is not None:
        return run.edited_parameters[cell.parameter]
    if cell.tensor in MEASURES:
        return measure(run, cell.tensor, cell.layer)
    return getattr(run.trace if cell.layer is None else run.trace.layers[cell.layer], cell.tensor)


def parse_cell(text: str, trace: EncoderTrace, parameters: Parameters) -> Cell:
    """The cell of a text that `str(cell)` returned. Raises ValueError like `check_cell`."""
    require_type("cell", text, str, "texts such as 'pattern.3.0.1.4.7'")
    if len(text) > _MAX_LENGTH:
        raise ValueError(
            f"cell {text[:20]!r}...: length={len(text)} is invalid: allowed are up to {_MAX_LENGTH} characters."
        )
    match = re.fullmatch(r"(.*?)((?:\.-?[0-9]+)*)", text, re.DOTALL)
    assert match is not None  # the first group matches any text
    tensor, numbers = match[1], tuple(int(number) for number in match[2].split(".")[1:])
    cell = Cell(tensor, numbers)
    if tensor in _IN_LAYERS and numbers:
        cell = Cell(tensor, numbers[1:], layer=numbers[0])
    check_cell(cell, trace, parameters)
    return cell


def check_cell(cell: Cell, trace: EncoderTrace, parameters: Parameters) -> None:
    """Raises ValueError that names the cell and the allowed values where there is no such cell."""
    require_type("cell", cell, Cell, "cells, such as Cell('embedded', (0, 4, 17))")
    require_type("tensor", cell.tensor, str, "names of tensors")
    require_type("index", cell.index, tuple, "tuples of whole numbers")
    require_trace(trace)
    require_type("parameters", parameters, Mapping, "dictionaries like that of `encoder.parameters()`")
    if cell.parameter is None:
        tensors = tensor_shapes(trace)
        if cell.tensor not in tensors:
            allowed = f"{', '.join(tensors)} and {PARAMETERS}<name>"
            raise ValueError(f"cell {cell}: tensor={cell.tensor!r} is unknown: allowed are {allowed}.")
        axes, shape, layers = tensors[cell.tensor]
    else:
        if cell.parameter not in parameters:
            names = dict.fromkeys(re.sub(r"^layers\.\d+", "layers.<layer>", name) for name in parameters)
            raise ValueError(f"cell {cell}: parameter={cell.parameter!r} is unknown: allowed are {', '.join(names)}.")
        shape, layers = parameters[cell.parameter].shape, None
        axes = ("row", "column")[-len(shape) :]
    _check_layer(cell, layers)
    if len(cell.index) != len(shape):
        raise ValueError(
            f"cell {cell}: {len(cell.index)} indices are invalid: {cell.tensor} has {len(axes)}: {', '.join(axes)}."
        )
    for axis, size, number in zip(axes, shape, cell.index, strict=True):
        require_index(f"cell {cell}: {axis}", number, size)


def _check_layer(cell: Cell, layers: int | None) -> None:
    if layers is None and cell.layer is not None:
        raise invalid_value(f"cell {cell}: layer", cell.layer, "None")
    if layers is not None:
        require_index(f"cell {cell}: layer", cell.layer, layers)
