"""Training mode against evaluation mode: the mask that dropout drew, and what it does."""

import numpy as np
import streamlit as st
from jaxtyping import Bool, Float

from dashboard.components.plot import plot
from dashboard.lessons.recipes.models import figure_model
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.axis_window import AxisName, Wide
from dashboard.selection.focus import Focus
from dashboard.selection.view_choice import choice
from dashboard.state.choices import DROPOUT_SEED, DROPPED_AT
from dashboard.state.session import session
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core import Dropout, EncoderTrace
from encoder_core.analysis import relative_change
from encoder_core.config import DropoutPlace
from encoder_core.figures.axis import AxisKind
from encoder_core.recipes import Variant
from encoder_core.scenes import multi_head
from encoder_core.scenes import recipes as scenes

PLACES: dict[DropoutPlace, str] = {
    "embedded": "embedding + position",
    "pattern": "attention weights",
    "attn_out": "output of attention",
    "mlp_act": "inside the feed-forward network",
    "mlp_out": "output of the feed-forward network",
}


def show(name: str, variant: Variant, seed: int) -> None:
    """A tensor in evaluation, the mask, the tensor in training; then the output of the model in both."""
    model = figure_model(name, variant, seed)
    places = [place for place in PLACES if place in model.config.dropout_at]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        place = choice("Dropped at", places, DROPPED_AT, default=places[0], spoken=PLACES.__getitem__)
        drawn = st.number_input("Dropout seed", 0, 9999, width=140, **shows(DROPOUT_SEED))
        st.button("Draw another mask", on_click=_draw_again)
    training = _training(name, variant, seed, int(drawn))
    of_head = ("head",) if place == "pattern" else ()
    at = focus.pick(model, *(("layer", *of_head) if place != "embedded" else ()))
    _mask(model, training, place, at)
    before, after = model.trace.output[at.sentence], training.output[at.sentence]
    titles = ("output in evaluation", "output in training")
    plot(multi_head.difference(before, after, titles=titles, tokens=at.labels, theme=current_theme()),
            key="recipes_training_output")  # fmt: skip
    change = relative_change(before, after)
    st.caption(
        f"All of the places together move the output by **{change:.0%}** of its length. Evaluation drops nothing and "
        "scales nothing: the same text gives the same numbers every time. In training every seed draws "
        "other masks; the same seed draws the same ones again."
    )


def _mask(model: Model, training: EncoderTrace, place: DropoutPlace, at: Focus) -> None:
    kept_all = training.kept
    assert kept_all is not None, "a trace in training mode says what it kept"
    if place == "embedded":
        before, kept, after = model.trace.embedded, kept_all.embedded, training.embedded
    else:
        one, other, drawn = model.trace.layers[at.layer], training.layers[at.layer], kept_all.layers[at.layer]
        before, kept, after = getattr(one, place), getattr(drawn, place), getattr(other, place)
    assert kept is not None, "the places are those of the config"
    is_pattern = place == "pattern"
    index = (at.sentence, at.head) if is_pattern else (at.sentence,)
    values: list[Float[np.ndarray, "row column"]] = [before[index], after[index]]
    mask: Bool[np.ndarray, "row column"] = kept[index]
    name: AxisName = "neurons" if place == "mlp_act" else "dims"
    columns = at.labels if is_pattern else Wide(name, mask.shape[1], bins=False).pick()
    was, now = values
    axis: AxisKind = "key" if is_pattern else "neuron" if place == "mlp_act" else "dimension"
    parts = scenes.dropped(
        was, mask, now, scale=kept_all.scale, tensor=place.replace("_", " "), tokens=at.labels,
        columns=columns, column_axis=axis, weights=is_pattern, theme=current_theme(),
    )  # fmt: skip
    plot(parts, key="recipes_dropped")
    st.caption(
        f"Of {mask.size:,} numbers here **{(~mask).sum():,}** were dropped ({(~mask).mean():.1%}; the rate is "
        f"{kept_all.rate:.0%}). What is kept is multiplied by 1 / (1 − {kept_all.rate:g}) = {kept_all.scale:.4g}: on "
        "average over many draws, this step leaves each number as it was."
    )


def _draw_again() -> None:
    session().set(DROPOUT_SEED, (session().get(DROPOUT_SEED) + 1) % 10_000)


@st.cache_resource(max_entries=8, show_spinner=False)
def _training(name: str, variant: Variant, seed: int, drawn: int) -> EncoderTrace:
    return figure_model(name, variant, seed).traced(Dropout(drawn))
