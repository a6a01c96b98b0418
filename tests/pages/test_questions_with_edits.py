"""Questions about models with edits: an answer and its explanation hold with them, or another question is asked."""

import numpy as np
import pytest

from dashboard.lessons.attention.scaled_scores import longer_query_question
from dashboard.lessons.full_stack.attention import attention_questions
from dashboard.lessons.full_stack.predictions import logit_attribution
from dashboard.lessons.full_stack.reach import is_reach_limited, uses_changed_tokens
from dashboard.models.variants import with_edits
from dashboard.selection.focus import Focus
from encoder_core import Dropout, HeadFactor, ResidualFactor, SetScore, SetWeight, Temperature
from tests.pages.test_questions import focus, model_of

SMALL = {"layers": "2", "heads": "2", "d_model": "8"}
NO_HEADS = "head.0.0=0~head.0.1=0~head.1.0=0~head.1.1=0"
OTHER = "the stack gets another layer"  # the question of a view that has no clear one

ALL_OFF = tuple(HeadFactor(layer, head, 0.0) for layer in (0, 1) for head in (0, 1))
EVERY_SCORE = tuple(
    SetScore(0, layer, head, query, key, 0.5)
    for layer in (0, 1) for head in (0, 1) for query in range(3) for key in range(query + 1)
)  # fmt: skip
NO_WEIGHTS = tuple(SetScore(0, layer, head, 2, 1, -1e6) for layer in (0, 1) for head in (0, 1))
VALUES = tuple(SetWeight("W_V", 1, 0, row, column, 0.0) for row in range(8) for column in range(4))
LIMITS = {
    "no edit": ((), False),
    "one head off": (ALL_OFF[:1], False),
    "all heads off": (ALL_OFF, True),
    "a head off, the other without values": ((*ALL_OFF[:2], ALL_OFF[3], *VALUES), True),
    "a residual off": ((ResidualFactor(0, "attention", 0.0),), False),
    "the other residual off": ((ResidualFactor(0, "mlp", 0.0),), False),
    "both heads and the residual off": ((*ALL_OFF[2:], ResidualFactor(1, "attention", 0.0)), True),
    "every score set": (EVERY_SCORE, False),
    "weights of 0": (NO_WEIGHTS, True),
}


def test_heads_that_are_off_pass_nothing_on(question_of):
    link = {"view": "In and out", "text": "the cat saw it and ran"} | SMALL
    assert question_of("full_stack", **link).right == "on all"
    assert question_of("full_stack", **link, edits="head.0.0=0").right == "on all"
    assert question_of("full_stack", **link, edits=NO_HEADS).text.startswith(OTHER)


def test_a_token_without_keys_and_residual_depends_on_nothing(question_of):
    link = {"view": "In and out", "text": "the cat saw it and ran", "token": "2"} | SMALL
    link |= {"mask": "custom", "custom_mask": "nothing.2"}
    assert question_of("full_stack", **link).right == "only on its own"
    assert question_of("full_stack", **link, edits="residual.0.attention=0").text.startswith(OTHER)


@pytest.mark.parametrize(("edits", "is_limited"), LIMITS.values(), ids=LIMITS)
def test_limits_by_perturbation(edits, is_limited):
    """Under a causal mask, an output depends on its own embedding and all before it, unless edits limit that."""
    model = with_edits(model_of(text="Hi there you", mask="causal", layers=2, heads=2, d_model=8), edits)
    assert len(model.edits) == len(edits)
    rows, reach = model.trace.token_embedding, np.zeros((3, 3), bool)
    before = model.encoder.trace(rows, "causal", edits).output[0]
    for place in range(3):
        changed = rows.copy()
        changed[0, place] += np.linspace(-0.2, 0.1, 8)
        reach[:, place] = np.any(model.encoder.trace(changed, "causal", edits).output[0] != before, axis=-1)
    assert is_reach_limited(model, 0) == is_limited == (not np.array_equal(reach, np.tri(3)))


