"""The words nearest to the selected token: related in meaning in a trained table, arbitrary in a random one."""

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.lessons.embedding.analogies import render_analogies
from dashboard.lessons.embedding.cosine_table import cosine_table
from dashboard.markdown import capitalize, escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.theme import current_theme
from encoder_core.analysis import root_mean_square
from encoder_core.pretrained import Neighbour, WordPieceTokenizer, direction_of, nearest_words
from encoder_core.scenes.inputs import nearest_words as scenes
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.support.wording import format_count, shorten


def render_nearest_words(current: Model, at: Focus) -> dict[str, NumberTable]:
    """The nearest words and, with a trained encoder, analogies. Returns tables of the cosines."""
    has_analogies = isinstance(current.encoder.tokenizer, WordPieceTokenizer)
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.header(f"Nearest {_noun(current)}s", anchor=False)
        tables = _render_neighbours(current, at)
    with right:
        title = "Analogies" if has_analogies else f"Are the nearest {_noun(current)}s related?"
        st.header(title, anchor=False)
        if has_analogies:
            tables |= render_analogies(current)
        else:
            _render_control(current, at)
    return tables


def _render_neighbours(current: Model, at: Focus) -> dict[str, NumberTable]:
    table, word, noun = current.parameters["token_embedding"], _word(current, at), _noun(current)
    word_text = escape_token(word)
    if _is_zero(current, at):  # after edits
        st.caption(f"The row of “{word_text}” in E is all 0: it has no direction, so no {noun} is nearest to it.")
        return {}
    neighbours = nearest_words(table, current.vocabulary, [word])
    if not neighbours:
        st.caption(f"“{word_text}” is the only word in this vocabulary. Type more words in the sidebar.")
        return {}
    st.caption(
        f"{capitalize(noun)}s whose rows of E have the largest cosine with the row of “{word_text}” "
        f"({len(neighbours)} of {len(table):,} rows). Choose another token above."
    )
    title = f"cosine with “{shorten(word)}”"
    render_plot(scenes.nearest(neighbours, title=title, theme=current_theme()), key="embedding_nearest_plot")
    st.caption(
        f"The nearest is **{escape_token(neighbours[0].word)}**, cosine **{format_fixed(neighbours[0].cosine, 2)}**. E "
        f"is the static table at the input: each {noun} has one row, whatever its context."
    )
    return {"nearest words": cosine_table(table, current.vocabulary, neighbours, [word])}


def _render_control(current: Model, at: Focus) -> None:
    """Whether the cosines reflect more than chance: the size expected of a random table, and the measured one."""
    d_model = current.config.d_model
    others = _all_others(current, at)
    measured = ""
    if others:
        size = root_mean_square(np.array([other.cosine for other in others]))
        counted = format_count(len(others), f"other {_noun(current)}")
        measured = f" Here it is **{format_number(size, 3)}** (root mean square over {counted})."
    answer = (
        "This table was trained with the encoder, on one task. Compare the cosines with those of chance."
        if current.is_trained
        else "No: this table is random."
        + f" The order of the {_noun(current)}s is chance, and another seed can change it." * (len(others) > 1)
    )
    st.markdown(
        f"{answer}\n\nThe cosine of two random rows of {d_model} numbers typically has a size of about 1/√{d_model} = "
        f"**{format_number(d_model**-0.5, 3)}**: the more dimensions, the closer to orthogonal.{measured}"
    )
    if OFFERED:
        name = MINILM if MINILM in OFFERED else next(iter(OFFERED))
        st.markdown(
            f"Choose **{name}** as the encoder in the sidebar to see the same figure for "
            f"{'another' if current.is_trained else 'a'} trained table, and "
            "analogies such as king − man + woman."
        )


def _all_others(current: Model, at: Focus) -> list[Neighbour]:
    table = current.parameters["token_embedding"]
    if _is_zero(current, at):
        return []
    return nearest_words(table, current.vocabulary, [_word(current, at)], count=len(table))


def _is_zero(current: Model, at: Focus) -> bool:
    """Whether the row of the selected word is all 0."""
    return not direction_of(current.parameters["token_embedding"], current.vocabulary, [_word(current, at)]).any()


def _noun(current: Model) -> str:
    """What the vocabulary consists of. That of a recipe can be ids, that of a task letters or digits."""
    return "word" if current.settings.has_words else "token"


def _word(current: Model, at: Focus) -> str:
    """The word whose row was looked up. At a padded position it can differ from the token's label."""
    return current.vocabulary[current.batch.ids[at.sentence, at.token]]
