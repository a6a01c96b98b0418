"""Analogies: words added and taken away in the embedding table of a trained encoder."""

from collections.abc import Sequence

import streamlit as st

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table
from dashboard.lessons.embedding import analogy_text as asked
from dashboard.lessons.embedding.arithmetic import arithmetic
from dashboard.markdown import literal, plain
from dashboard.models.model import Model
from dashboard.state.choices import ANALOGY
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core.explain.number_format import format_fixed
from encoder_core.pretrained import Analogy, Neighbour, WordPieceTokenizer, nearest_words, parse_analogy
from encoder_core.pretrained.analogy import LONGEST
from encoder_core.scenes import nearest_words as scenes


def analogies(model: Model) -> dict[str, Table]:
    """What is asked for, and the words nearest to it. Returns the arithmetic of their cosines."""
    tokenizer = model.encoder.tokenizer
    assert isinstance(tokenizer, WordPieceTokenizer), "analogies are asked of a trained encoder"
    analogy, problem = _read(tokenizer)
    _controls()
    if problem and asked.text() in asked.PRESETS:  # nobody asked: this encoder's vocabulary has not got these words
        st.caption(literal(problem))
    elif problem:
        st.warning(literal(problem), icon=":material/info:")
    if analogy is None:
        return {}
    table, words = model.parameters["token_embedding"], {term.word for term in analogy.terms}
    found = nearest_words(table, model.vocabulary, analogy.plus, analogy.minus, with_given=True)
    plot(scenes.nearest(found, title=f"cosine with {analogy}", given=words, theme=current_theme()),
            key="analogies_plot")  # fmt: skip
    _explain(found, words)
    return {"analogy": arithmetic(table, model.vocabulary, found, analogy.plus, analogy.minus)}


def _read(tokenizer: WordPieceTokenizer) -> tuple[Analogy | None, str]:
    """What is asked for, or a sentence on why that cannot be read."""
    try:
        return parse_analogy(asked.text(), tokenizer), ""
    except ValueError as error:
        return _read(tokenizer) if asked.refuse(literal(str(error).rstrip("."))) else (None, str(error))


def _controls() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="analogy-controls"):
        st.text_input(
            "Words with + and −",
            max_chars=LONGEST,
            help="Words that are one piece of the vocabulary, in any order. Also try: walked - walk + go, or "
            "tokyo - japan + italy.",
            width=220,
            **shows(ANALOGY, asked.text(), changed=asked.ask),
        )
        for preset in asked.PRESETS:
            st.button(preset.replace("-", "−"), key=f"analogy_{preset}", on_click=asked.ask, args=(preset,))


def _explain(found: Sequence[Neighbour], given: set[str]) -> None:
    """The answer in words, and what it would be without leaving anything out."""
    best = next((other for other in found if other.word not in given), None)
    if best is None:
        return
    nearest = found[0]
    honest = "It would be the nearest even if the words of the question were not left out."
    if nearest.word in given:
        honest = (
            "By convention, the words of the question are left out (hatched). With them, the nearest would be "
            f"**{plain(nearest.word)}** itself ({format_fixed(nearest.cosine, 2)})."
        )
    st.caption(
        f"**{plain(best.word)}**, cosine **{format_fixed(best.cosine, 2)}**, is the closest in direction "
        f"to the sum. {honest} No sentence was read for this: it is the static table at the input."
    )
