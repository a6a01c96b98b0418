"""The verdict of every row of the Annotated Transformer, and its printed results with JAX and linen themselves."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import linen as nn

from encoder_core.tutorials import ITEMS, examine_all
from encoder_core.tutorials.annotated import embedding
from encoder_core.tutorials.annotated.attention_code import is_a_truth_value
from encoder_core.tutorials.annotated.encoder_text import paper_parameters
from encoder_core.tutorials.annotated.introduction import layers_until_all
from encoder_core.tutorials.annotated.keys import key_of, linen_key, normal, split
from encoder_core.tutorials.annotated.models import (
    add_and_norm_as_written,
    attention_as_written,
    embeddings_of_run,
    encodings,
    layer_norm_as_written,
)

VERDICTS = {
    "replicates": "holds if",
    "only-self-attention": "holds if",
    "window-limit": "holds if",
    "recurrence-slow": "holds if",
    "both-limits": "holds",
    "flow-figure": "holds if",
    "embedding-scale": "holds if",
    "embeddings-printed": "holds",
    "embeddings-printed-first": "holds",
    "embeddings-shape": "holds",
    "absolute-encoding": "holds",
    "no-sense-of-position": "holds",
    "random-correlations": "does not hold",
    "shape-comments": "holds",
    "odd-and-even": "does not hold",
    "apply-dropout": "does not hold",
    "encoding-chart": "holds",
    "chart-axis": "does not hold",
    "six-layers": "holds",
    "two-parts": "holds if",
    "encoder-figure": "holds if",
    "heads-model-aspects": "holds if",
    "how-elements-correlate": "holds if",
    "n-by-n": "holds",
    "values-are-probabilities": "does not hold",
    "formula-without-scale": "holds if",
    "scaling-and-overflow": "does not hold",
    "factor-is-dimension": "does not hold",
    "attention-figure": "holds",
    "decoder-only": "holds if",
    "mask-figure": "holds",
    "masked-fill": "holds",
    "mask-branch": "does not hold",
    "matmul-faster": "does not hold",
    "multi-head-figure": "holds",
    "heads-and-d-model": "does not hold",
    "three-dense-layers": "does not hold",
    "mask-axis": "does not hold",
    "concat-of-heads": "does not hold",
    "multi-head-shape": "holds",
    "why-layer-norm": "holds if",
    "layer-norm-fixed-sizes": "does not hold",
    "layer-norm-code": "holds if",
    "keeping-bias-0": "holds",
    "add-and-norm": "does not hold",
    "add-norm-shape": "holds",
    "dense-arguments": "does not hold",
    "relu-after-second": "does not hold",
    "feed-forward-shape": "holds",
    "encoder-shape": "holds",
}


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 17, 9999])
def test_the_verdict_of_every_row(seed):
    findings = examine_all("annotated", seed)
    assert {item.name: finding.verdict for item, finding in zip(ITEMS["annotated"], findings, strict=True)} == VERDICTS


class SequenceEmbedding(nn.Module):
    d_model: int
    vocab_size: int

    @nn.compact
    def __call__(self, x):
        return nn.Embed(num_embeddings=self.vocab_size, features=self.d_model)(x) / jnp.sqrt(self.d_model)


@jax.jit
def embeddings_of_linen(key):
    """`layer.apply(layer.init(key, x), x)` with the tutorial's layer and x."""
    embedded, _ = SequenceEmbedding(20, 100).init_with_output(key, jnp.arange(0, 100))
    return embedded


@pytest.mark.parametrize(("run", "printed"), [(1, embedding.PRINTED_MARCH_16), (4, embedding.PRINTED_MARCH_5)])
def test_the_printed_embeddings_are_those_of_linen_and_of_numpy(run, printed):
    master_key = jax.random.key(2025)
    for _ in range(run):
        embed_key, master_key = jax.random.split(master_key, 2)
    theirs = np.asarray(embeddings_of_linen(embed_key))
    corners = np.ix_((0, 1, 2, -3, -2, -1), (0, 1, 2, -3, -2, -1))
    np.testing.assert_allclose(theirs[corners], embedding.printed_numbers(printed), atol=3e-8)
    np.testing.assert_allclose(embeddings_of_run(run), theirs, atol=5e-7)  # erfinv of XLA is a polynomial in float32


