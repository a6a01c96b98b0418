"""Gradients of a forward pass by automatic differentiation through the modules of `blocks`.

The program differentiates one layer at a capacity, so the number of layers, the placement of norms and the edits
compile nothing. It runs backwards from the last layer: the gradient at the input of a layer is the gradient at the
output of the layer before it.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import jax
import numpy as np
from flax import nnx
from jaxtyping import Array, Float

from encoder_core.blocks import LayerNorm, TracedInputs
from encoder_core.blocks.capacity import Capacity, Dims, capacity_for, pad
from encoder_core.blocks.parameter_cut import NOTHING_CUT
from encoder_core.config import require_chained_layers
from encoder_core.engine.executables import compiled_for_each_capacity, wait_for
from encoder_core.engine.forward import empty_layer, layer_state
from encoder_core.engine.program_inputs import layer_dropout, layer_edits, program_settings, split_by_layer
from encoder_core.support.read_only import compared_by_identity, make_read_only
from encoder_core.support.validation import require_numbers
from encoder_core.trace import Run, require_run

Rows = Float[np.ndarray, "batch seq d_model"]


@compared_by_identity
class LayerGradients(NamedTuple):
    """The gradients of one layer, in read-only arrays.

    resid_pre  (batch, seq, d_model) with respect to the input of the layer
    kernels    name ("attention.query", "mlp.up", ...) -> with respect to the kernel (input, output), added up over all
               sentences of the batch
    """

    resid_pre: Rows
    kernels: dict[str, Float[np.ndarray, "input output"]]

    def __repr__(self) -> str:
        batch, seq, d_model = self.resid_pre.shape
        return f"LayerGradients(batch={batch}, seq={seq}, d_model={d_model}, kernels={len(self.kernels)})"

    @property
    def kernel_norm(self) -> float:
        """The length of the gradient of all kernels of the layer, taken as one vector."""
        return math.sqrt(sum(float((gradient.astype(float) ** 2).sum()) for gradient in self.kernels.values()))


def layer_gradients(run: Run, d_output: Rows) -> tuple[LayerGradients, ...]:
    """The gradients of a loss in every layer, first layer first, in float32 and read-only.

    d_output  (batch, seq, d_model) gradient of the loss with respect to `trace.output`: finite numbers

    `[0].resid_pre` is the gradient with respect to `trace.embedded`, the input of the first layer: the embedding plus
    the position or, with `embedding_norm`, the norm of this sum. There is none of the embedding tables, of biases and
    norms, and of the output head.

    Edits and dropout of the run are constants. Raises ValueError for what is no run, where `d_output` has another shape
    than the output or numbers that are not finite in float32, and where the layers of the trace are not those of the
    stack (attention_read_out="input"). Gradients that overflow do not raise an error.
    """
    require_run(run)
    config, trace = run.config, run.trace
    require_chained_layers(config)
    gradient = _checked_rows(d_output, trace.output.shape)
    capacity = _capacity_of(run)
    gradients: list[LayerGradients] = []
    if config.final_norm:
        gradient = np.stack([_through_final_norm(run, capacity, *rows) for rows in enumerate(gradient)])
    traced = [_inputs_by_layer(run, capacity, sentence) for sentence in range(len(gradient))]
    for layer in reversed(range(config.num_layers)):
        state = _layer_state(run, capacity, layer)
        by_sentence = [
            _through_layer(run, capacity, state, layer, sentence, rows, traced[sentence][layer])
            for sentence, rows in enumerate(gradient)
        ]
        gradient = np.stack([rows for rows, _ in by_sentence])
        kernels = {name: np.sum([part[name] for _, part in by_sentence], axis=0) for name in by_sentence[0][1]}
        make_read_only((gradient, *kernels.values()))
        gradients.append(LayerGradients(gradient, kernels))
    return tuple(reversed(gradients))


def _checked_rows(d_output: Rows, shape: tuple[int, ...]) -> Rows:
    rows = require_numbers("d_output", d_output, "batch seq d_model")
    if rows.shape != shape:
        raise ValueError(f"d_output of shape={rows.shape} is invalid: allowed is {shape}.")
    with np.errstate(over="ignore"):  # an infinite number gets the message below
        rows = rows.astype(np.float32)
    if not np.isfinite(rows).all():
        raise ValueError("d_output contains values that are not finite in float32.")
    return rows


def _capacity_of(run: Run) -> Capacity:
    """The capacity of one layer; that of a trace does not fit, because its number of layers is limited."""
    return capacity_for(replace(run.config, num_layers=1), run.trace.embedded.shape[1])


def _inputs_by_layer(run: Run, capacity: Capacity, sentence: int) -> list[TracedInputs]:
    all_layers = capacity._replace(num_layers=run.config.num_layers)
    traced = TracedInputs(
        pad(run.trace.mask[sentence], (capacity.num_heads, capacity.seq, capacity.seq)),
        _dims(run),
        program_settings(run.config, run.effects, NOTHING_CUT),
        layer_edits(all_layers, run.effects, sentence),
        layer_dropout(all_layers, run.trace.kept, sentence),
    )
    return split_by_layer(all_layers, traced)


def _layer_state(run: Run, capacity: Capacity, layer: int) -> nnx.State:
    """The parameters of one layer, padded with zeros."""

    def padded(name: str, shape: tuple[int, ...]) -> Float[np.ndarray, "..."]:
        array = run.edited_parameters.get(f"layers.{layer}.{name}")
        return np.zeros(shape, np.float32) if array is None else pad(array, shape)

    return layer_state(capacity, padded)


def _through_layer(
    run: Run,
    capacity: Capacity,
    state: nnx.State,
    layer: int,
    sentence: int,
    d_output: Float[np.ndarray, "seq d_model"],
    traced: TracedInputs,
) -> tuple[Float[np.ndarray, "seq d_model"], dict[str, Float[np.ndarray, "input output"]]]:
    """The gradients with respect to the input of the layer and to its kernels, for one sentence."""
    shape, seq = (capacity.seq, capacity.d_model), len(d_output)
    gradients = _layer_vjp(
        capacity,
        state,
        pad(run.trace.layers[layer].resid_pre[sentence], shape),
        pad(d_output, shape),
        traced,
    )
    d_state, d_input = wait_for(gradients)
    kernels = {}
    for path, variable in nnx.to_flat_state(d_state):
        *part, kind = map(str, path)
        if kind == "kernel":
            name = ".".join(part)
            rows, columns = run.parameters[f"layers.{layer}.{name}.kernel"].shape
            kernels[name] = np.asarray(variable[...])[:rows, :columns]
    return np.asarray(d_input)[:seq, : run.config.d_model], kernels


def _through_final_norm(
    run: Run, capacity: Capacity, sentence: int, d_output: Float[np.ndarray, "seq d_model"]
) -> Float[np.ndarray, "seq d_model"]:
    shape, seq = (capacity.seq, capacity.d_model), len(d_output)
    scale, bias = (pad(run.edited_parameters[f"final_norm.{name}"], shape[1:]) for name in ("scale", "bias"))
    x = pad(run.trace.layers[-1].resid_post[sentence], shape)
    d_input = _norm_vjp(capacity, scale, bias, x, pad(d_output, shape), _dims(run), run.config.norm_eps)
    return np.asarray(d_input)[:seq, : run.config.d_model]


def _dims(run: Run) -> Dims:
    return Dims(run.config.d_model, run.config.d_head, 1)


@compiled_for_each_capacity
def _layer_vjp(
    capacity: Capacity,
    state: nnx.State,
    x: Float[Array, "seq d_model"],
    d_output: Float[Array, "seq d_model"],
    traced: TracedInputs,
) -> tuple[nnx.State, Float[Array, "seq d_model"]]:
    """The gradients of sum(layer(x) * d_output) with respect to the parameters and to x."""
    graphdef, _ = empty_layer(capacity)

    def loss(layer_state: nnx.State, rows: Float[Array, "seq d_model"]) -> Float[Array, ""]:
        encoder_layer = nnx.merge(graphdef, layer_state)
        return (encoder_layer(rows, traced).resid_post * d_output).sum()

    return jax.grad(loss, argnums=(0, 1))(state, x)


@compiled_for_each_capacity
def _norm_vjp(
    capacity: Capacity,
    scale: Float[Array, "d_model"],
    bias: Float[Array, "d_model"],
    x: Float[Array, "seq d_model"],
    d_output: Float[Array, "seq d_model"],
    dims: Dims,
    eps: Float[Array, ""] | float,
) -> Float[Array, "seq d_model"]:
    """The gradient of sum(norm(x) * d_output) with respect to x."""
    norm = LayerNorm(capacity.d_model)
    norm.scale[...], norm.bias[...] = scale, bias
    return jax.grad(lambda rows: (norm(rows, dims, eps) * d_output).sum())(x)
