"""Sentence vectors: one vector for each sentence of the text, and their cosines."""

import re
from itertools import combinations

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.example_sentences import has_default_text, render_examples
from dashboard.lessons.full_stack.vectors.padding_note import padding_note
from dashboard.lessons.full_stack.vectors.vector_questions import reversed_sentence_question
from dashboard.lessons.full_stack.view import Depths, render_dims_picker
from dashboard.markdown import escape_tokens
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.theme import current_theme
from encoder_core import sentence_vectors
from encoder_core.analysis import cosines
from encoder_core.analysis.language.token_kinds import SPECIAL
from encoder_core.figures import Window, dimensions
from encoder_core.scenes import language as scenes
from encoder_core.support.number_format import format_fixed, latex_with_shape

EXAMPLES = ("A cat sleeps on the sofa.", "A kitten naps on the couch.", "The bank raised its interest rates.")
MAX_WORDS = 12  # of a sentence in the caption


def render_window_picker(current: Model) -> Window | None:
    """Render the picker of the dimensions and return them; None if there is only one sentence."""
    return render_dims_picker(current) if len(current.batch.tokens) > 1 else None


def render_sentences(current: Model, at: Focus, columns: Window | None) -> Depths | None:
    """The vectors of all sentences, and the cosine of each pair."""
    batch = len(current.batch.tokens)
    if columns is None:
        _render_examples(current, "This view needs at least two sentences.")
        return None
    question = reversed_sentence_question(current, at)
    ask_first(question, "Sentences")
    vectors = sentence_vectors(current.trace, allow_padding=True)  # the caption says so
    similar, texts = cosines(vectors, vectors), [_text(current, sentence) for sentence in range(batch)]
    parts = scenes.sentences(vectors, similar, columns, sentence=at.sentence, theme=current_theme())
    render_plot(parts, key="full_stack_sentences_plot")
    pairs = sorted(combinations(range(batch), 2), key=lambda pair: -similar[pair])
    st.caption(_describe_pairs(current, similar, pairs))
    if batch <= scenes.MAX_WRITTEN:
        st.caption(" · ".join(f"**{number}** {_escape_start(text)}" for number, text in enumerate(texts, 1)))
    if has_default_text(current):
        _render_examples(current, "Two sentences with one meaning and one about something else show what it measures.")
    numbers, dims = dimensions(batch, 1), dimensions(current.config.d_model)
    return Depths(
        {"cosines": NumberTable(similar, texts, numbers), "S": NumberTable(vectors, texts, dims)},
        rf"\begin{{aligned}} {latex_with_shape('m_b', (1, len(dims)))} "
        r"&= \frac{1}{n_b} \sum_{t=1}^{n_b} y_{b,t}, \quad s_b = \frac{m_b}{\lVert m_b \rVert} \\"
        rf"{latex_with_shape('C', (batch, batch))} &= {latex_with_shape('S', (batch, len(dims)))} S^\top "
        r"\end{aligned}",
        [sentence_vectors, cosines],
        question,
    )


def _render_examples(current: Model, needed: str) -> None:
    render_examples(current, needed, EXAMPLES, key="full_stack_sentence_examples",
                    no_sentences="Type a second input in the sidebar, on a line of its own.")  # fmt: skip


def _text(current: Model, sentence: int) -> str:
    """The words of a sentence after tokenization, without special tokens and padding."""
    trace = current.trace
    words = zip(trace.tokens[sentence], trace.real[sentence], strict=True)
    text = " ".join(word for word, is_real in words if is_real and word not in SPECIAL).replace(" ##", "")
    return re.sub(r" ([,.;:?!])(?= |$)", r"\1", text)


def _escape_start(text: str) -> str:
    """The first words of a text, escaped for markdown."""
    words = text.split()
    return escape_tokens(words[:MAX_WORDS]) + (" …" if len(words) > MAX_WORDS else "")


def _describe_pairs(current: Model, similar: Float[np.ndarray, "row column"], pairs: list[tuple[int, int]]) -> str:
    """Caption: the definition of S, and the most and the least similar pair; `pairs` are sorted."""
    text = "Each row of S is the mean of a sentence's output vectors, without padding, scaled to length 1. "
    written = [format_fixed(similar[pair], 2) for pair in pairs]
    largest, smallest = written[0], written[-1]
    if len(pairs) == 1:
        text += f"The cosine of the two sentences is {largest}."
    elif largest == smallest:
        text += f"All pairs of sentences have the cosine {largest}."
    else:
        most, least = pairs[: written.count(largest)], pairs[-written.count(smallest) :]
        text += f"{_name(most)} are most similar (cosine {largest}), {_name(least).lower()} least ({smallest})."
    if not current.is_trained:
        text += " This encoder is not trained: the vectors do not reflect the meaning of words."
    return text + padding_note(current.trace)


def _name(pairs: list[tuple[int, int]]) -> str:
    (first, second), *others = pairs
    return f"{len(pairs)} pairs of sentences" if others else f"Sentences {first + 1} and {second + 1}"
