"""The rows of the tutorial in Flax NNX: the verdict of each, and its published figures with its own keys."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from encoder_core import RECIPES
from encoder_core.analysis import softmax_steps
from encoder_core.tutorials import ITEMS, examine_all
from encoder_core.tutorials.nnx.heads import split_heads
from encoder_core.tutorials.nnx.masks import expand_mask, fill_and_softmax
from encoder_core.tutorials.nnx.vectors import attend

VERDICTS = {
    "captures-relationships": "holds",
    "two-linear-layers": "does not hold",
    "add-and-normalize": "holds",
    "encoder-diagram": "holds",
    "every-other-token": "holds if",
    "query": "holds",
    "key": "holds if",
    "value": "holds",
    "attention-formula": "holds",
    "softmax-normalizes": "holds",
    "scaling-factor": "does not hold",
    "returns-weights": "does not hold",
    "large-negative-value": "holds if",
    "fully-masked-row": "does not hold",
    "output-shapes": "holds",
    "same-key": "does not hold",
    "causal-mask": "holds",
    "attention-matrix": "holds",
    "weighted-values": "does not hold",
    "split-heads": "holds if",
    "independent-heads": "holds",
    "concatenate-and-project": "holds",
    "call-arguments": "does not hold",
    "shape-of-qkv": "holds",
    "shape-of-split-heads": "does not hold",
    "mask-two-axes": "holds",
    "mask-three-axes": "holds",
    "mask-four-axes": "holds",
    "mask-one-axis": "holds",
    "multi-head-shapes": "holds",
    "head-batch-grid": "holds",
    "block-order": "holds",
    "residual-connections": "holds",
    "smooth-gradient-flow": "holds if",
    "norm-after-the-residual": "holds",
    "normalizing-the-sum": "holds",
    "unaltered-gradients": "does not hold",
    "norm-before-the-residual": "holds if",
    "pre-norm-stabilizes": "holds if",
    "pre-norm-smoother": "holds",
    "no-scaling-factors": "holds if",
    "dropout-places": "holds",
    "block-shape": "holds",
    "block-input-and-output": "holds if",
    "progressively-refine": "holds",
    "local-to-global": "does not hold",
    "padding-masks": "holds",
    "causal-masks": "holds",
    "role-of-masking": "holds",
    "depth-and-cost": "holds",
    "interpretability": "holds if",
    "extract-weights": "does not hold",
    "weights-of-block-1": "holds",
    "weights-of-block-2": "does not hold",
    "weights-of-block-3": "does not hold",
}

# Read from the colours of the two figures of the section Self-Attention; a step of the colour bar is 0.004 and 0.02.
PUBLISHED_WEIGHTS = [
    [1.00, 0.00, 0.00, 0.00, 0.00],
    [0.07, 0.94, 0.00, 0.00, 0.00],
    [0.03, 0.01, 0.96, 0.00, 0.00],
    [0.17, 0.12, 0.19, 0.52, 0.00],
    [0.00, 0.00, 0.00, 0.02, 0.97],
]
PUBLISHED_VALUES = [
    [1.06, -0.97, -0.59, -0.02],
    [2.33, -1.82, -0.77, -0.30],
    [0.39, 1.67, -1.04, 1.35],
    [0.28, -0.34, -0.13, 0.79],
    [-0.08, 0.77, 2.55, -0.56],
]


@pytest.mark.parametrize("seed", [0, 1, 2, 9999, 31])
def test_the_verdict_of_every_row(unchecked, seed):
    findings = examine_all("nnx", seed)
    assert {item.name: finding.verdict for item, finding in zip(ITEMS["nnx"], findings, strict=True)} == VERDICTS


@jax.jit
def _tutorial_attention(x):
    """The tutorial's function with q = k = v = x and its causal mask."""
    logits = jnp.matmul(x, jnp.swapaxes(x, -2, -1)) / jnp.sqrt(x.shape[-1])
    weights = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((5, 5))) == 0, -1e9, logits), axis=-1)
    return weights, weights @ x


def test_the_published_figures_with_the_tutorials_key():
    """The tutorial ran JAX 0.4.34. JAX 0.5 changed the random numbers of every key; the option gives the old ones."""
    with jax.threefry_partitionable(False):
        x = jax.random.normal(jax.random.PRNGKey(0), (1, 5, 4))
    weights, values = map(np.asarray, _tutorial_attention(x))
    assert (values.shape, weights.shape) == ((1, 5, 4), (1, 5, 5))
    np.testing.assert_allclose(weights[0], PUBLISHED_WEIGHTS, atol=0.012)
    np.testing.assert_allclose(values[0], PUBLISHED_VALUES, atol=0.035)
    new, _ = _tutorial_attention(jax.random.normal(jax.random.PRNGKey(0), (1, 5, 4)))
    assert np.abs(np.asarray(new)[0] - PUBLISHED_WEIGHTS).max() > 0.1


def test_dropout_is_active_in_a_new_module():
    dropout = nnx.Dropout(0.1, rngs=nnx.Rngs(0))
    x = np.ones((20, 16), np.float32)
    dropped = nnx.jit(lambda dropout, x: dropout(x))(dropout, x)
    assert (np.asarray(dropped) == 0).mean() > 0.01
    dropout.eval()
    np.testing.assert_array_equal(dropout(x), x)


def test_attention_by_hand():
    """Scores 0 and ln 3 after division by √4: weights 1/4 and 3/4, and 1/4 · 8 + 3/4 · 4 = 5."""
    q = np.array([[2.0, 0, 0, 0]])
    k = np.array([[0.0, 0, 0, 0], [np.log(3), 0, 0, 0]])
    weights, z = attend(q, k, np.array([[8.0], [4.0]]))
    np.testing.assert_allclose(weights, [[0.25, 0.75]])
    np.testing.assert_allclose(z, [[5.0]])


def test_a_row_without_keys_by_hand():
    scores, hidden = np.array([[5.0, 1.0]], np.float32), np.zeros((1, 2), bool)
    np.testing.assert_array_equal(fill_and_softmax(scores, hidden, -1e9), [[0.5, 0.5]])
    assert np.isnan(fill_and_softmax(scores, hidden, -np.inf)).all()
    first = np.array([[True, False]])
    for fill in (-1e9, -np.inf):
        np.testing.assert_array_equal(fill_and_softmax(scores, first, fill), [[1, 0]])


def test_masks_expand_like_the_tutorials():
    assert [expand_mask(np.ones(shape)).shape for shape in ((3, 3), (2, 3, 3), (2, 4, 3, 3))] == [
        (1, 1, 3, 3), (2, 1, 3, 3), (2, 4, 3, 3),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="1 axes"):
        expand_mask(np.ones(3))


def test_each_head_has_its_own_slice():
    """Two heads of width 3: columns 0 to 2 belong to the first head, 3 to 5 to the second."""
    heads = split_heads(np.arange(6.0).reshape(1, 1, 6), 2)
    np.testing.assert_array_equal(heads[0, :, 0], [[0, 1, 2], [3, 4, 5]])


def test_softmax_of_the_library():
    scores = np.random.default_rng(0).standard_normal((3, 7))
    np.testing.assert_allclose(softmax_steps(scores).weights, jax.jit(jax.nn.softmax)(scores), atol=5e-6)


def test_the_source_is_that_of_the_recipe():
    addresses = {quotation.address for item in ITEMS["nnx"] for quotation in item.quotations}
    assert all(
        address.startswith((RECIPES["nnx"].source, "https://github.com/mohsenh17/TransformerNNX"))
        for address in addresses
    )
