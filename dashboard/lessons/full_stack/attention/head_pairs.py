"""Pairs of a head: the tokens that it connects most strongly in many sentences, grouped by the kind of the pair."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.full_stack.attention.attention_questions import flatter_head_question
from dashboard.lessons.full_stack.sentences.sentence_list import (
    ListedSentence,
    Mark,
    marked_token,
    render_sentence_list,
)
from dashboard.lessons.full_stack.sentences.sources import Sources, describe_sources, render_sources
from dashboard.lessons.full_stack.sentences.uploaded_sentences import render_uploaded_sentences
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.state.choices import PAIR_KIND
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.analysis.language import PairKind, head_pairs, pair_weights
from encoder_core.analysis.language.head_pairs import CLASS_PAIRS, SAME_WORD, WordPair
from encoder_core.figures import Selection
from encoder_core.scenes import language as scenes
from encoder_core.support.number_format import format_fixed, format_percent
from encoder_core.support.wording import format_count, head_name, shorten

_DESCRIPTIONS = {
    "previous": "words and signs to the token before them",
    "next": "words and signs to the token after them",
    "itself": "words and signs to themselves",
    "punctuation": "words to punctuation",
    "[CLS]": "words and signs to [CLS]",
    "[SEP]": "words and signs to [SEP]",
    SAME_WORD: "words to another occurrence of the same word",
} | {kind: f"{query}s to {key}s" for kind, (query, key) in CLASS_PAIRS.items()}
_SHORT_FORMS = {  # in the labels of the figure, which have room for 12 letters
    short: word
    for kind, words in CLASS_PAIRS.items()
    for short, word in zip(kind.split(" → "), words, strict=True)
    if short != word
}


def render_head_pairs(current: Model, at: Focus, _: None) -> Depths | None:
    """The kinds of the strongest pairs of the selected head, and the strongest pairs of the selected kind."""
    sources = render_sources(current)
    if sources is None:
        return None
    question = flatter_head_question(at)
    ask_first(question, "Pairs of a head")
    kinds = head_pairs(sources.pairs, at.layer, at.head)
    names = [kind.kind for kind in kinds]
    strongest_kind = names[int(np.argmax([kind.share for kind in kinds]))]
    name = session().get_option(PAIR_KIND, names, strongest_kind)
    kind = kinds[names.index(name)]

    def select(selection: Selection) -> None:
        if "role" in selection:
            session().set(PAIR_KIND, names[selection["role"]])

    left, right = st.columns([2, 3], gap="medium")
    with left:
        title = f"where {head_name(at.layer, at.head)} looks most"
        parts = scenes.head_pairs(kinds, names.index(name), title=title, theme=current_theme())
        render_plot(parts, key="full_stack_pairs_plot", on_click=select)
        st.caption(_describe_shares(kind) + _explain_short_forms(names))
    with right:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox("Kind of pair", names, format_func=_full_name, filter_mode=None, width=200,
                         **bind_widget(PAIR_KIND, name, tuple(names), index_of=names))  # fmt: skip
            st.markdown(f"Largest mean weights from {_describe_kind(name)}", width="stretch")
        rows = [_row(pair, sources) for pair in kind.strongest]
        render_sentence_list(rows, "mean weight · query → key · example")
        st.caption(_describe_list(current, sources, kind))
    render_uploaded_sentences(sources.uploaded)
    return Depths(
        {"pairs": _pair_table(kind), "kinds": _kind_table(kinds)},
        r"\begin{aligned} \text{share} &= \frac{1}{|Q|}\, \bigl|\{ q \in Q : \arg\max_k A_{qk} \in R(q) \}\bigr| \\"
        rf"|Q| &= {kind.queries} \end{{aligned}}",
        [pair_weights, head_pairs],
        question,
    )


def _row(pair: WordPair, sources: Sources) -> ListedSentence:
    tokens = sources.pairs[pair.source].tokens[pair.sentence]
    marks: dict[int, Mark] = {pair.key_at: "key", pair.query_at: "query"}
    title = f"{marked_token(shorten(pair.query), 'query')} → {marked_token(shorten(pair.key), 'key')}"
    here = format_fixed(pair.strongest, 2)
    note = f"mean of {pair.occurrences}, here {here}" if pair.occurrences > 1 else "one occurrence"
    if sources.is_uploaded(pair.source):
        note += " · your file"
    return ListedSentence(pair.mean, tokens, marks, title, note)


def _full_name(kind: str) -> str:
    """The name of a kind without short forms: "determiner → noun"."""
    return " → ".join(CLASS_PAIRS[kind]) if kind in CLASS_PAIRS else kind


def _explain_short_forms(kinds: Sequence[str]) -> str:
    """A sentence, after a space, on the short forms in these names; empty if there are none."""
    parts = {part for kind in kinds for part in kind.split(" → ")}
    forms = [f"{short}: {word}" for short, word in _SHORT_FORMS.items() if short in parts]
    return f" ({', '.join(forms)}.)" if forms else ""


def _describe_kind(kind: str) -> str:
    return escape_token(kind) if kind not in _DESCRIPTIONS else _DESCRIPTIONS[kind].replace("[", r"\[")


def _describe_shares(kind: PairKind) -> str:
    """Caption of the figure: the selected bar in words."""
    share, uniform = format_percent(kind.share), format_percent(kind.uniform)
    return (
        "Bars: of the queries that can attend to a key of this kind, the share whose largest weight is on one. "
        f"“{escape_token(kind.kind)}”: {share} of {format_count(kind.queries, 'query', 'queries')}, and {uniform} if "
        "the largest weight were on a random key. A pair can be of several kinds, so the bars do not add up to 100%. "
        "Word classes are known for the words of this page's sentences; a word can have two (“play”)."
    )


def _describe_list(current: Model, sources: Sources, kind: PairKind) -> str:
    """Caption of the list: how the pairs were chosen, and the sentences."""
    least = min(2, max(pair.occurrences for pair in kind.strongest))
    once = " that occur at least twice" if least > 1 else ""
    random = (
        ""
        if current.is_trained
        else " This encoder is random, not trained: which pairs are strong is chance, but for what the mask decides."
    )
    return (
        f"Pairs of words{once}, in {describe_sources(sources, current)}; upper and lower case count as one. The "
        f"example is the sentence with the largest weight.{random}"
    )


def _pair_table(kind: PairKind) -> NumberTable:
    values = np.array([[pair.mean, pair.strongest, pair.occurrences] for pair in kind.strongest])
    return NumberTable(
        values, [f"{pair.query} → {pair.key}" for pair in kind.strongest], ["mean", "largest", "occurrences"]
    )


def _kind_table(kinds: Sequence[PairKind]) -> NumberTable:
    values = np.array([[kind.share, kind.uniform, kind.queries] for kind in kinds])
    return NumberTable(values, [kind.kind for kind in kinds], ["share", "random key", "queries"], first=None)
