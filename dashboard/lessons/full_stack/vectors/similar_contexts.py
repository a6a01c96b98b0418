"""Similar contexts: the tokens of many sentences whose vectors are nearest to the selected token's, at each layer."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.embedding.cosine_table import cosine_formula
from dashboard.lessons.full_stack.sentences.sentence_list import ListedSentence, render_sentence_list
from dashboard.lessons.full_stack.sentences.sources import Sources, describe_sources, render_sources
from dashboard.lessons.full_stack.sentences.uploaded_sentences import render_uploaded_sentences
from dashboard.lessons.full_stack.vectors.padding_note import padding_note
from dashboard.lessons.full_stack.vectors.vector_questions import layer_0_question
from dashboard.lessons.full_stack.view import Depths, input_content
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.state.choices import CONTEXT_LAYER, OTHER_WORDS
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.analysis import residual_stream
from encoder_core.analysis.language import (
    ContextComparison,
    SimilarContext,
    SimilarContexts,
    compare_contexts,
    nearest_contexts,
    same_word_shares,
)
from encoder_core.figures import Selection, dimensions
from encoder_core.scenes import contexts as scenes
from encoder_core.scenes.focus import layer_slice, text_slice
from encoder_core.support.wording import format_count, shorten

_MAX_ROW_NAME = 40  # characters of a sentence in the table


def render_layer_picker(current: Model) -> int:
    """Render the picker of the layer whose vectors are compared; 0 is the input of the first layer."""
    last = current.config.num_layers
    layer = session().get_option(CONTEXT_LAYER, range(last + 1), last)
    help_text = "0: the input of the first layer. A larger number: the output of that layer."
    bound = bind_widget(CONTEXT_LAYER, layer, last, value_argument="default")
    st.pills("Layer", range(last + 1), required=True, help=help_text, **bound)
    return layer


def render_similar_contexts(current: Model, at: Focus, layer: int) -> Depths | None:
    """The nearest vectors in the selected layer with their sentences, and the share of the same word by layer."""
    sources = render_sources(current)
    if sources is None:
        return None
    real = current.batch.real[at.sentence]
    if not real[at.token]:
        st.info("This token is padding, which has no meaning. Choose another token.", icon=":material/info:")
        return None
    word = at.labels[at.token]
    question = layer_0_question(current, word)
    ask_first(question, "Similar contexts")
    vectors = residual_stream(current.trace, at.sentence, allow_unchained=True)[:, at.token]
    sentence = tuple(token for token, is_real in zip(at.labels, real, strict=True) if is_real)
    comparison = compare_contexts(vectors, word, sources.vectors, excluded=[sentence])
    shares = same_word_shares(comparison)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _render_shares(current, word, comparison, shares, layer, _spellings_note(word, comparison, sources))
    with right:
        st.markdown(f"**Nearest to “{escape_token(word)}” {_layer_name(layer)}**")
        st.toggle("Other words only: the nearest token of each", **bind_widget(OTHER_WORDS))
        other_words = session().get(OTHER_WORDS)
        result = nearest_contexts(comparison, layer, other_words=other_words)
        rows = [_row(context, sources, layer, compare_words=not other_words) for context in result.nearest]
        render_sentence_list(rows, "cosine · sentence")
        st.caption(_describe_sentences(sources, current, result))
    render_uploaded_sentences(sources.uploaded)
    place = layer_slice("resid_post", at._replace(layer=layer - 1)) if layer else text_slice("embedded", at)
    return Depths(
        _tables(result, sources, shares),
        cosine_formula(current.config.d_model),
        [compare_contexts, nearest_contexts, same_word_shares],
        question,
        inspect_cell(current, at, place.cell(at.token, 0)),
    )


def _render_shares(
    current: Model,
    word: str,
    comparison: ContextComparison,
    shares: Float[np.ndarray, "stage"],
    layer: int,
    spellings: str,
) -> None:
    """Render the figure of the same word by layer, with a caption; only a sentence if the word does not occur.

    spellings  a note on what is counted as the same word
    """
    text, occurrences = escape_token(word), int(comparison.same_word.sum())
    if occurrences == 0:
        st.info(f"“{text}” does not occur in the sentences: all similar vectors belong to other words.")
        return
    among = f"{occurrences:,} nearest" if occurrences > 1 else "nearest"
    parts = scenes.same_word_by_layer(shares, layer, title=f"share of “{shorten(word)}” among the {among}",
                                      theme=current_theme())  # fmt: skip
    render_plot(parts, key="full_stack_contexts_plot", on_click=_select_layer)
    times = format_count(occurrences, "time")
    st.caption(
        f"“{text}” occurs {times} in the sentences{spellings}. At layer 0 a vector encodes only "
        f"{input_content(current.config)}; the layers add its context.{_describe_training(current)}"
    )


def _spellings_note(word: str, comparison: ContextComparison, sources: Sources) -> str:
    """That upper and lower case are counted together, where the encoder has different tokens for them."""
    places = comparison.places[:, comparison.same_word].T.tolist()
    spellings = {word, *(sources.vectors[source].tokens[sentence][position] for source, sentence, position in places)}
    return ", in upper and lower case together, which are different rows of this table" if len(spellings) > 1 else ""


def _select_layer(selection: Selection) -> None:
    if "stage" in selection:
        session().set(CONTEXT_LAYER, selection["stage"])


def _layer_name(layer: int) -> str:
    return f"after layer {layer}" if layer else "at the input of the first layer"


def _row(context: SimilarContext, sources: Sources, layer: int, *, compare_words: bool) -> ListedSentence:
    tokens = sources.vectors[context.source].tokens[context.sentence]
    notes = ["✓ same word" if context.same_word else "≠ other word"] if compare_words else []
    if sources.is_uploaded(context.source):
        notes.append("your file")
    return ListedSentence(float(context.cosines[layer]), tokens, {context.position: "found"}, note=" · ".join(notes))


def _describe_training(current: Model) -> str:
    if current.is_trained:
        return ""
    shared = "word, position" if current.config.positions != "none" else "word"
    return (
        f" This encoder is random, not trained: vectors are similar where they share a {shared} or neighbours, not "
        "where different words have similar meanings."
    )


def _describe_sentences(sources: Sources, current: Model, result: SimilarContexts) -> str:
    """Caption of the list: what is searched, and ties."""
    text = f"Searched: all tokens of {describe_sources(sources, current)}. Sentences equal to yours are left out."
    if result.equal:
        text += f" {result.equal:,} more have the same cosine as the last one."
    return text + padding_note(current.trace)


def _tables(result: SimilarContexts, sources: Sources, shares: Float[np.ndarray, "stage"]) -> dict[str, NumberTable]:
    layers = [f"layer {name}" for name in dimensions(len(shares))]
    rows = [_name(context, sources) for context in result.nearest]
    tables = {"cosines": NumberTable(np.stack([context.cosines for context in result.nearest]), rows, layers)}
    if np.isfinite(shares).all():
        tables["same word"] = NumberTable(shares[:, None], layers, ["share"], first=None)
    return tables


def _name(context: SimilarContext, sources: Sources) -> str:
    tokens: Sequence[str] = sources.vectors[context.source].tokens[context.sentence]
    return f"{shorten(tokens[context.position])}: {shorten(' '.join(tokens), _MAX_ROW_NAME)}"
