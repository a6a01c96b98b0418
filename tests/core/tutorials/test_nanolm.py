"""The verdict of every row of the tutorial in Flax linen, its printed numbers, and what its rows compute."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import linen as nn

from encoder_core import Encoder
from encoder_core.tutorials import ITEMS, examine_all
from encoder_core.tutorials.nanolm import models
from encoder_core.tutorials.nanolm.data import split_lengths
from encoder_core.tutorials.nanolm.embeddings import distances
from encoder_core.tutorials.nanolm.forward import CONFIG, embed, forward
from encoder_core.tutorials.nanolm.introduction import OPTIMIZERS, first_steps
from encoder_core.tutorials.nanolm.results import letter_shares
from encoder_core.tutorials.nanolm.training import PRINTED_PARAMETERS, accuracy, batch_operations, get_batch
from tests.core.recipes.linen_reference import NanoLM, nanolm, nanolm_parameters, run_nanolm
from tests.core.reference import random_parameters, relative_difference

VERDICTS = {
    "why-embeddings": "holds",
    "one-hot-product": "holds",
    "comment-sizes": "does not hold",
    "raw-scores": "does not hold",
    "worked-example": "holds",
    "causal-mask": "holds",
    "input-of-ones": "holds",
    "parameters-by-part": "holds",
    "next-character": "holds",
    "manageable-size": "holds if",
    "solver": "does not hold",
    "head-size": "does not hold",
    "context-window": "holds",
    "text-lengths": "holds",
    "vocabulary": "holds",
    "encode-decode": "holds",
    "dynamic-slice": "does not hold",
    "jit": "holds if",
    "shifted-targets": "holds",
    "teacher-forcing": "holds",
    "key-parameters": "holds if",
    "sequence-to-sequence": "holds if",
    "order-from-positions": "holds",
    "different-parts": "holds",
    "after-attention": "holds if",
    "output-probabilities": "does not hold",
    "norm-and-dropout": "holds if",
    "shared-dropout-mask": "holds",
    "generate": "holds if",
    "cross-entropy": "holds",
    "notebook-parameters": "holds",
    "accuracy": "does not hold",
    "first-loss": "holds if",
    "convergence": "does not hold",
    "generated-text": "holds if",
}


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 17, 9999])
def test_the_verdict_of_every_row(seed):
    findings = examine_all("nanolm", seed)
    assert {item.name: finding.verdict for item, finding in zip(ITEMS["nanolm"], findings, strict=True)} == VERDICTS


def test_the_forward_pass_is_that_of_the_encoder():
    parameters = random_parameters(CONFIG, np.random.default_rng(1))
    ids = models.NANOLM.inputs(1).inputs.ids[:2]
    run = forward(parameters, embed(parameters, ids))
    trace = Encoder.from_parameters(CONFIG, parameters).trace(ids, "causal")
    assert relative_difference(run.logits, trace.logits) < 5e-6
    for ours, theirs in zip(run.blocks, trace.layers, strict=True):
        for name, tensor in ours._asdict().items():
            assert relative_difference(tensor, getattr(theirs, name)) < 5e-6, name


def test_linen_draws_one_mask_for_all_heads_and_sentences():
    q, k = np.random.default_rng(0).standard_normal((2, 3, 10, 8, 4), np.float32)  # sentence, token, head, dimension
    key = jax.random.key(2, impl="rbg")  # the default generator takes ten times as long to compile for four axes

    def dropped(**choices) -> np.ndarray:
        attention_weights = partial(nn.dot_product_attention_weights, dropout_rate=0.2, deterministic=False, **choices)
        weights = jax.jit(lambda q, k, key: attention_weights(q, k, dropout_rng=key))(q, k, key)
        return np.asarray(weights) == 0

    shared = dropped()
    assert shared.shape == (3, 8, 10, 10)
    assert 5 < shared[0, 0].sum() < 40
    assert (shared == shared[0, 0]).all()
    assert not dropped(broadcast_dropout=False).all(axis=(0, 1)).any()


def test_the_masks_of_training_mode_are_applied():
    masks, parameters = models.dropout_masks(0, 3, 10, shared=True), models.parameters_of(0)
    embedded = embed(parameters, models.NANOLM.inputs(0).inputs.ids[:3])
    pattern = forward(parameters, embedded, dropout=masks).blocks[0].pattern
    plain = forward(parameters, embedded).blocks[0].pattern
    np.testing.assert_allclose(pattern, np.where(masks.pattern[0], plain / 0.8, 0), rtol=1e-6)
    assert masks.pattern.shape == (6, 1, 1, 10, 10)
    assert models.dropout_masks(0, 3, 10, shared=False).pattern.shape == (6, 3, 8, 10, 10)


def test_ones_differ_by_position_because_of_the_table_alone_in_linen_too():
    """With the parameters of the rows: linen's own would take ten times as long to compile as the model."""
    ones, parameters = np.ones((8, 10), np.int32), nanolm_parameters(CONFIG, models.parameters_of(42))
    shapes = jax.eval_shape(nanolm(CONFIG).init, jax.random.key(42), ones)["params"]
    assert jax.tree.map(np.shape, parameters) == jax.tree.map(np.shape, shapes)
    logits, _ = run_nanolm(CONFIG, {"params": parameters}, ones)
    assert logits.shape == (8, 10, 100)
    assert np.abs(logits - logits[:1]).max() < 1e-5
    assert logits[0].std(axis=0).mean() > 0.1
    unplaced = {"params": parameters | {"positions": {"embedding": np.zeros((64, 256), np.float32)}}}
    same = run_nanolm(CONFIG, unplaced, ones)[0][0]
    assert np.abs(same - same[0]).max() < 1e-4