@pytest.mark.parametrize("edit", [Temperature(1e-3), Dropout(0)])
def test_limits_by_chance(edit):
    """Which keys have no part depends on the numbers."""
    model = with_edits(model_of(encoder="nanolm"), (edit,))
    assert model.edits
    assert is_reach_limited(model, 0)


def test_reversed_words_without_attention(question_of):
    link = {"view": "Sentences", "text": "the cat saw it\nit saw a dog", "mask": "causal", "positions": "none"} | SMALL
    assert question_of("full_stack", **link).right == "it can change: the outputs depend on the order"
    assert question_of("full_stack", **link, edits=NO_HEADS).text.startswith(OTHER)
    assert question_of("full_stack", **link, edits="head.0.0=0").right.startswith("it can change")
    every_word_visible = link | {"mask": "none"}
    assert question_of("full_stack", **every_word_visible, edits=NO_HEADS).right.startswith("it stays")


def test_reversed_words_beside_a_replaced_token(question_of):
    """“a b a” with another first token is the same sentence when it is read backwards."""
    link = {"view": "Sentences", "text": "it saw it\nit saw a dog"} | SMALL
    assert question_of("full_stack", **link).text.startswith(OTHER)
    assert question_of("full_stack", **link, edits="token.0.0=4").text.startswith(OTHER)


@pytest.mark.parametrize(
    "link",
    [
        {"encoder": "bracket", "mask": "custom", "custom_mask": "nothing.2", "token": "2"},
        {"encoder": "words", "edits": "residual.1.mlp=0"},
    ],
)
def test_heads_without_a_contribution_are_not_asked_about(question_of, link):
    assert question_of("full_stack", view="Logit attribution", **link).text.startswith(OTHER)


@pytest.mark.parametrize("choices", [{"encoder": "reverse"}, {"encoder": "words"}])
@pytest.mark.parametrize("layer", ["1", "2"])
def test_only_layers_before_the_last_have_later_layers(question_of, choices, layer):
    question = question_of("full_stack", view="Logit attribution", **choices, layer=layer, head="1")
    texts = " ".join([question.why, *map(question.explain, question.options)])
    assert ("later layers" in texts.lower()) == (layer == "1")
    assert texts.count("feed-forward network of its layer") == 3


def test_an_effect_that_is_the_contribution(question_of, monkeypatch):
    """What follows the head responds; that it makes no difference of more than 1% is measured."""
    monkeypatch.setattr(logit_attribution, "_TIE", 10.0)
    question = question_of("full_stack", view="Logit attribution", encoder="reverse", layer="2", head="1")
    assert question.right == "it falls by about 3.77"
    assert question.why.endswith("this changes the logit by at most 1000% of the contribution.")
    assert all("at most 1000%" in question.explain(option) for option in question.options if option != question.right)


CLAUSE = "tokens whose vectors it uses in later layers have changed as well"
LATER_USE = {
    "no mask": ({}, "2", True),
    "causal": ({"mask": "causal"}, "3", False),
    "one layer": ({"layers": "1"}, "2", False),
    "heads of the second layer off": ({"layers": "2", "heads": "1", "edits": "head.1.0=0"}, "2", False),
    "heads of the first layer off": ({"layers": "2", "heads": "1", "edits": "head.0.0=0"}, "2", False),
}


@pytest.mark.parametrize(("link", "token", "uses_changed"), LATER_USE.values(), ids=LATER_USE)
def test_a_hidden_token_and_the_tokens_it_uses(question_of, link, token, uses_changed):
    question = question_of("full_stack", **{"view": "Ablation", "layers": "3", "token": token} | link)
    assert question.right == "it changes"
    assert "it cannot attend to itself any more" in question.why
    assert (CLAUSE in question.why) == uses_changed


@pytest.mark.parametrize(("token", "added"), [("1", "no values to it then"), ("2", "other values to it now")])
def test_attention_without_any_key_adds_no_values(question_of, token, added):
    question = question_of("full_stack", view="Ablation", mask="causal", token=token)
    (wrong,) = [option for option in question.options if option.startswith("nothing")]
    assert f"attention adds {added}" in question.explain(wrong)


