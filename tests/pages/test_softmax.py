"""The softmax page in training mode, where dropout changes the weights after softmax."""

import base64

import numpy as np

from dashboard.page_list import stage_named
from encoder_core import RECIPES, Encoder
from encoder_core.analysis import entropy
from tests.pages.app import figures, opened, rendered


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
