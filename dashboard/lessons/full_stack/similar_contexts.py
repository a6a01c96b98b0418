"""Similar contexts: the tokens of many sentences whose vectors are nearest to the selected token's, at each layer."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import Table
from dashboard.inspect.questions import Question, largest_value_question
from dashboard.lessons.embedding.cosine_table import COSINE_FORMULA
from dashboard.lessons.full_stack.own_sentences import render_own_sentences
from dashboard.lessons.full_stack.sentence_list import ListedSentence, render_sentence_list
from dashboard.lessons.full_stack.sources import Sources, describe_sources, render_sources
from dashboard.lessons.full_stack.view import Depths
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.state.choices import CONTEXT_LAYER
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.analysis import residual_stream
from encoder_core.analysis.language import (
    ContextVectors,
    SimilarContext,
    SimilarContexts,
    context_vectors,
    count_word,
    similar_contexts,
)
from encoder_core.figures import Selection, dimensions, format_fixed
from encoder_core.figures.base import shorten
from encoder_core.scenes import contexts as scenes
from encoder_core.scenes.position import block_slice, text_slice

COUNT = 10  # nearest vectors
_MAX_ROW_NAME = 40  # characters of a sentence in the table


def render_layer_picker(current: Model) -> int:
    """Render the picker of the layer whose vectors are compared; 0 is the input of the first block."""
    last = current.config.num_layers
    layer = session().get_option(CONTEXT_LAYER, range(last + 1), last)
    bound = bind_widget(CONTEXT_LAYER, layer, last, value_argument="default")
    help_text = "0: the input of the first block. A larger number: the output of that block."
    st.pills("Vectors of layer", range(last + 1), required=True, help=help_text, **bound)
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
    own_tokens = tuple(token for token, is_real in zip(at.labels, real, strict=True) if is_real)
    vectors = residual_stream(current.trace, at.sentence, final_norm=False)[:, at.token]
    libraries = [source.vectors for source in sources.usable if source.vectors]
    stages = similar_contexts(vectors, word, libraries, excluded=[own_tokens], count=COUNT)
    occurrences = count_word(word, libraries, excluded=[own_tokens])
    names = dimensions(len(stages))
    left, right = st.columns([2, 3], gap="medium")
    with left:
        parts = scenes.same_word_by_stage(stages, names, layer, most=occurrences, theme=current_theme())
        render_plot(parts, key="full_stack_contexts_plot", on_click=_select_layer)
        st.caption(_describe_word(word, occurrences, bool(current.settings.trained)))
    with right:
        st.markdown(f"**Nearest to “{escape_token(word)}” {_layer_name(layer)}**")
        rows = [_row(context, libraries, sources, layer) for context in stages[layer].nearest]
        render_sentence_list(rows, "cosine")
        st.caption(_describe_sentences(sources, current, stages[layer], layer))
    render_own_sentences(sources.own)
    place = block_slice("resid_post", at._replace(layer=layer - 1)) if layer else text_slice("embedded", at)
    return Depths(
        _tables(stages, libraries, layer, names),
        COSINE_FORMULA,
        [similar_contexts, context_vectors],
        _question(word, stages),
        inspect_cell(current, at, place.cell(at.token, 0)),
    )


def _select_layer(selection: Selection) -> None:
    if "stage" in selection:
        session().set(CONTEXT_LAYER, selection["stage"])


def _layer_name(layer: int) -> str:
    return f"after block {layer}" if layer else "at the input of the first block"


def _row(context: SimilarContext, libraries: Sequence[ContextVectors], sources: Sources, layer: int) -> ListedSentence:
    tokens = libraries[context.source].tokens[context.sentence]
    note = "✓ same word" if context.same_word else "≠ another token"
    if sources.is_own(context.source):
        note += " · your file"
    return ListedSentence(float(context.cosines[layer]), tokens, {context.position: "found"}, note=note)


def _describe_word(word: str, occurrences: int, trained: bool) -> str:
    """Caption of the figure: the occurrences of the word, and what the counts mean."""
    text = escape_token(word)
    if occurrences == 0:
        return f"“{text}” does not occur in the sentences, so every similar vector belongs to another token."
    times = f"“{text}” occurs {occurrences:,} time{'s' * (occurrences > 1)} in the sentences."
    if trained:
        return f"{times} Fewer of the same word: more of the vector comes from its context."
    return (
        f"{times} This encoder is random, not trained: near vectors have the same word, a similar position or similar "
        "neighbours, not a similar meaning."
    )


def _describe_sentences(sources: Sources, current: Model, result: SimilarContexts, layer: int) -> str:
    """Caption of the list: what is searched, and ties."""
    text = f"Searched: all tokens of {describe_sources(sources, current)}; not your own sentence."
    if result.equal:
        why = "" if layer else " The input depends only on the word and its position."
        text += f" {result.equal:,} more tokens have the same cosine as the last one.{why}"
    return text


def _tables(
    stages: Sequence[SimilarContexts], libraries: Sequence[ContextVectors], layer: int, names: list[str]
) -> dict[str, Table]:
    nearest = stages[layer].nearest
    rows = [_name(context, libraries) for context in nearest]
    columns = [f"layer {name}" for name in names]
    counts = [[float(context.same_word) for context in stage.nearest] for stage in stages]
    sums = np.array([[sum(row), len(row) - sum(row)] for row in counts])
    return {
        "cosines": Table(np.stack([context.cosines for context in nearest]), rows, columns),
        "same word": Table(sums, columns, ["same word", "another token"], first=None),
    }


def _name(context: SimilarContext, libraries: Sequence[ContextVectors]) -> str:
    tokens = libraries[context.source].tokens[context.sentence]
    return f"{shorten(tokens[context.position])}: {shorten(' '.join(tokens), _MAX_ROW_NAME)}"


def _question(word: str, stages: Sequence[SimilarContexts]) -> Question:
    """At which layer do most of the nearest vectors belong to other tokens?"""
    others = np.array([sum(not context.same_word for context in stage.nearest) for stage in stages], float)
    text = escape_token(word)
    last = stages[-1].nearest[0]
    return largest_value_question(
        f"at which of these layers do most of the {COUNT} nearest vectors belong to another token than “{text}”?",
        others,
        lambda stage: f"layer {stage}",
        lambda best: f"There, {others[best]:.0f} of {len(stages[best].nearest)} belong to another token.",
        Question(
            f"after the last block, does the nearest vector belong to the same word “{text}”?",
            ["yes", "no"],
            int(not last.same_word),
            f"Its cosine is {format_fixed(last.cosines[-1], 2)}.",
        ),
        spread=True,
    )
