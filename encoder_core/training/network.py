"""The forward pass of training: the same modules as those of `Encoder`, without padding to capacity."""

from functools import cache

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int

from encoder_core.blocks import BlockDropout, BlockEdits, DropoutMask, EncoderBlock, embed, layer_norm, lookup
from encoder_core.blocks.capacity import Capacity, Dims
from encoder_core.blocks.parameter_cut import ParameterCut
from encoder_core.config import EncoderConfig, embedding_factors
from encoder_core.edits.effects import NO_EFFECTS
from encoder_core.engine.program_inputs import program_settings
from encoder_core.inputs.positions import sinusoids

ParameterArrays = dict[str, Float[Array, "..."]]  # the parameters of an encoder by name, as JAX arrays

_NOTHING_CUT = ParameterCut(0, 0, 0, 1.0, 1.0, 1.0, use_bias=True, use_qkv_bias=True)  # a single block does not use it


def output_logits(
    parameters: ParameterArrays,
    config: EncoderConfig,
    ids: Int[Array, "seq"],
    real: Bool[Array, "seq"],
) -> Float[Array, "seq vocab"]:
    """The logits of one sentence, whose padding no token attends to. It can be differentiated by the parameters."""
    seq = len(ids)
    capacity = Capacity(
        seq, config.d_model, config.qkv_width, config.d_ff, config.num_heads, config.num_layers, exact=True
    )
    dims = Dims(config.d_model, config.d_head, config.num_layers)
    settings = program_settings(config, NO_EFFECTS, _NOTHING_CUT)
    mask = jnp.broadcast_to(real, (config.num_heads, seq, seq))
    rows = lookup(parameters["token_embedding"], ids)
    _, x = embed(rows, embedding_factors(config.d_model)[config.embedding_scale], _positions(parameters, config, seq))
    for layer in range(config.num_layers):
        block = _block(parameters, capacity, layer)
        x = block(x, mask, dims, settings, *_no_edits(capacity)).resid_post
    if config.final_norm:
        x = layer_norm(x, parameters["final_norm.scale"], parameters["final_norm.bias"], config.norm_eps)
    return x @ parameters["output_head.kernel"] + parameters["output_head.bias"]


def _positions(parameters: ParameterArrays, config: EncoderConfig, seq: int) -> Float[Array, "seq d_model"]:
    match config.positions:
        case "sinusoidal":
            return jnp.asarray(sinusoids(seq, config.d_model, config.position_layout, config.position_frequencies))
        case "learned":
            return parameters["position_embedding"][:seq]
        case _:
            return jnp.zeros((seq, config.d_model))


def _block(parameters: ParameterArrays, capacity: Capacity, layer: int) -> EncoderBlock:
    """The module of one layer with its parameters."""
    graphdef, shapes = _empty_block(capacity)
    entries = [
        (path, variable.replace(parameters[f"layers.{layer}.{'.'.join(map(str, path))}"]))
        for path, variable in nnx.to_flat_state(shapes)
    ]
    return nnx.merge(graphdef, nnx.from_flat_state(entries))


@cache
def _empty_block(capacity: Capacity) -> tuple[nnx.GraphDef, nnx.State]:
    return nnx.split(nnx.eval_shape(lambda: EncoderBlock(capacity, rngs=nnx.Rngs(0))))


def _no_edits(capacity: Capacity) -> tuple[BlockEdits, BlockDropout]:
    """The traced inputs of a block without edits and dropout: constants, which the compiler folds."""
    heads, seq = capacity.num_heads, capacity.seq
    keep_all = DropoutMask(jnp.ones((), bool), jnp.ones(()))
    edits = BlockEdits(jnp.full((heads, seq, seq), jnp.nan), jnp.ones(heads), jnp.ones(()), jnp.ones(()))
    return edits, BlockDropout(keep_all, keep_all, keep_all, keep_all)
