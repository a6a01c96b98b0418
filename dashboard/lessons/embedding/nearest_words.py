"""The nearest words of the token looked at: in a trained table they mean something, in a random one they do not."""

import numpy as np
import streamlit as st

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.lessons.embedding.analogies import analogies
from dashboard.lessons.embedding.arithmetic import arithmetic
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.theme import current_theme
from encoder_core.analysis import root_mean_square
from encoder_core.explain.number_format import format_fixed, format_number
from encoder_core.figures.base import shorten
from encoder_core.pretrained import Neighbour, WordPieceTokenizer, nearest_words
from encoder_core.scenes import nearest_words as scenes


def nearest(current: Model, at: Focus) -> dict[str, Table]:
    """The neighbours of a token; with a trained encoder, analogies, too. Returns the arithmetic of their cosines."""
    trained = isinstance(current.encoder.tokenizer, WordPieceTokenizer)
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader("Nearest words", anchor=False)
        tables = _of_token(current, at)
    with right:
        st.subheader("Analogies" if trained else "Are they alike?", anchor=False)
        if trained:
            tables |= analogies(current)
        else:
            _control(current, at)
    return tables


def _of_token(current: Model, at: Focus) -> dict[str, Table]:
    table, word = current.parameters["token_embedding"], _word(current, at)
    found = nearest_words(table, current.vocabulary, [word])
    said = plain(word)
    if not found:
        st.caption(f"There is no other word than “{said}” in this vocabulary: type some in the sidebar.")
        return {}
    st.caption(
        f"Which rows of E are most similar to the row of “{said}”? Of {len(table):,} rows, the {len(found)} words with "
        "the largest cosine. Another token is chosen above."
    )
    title = f"cosine with “{shorten(word)}”"
    plot(scenes.nearest(found, title=title, theme=current_theme()), key="embedding_nearest_plot")
    st.caption(
        f"The nearest is **{plain(found[0].word)}**, cosine **{format_fixed(found[0].cosine, 2)}**. This is the "
        "static table at the input: a word has one row in it, whatever stands around it."
    )
    return {"nearest words": arithmetic(table, current.vocabulary, found, [word])}


def _control(current: Model, at: Focus) -> None:
    """What the cosines of a random table are worth."""
    d_model = current.config.d_model
    others = _all_others(current, at)
    measured = ""
    if others:
        size = root_mean_square(np.array([other.cosine for other in others]))
        measured = f" Here it is **{format_number(size, 3)}** (root mean square over {len(others)} other words)."
    st.markdown(
        "No: this table is random. Which word comes first is chance, and another seed may put another one there.\n\n"
        f"The cosine of two random rows of {d_model} numbers is typically about 1/√{d_model} = "
        f"**{format_number(d_model**-0.5, 3)}** in size: the more numbers, the nearer to a right angle.{measured}"
    )
    if OFFERED:
        name = MINILM if MINILM in OFFERED else next(iter(OFFERED))
        st.markdown(
            f"Choose **{name}** as the encoder, in the sidebar, and the same figure shows a table that has been "
            "trained, and king − man + woman can be asked of it."
        )


def _all_others(current: Model, at: Focus) -> list[Neighbour]:
    table = current.parameters["token_embedding"]
    return nearest_words(table, current.vocabulary, [_word(current, at)], count=len(table))


def _word(current: Model, at: Focus) -> str:
    """The word whose row was looked up, which is not always what stands there: a padded place may have any."""
    return current.vocabulary[current.batch.ids[at.sentence, at.token]]
