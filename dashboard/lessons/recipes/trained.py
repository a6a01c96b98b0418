"""The article's figures of a trained model: analogies in its table, and what one word of a sentence attends to."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.lessons.embedding import analogies as of_embedding
from dashboard.lessons.recipes.models import trained_model
from dashboard.markdown import plain
from dashboard.models.loading_notice import for_figure
from dashboard.models.model import Model
from dashboard.state.choices import ARTICLE_HEAD, ARTICLE_LAYER, ARTICLE_TOKEN, RECIPE_FIGURE
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.parameter import Parameter
from dashboard.state.session import session
from dashboard.state.settings import current_settings
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core.scenes import recipes as scenes

FIRST = "Embedding + position"  # one that needs no trained model
_WORD, _LAYER, _HEAD = "it", 4, 2  # looked at until another is picked: a pronoun, and a head that finds its noun


class _Looked(NamedTuple):
    """Query token, layer and head, each counted from 0."""

    token: int
    layer: int
    head: int


def analogies(_: Model) -> None:
    """Words added and taken away in the table of the trained model, as on the page of the embedding."""
    model = _trained()
    if model:
        vocab, d_model = model.parameters["token_embedding"].shape
        st.caption(f"In the table of all-MiniLM-L6-v2: {vocab:,} rows of {d_model} numbers, which training has placed.")
        of_embedding.analogies(model)


def attention_of_word(_: Model) -> None:
    """The weights of one query of the sentence, in one head and averaged over the heads of its layer."""
    model = _trained()
    if model is None:
        return
    at, labels = _pick(model), model.batch.tokens[0]
    of_layer = model.trace.layers[at.layer].pattern[0, :, at.token]
    one, mean = of_layer[at.head], of_layer.mean(axis=0)
    titles = f"layer {at.layer + 1}, head {at.head + 1}", f"layer {at.layer + 1}, mean of the {len(of_layer)} heads"
    plot(
        scenes.attention_vector(dict(zip(titles, (one, mean), strict=True)), tokens=labels, theme=current_theme()),
        key="recipes_attention_vector", on_click=None,
    )  # fmt: skip
    _explain(labels, at, one, mean)


def _trained() -> Model | None:
    """The trained model with the sentence; until it is here, a notice stands in the place of the figure."""
    if MINILM not in OFFERED:
        st.info("This figure needs a trained encoder, and this server offers none: see ENCODER_MODELS.")
        return None
    model = trained_model(MINILM)
    if model is None:
        for_figure(OFFERED[MINILM], current_settings(), _back)
    return model


def _back() -> None:
    session().set(RECIPE_FIGURE, FIRST)


def _pick(model: Model) -> _Looked:
    labels, config = model.batch.tokens[0], model.config
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="focus"):
        numbers = range(1, len(labels) + 1)
        token = session().among(ARTICLE_TOKEN, numbers, labels.index(_WORD) + 1)
        st.selectbox(
            "Query token", numbers, format_func=lambda number: f"{number} · {labels[number - 1]}", filter_mode=None,
            width=150, **shows(ARTICLE_TOKEN, token, begins=numbers),
        )  # fmt: skip
        layer = _pills("Layer", config.num_layers, ARTICLE_LAYER, _LAYER)
        head = _pills("Head", config.num_heads, ARTICLE_HEAD, _HEAD)
    return _Looked(token - 1, layer - 1, head - 1)


def _pills(label: str, count: int, parameter: Parameter[int | None], first: int) -> int:
    chosen = session().among(parameter, range(1, count + 1), first)
    st.pills(label, range(1, count + 1), required=True, **shows(parameter, chosen, begins="default"))
    return chosen


def _explain(labels: Sequence[str], at: _Looked, one: Float[np.ndarray, "key"], mean: Float[np.ndarray, "key"]) -> None:
    best, of_mean = int(one.argmax()), int(mean.argmax())
    word, key, other = (plain(labels[place]) for place in (at.token, best, of_mean))
    there = f"gives it {mean[best]:.2f}"
    if of_mean != best:
        there += f", and the most to “{other}” (**{mean[of_mean]:.2f}**): what one head does, a mean can hide"
    st.caption(
        f"all-MiniLM-L6-v2 reads the article's sentence. In layer {at.layer + 1}, head {at.head + 1}, “{word}” gives "
        f"**{one[best]:.2f}** of its attention to “{key}”. The mean over the heads of this layer {there}. The page "
        "Full stack, with minilm in the sidebar, shows all layers and heads."
    )
