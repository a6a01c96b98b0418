"""Multi-head self-attention: its steps as functions, and the module that takes them one after another."""

from functools import partial
from typing import NamedTuple

import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float

from encoder_core.blocks.capacity import Capacity, Dims, head_ownership
from encoder_core.blocks.switches import BlockDropout, BlockEdits, Switches, dropout


class AttentionSteps(NamedTuple):
    """Every step of self-attention; q, k, v and z hold all heads side by side, as they are computed."""

    q: Float[Array, "seq qkv_dim"]
    k: Float[Array, "seq qkv_dim"]
    v: Float[Array, "seq qkv_dim"]
    dot_products: Float[Array, "head seq seq"]
    scores: Float[Array, "head seq seq"]
    pattern: Float[Array, "head seq seq"]
    concat: Float[Array, "seq qkv_dim"]
    attn_out: Float[Array, "seq d_model"]


def dot_products(
    q: Float[Array, "seq qkv_dim"],
    k: Float[Array, "seq qkv_dim"],
    owned: Float[Array, "head qkv_dim"],
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


def overwrite(
    scores: Float[Array, "head seq seq"], edited: Float[Array, "head seq seq"]
) -> Float[Array, "head seq seq"]:
    """The scores, but for the cells that an edit sets: those that are not NaN in `edited`."""
    return jnp.where(jnp.isnan(edited), scores, edited)


def softmax(
    scores: Float[Array, "*head seq seq"], temperature: Float[Array, ""] | float = 1.0
) -> Float[Array, "*head seq seq"]:
    """exp((s - max) / T) / sum of exp((s - max) / T) along each row; a row that is masked everywhere gives zeros.

    The maximum is subtracted first: the compiler may fuse s / T - max into one operation that rounds s / T otherwise
    than the maximum was rounded, and exp of a large s / T less its own maximum is then no longer 1.
    """
    row_max = jnp.max(scores, axis=-1, keepdims=True, initial=jnp.finfo(scores.dtype).min)
    exp = jnp.exp((scores - row_max) / temperature)
    row_sum = jnp.sum(exp, axis=-1, keepdims=True)
    return exp / jnp.where(row_sum == 0, 1, row_sum)


def weigh_values(
    pattern: Float[Array, "head seq seq"],
    v: Float[Array, "seq qkv_dim"],
    owned: Float[Array, "head qkv_dim"],
) -> Float[Array, "seq qkv_dim"]:
    """pattern V of each head, the heads side by side: the sum of all value rows, each times its weight."""
    z_over_all_features = jnp.einsum("hqk,kd->hqd", pattern, v)
    return jnp.sum(z_over_all_features * owned[:, None, :], axis=0)


def split_heads(x: Float[Array, "seq qkv_dim"], num_heads: int) -> Float[Array, "head seq d_head"]:
    """The features of each head by themselves, where the program is compiled for one d_head."""
    return x.reshape(x.shape[0], num_heads, -1).swapaxes(0, 1)


def dot_products_of_heads(
    q: Float[Array, "head seq d_head"], k: Float[Array, "head seq d_head"]
) -> Float[Array, "head seq seq"]:
    """`dot_products`, of heads that are split: a twelfth of the work with twelve heads."""
    return jnp.einsum("hqd,hkd->hqk", q, k)


def weigh_values_of_heads(
    pattern: Float[Array, "head seq seq"], v: Float[Array, "head seq d_head"]
) -> Float[Array, "seq qkv_dim"]:
    """`weigh_values`, of heads that are split."""
    z = jnp.matmul(pattern, v).swapaxes(0, 1)
    return z.reshape(z.shape[0], -1)


class SelfAttention(nnx.Module):
    """Multi-head scaled dot-product attention (Vaswani et al. 2017, section 3.2)."""

    def __init__(self, capacity: Capacity, *, rngs: nnx.Rngs) -> None:
        self.query = nnx.Linear(capacity.d_model, capacity.qkv_width, rngs=rngs)
        self.key = nnx.Linear(capacity.d_model, capacity.qkv_width, rngs=rngs)
        self.value = nnx.Linear(capacity.d_model, capacity.qkv_width, rngs=rngs)
        self.out = nnx.Linear(capacity.qkv_width, capacity.d_model, rngs=rngs)
        self.exact = capacity.exact

    def __call__(
        self,
        x: Float[Array, "seq d_model"],
        mask: Bool[Array, "head seq seq"],
        dims: Dims,
        switches: Switches,
        edits: BlockEdits,
        keep: BlockDropout,
    ) -> AttentionSteps:
        owned = head_ownership(dims, mask.shape[0], self.out.in_features)
        q, k, v = self.project(x)
        split = partial(split_heads, num_heads=mask.shape[0])
        dots = dot_products_of_heads(split(q), split(k)) if self.exact else dot_products(q, k, owned)
        scores = scale_and_mask(dots, switches.score_scale, mask)
        scores = overwrite(scores, edits.scores)
        pattern = softmax(scores, switches.temperature)
        pattern = dropout(pattern, keep.pattern)
        concat = weigh_values_of_heads(pattern, split(v)) if self.exact else weigh_values(pattern, v, owned)
        concat = concat * (edits.head_gates @ owned)
        attn_out = dropout(self.out(concat), keep.attn_out)
        return AttentionSteps(q, k, v, dots, scores, pattern, concat, attn_out)

    def project(self, x: Float[Array, "seq d_model"]) -> tuple[Float[Array, "seq qkv_dim"], ...]:
        """Three linear layers read the same rows: x W_Q asks, x W_K answers, x W_V is what is handed on."""
        q = self.query(x)
        k = self.key(x)
        v = self.value(x)
        return q, k, v
