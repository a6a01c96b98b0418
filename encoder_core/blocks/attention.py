"""Multi-head self-attention: one function per step, and the module that calls them."""

from functools import partial
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array, Bool, Float

from encoder_core.blocks.capacity import Capacity, head_feature_mask
from encoder_core.blocks.linear import Linear
from encoder_core.blocks.traced_inputs import TracedInputs, dropout


class AttentionTensors(NamedTuple):
    """The tensors of self-attention; q, k, v and concat contain all heads side by side."""

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
    head_features: Float[Array, "head qkv_dim"],
) -> Float[Array, "head seq seq"]:
    """Q K^T of each head: the dot product of every query with every key."""
    q_per_head = head_features[:, None, :] * q
    return jnp.einsum("hqd,kd->hqk", q_per_head, k)


def scale_and_mask(
    dot_products: Float[Array, "head seq seq"],
    scale: Float[Array, ""] | float,
    mask: Bool[Array, "head seq seq"] | Bool[np.ndarray, "head seq seq"],
) -> Float[Array, "head seq seq"]:
    """The dot products times 1/sqrt(d_head); minus infinity where the key is masked."""
    scaled = dot_products * scale
    return jnp.where(mask, scaled, -jnp.inf)


def overwrite_scores(
    scores: Float[Array, "head seq seq"], edited_scores: Float[Array, "head seq seq"]
) -> Float[Array, "head seq seq"]:
    """The scores, replaced by `edited_scores` where these are not NaN."""
    return jnp.where(jnp.isnan(edited_scores), scores, edited_scores)


def softmax(
    scores: Float[Array, "*head seq seq"], temperature: Float[Array, ""] | float = 1.0
) -> Float[Array, "*head seq seq"]:
    """exp((s - max) / T) / sum of exp((s - max) / T) along each row; zeros for a row in which every key is masked.

    The maximum is subtracted before the division by T: the compiler may fuse s / T - max(s / T) into one operation
    that rounds s / T differently in the two places, and for large s / T the largest exp would then differ from 1.
    """
    row_max = jnp.max(scores, axis=-1, keepdims=True, initial=jnp.finfo(scores.dtype).min)
    exp = jnp.exp((scores - row_max) / temperature)
    row_sum = jnp.sum(exp, axis=-1, keepdims=True)
    return exp / jnp.where(row_sum == 0, 1, row_sum)


def weigh_values(
    pattern: Float[Array, "head seq seq"],
    v: Float[Array, "seq qkv_dim"],
    head_features: Float[Array, "head qkv_dim"],
) -> Float[Array, "seq qkv_dim"]:
    """pattern V of each head, the heads side by side: the sum of the value rows, each times its weight."""
    z_over_all_features = jnp.einsum("hqk,kd->hqd", pattern, v)
    return jnp.sum(z_over_all_features * head_features[:, None, :], axis=0)


def split_heads(x: Float[Array, "seq qkv_dim"], num_heads: int) -> Float[Array, "head seq d_head"]:
    """The features of each head as a separate axis; only in a program that is compiled for one d_head."""
    return x.reshape(x.shape[0], num_heads, -1).swapaxes(0, 1)


def dot_products_of_heads(
    q: Float[Array, "head seq d_head"], k: Float[Array, "head seq d_head"]
) -> Float[Array, "head seq seq"]:
    """`dot_products` for split heads: with twelve heads, a twelfth of the operations."""
    return jnp.einsum("hqd,hkd->hqk", q, k)


def weigh_values_of_heads(
    pattern: Float[Array, "head seq seq"], v: Float[Array, "head seq d_head"]
) -> Float[Array, "seq qkv_dim"]:
    """`weigh_values` for split heads."""
    z = jnp.matmul(pattern, v).swapaxes(0, 1)
    return z.reshape(z.shape[0], -1)


class SelfAttention(nnx.Module):
    """Multi-head scaled dot-product attention (Vaswani et al. 2017, section 3.2)."""

    def __init__(self, capacity: Capacity, linear: Linear, *, rngs: nnx.Rngs) -> None:
        self.query = linear(capacity.d_model, capacity.qkv_width, rngs=rngs)
        self.key = linear(capacity.d_model, capacity.qkv_width, rngs=rngs)
        self.value = linear(capacity.d_model, capacity.qkv_width, rngs=rngs)
        self.out = linear(capacity.qkv_width, capacity.d_model, rngs=rngs)
        self.exact = capacity.exact

    def __call__(self, x: Float[Array, "seq d_model"], traced: TracedInputs) -> AttentionTensors:
        num_heads = traced.mask.shape[0]
        head_features = head_feature_mask(traced.dims, num_heads, self.out.in_features)
        q, k, v = self.project(x)
        split = partial(split_heads, num_heads=num_heads)
        dots = dot_products_of_heads(split(q), split(k)) if self.exact else dot_products(q, k, head_features)
        scores = scale_and_mask(dots, traced.settings.score_scale, traced.mask)
        scores = overwrite_scores(scores, traced.edits.scores)
        pattern = softmax(scores, traced.settings.temperature)
        pattern = dropout(pattern, traced.dropout.pattern)
        concat = weigh_values_of_heads(pattern, split(v)) if self.exact else weigh_values(pattern, v, head_features)
        concat = concat * (traced.edits.head_factors @ head_features)
        attn_out = dropout(self.out(concat), traced.dropout.attn_out)
        return AttentionTensors(q, k, v, dots, scores, pattern, concat, attn_out)

    def project(self, x: Float[Array, "seq d_model"]) -> tuple[Float[Array, "seq qkv_dim"], ...]:
        """The queries, keys and values of all heads: x W_Q, x W_K and x W_V, plus biases."""
        q = self.query(x)
        k = self.key(x)
        v = self.value(x)
        return q, k, v
