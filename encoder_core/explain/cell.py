"""Which number of a trace, or of the parameters, is meant: an address that a link can carry."""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Shaped

from encoder_core.parameters import Parameters
from encoder_core.trace import EncoderTrace

PARAMETERS = "parameters."  # stands before the name of a parameter: the trace has a `token_embedding`, too
_LONGEST = 120  # signs of an address; the longest of a real model has half of that

# The axes of each tensor, in the order of the forward pass, in the words of the package's glossary.
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
_OUTPUT_AXES = {"output": "batch seq d_model", "logits": "batch seq vocab"}
AXES = {name: tuple(axes.split()) for name, axes in (_TRACE_AXES | _LAYER_AXES | _OUTPUT_AXES).items()}


@dataclass(frozen=True)
class Cell:
    """One number: the tensor's name in the trace, or "parameters." and the parameter's name; its index; its layer.

    All count from 0. As a string: "pattern.3.0.1.4.7" is layer 3, sentence 0, head 1, query 4, key 7;
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
        """The parameter's name, or None where the cell is one of the trace."""
        return self.tensor.removeprefix(PARAMETERS) if self.tensor.startswith(PARAMETERS) else None


class TensorShape(NamedTuple):
    """The axes and the sizes of a tensor whose cells can be asked for; `layers` is None where it belongs to none."""

    axes: tuple[str, ...]
    shape: tuple[int, ...]
    layers: int | None


def tensors_of(trace: EncoderTrace) -> dict[str, TensorShape]:
    """Every tensor of this trace by name, in the order of the forward pass."""
    found = {}
    for name, axes in AXES.items():
        layers = len(trace.layers) if name in _LAYER_AXES else None
        if name == "head_contributions":  # is computed when it is read: its shape is known without
            batch, heads, seq, _ = trace.layers[0].z.shape
            found[name] = TensorShape(axes, (batch, heads, seq, trace.embedded.shape[-1]), layers)
            continue
        array = getattr(trace if layers is None else trace.layers[0], name)
        if array is not None:
            found[name] = TensorShape(axes, array.shape, layers)
    return found


def tensor_at(trace: EncoderTrace, parameters: Parameters, cell: Cell) -> Shaped[np.ndarray, "..."]:
    """The whole tensor that the cell is one number of."""
    if cell.parameter is not None:
        return parameters[cell.parameter]
    return getattr(trace if cell.layer is None else trace.layers[cell.layer], cell.tensor)


def parse_cell(text: str, trace: EncoderTrace, parameters: Parameters) -> Cell:
    """The cell that `str(cell)` wrote. Raises ValueError as `check_cell` does."""
    if len(text) > _LONGEST:
        raise ValueError(f"cell {text[:20]!r}... has {len(text)} signs; no address has more than {_LONGEST}.")
    found = re.fullmatch(r"(.*?)((?:\.-?[0-9]+)*)", text, re.DOTALL)
    assert found is not None  # the first group takes anything
    tensor, numbers = found[1], tuple(int(number) for number in found[2].split(".")[1:])
    cell = Cell(tensor, numbers)
    if tensor in _LAYER_AXES and numbers:
        cell = Cell(tensor, numbers[1:], layer=numbers[0])
    check_cell(cell, trace, parameters)
    return cell


def check_cell(cell: Cell, trace: EncoderTrace, parameters: Parameters) -> None:
    """Raises ValueError that names the cell, what is wrong with it, and what is allowed."""
    if cell.parameter is None:
        tensors = tensors_of(trace)
        if cell.tensor not in tensors:
            raise ValueError(f"cell {cell}: {cell.tensor!r} is not one of {', '.join(tensors)}, or {PARAMETERS}<name>.")
        axes, shape, layers = tensors[cell.tensor]
    else:
        if cell.parameter not in parameters:
            known = dict.fromkeys(re.sub(r"^layers\.\d+", "layers.<layer>", name) for name in parameters)
            raise ValueError(f"cell {cell}: the parameter {cell.parameter!r} is not one of {', '.join(known)}.")
        shape, layers = parameters[cell.parameter].shape, None
        axes = ("row", "column")[-len(shape) :]
    _check_layer(cell, layers)
    if len(cell.index) != len(shape):
        raise ValueError(
            f"cell {cell}: {len(cell.index)} indices, but {cell.tensor} has {len(axes)}: {', '.join(axes)}."
        )
    for axis, size, number in zip(axes, shape, cell.index, strict=True):
        if not 0 <= number < size:
            raise ValueError(f"cell {cell}: {axis} {number} is not one of 0 to {size - 1}.")


def _check_layer(cell: Cell, layers: int | None) -> None:
    if layers is None and cell.layer is not None:
        raise ValueError(f"cell {cell}: {cell.tensor} belongs to no layer, so layer={cell.layer} must be None.")
    if layers is not None and (cell.layer is None or not 0 <= cell.layer < layers):
        raise ValueError(f"cell {cell}: layer {cell.layer} of {cell.tensor} is not one of 0 to {layers - 1}.")
