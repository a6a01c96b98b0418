"""`nanolm` and the embedding of `annotated` from Flax linen layers."""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen as nn

from encoder_core import EncoderConfig
from encoder_core.parameters import Parameters


class NanoLM(nn.Module):
    vocab: int
    block_size: int
    width: int
    layers: int
    heads: int
    qkv_features: int

    @nn.compact
    def __call__(self, ids):
        seq = ids.shape[1]
        x = nn.Embed(self.vocab, self.width, name="tokens")(ids)
        x = x + nn.Embed(self.block_size, self.width, name="positions")(jnp.arange(seq))
        mask = jnp.tril(jnp.ones((seq, seq)))
        for i in range(self.layers):
            normed = nn.LayerNorm(name=f"norm1_{i}")(x)
            attention = nn.MultiHeadDotProductAttention(
                num_heads=self.heads, qkv_features=self.qkv_features, out_features=self.width, name=f"attention_{i}"
            )
            x = x + attention(normed, normed, mask=mask, deterministic=True, sow_weights=True)
            hidden = nn.relu(nn.Dense(4 * self.width, name=f"up_{i}")(nn.LayerNorm(name=f"norm2_{i}")(x)))
            x = x + nn.Dense(self.width, name=f"down_{i}")(hidden)
        return nn.Dense(self.vocab, name="head")(nn.LayerNorm(name="final_norm")(x))


def nanolm(config: EncoderConfig) -> NanoLM:
    """The model at the sizes of `config`."""
    return NanoLM(
        config.vocab_size, config.max_len, config.d_model, config.num_layers, config.num_heads, config.qkv_width
    )


@cache
def _run(config: EncoderConfig):
    """The model as one program; as single operations it is fifty."""
    return jax.jit(lambda variables, ids: nanolm(config).apply(variables, ids, mutable=["intermediates"]))


def run_nanolm(config: EncoderConfig, variables: dict[str, Any], ids) -> tuple[np.ndarray, list[np.ndarray]]:
    """The logits, and the attention weights of each layer."""
    logits, state = _run(config)(variables, ids)
    sown = state["intermediates"]
    weights = [sown[f"attention_{i}"]["attention_weights"][0] for i in range(config.num_layers)]
    return np.asarray(logits), [np.asarray(array) for array in weights]


def nanolm_parameters(config: EncoderConfig, ours: Parameters) -> dict:
    """Our parameters under linen's names."""
    heads, d_head, d = config.num_heads, config.d_head, config.d_model

    def both(name: str, **renamed: str) -> dict[str, np.ndarray]:
        return {theirs: ours[f"{name}.{mine}"] for theirs, mine in renamed.items()}

    linear, norm = {"kernel": "kernel", "bias": "bias"}, {"scale": "scale", "bias": "bias"}
    tree = {
        "tokens": {"embedding": ours["token_embedding"]},
        "positions": {"embedding": ours["position_embedding"]},
        "final_norm": both("final_norm", **norm),
        "head": both("output_head", **linear),
    }
    for i in range(config.num_layers):
        attention = {
            name: {
                "kernel": ours[f"layers.{i}.attention.{name}.kernel"].reshape(d, heads, d_head),
                "bias": ours[f"layers.{i}.attention.{name}.bias"].reshape(heads, d_head),
            }
            for name in ("query", "key", "value")
        }
        attention["out"] = {
            "kernel": ours[f"layers.{i}.attention.out.kernel"].reshape(heads, d_head, d),
            "bias": ours[f"layers.{i}.attention.out.bias"],
        }
        tree |= {
            f"attention_{i}": attention,
            f"up_{i}": both(f"layers.{i}.mlp.up", **linear),
            f"down_{i}": both(f"layers.{i}.mlp.down", **linear),
            f"norm1_{i}": both(f"layers.{i}.norm1", **norm),
            f"norm2_{i}": both(f"layers.{i}.norm2", **norm),
        }
    return tree


def annotated_embedding(ids, table, *, divide: bool, max_len: int = 100) -> np.ndarray:
    """linen's Embed, divided by sqrt(d) or multiplied with it, plus sinusoids with exp(log) frequencies.

    The tutorial's dropout comes last and is switched off whatever the mode: deterministic=True.
    """
    vocab, d = table.shape
    rows = nn.Embed(num_embeddings=vocab, features=d).apply({"params": {"embedding": table}}, ids)
    rows = rows / jnp.sqrt(d) if divide else rows * jnp.sqrt(d)
    encoding = np.zeros((max_len, d))
    position = np.arange(max_len)[:, None]
    factor = np.exp(np.arange(0, d, 2) * (-np.log(1e4) / d))
    encoding[:, 0::2] = np.sin(position * factor)
    encoding[:, 1::2] = np.cos(position * factor)
    summed = rows + encoding[None, : ids.shape[1]]
    return np.asarray(nn.Dropout(0.1, deterministic=True).apply({}, summed))
