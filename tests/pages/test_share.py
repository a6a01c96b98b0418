"""The dialog Share: the link, its QR code, and the way back to a shared view."""

import json
import re

import numpy as np
import pytest
import segno

from dashboard.components.share.qr import QUIET_ZONE, qr_path
from dashboard.page_list import page_named, stage_named
from dashboard.state import link
from dashboard.state.session import session as current_session
from tests.pages.app import chosen, link_of, opened, rendered, run

ADDRESS = "https://walkthrough.example/app"
SCORES = stage_named("scaled_scores")


def modules(code):
    """The dark modules that a path draws, without the quiet zone."""
    dark = np.zeros((code.size, code.size), bool)
    for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", code.path):
        assert not dark[int(y), int(x) : int(x) + int(width)].any()
        dark[int(y), int(x) : int(x) + int(width)] = True
    return dark


def shared(at):
    """What the component in the dialog gets."""
    (share,) = [x for x in at.get("bidi_component") if x.proto.component_name.endswith(".share")]
    return json.loads(share.proto.json)


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setattr(link, "app_address", lambda: ADDRESS)


@pytest.mark.parametrize("text", ["a", ADDRESS, "x" * 900])
def test_the_path_draws_the_code(text):
    dark = modules(qr_path(text))
    inner = dark[QUIET_ZONE:-QUIET_ZONE, QUIET_ZONE:-QUIET_ZONE]
    assert np.array_equal(inner, np.array(segno.make_qr(text, error="l").matrix, bool))
    assert dark.sum() == inner.sum()
    finder = np.ones((7, 7), bool)  # the corner of every code: a ring around a square (ISO/IEC 18004, section 6.3.3)
    finder[1:6, 1:6] = False
    finder[2:5, 2:5] = True
    assert np.array_equal(inner[:7, :7], finder)


def test_the_link_has_the_page_and_the_state(framed, address):
    at = opened(SCORES, layer="2", edits="head.0.0=0")
    at.button(key="share").click()
    data = shared(run(at))
    assert data["link"].startswith(f"{ADDRESS}/scaled_scores?")
    assert set(data["link"].partition("?")[2].split("&")) == {"layer=2", "edits=head.0.0%3D0"}
    assert data["title"] == "Scaled scores"
    assert data["size"] > 0


@pytest.mark.parametrize(
    ("page", "state", "prediction"),
    [("experiments", {"experiment": "sinusoids"}, {"prediction": "2"}),
     ("start", {"story_token": "2"}, {"story_answer": "cat"}),
     ("training", {"train_task": "sort"}, {"train_prediction": "1"})],
)  # fmt: skip
def test_the_link_asks_its_readers_for_their_own_prediction(framed, address, page, state, prediction):
    at = opened(page_named(page), **state, **prediction)
    assert link_of(at) == {name: [text] for name, text in (state | prediction).items()}
    at.button(key="share").click()
    assert shared(run(at))["link"].partition("?")[2].split("&") == ["=".join(*state.items())]


def test_a_long_link_has_no_code(framed, address):
    at = opened(SCORES, text="word " * 250)
    at.button(key="share").click()
    data = shared(run(at))
    assert (data["size"], data["path"]) == (0, "")
    assert len(data["link"]) > data["maxCode"]


def test_return_to_the_shared_view(framed, address):
    at = opened(SCORES, layer="2", token="3")
    at.button_group(key="layer").set_value(4)
    run(at)
    assert chosen(at, "layer") == 4
    at.button(key="share").click()
    assert "You came with a link to **Scaled scores**" in "\n".join(rendered(run(at)))
    at.button(key="share_return").click()
    run(at)
    assert chosen(at, "layer") == 2
    assert link_of(at) == {"layer": ["2"], "token": ["3"]}


def test_the_view_of_the_link_itself_offers_no_return(framed, address):
    at = opened(SCORES, layer="2", token="3")
    at.button(key="share").click()
    assert "You came with a link" not in "\n".join(rendered(run(at)))


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        (SCORES, "the encoder, the text, the edits and the selected cell"),
        (page_named("results"), "Your answers are not in it"),
        (page_named("guide"), "with what you have chosen on it"),
    ],
)
def test_the_dialog_says_what_is_in_the_link(framed, address, page, sentence):
    at = opened(page)
    at.button(key="share").click()
    assert sentence in "\n".join(rendered(run(at)))


def test_a_tab_without_a_link_has_no_view_to_return_to(framed, address):
    at = opened(SCORES)
    at.button(key="share").click()
    assert "You came with a link" not in "\n".join(rendered(run(at)))


@pytest.mark.parametrize(
    ("url", "local"),
    [("http://localhost:8501/", True), ("http://127.0.0.1", True), ("http://[::1]:8501", True),
     ("https://localhost.example/", False), ("http://192.168.0.7:8501", False)],
)  # fmt: skip
def test_a_local_address_is_named(url, local):
    assert link.is_local(url) == local


def test_links_of_the_pages(monkeypatch, address):
    query = "layer=2"
    monkeypatch.setattr(type(current_session()), "query", lambda *_: query)
    assert link.link_to("start") == f"{ADDRESS}/?layer=2"
    assert link.link_to("softmax") == f"{ADDRESS}/softmax?layer=2"
    query = ""
    assert link.link_to("softmax") == f"{ADDRESS}/softmax"
