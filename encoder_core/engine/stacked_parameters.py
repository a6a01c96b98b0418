"""The parameters as the compiled program takes them: padded to capacity, those of all blocks stacked, on the device."""

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
    """The parameters of one encoder at every capacity that was asked for, each stacked once."""

    def __init__(self, parameters: Parameters, config: EncoderConfig) -> None:
        self._parameters = parameters
        self._config = config
        self._states: dict[Capacity, nnx.State] = {}

    def at(self, capacity: Capacity) -> nnx.State:
        """The parameters at this capacity, stacked the first time."""
        # Two threads may both stack them; the results are equal. No parameter depends on the length of the text.
        widths = capacity._replace(seq=0)
        if widths not in self._states:
            self._states[widths] = stack_parameters(self._parameters, self._config, capacity)
        return self._states[widths]

    def keep(self, capacity: Capacity, state: nnx.State) -> None:
        """Use parameters that were stacked elsewhere."""
        self._states[capacity._replace(seq=0)] = state

    @property
    def states(self) -> tuple[nnx.State, ...]:
        """All that are in memory."""
        return tuple(self._states.values())


def stack_parameters(
    flat: Mapping[str, Float[np.ndarray, "..."]], config: EncoderConfig, capacity: Capacity
) -> nnx.State:
    """The parameters at capacity, as the modules want them: those of the blocks stacked along a first axis `layer`, or,
    at an exact capacity, of one block after another."""
    filled = []
    for path, variable in nnx.to_flat_state(empty_state(capacity)):
        name = ".".join(map(str, path))
        if name.startswith("blocks.") and not capacity.exact:
            value = np.zeros(variable.shape, np.float32)
            for layer in range(config.num_layers):
                array = flat.get(f"layers.{layer}.{name.removeprefix('blocks.')}")
                if array is not None:
                    value[layer][tuple(slice(size) for size in array.shape)] = array
        else:
            given = flat.get(name.replace("blocks.", "layers."))
            value = np.zeros(variable.shape, np.float32) if given is None else pad(given, variable.shape)
        filled.append((path, variable.replace(jnp.asarray(value))))
    return nnx.from_flat_state(filled)


def parameters_in(
    state: nnx.State, flat: Mapping[str, Float[np.ndarray, "..."]], config: EncoderConfig, capacity: Capacity
) -> dict[str, Float[np.ndarray, "..."]]:
    """The parameters by their flat names; at an exact capacity, those of the blocks are those of the state.

    So that a large model is in memory once. (On a GPU, where the state is elsewhere, it is in main memory once, too.)
    """
    held: dict[str, Float[np.ndarray, ...]] = {}
    if capacity.exact:
        held = {".".join(map(str, path)): np.asarray(value[...]) for path, value in nnx.to_flat_state(state)}
    parameters = {}
    for name in parameter_shapes(config):
        found = held.get(name.replace("layers.", "blocks."))
        parameters[name] = np.ascontiguousarray(flat[name]) if found is None else found
    return parameters
