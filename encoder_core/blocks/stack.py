"""One encoder block, and all of them one after another."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int

from encoder_core.blocks.attention import AttentionSteps, SelfAttention
from encoder_core.blocks.capacity import Capacity, Dims
from encoder_core.blocks.feed_forward import FeedForward, FeedForwardSteps
from encoder_core.blocks.norm import LayerNorm
from encoder_core.blocks.switches import BlockDropout, BlockEdits, Switches


class BlockSteps(NamedTuple):
    """Every step of one encoder block."""

    resid_pre: Float[Array, "seq d_model"]
    attn_in: Float[Array, "seq d_model"]
    attention: AttentionSteps
    resid_mid: Float[Array, "seq d_model"]
    mlp_in: Float[Array, "seq d_model"]
    mlp: FeedForwardSteps
    resid_post: Float[Array, "seq d_model"]


class EncoderBlock(nnx.Module):
    """Self-attention and a feed-forward network, each with a residual sum and a norm (section 3.1)."""

    def __init__(self, capacity: Capacity, *, rngs: nnx.Rngs) -> None:
        self.attention = SelfAttention(capacity, rngs=rngs)
        self.mlp = FeedForward(capacity, rngs=rngs)
        self.norm1 = LayerNorm(capacity.d_model)
        self.norm2 = LayerNorm(capacity.d_model)

    def __call__(
        self,
        x: Float[Array, "seq d_model"],
        mask: Bool[Array, "head seq seq"],
        dims: Dims,
        switches: Switches,
        edits: BlockEdits,
        keep: BlockDropout,
    ) -> BlockSteps:
        def norm1(rows: Float[Array, "seq d_model"]) -> Float[Array, "seq d_model"]:
            return self.norm1(rows, dims, switches.norm_eps)

        def norm2(rows: Float[Array, "seq d_model"]) -> Float[Array, "seq d_model"]:
            return self.norm2(rows, dims, switches.norm_eps)

        def attention(rows: Float[Array, "seq d_model"]) -> AttentionSteps:
            return self.attention(rows, mask, dims, switches, edits, keep)

        def mlp(rows: Float[Array, "seq d_model"]) -> FeedForwardSteps:
            return self.mlp(rows, switches, keep)

        return jax.lax.cond(
            switches.post_norm,
            lambda: post_norm_block(x, attention, mlp, norm1, norm2, edits),
            lambda: pre_norm_block(x, attention, mlp, norm1, norm2, edits),
        )


Rows = Float[Array, "seq d_model"]
Norm = Callable[[Rows], Rows]


def post_norm_block(
    x: Rows,
    attention: Callable[[Rows], AttentionSteps],
    mlp: Callable[[Rows], FeedForwardSteps],
    norm1: Norm,
    norm2: Norm,
    edits: BlockEdits,
) -> BlockSteps:
    """norm(x + sublayer(x)), as in the paper (section 3.1); the residual is x times 1, but for a what-if."""
    attn = attention(x)
    residual = x * edits.attention_residual
    resid_mid = residual + attn.attn_out
    mlp_in = norm1(resid_mid)
    ff = mlp(mlp_in)
    residual = mlp_in * edits.mlp_residual
    resid_post = norm2(residual + ff.mlp_out)
    return BlockSteps(x, x, attn, resid_mid, mlp_in, ff, resid_post)


def pre_norm_block(
    x: Rows,
    attention: Callable[[Rows], AttentionSteps],
    mlp: Callable[[Rows], FeedForwardSteps],
    norm1: Norm,
    norm2: Norm,
    edits: BlockEdits,
) -> BlockSteps:
    """x + sublayer(norm(x)): nothing stands in the way of the residual stream (Xiong et al. 2020).

    The residual is x times 1, but for a what-if.
    """
    attn_in = norm1(x)
    attn = attention(attn_in)
    residual = x * edits.attention_residual
    resid_mid = residual + attn.attn_out
    mlp_in = norm2(resid_mid)
    ff = mlp(mlp_in)
    residual = resid_mid * edits.mlp_residual
    resid_post = residual + ff.mlp_out
    return BlockSteps(x, attn_in, attn, resid_mid, mlp_in, ff, resid_post)


class EncoderStack(nnx.Module):
    """All blocks, one after another, and the norm after the last."""

    def __init__(self, capacity: Capacity, *, rngs: nnx.Rngs) -> None:
        @nnx.split_rngs(splits=capacity.num_layers)
        @nnx.vmap(in_axes=0, out_axes=0)
        def stacked(rngs: nnx.Rngs) -> EncoderBlock:
            return EncoderBlock(capacity, rngs=rngs)

        self.blocks = stacked(rngs)
        self.final_norm = LayerNorm(capacity.d_model)

    def __call__(
        self,
        embedded: Float[Array, "seq d_model"],
        mask: Bool[Array, "head seq seq"],
        dims: Dims,
        switches: Switches,
        edits: BlockEdits,
        keep: BlockDropout,
    ) -> tuple[Float[Array, "seq d_model"], BlockSteps]:
        """The output, and the steps of every block stacked along a first axis `layer`, as `edits` and `keep` are."""

        def step(x: Rows, layer: tuple[nnx.State, Int[Array, ""], BlockEdits, BlockDropout]) -> tuple[Rows, BlockSteps]:
            block_state, index, edits_here, keep_here = layer
            block = nnx.merge(graphdef, block_state)
            apply = lambda: block(x, mask, dims, switches, edits_here, keep_here)  # noqa: E731
            skip = lambda: _nothing_happened(x, jax.eval_shape(apply))  # noqa: E731
            in_use = (index >= switches.first_layer) & (index < dims.num_layers)
            steps = jax.lax.cond(in_use, apply, skip)
            following = jnp.where(switches.every_block_reads_input, x, steps.resid_post)
            return following, steps

        graphdef, stacked_state = nnx.split(self.blocks)
        layers = jnp.arange(edits.mlp_residual.shape[0])
        x, steps = jax.lax.scan(step, embedded, (stacked_state, layers, edits, keep))
        output = jnp.where(switches.final_norm, self.final_norm(x, dims, switches.norm_eps), x)
        return output, steps


class SeparateBlocks(nnx.Module):
    """The same parts, each block with arrays of its own: `forward` calls them one after another."""

    def __init__(self, capacity: Capacity, *, rngs: nnx.Rngs) -> None:
        self.blocks = nnx.List([EncoderBlock(capacity, rngs=rngs) for _ in range(capacity.num_layers)])
        self.final_norm = LayerNorm(capacity.d_model)


def _nothing_happened(x: Float[Array, "seq d_model"], like: BlockSteps) -> BlockSteps:
    """The steps of a layer that is left out, or beyond the last: zeros, and the stream handed on as it came."""
    zeros = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), like)
    return zeros._replace(resid_post=x)
