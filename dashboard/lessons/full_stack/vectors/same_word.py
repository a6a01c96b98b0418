"""A word in several sentences: one row of the embedding table, a different vector in each context."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.example_sentences import has_default_text, render_examples
from dashboard.lessons.full_stack.vectors.hidden_states import stage_names
from dashboard.lessons.full_stack.vectors.padding_note import padding_note
from dashboard.lessons.full_stack.vectors.vector_questions import first_input_question
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.state.choices import WORD
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core import EncoderTrace, same_word_similarity, shared_words
from encoder_core.analysis import cosines, residual_stream
from encoder_core.analysis.language import SharedWord, different_words_similarity
from encoder_core.analysis.language.same_word import TokenPlace
from encoder_core.explain import Cell
from encoder_core.scenes import language as scenes
from encoder_core.support.number_format import format_fixed, latex_range, latex_with_shape
from encoder_core.support.wording import shorten

EXAMPLES = ("She took the money to the bank.", "The bank gave him a loan.", "He sat on the bank of the river.")
_MAX_CURVES = 4  # sentences to compare with, one curve each

ByStage = Float[np.ndarray, "stage"]


class _Comparison(NamedTuple):
    """One occurrence of a word, and its comparison with others.

    reference     the occurrence in the selected sentence, or the first one if the word is not in it
    similarities  the cosines with each other occurrence, by layer
    least         the other occurrence with the smallest cosine after the last layer
    control       the mean cosines of different words of the two sentences; None if there are none
    """

    word: str
    reference: TokenPlace
    similarities: Mapping[TokenPlace, ByStage]
    least: TokenPlace
    control: ByStage | None


def render_word_picker(current: Model) -> SharedWord | None:
    """Render the picker of a word that occurs in several sentences and return it; None if there is none."""
    words = {word.token: word for word in shared_words(current.trace)}
    if not words:
        return None
    token = session().get_option(WORD, list(words), next(iter(words)))
    bound = bind_widget(WORD, token, tuple(words), index_of=list(words))
    st.selectbox("Word", list(words), format_func=shorten, filter_mode=None, width=150, **bound)
    return words[token]


def render_same_word(current: Model, at: Focus, word: SharedWord | None) -> Depths | None:
    """Cosines of a word with its occurrences in other sentences, and with every token of one of them, by layer."""
    if word is None:
        _render_examples(current, "This view needs two sentences with a word in common.")
        return None
    comparison = _compare(current.trace, word, at.sentence)
    question = first_input_question(current, comparison.word, comparison.reference, comparison.least)
    ask_first(question, "Same word")
    names = stage_names(current.config)[: current.config.num_layers + 1]
    series = {f"in sentence {sentence + 1}": values for (sentence, _), values in comparison.similarities.items()}
    all_tokens = _render_comparison(current.trace, comparison, series, names)
    st.caption(_describe(comparison) + padding_note(current.trace))
    if has_default_text(current):
        _render_examples(current, "A word with two meanings shows how the context moves a vector.")
    shape = (1, current.config.d_model)
    vectors = rf"{latex_with_shape('x^{(l)}_{a,i}', shape)},\, {latex_with_shape('x^{(l)}_{b,j}', shape)}"
    rows = series if comparison.control is None else series | {scenes.CONTROL: comparison.control}
    return Depths(
        {
            "with itself": NumberTable(np.stack(list(rows.values())), list(rows), names, first=None),
            "with all": all_tokens,
        },
        rf"\begin{{aligned}} &\cos\Bigl({vectors}\Bigr), \quad l = {latex_range(0, current.config.num_layers)} "
        r"\\ &\text{where token } i \text{ of sentence } a"
        r" \text{ is token } j \text{ of } b \end{aligned}",
        [shared_words, same_word_similarity, different_words_similarity],
        question,
        inspect_cell(current, at, Cell("output", (*comparison.reference, 0))),
    )


def _render_examples(current: Model, needed: str) -> None:
    render_examples(current, needed, EXAMPLES, key="full_stack_same_word_examples")


def _compare(trace: EncoderTrace, word: SharedWord, sentence: int) -> _Comparison:
    reference = next((place for place in word.places if place[0] == sentence), word.places[0])
    others = [place for place in word.places if place != reference][:_MAX_CURVES]
    similarities = {place: same_word_similarity(trace, reference, place, allow_unchained=True) for place in others}
    least = min(others, key=lambda place: float(similarities[place][-1]))
    control = different_words_similarity(trace, reference, least, allow_unchained=True)
    return _Comparison(word.token, reference, similarities, least, None if np.isnan(control).any() else control)


def _render_comparison(
    trace: EncoderTrace, comparison: _Comparison, series: Mapping[str, ByStage], names: list[str]
) -> NumberTable:
    """Render the plot; return the heatmap's numbers as a table."""
    reference, least = comparison.reference, comparison.least
    rows, others = (residual_stream(trace, place[0], allow_unchained=True) for place in (reference, least))
    places = np.flatnonzero(trace.real[least[0]]).tolist()
    tokens = [trace.tokens[least[0]][place] for place in places]
    similarities = cosines(rows[:, [reference[1]]], others[:, places])[:, 0]
    others_compared, others_of_text = len(series), sum(names.count(comparison.word) for names in trace.tokens) - 1
    some = "" if others_compared == others_of_text else f"{others_compared} of "
    titles = (
        f"“{shorten(comparison.word)}” of sentence {reference[0] + 1} with {some}its other occurrences",
        f"… and with every token of sentence {least[0] + 1}",
    )
    parts = scenes.same_word(
        series, comparison.control, similarities, names, titles=titles, tokens=tokens, token=places.index(least[1]),
        theme=current_theme(),
    )  # fmt: skip
    render_plot(parts, key="full_stack_same_word_plot")
    return NumberTable(similarities, names, tokens, first=None)


def _describe(comparison: _Comparison) -> str:
    """Caption: the cosines before the first and after the last layer."""
    first = min(float(values[0]) for values in comparison.similarities.values())
    last = [
        f"with sentence {place[0] + 1}, {format_fixed(values[-1], 2)}"
        for place, values in comparison.similarities.items()
    ]
    if comparison.control is not None:
        last.append(f"of different words, {format_fixed(comparison.control[-1], 2)} on average")
    return (
        f"“{escape_token(comparison.word)}” has one row in the embedding table. Before the first layer, the smallest "
        f"cosine with the occurrences compared here is {format_fixed(first, 2)}. Cosines after the last layer: "
        f"{'; '.join(last)}."
    )
