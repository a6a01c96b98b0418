"""Analogies: adding and subtracting words in the embedding table of a trained encoder."""

from collections.abc import Sequence

import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.lessons.embedding.cosine_table import cosine_table
from dashboard.markdown import escape_markdown, escape_token
from dashboard.models.model import Model
from dashboard.state.choices import ANALOGY
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.pretrained import Analogy, Neighbour, WordPieceTokenizer, nearest_words, parse_analogy
from encoder_core.pretrained.analogy import MAX_LENGTH
from encoder_core.scenes.inputs import nearest_words as scenes
from encoder_core.support.number_format import format_fixed

_PRESETS = ("king - man + woman", "paris - france + germany")


def render_analogies(model: Model) -> dict[str, NumberTable]:
    """The controls of an analogy and the words nearest to it. Returns a table of their cosines."""
    tokenizer = model.encoder.tokenizer
    assert isinstance(tokenizer, WordPieceTokenizer), "analogies need a trained encoder"
    analogy, problem = _read_analogy(tokenizer)
    _render_controls()
    if problem and _analogy_text() in _PRESETS:  # the user did not type it: the vocabulary lacks a word of the preset
        st.caption(escape_markdown(problem))
    elif problem:
        st.warning(escape_markdown(problem), icon=":material/info:")
    if analogy is None:
        return {}
    table, words = model.parameters["token_embedding"], {term.word for term in analogy.terms}
    neighbours = nearest_words(table, model.vocabulary, analogy.plus, analogy.minus, include_terms=True)
    render_plot(scenes.nearest(neighbours, title=f"cosine with {analogy}", excluded=words, theme=current_theme()),
            key="analogies_plot")  # fmt: skip
    _render_result(neighbours, words)
    return {"analogy": cosine_table(table, model.vocabulary, neighbours, analogy.plus, analogy.minus)}


def _read_analogy(tokenizer: WordPieceTokenizer) -> tuple[Analogy | None, str]:
    """The parsed analogy, or an error message."""
    try:
        return parse_analogy(_analogy_text(), tokenizer), ""
    except ValueError as error:
        is_replaced = _replace_link_text(escape_markdown(str(error).rstrip(".")))
        return _read_analogy(tokenizer) if is_replaced else (None, str(error))


def _analogy_text() -> str:
    """The text in use; an empty text stays empty."""
    text = session().get(ANALOGY)
    return _PRESETS[0] if text is None else text


def _set_analogy(text: str) -> None:
    """Store a text from the user; call this from a callback."""
    session().set(ANALOGY, None if text == _PRESETS[0] else text)


def _replace_link_text(problem: str) -> bool:
    """Replace an unreadable text by the first preset if it comes from a link; text that the user typed stays.

    Returns whether it came from a link.
    """
    is_from_link = ANALOGY.name in session().link_values
    if is_from_link:
        session().report_invalid(ANALOGY, problem, _PRESETS[0])
        session().set_derived(ANALOGY, None)
        del session().link_values[ANALOGY.name]
    return is_from_link


def _render_controls() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="analogy-controls"):
        st.text_input(
            "Words with + and −",
            max_chars=MAX_LENGTH,
            help="Each word must be a single piece of the vocabulary. Try also: walked - walk + go, or "
            "tokyo - japan + italy.",
            width=220,
            **bind_widget(ANALOGY, _analogy_text(), on_change=_set_analogy),
        )
        for preset in _PRESETS:
            st.button(preset.replace("-", "−"), key=f"analogy_{preset}", on_click=_set_analogy, args=(preset,))


def _render_result(neighbours: Sequence[Neighbour], words: set[str]) -> None:
    """The nearest word, excluding and including the words of the analogy."""
    best = next((neighbour for neighbour in neighbours if neighbour.word not in words), None)
    if best is None:
        return
    nearest = neighbours[0]
    including = "It is the nearest word even if the words of the analogy are included."
    if nearest.word in words:
        including = (
            "By convention, the words of the analogy are excluded (hatched bars). Including them, the nearest word is "
            f"**{escape_token(nearest.word)}** ({format_fixed(nearest.cosine, 2)})."
        )
    st.caption(
        f"**{escape_token(best.word)}**, cosine **{format_fixed(best.cosine, 2)}**, is the closest in direction "
        f"to the sum. {including} This uses only the static table at the input; no sentence is encoded."
    )
