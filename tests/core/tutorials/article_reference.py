"""The article's notebooks in Haiku with their keys: the walkthrough step by step, and the modules of the encoder.

Layers are created in the notebooks' order, because Haiku splits its key at each parameter. Call both under
`jax.threefry_partitionable(False)`, the default of JAX when the notebooks were run. Each is compiled as one program: as
single operations they are a hundred. Random numbers take long to compile, so XLA optimises less there.
"""

from functools import partial

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np

BATCH, SEQ, WIDTH, HEADS, D_K, HIDDEN, VOCAB = 32, 10, 64, 4, 16, 256, 84
# The ids of the first sequence depend on the order of a Python set, so each notebook has its own. They were recovered
# from the plotted numbers; "les" occurs twice.
WALKTHROUGH_IDS = [50, 26, 35, 69, 83, 25, 69, 33, 38, 0]
ENCODER_IDS = [68, 46, 52, 16, 36, 80, 16, 76, 61, 75]


def encodings() -> np.ndarray:
    """sin or cos of pos / 10000^(2 dim / 64), as the code has it."""
    dimension = np.arange(WIDTH)
    angles = np.arange(SEQ)[:, None] / np.power(10_000.0, 2 * dimension / WIDTH)
    return np.where(dimension % 2 == 0, np.sin(angles), np.cos(angles)).astype(np.float32)


def layer_norm(x):
    """Without scale and shift, which are 1 and 0."""
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-6)


_FAST_TO_COMPILE = {"xla_backend_optimization_level": 0}


@partial(jax.jit, compiler_options=_FAST_TO_COMPILE)
def walkthrough() -> dict[str, np.ndarray]:
    """What `encoder_walkthrough.ipynb` plots of the first sequence, by the title of the figure."""
    key = jax.random.PRNGKey(17)
    table = hk.transform(lambda ids: hk.Embed(VOCAB, WIDTH)(ids)).init(key, jnp.zeros((BATCH, SEQ, WIDTH), jnp.int32))
    embeddings = table["embed"]["embeddings"][jnp.array(WALKTHROUGH_IDS)]
    x = embeddings + encodings()
    _, key = jax.random.split(key)
    kernels = jax.random.normal(key, (3, WIDTH, D_K, HEADS)).transpose(0, 3, 1, 2)
    q, k, v = (jnp.einsum("sd,hdk->hsk", x, kernel, precision="highest") for kernel in kernels)
    heads = jax.nn.softmax(q @ k.swapaxes(1, 2) / jnp.sqrt(D_K)) @ v
    concat = heads.transpose(1, 0, 2).reshape(SEQ, -1)
    dummy = jnp.zeros((BATCH, SEQ, WIDTH))
    linear = hk.transform(lambda x: hk.Linear(WIDTH)(x))
    attention = linear.apply(linear.init(key, dummy), None, concat)
    normalized = layer_norm(attention + x)
    network = hk.transform(lambda x: hk.Linear(WIDTH)(jax.nn.relu(hk.Linear(HIDDEN)(x))))
    ffn = network.apply(network.init(key, dummy), None, normalized)
    return {
        "Word Embeddings": embeddings,
        "Positional Encodings + Embeddings": x,
        "Attention Matrix for head 0, batch 0": heads[0],
        "Concatenated Attention Matrix for one batch": concat,
        "Output of the Linear Layer": attention,
        "Output of the Residual Connection": attention + x,
        "Output of the Layer Normalization": normalized,
        "Output of the Feed Forward Network": ffn,
        "… + Residual Connection (Linear Attention)": ffn + attention,
        "… after Feed Forward Network and Residual Connection": layer_norm(ffn + attention),
    }


class MultiheadAttention(hk.Module):
    def __call__(self, x):
        init = hk.initializers.VarianceScaling(1.0, "fan_avg", "uniform")
        kernels = [hk.get_parameter(name, (HEADS, WIDTH, D_K), init=init) for name in ("WQ", "WK", "WV")]
        q, k, v = (jnp.einsum("bsd,hdk->hbsk", x, kernel) for kernel in kernels)
        heads = jax.nn.softmax(q @ k.swapaxes(-1, -2) / jnp.sqrt(D_K)) @ v
        return hk.Linear(WIDTH)(heads.transpose(1, 2, 0, 3).reshape(*x.shape[:2], -1))


class LayerNorm(hk.Module):
    def __call__(self, x):
        gamma = hk.get_parameter("gamma", (WIDTH,), init=jnp.ones)
        return gamma * layer_norm(x) + hk.get_parameter("beta", (WIDTH,), init=jnp.zeros)


class FeedForwardNet(hk.Module):
    def __call__(self, x):
        hidden = jax.nn.gelu(hk.Linear(HIDDEN)(x))
        return hk.Linear(WIDTH)(hidden)


class EmbeddingLayer(hk.Module):
    def __call__(self, ids):
        return hk.Embed(VOCAB, WIDTH)(ids) + encodings()


class Encoder(hk.Module):
    def __init__(self):
        super().__init__(name="Encoder_module")
        self.embedding_layer = EmbeddingLayer(name="Embedding_layer")
        self.attention = MultiheadAttention(name="Multihead_Attention")
        self.post_attention = LayerNorm(name="Post_Attention_Layer_Norm")
        self.post_feed_forward = LayerNorm(name="Post_FeedForward_Layer_Norm")
        self.feed_forward = FeedForwardNet(name="FeedForward_Net")

    def __call__(self, ids):
        embeddings = self.embedding_layer(ids)
        attention = self.post_attention(self.attention(embeddings) + embeddings)
        return self.post_feed_forward(self.feed_forward(attention) + attention)


encoder = hk.transform(lambda ids: Encoder()(ids))
_init = jax.jit(encoder.init, compiler_options=_FAST_TO_COMPILE)
apply_encoder = jax.jit(encoder.apply)


def encoder_parameters():
    """The parameters of `encoder.ipynb`."""
    return _init(jax.random.PRNGKey(0), np.zeros((BATCH, SEQ), np.int32))


def encoder_output() -> np.ndarray:
    """What `encoder.ipynb` plots: the output for the first sequence."""
    return np.asarray(apply_encoder(encoder_parameters(), None, np.array([ENCODER_IDS])))[0]
