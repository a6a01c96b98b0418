"""Answers to questions and predictions, and the page Results."""

import csv
import io
import json

import pytest

from dashboard.markdown import escape_markdown, escape_token, plain_text
from dashboard.page_list import page_named, stage_named
from dashboard.state import answers as answers_module
from dashboard.state.answers import Answer, to_csv, to_json
from tests.core.experiments.test_experiments import ANSWERS
from tests.pages.app import opened, rendered, run

RESULTS, MAP, LAB = page_named("results"), stage_named("map"), page_named("experiments")


def answers(at):
    return at.session_state["session"].memo.get("answers", [])


def answer(**fields):
    values = {"time": "2026-01-01T00:00:00+00:00", "page": "map", "question": "which?", "options": ("a", "b"),
              "chosen": "a", "correct": "b", "explanation": "", "query": "", "link": "", "attempt": 1}  # fmt: skip
    return Answer(**values | fields)


def open_results(at):
    """The page Results in the session of another page."""
    at.switch_page(RESULTS.path)
    return run(at)


def choose(at, option):
    (radio,) = at.radio
    radio.set_value(option)
    return run(at)


def test_answers_are_kept_with_their_attempts(framed):
    at = opened(MAP, layers="3")
    options = at.radio[0].options
    assert answers(at) == []
    for option in (options[0], options[1], options[1]):
        choose(at, option)
    first, second = answers(at)
    assert (first.chosen, first.attempt, second.chosen, second.attempt) == (options[0], 1, options[1], 2)
    assert first.options == tuple(options)
    assert first.page == "map"
    assert first.query == "layers=3"
    assert first.correct in options
    assert first.time.endswith("+00:00")


def test_the_page_shows_the_answers_and_opens_their_views(framed):
    assert "There are no answers yet." in opened(RESULTS).info[0].value
    at = opened(MAP, layers="3")
    choose(at, at.radio[0].options[0])
    open_results(at)
    text = "\n".join(rendered(at))
    given = answers(at)[0]
    assert f"**{int(given.is_correct)} of 1** question answered correctly" in text
    assert f"You answered “{given.chosen}”" in text
    assert len(at.get("download_button")) == 2
    at.button(key="clear_answers").click()
    run(at)
    assert answers(at) == []
    assert not at.get("download_button")


def test_a_prediction_in_an_experiment_is_kept_but_not_that_of_a_link(framed):
    name = "word-order"
    at = opened(LAB, experiment=name, prediction="1")
    assert answers(at) == []  # somebody else's
    at.button(key="predict again").click()
    run(at)
    at.button(key=f"predict {name} {ANSWERS[name] + 1}").click()
    run(at)
    (given,) = answers(at)
    assert given.is_correct
    assert given.page == "experiments"
    assert f"prediction={ANSWERS[name] + 1}" in given.query
    at.button(key="predict again").click()
    run(at)
    at.button(key=f"predict {name} skip").click()
    assert len(answers(run(at))) == 1


def test_answers_are_bounded(framed, monkeypatch):
    monkeypatch.setattr(answers_module, "MAX_ANSWERS", 2)
    at = opened(MAP)
    options = at.radio[0].options
    for option in (options[0], options[1], options[0]):
        choose(at, option)
    assert [given.attempt for given in answers(at)] == [2, 3]


def test_files_by_hand():
    given = [
        answer(question="which **token** after “\\=\u2060”?", chosen="b", attempt=2),
        answer(options=("=1+1", "b"), chosen="=1+1"),
    ]
    loaded = json.loads(to_json(given))
    assert loaded[0]["question"] == "Which token after “=”?"
    assert [row["is_correct"] for row in loaded] == [True, False]
    assert loaded[1]["options"] == ["=1+1", "b"]
    rows = list(csv.DictReader(io.StringIO(to_csv(given).removeprefix("\ufeff"))))
    assert rows[0] == {"time": given[0].time, "page": "map", "question": "Which token after “=”?", "options": "a | b",
                       "chosen": "b", "correct": "b", "is_correct": "True", "explanation": "", "link": "",
                       "attempt": "2", "misconception": ""}  # fmt: skip
    assert rows[1]["chosen"] == "'=1+1"  # not executed by a spreadsheet


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r"])
def test_a_spreadsheet_executes_no_text(sign):
    (row,) = csv.DictReader(io.StringIO(to_csv([answer(options=(f"{sign}1", "b"), chosen=f"{sign}1")])))
    assert (row["chosen"], row["options"]) == (f"'{sign}1", f"'{sign}1 | b")


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("a **bold** `code`", "a bold code"),
        (":blue[**query**] and :violet[x]", "query and x"),
        (escape_token("**x**"), "**x**"),
        (escape_markdown(":blue[x] `$\\"), ":blue[x] `$\\"),
        ("the query “" + escape_token("é_") + "”", "the query “é_”"),
    ],
)
def test_plain_text(markdown, text):
    assert plain_text(markdown) == text
