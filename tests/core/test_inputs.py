"""Inputs of an encoder: text, ids and embeddings, and the errors for other inputs."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from encoder_core import Encoder, EncoderConfig, WordTokenizer

CONFIG = EncoderConfig(vocab_size=20, max_len=6, d_model=8, num_heads=2)
ENCODER = Encoder.random(CONFIG)


def test_text_ids_and_embeddings_give_the_same_output():
    from_text = ENCODER.trace("a b a c")
    from_ids = ENCODER.trace(np.array([[2, 3, 2, 4]]))
    from_rows = ENCODER.trace(from_ids.token_embedding)
    np.testing.assert_array_equal(from_text.ids, from_ids.ids)
    np.testing.assert_array_equal(from_text.output, from_ids.output)
    np.testing.assert_array_equal(from_text.output, from_rows.output)
    assert from_text.tokens == (("a", "b", "a", "c"),)
    assert from_ids.tokens == from_rows.tokens == ()
    assert from_rows.ids is None


def test_several_sentences_are_a_padded_batch():
    trace = ENCODER.trace(["a b c", "c"], "padding")
    assert trace.tokens == (("a", "b", "c"), ("c", "[PAD]", "[PAD]"))
    np.testing.assert_array_equal(trace.ids, [[2, 3, 4], [4, 0, 0]])
    np.testing.assert_array_equal(trace.real, [[True] * 3, [True, False, False]])
    assert trace.output.shape == (2, 3, 8)


def test_a_token_batch_is_not_tokenized_again():
    tokenizer = WordTokenizer(["x", "y", "z"])
    batch = tokenizer(["z y", "q"])
    encoder = Encoder.random(CONFIG, tokenizer=tokenizer)
    ours, theirs = ENCODER.trace(batch, "padding"), encoder.trace(["z y", "q"], "padding")
    assert ours.tokens == theirs.tokens == (("z", "y"), ("q", "[PAD]"))
    np.testing.assert_array_equal(ours.ids, [[4, 3], [1, 0]])
    np.testing.assert_array_equal(ours.output, theirs.output)


def test_a_trace_does_not_share_arrays_with_its_inputs():
    ids, rows = np.array([[1, 2]], np.int32), np.ones((1, 2, 8), np.float32)
    batch = WordTokenizer(["a"])("a a")
    traces = [ENCODER.trace(ids), ENCODER.trace(rows), ENCODER.trace(batch)]
    before = [np.array(trace.token_embedding) for trace in traces], traces[0].ids.tolist()
    ids[:], rows[:], batch.ids[:], batch.real[:] = 0, 0, 0, False
    assert traces[0].ids.tolist() == before[1]
    assert traces[2].ids.tolist() == [[2, 2]]
    assert traces[2].real.all()
    for trace, rows_before in zip(traces, before[0], strict=True):
        np.testing.assert_array_equal(trace.token_embedding, rows_before)


def test_long_text_is_truncated_with_a_warning():
    with pytest.warns(UserWarning, match="truncated to max_len=6 tokens: 2 left out"):
        trace = ENCODER.trace("a b c d e f g h")
    assert trace.tokens == (("a", "b", "c", "d", "e", "f"),)


def test_words_beyond_the_vocabulary_are_unknown():
    encoder = Encoder.random(EncoderConfig(vocab_size=3, d_model=8, num_heads=2))
    with pytest.warns(UserWarning, match=r"vocab_size=3 .*: 2 of them became \[UNK\]\. Use vocab_size=5 or more"):
        trace = encoder.trace("a b c b")
    np.testing.assert_array_equal(trace.ids, [[2, 1, 1, 1]])
    assert trace.tokens == (("a", "b", "c", "b"),)


def test_sentences_with_more_words_than_the_default_vocabulary():
    sentences = [" ".join(f"word{number}" for number in range(first, first + 50)) for first in range(0, 200, 50)]
    with pytest.warns(UserWarning, match=r"vocab_size=128 .*: 74 of them became \[UNK\]\. Use vocab_size=202 or more"):
        trace = Encoder.random(EncoderConfig(d_model=8, num_heads=2)).trace(sentences)
    assert (trace.ids == 1).sum() == 74


def test_known_words_give_no_warning(recwarn):
    Encoder.random(EncoderConfig(vocab_size=5, d_model=8, num_heads=2)).trace(["a b c a", "a"])
    tokenizer = WordTokenizer(["a"])  # made by the caller, who knows its words
    encoder = Encoder.random(EncoderConfig(vocab_size=5, d_model=8, num_heads=2), tokenizer=tokenizer)
    assert encoder.trace("a b").ids.tolist() == [[2, 1]]
    assert not recwarn.list


CALLS = """
import warnings
from encoder_core import Encoder, EncoderConfig, ablate_heads

text = "a b c d e f g h"
encoder = Encoder.random(EncoderConfig(vocab_size=4, max_len=6, d_model=8, num_heads=2, num_layers=1))
for call in (
    lambda: encoder.run(text),
    lambda: encoder.trace(text),
    lambda: encoder.run_with_compatible_edits(text),
    lambda: encoder.trace_sentences([text]),
    lambda: ablate_heads(encoder, text),
):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        call()
    print(sorted((warning.filename, warning.lineno, str(warning.message)[:5]) for warning in warned))
"""


def test_warnings_point_at_the_caller():
    # In a process of its own, because the checks of annotations wrap all functions of the package.
    lines = subprocess.run(
        [sys.executable, "-c", CALLS], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert lines == [str([("<string>", line, "text "), ("<string>", line, "vocab")]) for line in range(8, 13)]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ("", "no words"),
        ([], "no text"),
        (["a", ""], "text 2"),
        (np.array([[20]]), "ids from 20 to 20 are invalid: allowed are 0 to 19"),
        (np.array([[0, -1]]), "ids from -1 to 0"),
        (np.zeros((1, 7), int), r"shape \(1, 7\).*seq from 1 to 6 \(max_len\)"),
        (np.zeros((1, 0), int), r"shape \(1, 0\)"),
        (np.zeros((0, 3), int), r"shape \(0, 3\)"),
        (np.zeros(3, int), r"shape \(3,\) and type int"),
        (np.zeros((1, 3)), "allowed are text, integer ids"),
        (np.zeros((1, 3), bool), "allowed are text, integer ids"),
        (np.zeros((1, 3, 9)), "width 9 are invalid: allowed is d_model=8"),
        (np.zeros((1, 7, 8)), r"seq from 1 to 6 \(max_len\)"),
        (np.full((1, 3, 8), np.nan), "not finite"),
        (np.full((1, 3, 8), 1e300), "not finite"),
        (None, "allowed are text"),
        (3, "allowed are text"),
        (["a", 3], "allowed are text"),
        ([[1, 2, 3], [4, 5]], "inputs: rows of different lengths are invalid: allowed are rows of one length"),
        (ENCODER.trace("a b"), "inputs: a value of type EncoderTrace is invalid: allowed are rows of one length"),
        (torch.zeros(1, 3, 8, requires_grad=True), "inputs cannot be read as an array: .*detach"),
    ],
)
def test_invalid_inputs(inputs, message, unchecked):
    with pytest.raises(ValueError, match=message):
        ENCODER.trace(inputs)
