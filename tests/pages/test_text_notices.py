"""Notices about the text of a link or of the user: what was cut or ignored, and what is used instead."""

import re

import pytest

from dashboard.page_list import START, stage_named
from dashboard.state.setting_parameters import DEFAULT_TEXT
from tests.pages.app import derivations, opened, run
from tests.pages.app import warning_texts as messages


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\u200b", "\x00\x07", "\u200d \u200d"])
def test_a_text_without_a_word_is_reported_and_replaced(framed, text):
    at = opened(stage_named("embedding"), text=text)
    assert "Tokens" in at.title[0].value
    assert "The text contains no word, so the default text of 2 sentences is used." in messages(at)
    assert "token 16 “it”" in derivations(at)[0]["description"]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (" " * 2_000 + "cat", "The text had 2,003 characters; the first 2,000 are kept."),
        ("\u200b\n" * 8 + "cat", "The text had 9 lines; the first 8 are kept, one sentence a line."),
    ],
    ids=["characters", "lines"],
)
def test_words_after_the_cut_are_not_denied(framed, text, cut):
    at = opened(stage_named("embedding"), text=text)
    assert messages(at) == [cut, "What is kept contains no word, so the default text of 2 sentences is used."]


def test_the_start_page_names_the_sentence_that_it_uses_instead(framed):
    used = f"so the sentence “{DEFAULT_TEXT.splitlines()[0]}” is used."
    at = opened(START, text="")
    assert messages(at) == [f"The text contains no word, {used}"]
    assert not any("[PAD]" in component.proto.json for component in at.get("bidi_component"))  # no second sentence
    assert messages(opened(START, text="\u200b\nThe cat sleeps .")) == [f"The first line contains no word, {used}"]
    assert messages(opened(START, text="The cat sleeps .\n\u200b")) == []


def test_of_several_texts_an_empty_last_one_is_reported(framed):
    default = "The text contains no word, so the default text of 2 sentences is used."
    assert set(messages(opened(stage_named("map"), text=["cat", ""]))) == {
        default, "The link has text 2 times; the last one counts.",
    }  # fmt: skip


def test_a_cut_is_reported_for_the_text_in_use_only(framed):
    """An encoder of letters has an input of its own: the text of the link is not read."""
    assert messages(opened(stage_named("map"), encoder="reverse", text="ab " * 1_000)) == []
    cut, task = messages(opened(stage_named("map"), encoder="reverse", input="a" * 2_001))
    assert cut == "The text had 2,001 characters; the first 2,000 are kept."
    assert task.startswith("An input was cut at 10 tokens; 1,990 more are ignored.")
    (one,) = messages(opened(stage_named("map"), encoder="reverse", input="abcdefghijk"))
    assert one.startswith("An input was cut at 10 tokens; 1 more is ignored.")


def test_all_cuts_are_counted(framed):
    long, longer = " ".join(["a"] * 70), " ".join(["b"] * 100)
    assert messages(opened(stage_named("map"), text=f"{long}\nthe cat\n{longer}")) == [
        "2 sentences were cut at 64 tokens; 42 more are ignored."
    ]
    (notice,) = messages(opened(stage_named("map"), encoder="reverse", input=f"{'a' * 15}\nabc\n{'b' * 12}"))
    assert notice.startswith("2 inputs were cut at 10 tokens; 7 more are ignored. ")


def test_a_line_without_a_word_is_reported_and_ignored(framed):
    at = opened(stage_named("embedding"), text="one\n\u200b\x07\ntwo")
    assert messages(at) == ["1 line without a token is ignored."]
    at = opened(stage_named("embedding"), text="one\n\u200b\n\x07\n" + "two " * 65)
    assert messages(at) == [
        "A sentence was cut at 64 tokens; 1 more is ignored.", "2 lines without a token are ignored.",
    ]  # fmt: skip


def test_a_text_that_is_too_long_is_cut_with_a_message(framed):
    at = opened(stage_named("embedding"), text="ab " * 33_333 + "!")
    texts = messages(at)
    assert "The text had 100,000 characters; the first 2,000 are kept." in texts
    assert any(re.fullmatch(r"A sentence was cut at 64 tokens; \d+ more are ignored\.", text) for text in texts)
    assert at.number_input(key="cell_1").max == 64  # tokens


def test_a_typed_text_that_is_too_long_is_cut_with_a_message(framed):
    at = opened(stage_named("embedding"))
    at.text_area[0].set_value("a" * 100_000)
    run(at)
    assert at.text_area[0].value == "a" * 2_000
    assert messages(at) == ["The text had 100,000 characters; the first 2,000 are kept."]
    at.text_area[0].set_value("short")
    assert not messages(run(at))
    at.text_area[0].set_value("line\n" * 9)
    assert messages(run(at)) == ["The text had 9 lines; the first 8 are kept, one sentence a line."]
    assert at.text_area[0].value.splitlines() == ["line"] * 8
