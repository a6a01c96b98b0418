"""Whatever a link asks for and whatever is typed: a sentence or a visible correction, and never an exception."""

import pytest

from dashboard.page_list import STAGES
from tests.browser.engine import scaled_scores, trace_of

# Each has several kinds: a link of its own takes a second.
LINKS = {
    "not numbers, unknown choices, unknown names": (
        {"d_model": "abc", "heads": "", "layers": "two", "norm": "batch", "mask": "all", "scaled": "maybe",
         "colour": "red", "<script>": "<b>"},
        ["d_model = “abc”", "heads = “”", "layers = “two”", "norm = “batch”", "mask = “all”", "scaled = “maybe”"],
    ),
    "out of range, repeated, focus": (
        {"d_model": "-4", "layers": "13", "d_ff": "1000000", "heads": ["8", "4"],
         "layer": "abc", "head": "-1", "token": "9" * 40, "key_token": "1.5"},
        ["d_model = “-4”", "layers = “13”", "d_ff = “1000000”", "heads 2 times; 4 is",
         "layer = “abc”", "head = “-1”", "token = “9999999999999999999…”", "key_token = “1.5”"],
    ),
    "huge, repeated": (
        {"d_model": "9" * 400, "seed": "1e999", "layers": ["4", "4"]},
        ["d_model = “9999999999999999999…”", "seed = “1e999”", "layers 2 times; 4 is"],
    ),
    "unknown names only": ({"colour": "red", "<script>": "<b>"}, []),
}  # fmt: skip


def _no_exception(screen):
    assert screen.page.locator("[data-testid=stException]").count() == 0


@pytest.mark.parametrize("case", LINKS)
def test_a_bad_link_is_said_and_the_defaults_are_shown(screen, case):
    link, parts = LINKS[case]
    screen.open("scaled_scores", **link)
    _no_exception(screen)
    assert len(screen.sentences) == len(parts)
    for part in parts:
        assert any(part in sentence for sentence in screen.sentences), screen.sentences
    screen.shows(*scaled_scores(trace_of(), 1, 1))
    assert (screen.looked_at("layer"), screen.looked_at("token")) == ("1", "16 · it")


def test_heads_that_do_not_divide_the_width_are_corrected(screen):
    screen.open("scaled_scores", d_model=64, heads=3)
    assert (screen.says("d_model"), screen.says("heads")) == (60, 3)
    sidebar = screen.page.locator("[data-testid=stSidebar]").inner_text()
    assert "64 is not a multiple of 3 heads: d_model is 60 now." in sidebar
    screen.shows(*scaled_scores(trace_of(d_model=60, heads=3), 1, 1))
    assert screen.press("d_model", "ArrowRight") == 72
    screen.shows(*scaled_scores(trace_of(d_model=72, heads=3), 1, 1))


@pytest.mark.parametrize("text", ["", "  \n ", "\x07\u200b"], ids=["empty", "blank", "invisible"])
def test_a_link_without_a_word_shows_the_default_text(screen, text):
    screen.open("scaled_scores", text=text)
    _no_exception(screen)
    assert any("default text of 2 sentences" in sentence for sentence in screen.sentences)
    screen.shows(*scaled_scores(trace_of(), 1, 1))


def _type(screen, text):
    screen.page.get_by_role("textbox", name="Text").fill(text)
    with screen.rerun():
        screen.page.keyboard.press("Control+Enter")


def test_text_that_is_deleted_is_said(screen):
    screen.open("scaled_scores")
    _type(screen, "")
    assert any("default text of 2 sentences" in sentence for sentence in screen.sentences)
    _type(screen, "now there is text")
    assert screen.sentences == []
    screen.shows(*scaled_scores(trace_of("now there is text"), 1, 1))


def test_a_text_of_100_000_characters_is_cut_and_said(screen):
    screen.open("scaled_scores")
    _type(screen, "word " * 20_000)
    sentences = " ".join(screen.sentences)
    assert "The text had 100,000 characters; the first 2,000 are kept." in sentences
    assert "A sentence was cut at 64 tokens; 336 more are ignored." in sentences
    assert len(screen.page.get_by_role("textbox", name="Text").input_value()) == 2_000
    screen.shows(*scaled_scores(trace_of("word " * 64), 1, 1))


STRANGE = "👩🏽‍🚀 👨‍👩‍👧‍👦 שלום مرحبا नमस्ते e\u0301 \x07bell\x1b[31m \u202etfel \u0000 $x$ *y* :red[z]"


def test_emoji_right_to_left_and_control_characters(screen):
    trace = trace_of(STRANGE)
    screen.open("scaled_scores", text=STRANGE)
    _no_exception(screen)
    screen.shows(*scaled_scores(trace, 1, 1))
    assert screen.plots()[0]["rows"] == list(trace.tokens[0])


MARKUP = "<script>window.harm=1</script><b id=harm>harm</b><img id=harm src=x onerror=window.harm=2> &lt;i&gt;harm"
_HARM = """() => [
    window.harm, document.querySelector("#harm"),
    ...[...document.querySelectorAll("[data-testid=stMain] :is(script, b, i, img, iframe, svg a)")]
        .filter(part => !part.closest(".ew-bar") && !part.closest(".ew-card") && /harm|^[<>]$/.test(part.outerHTML)),
].filter(Boolean).map(String)"""


def test_every_page_keeps_the_choices_and_markup_in_the_text_stays_text(screen):
    trace = trace_of(MARKUP, d_model=32, heads=2)
    tokens = list(trace.tokens[0])
    screen.open(text=MARKUP, d_model=32, heads=2, layer=2, token=5)
    chosen = screen.parameters
    for stage in STAGES:
        screen.go(stage.name)
        _no_exception(screen)
        assert screen.page.evaluate(_HARM) == [], stage.name
        assert screen.page.get_by_role("textbox", name="Text").input_value() == MARKUP
        assert (screen.says("d_model"), screen.says("heads")) == (32, 2)
        for part, value in (("layer", "2"), ("token", f"5 · {tokens[4]}")):
            if screen.page.locator(f".st-key-{part}").count():
                assert screen.looked_at(part) == value
        assert {key: screen.parameters[key] for key in chosen} == chosen
    words = screen.go("map").page.locator(".ew-words span:not(.ew-more)").all_text_contents()
    assert words == tokens
    labels = (
        screen.go("softmax").page.locator(".js-plotly-plot").first.locator(".ew-rows > .ew-name").all_text_contents()
    )
    assert "<" in labels
    assert set(labels) <= set(tokens)  # where there are many, some are left out
    screen.go("scaled_scores").shows(*scaled_scores(trace, 2, 1))
