"""Presentation mode: without sidebar, links and numbers; the bar turns pages and leaves."""

import json

import pytest

from dashboard.page_list import LABS, RESULTS, STAGES, START, TAKE_AWAY, stage_named
from dashboard.shell import presentation
from dashboard.state import link
from tests.pages.app import chosen, derivations, link_of, opened, run

SCORES = stage_named("scaled_scores")


def components(at, kind):
    """What the components of a kind get."""
    return [json.loads(x.proto.json) for x in at.get("bidi_component") if x.proto.component_name.endswith(f".{kind}")]


def test_presentation_shows_the_plots_alone(framed):
    at = opened(SCORES, present="on", layer="2")
    assert not at.sidebar.children
    assert not derivations(at)
    assert not at.radio  # the question
    assert [plot["figure"]["present"] for plot in components(at, "plot")] == [True]
    assert components(at, "presenter") == [{"previous": "Queries, keys, values", "following": "Softmax weights"}]
    assert link_of(at) == {"present": ["on"], "layer": ["2"]}


@pytest.mark.parametrize(
    ("page", "around"),
    [(START, (None, STAGES[0])), (STAGES[0], (START, STAGES[1])), (STAGES[-1], (STAGES[-2], LABS[0])),
     (LABS[0], (STAGES[-1], LABS[1])), (TAKE_AWAY, (LABS[-1], None)), (RESULTS, (None, None))],
)  # fmt: skip
def test_neighbours(page, around):
    assert presentation.neighbours(page) == around


@pytest.mark.parametrize(("action", "opened_page"), [("next", "softmax"), ("previous", "qkv"), ("dance", None)])
def test_actions_turn_the_page(monkeypatch, action, opened_page):
    """The bar is rendered with a callback; what else a browser sends does nothing."""
    pages, callbacks = [], []
    monkeypatch.setattr(presentation, "open_page", pages.append)
    monkeypatch.setattr(presentation, "render_presenter", lambda *arguments, **_: callbacks.append(arguments[-1]))
    presentation.render_presenter_bar(SCORES)
    callbacks[0](action)
    assert pages == ([opened_page] if opened_page else [])


def test_share_starts_the_presentation(framed, monkeypatch):
    monkeypatch.setattr(link, "app_address", lambda: "https://walkthrough.example")
    at = opened(SCORES)
    assert chosen(at, "present") == "off"
    at.button(key="share").click()
    run(at)
    at.button(key="present_button").click()
    run(at)
    assert chosen(at, "present") == "on"
    assert components(at, "presenter")


def test_another_value_of_the_link_is_explained(framed):
    at = opened(SCORES, present="maybe")
    assert "allowed are off, on" in at.warning[0].value
    assert at.sidebar.children
