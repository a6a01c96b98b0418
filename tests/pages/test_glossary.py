"""The glossary: its definitions, the marks in texts, and the dialog with all terms."""

import re

import pytest

from dashboard.glossary import GLOSSARY, explain_terms, marked_terms, without_marks
from dashboard.markdown import escape_markdown
from dashboard.page_list import START, stage_named
from dashboard.shell.glossary_dialog import glossary_text
from tests.pages.app import ROOT, app, opened, run

SOURCES = [path for folder in ("dashboard", "pages") for path in (ROOT / folder).rglob("*.py")]
# Words of the field; a definition that uses one refers to its definition.
JARGON = {"token", "vocabulary", "embedding", "query", "queries", "key", "keys", "score", "softmax", "residual stream",
          "layer norm", "feed-forward network", "activation", "logit", "entropy", "rollout", "ablation"}  # fmt: skip


def test_a_marked_term_is_a_button_with_its_definition():
    text = explain_terms("one [[activation]], two [[activation|activated]]")
    definition = GLOSSARY["activation"].definition
    button = f'<span class="ew-defined" role="button" tabindex="0" aria-description="{definition}">%s</span>'
    assert text == f"one {button % 'activation'}, two {button % 'activated'}"
    assert explain_terms("[[query|queries]]").startswith(":blue[**<span")
    assert without_marks("one [[query|queries]] of a [[head]]") == "one queries of a head"


def test_html_in_a_text_is_shown_as_text():
    assert explain_terms("<b>x</b> & y") == "&lt;b&gt;x&lt;/b&gt; &amp; y"
    assert explain_terms(escape_markdown("<b>")) == escape_markdown("<b>")  # markdown shows it as text


def test_an_unknown_term_is_an_error():
    with pytest.raises(KeyError):
        explain_terms("[[transformer]]")


def test_definitions_use_defined_terms_only():
    for term in GLOSSARY.values():
        references = set(marked_terms(term.definition))
        assert references <= set(GLOSSARY)
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
    (heading,) = [text for text in opened(page).markdown if "ew-defined" in text.value]
    assert heading.proto.allow_html
    assert "[[" not in heading.value


def test_the_dialog_lists_all_terms(framed):
    at = opened(stage_named("softmax"))
    assert glossary_text() not in [text.value for text in at.markdown]
    at.button(key="glossary").click()
    run(at)
    assert glossary_text() in [text.value for text in at.markdown]
    assert all(f"**{name}** — " in glossary_text() for name in GLOSSARY)
    assert "[[" not in glossary_text()
    assert run(app().switch_page("pages/30_guide.py")).button(key="glossary").label == "Glossary"
