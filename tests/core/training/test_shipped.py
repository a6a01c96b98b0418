"""The small trained encoders of the package: they do what their model cards say."""

import re
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

from encoder_core import Encoder
from encoder_core.training import tasks
from encoder_core.training.head_counts import (
    HEADS,
    NUM_INPUTS,
    SEEDS,
    TASKS,
    file_name,
    head_count_encoder,
    head_count_plan,
    right_outputs,
)
from encoder_core.training.seen_inputs import set_aside
from encoder_core.training.shipped import FOLDER, PLANS, initial_encoder, model_card, trained_encoder


def outputs(name: str, text: str) -> list[str]:
    """The most probable output of each token."""
    encoder = trained_encoder(name)
    (logits,) = encoder.trace(text, mask="padding").logits
    return [encoder.tokenizer.vocabulary[index] for index in logits.argmax(axis=-1)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("reverse", "encoder", "r e d o c n e"),
        ("reverse", "ab", "b a"),
        ("bracket", "(()())", "6 3 2 5 4 1"),
        ("bracket", "(()", "none 3 2"),
        ("bracket", ")(", "none none"),
        ("repeat", "cat red moon cat fish", "cat cat cat cat cat"),
        ("repeat", "milk dog red sun", "none none none none"),
    ],
)
def test_the_examples_are_solved(name, text, expected):
    assert outputs(name, text) == expected.split()


def test_masked_words_fit_the_sentence():
    assert outputs("words", "The cat drinks [MASK].")[3] in ("milk", "water")
    assert outputs("words", "Two dogs __ hungry.")[2] in ("are", "were")
    assert outputs("words", "Anna is ill, because [MASK] ate the cake.")[5] == "she"


@pytest.mark.parametrize("name", PLANS)
def test_the_accuracy_of_the_model_card_is_that_of_the_encoder(name):
    encoder, task = trained_encoder(name), PLANS[name].definition
    batch = task.sample(np.random.default_rng((PLANS[name].seed, 1)), 256, unseen=True)
    right = scored = 0
    for ids, real, targets, counts in zip(*batch, strict=True):
        logits = encoder.trace(ids[None, real]).logits
        assert logits is not None
        hits = logits[0].argmax(axis=-1) == targets[real]
        right, scored = right + (hits & counts[real]).sum(), scored + counts.sum()
    (claimed,) = re.findall(r"([\d.]+)% of the outputs are right", model_card(name))
    assert abs(100 * right / scored - float(claimed)) < 0.06


def test_each_letter_attends_to_its_mirror_image_in_reverse():
    trace = trained_encoder("reverse").trace("abcdefgh")
    mirrored = [np.fliplr(pattern).diagonal().mean() for pattern in trace.layers[1].pattern[0]]
    assert max(mirrored) > 0.7
    untrained = initial_encoder("reverse").trace("abcdefgh")
    assert max(np.fliplr(pattern).diagonal().mean() for pattern in untrained.layers[1].pattern[0]) < 0.4


def test_the_initial_state_is_the_random_encoder_of_the_seed():
    plan = PLANS["bracket"]
    expected = Encoder.random(plan.config, plan.seed).parameters()
    initial, trained = initial_encoder("bracket").parameters(), trained_encoder("bracket").parameters()
    for name, array in expected.items():
        np.testing.assert_array_equal(initial[name], array)
        assert not np.array_equal(trained[name], array)


def test_the_files_are_small_and_complete():
    folder = files("encoder_core.training").joinpath(FOLDER)
    sizes = {path.name: len(path.read_bytes()) for path in folder.iterdir()}
    assert set(sizes) == {f"{name}.{end}" for name in (*PLANS, *map(file_name, TASKS)) for end in ("safetensors", "md")}
    assert sum(sizes.values()) < 1_000_000


@pytest.mark.parametrize("name", PLANS)
def test_the_model_card_states_the_plan(name):
    card, plan = model_card(name), PLANS[name]
    assert f"{plan.steps:,} steps" in card
    assert f"d_model {plan.d_model}, d_ff {plan.d_ff}" in card
    assert f"{trained_encoder(name).num_parameters:,} parameters" in card
    assert tasks()[name].goal in card
    assert tasks()[name].counted in card


def test_an_unknown_name():
    with pytest.raises(ValueError, match="name='copy' is invalid: allowed are 'reverse', 'bracket'"):
        trained_encoder("copy")


def test_head_counts_on_a_task_as_in_their_model_card():
    """All differ in their heads alone; the card has the shares of all inputs, the function those of the first ones."""
    assert len({replace(head_count_plan("sort", heads, 0), num_heads=1) for heads in HEADS}) == 1
    card = files("encoder_core.training").joinpath(FOLDER, "heads_sort.md").read_text()
    (claimed,) = re.findall(r"16 heads ([\d.]+)%, ([\d.]+)%, ([\d.]+)%", card)
    shares = [100 * right_outputs("sort", 16, seed) for seed in SEEDS]
    np.testing.assert_allclose(shares, np.array(claimed, float), atol=4)
    assert np.median(shares) > 100 * np.median([right_outputs("sort", 1, seed) for seed in SEEDS]) + 3
    with pytest.raises(ValueError, match=r"heads=3 is invalid: allowed are 1, 2, 4, 8, 16\."):
        head_count_encoder("sort", 3, 0)


def test_one_head_count_encoder_by_hand():
    """The share of right outputs, from a forward pass for each input."""
    encoder = head_count_encoder("bracket", 2, 1)
    batch = set_aside(head_count_plan("bracket", 2, 1))
    hits = [
        encoder.trace(ids[None, real]).logits[0].argmax(axis=-1) == targets[real]
        for ids, real, targets, _ in zip(*(array[:NUM_INPUTS] for array in batch), strict=True)
    ]
    assert right_outputs("bracket", 2, 1) == pytest.approx(np.concatenate(hits).mean())
