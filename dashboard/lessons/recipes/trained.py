"""The article's figures of a trained model: analogies in its embedding table, and the attention of one word."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.lessons.embedding.analogies import render_analogies
from dashboard.lessons.recipes.models import trained_model
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.shell.loading_notice import render_figure_notice
from dashboard.state.choices import ARTICLE_HEAD, ARTICLE_LAYER, ARTICLE_TOKEN, RECIPE_FIGURE
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.parameter import Parameter
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.scenes import recipes as scenes
from encoder_core.support.wording import head_name

DEFAULT_FIGURE = "Embedding + position"  # needs no trained model
_WORD, _LAYER, _HEAD = "it", 4, 2  # defaults: a pronoun, and a head in which it attends to its noun


class _Selection(NamedTuple):
    """Query token, layer and head, each counted from 0."""

    token: int
    layer: int
    head: int


def render_article_analogies(_: Model) -> None:
    """Render analogies in the embedding table of the trained model, as on the embedding page."""
    model = _trained_model_or_notice()
    if model:
        vocab, d_model = model.parameters["token_embedding"].shape
        st.caption(f"The embedding table of all-MiniLM-L6-v2 has {vocab:,} trained rows of {d_model} numbers.")
        render_analogies(model)


def render_word_attention(_: Model) -> None:
    """Render the weights of one query of the sentence, in one head and averaged over the heads of its layer."""
    model = _trained_model_or_notice()
    if model is None:
        return
    at, labels = _render_pickers(model), model.batch.tokens[0]
    by_head = model.trace.layers[at.layer].pattern[0, :, at.token]
    one, mean = by_head[at.head], by_head.mean(axis=0)
    titles = head_name(at.layer, at.head), f"layer {at.layer + 1}, mean of the {len(by_head)} heads"
    render_plot(
        scenes.attention_vector(dict(zip(titles, (one, mean), strict=True)), tokens=labels, theme=current_theme()),
        key="recipes_attention_vector", on_click=None,
    )  # fmt: skip
    _render_explanation(labels, at, one, mean)


def _trained_model_or_notice() -> Model | None:
    """The trained model with the sentence, or None and a notice in place of the figure until it is loaded."""
    model = trained_model(MINILM) if MINILM in OFFERED else None
    if model is None:
        render_figure_notice(_choose_default_figure)
    return model


def _choose_default_figure() -> None:
    session().set(RECIPE_FIGURE, DEFAULT_FIGURE)


def _render_pickers(model: Model) -> _Selection:
    labels, config = model.batch.tokens[0], model.config
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="focus"):
        numbers = range(1, len(labels) + 1)
        token = session().get_option(ARTICLE_TOKEN, numbers, labels.index(_WORD) + 1)
        st.selectbox(
            "Query token", numbers, format_func=lambda number: f"{number} · {labels[number - 1]}", filter_mode=None,
            width=150, **bind_widget(ARTICLE_TOKEN, token, index_of=numbers),
        )  # fmt: skip
        layer = _render_pills("Layer", config.num_layers, ARTICLE_LAYER, _LAYER)
        head = _render_pills("Head", config.num_heads, ARTICLE_HEAD, _HEAD)
    return _Selection(token - 1, layer - 1, head - 1)


def _render_pills(label: str, count: int, parameter: Parameter[int | None], default: int) -> int:
    number = session().get_option(parameter, range(1, count + 1), default)
    st.pills(label, range(1, count + 1), required=True, **bind_widget(parameter, number, value_argument="default"))
    return number


def _render_explanation(
    labels: Sequence[str], at: _Selection, one: Float[np.ndarray, "key"], mean: Float[np.ndarray, "key"]
) -> None:
    best, best_in_mean = int(one.argmax()), int(mean.argmax())
    word, key, other = (escape_token(labels[index]) for index in (at.token, best, best_in_mean))
    weight_in_mean = f"gives it {mean[best]:.2f}"
    if best_in_mean != best:
        weight_in_mean += (
            f", and the most to “{other}” (**{mean[best_in_mean]:.2f}**): a mean can hide what one head does"
        )
    st.caption(
        f"all-MiniLM-L6-v2 reads the article's sentence. In {head_name(at.layer, at.head)}, “{word}” gives "
        f"**{one[best]:.2f}** of its attention to “{key}”. The mean over the heads of this layer {weight_in_mean}. The "
        "page Full stack, with minilm in the sidebar, shows all layers and heads."
    )
