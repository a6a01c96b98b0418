"""Roles of attention heads, with values that are computed by hand."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig, WordTokenizer
from encoder_core.analysis.language import SENTENCES, head_roles, role_keys
from encoder_core.analysis.language.head_roles import ROLES
from tests.core.language.traces import trace_with

BERT = ["[CLS]", "a", ",", "b", "[SEP]", "[PAD]"]
REAL = np.array([True] * 5 + [False])


def weights_of(result, role):
    return result.weights[result.roles.index(role)]


def test_the_keys_of_each_role_by_hand():
    keys = dict(zip(ROLES, role_keys(BERT, REAL), strict=True))
    places = {role: [tuple(map(int, at)) for at in np.argwhere(mask)] for role, mask in keys.items()}
    assert places == {
        "previous": [(2, 1), (3, 2)],
        "next": [(1, 2), (2, 3)],
        "itself": [(1, 1), (2, 2), (3, 3)],
        "[CLS]": [(1, 0), (2, 0), (3, 0)],
        "[SEP]": [(1, 4), (2, 4), (3, 4)],
        "punctuation": [(1, 2), (3, 2)],
    }


def test_mean_weights_by_hand():
    """Rows of "a", "," and "b" over [CLS] a , b [SEP]; the rows of special tokens have no effect."""
    pattern = np.zeros((1, 1, 1, 6, 6))
    pattern[..., 0, :] = pattern[..., 4, :] = 9
    pattern[0, 0, 0, 1, :5] = [0.1, 0.2, 0.4, 0.2, 0.1]
    pattern[0, 0, 0, 2, :5] = [0.5, 0.1, 0.2, 0.2, 0.0]
    pattern[0, 0, 0, 3, :5] = [0.0, 0.0, 0.6, 0.1, 0.3]
    roles = head_roles([trace_with([BERT], pattern, real=REAL[None], mask=REAL)])
    expected = {
        "previous": (0.1 + 0.6) / 2,
        "next": (0.4 + 0.2) / 2,
        "itself": (0.2 + 0.2 + 0.1) / 3,
        "[CLS]": 0.6 / 3,
        "[SEP]": 0.4 / 3,
        "punctuation": (0.4 + 0.6) / 2,
    }
    assert roles.roles == ROLES
    np.testing.assert_allclose(roles.weights[:, 0, 0], list(expected.values()), rtol=1e-6)
    np.testing.assert_array_equal(roles.queries, [2, 2, 3, 3, 3, 2])
    np.testing.assert_allclose(roles.uniform, 1 / 5)
    assert (roles.sentences, roles.tokens) == (1, 3)


def test_the_strongest_head_of_each_role():
    seq = 5
    patterns = np.full((3, 1, 2, seq, seq), 1 / seq)
    patterns[2, 0, 1] = np.eye(seq, k=-1)
    patterns[1, 0, 0] = np.eye(seq)
    patterns[0, 0, 1] = np.eye(seq, k=1)
    roles = head_roles([trace_with([list("abcde")], patterns)])
    assert roles.roles == ("previous", "next", "itself")
    assert [roles.strongest(role) for role in roles.roles] == [(2, 1), (0, 1), (1, 0)]
    for role, (layer, head) in (("previous", (2, 1)), ("next", (0, 1)), ("itself", (1, 0))):
        assert weights_of(roles, role)[layer, head] == pytest.approx(1)
        assert weights_of(roles, role)[0, 0] == pytest.approx(1 / seq)
    np.testing.assert_allclose(roles.uniform, 1 / seq)


def test_queries_count_equally_in_sentences_of_any_length():
    """One query of weight 1 and three of weight 0 have the mean 1/4, not the mean 1/2 of two sentences."""
    short = trace_with([["a", "b"]], np.array([[0.0, 1.0], [1.0, 0.0]])[None, None, None])
    long = trace_with([list("abcd")], np.eye(4)[None, None, None])
    roles = head_roles(iter([short, long]))
    assert weights_of(roles, "previous")[0, 0] == pytest.approx(1 / 4)
    assert (roles.sentences, roles.tokens) == (2, 6)


def test_uniform_attention():
    """With queries of zeros all weights are equal, so that the weights are those of the baseline, whatever the mask."""
    config = EncoderConfig(vocab_size=400, d_model=8, num_heads=2, d_ff=8, num_layers=2)
    parameters = Encoder.random(config).parameters()
    zeros = {name: 0 * values if ".query." in name else values for name, values in parameters.items()}
    encoder = Encoder.from_parameters(config, zeros, tokenizer=WordTokenizer.from_texts(SENTENCES[:6]))
    for mask in ("padding", "causal", "causal+padding"):
        roles = head_roles(encoder.trace(text, mask) for text in SENTENCES[:6])
        uniform = np.broadcast_to(roles.uniform[:, None, None], roles.weights.shape)
        np.testing.assert_allclose(roles.weights, uniform, atol=1e-6)


def test_only_queries_that_can_attend_to_a_key_of_the_role_count():
    """With a causal mask none can attend to the next token, and only "c" to the comma before it."""
    seq = 4
    causal = np.tril(np.ones((seq, seq), bool))
    pattern = np.broadcast_to(causal / causal.sum(axis=1, keepdims=True), (1, 1, 1, seq, seq))
    roles = head_roles([trace_with([["a", "b", ",", "c"]], pattern, mask=causal)])
    assert roles.roles == ("previous", "itself", "punctuation")
    np.testing.assert_array_equal(roles.queries, [3, 4, 1])
    np.testing.assert_allclose(
        roles.weights[:, 0, 0], [(1 / 2 + 1 / 3 + 1 / 4) / 3, (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, 1 / 4]
    )
    np.testing.assert_allclose(roles.uniform, roles.weights[:, 0, 0])
    assert roles.tokens == 4


def test_a_key_that_one_of_two_heads_sees_counts():
    """Head 2 does not see the previous token, so its weight on it is 0. "b" sees two keys in head 1, one in head 2."""
    patterns = np.array([[[0.4, 0.6], [0.7, 0.3]], [[0.5, 0.5], [0.0, 1.0]]])[None, None]
    roles = head_roles([trace_with([["a", "b"]], patterns, mask=patterns[0] > 0)])
    assert roles.roles == ("previous", "next", "itself")
    np.testing.assert_array_equal(roles.queries, [1, 1, 2])
    np.testing.assert_allclose(roles.weights[:, 0], [[0.7, 0], [0.6, 0.5], [0.35, 0.75]], rtol=1e-6)
    np.testing.assert_allclose(roles.uniform, [(1 / 2 + 0) / 2, 1 / 2, (1 / 2 + (1 / 2 + 1) / 2) / 2])


def test_a_padded_batch_has_the_roles_of_its_sentences():
    encoder = Encoder.random(EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=2, vocab_size=9))
    ids = np.arange(1, 7, dtype=np.int32)[None]
    one, two = encoder.trace(ids), encoder.trace(ids[:, :3])
    single = head_roles([one, two])
    padded = np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, 0, 0, 0]], np.int32)
    real = np.array([[True] * 6, [True] * 3 + [False] * 3])
    together = encoder.trace(padded, real[:, None, :])._replace(real=real)
    roles = head_roles([together])
    np.testing.assert_allclose(roles.weights, single.weights, atol=1e-6)
    np.testing.assert_allclose(roles.uniform, single.uniform)
    np.testing.assert_array_equal(roles.queries, single.queries)


def test_roles_add_up_to_at_most_one():
    """Previous, next, itself, [CLS] and [SEP] are different keys of a query."""
    rng = np.random.default_rng(0)
    tokens = ["[CLS]", *"abcdef", "[SEP]"]
    roles = head_roles([trace_with([tokens], rng.dirichlet(np.ones(8), (2, 1, 3, 8)))])
    assert roles.roles == ROLES[:5]
    assert (roles.weights > 0).all()
    assert (roles.weights[2:].sum(axis=0) < 1).all()


def test_there_must_be_a_query():
    with pytest.raises(ValueError, match="no token"):
        head_roles([])
    with pytest.raises(ValueError, match="no token"):
        head_roles([trace_with([["[CLS]", "[SEP]"]], np.ones((1, 1, 1, 2, 2)) / 2)])
