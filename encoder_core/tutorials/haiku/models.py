"""The tutorial's models, each run once per seed, its functions in NumPy, and the addresses of its sections."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from jaxtyping import Bool, Float

from encoder_core.analysis import softmax_steps
from encoder_core.edits import Dropout
from encoder_core.encoder import Encoder
from encoder_core.recipes import RECIPES
from encoder_core.trace import Run
from encoder_core.tutorials.haiku.draws import MASK_OF_12

BOOK = "https://g8a9.github.io/yet_another_jax_transformer/docs"
INTRO = f"{BOOK}/01_introduction_to_the_architecture/intro.html#encoder"
HARRY = f"{BOOK}/02_core_components/attention.html"
ATTENTION = f"{HARRY}#scaled-dot-product-attention"
MULTI_HEAD = f"{BOOK}/02_core_components/multi_headed_attention.html"
TOKENS = f"{BOOK}/02_core_components/embedding_positional.html"
EMBEDDING = f"{TOKENS}#embedding-layer"
POSITIONS = f"{TOKENS}#positional-encoding"
ENCODER = f"{BOOK}/03_transformer_encoder/encoder.html"
FEED_FORWARD = f"{ENCODER}#feed-forward-sublayer"
BLOCK = f"{ENCODER}#encoder-block"
STACK = f"{ENCODER}#transformer-encoder"

HAIKU = RECIPES["haiku"]
CONFIG = HAIKU.config()
BLOCK_CONFIG = replace(CONFIG, num_layers=1)
D, HEADS, D_K = CONFIG.d_model, CONFIG.num_heads, CONFIG.d_head  # 64, 8, 8
VISIBLE = MASK_OF_12[:, 0]  # (batch, key)


@lru_cache(maxsize=16)
def example_input(seed: int) -> Float[np.ndarray, "2 12 d_model"]:
    """Random rows of the shape of the tutorial's tests; NumPy draws them, not the tutorial's keys."""
    x = np.random.default_rng(seed).standard_normal((2, 12, D)).astype(np.float32)
    x.setflags(write=False)
    return x


@lru_cache(maxsize=8)
def block(seed: int) -> Encoder:
    """The single block of the tutorial's test."""
    return Encoder.recipe("haiku", seed=seed).with_config(BLOCK_CONFIG)


@lru_cache(maxsize=24)
def block_run(seed: int, dropout: int | None = None) -> Run:
    """The single block with the mask of the tutorial's test; `dropout` is the seed of training mode."""
    edits = [] if dropout is None else [Dropout(dropout)]
    return block(seed).run(example_input(seed), MASK_OF_12, edits)


@lru_cache(maxsize=24)
def encoder_run(seed: int, dropout: int | None = None) -> Run:
    """The six blocks, in the same way."""
    edits = [] if dropout is None else [Dropout(dropout)]
    return Encoder.recipe("haiku", seed=seed).run(example_input(seed), MASK_OF_12, edits)


def scaled_dot_product(
    q: Float[np.ndarray, "*lead query d_k"],
    k: Float[np.ndarray, "*lead key d_k"],
    v: Float[np.ndarray, "*lead key d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*lead query d_v"], Float[np.ndarray, "*lead query key"]]:
    """The tutorial's function: values and weights; scores of masked keys are -1e9."""
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(np.float32(q.shape[-1]))
    if mask is not None:
        scores = np.where(mask, scores, np.float32(-1e9))
    weights = softmax_steps(scores).weights.astype(np.float32)
    return weights @ v, weights


def multi_head(
    seed: int, q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Bool[np.ndarray, "batch 1 key"]
) -> tuple[Float[np.ndarray, "batch seq d_model"], Float[np.ndarray, "batch head query key"]]:
    """The tutorial's `MultiheadAttention` with the parameters of the block: the output and the weights."""
    parameters = block(seed).parameters()

    def linear(name: str, x: np.ndarray) -> np.ndarray:
        layer = f"layers.0.attention.{name}"
        return np.asarray(x @ parameters[f"{layer}.kernel"] + parameters[f"{layer}.bias"])

    split = [
        linear(name, x).reshape(len(x), -1, HEADS, D_K).swapaxes(1, 2)
        for name, x in zip(("query", "key", "value"), (q, k, v), strict=True)
    ]
    values, weights = scaled_dot_product(split[0], split[1], split[2], mask[:, None])
    return linear("out", values.swapaxes(1, 2).reshape(q.shape)), weights