def test_older_random_numbers_of_jax_are_not_those_printed():
    with jax.threefry_partitionable(False):
        embed_key, _ = jax.random.split(jax.random.key(2025), 2)
        theirs = np.asarray(embeddings_of_linen(embed_key))
    assert np.abs(theirs[0, :3] - [0.00881531, 0.01145858, -0.0442136]).max() > 0.01


@pytest.mark.parametrize("seed", [0, 2025])
def test_keys_and_normal_numbers_are_those_of_jax(seed):
    theirs = jax.random.key_data(jax.random.split(jax.random.key(seed), 2))
    np.testing.assert_array_equal(split(key_of(seed)), theirs)
    np.testing.assert_allclose(normal(key_of(seed), (7, 3)), jax.random.normal(jax.random.key(seed), (7, 3)), atol=2e-6)
    assert not np.array_equal(linen_key(key_of(seed), "Embed_0"), key_of(seed))


class Attention(nn.Module):
    """The notebook's MultiHeadAttention(4, 20)."""

    def setup(self):
        self.linear_layers = [nn.Dense(20)] * 3
        self.final_linear = nn.Dense(20)

    def __call__(self, x):
        split_heads = lambda y: y.reshape(*y.shape[:2], 4, 5).swapaxes(1, 2)  # noqa: E731
        q, k, v = (split_heads(linear(x)) for linear in self.linear_layers)
        weights = nn.softmax(q @ k.swapaxes(-1, -2) / jnp.sqrt(5))
        return self.final_linear(jnp.concat(weights @ v))


class FeedForward(nn.Module):
    d_model: int
    hidden: int

    @nn.compact
    def __call__(self, x):
        x = nn.Dense(self.d_model, self.hidden)(x)
        return nn.relu(nn.Dense(self.hidden, self.d_model)(x))


def shapes(tree):
    return jax.tree.map(lambda leaf: leaf.shape, tree)


def test_the_printed_shapes_are_those_of_linen():
    key, x = jax.random.key(0), jnp.asarray(encodings())
    variables = jax.eval_shape(Attention().init, key, x)
    assert shapes(variables["params"]) == {
        "linear_layers_0": {"kernel": (20, 20), "bias": (20,)},
        "final_linear": {"kernel": (5, 20), "bias": (20,)},
    }
    out = jax.eval_shape(Attention().apply, variables, x)
    assert out.shape == attention_as_written(0).out.shape == (4, 100, 20)
    two = jax.eval_shape(Attention().apply, variables, jnp.concatenate([x, x]))
    assert two.shape == attention_as_written(0, 2).out.shape == (8, 100, 20)
    for hidden in (10, 80):
        layer = FeedForward(20, hidden)
        kernels = jax.eval_shape(layer.init, key, out)
        assert jax.eval_shape(layer.apply, kernels, out).shape == (4, 100, hidden)
        assert kernels["params"]["Dense_0"]["kernel"].shape == (20, 20)
        assert kernels["params"]["Dense_1"]["kernel"].shape == (20, hidden)


def test_an_array_is_no_truth_value():
    assert not is_a_truth_value(np.ones((3, 3)))
    assert is_a_truth_value(np.ones(1))
    with pytest.raises(ValueError, match="truth value"):
        bool(jnp.ones((3, 3)))


def test_layer_norm_and_add_and_norm_by_hand():
    x = np.array([[1.0, 3.0]])
    np.testing.assert_allclose(layer_norm_as_written(x), [[-1, 1]], atol=1e-5)
    np.testing.assert_allclose(add_and_norm_as_written(x), [[0, 4]], atol=1e-5)


@pytest.mark.parametrize(("seq", "dilated", "layers"), [(1, False, 0), (100, False, 99), (5, True, 2), (100, True, 5)])
def test_layers_until_all_inputs_are_reached(seq, dilated, layers):
    """Dilations 1, 3, 9, 27, 81 reach 1, 4, 13, 40, 121 inputs further."""
    assert layers_until_all(seq, dilated=dilated) == layers


def test_parameters_of_the_paper_by_hand():
    """An encoder layer has 3,150,336 (with biases in the feed-forward layers only), a decoder layer 4,199,936."""
    assert paper_parameters(0) == 37_000 * 512
    assert paper_parameters(1) - paper_parameters(0) == 3_150_336 + 4_199_936
