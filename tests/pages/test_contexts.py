"""The views of the full stack that search many sentences: for a random encoder, a trained one and recipes."""

import re
import time

import numpy as np
import pytest

from dashboard.components.text_file import TextFile
from dashboard.lessons.full_stack.sentences import uploaded_sentences
from dashboard.models.loading import encoder_named
from dashboard.models.traced_sentences import TracingProgress
from dashboard.page_list import stage_named
from dashboard.state.choices import DETAILS
from dashboard.state.offered_encoders import OFFERED
from dashboard.state.setting_parameters import DEFAULT_TEXT
from encoder_core import Encoder, EncoderConfig, WordTokenizer
from encoder_core.analysis import residual_stream
from encoder_core.analysis.language import (
    compare_contexts,
    context_vectors,
    head_pairs,
    nearest_contexts,
    pair_weights,
    same_word_shares,
)
from encoder_core.inputs.corpus import load_sentences
from encoder_core.inputs.tokenizer import split_words
from encoder_core.support.number_format import format_fixed
from tests.pages.app import chosen, derivations, figures, key_of, opened, run
from tests.pages.test_words_and_sentences import ENCODERS, _array

STAGE = stage_named("full_stack")
VIEWS = ("Similar contexts", "Pairs of a head")
TEXT = "The girl saw a zebra near the bank."
SENTENCES = load_sentences()[::6]


@pytest.fixture(autouse=True)
def fewer_sentences(monkeypatch):
    """A sixth of the sentences: the others are searched in the same way."""
    for module in ("dashboard.models.sentence_sources", "dashboard.lessons.full_stack.sentences.sources"):
        monkeypatch.setattr(f"{module}.load_sentences", lambda: SENTENCES)


def viewed(view, **link):
    """The page with one of the views, once the sentences are traced."""
    at = opened(STAGE, view=view, **link)
    return settled(at)


def settled(at):
    """Run the page until the sentences are traced."""
    end = time.monotonic() + 120
    while bars := [bar for bar in at.get("progress") if "in the background" in bar.proto.text]:
        assert time.monotonic() < end, bars[0].proto.text
        time.sleep(0.1)
        run(at)
    return at


def engine(encoder, text):
    """The encoder of the page, built with encoder_core alone, the traces of all sentences, and the text's trace."""
    if encoder == "minilm":
        model = encoder_named(OFFERED["minilm"])
    else:
        tokenizer = WordTokenizer([w for t in (text, *SENTENCES) for w in split_words(t)])
        config = EncoderConfig(vocab_size=len(tokenizer), max_len=64, d_model=64, num_heads=4, d_ff=256, num_layers=4)
        model = Encoder.random(config, 0, tokenizer=tokenizer)
    return list(model.trace_sentences([model.tokenizer(s) for s in SENTENCES])), model.trace(text, "padding")


def html(at):
    """The lists of sentences."""
    return [body for element in at.get("html") if "ew-list" in (body := element.proto.body) and "<style>" not in body]


def captions(at):
    return " ".join(caption.value for caption in at.caption)


def values(body):
    return re.findall(r"</i>([^<]+)</span>", body)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_nearest_vectors_and_strongest_pairs_are_those_of_the_encoder(framed, encoder):
    traces, trace = engine(encoder, TEXT)
    place, layer = trace.tokens[0].index("bank"), 2
    vectors = residual_stream(trace)[:, place]
    comparison = compare_contexts(vectors, "bank", [context_vectors(traces)])
    at = viewed("Similar contexts", encoder=encoder, text=TEXT, token=str(place + 1), context_layer=str(layer))
    (figure,) = figures(at)
    np.testing.assert_allclose(_array(figure["data"][0]["x"]), same_word_shares(comparison), atol=1e-6)
    nearest = nearest_contexts(comparison, layer).nearest
    (body,) = html(at)
    assert values(body) == [format_fixed(context.cosines[layer], 2) for context in nearest]
    assert len(re.findall("✓ same word|≠ other word", body)) == 10
    assert body.count("✓ same word") == sum(context.same_word for context in nearest)
    assert f"“bank” occurs {comparison.same_word.sum()} times in the sentences" in captions(at)
    assert ("random, not trained" in captions(at)) == (encoder == "random")

    at = viewed("Pairs of a head", encoder=encoder, text=TEXT, layer="2", head="3", pair_kind="det → noun")
    kinds = head_pairs([pair_weights(traces)], 1, 2)
    (figure,) = figures(at)
    np.testing.assert_allclose(_array(figure["data"][0]["x"]), [kind.share for kind in kinds], atol=1e-3)
    (kind,) = [kind for kind in kinds if kind.kind == "det → noun"]
    (body,) = html(at)
    assert values(body) == [format_fixed(pair.mean, 2) for pair in kind.strongest]
    assert f"of {kind.queries:,} queries" in captions(at)
    assert ("random, not trained" in captions(at)) == (encoder == "random")


