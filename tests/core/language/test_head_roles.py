"""What heads look at, against values worked out by hand."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis.language import SENTENCES, head_roles, role_keys
from encoder_core.analysis.language.head_roles import ROLES
from tests.core.language.made import trace_with

BERT = ["[CLS]", "a", ",", "b", "[SEP]", "[PAD]"]
REAL = np.array([True] * 5 + [False])


def of(result, role):
    return result.weights[result.roles.index(role)]


def test_the_keys_of_each_role_by_hand():
    keys = dict(zip(ROLES, role_keys(BERT, REAL), strict=True))
    places = {role: [tuple(map(int, at)) for at in np.argwhere(found)] for role, found in keys.items()}
    assert places == {
        "previous": [(2, 1), (3, 2)],
        "next": [(1, 2), (2, 3)],
        "itself": [(1, 1), (2, 2), (3, 3)],
        "[CLS]": [(1, 0), (2, 0), (3, 0)],
        "[SEP]": [(1, 4), (2, 4), (3, 4)],
        "punctuation": [(1, 2), (3, 2)],
    }


def test_mean_weights_by_hand():
    """Rows of "a", "," and "b" over [CLS] a , b [SEP]; the rows of the special tokens must not matter."""
    pattern = np.zeros((1, 1, 1, 6, 6))
    pattern[..., 0, :] = pattern[..., 4, :] = 9
    pattern[0, 0, 0, 1, :5] = [0.1, 0.2, 0.4, 0.2, 0.1]
    pattern[0, 0, 0, 2, :5] = [0.5, 0.1, 0.2, 0.2, 0.0]
    pattern[0, 0, 0, 3, :5] = [0.0, 0.0, 0.6, 0.1, 0.3]
    found = head_roles([trace_with([BERT], pattern, real=REAL[None], mask=REAL)])
    expected = {
        "previous": (0.1 + 0.6) / 2,
        "next": (0.4 + 0.2) / 2,
        "itself": (0.2 + 0.2 + 0.1) / 3,
        "[CLS]": 0.6 / 3,
        "[SEP]": 0.4 / 3,
        "punctuation": (0.4 + 0.6) / 2,
    }
    assert found.roles == ROLES
    np.testing.assert_allclose(found.weights[:, 0, 0], list(expected.values()), rtol=1e-6)
    np.testing.assert_array_equal(found.queries, [2, 2, 3, 3, 3, 2])
    np.testing.assert_allclose(found.uniform, 1 / 5)
    assert (found.sentences, found.tokens) == (1, 3)


def test_a_head_that_looks_at_the_token_before_is_found_among_others():
    seq = 5
    patterns = np.full((3, 1, 2, seq, seq), 1 / seq)
    patterns[2, 0, 1] = np.eye(seq, k=-1)
    patterns[1, 0, 0] = np.eye(seq)
    patterns[0, 0, 1] = np.eye(seq, k=1)
    found = head_roles([trace_with([list("abcde")], patterns)])
    assert found.roles == ("previous", "next", "itself")
    assert [found.strongest(role) for role in found.roles] == [(2, 1), (0, 1), (1, 0)]
    for role, (layer, head) in (("previous", (2, 1)), ("next", (0, 1)), ("itself", (1, 0))):
        assert of(found, role)[layer, head] == pytest.approx(1)
        assert of(found, role)[0, 0] == pytest.approx(1 / seq)
    np.testing.assert_allclose(found.uniform, 1 / seq)


def test_queries_count_alike_in_sentences_of_any_length():
    """One query of weight 1 and three of weight 0 have the mean 1/4, not the mean 1/2 of two sentences."""
    short = trace_with([["a", "b"]], np.array([[0.0, 1.0], [1.0, 0.0]])[None, None, None])
    long = trace_with([list("abcd")], np.eye(4)[None, None, None])
    found = head_roles(iter([short, long]))
    assert of(found, "previous")[0, 0] == pytest.approx(1 / 4)
    assert (found.sentences, found.tokens) == (2, 6)


def test_uniform_attention_is_that_of_a_head_that_sees_all_keys_alike():
    """Queries and keys of zeros make every head uniform, so that weights and baseline agree, whatever the mask."""
    config = EncoderConfig(vocab_size=400, d_model=8, num_heads=2, d_ff=8, num_layers=2)
    parameters = Encoder.random(config).parameters()
    zeros = {name: 0 * values if ".query." in name else values for name, values in parameters.items()}
    encoder = Encoder.from_parameters(config, zeros)
    for mask in ("padding", "causal", "causal+padding"):
        found = head_roles(encoder.trace(text, mask) for text in SENTENCES[:6])
        uniform = np.broadcast_to(found.uniform[:, None, None], found.weights.shape)
        np.testing.assert_allclose(found.weights, uniform, atol=1e-6)
    assert found.uniform[found.roles.index("next")] == 0


def test_a_padded_batch_is_the_same_as_its_sentences_one_by_one():
    encoder = Encoder.random(EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=2, vocab_size=9))
    ids = np.arange(1, 7, dtype=np.int32)[None]
    one, two = encoder.trace(ids), encoder.trace(ids[:, :3])
    apart = head_roles([one, two])
    padded = np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, 0, 0, 0]], np.int32)
    real = np.array([[True] * 6, [True] * 3 + [False] * 3])
    together = encoder.trace(padded, real[:, None, :])._replace(real=real)
    found = head_roles([together])
    np.testing.assert_allclose(found.weights, apart.weights, atol=1e-6)
    np.testing.assert_allclose(found.uniform, apart.uniform)
    np.testing.assert_array_equal(found.queries, apart.queries)


def test_roles_add_up_to_at_most_one():
    """Previous, next, itself, [CLS] and [SEP] are different keys of the same query."""
    rng = np.random.default_rng(0)
    tokens = ["[CLS]", *"abcdef", "[SEP]"]
    found = head_roles([trace_with([tokens], rng.dirichlet(np.ones(8), (2, 1, 3, 8)))])
    assert found.roles == ROLES[:5]
    assert (found.weights > 0).all()
    assert (found.weights[2:].sum(axis=0) < 1).all()


def test_there_must_be_a_token():
    with pytest.raises(ValueError, match="no token"):
        head_roles([])
    with pytest.raises(ValueError, match="no token"):
        head_roles([trace_with([["[CLS]", "[SEP]"]], np.ones((1, 1, 1, 2, 2)) / 2)])
