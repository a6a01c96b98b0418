"""The answers that the browser keeps: what it is sent, and what is believed of what it sends."""

import json
from datetime import UTC, datetime, timedelta

import pytest
import streamlit as st

from dashboard.state import kept_answers
from dashboard.state.answers import Answer, add_answers, answers, clear_answers, record_answer
from dashboard.state.kept_answers import news_for_browser, restore_answers
from dashboard.state.session import session


@pytest.fixture
def begin_session(monkeypatch):
    """A function that begins a session without a server."""

    def begin(page="map"):
        monkeypatch.setattr(st, "session_state", {})
        session().page = page

    begin()
    return begin


def answered(seconds_ago=0, **fields):
    time = (datetime.now(UTC) - timedelta(seconds=seconds_ago)).isoformat(timespec="milliseconds")
    values = {"time": time, "page": "map", "question": "which?", "options": ("a", "b"), "chosen": "a", "correct": "b",
              "explanation": "", "query": "layers=3", "link": "", "attempt": 1}  # fmt: skip
    return Answer(**values | fields)


def test_a_new_session_begins_with_the_answers_of_the_browser(begin_session):
    assert news_for_browser() == {}
    for chosen in ("a", "b"):
        record_answer("which of “é”?", ["a", "b"], chosen, "b", "because", "not this")
    kept, given = news_for_browser()["answers"], answers()
    assert [entry["chosen"] for entry in kept] == ["a", "b"]
    begin_session()
    record_answer("another?", ["c", "d"], "c", "d", "")
    (latest,) = answers()
    restore_answers(json.dumps(kept))
    assert answers() == (*given, latest)
    restore_answers(json.dumps(kept))  # again, as after a lost connection
    assert len(answers()) == 3


def test_the_browser_is_sent_the_latest_answers_only(begin_session):
    add_answers([answered(31, chosen="a"), answered(29, chosen="b")])
    assert [entry["chosen"] for entry in news_for_browser()["answers"]] == ["b"]
    add_answers([answered(question=str(number)) for number in range(9)])
    assert len(news_for_browser()["answers"]) == 5


def test_the_browser_clears_its_answers_too(begin_session, monkeypatch):
    add_answers([answered()])
    clear_answers()
    assert answers() == ()
    news = news_for_browser()
    assert list(news) == ["cleared"]
    assert news["cleared"] > answered(1).time
    monkeypatch.setattr(kept_answers, "_SENT_FOR", timedelta())
    assert news_for_browser() == {}  # later runs do not make it write the same again


@pytest.mark.parametrize(
    "change",
    [
        {"page": "../etc"}, {"page": 1}, {"time": "yesterday"}, {"time": "2026-01-01"}, {"chosen": "c"},
        {"correct": "c"}, {"options": "ab"}, {"options": ["a", 1, "b"]}, {"attempt": 0}, {"attempt": True},
        {"attempt": 1e9}, {"question": "x" * 5_001}, {"question": None}, {"link": "https://example.org"}, {"more": 1},
    ],
)  # fmt: skip
def test_what_is_no_answer_is_left_out(begin_session, change):
    entry = kept_answers._to_browser(answered())
    restore_answers(json.dumps([entry | change, entry]))
    assert len(answers()) == 1


@pytest.mark.parametrize(
    "text", [None, 1, [], "", "x", "{}", "[1]", "[[]]", "[" * 100_000, "x" * 400_000, '"x"', "NaN"]
)
def test_a_forged_text_has_no_answers(begin_session, text):
    restore_answers(text)
    assert answers() == ()
