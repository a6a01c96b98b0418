"""One encoder layer, and the stack of all layers."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int

from encoder_core.blocks.attention import AttentionTensors, SelfAttention
from encoder_core.blocks.capacity import Capacity
from encoder_core.blocks.feed_forward import FeedForward, FeedForwardTensors
from encoder_core.blocks.linear import Linear, OutputRowsLinear
from encoder_core.blocks.norm import LayerNorm
from encoder_core.blocks.parameter_cut import cut_layer
from encoder_core.blocks.traced_inputs import LayerEdits, TracedInputs


class LayerTensors(NamedTuple):
    """The tensors of one encoder layer."""

    resid_pre: Float[Array, "seq d_model"]
    attn_in: Float[Array, "seq d_model"]
    attention: AttentionTensors
    resid_mid: Float[Array, "seq d_model"]
    mlp_in: Float[Array, "seq d_model"]
    mlp: FeedForwardTensors
    resid_post: Float[Array, "seq d_model"]


class EncoderLayer(nnx.Module):
    """Self-attention and a feed-forward network, each with a residual sum and a norm (Vaswani et al. 2017, section
    3.1)."""

    def __init__(self, capacity: Capacity, linear: Linear = nnx.Linear, *, rngs: nnx.Rngs) -> None:
        self.attention = SelfAttention(capacity, linear, rngs=rngs)
        self.mlp = FeedForward(capacity, linear, rngs=rngs)
        self.norm1 = LayerNorm(capacity.d_model)
        self.norm2 = LayerNorm(capacity.d_model)

    def __call__(self, x: Float[Array, "seq d_model"], traced: TracedInputs) -> LayerTensors:
        attention, mlp = partial(self.attention, traced=traced), partial(self.mlp, traced=traced)
        norm1, norm2 = (
            partial(norm, dims=traced.dims, eps=traced.settings.norm_eps) for norm in (self.norm1, self.norm2)
        )
        return jax.lax.cond(
            traced.settings.post_norm,
            lambda: post_norm_layer(x, attention, mlp, norm1, norm2, traced.edits),
            lambda: pre_norm_layer(x, attention, mlp, norm1, norm2, traced.edits),
        )


Stream = Float[Array, "seq d_model"]
NormFunction = Callable[[Stream], Stream]


def post_norm_layer(
    x: Stream,
    attention: Callable[[Stream], AttentionTensors],
    mlp: Callable[[Stream], FeedForwardTensors],
    norm1: NormFunction,
    norm2: NormFunction,
    edits: LayerEdits,
) -> LayerTensors:
    """norm(x + sublayer(x)), as in the paper (section 3.1). The factor on the residual is 1 without an edit."""
    attn = attention(x)
    residual = x * edits.attention_residual
    resid_mid = residual + attn.attn_out
    mlp_in = norm1(resid_mid)
    ff = mlp(mlp_in)
    residual = mlp_in * edits.mlp_residual
    resid_post = norm2(residual + ff.mlp_out)
    return LayerTensors(x, x, attn, resid_mid, mlp_in, ff, resid_post)


def pre_norm_layer(
    x: Stream,
    attention: Callable[[Stream], AttentionTensors],
    mlp: Callable[[Stream], FeedForwardTensors],
    norm1: NormFunction,
    norm2: NormFunction,
    edits: LayerEdits,
) -> LayerTensors:
    """x + sublayer(norm(x)): the residual stream has no norm inside the layers (Xiong et al. 2020).

    The factor on the residual is 1 without an edit.
    """
    attn_in = norm1(x)
    attn = attention(attn_in)
    residual = x * edits.attention_residual
    resid_mid = residual + attn.attn_out
    mlp_in = norm2(resid_mid)
    ff = mlp(mlp_in)
    residual = resid_mid * edits.mlp_residual
    resid_post = residual + ff.mlp_out
    return LayerTensors(x, attn_in, attn, resid_mid, mlp_in, ff, resid_post)


class EncoderStack(nnx.Module):
    """All layers, and the norm after the last layer. The parameters of the layers are stacked."""

    def __init__(self, capacity: Capacity, *, rngs: nnx.Rngs) -> None:
        @nnx.split_rngs(splits=capacity.num_layers)
        @nnx.vmap(in_axes=0, out_axes=0)
        def stacked(rngs: nnx.Rngs) -> EncoderLayer:
            return EncoderLayer(capacity, rngs=rngs)

        self.layers = stacked(rngs)
        self.final_norm = LayerNorm(capacity.d_model)

    def __call__(
        self, embedded: Float[Array, "seq d_model"], traced: TracedInputs
    ) -> tuple[Float[Array, "seq d_model"], LayerTensors]:
        """The output, and the tensors of all layers, with a first axis `layer`; zero for layers that do not run."""
        graphdef, stacked_state = nnx.split(self.layers)
        dims, settings = traced.dims, traced.settings

        def apply_layer(layer: Int[Array, ""] | int, x: Stream) -> LayerTensors:
            # Only here are the parameters of a layer copied out of the stack. A scan over the stack itself would copy
            # those of all layers, used or not, which is a third of the time of a pass with four layers.
            of_layer = partial(jax.lax.dynamic_index_in_dim, index=layer, keepdims=False)
            state, edits, dropout = jax.tree.map(of_layer, (stacked_state, traced.edits, traced.dropout))
            encoder_layer = nnx.merge(graphdef, cut_layer(state, settings.cut))
            return encoder_layer(x, traced._replace(edits=edits, dropout=dropout))

        def step(layer: Int[Array, ""], carry: tuple[Stream, LayerTensors]) -> tuple[Stream, LayerTensors]:
            x, tensors = carry
            layer_tensors = apply_layer(layer, x)
            next_stream = jnp.where(settings.every_layer_reads_input, x, layer_tensors.resid_post)
            return next_stream, jax.tree.map(lambda stack, tensor: stack.at[layer].set(tensor), tensors, layer_tensors)

        num_layers = traced.edits.mlp_residual.shape[0]
        empty = jax.tree.map(
            lambda tensor: jnp.zeros((num_layers, *tensor.shape), tensor.dtype),
            jax.eval_shape(apply_layer, 0, embedded),
        )
        x, tensors = jax.lax.fori_loop(settings.first_layer, dims.num_layers, step, (embedded, empty))
        output = jnp.where(settings.final_norm, self.final_norm(x, dims, settings.norm_eps), x)
        return output, tensors


def separate_layer(capacity: Capacity, *, rngs: nnx.Rngs) -> EncoderLayer:
    """A layer of a large model: an `EncoderLayer` whose kernels are transposed."""
    return EncoderLayer(capacity, OutputRowsLinear, rngs=rngs)


class SeparateLayers(nnx.Module):
    """All layers and the norm after the last, each layer with separate arrays; `engine.forward` calls the layers."""

    def __init__(self, capacity: Capacity, *, rngs: nnx.Rngs) -> None:
        self.layers = nnx.List([separate_layer(capacity, rngs=rngs) for _ in range(capacity.num_layers)])
        self.final_norm = LayerNorm(capacity.d_model)
