"""Sentence vectors, with values that are computed by hand."""

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig
from encoder_core.analysis import cosines
from encoder_core.analysis.language import head_roles, sentence_vectors
from tests.core.language.traces import trace_with


def test_the_mean_of_the_real_rows_has_length_one():
    """The mean of (6, 0) and (0, 8) is (3, 4), of length 5. Padding does not count."""
    rows = np.zeros((2, 2, 3, 4))
    rows[1, 0, :, :2] = [[6, 0], [0, 8], [100, -100]]
    rows[1, 1, :, :2] = [[0, 8], [6, 0], [-100, 100]]
    real = [[True, True, False], [True, True, False]]
    trace = trace_with([["a", "b", "[PAD]"]] * 2, stages=rows, real=real)
    vectors = sentence_vectors(trace, allow_padding=True)
    np.testing.assert_allclose(vectors, [[0.6, 0.8, 0, 0]] * 2, rtol=1e-6)
    np.testing.assert_allclose(cosines(vectors, vectors), 1, rtol=1e-6)


def test_the_vector_is_zero_where_the_mean_is():
    rows = np.zeros((2, 1, 2, 4))
    rows[1, 0, :, 0] = [1, -1]
    np.testing.assert_array_equal(sentence_vectors(trace_with([["a", "b"]], stages=rows)), np.zeros((1, 4)))


def test_the_vector_does_not_depend_on_the_other_sentences():
    encoder = Encoder.random(EncoderConfig(d_model=8, num_heads=2, d_ff=8, num_layers=2))
    alone = sentence_vectors(encoder.trace("a b", "padding"))
    beside = sentence_vectors(encoder.trace(["a b", "a b a b a b"], "padding"))
    np.testing.assert_allclose(beside[0], alone[0], atol=1e-6)
    assert np.abs(beside[1] - alone[0]).max() > 1e-3
    unmasked = encoder.trace(["a b", "a b a b a b"])
    with pytest.raises(ValueError, match=r"tokens attend to padding is invalid.* with a mask such as mask=\"padding\""):
        sentence_vectors(unmasked)
    with pytest.raises(ValueError, match="tokens attend to padding is invalid"):
        head_roles([unmasked])
    assert head_roles([unmasked], allow_padding=True).tokens == 8
    assert np.abs(sentence_vectors(unmasked, allow_padding=True)[0] - alone[0]).max() > 1e-3
