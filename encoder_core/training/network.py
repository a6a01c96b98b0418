"""The forward pass of training: the same modules as those of `Encoder`, without padding to capacity."""

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int

from encoder_core.blocks import (
    DropoutMask,
    EncoderLayer,
    LayerDropout,
    LayerEdits,
    TracedInputs,
    embed,
    layer_norm,
    lookup,
    output_logits,
)
from encoder_core.blocks.capacity import Capacity, Dims
from encoder_core.blocks.parameter_cut import NOTHING_CUT
from encoder_core.config import EncoderConfig, embedding_factors, require_config
from encoder_core.edits.effects import NO_EFFECTS
from encoder_core.engine.forward import empty_layer, layer_state
from encoder_core.engine.program_inputs import program_settings
from encoder_core.inputs.positions import position_encoding
from encoder_core.parameters import require_names

ParameterArrays = dict[str, Float[Array, "..."]]  # the parameters of an encoder by name, as JAX arrays


def forward_logits(
    parameters: ParameterArrays,
    config: EncoderConfig,
    ids: Int[Array, "seq"],
    real: Bool[Array, "seq"],
) -> Float[Array, "seq vocab"]:
    """The logits of one sentence, whose padding no token attends to. It can be differentiated by the parameters.

    Raises ValueError for an encoder without an output head, and where the names of the parameters are not those of the
    configuration.
    """
    require_config(config)
    if not config.output_head:
        raise ValueError("output_head=False is invalid: allowed is True, because logits need an output head.")
    require_names(config, parameters)
    seq = len(ids)
    capacity = Capacity(
        seq, config.d_model, config.qkv_width, config.d_ff, config.num_heads, config.num_layers, exact=True
    )
    dims = Dims(config.d_model, config.d_head, config.num_layers)
    settings = program_settings(config, NO_EFFECTS, NOTHING_CUT)
    mask = jnp.broadcast_to(real, (config.num_heads, seq, seq))
    traced = TracedInputs(mask, dims, settings, *_no_edits(capacity))
    rows = lookup(parameters["token_embedding"], ids)
    positions = jnp.asarray(position_encoding(config, parameters, seq))
    _, x = embed(rows, embedding_factors(config.d_model)[config.embedding_scale], positions)
    if config.embedding_norm:
        x = layer_norm(x, parameters["embedding_norm.scale"], parameters["embedding_norm.bias"], config.norm_eps)
    for layer in range(config.num_layers):
        encoder_layer = _encoder_layer(parameters, capacity, layer)
        x = encoder_layer(x, traced).resid_post
    if config.final_norm:
        x = layer_norm(x, parameters["final_norm.scale"], parameters["final_norm.bias"], config.norm_eps)
    return output_logits(x, parameters)


def _encoder_layer(parameters: ParameterArrays, capacity: Capacity, layer: int) -> EncoderLayer:
    """The module of one layer with its parameters. A bias that the encoder does not have is zero."""

    def value_of(name: str, shape: tuple[int, ...]) -> Float[Array, "..."]:
        array = parameters.get(f"layers.{layer}.{name}")
        return jnp.zeros(shape) if array is None else array

    graphdef, _ = empty_layer(capacity)
    return nnx.merge(graphdef, layer_state(capacity, value_of))


def _no_edits(capacity: Capacity) -> tuple[LayerEdits, LayerDropout]:
    """The traced inputs of a layer without edits and dropout: constants, which the compiler folds."""
    heads, seq = capacity.num_heads, capacity.seq
    keep_all = DropoutMask(jnp.ones((), bool), jnp.ones(()))
    edits = LayerEdits(jnp.full((heads, seq, seq), jnp.nan), jnp.ones(heads), jnp.ones(()), jnp.ones(()))
    return edits, LayerDropout(keep_all, keep_all, keep_all, keep_all)
