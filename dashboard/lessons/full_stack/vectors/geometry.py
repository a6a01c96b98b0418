"""Geometry: the vectors of tokens as points in a plane, stage by stage, and the arrows of one token's step."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.example_sentences import render_examples
from dashboard.lessons.full_stack.vectors.geometry_text import (
    Picture,
    describe_plane,
    describe_separation,
    describe_step,
    step_question,
    tables,
    view_formula,
)
from dashboard.lessons.full_stack.vectors.meanings import EXAMPLES, sentence_groups, sentence_meanings
from dashboard.lessons.full_stack.view import Depths
from dashboard.models.geometry import TokenPlaces, plane_of, vectors_of
from dashboard.models.model import Model
from dashboard.selection.focus import Focus, focus_parameters, resolve_focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.state.choices import PLANE, RESIDUAL_STAGE
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.analysis import ResidualStage, cosines_by_group, principal_plane, residual_stages, residual_step
from encoder_core.analysis.language import SharedWord, shared_words
from encoder_core.analysis.language.token_kinds import STOP_WORDS, word_mask
from encoder_core.explain import Cell
from encoder_core.figures import Selection
from encoder_core.scenes import geometry as scenes
from encoder_core.scenes.geometry import PlanePoints
from encoder_core.support.wording import shorten

ALL_TOKENS = "all tokens"
_MIN_OCCURRENCES = 3  # two points are on a line
_NOT_CHAINED = (
    "As in this tutorial's code, the input of each layer shown is the encoder's input, not the output of the previous "
    "layer. A vector does not move from layer to layer here, so there is no path to draw: choose another encoder."
)


class Choice(NamedTuple):
    """The word whose occurrences are drawn, or None for all tokens; the stage, an index in `residual_stages`."""

    word: SharedWord | None
    stage: int


def render_geometry_pickers(current: Model) -> Choice | None:
    """Render the pickers of the points and of the stage; None where the layers are not chained."""
    if not current.config.has_chained_layers:
        return None
    word = _render_word_picker(current)
    names = [stage.name for stage in residual_stages(current.config)]
    name = session().get_option(RESIDUAL_STAGE, names, names[-1])
    st.select_slider("Stage of the residual stream", names, **bind_widget(RESIDUAL_STAGE, name, tuple(names)))
    return Choice(word, names.index(name))


def move_focus_to_word(current: Model) -> None:
    """Move the focus to an occurrence of the word that is drawn, if it is one word."""
    words, chosen = _drawn_word(current)
    if current.config.has_chained_layers and chosen in words:
        _move_focus(current, words[chosen])


def _drawn_word(current: Model) -> tuple[dict[str, SharedWord], str]:
    """The words whose occurrences can be drawn, and the chosen one or ALL_TOKENS."""
    words = {word.token: word for word in shared_words(current.batch) if len(word.places) >= _MIN_OCCURRENCES}
    first = next((token for token in words if token.lower() not in STOP_WORDS), ALL_TOKENS)
    return words, session().get_option(PLANE, [ALL_TOKENS, *words], first)


def _render_word_picker(current: Model) -> SharedWord | None:
    """Render the picker of the tokens that are drawn: all, or the occurrences of one word, which is returned."""
    words, chosen = _drawn_word(current)
    options = [ALL_TOKENS, *words]
    bound = bind_widget(PLANE, chosen, tuple(options), index_of=options)
    st.selectbox("Points", options, format_func=_name_option, filter_mode=None, width=170, **bound)
    return words.get(chosen)


def render_geometry(current: Model, at: Focus, choice: Choice | None) -> Depths | None:
    """The points at the selected stage with their paths, and the arrows of the selected token's last step."""
    if choice is None:
        st.caption(_NOT_CHAINED)
        return None
    word, stage = choice
    places = word.places if word else _token_places(current)
    if len(places) < 2:
        _render_examples(current, "This view needs two tokens that are not padding, [CLS] or [SEP].")
        return None
    stages = residual_stages(current.config)
    step = residual_step(current.run, stage, at.token, at.sentence) if stage else []
    points = _points(current, at, places, word)
    meanings = sentence_meanings(current)
    groups = [meanings[sentence] for sentence, _ in places] if word and meanings else None
    picture = Picture(
        plane_of(current, places), points, stages, stage, step, len(places), word and word.token,
        cosines_by_group(points.vectors, groups) if groups else None,
        has_more=word is not None and sum(names.count(word.token) for names in current.batch.tokens) > len(places),
    )  # fmt: skip
    paths = range(len(places)) if word else [points.selected]
    question = step_question(picture, current.config.d_model)
    ask_first(question, "Geometry")
    render_plot(
        scenes.geometry(picture.plane, points, stage, step, stage_names=picture.names, paths=paths, head=at.head,
                        theme=current_theme()),
        key="full_stack_geometry_plot",
    )  # fmt: skip
    st.caption(describe_plane(picture, current.is_trained))
    if step:
        st.caption(describe_step(picture))
    if picture.cosines:
        st.caption(describe_separation(picture, picture.cosines))
    elif not word and current.settings.has_words:
        _render_examples(current, "A word with two meanings shows how the context moves a vector.")
    tensor, layer = stages[stage].tensor, stages[stage].layer
    return Depths(
        tables(picture),
        view_formula(current.config, stages[stage], _residual_factor(current, stages[stage])),
        [principal_plane, residual_step],
        question,
        inspect_cell(current, at, Cell(tensor, (at.sentence, at.token, 0), layer)),
    )


def _residual_factor(current: Model, stage: ResidualStage) -> float:
    """The factor on the residual of the sum that leads to a stage."""
    if stage.layer is None:
        return 1.0
    return current.run.residual_factor(stage.layer, "mlp" if stage.tensor == "resid_post" else "attention")


def _points(current: Model, at: Focus, places: TokenPlaces, word: SharedWord | None) -> PlanePoints:
    """The tokens at these places, and the selected token if it is not among them."""
    selected = (at.sentence, at.token)
    drawn = places if selected in places else (*places, selected)
    names, groups = current.batch.tokens, sentence_groups(current, at.sentence)
    labels = [f"{names[s][t]} ({s + 1})" if word else names[s][t] for s, t in drawn]
    selects: list[Selection] = [{"sentence": s, "token": t} for s, t in drawn]
    return PlanePoints(
        vectors_of(current, drawn), labels, [groups[s] for s, _ in drawn], selects, drawn.index(selected)
    )  # fmt: skip


def _render_examples(current: Model, needed: str) -> None:
    render_examples(current, needed, list(EXAMPLES), key="full_stack_geometry_examples",
                    no_sentences="Type a longer input in the sidebar.")  # fmt: skip


def _name_option(option: str) -> str:
    return option if option == ALL_TOKENS else f"“{shorten(option)}” only"


def _move_focus(current: Model, word: SharedWord) -> None:
    """Move the focus to the word: to its occurrence in the selected sentence, or else to the first one."""
    at = resolve_focus(current)
    if (at.sentence, at.token) in word.places:
        return
    sentence, token = next((place for place in word.places if place[0] == at.sentence), word.places[0])
    session().set_derived(focus_parameters()["sentence"], sentence + 1)
    resolve_focus(current)  # so that the token below counts in this sentence
    session().set_derived(focus_parameters()["token"], token + 1)


def _token_places(current: Model) -> TokenPlaces:
    """All tokens but padding and special ones."""
    batch = current.batch
    return tuple(
        (sentence, int(token))
        for sentence, tokens in enumerate(batch.tokens)
        for token in np.flatnonzero(word_mask(tokens, batch.real[sentence], punctuation=True))
    )
