"""The softmax page: a row whose keys are all masked, and training mode, where dropout changes the weights."""

import base64

import numpy as np

from dashboard.page_list import stage_named
from encoder_core import RECIPES, Encoder
from encoder_core.analysis import entropy
from tests.pages.app import figures, opened, rendered, warning_texts


def test_entropies_are_those_before_dropout(framed):
    """After dropout, the weights of a row need not add up to 1, and have no entropy."""
    at = opened(stage_named("softmax"), encoder="nanolm", token="3", edits="dropout.3=0.5")
    (panel,) = [panel for panel in figures(at) if panel["title"] == "entropy, bits"]
    bits = np.frombuffer(base64.b64decode(panel["data"][0]["x"]["bdata"]), "<f4")
    inputs, mask, _ = RECIPES["nanolm"].inputs(0)
    weights = Encoder.recipe("nanolm").trace(inputs, mask).layers[0].pattern[0, 0]  # layer 1: dropout comes later
    np.testing.assert_allclose(bits, entropy(weights), atol=1e-5)
    assert (bits <= np.log2(np.arange(1, len(bits) + 1)) + 1e-5).all()
    assert any(text.endswith("All entropies are those before dropout.") for text in rendered(at))
    question = next(text for text in rendered(at) if "How many times as much weight" in text)
    assert question.endswith("does it get, before dropout?")


def test_the_switch_masks_keys_whose_scores_are_set(framed):
    edits = "score.0.0.0.15.2=3~score.0.0.0.14.2=3"  # the selected query, and another one
    at = opened(stage_named("softmax"), token="16", hide_row="true", edits=edits)
    (weights,) = [_matrix(panel) for panel in figures(at) if panel["title"] == "all weights"]
    assert np.isnan(weights[15]).all()  # masked
    np.testing.assert_allclose(np.nansum(weights[14]), 1, rtol=1e-5)
    texts = rendered(at)
    assert any(text.startswith("Every key is masked for") for text in texts)
    assert any("| a masked score is |" in text for text in texts)
    assert any("your edits of its scores have no effect on this page" in text for text in texts)
    assert any(text.endswith("so an edit of it has no effect on this page.") for text in texts)
    assert not any("any number unmasks it" in text for text in texts)


def test_scores_that_are_set_count_without_the_switch_and_for_other_tokens(framed):
    for link in ({"token": "16"}, {"token": "15", "hide_row": "true"}):
        at = opened(stage_named("softmax"), edits="score.0.0.0.15.2=30", **link)
        (weights,) = [_matrix(panel) for panel in figures(at) if panel["title"] == "all weights"]
        assert weights[15, 2] > 0.99
        assert not any("have no effect" in text for text in rendered(at))


def _matrix(panel):
    z = panel["data"][0]["z"]
    return np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape(
        [int(size) for size in z["shape"].split(",")]
    )


def test_a_temperature_of_the_edits_and_that_of_the_page_are_multiplied():
    both = "T = 2 (your edits) × {} (this page) = {}."
    without = "“Effect of your edits” shows them without the settings of this page."
    for temperature, total, is_different in (("1", "2", False), ("1.5", "3", True)):
        texts = rendered(opened(stage_named("softmax"), edits="temperature=2", temperature=temperature))
        (note,) = [text for text in texts if text.startswith("Both temperatures divide the scores")]
        assert both.format(temperature, total) in note
        assert (without in note) == is_different
    texts = rendered(opened(stage_named("softmax"), temperature="1.5"))
    assert not any("Both temperatures" in text or without in text for text in texts)


def test_a_temperature_that_does_not_fit_an_edit_is_that_of_the_page(framed):
    at = opened(stage_named("softmax"), temperature="0.1", edits="temperature=0.002")
    (warning,) = warning_texts(at)
    assert warning.startswith("The temperature of this page is ignored: temperature: 0.002 × 0.1 = 0.0002 is invalid")
    assert not any("Both temperatures" in text for text in rendered(at)), "only one divides the scores"