def test_pairs_of_a_head_have_no_short_forms_unexplained_and_no_sentence_to_choose(framed):
    """They are of all sentences. The labels of the figure have room for short forms only."""
    at = viewed("Pairs of a head", text=f"{TEXT}\n{TEXT}")
    assert "(det: determiner, adj: adjective, pron: pronoun, prep: preposition.)" in captions(at)
    assert "determiner → noun" in at.selectbox(key=key_of(at, "pair_kind")).options
    assert not [group for group in at.button_group if group.key.startswith("sentence")]
    others = viewed("Head average", text=f"{TEXT}\n{TEXT}")
    assert [group for group in others.button_group if group.key.startswith("sentence")]


def test_other_words_edits_and_masks(framed):
    at = viewed("Similar contexts", token="3", edits="head.0.0=0", mask="causal", other_words="true")
    assert "same word" not in html(at)[0]
    marks = re.findall(r"<b class='ew-mark ew-found'><bdi>(.*?)</bdi>", html(at)[0])
    assert len({mark.lower() for mark in marks} - {"cat"}) == 10
    assert "without your edits" in captions(at)
    at.toggle(key=key_of(at, "other_words")).set_value(False)
    assert "✓ same word" in html(run(at))[0]
    assert not chosen(at, "other_words")
    assert derivations(at)


@pytest.mark.parametrize(
    ("encoder", "token", "is_said"), [("random", 1, True), ("random", 2, False), ("words", 1, False)]
)
def test_upper_and_lower_case_are_one_word_with_two_rows(framed, encoder, token, is_said):
    """ "The" is also "the" in the sentences, and "girl" is nothing else; the tokens of "words" are in lower case."""
    text = captions(viewed("Similar contexts", text="The girl is here", encoder=encoder, token=str(token)))
    assert ("in upper and lower case together, which are different rows of this table" in text) == is_said
    assert ("where they share a word, position or neighbours, not where different words" in text) == (
        encoder == "random"
    )


def test_layer_of_the_link_is_checked(framed):
    at = viewed("Similar contexts", token="3", context_layer="99")
    assert "context_layer" in at.warning[0].value
    assert at.button_group(key=key_of(at, "context_layer")).value == 4
    at = viewed("Pairs of a head", pair_kind="nonsense")
    assert "pair_kind" in at.warning[0].value


def test_ties_at_the_input_and_words_that_do_not_occur(framed):
    at = viewed("Similar contexts", token="1", context_layer="0")
    assert re.search(r"[\d,]+ more have the same cosine as the last one", captions(at))
    at = viewed("Similar contexts", text=TEXT, token="5")
    assert "“zebra” does not occur in the sentences" in at.info[0].value
    assert not list(figures(at))
    assert len(values(html(at)[0])) == 10


@pytest.mark.parametrize("view", VIEWS)
def test_numbers_formula_and_a_question_with_one_right_answer(framed, view):
    at = viewed(view, token="3")
    for title in at.button_group(key=key_of(at, "numbers")).options[-2:]:
        at.button_group(key=key_of(at, "numbers")).set_value(title)
        assert not run(at).dataframe[0].value.isna().any(axis=None)
    assert at.latex[-1].value.count("{") == at.latex[-1].value.count("}")
    at.session_state["session"].set(DETAILS, "Code")
    assert "def " in run(at).code[0].value
    right = []
    for option in at.radio[0].options:
        at.radio[0].set_value(option)
        right += [option] * len(run(at).success)
    assert right == [{"Similar contexts": "exactly 1", "Pairs of a head": "nothing"}[view]]


@pytest.mark.parametrize("view", VIEWS)
def test_sentences_of_a_file_are_searched_and_escaped(framed, view):
    at = viewed(view, token="3")
    text = "<b>cat</b> _jumped_ on the sofa\n" + DEFAULT_TEXT.splitlines()[0].replace("black", "<i>black")
    memo = at.session_state["session"].memo
    memo["uploaded sentences"] = uploaded_sentences.read_sentences(TextFile("my [notes].txt", 90, text))
    (body,) = html(settled(run(at)))
    assert r"my \[" in captions(at)
    assert "2 sentences in use" in captions(at)
    assert "and 2 of your file" in captions(at)
    if view == "Similar contexts":
        assert "your file" in body
        assert "&lt;" in body
    assert "<i>black" not in body
    at.button(key="own_sentences_remove").click()
    assert "of your file" not in captions(run(at))
    memo["uploaded sentences: problem"] = "“a.pdf” is not a .txt file."
    assert "is not a" in run(at).warning[0].value


@pytest.mark.parametrize("view", VIEWS)
def test_a_recipe_has_no_words(framed, view):
    at = viewed(view, encoder="nnx")
    assert "fixed batch of ids" in at.info[0].value
    assert not list(figures(at))


def test_progress_is_shown_until_the_sentences_are_traced(framed, monkeypatch):
    monkeypatch.setattr(
        "dashboard.lessons.full_stack.sentences.sources.project_sentences", lambda _: TracingProgress(3, 698, 2)
    )
    at = opened(STAGE, view="Similar contexts")
    assert "3 of 698 sentences; 2 other encoders first" in at.get("progress")[0].proto.text
    monkeypatch.setattr(
        "dashboard.lessons.full_stack.sentences.sources.project_sentences", lambda _: TracingProgress(0, 698, 0, True)
    )
    assert "cannot be computed now" in run(at).warning[0].value
