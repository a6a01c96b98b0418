"""NanoLM as written, in float32 NumPy, for the rows of its tutorial.

The compiled program has room for larger models and takes 0.4 s of CPU for this batch; this takes 0.02 s, and it can
leave out the norms. A test compares it with the program.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import softmax

from encoder_core.parameters import Parameters
from encoder_core.recipes import RECIPES

CONFIG = RECIPES["nanolm"].config("as written")

Rows = Float[np.ndarray, "batch seq d_model"]
Weights = Float[np.ndarray, "batch head query key"]


class BlockSteps(NamedTuple):
    """Tensors of one block, with the names of `LayerTrace`."""

    resid_pre: Rows
    attn_in: Rows
    dot_products: Weights
    pattern: Weights
    attn_out: Rows
    resid_mid: Rows
    mlp_in: Rows
    mlp_pre: Float[np.ndarray, "batch seq d_ff"]
    mlp_out: Rows
    resid_post: Rows


class Forward(NamedTuple):
    """A forward pass: the input of the first block, the blocks, the normed output of the last one and the logits."""

    embedded: Rows
    blocks: list[BlockSteps]
    output: Rows
    logits: Float[np.ndarray, "batch seq vocab"]


class DropoutMasks(NamedTuple):
    """The weights and hidden numbers of every block that dropout keeps; both broadcast over axes of size 1."""

    pattern: Bool[np.ndarray, "layer _batch _head query key"]
    hidden: Bool[np.ndarray, "layer batch seq d_ff"]
    rate: float


def embed(parameters: Parameters, ids: Int[np.ndarray, "batch seq"], *, positions: bool = True) -> Rows:
    """Rows of the token table plus, unless `positions` is False, the first rows of the position table."""
    rows = parameters["token_embedding"][ids]
    return rows + parameters["position_embedding"][: ids.shape[1]] if positions else rows


def forward(
    parameters: Parameters,
    embedded: Rows,
    *,
    causal: bool = True,
    norm: bool = True,
    kernel_factor: float = 1.0,
    dropout: DropoutMasks | None = None,
) -> Forward:
    """The forward pass of embedded rows.

    causal         no query attends to a later key
    norm           False leaves out all norms
    kernel_factor  multiplies the kernels of W_V, W_O and of the feed-forward network in all blocks
    dropout        training mode with these masks
    """
    steps, x = [], embedded
    for layer in range(CONFIG.num_layers):
        steps.append(_block(parameters, x, layer, causal, norm, np.float32(kernel_factor), dropout))
        x = steps[-1].resid_post
    output = _norm(parameters, x, "final_norm") if norm else x
    return Forward(embedded, steps, output, _linear(parameters, output, "output_head"))


def _block(
    parameters: Parameters,
    x: Rows,
    layer: int,
    causal: bool,
    norm: bool,
    factor: np.float32,
    dropout: DropoutMasks | None,
) -> BlockSteps:
    name, (batch, seq, _) = f"layers.{layer}", x.shape
    attn_in = _norm(parameters, x, f"{name}.norm1") if norm else x
    q, k, v = (
        _linear(parameters, attn_in, f"{name}.attention.{part}", factor if part == "value" else None)
        .reshape(batch, seq, CONFIG.num_heads, -1)
        .swapaxes(1, 2)
        for part in ("query", "key", "value")
    )
    dots = q @ k.swapaxes(-1, -2)
    pattern = _masked_softmax(dots * np.float32(CONFIG.d_head**-0.5), causal)
    if dropout is not None:
        pattern = _drop(pattern, dropout.pattern[layer], dropout.rate)
    z = (pattern @ v).swapaxes(1, 2).reshape(batch, seq, -1)
    attn_out = _linear(parameters, z, f"{name}.attention.out", factor)
    middle = x + attn_out
    mlp_in = _norm(parameters, middle, f"{name}.norm2") if norm else middle
    mlp_pre = _linear(parameters, mlp_in, f"{name}.mlp.up", factor)
    hidden = np.maximum(mlp_pre, 0)
    if dropout is not None:
        hidden = _drop(hidden, dropout.hidden[layer], dropout.rate)
    mlp_out = _linear(parameters, hidden, f"{name}.mlp.down", factor)
    return BlockSteps(x, attn_in, dots, pattern, attn_out, middle, mlp_in, mlp_pre, mlp_out, middle + mlp_out)


def _linear(
    parameters: Parameters, x: Float[np.ndarray, "*row inputs"], name: str, factor: np.float32 | None = None
) -> Float[np.ndarray, "*row outputs"]:
    product = x.reshape(-1, x.shape[-1]) @ parameters[f"{name}.kernel"]
    if factor is not None and factor != 1:
        product *= factor
    return (product + parameters[f"{name}.bias"]).reshape(*x.shape[:-1], -1)


def _norm(parameters: Parameters, x: Rows, name: str) -> Rows:
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(CONFIG.norm_eps))
    return centred / deviation * parameters[f"{name}.scale"] + parameters[f"{name}.bias"]


def _masked_softmax(scores: Weights, causal: bool) -> Weights:
    if causal:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, np.float32(-np.inf))
    return softmax(scores, axis=-1)


def _drop(numbers: Float[np.ndarray, "..."], kept: Bool[np.ndarray, "..."], rate: float) -> Float[np.ndarray, "..."]:
    return np.where(kept, numbers / np.float32(1 - rate), np.float32(0))
