"""The view of sentence vectors: one for each sentence of the text, and how alike they are."""

from itertools import combinations

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, how_many, which_is_largest
from dashboard.lessons import example_sentences
from dashboard.lessons.full_stack.view import Depths, pick_dims
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.theme import current_theme
from encoder_core import sentence_vectors
from encoder_core.analysis import cosines
from encoder_core.analysis.language.kinds import SPECIAL
from encoder_core.figures import Window, dimensions, format_fixed, format_number
from encoder_core.scenes import language as scenes

EXAMPLES = ("A cat sleeps on the sofa.", "A kitten naps on the couch.", "The bank raised its interest rates.")
MOST_WORDS = 12  # of a sentence below the picture


def pick_window(current: Model) -> Window | None:
    """Which dimensions of the vectors to show; None where there is but one sentence."""
    return pick_dims(current) if len(current.batch.tokens) > 1 else None


def sentences(current: Model, at: Focus, columns: Window | None) -> Depths | None:
    """The vectors of all sentences, and the cosine of each with each."""
    batch = len(current.batch.tokens)
    if columns is None:
        example_sentences.offer(
            current, "This view compares sentences: it needs two.", EXAMPLES, key="full_stack_sentence_examples"
        )
        return None
    vectors = sentence_vectors(current.trace)
    similar, texts = cosines(vectors, vectors), [_text(current, sentence) for sentence in range(batch)]
    parts = scenes.sentences(vectors, similar, columns, sentence=at.sentence, theme=current_theme())
    plot(parts, key="full_stack_sentences_plot")
    pairs = sorted(combinations(range(batch), 2), key=lambda pair: -similar[pair])
    st.caption(_in_words(current, similar, pairs))
    if batch <= scenes.MOST_WRITTEN:
        st.caption(" · ".join(f"**{number}** {_plainly(text)}" for number, text in enumerate(texts, 1)))
    numbers, dims = dimensions(batch, 1), dimensions(current.config.d_model)
    return Depths(
        {"cosines": Table(similar, texts, numbers), "V": Table(vectors, texts, dims)},
        r"\begin{aligned} m_b &= \frac{1}{n_b} \sum_{t=1}^{n_b} y_{b,t}, \quad v_b = \frac{m_b}{\lVert m_b \rVert} \\"
        rf"\underbrace{{S}}_{{{batch}\times{batch}}} &= \underbrace{{V}}_{{{batch}\times{len(dims)}}} V^\top"
        r" \end{aligned}",
        [sentence_vectors, cosines],
        _which_pair(similar, pairs) if len(pairs) > 1 else _how_alike(float(similar[0, 1])),
    )


def _text(current: Model, sentence: int) -> str:
    """The words of a sentence as the encoder reads it."""
    trace = current.trace
    words = zip(trace.tokens[sentence], trace.real[sentence], strict=True)
    return " ".join(word for word, is_real in words if is_real and word not in SPECIAL).replace(" ##", "")


def _plainly(text: str) -> str:
    """Its first words for markdown."""
    words = text.split()
    return " ".join(plain(word) for word in words[:MOST_WORDS]) + (" …" if len(words) > MOST_WORDS else "")


def _in_words(current: Model, similar: Float[np.ndarray, "row column"], pairs: list[tuple[int, int]]) -> str:
    said = "A row of V is the mean of a sentence's outputs, padding left out, scaled to length 1. Most alike are "
    said += f"{_named(pairs[0])}, with a cosine of {format_fixed(similar[pairs[0]], 2)}"
    said += f"; least, {_named(pairs[-1])}, with {format_fixed(similar[pairs[-1]], 2)}." if len(pairs) > 1 else "."
    if not current.settings.trained:
        said += " Nothing is trained here: the vectors do not depend on what words mean."
    if (current.trace.mask & ~current.trace.real[:, None, None, :]).any():
        said += " :orange[The mask lets tokens see padding: a vector depends on how long the other sentences are.]"
    return said


def _named(pair: tuple[int, int]) -> str:
    return f"{pair[0] + 1} and {pair[1] + 1}"


def _which_pair(similar: Float[np.ndarray, "row column"], pairs: list[tuple[int, int]]) -> Question:
    return which_is_largest(
        "which of these pairs of sentences is most alike?",
        np.array([similar[pair] for pair in pairs]),
        lambda index: _named(pairs[index]),
        lambda best: f"Their cosine is {format_number(similar[pairs[best]], 3)}.",
        how_many("how many pairs of two different sentences are there?", len(pairs), "n (n − 1) / 2 of n sentences."),
        spread=True,
    )


def _how_alike(cosine: float) -> Question:
    return Question(
        "do the two sentences point nearly the same way?",
        ["yes: less than 60° apart (cosine above 0.5)", "no: 60° or more"],
        int(cosine <= 0.5),
        f"Their cosine is {format_number(cosine, 3)}.",
    )
