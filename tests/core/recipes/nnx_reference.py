"""The `nnx` tutorial's encoder from Flax NNX layers: fused projection, three elements in a list, post-norm.

As written, the list is run first and the GELU is applied once, to what the whole list gives.
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from encoder_core import EncoderConfig
from encoder_core.parameters import Parameters


class Attention(nnx.Module):
    def __init__(self, width: int, heads: int, rngs: nnx.Rngs) -> None:
        self.heads = heads
        self.fused = nnx.Linear(width, 3 * width, rngs=rngs)
        self.out = nnx.Linear(width, width, rngs=rngs)

    def __call__(self, x, mask):
        batch, seq, _ = x.shape
        fused = self.fused(x).reshape(batch, seq, self.heads, -1).transpose(0, 2, 1, 3)
        q, k, v = jnp.array_split(fused, 3, axis=-1)
        scores = jnp.where(mask, q @ k.swapaxes(-1, -2) / jnp.sqrt(q.shape[-1]), -1e9)
        weights = jax.nn.softmax(scores, axis=-1)
        return self.out((weights @ v).transpose(0, 2, 1, 3).reshape(batch, seq, -1)), weights


class Block(nnx.Module):
    def __init__(self, config: EncoderConfig, rngs: nnx.Rngs) -> None:
        self.attention = Attention(config.d_model, config.num_heads, rngs)
        self.up = nnx.Linear(config.d_model, config.d_ff, rngs=rngs)
        self.down = nnx.Linear(config.d_ff, config.d_model, rngs=rngs)
        self.norm1 = nnx.LayerNorm(config.d_model, rngs=rngs)
        self.norm2 = nnx.LayerNorm(config.d_model, rngs=rngs)

    def __call__(self, x, mask, *, as_written, drop):
        x = self.norm1(x + drop("attn_out", self.attention(x, mask)[0]))
        inside = lambda hidden: drop("mlp_act", hidden)  # noqa: E731
        if as_written:
            hidden = x
            for element in (self.up, inside, self.down):
                hidden = element(hidden)
            hidden = nnx.gelu(hidden)
        else:
            hidden = self.down(inside(nnx.gelu(self.up(x))))
        return self.norm2(x + drop("mlp_out", hidden))


def build(config: EncoderConfig, parameters: Parameters) -> list[Block]:
    """The blocks with our parameters: each head's third of a third, side by side."""
    blocks = []
    for layer in range(config.num_layers):
        block = nnx.eval_shape(lambda: Block(config, nnx.Rngs(0)))  # parameters that are replaced need not be drawn
        ours = f"layers.{layer}."
        for kind in ("kernel", "bias"):
            thirds = [
                parameters[f"{ours}attention.{name}.{kind}"].reshape(-1, config.num_heads, config.d_head)
                for name in ("query", "key", "value")
            ]
            fused = np.concatenate(thirds, axis=-1)
            _set(getattr(block.attention.fused, kind), fused.reshape(-1, 3 * config.d_model).squeeze())
            _set(getattr(block.attention.out, kind), parameters[f"{ours}attention.out.{kind}"])
            _set(getattr(block.up, kind), parameters[f"{ours}mlp.up.{kind}"])
            _set(getattr(block.down, kind), parameters[f"{ours}mlp.down.{kind}"])
        for norm in ("norm1", "norm2"):
            _set(getattr(block, norm).scale, parameters[f"{ours}{norm}.scale"])
            _set(getattr(block, norm).bias, parameters[f"{ours}{norm}.bias"])
        blocks.append(block)
    return blocks


def _set(parameter: nnx.Param, array: np.ndarray) -> None:
    assert parameter.shape == array.shape
    parameter.set_value(jnp.asarray(array))


def run(blocks: list[Block], x, mask, *, as_written: bool, drop) -> list[np.ndarray]:
    """What leaves each block. `drop(layer, place, array)` is dropout."""
    left = []
    for layer, block in enumerate(blocks):
        x = block(x, mask, as_written=as_written, drop=lambda place, y, layer=layer: drop(layer, place, y))
        left.append(np.asarray(x))
    return left


def weights(blocks: list[Block], x, mask, *, as_written: bool) -> list[np.ndarray]:
    """The attention read-out: as written, every block reads the input."""
    read_out = []
    for block in blocks:
        read_out.append(np.asarray(block.attention(x, mask)[1]))
        if not as_written:
            x = block(x, mask, as_written=False, drop=lambda place, y: y)
    return read_out
