"""The notebook's functions in NumPy, its sizes, and the addresses of its versions."""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import softmax_steps
from encoder_core.encoder import Encoder
from encoder_core.inputs.positions import sinusoids
from encoder_core.recipes import RECIPES
from encoder_core.trace import Run
from encoder_core.tutorials.annotated.keys import key_of, linen_key, normal, split

REPOSITORY = "https://github.com/ShawonAshraf/annotated-transformer-flax/blob"
NOTEBOOK = f"{REPOSITORY}/main/nb.ipynb"
NOTEBOOK_OF_MARCH_16 = f"{REPOSITORY}/348fe90/nb.ipynb"
NOTEBOOK_OF_MARCH_5 = f"{REPOSITORY}/a2db221/nb.ipynb"
IMAGES = f"{REPOSITORY}/main/images"

ANNOTATED = RECIPES["annotated"]
D, HEADS, SEQ, VOCAB, HIDDEN = 20, 4, 100, 100, 80
D_K = D // HEADS
EPS = 1e-6

Array = Float[np.ndarray, "..."]


@lru_cache(maxsize=4)
def embeddings_of_run(run: int) -> Float[np.ndarray, "100 20"]:
    """The output of the notebook's embedding cell when it is run for the `run`-th time (from 1).

    Each run splits `master_key` again, so it has another key. linen draws a table with a standard deviation of 1/√20;
    the layer divides by √20.
    """
    master = key_of(2025)
    for _ in range(run):
        embed_key, master = split(master)
    return (normal(linen_key(embed_key, "Embed_0"), (VOCAB, D)) / D).astype(np.float32)


@lru_cache(maxsize=1)
def encodings() -> Float[np.ndarray, "1 100 20"]:
    """Zeros plus the position encoding: the input of all later cells."""
    return sinusoids(SEQ, D)[None]


@lru_cache(maxsize=4)
def encoder(seed: int) -> Encoder:
    """The block as the paper has it, for inputs that already have their scale and their positions."""
    intended = Encoder.recipe("annotated", seed=seed)
    return intended.with_config(replace(intended.config, embedding_scale="none", positions="none"))


@lru_cache(maxsize=8)
def intended_run(seed: int) -> Run:
    """The block as the paper has it, on the encoding."""
    return encoder(seed).run(encodings())


@lru_cache(maxsize=8)
def equal_heads_run(seed: int) -> Run:
    """The same with the queries and keys of head 1 in every head."""
    model = encoder(seed)
    parameters = dict(model.parameters())
    for part in ("query", "key"):
        for name in ("kernel", "bias"):
            path = f"layers.0.attention.{part}.{name}"
            parameters[path] = np.concatenate([parameters[path][..., :D_K]] * HEADS, axis=-1)
    return Encoder.from_parameters(model.config, parameters).run(encodings())


class Heads(NamedTuple):
    """Attention as written: one layer for queries, keys and values, and the heads one below the other."""

    q: Float[np.ndarray, "batch head seq d_k"]
    scores: Float[np.ndarray, "batch head seq seq"]
    z: Float[np.ndarray, "batch head seq d_k"]
    out: Float[np.ndarray, "rows seq d_model"]


def dense(rng: np.random.Generator, x: Array, width: int) -> Array:
    """`nn.Dense(width)` with random weights: x W, with a standard deviation of 1/√(inputs) and biases of 0."""
    return np.asarray(x @ (rng.standard_normal((x.shape[-1], width)) / np.sqrt(x.shape[-1])))


@lru_cache(maxsize=8)
def attention_as_written(seed: int, batch: int = 1) -> Heads:
    """The notebook's `MultiHeadAttention(4, 20)` on `batch` copies of the encoding."""
    rng, x = np.random.default_rng(seed), np.repeat(encodings(), batch, axis=0)
    q = dense(rng, x, D).reshape(batch, SEQ, HEADS, D_K).swapaxes(1, 2)
    scores = q @ q.swapaxes(-1, -2) / np.sqrt(D_K)
    z = softmax_steps(scores).weights @ q
    return Heads(q, scores, z, dense(rng, np.concatenate(list(z)), D))


def layer_norm_as_written(x: Array) -> Array:
    """(x - mean) / (std + eps), with gamma = 1 and no beta."""
    return np.asarray((x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + EPS))


def add_and_norm_as_written(x: Array) -> Array:
    """x + LayerNorm(x): the notebook's `AddAndNormLayer`."""
    return np.asarray(x + layer_norm_as_written(x))


def feed_forward_as_written(rng: np.random.Generator, x: Array, hidden: int) -> Array:
    """`FeedForwardLayer(20, hidden)`: two layers of widths 20 and `hidden`, then ReLU."""
    return np.asarray(np.maximum(dense(rng, dense(rng, x, D), hidden), 0))
