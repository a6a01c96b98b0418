"""The question of "In and out": on the inputs of which tokens an output can depend."""

import numpy as np
import pytest

from dashboard.lessons.full_stack.reach import reachable
from dashboard.lessons.full_stack.vectors.reach_question import reach_question
from dashboard.lessons.full_stack.view import depth_question
from dashboard.models.variants import with_edits
from encoder_core import SetScore
from encoder_core.inputs.custom_mask import CustomMask
from tests.pages.test_questions import MODELS, TWO, focus, model_of


@pytest.mark.parametrize(
    ("name", "token", "right"),
    [
        ("default", 3, "on all"),
        ("causal", 3, "on its own and those before it"),
        ("two sentences", 1, "on all words, not on padding"),
        ("padding is visible", 1, "on all, also on padding"),
    ],
)
def test_reach_by_perturbation(unchecked, name, token, right):
    model = model_of(**MODELS[name])
    question = reach_question(model, focus(model, token=token))
    assert question.right == right
    seq = model.batch.ids.shape[1]
    mask = model.trace.mask[:1, :1]
    embeddings = model.trace.token_embedding[:1]
    before = model.encoder.trace(embeddings, mask).output[0, token]
    reach = []
    for place in range(seq):
        changed = embeddings.copy()
        changed[0, place] += 1
        after = model.encoder.trace(changed, mask).output[0, token]
        reach.append(not np.array_equal(after, before))
    assert np.flatnonzero(reach).tolist() == np.flatnonzero(reachable(np.stack([mask[0, 0]] * 4))[token]).tolist()


def test_reach_by_hand():
    """Token 2 attends to 1, and 1 to 0: information from 0 arrives at 2 in the second layer."""
    visible = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1]], bool)
    assert reachable(visible[None]).astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert reachable(np.stack([visible, visible])).astype(int).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    masked = np.array([[0, 0], [1, 0]], bool)  # no token attends to itself, and the residual stream keeps its vector
    assert reachable(masked[None]).astype(int).tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("token", [0, 1, 2])
def test_a_score_that_unmasks_a_key_extends_the_reach(unchecked, layer, token):
    """The first token attends to the last one, in one head of one layer under a causal mask."""
    model = model_of(text="Hi there you", mask="causal", layers=2, heads=2)
    edits = (SetScore(0, layer, 0, 0, 2, 5.0),)
    question = reach_question(with_edits(model, edits), focus(model, token=token))
    rows = model.trace.token_embedding
    before = model.encoder.trace(rows, "causal", edits).output[0, token]
    reach = set()
    for place in range(3):
        changed = rows.copy()
        changed[0, place] += 1
        if not np.array_equal(model.encoder.trace(changed, "causal", edits).output[0, token], before):
            reach.add(place)
    # In the second layer, the second token has no further layer in which it could attend to the first one.
    assert reach == ([{0, 2}, {0, 1, 2}, {0, 1, 2}], [{0, 1, 2}, {0, 1}, {0, 1, 2}])[layer][token]
    sets = {"only on its own": {token}, "on its own and those before it": set(range(token + 1)), "on all": {0, 1, 2}}
    if question != depth_question(model):
        assert sets[question.right] == reach
    assert (question != depth_question(model)) == (reach in sets.values())


def test_the_view_in_and_out_counts_a_key_that_an_edit_unmasks(question_of):
    link = {"view": "In and out", "text": "Hi there you", "mask": "causal", "layers": "2", "heads": "2"}
    question = question_of("full_stack", **link, edits="score.0.0.0.0.2=5", token="2")
    assert question.right == "on all"
    assert question.why.startswith("The mask and the scores that you set let it collect information from 3 of 3 tokens")
    question = question_of("full_stack", **link, token="2")
    assert question.why.startswith("The mask lets it collect information from 2 of 3 tokens")


def test_the_reach_of_padding_is_not_asked(unchecked):
    model = model_of(text=TWO, mask="both")  # padding sees the words and itself
    assert reach_question(model, focus(model, token=4)) == depth_question(model)


def test_no_reason_says_that_a_token_without_visible_keys_sees_some(unchecked):
    model = model_of(mask="custom", custom_mask=CustomMask("2", "nothing"))
    question = reach_question(model, focus(model, token=3))
    assert question.right == "only on its own"
    reasons = [question.explain(option) for option in question.options if option != question.right]
    assert len(reasons) == 2
    assert all(reason.startswith("The mask hides every key from this token, so") for reason in reasons)
