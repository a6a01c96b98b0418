"""The verdict of every row of the tutorial in dm-haiku, and its printed results and draws with Haiku itself."""

from functools import partial

import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from encoder_core.tutorials import ITEMS, examine_all
from encoder_core.tutorials.haiku import draws
from encoder_core.tutorials.haiku.blocks import CALL, reads
from encoder_core.tutorials.haiku.models import block, block_run, example_input, multi_head, scaled_dot_product
from tests.core.tutorials import haiku_book as book
from tests.core.tutorials.haiku_book import keys_of_the_book

VERDICTS = {
    "encoder-flow": "holds",
    "point-wise-activation": "holds",
    "identical-replicas": "holds if",
    "transformer-figure": "holds",
    "mixing-values": "holds",
    "product-then-softmax": "holds if",
    "scores-or-weights": "does not hold",
    "one-width": "holds",
    "shape-of-scores": "holds",
    "test-scaled-dot-product": "holds",
    "mask-ignores": "holds if",
    "mask-broadcast": "holds",
    "random-mask": "does not hold",
    "no-empty-rows-drawn": "holds if",
    "rows-that-see-nothing": "does not hold",
    "one-head-one-aspect": "holds if",
    "head-matrices": "holds",
    "output-matrix": "does not hold",
    "d-k-of-a-head": "holds",
    "three-projections": "holds",
    "swapped-axes": "holds",
    "comment-on-q": "does not hold",
    "comment-on-attention": "holds if",
    "mask-for-all-heads": "holds",
    "masks-in-decoders": "holds if",
    "test-multi-head": "holds",
    "without-apply-rng": "holds",
    "pure-functions": "holds",
    "embedding-lookup": "holds",
    "exercise-embeddings": "holds if",
    "test-embeddings": "holds",
    "docstring-embedding-matrix": "does not hold",
    "no-order": "holds",
    "varying-frequencies": "holds",
    "formula-1000": "does not hold",
    "index-of-position-vector": "holds if",
    "not-learned": "holds",
    "table-stays-zero": "does not hold",
    "dropout-on-positions": "does not hold",
    "two-sub-layers": "holds",
    "linear-transformation": "does not hold",
    "position-wise": "holds",
    "sizes-of-feed-forward": "holds",
    "dropout-in-training": "holds",
    "next-rng-key": "does not hold",
    "test-block": "holds",
    "dropout-needs-rng": "holds if",
    "unused-d-rate": "does not hold",
    "residual-comments": "holds",
    "updated-input": "holds",
    "layer-norm-eps": "holds",
    "encoder-arguments": "holds",
    "type-hint": "does not hold",
    "our-encoder-block": "does not hold",
    "test-encoder": "holds",
    "returns-last-block": "holds",
    "training-and-evaluation": "holds",
}


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 17, 9999])
def test_the_verdict_of_every_row(seed):
    findings = examine_all("haiku", seed)
    assert {item.name: finding.verdict for item, finding in zip(ITEMS["haiku"], findings, strict=True)} == VERDICTS


def masks_of(rng, seq):
    return np.asarray(jax.random.randint(rng, (2, 1, seq), minval=0, maxval=2)).astype(bool)


def test_the_constants_are_what_the_tutorial_draws():
    """In the order of the book: attention, multi-head attention, embeddings."""
    with keys_of_the_book() as rng_iter:
        rng = next(rng_iter)
        np.testing.assert_allclose(jax.random.normal(rng, (3, 2, 3, 4)), draws.QKV, atol=1e-7)
        np.testing.assert_array_equal(masks_of(rng, 3), draws.MASK_OF_3)
        np.testing.assert_array_equal(masks_of(rng, 12), draws.MASK_OF_12)
        next(rng_iter), next(rng_iter)
        np.testing.assert_array_equal(jax.random.randint(next(rng_iter), (4, 3), 0, 5), draws.IDS)


def test_newer_versions_of_jax_draw_another_mask():
    with jax.threefry_partitionable(True):
        rng = next(hk.PRNGSequence(jax.random.PRNGKey(42)))
        assert not np.array_equal(masks_of(rng, 12), draws.MASK_OF_12)


