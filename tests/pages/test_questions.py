"""Exactly one option of a question is right, even if values tie or there is only one."""

import numpy as np
import pytest

from dashboard.inspect import depths
from dashboard.inspect.questions import Question, count_question, largest_value_question, rank_distinct
from dashboard.lessons.map import output_group
from dashboard.lessons.recipes.models import recipe_settings
from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from tests.pages.app import opened

FALLBACK = Question("fallback", ["yes", "no"], 0, "")
SAME = {"text": "a a a", "positions": "none"}  # all tokens of the sentence are the same vector
STATES = {"one token": {"text": "a", "heads": "1", "layers": "1"}, "equal tokens": SAME}
VIEWS = [
    "All heads", "Head average", "One word", "What heads look at", "Rollout", "Ablation", "Hidden states", "Similarity",
    "In and out",
]  # fmt: skip


@pytest.fixture
def question_of(framed, monkeypatch):
    """A function that opens a page and returns its question."""

    def open_page(name: str, **link: str) -> Question:
        questions = []
        monkeypatch.setattr(depths, "render_question", questions.append)
        opened(stage_named(name), **link)
        (question,) = questions
        assert len(set(question.options)) == len(question.options) >= 2
        return question

    return open_page


def right(question: Question) -> str:
    return question.options[question.answer]


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ([1.0, 3.0, 2.0], [1, 2, 0]),
        ([3.0, 3.0, 2.0], [0, 2]),  # the second ties with the largest
        ([3.0, 2.9999, 2.0], [0, 2]),  # so close that they tie
        ([-np.inf, -4.0, -5.0], [1, 2, 0]),
        ([-np.inf, -np.inf], []),
        ([0.0, 0.0], [0]),
        ([5.0], [0]),
    ],
)
def test_rank_distinct(values, places):
    assert rank_distinct(np.array(values)) == places


def test_values_that_tie_with_the_largest_are_not_options():
    values = np.array([1.0, 7.0, 2.0, 7.0, 3.0])
    question = largest_value_question("which of these?", values, str, lambda place: f"{values[place]:g}", FALLBACK)
    assert question == Question("which of these?", ["1", "2", "4"], 0, "7")


def test_spread_options_come_from_the_middle_and_the_end_of_the_ranking():
    question = largest_value_question("", np.arange(9.0), str, str, FALLBACK, spread=True)
    assert (question.options, right(question)) == (["0", "3", "8"], "8")


def test_the_fallback_is_used_if_all_values_tie():
    assert largest_value_question("", np.ones(3), str, str, FALLBACK) is FALLBACK


@pytest.mark.parametrize("count", [1, 2, 3, 1024])
def test_a_count_is_one_of_three_options(count):
    question = count_question("", count, "")
    assert right(question) == f"{count:,}"
    assert len(set(question.options)) == 3


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_the_question_of_a_page_has_distinct_options(question_of, stage, state):
    question_of(stage.name, **state)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_the_question_of_a_view_of_the_stack_has_distinct_options(question_of, view, state):
    question_of("full_stack", view=view, **state)


def test_two_parts_of_the_same_size_are_one_option(question_of):
    """Without biases attention has 4 d² parameters a layer, and feed-forward with d_ff = 2 d has 2 · d · 2 d."""
    question = question_of("map", bias="false", d_model="64", d_ff="128")
    assert right(question) == "attention and feed-forward, equally"


def test_equal_scores_have_equal_weights(question_of):
    assert right(question_of("softmax", **SAME)) == "1/3"


def test_equal_keys_are_not_options(question_of):
    assert (
        right(question_of("scaled_scores", **SAME, heads="4", d_model="64")) == "16"
    )  # d_head products in a dot product


def test_the_last_token_under_a_causal_mask(question_of):
    """Only the token itself attends to it, so an option about tokens that may attend to it would be right as well."""
    question = question_of("feed_forward", mask="causal", token="16")
    assert right(question) == "only the same row"
    assert not any("may attend" in option for option in question.options)


def test_equal_tokens_become_neither_more_nor_less_similar(question_of):
    assert right(question_of("full_stack", view="Similarity", **SAME)).startswith("neither")


def test_the_stack_of_the_tutorial_gives_the_output_card_of_the_map():
    """If every layer attends to the embedded input, the last layer does not give the output."""
    model = model_for(recipe_settings("nnx", "as written", 0))
    (card,) = output_group(model, 0).cards
    assert card.title == "output"
    np.testing.assert_array_equal(card.values, model.trace.output[0])
    assert np.abs(card.values - model.trace.layers[-1].resid_post[0]).max() > 0.1
