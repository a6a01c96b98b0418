"""The multi-head page: the effect of heads that are switched off."""

import base64
import re
from dataclasses import replace

import numpy as np
import pytest

from dashboard.inspect.edit_text import describe_ignored_edit
from dashboard.lessons.attention import multi_head
from dashboard.lessons.attention.multi_head import parameter_question
from dashboard.models.model import model_for
from dashboard.models.variants import edited_model
from dashboard.page_list import stage_named
from dashboard.state.settings import Settings
from encoder_core.analysis import relative_change
from encoder_core.edits import ResidualFactor
from encoder_core.edits.compatible import ignored_edit
from tests.pages.app import figures, link_of, opened, rendered, warning_texts

TEXT = "one cat\na dog ran off"


@pytest.mark.parametrize("sentence", ["1", "2"])
def test_the_relative_change_is_that_of_the_sentence_in_the_figures(framed, sentence):
    at = opened(stage_named("multi_head"), part="Switch heads off", sentence=sentence, text=TEXT, d_model="16")
    (text,) = [text for text in rendered(at) if text.startswith("Relative change")]
    panels = list(figures(at))
    (last,) = [place for place, panel in enumerate(panels) if panel["title"] == "output of the model"]
    numbers = [_matrix(panel) for panel in panels[last - 3 : last + 2]]
    without_padding = 16 * len(TEXT.splitlines()[int(sentence) - 1].split())  # d_model numbers for each token
    pairs = [[matrix[:without_padding] for matrix in pair] for pair in (numbers[:2], numbers[3:])]
    expected = [f"{relative_change(*pair):.0%}" for pair in pairs]
    assert re.findall(r"\*\*(\d+%)\*\*", text) == expected


@pytest.mark.parametrize("part", ["Switch heads off", "What each head adds"])
@pytest.mark.parametrize(
    ("link", "ending", "used"), [("9.9", ").", ""), ("1.9", "). 1 is used.", "1"), ("2.2", "). 2 is used.", "2")]
)
def test_heads_that_do_not_exist_or_are_repeated_are_left_out_with_a_sentence(framed, part, link, ending, used):
    at = opened(stage_named("multi_head"), part=part, heads_off=link)
    (warning,) = warning_texts(at)
    assert warning.startswith(f"The link has heads_off = “{link}”; allowed are 0 to 3 (heads_off counts from 0; ")
    assert warning.endswith("other numbers are left out" + ending)
    assert link_of(at)["heads_off"] == [used]
    assert ("No head is switched off." in rendered(at)) == (part == "Switch heads off" and not used)


def test_heads_that_exist_need_no_sentence(framed):
    at = opened(stage_named("multi_head"), part="Switch heads off", heads_off="1.3")
    assert not warning_texts(at)
    assert link_of(at)["heads_off"] == ["1.3"]


def _matrix(panel):
    z = panel["data"][0]["z"]
    return np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"])


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"heads": 8, "d_model": 8}, "Fewer heads do not remove matrices: the only head gets all 8 columns."),
        ({"heads": 2, "d_model": 8}, "More heads do not add matrices: each head gets 2 of the same 8 columns."),
    ],
)
def test_the_question_about_parameters_is_about_more_or_fewer_heads(choices, sentence):
    question = parameter_question(model_for(Settings.from_state(choices)).config, 3)
    assert sentence in [option.misconception for option in question.wrong]


@pytest.mark.parametrize(("edits", "has_dropout"), [("", False), ("dropout.3=0.5", True)])
def test_dropout_after_the_sum_of_the_heads_is_said(framed, edits, has_dropout):
    texts = rendered(opened(stage_named("multi_head"), part="What each head adds", text="one cat", edits=edits))
    (caption,) = [text for text in texts if "Concat · W_O equals the sum" in text]
    assert ("In training mode, dropout turns the sum into attn_out." in caption) == has_dropout


def test_an_edit_that_does_not_fit_without_the_heads_is_described_as_in_the_sidebar(framed, monkeypatch):
    problem = ignored_edit(ResidualFactor(3, "mlp", 1000.0), ValueError("v of layer=3 is *large*."))
    monkeypatch.setattr(multi_head, "edited_model", lambda *key: replace(edited_model(*key), edit_problems=(problem,)))
    at = opened(stage_named("multi_head"), part="Switch heads off", text="one cat", d_model="8")
    (caption,) = [text for text in rendered(at) if "is ignored" in text]
    assert caption == f":orange[{describe_ignored_edit(problem, model_for(Settings.from_state({})))}]"