def test_the_first_key_whose_mask_is_empty_for_a_sentence():
    for seed in range(draws.EMPTY_KEY + 1):
        with keys_of_the_book(seed) as rng_iter:
            mask = masks_of(next(rng_iter), 3)
        assert (seed == draws.EMPTY_KEY) == (not mask.any(-1).all())
    np.testing.assert_array_equal(mask, draws.EMPTY_MASK)


def test_the_printed_values_and_weights():
    q, k, v = draws.QKV
    values, weights = scaled_dot_product(q, k, v, draws.MASK_OF_3)
    theirs = jax.jit(book.scaled_dot_product)(q, k, v, draws.MASK_OF_3)
    np.testing.assert_allclose(values, theirs[0], atol=1e-6)
    np.testing.assert_allclose(weights, theirs[1], atol=1e-6)
    np.testing.assert_allclose(weights[1], [[0, 0.39751637, 0.60248363], [0, 0.7151451, 0.28485486],
                                            [0, 0.21757732, 0.7824226]], atol=1e-6)  # fmt: skip
    np.testing.assert_allclose(values[0], np.tile([0.71178997, -0.2907863, 0.05771204, -0.74230427], (3, 1)), atol=1e-6)


def test_a_row_that_sees_nothing():
    q, k, v = draws.QKV
    _, weights = scaled_dot_product(q, k, v, draws.EMPTY_MASK)
    np.testing.assert_allclose(weights[0], 1 / 3, atol=1e-7)
    assert np.isnan(jax.jit(jax.nn.softmax)(np.full(3, -np.inf))).all()


def test_the_printed_shapes_of_multi_head_attention():
    mha = hk.without_apply_rng(hk.transform(lambda q, k, v, mask: book.MultiheadAttention(64, 8, "mha")(q, k, v, mask)))
    arguments = *np.zeros((3, 2, 12, 64), np.float32), draws.MASK_OF_12
    params = jax.eval_shape(mha.init, jax.random.key(0), *arguments)
    out, attn = jax.eval_shape(mha.apply, params, *arguments)
    assert (out.shape, attn.shape) == ((2, 12, 64), (2, 8, 12, 12))
    assert set(params) == {"mha/~/linear", "mha/~/linear_1", "mha/~/linear_2", "mha/~/linear_3"}
    assert sum(leaf.size for leaf in jax.tree.leaves(params)) == 16_640


def parameters_of_the_block():
    """Those of `models.block`, under Haiku's names."""
    ours = block(0).parameters()

    def linear(name):
        return {"w": ours[f"layers.0.{name}.kernel"], "b": ours[f"layers.0.{name}.bias"]}

    names = {"linear": "query", "linear_1": "key", "linear_2": "value", "linear_3": "out"}
    tree = {
        f"encoder_block/~/multihead_attention/~/{theirs}": linear(f"attention.{mine}") for theirs, mine in names.items()
    }
    for theirs, mine in (("linear", "up"), ("linear_1", "down")):
        tree[f"encoder_block/~/positionwise_feed_forward/~/{theirs}"] = linear(f"mlp.{mine}")
    for theirs, mine in (("layer_norm", "norm1"), ("layer_norm_1", "norm2")):
        norm = {"scale": ours[f"layers.0.{mine}.scale"], "offset": ours[f"layers.0.{mine}.bias"]}
        tree[f"encoder_block/~/{theirs}"] = norm
    return tree


@hk.transform
def enc_blk(x, mask, is_train):
    return book.EncoderBlock(d_model=64, num_heads=8, d_ff=128, p_dropout=0.1)(x, mask, is_train)


apply_block = jax.jit(enc_blk.apply, static_argnames="is_train")  # as single operations it is 40 programs


def test_the_block_is_the_tutorials():
    x, params = example_input(0), parameters_of_the_block()
    out = apply_block(params, None, x, draws.MASK_OF_12, is_train=False)
    np.testing.assert_allclose(block_run(0).trace.output, out, atol=1e-5)


