"""Rollout, and what three views of attention say about a token, where some heads see no key or dropout changes sums."""

import re

import numpy as np
import pytest

from dashboard.lessons.full_stack.attention.view_comparison import compare_views
from dashboard.models.model import model_for
from dashboard.models.variants import with_edits
from dashboard.page_list import stage_named
from dashboard.selection.focus import Focus
from dashboard.state.settings import Settings
from encoder_core import Dropout
from encoder_core.inputs.custom_mask import HIDDEN, CustomMask
from tests.pages.app import opened, rendered

TEXT = "the cat saw it and ran"
SMALL = {"text": TEXT, "layers": 2, "heads": 2, "d_model": 8}
IT = "all.4.1x1x4x6.Y2AAAnsA"  # head 1 sees no key from "it"


def hidden_from_it(heads):
    """The mask that hides every key from the fourth token in the first heads."""
    cells = np.zeros((1, heads, 4, 6), np.int8)
    cells[0, :, 3] = HIDDEN
    return {"mask": "custom", "custom_mask": CustomMask.from_cells("4", "all", cells)}


def comparison(head, token, edits=(), **settings):
    model = with_edits(model_for(Settings.from_state(SMALL | settings)), edits)
    return compare_views(model, Focus(0, 0, head, token, 0, model.batch.tokens[0]))


def test_a_head_without_a_visible_key_has_no_largest_share():
    text = comparison(0, 3, **hidden_from_it(1))
    assert "- In layer 1, head 1, no key is visible to this token\n" in text
    assert "0.00" not in text
    assert "All three" not in text
    assert "In layer 1, head 2, “" in comparison(1, 3, **hidden_from_it(1))


def test_a_token_that_sees_no_key_in_any_head_has_no_comparison():
    assert comparison(0, 3, **hidden_from_it(2)) == (
        "No key is visible to this token, so no view says anything about it."
    )


START = "it counts the residual stream as half of every layer"
HALF, MORE = f"{START}: ", f"{START}, and as more where a head has no visible key: "
SUMS = f"{START} before each row is divided by its sum, which dropout changes: "


@pytest.mark.parametrize(
    ("settings", "edits", "sentence", "tokens"),
    [
        ({}, (), HALF, (3, 0)),
        (hidden_from_it(1), (), MORE, (3, 0)),
        (hidden_from_it(2), (), MORE, (0,)),
        ({}, (Dropout(3, 0.5),), HALF, (3, 0)),
        ({"encoder": "nanolm"}, (Dropout(3, 0.5),), SUMS, (3, 0)),
    ],
)
def test_the_part_of_the_residual_stream_is_half_under_its_condition(settings, edits, sentence, tokens):
    """Also for another token, because rollout follows paths through all of them."""
    for token in tokens:
        assert sentence in comparison(1, token, edits, **settings)


def captions(**link):
    at = opened(stage_named("full_stack"), **{"text": TEXT, "layers": "2", "heads": "2", "d_model": "8"} | link)
    return " ".join(text.replace("\u2060", "") for text in rendered(at))


def test_the_caption_of_rollout_knows_rows_without_a_visible_key(framed):
    some = "In a row where only some heads see a key, the residual stream counts for more than half."
    none = "Where no head sees a key, the residual stream is the whole row."
    text = captions(view="Rollout", mask="custom", custom_mask=IT)
    assert some in text
    assert none not in text
    text = captions(view="Rollout", mask="custom", custom_mask="nothing.2")
    assert some not in text
    assert none in text
    text = captions(view="Rollout", encoder="nanolm", edits="dropout.3=0.5")
    assert "Dropout changes the sums of the weights, and with them the halves." in text
    for edits in ("", "dropout.3=0.5"):  # this encoder's dropout changes no weight
        text = captions(view="Rollout", edits=edits)
        assert not any(part in text for part in (some, none, "Dropout changes"))


@pytest.mark.parametrize("edits", ["residual.0.attention=0", "head.0.1=0", "residual.1.mlp=0.5"])
def test_rollout_says_that_it_does_not_know_factors(framed, edits):
    sentence = "Rollout does not know the edits that multiply the output of a head or a residual connection."
    share = "the residual stream alone keeps a share of ½ per layer"
    text = captions(view="Rollout", edits=edits)
    assert sentence in text
    assert share not in text
    for other in ("", "score.0.0.0.1.1=2"):
        text = captions(view="Rollout", edits=other)
        assert sentence not in text
        assert share in text


def test_a_word_that_occurs_twice_is_named_with_its_place(framed):
    twice = {"text": "the cat sees the cat", "view": "One word"}
    text = captions(**twice, mask="none", token="4", key_token="1")
    assert "Token 1 “the” gets its largest weights from token 4 “the” in " in text
    assert "token 1 “the” is masked for the query token 4 “the”." in text
    assert re.search(r"the largest weights of the query are [\d.]+ to (token [125] “(the|cat)”|“sees”) in ", text)
    text = captions(**twice, mask="causal", token="1", key_token="4")
    assert "Token 4 “the” is masked: token 1 “the” cannot attend to it" in text
    text = captions(**twice, mask="none", token="3", key_token="2")
    assert "“cat” gets its largest weights from “sees” in " in text


def test_a_masked_head_is_not_among_the_largest_weights(framed):
    text = captions(view="One word", mask="custom", custom_mask=IT, token="4")
    assert "“cat” gets its largest weights from “it” in layer 2, head 2: 0.27; layer 1, head 2: 0.20." in text


@pytest.mark.parametrize("variant", ["as intended", "as written"])
def test_rollout_says_where_the_layers_do_not_follow_one_another(framed, variant):
    text = captions(view="Rollout", encoder="nnx", variant=variant)
    is_written = variant == "as written"
    assert ("as if each layer had the output of the one before as input; here, none has." in text) == is_written
    assert ("the residual stream alone keeps a share of ½ per layer" in text) != is_written
    text = comparison(0, 1, encoder="nnx", variant=variant)
    assert ("have received, as if each layer had the output of the one before" in text) == is_written
    assert ("have received. And it counts" in text) != is_written
