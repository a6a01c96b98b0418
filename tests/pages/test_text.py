"""Typed text is shown literally: markdown, LaTeX and HTML in it are not rendered, and long words are cut."""

import html
import re
from functools import cache

import pytest

from dashboard.markdown import escape_token, escape_tokens, plain_text
from dashboard.page_list import stage_named
from tests.pages.app import cards, figures, key_of, link_of, opened, rendered, run

WORDS = ["<", "__bold__", "$", "x" * 60, "*", "&", "`", "<", "$", "|", "[", "]", "!"]
TEXT = " ".join(WORDS) + "\n__bold__ " + "x" * 60  # a second sentence, with words of the first
ATTENTION = ["Head average", "One word", "What heads look at", "Rollout"]
VECTORS = ["Hidden states", "Geometry", "Similarity", "Same word", "Sentences", "In and out"]
VIEWS = {
    "full_stack": [
        *[[("view_group", "Attention"), ("view", view)] for view in ATTENTION],
        *[[("view_group", "Vectors"), ("view", view)] for view in VECTORS],
    ],
    "multi_head": [[("part", part)] for part in ("Switch heads off", "How many heads?")],
}


def views(stage, token):
    """The page with this token selected, in each of its views."""
    at = opened(stage, text=TEXT, token=str(token), key_token="4")
    yield at
    for choices in VIEWS.get(stage.name, []):
        for key, option in choices:
            at.button_group(key=key_of(at, key)).set_value(option)
            run(at)
        yield at


@cache
def texts_of_the_page(stage):
    """The texts of a page that does not show `TEXT`: those with a code or a formula are its own."""
    return {text for words in ("one two", "one two three\none") for text in rendered(opened(stage, text=words))}


@pytest.mark.parametrize("token", [1, 2, 4], ids=["angle", "underscores", "long"])
def test_typed_text_is_shown_literally(framed, stage, token):
    for at in views(stage, token):
        for text in rendered(at):
            assert "__bold__" not in text
            assert "x" * 20 not in text
            if text not in texts_of_the_page(stage):
                assert not re.search(r"(?<!\\)`", text), text
                assert len(re.findall(r"(?<!\\)\$", text)) < 2, text
        for text in (text for figure in figures(at) for text in _strings(figure)):
            assert "x" * 20 not in text
            assert "&amp;lt;" not in text, "escaped twice"
            assert "&amp;amp;" not in text, "escaped twice"
            if not text.endswith("<extra></extra>"):
                assert "<" not in text


def test_the_labels_of_the_axes_are_the_tokens(framed):
    (q, k, *_) = figures(opened(stage_named("scaled_scores"), text=" ".join(WORDS)))
    cut = [word if len(word) <= 12 else word[:11] + "…" for word in WORDS]
    assert [html.unescape(text) for text in q["layout"]["yaxis"]["ticktext"]] == cut
    assert [html.unescape(text) for text in k["layout"]["xaxis"]["ticktext"]] == cut
    assert q["layout"]["yaxis"]["ticktext"][0] == "&lt;"


def _strings(figure):
    """The texts that Plotly renders as HTML."""
    layout = figure["layout"]
    for name, part in layout.items():
        if name.startswith(("xaxis", "yaxis")):
            yield from part.get("ticktext") or ()
            yield (part.get("title") or {}).get("text") or ""
    yield from (note["text"] for note in layout.get("annotations", ()))
    for trace in figure["data"]:
        yield trace.get("name") or ""
        for name in ("text", "hovertext", "texttemplate", "hovertemplate"):
            values = trace.get(name) or ()
            yield from [values] if isinstance(values, str) else values


def test_the_map_shows_words_literally(framed):
    words = next(card for card in cards(opened(stage_named("map"), text="<b>bold</b> x")) if card["words"])
    assert words["words"] == ["<", "b", ">", "bold", "<", "/", "b", ">", "x"]


def test_the_token_strip_escapes_tokens(framed):
    at = opened(stage_named("embedding"), text=" ".join(WORDS))
    (strip,) = [part for part in at.get("html") if "<div class='ew-strip'" in part.value]
    chips = re.findall(r'<span class="ew-token[^>]*title="([^"]*)"><bdi>([^<]*)</bdi>', strip.value)
    assert [html.unescape(title) for title, _ in chips] == WORDS
    assert [html.unescape(name) for _, name in chips] == [w if len(w) <= 12 else w[:11] + "…" for w in WORDS]


def test_escape_token():
    joiner = "\u2060"
    assert escape_token("word") == "word"
    assert escape_token("*x*") == f"\\*{joiner}x\\*{joiner}"
    assert escape_token(":red[z]") == f"\\:{joiner}red\\[{joiner}z\\]{joiner}"
    assert escape_token("x" * 13) == "x" * 11 + "…"
    assert escape_token("naïve ١") == "\u2068naïve ١\u2069"


def test_tokens_written_from_right_to_left_do_not_change_places(framed):
    """Each is a unit of its own in running text only: links, exports and labels of figures have the word itself."""
    text, edit = "שלום עולם יפה", "score.0.0.0.0.1=1"
    at = opened(stage_named("softmax"), text=text, token="1", key_token="2", mask="none", edits=edit)
    first, second = (f"\u2068{word}\u2069" for word in text.split()[:2])
    texts = rendered(at)
    assert any(f"“{first}” → “{second}”" in part for part in texts)
    assert any(f"score 1 · {first} → 2 · {second}\\," in button.label for button in at.button)
    assert link_of(at)["text"] == [text]
    assert not [part for figure in figures(at) for part in _strings(figure) if "\u2068" in part]
    assert plain_text(f"“{first}”") == "“שלום”"
    assert escape_tokens(["שלום", "*"]) == "\u2068שלום \\*\u2060\u2069"
