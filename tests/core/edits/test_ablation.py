"""Ablation of heads and tokens, and threads with different edits."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.edits import EDIT_FORMATS, random_edit
from encoder_core import (
    Dropout,
    Encoder,
    EncoderConfig,
    HeadFactor,
    HideToken,
    SetScore,
    SetTokenEmbedding,
    SetWeight,
    Temperature,
    ablate_heads,
    ablate_tokens,
    residual_change,
)

CONFIG = EncoderConfig(vocab_size=40, d_model=24, num_heads=3, num_layers=4, norm="pre", final_norm=True)
ENCODER = Encoder.random(CONFIG, seed=3)
IDS = np.random.default_rng(0).integers(0, 40, (2, 6))


def test_edits_of_an_iterator_count_in_every_run(unchecked):
    edits = [Temperature(2.0), HeadFactor(0, 0)]
    for ablate in (ablate_heads, ablate_tokens):
        np.testing.assert_array_equal(ablate(ENCODER, IDS, None, iter(edits)), ablate(ENCODER, IDS, None, edits))


def test_ablation_of_each_head():
    hot = Temperature(2.0)
    effect = ablate_heads(ENCODER, IDS, "causal", [hot], sentence=1)
    whole = ENCODER.trace(IDS, "causal", [hot]).output[1].astype(float)
    assert effect.shape == (4, 3, 6)
    assert effect.dtype == np.float64
    for layer in range(4):
        for head in range(3):
            without = ENCODER.trace(IDS, "causal", [hot, HeadFactor(layer, head)]).output[1]
            np.testing.assert_array_equal(effect[layer, head], np.linalg.norm(without - whole, axis=-1))
    assert (effect > 1e-3).all()


def test_a_head_with_zero_output_has_no_effect():
    parameters = {name: array.copy() for name, array in ENCODER.parameters().items()}
    parameters["layers.2.attention.out.kernel"][8:16] = 0
    effect = ablate_heads(Encoder.from_parameters(CONFIG, parameters), IDS)
    assert (effect[2, 1] == 0).all()
    assert (np.delete(effect.reshape(12, 6), 7, axis=0) > 0).all()


def test_ablation_of_each_token():
    effect = ablate_tokens(ENCODER, IDS, "causal")
    assert effect.shape == (6, 6)
    whole = ENCODER.trace(IDS, "causal").output[0].astype(float)
    for token in range(6):
        mask = np.tri(6, dtype=bool)
        mask[:, token] = False
        without = ENCODER.trace(IDS, mask).output[0]
        np.testing.assert_array_equal(effect[token], np.linalg.norm(without - whole, axis=-1))
    np.testing.assert_array_equal(effect[np.triu(np.ones((6, 6), bool))] > 0, True)
    np.testing.assert_array_equal(effect[np.tri(6, k=-1, dtype=bool)], 0)  # tokens do not depend on later ones


def test_ablation_of_text_and_embeddings():
    rows = ENCODER.trace("one two three").token_embedding
    np.testing.assert_array_equal(ablate_heads(ENCODER, "one two three"), ablate_heads(ENCODER, rows))
    np.testing.assert_array_equal(ablate_tokens(ENCODER, ["one two three"]), ablate_tokens(ENCODER, rows))


@pytest.mark.parametrize("config", [CONFIG, replace(CONFIG, norm="post", attention_read_out="input", d_model=150)])
def test_outputs_are_those_of_traces(config):
    encoder = Encoder.random(config)
    edits = [Temperature(3.0), HeadFactor(2, 1, 0.5), Dropout(0, 0.2)]
    edit_lists = [
        [HeadFactor(3, 0), SetScore(1, 2, 0, 3, 3, 1.0)],
        [SetWeight("W_V", 3, 0, 1, 1, 2.0)],
        [HideToken(1, 0)],
    ]
    edit_lists += [
        [],
        [HeadFactor(0, 0), HeadFactor(3, 1)],
        [SetTokenEmbedding(int(IDS[1, 1]), 2, 3.0), HeadFactor(3, 2)],
    ]
    outputs = encoder.outputs_with_edits(IDS, "causal", edits, edit_lists=edit_lists, sentence=1)
    for output, edit_list in zip(outputs, [[], *edit_lists], strict=True):
        np.testing.assert_array_equal(output, encoder.trace(IDS, "causal", [*edits, *edit_list]).output[1])
    assert not outputs.flags.writeable


@pytest.mark.parametrize("sentence", [-1, 2])
def test_an_invalid_sentence(sentence):
    with pytest.raises(ValueError, match=f"sentence={sentence} is invalid: allowed are 0 to 1"):
        ablate_heads(ENCODER, IDS, sentence=sentence)


def test_residual_change_starts_at_the_edited_layer():
    change = residual_change(ENCODER.trace(IDS), ENCODER.trace(IDS, edits=[HeadFactor(2, 0)]), sentence=1)
    assert change.shape == (5, 6)
    assert (change[:3] == 0).all()
    assert (change[3:] > 0).all()


def test_eight_threads_with_different_edits():
    rng = np.random.default_rng(0)
    lists = [
        [random_edit(rng, edit_format, CONFIG, 2, 6) for edit_format in rng.permutation(EDIT_FORMATS)[:4]]
        for _ in range(24)
    ]
    plain = ENCODER.trace(IDS, "causal")
    alone = [Encoder.random(CONFIG, seed=3).trace(IDS, "causal", edits) for edits in lists]
    shared = Encoder.random(CONFIG, seed=3)
    start = threading.Barrier(8)

    def work(thread: int) -> list[bool]:
        start.wait()
        same = []
        for turn in range(len(lists)):
            index = (3 * thread + turn) % len(lists)
            trace = shared.trace(IDS, "causal", lists[index])
            pairs = [(trace.output, alone[index].output), (trace.ids, alone[index].ids)]
            for ours, theirs in zip(trace.layers, alone[index].layers, strict=True):
                pairs += zip(ours, theirs, strict=True)
            same += [np.array_equal(ours, theirs) for ours, theirs in pairs]
        return same

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(work, range(8)))
    assert all(all(same) for same in results)
    after = shared.trace(IDS, "causal")
    np.testing.assert_array_equal(after.output, plain.output)
    for ours, theirs in zip(after.layers, plain.layers, strict=True):
        for here, there in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(here, there)
    for name, array in ENCODER.parameters().items():
        np.testing.assert_array_equal(shared.parameters()[name], array)
