"""The glossary: its definitions, the marks in texts, and the dialog with all terms."""

import json
import re
from urllib.parse import quote, unquote

import pytest

from dashboard.glossary import GLOSSARY, definitions, explain_terms, mark_terms, without_marks
from dashboard.markdown import escape_markdown
from dashboard.page_list import START, page_named, stage_named
from dashboard.shell.glossary_dialog import glossary_text
from encoder_core.experiments import experiments
from tests.pages.app import ROOT, app, opened, run

SOURCES = [path for folder in ("dashboard", "pages") for path in (ROOT / folder).rglob("*.py")]
# Words of the field; a definition that uses one refers to its definition.
JARGON = {"token", "vocabulary", "embedding", "query", "queries", "key", "keys", "score", "softmax", "residual stream",
          "layer norm", "feed-forward network", "activation", "logit", "entropy", "rollout", "ablation"}  # fmt: skip


def test_a_marked_term_is_a_link_to_its_definition():
    text = explain_terms("one [[activation]], two [[layer norm|norms]]")
    assert text == "one [activation](#term-activation), two [norms](#term-layer%20norm)"
    assert explain_terms("[[query|queries]]") == ":blue[**[queries](#term-query)**]"
    assert definitions()["#term-layer%20norm"] == without_marks(GLOSSARY["layer norm"].definition)
    assert len(definitions()) == len(GLOSSARY)
    assert without_marks("one [[query|queries]] of a [[head]]") == "one queries of a head"


def test_the_first_mention_of_a_term_is_marked():
    text = "Softmax has gradients; softmax of one-hot vectors, not softmaxed. The d_model of a keystone."
    assert mark_terms(text) == (
        "[[softmax|Softmax]] has [[gradient|gradients]]; softmax of [[one-hot vector|one-hot vectors]], not softmaxed. "
        "The [[d_model|d_model]] of a keystone."
    )
    for experiment in experiments().values():
        assert without_marks(mark_terms(experiment.claim)) == experiment.claim
    assert "[entropy](#term-entropy)" in explain_terms(mark_terms(experiments()["score-scaling"].hypothesis))


@pytest.mark.parametrize("text", ["<b>x</b> & y", escape_markdown("<b>"), "$a < b$", escape_markdown("[[head]]")])
def test_a_text_without_marks_stays_as_it_is(text):
    assert explain_terms(text) == text


def test_marks_make_no_html():
    text = explain_terms(" ".join(f"[[{name}]]" for name in GLOSSARY))
    assert not set("<>&") & set(text)


def test_no_markdown_of_the_app_is_html():
    """Streamlit shows tags as text; with HTML, each first visit would load a parser of 189 kB (57 kB compressed)."""
    assert [path.name for path in SOURCES if "unsafe_allow_html" in path.read_text(encoding="utf-8")] == []


def test_an_unknown_term_is_an_error():
    with pytest.raises(KeyError):
        explain_terms("[[transformer]]")


def test_definitions_use_defined_terms_only():
    for term in GLOSSARY.values():
        links = re.findall(r"#term-([^)]+)", explain_terms(term.definition))  # of defined terms, else a KeyError
        references = set(map(unquote, links))
        assert term.name not in references
        used = {word for word in JARGON if re.search(rf"\b{word}s?\b", re.sub(r"\[\[[^]]*\]\]", "", term.definition))}
        explained = {word for word in used if {word, word.rstrip("s"), word.replace("ies", "y")} & references}
        assert used - explained - {term.name} == set(), term.name


def test_every_term_is_used():
    texts = [path.read_text(encoding="utf-8") for path in SOURCES if path.name != "glossary.py"]
    unused = [name for name in GLOSSARY if not any(re.search(re.escape(name), text, re.IGNORECASE) for text in texts)]
    assert unused == []


@pytest.mark.parametrize("page", [START, stage_named("qkv")])
def test_a_heading_explains_its_terms(framed, page):
    at = opened(page)
    (heading,) = [text for text in at.markdown if "](#term-" in text.value]
    assert not heading.proto.allow_html
    assert "[[" not in heading.value
    (tips,) = [x for x in at.get("bidi_component") if x.proto.component_name.endswith(".term_tips")]
    assert json.loads(tips.proto.json) == definitions()


@pytest.mark.parametrize("page", [START, stage_named("qkv"), page_named("guide")])
def test_definitions_come_before_all_other_elements(framed, page):
    """The browser then has Streamlit's script for components when the figures arrive: shared/first_component.js."""
    first = next(iter(opened(page).main.children.values()))
    assert first.proto.component_name.endswith(".term_tips")


def test_the_dialog_lists_all_terms(framed):
    at = opened(stage_named("softmax"))
    assert glossary_text() not in [text.value for text in at.markdown]
    at.button(key="glossary").click()
    run(at)
    assert glossary_text() in [text.value for text in at.markdown]
    assert all(f"**{name}** — " in glossary_text() for name in GLOSSARY)
    assert "[[" not in glossary_text()
    assert run(app().switch_page("pages/30_guide.py")).button(key="glossary").label == "Glossary"


@pytest.mark.parametrize("name", ["[CLS]", "[SEP]", "[PAD]", "MLP", "logit lens", "FLOP", "seed", "loss"])
def test_names_that_pages_use_without_a_mark_have_a_definition(name):
    assert f"**{name}** — " in glossary_text()


def test_padding_is_explained_where_it_fills_up_a_sentence(framed):
    at = opened(stage_named("embedding"))
    (caption,) = [text.value for text in at.caption if "fills up shorter sentences" in text.value]
    assert f"[[PAD]](#term-{quote('[PAD]')}) fills up" in caption
