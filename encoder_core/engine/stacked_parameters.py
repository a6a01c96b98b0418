"""Parameters of the compiled program: on the device, padded to capacity, those of all blocks stacked."""

from collections.abc import Mapping

import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Float

from encoder_core.blocks.capacity import Capacity, pad
from encoder_core.config import EncoderConfig
from encoder_core.engine.forward import empty_state
from encoder_core.parameters import Parameters, parameter_shapes


class StackedParameters:
    """The parameters of one encoder, and a cache of them as stacked for each capacity."""

    def __init__(self, parameters: Parameters, config: EncoderConfig) -> None:
        self.parameters = parameters
        self.config = config
        self._states: dict[Capacity, nnx.State] = {}

    def for_capacity(self, capacity: Capacity) -> nnx.State:
        """The parameters at this capacity."""
        # Two threads may both stack them, with equal results. No parameter depends on the length of the text.
        widths = capacity._replace(seq=0)
        if widths not in self._states:
            self._states[widths] = stack_parameters(self.parameters, self.config, capacity)
        return self._states[widths]

    def store(self, capacity: Capacity, state: nnx.State) -> None:
        """Add parameters that `stack_parameters` returned to the cache."""
        self._states[capacity._replace(seq=0)] = state

    @property
    def states(self) -> tuple[nnx.State, ...]:
        """All states in the cache."""
        return tuple(self._states.values())


def stack_parameters(
    parameters: Mapping[str, Float[np.ndarray, "..."]], config: EncoderConfig, capacity: Capacity
) -> nnx.State:
    """The state of the modules at capacity.

    The parameters of the blocks are stacked along a first axis `layer`; at an exact capacity, each block has separate
    arrays.
    """
    entries = []
    for path, variable in nnx.to_flat_state(empty_state(capacity)):
        name = ".".join(map(str, path))
        if name.startswith("blocks.") and not capacity.exact:
            value = np.zeros(variable.shape, np.float32)
            for layer in range(config.num_layers):
                array = parameters.get(f"layers.{layer}.{name.removeprefix('blocks.')}")
                if array is not None:
                    value[layer][tuple(slice(size) for size in array.shape)] = array
        else:
            array = parameters.get(name.replace("blocks.", "layers."))
            value = np.zeros(variable.shape, np.float32) if array is None else pad(array, variable.shape)
        entries.append((path, variable.replace(jnp.asarray(value))))
    return nnx.from_flat_state(entries)


def parameters_from_state(
    state: nnx.State, tensors: Mapping[str, Float[np.ndarray, "..."]], config: EncoderConfig, capacity: Capacity
) -> dict[str, Float[np.ndarray, "..."]]:
    """The parameters by name. At an exact capacity, the arrays of the blocks are those of the state.

    A large model is therefore in main memory only once. (On a GPU, the state is a second copy in the GPU's memory.)
    """
    state_arrays: dict[str, Float[np.ndarray, ...]] = {}
    if capacity.exact:
        state_arrays = {".".join(map(str, path)): np.asarray(value[...]) for path, value in nnx.to_flat_state(state)}
    parameters = {}
    for name in parameter_shapes(config):
        array = state_arrays.get(name.replace("layers.", "blocks."))
        parameters[name] = np.ascontiguousarray(tensors[name]) if array is None else array
    return parameters
