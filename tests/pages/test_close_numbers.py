"""Questions and captions where two numbers are nearly equal: what is read must not contradict the answer."""

import numpy as np
import pytest

from dashboard.lessons.attention.softmax import weight_question
from dashboard.lessons.attention.weighted_values import contribution_question
from dashboard.lessons.map import length_question
from dashboard.lessons.positions.similarity import distance_question
from dashboard.models.model import model_for
from dashboard.page_list import stage_named
from dashboard.selection.focus import Focus
from dashboard.state.setting_parameters import DEFAULTS
from dashboard.state.settings import Settings
from encoder_core.support.number_format import format_percent
from tests.pages.app import opened, rendered

AT = Focus(0, 0, 0, 0, 1, ("a", "b", "c"))


@pytest.mark.parametrize("ratio", [390_000, 412_000, 450_000])
def test_only_one_ratio_of_weights_is_true(ratio):
    """Option “more than 400,000 times” would be true of 412,000 times, too."""
    question = weight_question(AT, np.array([np.log(ratio), 0.0, -1.0]), 1.0)
    assert question.right == ("390,000 times" if ratio < 400_000 else "more than 400,000 times")
    assert ("more than 400,000 times" in [option.text for option in question.wrong]) == (ratio < 400_000)


def test_pairs_of_a_random_table_that_are_equal_by_chance_are_not_asked_about():
    """Tokens 10 and 12, and 31 and 33, have 0.0974 and 0.0964 in this table of numbers between −20 and 20."""
    model = model_for(Settings.from_state(DEFAULTS | {"d_model": 16, "positions": "learned"}))
    encoding = model.position_encoding("learned", 64)
    question = distance_question(model, AT._replace(token=9), "learned", encoding)
    dots = encoding @ encoding.T
    assert abs(dots[9, 11] - dots[30, 32]) < 0.002
    assert question.right == "another number"
    assert abs(dots[9, 11] - max((dots[9 + s, 11 + s] for s in range(21, 53)), key=lambda x: abs(x - dots[9, 11]))) > 1
    assert "0.0964" not in question.why


def test_products_that_are_nearly_equal_have_digits_that_tell_them_apart():
    question = contribution_question(AT, np.array([0.03887, 0.0818, 0.0]), np.array([3.099, 1.4686, 0.1]), 1.0, 2)
    (close, _) = question.wrong
    assert "0.1205" in question.why
    assert "0.1201" in close.explanation


@pytest.mark.parametrize(("weight", "right"), [(1.0, "the value row of “b”"), (2.0, "nothing")])
def test_a_weight_that_dropout_made_larger_than_1_is_not_all_the_weight(weight, right):
    question = contribution_question(AT, np.array([0.0, weight, 0.0]), np.array([1.0, 0.0, 2.0]), 1.0, 2)
    assert question.right == right


def test_a_factor_above_2_is_not_written_as_2():
    config = Settings.from_state(DEFAULTS | {"layers": 2, "d_ff": 128}).config(10)
    question = length_question(config, 1)
    assert "from 132 k to 264 k, to 2.01 times as many" in question.why


@pytest.mark.parametrize(("share", "text"), [(0.0, "0.0%"), (1e-5, "less than 0.1%"), (0.0123, "1.2%")])
def test_a_small_change_is_not_none(share, text):
    assert format_percent(share, 1) == text


def test_a_mask_that_hides_nothing_does_not_tell_the_order(framed):
    """Unscaled scores of 256 dimensions enlarge the rounding to 7e-4."""
    link = {"layers": "12", "d_model": "256", "heads": "1", "scaled": "false", "norm": "pre"}
    texts = " ".join(rendered(opened(stage_named("positions"), mask="custom", **link)))
    assert "the same vectors in the new order" in texts
    texts = " ".join(rendered(opened(stage_named("positions"), mask="causal", **link)))
    assert "the causal mask alone makes the output depend on the order" in texts
