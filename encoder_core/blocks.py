"""The encoder itself, as Flax NNX modules: each method is one stage of the walkthrough and reads as its equation.

One sentence at a time, without a batch axis. All arrays are at capacity (see `capacity.py`); the sizes in use are
in `Dims`, and what the configuration chooses is in `Switches`. Both are traced: no choice compiles anything.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Bool, Float, Int

from encoder_core.capacity import Capacity, Dims, active, head_ownership, mean_over_active

ACTIVATIONS = {
    "relu": jax.nn.relu,
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
}
AS_IT_IS = len(ACTIVATIONS)  # the index that leaves the numbers as they are


class Switches(NamedTuple):
    """The choices of a configuration and the edits of a what-if, as traced values.

    post_norm    norm after the residual sum, else before each sublayer
    final_norm   one more norm after the last block
    norm_eps     added to the variance
    activation   index into ACTIVATIONS
    activation_again  index of one more, after the dropout and after the second linear layer; AS_IT_IS for none
    score_scale  1 / sqrt(d_head), or 1
    temperature  scores are divided by it before softmax; 1 leaves them
    head_gates   (layer, head) factor on each head's output; 1 leaves it, 0 switches the head off
    every_block_reads_input  each block is applied to the embedded input, not to what the block before it gave
    """

    post_norm: Bool[Array, ""] | bool
    final_norm: Bool[Array, ""] | bool
    norm_eps: Float[Array, ""] | float
    activation: Int[Array, ""] | int
    activation_again: Int[Array, ""] | int
    score_scale: Float[Array, ""] | float
    temperature: Float[Array, ""] | float
    head_gates: Float[Array, "layer head"]
    every_block_reads_input: Bool[Array, ""] | bool


class Keep(NamedTuple):
    """Dropout in one place: True where a number stays, and what it is multiplied with, 1 / (1 - rate)."""

    mask: Bool[Array, "..."]
    scale: Float[Array, "*layer"]


class BlockDropout(NamedTuple):
    """Dropout in each place of a block; in evaluation, and where it is not applied, all stays, times 1."""

    pattern: Keep
    attn_out: Keep
    mlp_act: Keep
    mlp_out: Keep


class AttentionSteps(NamedTuple):
    """Every step of self-attention; q, k, v and z hold all heads side by side, as they are computed."""

    q: Float[Array, "seq attention_dim"]
    k: Float[Array, "seq attention_dim"]
    v: Float[Array, "seq attention_dim"]
    dot_products: Float[Array, "head seq seq"]
    scores: Float[Array, "head seq seq"]
    pattern: Float[Array, "head seq seq"]
    concat: Float[Array, "seq attention_dim"]
    attn_out: Float[Array, "seq d_model"]


class FeedForwardSteps(NamedTuple):
    """Every step of the feed-forward network."""

    mlp_pre: Float[Array, "seq d_ff"]
    mlp_act: Float[Array, "seq d_ff"]
    mlp_out: Float[Array, "seq d_model"]


class BlockSteps(NamedTuple):
    """Every step of one encoder block."""

    resid_pre: Float[Array, "seq d_model"]
    attn_in: Float[Array, "seq d_model"]
    attention: AttentionSteps
    resid_mid: Float[Array, "seq d_model"]
    mlp_in: Float[Array, "seq d_model"]
    mlp: FeedForwardSteps
    resid_post: Float[Array, "seq d_model"]


AnyArray = TypeVar("AnyArray", np.ndarray, Array)  # of NumPy or of JAX: what goes in is what comes out


def lookup(
    table: Float[AnyArray, "vocab d_model"], ids: Int[AnyArray, "*batch seq"]
) -> Float[AnyArray, "*batch seq d_model"]:
    """Row `id` of the embedding table for each token: the same as a one-hot vector times the table."""
    return table[ids]


def embed(
    token_embedding: Float[AnyArray, "*batch seq d_model"],
    scale: float,
    position_encoding: Float[AnyArray, "seq d_model"],
) -> tuple[Float[AnyArray, "*batch seq d_model"], Float[AnyArray, "*batch seq d_model"]]:
    """Scale the looked-up rows, then add the position encoding (Vaswani et al. 2017, sections 3.4 and 3.5)."""
    scaled = token_embedding * scale
    embedded = scaled + position_encoding
    return scaled, embedded


def dot_products(
    q: Float[Array, "seq attention_dim"],
    k: Float[Array, "seq attention_dim"],
    owned: Float[Array, "head attention_dim"],
) -> Float[Array, "head seq seq"]:
    """Q K^T of each head: the dot product of every query with every key."""
    q_of_head = owned[:, None, :] * q
    return jnp.einsum("hqd,kd->hqk", q_of_head, k)


def scale_and_mask(
    dot_products: Float[Array, "head seq seq"],
    scale: Float[Array, ""] | float,
    mask: Bool[Array, "head seq seq"],
) -> Float[Array, "head seq seq"]:
    """Dot products times 1/sqrt(d_head); minus infinity where the mask hides the key."""
    scaled = dot_products * scale
    return jnp.where(mask, scaled, -jnp.inf)


def softmax(scores: Float[Array, "*head seq seq"]) -> Float[Array, "*head seq seq"]:
    """exp(s - max) / sum of exp(s - max) along each row; a row that is masked everywhere gives zeros, never NaN."""
    row_max = jnp.max(scores, axis=-1, keepdims=True, initial=jnp.finfo(scores.dtype).min)
    exp = jnp.exp(scores - row_max)
    row_sum = jnp.sum(exp, axis=-1, keepdims=True)
    return exp / jnp.where(row_sum == 0, 1, row_sum)


def weigh_values(
    pattern: Float[Array, "head seq seq"],
    v: Float[Array, "seq attention_dim"],
    owned: Float[Array, "head attention_dim"],
) -> Float[Array, "seq attention_dim"]:
    """pattern V of each head, the heads side by side: the sum of all value rows, each times its weight."""
    z_over_all_features = jnp.einsum("hqk,kd->hqd", pattern, v)
    return jnp.sum(z_over_all_features * owned[:, None, :], axis=0)


def activate(x: Float[Array, "seq width"], activation: Int[Array, ""] | int) -> Float[Array, "seq width"]:
    """The activation with this index in ACTIVATIONS, number by number; AS_IT_IS changes nothing."""
    return jax.lax.switch(activation, [*ACTIVATIONS.values(), lambda same: same], x)


def dropout(x: Float[Array, "*shape"], keep: Keep) -> Float[Array, "*shape"]:
    """In training, zeros for what is not kept, and the rest times 1 / (1 - rate) (Srivastava et al. 2014)."""
    return jnp.where(keep.mask, x * keep.scale, 0)


class SelfAttention(nnx.Module):
    """Multi-head scaled dot-product attention (Vaswani et al. 2017, section 3.2)."""

    def __init__(self, capacity: Capacity, *, rngs: nnx.Rngs) -> None:
        self.query = nnx.Linear(capacity.d_model, capacity.attention_dim, rngs=rngs)
        self.key = nnx.Linear(capacity.d_model, capacity.attention_dim, rngs=rngs)
        self.value = nnx.Linear(capacity.d_model, capacity.attention_dim, rngs=rngs)
        self.out = nnx.Linear(capacity.attention_dim, capacity.d_model, rngs=rngs)

    def __call__(
        self,
        x: Float[Array, "seq d_model"],
        mask: Bool[Array, "head seq seq"],
        dims: Dims,
        switches: Switches,
        head_gate: Float[Array, "head"],
        keep: BlockDropout,
    ) -> AttentionSteps:
        owned = head_ownership(dims, mask.shape[0], self.out.in_features)
        q, k, v = self.project(x)
        dots = dot_products(q, k, owned)
        scores = scale_and_mask(dots, switches.score_scale, mask)
        pattern = softmax(scores / switches.temperature)
        pattern = dropout(pattern, keep.pattern)
        concat = weigh_values(pattern, v, owned) * (head_gate @ owned)
        attn_out = dropout(self.out(concat), keep.attn_out)
        return AttentionSteps(q, k, v, dots, scores, pattern, concat, attn_out)

    def project(self, x: Float[Array, "seq d_model"]) -> tuple[Float[Array, "seq attention_dim"], ...]:
        """Three linear layers read the same rows: x W_Q asks, x W_K answers, x W_V is what is handed on."""
        q = self.query(x)
        k = self.key(x)
        v = self.value(x)
        return q, k, v


class FeedForward(nnx.Module):
    """Two linear layers with an activation between, each token by itself (Vaswani et al. 2017, section 3.3)."""

    def __init__(self, capacity: Capacity, *, rngs: nnx.Rngs) -> None:
        self.up = nnx.Linear(capacity.d_model, capacity.d_ff, rngs=rngs)
        self.down = nnx.Linear(capacity.d_ff, capacity.d_model, rngs=rngs)

    def __call__(self, x: Float[Array, "seq d_model"], switches: Switches, keep: BlockDropout) -> FeedForwardSteps:
        pre = self.up(x)
        act = activate(pre, switches.activation)
        act = dropout(act, keep.mlp_act)
        act = activate(act, switches.activation_again)
        out = activate(self.down(act), switches.activation_again)
        out = dropout(out, keep.mlp_out)
        return FeedForwardSteps(pre, act, out)


class LayerNorm(nnx.Module):
    """Each token over its own features: mean 0, variance 1, then scale and shift (Ba, Kiros & Hinton 2016)."""

    def __init__(self, d_model: int) -> None:
        self.scale = nnx.Param(jnp.ones(d_model))
        self.bias = nnx.Param(jnp.zeros(d_model))

    def __call__(
        self, x: Float[Array, "seq d_model"], dims: Dims, eps: Float[Array, ""] | float
    ) -> Float[Array, "seq d_model"]:
        features = active(dims.d_model, x.shape[-1])
        mean = mean_over_active(x, features)
        variance = mean_over_active((x - mean) ** 2, features)
        normalised = (x - mean) / jnp.sqrt(variance + eps)
        return normalised * self.scale[...] + self.bias[...]


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
        head_gate: Float[Array, "head"],
        keep: BlockDropout,
    ) -> BlockSteps:
        def norm1(rows: Float[Array, "seq d_model"]) -> Float[Array, "seq d_model"]:
            return self.norm1(rows, dims, switches.norm_eps)

        def norm2(rows: Float[Array, "seq d_model"]) -> Float[Array, "seq d_model"]:
            return self.norm2(rows, dims, switches.norm_eps)

        def attention(rows: Float[Array, "seq d_model"]) -> AttentionSteps:
            return self.attention(rows, mask, dims, switches, head_gate, keep)

        def mlp(rows: Float[Array, "seq d_model"]) -> FeedForwardSteps:
            return self.mlp(rows, switches, keep)

        return jax.lax.cond(
            switches.post_norm,
            lambda: post_norm_block(x, attention, mlp, norm1, norm2),
            lambda: pre_norm_block(x, attention, mlp, norm1, norm2),
        )


Rows = Float[Array, "seq d_model"]
Norm = Callable[[Rows], Rows]


def post_norm_block(
    x: Rows,
    attention: Callable[[Rows], AttentionSteps],
    mlp: Callable[[Rows], FeedForwardSteps],
    norm1: Norm,
    norm2: Norm,
) -> BlockSteps:
    """norm(x + sublayer(x)), as in the paper (section 3.1)."""
    attn = attention(x)
    resid_mid = x + attn.attn_out
    mlp_in = norm1(resid_mid)
    ff = mlp(mlp_in)
    resid_post = norm2(mlp_in + ff.mlp_out)
    return BlockSteps(x, x, attn, resid_mid, mlp_in, ff, resid_post)


def pre_norm_block(
    x: Rows,
    attention: Callable[[Rows], AttentionSteps],
    mlp: Callable[[Rows], FeedForwardSteps],
    norm1: Norm,
    norm2: Norm,
) -> BlockSteps:
    """x + sublayer(norm(x)): nothing stands in the way of the residual stream (Xiong et al. 2020)."""
    attn_in = norm1(x)
    attn = attention(attn_in)
    resid_mid = x + attn.attn_out
    mlp_in = norm2(resid_mid)
    ff = mlp(mlp_in)
    resid_post = resid_mid + ff.mlp_out
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
        keep: BlockDropout,
    ) -> tuple[Float[Array, "seq d_model"], BlockSteps]:
        """The output, and the steps of every block stacked along a first axis `layer`, as `keep` is."""

        def step(
            x: Rows, layer: tuple[nnx.State, Int[Array, ""], Float[Array, "head"], BlockDropout]
        ) -> tuple[Rows, BlockSteps]:
            block_state, index, head_gate, keep_here = layer
            block = nnx.merge(graphdef, block_state)
            apply = lambda: block(x, mask, dims, switches, head_gate, keep_here)  # noqa: E731
            skip = lambda: _nothing_happened(x, jax.eval_shape(apply))  # noqa: E731
            steps = jax.lax.cond(index < dims.num_layers, apply, skip)
            following = jnp.where(switches.every_block_reads_input, x, steps.resid_post)
            return following, steps

        graphdef, stacked_state = nnx.split(self.blocks)
        layers = jnp.arange(switches.head_gates.shape[0])
        x, steps = jax.lax.scan(step, embedded, (stacked_state, layers, switches.head_gates, keep))
        output = jnp.where(switches.final_norm, self.final_norm(x, dims, switches.norm_eps), x)
        return output, steps


def _nothing_happened(x: Float[Array, "seq d_model"], like: BlockSteps) -> BlockSteps:
    """The steps of a layer beyond the last: zeros, and the stream handed on as it came."""
    zeros = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), like)
    return zeros._replace(resid_post=x)