@pytest.mark.parametrize(("vocab", "printed"), [(100, 3_426_468), (65, PRINTED_PARAMETERS)])
def test_linen_has_the_printed_number_of_parameters(vocab, printed):
    model = NanoLM(vocab, 64, 256, 6, 8, 32)
    shapes = jax.eval_shape(model.init, jax.random.key(0), np.ones((8, 10), int))
    assert sum(leaf.size for leaf in jax.tree.leaves(shapes)) == printed


def test_a_token_beyond_the_window_is_nan_in_linen():
    table = {"params": {"embedding": np.ones((64, 4), np.float32)}}
    rows = jax.jit(nn.Embed(64, 4).apply)(table, np.arange(65))
    assert np.isnan(rows).any(axis=1).tolist() == [False] * 64 + [True]


@pytest.mark.parametrize(("size", "heads", "runs"), [(32, 8, True), (64, 4, True), (16, 16, True), (16, 8, False),
                                                     (8, 16, False)])  # fmt: skip
def test_which_sizes_of_heads_run_in_linen(size, heads, runs):
    def block(x):
        attention = nn.MultiHeadDotProductAttention(num_heads=heads, qkv_features=size, out_features=size * heads)
        return x + attention.init_with_output(jax.random.key(0), x, x)[0]

    if runs:
        assert jax.eval_shape(block, jnp.zeros((1, 3, 256))).shape == (1, 3, 256)
        return
    with pytest.raises((AssertionError, TypeError, ValueError)):
        jax.eval_shape(block, jnp.zeros((1, 3, 256)))


def test_the_first_steps_are_those_of_optax():
    gradient, values = np.array([0.5, -1e-3, 2.0]), np.array([1.0, 0.0, -3.0])
    assert all(hasattr(optax, name) for name in OPTIMIZERS)
    assert not hasattr(optax, "sgdw")
    for ours, optimizer in zip(first_steps(gradient, values), (optax.sgd(5e-3), optax.adamw(5e-3)), strict=True):
        state = optimizer.init(jnp.array(values))
        theirs, _ = jax.jit(optimizer.update)(gradient, state, values)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)


def test_the_cross_entropy_is_that_of_optax():
    logits, targets = np.random.default_rng(0).normal(size=(4, 5, 65)), np.arange(20).reshape(4, 5)
    theirs = jax.jit(optax.softmax_cross_entropy_with_integer_labels)(logits, targets)
    np.testing.assert_allclose(models.cross_entropy(logits, targets), theirs, rtol=1e-5)
    np.testing.assert_allclose(models.cross_entropy(np.zeros((1, 4)), np.zeros(1, int)), np.log(4))


def test_the_operations_of_get_batch():
    data = jnp.array(models.encode(models.TEXT))
    assert len(jax.make_jaxpr(get_batch)(jax.random.PRNGKey(42), data).eqns) == batch_operations()
    assert batch_operations() in (
        17,
        15,
    )  # JAX 0.10, 0.12: the key, the places, and twice the gathering of the stretches
    x, y = map(np.asarray, jax.jit(get_batch)(jax.random.PRNGKey(42), data))
    assert x.shape == y.shape == (128, 64)
    np.testing.assert_array_equal(x[:, 1:], y[:, :-1])


def test_small_functions_by_hand():
    np.testing.assert_allclose(distances(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])), [5, 1, np.sqrt(18)])
    assert split_lengths(1_115_394) == {"train": 1_003_854, "validation": 55_770, "test": 55_770}
    assert accuracy(np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([1, 1])) == 0.5
    np.testing.assert_allclose(letter_shares("Abba, 1!")[:3], [0.5, 0.5, 0])
    assert models.encode("\n z").tolist() == [0, 1, 64]
    assert models.decode(models.encode("Speak, speak.")) == "Speak, speak."


def test_the_batch_of_text_is_the_text():
    batch = models.text_batch(5, 64)
    for start, x, y in zip(batch.starts, batch.x, batch.y, strict=True):
        assert models.decode(x) == models.TEXT[start : start + 64]
        assert models.decode(y) == models.TEXT[start + 1 : start + 65]


def test_the_parameters_reach_linen_and_back():
    """The rows' model is the tutorial's class: the same logits for the same parameters."""
    parameters = random_parameters(CONFIG, np.random.default_rng(2))
    ids = models.NANOLM.inputs(2).inputs.ids
    theirs, _ = run_nanolm(CONFIG, {"params": nanolm_parameters(CONFIG, parameters)}, ids)
    assert relative_difference(forward(parameters, embed(parameters, ids)).logits, theirs) < 5e-6