def test_a_removed_residual_keeps_no_vector_for_the_hidden_token(question_of):
    question = question_of("full_stack", view="Ablation", token="2", edits="residual.0.attention=0")
    assert question.text.startswith(OTHER)


def test_a_changed_token_by_hand():
    """Token 1 attends to 0, and 2 to 1: if 0 is hidden, 1 changes in the first layer, and 2 in the second one."""
    chain = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]], bool)
    back = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], bool)
    assert not uses_changed_tokens(np.stack([chain, chain, chain]), 0)
    assert not uses_changed_tokens(np.stack([chain, back]), 0)
    assert uses_changed_tokens(np.stack([chain, chain, back]), 0)
    assert uses_changed_tokens(np.stack([chain, np.ones((3, 3), bool)]), 0)


@pytest.mark.parametrize(
    ("scores", "set_by_hand", "sentence"),
    [
        ([2.0, 1.0, -np.inf], [], "The differences between the scores double, too"),
        ([2.0, 1.0, 4.0], [2], "The differences between the scores that are not set by hand double, too"),
        ([2.0, 0.0, 4.0], [2], "The differences between the scores that are not set by hand double, too"),
        ([2.0, -np.inf, 4.0], [2], ""),
        ([2.0, -np.inf, -np.inf], [], ""),
        ([2.0, 2.0, 2.0], [], ""),
    ],
)
def test_only_computed_scores_double_their_differences(scores, set_by_hand, sentence):
    row = np.array(scores)
    dots = np.where(np.isfinite(row), row, 7.0)
    dots[set_by_hand] = 3.0
    question = longer_query_question(Focus(0, 0, 0, 0, 1, ("a", "b", "c")), row, dots, 1.0, set_by_hand)
    assert question.right.startswith("each visible score is doubled")
    assert sentence in question.why
    assert sentence or question.why.endswith("2 would become 4.")
    added = [option for option in question.options if "added to each" in option]  # true of equal scores
    assert bool(added) == bool(sentence)
    assert all(question.explain(option).count("not set by hand") == bool(set_by_hand) for option in added)


def test_the_page_of_scores_restricts_what_doubles(question_of):
    why = question_of("scaled_scores", token="2", edits="score.0.0.0.1.3=4").why
    assert "The differences between the scores that are not set by hand double, too" in why
    assert "differences" not in question_of("scaled_scores", token="1", mask="causal").why


def test_later_weights_that_are_set_do_not_change(question_of):
    link = {"view": "All heads", "text": "Hi there", "mask": "causal", "layers": "2", "heads": "1", "d_model": "8"}
    assert question_of("full_stack", **link).right == "those of all heads in later layers"
    set_row = "score.0.1.0.1.0=3~score.0.1.0.1.1=1"
    assert question_of("full_stack", **link, edits=set_row).text.startswith(OTHER)


@pytest.mark.parametrize(("edits", "is_asked"), [(ALL_OFF[:1], True), (ALL_OFF[:2], False), (ALL_OFF[2:], True)])
def test_the_average_pattern_of_heads_that_are_off(edits, is_asked):
    model = with_edits(model_of(layers=2, heads=2, d_model=8), edits)
    question = attention_questions.average_question(model, focus(model))
    assert question.text.startswith("suppose") == is_asked
    assert not is_asked or question.right.startswith("it would change")


def test_the_average_pattern_says_by_how_much_z_changes():
    """With the factor 0, the numbers of a head's z do not change."""
    model = with_edits(model_of(layers=2, heads=2, d_model=8), (HeadFactor(0, 0, 0.0),))
    layer = model.trace.layers[0]
    averaged = layer.pattern[0].mean(axis=0) @ layer.v[0] * np.array([0, 1])[:, None, None]
    share = 100 * np.abs(averaged - layer.z[0]).max() / np.abs(layer.z[0]).max()
    assert f"by up to {share:.2g}%" in attention_questions.average_question(model, focus(model)).why