def test_the_multi_head_function_is_the_trace():
    x, layer = example_input(0), block_run(0).trace.layers[0]
    out, weights = multi_head(0, x, x, x, draws.MASK_OF_12)
    np.testing.assert_allclose(out, layer.attn_out, atol=1e-5)
    np.testing.assert_allclose(weights, layer.pattern, atol=1e-6)


def test_the_single_block_prints_its_shape_and_needs_a_key_in_training():
    params = parameters_of_the_block()
    with keys_of_the_book() as rng_iter:
        rng, *_ = keys = [next(rng_iter) for _ in range(6)]
        x = jax.random.normal(keys[5], (2, 12, 64))
        mask = masks_of(rng, 12)
        out = np.asarray(apply_block(rng=keys[5], params=params, x=x, mask=mask, is_train=True))
    shapes = jax.eval_shape(partial(enc_blk.init, is_train=True), keys[5], x, mask)
    assert jax.tree.map(np.shape, params) == jax.tree.map(np.shape, shapes)
    np.testing.assert_allclose(np.asarray(x)[0, 0, :4], [1.7084572, -1.1127489, -0.2575754, 0.37654865], atol=1e-6)
    assert out.shape == (2, 12, 64)
    assert sum(leaf.size for leaf in jax.tree.leaves(params)) == 33_472
    np.testing.assert_allclose(out.mean(-1), 0, atol=1e-5)
    np.testing.assert_allclose(out.std(-1), 1, atol=1e-3)
    with pytest.raises(ValueError, match="must pass a non-None PRNGKey"):
        apply_block(params, None, x, mask, is_train=True)


def test_the_encoder_prints_its_shape_and_does_not_take_ids():
    encoder = hk.transform(
        lambda x, mask, is_train: book.TransformerEncoder(6, 8, 64, 128, 0.1, "t_enc")(x, mask, is_train)
    )
    with keys_of_the_book() as rng_iter:
        rng, *_ = keys = [next(rng_iter) for _ in range(7)]
        x = jax.random.normal(keys[6], (2, 12, 64))
        mask = masks_of(rng, 12)
        params = jax.eval_shape(lambda: encoder.init(keys[6], x, mask, True))
        out = jax.eval_shape(lambda p: encoder.apply(p, keys[6], x, mask, True), params)
        np.testing.assert_allclose(np.asarray(x)[0, 0, :4], [0.84897363, 2.0278738, 1.2172992, -1.4710544], atol=1e-6)
        with pytest.raises(ValueError, match="not enough values to unpack"):
            encoder.init(keys[6], jnp.arange(12)[None], mask, True)
    assert out.shape == (2, 12, 64)
    assert sum(leaf.size for leaf in jax.tree.leaves(params)) == 200_832


def test_a_key_without_a_module():
    dropped = hk.transform(lambda x: hk.dropout(hk.next_rng_key(), 0.5, x))
    with keys_of_the_book() as rng_iter:
        out = jax.jit(dropped.apply)({}, next(rng_iter), np.ones((4, 8)))
    np.testing.assert_array_equal(out, 2.0 * draws.KEPT_WITHOUT_MODULE)
    with pytest.raises(ValueError, match=r"must be used as part of an `hk.transform`"):
        hk.next_rng_key()


def test_the_table_of_positions_stays_zero():
    encode = hk.transform(lambda x: book.PositionalEncoding(64, 64)(x, is_train=False))
    np.testing.assert_array_equal(jax.jit(encode.apply)({}, None, np.zeros((1, 12, 64))), 0)


def test_the_initializer_of_the_embeddings():
    """Truncated normal numbers: none beyond 2, a standard deviation of 0.88, as in `embeddings._table`."""
    embed = hk.transform(lambda ids: hk.Embed(100, 64)(ids))
    (table,) = map(np.asarray, jax.tree.leaves(jax.jit(embed.init)(jax.random.PRNGKey(0), np.zeros((4, 3), int))))
    assert table.shape == (100, 64)
    assert np.abs(table).max() <= 2
    assert abs(table.std() - 0.88) < 0.02


def test_reads_are_counted():
    assert reads("a = b + b\nif c:\n    b = a") == {"b": 2, "a": 1, "c": 1}
    assert reads(CALL)["d_rate"] == 0
    assert reads(CALL)["is_train"] == 4
