"""The modules of the book Yet Another (JAX) Transformer, in dm-haiku as it has them, and its random keys."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import haiku as hk
import jax
import jax.numpy as jnp


@contextmanager
def keys_of_the_book(seed: int = 42) -> Iterator[Any]:
    """`rng_iter`, with the random numbers of JAX before 0.5."""
    with jax.threefry_partitionable(False):
        yield hk.PRNGSequence(jax.random.PRNGKey(seed))


def scaled_dot_product(q, k, v, mask=None):
    scores = jnp.matmul(q, k.swapaxes(-2, -1)) / jnp.sqrt(q.shape[-1])
    if mask is not None:
        scores = jnp.where(mask == 0, -1e9, scores)
    attention_weights = jax.nn.softmax(scores, axis=-1)
    return jnp.matmul(attention_weights, v), attention_weights


class MultiheadAttention(hk.Module):
    def __init__(self, d_model, num_heads, name=None):
        super().__init__(name=name)
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.lin_projs = [hk.Linear(d_model) for _ in range(4)]

    def __call__(self, q, k, v, mask=None):
        batch_size, seq_length, d_model = q.shape
        q, k, v = [
            lin_p(t).reshape(batch_size, -1, self.num_heads, self.d_k).swapaxes(1, 2)
            for lin_p, t in zip(self.lin_projs, (q, k, v), strict=False)
        ]
        if mask is not None:
            mask = jnp.expand_dims(mask, 1)
        values, attention = scaled_dot_product(q, k, v, mask=mask)
        values = values.transpose(0, 2, 1, 3).reshape(batch_size, seq_length, d_model)
        return self.lin_projs[-1](values), attention


class PositionwiseFeedForward(hk.Module):
    def __init__(self, d_model, d_ff, p_dropout=0.1, name=None):
        super().__init__(name=name)
        self.p_dropout = p_dropout
        self.w_1, self.w_2 = hk.Linear(d_ff), hk.Linear(d_model)

    def __call__(self, x, is_train=True):
        x = jax.nn.relu(self.w_1(x))
        if is_train:
            x = hk.dropout(hk.next_rng_key(), self.p_dropout, x)
        return self.w_2(x)


class EncoderBlock(hk.Module):
    def __init__(self, d_model, num_heads, d_ff, p_dropout, name=None):
        super().__init__(name=name)
        self.p_dropout = p_dropout
        self.self_attn = MultiheadAttention(d_model=d_model, num_heads=num_heads)
        self.ff = PositionwiseFeedForward(d_model=d_model, d_ff=d_ff, p_dropout=p_dropout)
        self.norm1 = hk.LayerNorm(axis=-1, param_axis=-1, create_scale=True, create_offset=True)
        self.norm2 = hk.LayerNorm(axis=-1, param_axis=-1, create_scale=True, create_offset=True)

    def __call__(self, x, mask=None, is_train=True):
        sub_x, _ = self.self_attn(x, x, x, mask=mask)
        if is_train:
            sub_x = hk.dropout(hk.next_rng_key(), self.p_dropout, sub_x)
        x = self.norm1(x + sub_x)
        sub_x = self.ff(x, is_train=is_train)
        if is_train:
            sub_x = hk.dropout(hk.next_rng_key(), self.p_dropout, sub_x)
        return self.norm2(x + sub_x)


class TransformerEncoder(hk.Module):
    def __init__(self, num_layers, num_heads, d_model, d_ff, p_dropout, name=None):
        super().__init__(name=name)
        self.layers = [EncoderBlock(d_model, num_heads, d_ff, p_dropout) for _ in range(num_layers)]

    def __call__(self, x, mask=None, is_train=True):
        for layer in self.layers:
            x = layer(x, mask=mask, is_train=is_train)
        return x


class PositionalEncoding(hk.Module):
    def __init__(self, d_model, max_len, p_dropout=0.1, name=None):
        super().__init__(name=name)
        self.p_dropout = p_dropout
        pe = jnp.zeros((max_len, d_model))
        position = jnp.arange(0, max_len, dtype=jnp.float32)[:, None]
        div_term = jnp.exp(jnp.arange(0, d_model, 2) * (-jnp.log(10000.0) / d_model))
        pe.at[:, 0::2].set(jnp.sin(position * div_term))
        pe.at[:, 1::2].set(jnp.cos(position * div_term))
        self.pe = pe[None]

    def __call__(self, x, is_train=True):
        x = x + self.pe[:, : x.shape[1]]
        return hk.dropout(hk.next_rng_key(), self.p_dropout, x) if is_train else x
