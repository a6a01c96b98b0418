"""Parameters of the compiled program: on the device, at capacity, those of all layers stacked."""

from typing import NamedTuple

import jax
import numpy as np
from flax import nnx
from jaxtyping import Float

from encoder_core.blocks.capacity import Capacity, pad
from encoder_core.blocks.parameter_cut import ParameterCut
from encoder_core.config import EncoderConfig
from encoder_core.engine.forward import empty_state
from encoder_core.parameters import (
    DrawnParameters,
    ParameterDict,
    Parameters,
    draw_for_all_sizes,
    kernel_factor,
    parameter_shapes,
)
from encoder_core.support.once import once

# The seed whose random encoders share one draw. Stacking the parameters of an encoder takes as long as running it, and
# 9 to 38 MB, but drawing those of another seed for all sizes takes longer.
SHARED_SEED = 0
_IN_STACK = ("layers.", "final_norm.")  # what the names of the parameters of the program begin with


class ProgramParameters(NamedTuple):
    """The state of the modules at capacity, and what the layers use of it."""

    state: nnx.State
    cut: ParameterCut


class StackedParameters:
    """The parameters of one encoder, and a cache of them as stacked for each capacity."""

    def __init__(self, parameters: Parameters, config: EncoderConfig) -> None:
        self.parameters = parameters
        self.config = config
        self.uses_shared_draw = isinstance(parameters, DrawnParameters) and parameters.seed == SHARED_SEED
        self._stacked: dict[Capacity, ProgramParameters] = {}

    def for_capacity(self, capacity: Capacity, *, to_edit: bool = False) -> ProgramParameters:
        """The parameters at this capacity; `to_edit` asks for those of this encoder alone."""
        # Two threads may both stack them, with equal results. No parameter depends on the length of the text.
        widths = capacity._replace(seq=0)
        if self.uses_shared_draw and not capacity.exact and not to_edit:
            c = self.config
            has_bias = {"use_bias": c.use_bias, "use_qkv_bias": c.has_qkv_bias}
            sizes = (c.d_model, c.qkv_width, c.d_ff)
            d_model, qkv, d_ff = map(kernel_factor, sizes)
            cut = ParameterCut(*sizes, d_model, qkv, d_ff, **has_bias)
            return ProgramParameters(_shared_draw(widths), cut)
        if widths not in self._stacked:
            self._stacked[widths] = stack_parameters(self.parameters, self.config, capacity)
        return self._stacked[widths]

    def store(self, capacity: Capacity, parameters: ProgramParameters) -> None:
        """Add parameters that `stack_parameters` returned to the cache."""
        self._stacked[capacity._replace(seq=0)] = parameters

    def share_cache(self, other: "StackedParameters") -> None:
        """Use the cache of another encoder where both have the same arrays in the stack, whatever their options.

        Options that change neither these parameters nor the capacity are inputs of the program.
        """
        if self._identity == other._identity:
            self._stacked = other._stacked

    @property
    def _identity(self) -> tuple[int, dict[str, object]]:
        """What tells the arrays in the stack from others: seed and shapes of drawn ones, which need not be drawn for
        it, and the arrays themselves."""
        if isinstance(self.parameters, DrawnParameters):
            shapes = self.parameters.shapes
            return self.parameters.seed, {name: shapes[name] for name in shapes if name.startswith(_IN_STACK)}
        return -1, {name: id(array) for name, array in self.parameters.items() if name.startswith(_IN_STACK)}

    @property
    def states(self) -> tuple[nnx.State, ...]:
        """All states in the cache."""
        return tuple(parameters.state for parameters in self._stacked.values())


@once
def _shared_draw(widths: Capacity) -> nnx.State:
    """The draw of SHARED_SEED: what every random encoder up to these sizes is cut from."""
    arrays = draw_for_all_sizes(widths.d_model, widths.qkv_width, widths.d_ff, widths.num_layers, SHARED_SEED)
    return _stack(arrays, widths.num_layers, widths)


def stack_parameters(parameters: Parameters, config: EncoderConfig, capacity: Capacity) -> ProgramParameters:
    """The parameters at capacity, padded with zeros.

    Those of the layers are stacked along a first axis `layer`; at an exact capacity, each layer has separate arrays,
    and its kernels are transposed (`OutputRowsLinear`).
    """
    has_bias = {"use_bias": True, "use_qkv_bias": True}  # a bias that the encoder does not have is zero
    cut = ParameterCut(capacity.d_model, capacity.qkv_width, capacity.d_ff, 1.0, 1.0, 1.0, **has_bias)
    return ProgramParameters(_stack(parameters, config.num_layers, capacity), cut)


def _stack(parameters: Parameters, num_layers: int, capacity: Capacity) -> nnx.State:
    entries = []
    for path, variable in nnx.to_flat_state(empty_state(capacity)):
        name = ".".join(map(str, path))
        if name.startswith("layers.") and not capacity.exact:
            value = np.zeros(variable.shape, np.float32)
            for layer in range(num_layers):
                array = parameters.get(f"layers.{layer}.{name.removeprefix('layers.')}")
                if array is not None:
                    value[layer][tuple(slice(size) for size in array.shape)] = array
        else:
            array = parameters.get(name)
            value = np.zeros(variable.shape, np.float32) if array is None else pad(array.T, variable.shape)
        entries.append((path, variable.replace(jax.device_put(value))))
    return nnx.from_flat_state(entries)


def parameters_from_state(
    stacked: ProgramParameters,
    tensors: Parameters,
    config: EncoderConfig,
    capacity: Capacity,
) -> ParameterDict:
    """The parameters by name. At an exact capacity, the arrays of the layers are those of the state, or their `.T`.

    A large model is therefore in main memory only once. (On a GPU, the state is a second copy in the GPU's memory.)
    """
    state_arrays: dict[str, Float[np.ndarray, ...]] = {}
    if capacity.exact:
        flat = nnx.to_flat_state(stacked.state)
        state_arrays = {".".join(map(str, path)): np.asarray(value[...]).T for path, value in flat}
    parameters = {}
    for name in parameter_shapes(config):
        array = state_arrays.get(name)
        parameters[name] = np.ascontiguousarray(tensors[name]) if array is None else array
    return parameters
