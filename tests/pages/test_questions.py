"""Exactly one option of a question is right, also where values tie, or nothing is to choose from."""

import numpy as np
import pytest

from dashboard.inspect.questions import Question, how_many, ranked, which_is_largest
from dashboard.lessons.map import after
from dashboard.lessons.recipes.models import settings_of
from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from dashboard.shell import frame
from tests.pages.app import opened

OTHERWISE = Question("otherwise", ["yes", "no"], 0, "")
SAME = {"text": "a a a", "positions": "none"}  # all tokens of the sentence are the same vector
STATES = {"one token": {"text": "a", "heads": "1", "layers": "1"}, "equal tokens": SAME}
VIEWS = [
    "All heads", "Head average", "One word", "What heads look at", "Rollout", "Ablation", "Hidden states", "Similarity",
    "In and out",
]  # fmt: skip


@pytest.fixture
def asked(framed, monkeypatch):
    """Opens a page and returns its question."""

    def open_page(name: str, **link: str) -> Question:
        questions = []
        monkeypatch.setattr(frame, "_predict", questions.append)
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
        ([3.0, 2.9999, 2.0], [0, 2]),  # so close that it counts as a tie
        ([-np.inf, -4.0, -5.0], [1, 2, 0]),
        ([-np.inf, -np.inf], []),
        ([0.0, 0.0], [0]),
        ([5.0], [0]),
    ],
)
def test_places_in_falling_order_without_ties(values, places):
    assert ranked(np.array(values)) == places


def test_the_largest_is_an_option_and_what_ties_with_it_is_none():
    values = np.array([1.0, 7.0, 2.0, 7.0, 3.0])
    question = which_is_largest("which of these?", values, str, lambda place: f"{values[place]:g}", OTHERWISE)
    assert question == Question("which of these?", ["1", "2", "4"], 0, "7")


def test_the_other_options_come_from_the_middle_and_the_end_of_the_order():
    question = which_is_largest("", np.arange(9.0), str, str, OTHERWISE, spread=True)
    assert (question.options, right(question)) == (["0", "3", "8"], "8")


def test_another_question_is_asked_where_all_values_tie():
    assert which_is_largest("", np.ones(3), str, str, OTHERWISE) is OTHERWISE


@pytest.mark.parametrize("count", [1, 2, 3, 1024])
def test_a_count_is_one_of_three_options(count):
    question = how_many("", count, "")
    assert right(question) == f"{count:,}"
    assert len(set(question.options)) == 3


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_a_page_asks_what_can_be_answered(asked, stage, state):
    asked(stage.name, **state)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_a_view_of_the_stack_asks_what_can_be_answered(asked, view, state):
    asked("full_stack", view=view, **state)


def test_two_parts_of_the_same_size_are_one_option(asked):
    """Without biases attention has 4 d² parameters a layer, and feed-forward with d_ff = 2 d has 2 · d · 2 d."""
    question = asked("map", bias="false", d_model="64", d_ff="128")
    assert right(question) == "attention and feed-forward, equally"


def test_equal_scores_have_equal_weights(asked):
    assert right(asked("softmax", **SAME)) == "1/3"


def test_equal_keys_are_no_options(asked):
    assert right(asked("scaled_scores", **SAME, heads="4", d_model="64")) == "16"  # d_head products in a dot product


def test_the_last_token_under_a_causal_mask(asked):
    """Only the token itself may attend to it: an option about those that may would be right as well."""
    question = asked("feed_forward", mask="causal", token="16")
    assert right(question) == "only the same row"
    assert not any("may attend" in option for option in question.options)


def test_tokens_that_stay_the_same_become_neither_more_nor_less_alike(asked):
    assert right(asked("full_stack", view="Similarity", **SAME)).startswith("neither")


def test_the_stack_of_the_tutorial_gives_the_output_card_of_the_map():
    """Where the layers shown each read the input, the last of them does not give the output."""
    model = model_for(settings_of("nnx", "as written", 0))
    (card,) = after(model, 0).cards
    assert card.title == "output"
    np.testing.assert_array_equal(card.values, model.trace.output[0])
    assert np.abs(card.values - model.trace.layers[-1].resid_post[0]).max() > 0.1
