"""Training mode compared with evaluation mode: the mask of dropout and its effect."""

import numpy as np
import streamlit as st
from jaxtyping import Bool

from dashboard.components.plot import render_plot
from dashboard.lessons.recipes.models import figure_model
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.axis_window import AxisName, WideAxis
from dashboard.selection.focus import Focus
from dashboard.selection.view_choice import render_choice
from dashboard.state.choices import DROPOUT_SEED, DROPPED_AT
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core import RECIPES, Dropout, EncoderTrace
from encoder_core.analysis import relative_change
from encoder_core.config import DropoutPlace
from encoder_core.figures import HeatmapStyle
from encoder_core.figures.axis import AxisKind
from encoder_core.recipes import VARIANTS, Variant
from encoder_core.scenes import recipes as scenes
from encoder_core.scenes.attention import multi_head
from encoder_core.support.number_format import format_number, format_percent
from encoder_core.tutorials import ITEMS

PLACES: dict[DropoutPlace, str] = {
    "embedded": "embedding + position",
    "pattern": "attention weights",
    "attn_out": "output of attention",
    "mlp_act": "inside the feed-forward network",
    "mlp_out": "output of the feed-forward network",
}
_ONE_MASK_FOR_ALL_HEADS = (
    " The tutorial's library draws one mask of the weights for all heads and sentences, which the row “One dropout "
    "mask for all heads” shows; here, each head and sentence has a mask of its own."
)
# Because the percentages of both views are close to each other, readers take them for one number.
_OTHER_MEASUREMENTS = (
    " Where a row of the view “Row by row” compares the two modes, it has an input and draws of its own, so its "
    "percentage is another measurement of this effect."
)


def render_training(name: str, variant: Variant, seed: int) -> None:
    """Render a tensor in evaluation, the mask and the tensor in training; then the model's output in both modes.

    Without dropout, say why both are the same.
    """
    if not RECIPES[name].config(variant).dropout:
        st.info(_without_dropout(name), icon=":material/info:")
        return
    model = figure_model(name, variant, seed)
    places = [place for place in PLACES if place in model.config.dropout_at]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="dropout_choice"):
        place = render_choice("Dropped at", places, DROPPED_AT, default=places[0], format_func=PLACES.__getitem__)
        dropout_seed = st.number_input("Dropout seed", 0, 9999, width=140, **bind_widget(DROPOUT_SEED))
        st.button("Draw another mask", on_click=_increment_seed)
    training = _training_trace(name, variant, seed, int(dropout_seed))
    head = ("head",) if place == "pattern" else ()
    at = focus.render_focus_controls(model, *(("layer", *head) if place != "embedded" else ()))
    _render_mask(model, training, place, at)
    before, after, real = model.trace.output[at.sentence], training.output[at.sentence], model.batch.real[at.sentence]
    titles = ("output in evaluation", "output in training")
    render_plot(multi_head.difference(before, after, titles=titles, tokens=at.labels, theme=current_theme()),
            key="recipes_training_output")  # fmt: skip
    change, together = relative_change(before[real], after[real]), " at all places together" if len(places) > 1 else ""
    st.caption(
        f"Dropout{together}, drawn with seed {int(dropout_seed)}, changes the output of sentence "
        f"{at.sentence + 1} by **{format_percent(change)}** of its length. Evaluation drops nothing and scales "
        "nothing: the same text gives the same numbers every time. In training, each seed draws its own masks; the "
        "same seed draws the same masks again."
        + (_ONE_MASK_FOR_ALL_HEADS if name == "nanolm" and place == "pattern" else "")
        + (_OTHER_MEASUREMENTS if name in ITEMS else "")
    )


def _without_dropout(name: str) -> str:
    """Why training and evaluation give the same numbers in a variant."""
    if any(RECIPES[name].config(variant).dropout for variant in VARIANTS):
        return (
            "As written, the code switches every dropout layer to evaluation mode, so training and evaluation give the "
            "same numbers. “As intended” shows what dropout would do."
        )
    return "This tutorial has no dropout, so training and evaluation give the same numbers."


def _render_mask(model: Model, training: EncoderTrace, place: DropoutPlace, at: Focus) -> None:
    kept_all = training.kept
    assert kept_all is not None, "a trace in training mode has the masks of dropout"
    if place == "embedded":
        before, kept, after = model.trace.embedded, kept_all.embedded, training.embedded
    else:
        layers = model.trace.layers, kept_all.layers, training.layers
        before, kept, after = (getattr(layer[at.layer], place) for layer in layers)
    assert kept is not None, "dropout acts at this place of the config"
    is_pattern = place == "pattern"
    index = (at.sentence, at.head) if is_pattern else (at.sentence,)
    mask: Bool[np.ndarray, "row column"] = kept[index]
    name: AxisName = "neurons" if place == "mlp_act" else "dims"
    columns = at.labels if is_pattern else WideAxis(name, mask.shape[1], allow_bins=False).render_picker()
    axis: AxisKind = "key" if is_pattern else "neuron" if place == "mlp_act" else "dimension"
    parts = scenes.dropout(
        before[index],
        mask,
        after[index],
        scale=kept_all.scale,
        tensor=place.replace("_", " "),
        rows=at.labels,
        columns=columns,
        style=HeatmapStyle(
            kind="weights" if is_pattern else "signed",
            row_axis="query" if is_pattern else "token",
            column_axis=axis,
            theme=current_theme(),
        ),
    )
    render_plot(parts, key="recipes_dropped")
    counted, of_what = mask.ravel(), "numbers"
    if is_pattern:  # a masked weight is 0 anyway
        counted, of_what = mask[model.trace.mask[index]], "weights that are not masked"
    dropped = int((~counted).sum())
    share = dropped / max(counted.size, 1)
    st.caption(
        f"Of {counted.size:,} {of_what} here **{dropped:,}** were dropped ({format_percent(share, 1)}; the "
        f"rate is {format_percent(kept_all.rate)}). The others are multiplied by 1 / (1 − {kept_all.rate:g}) = "
        f"{format_number(kept_all.scale, 4)}, so this step preserves the expected value of each number."
    )


def _increment_seed() -> None:
    session().set(DROPOUT_SEED, (session().get(DROPOUT_SEED) + 1) % 10_000)


@st.cache_resource(max_entries=8, show_spinner=False)
def _training_trace(name: str, variant: Variant, seed: int, dropout_seed: int) -> EncoderTrace:
    return figure_model(name, variant, seed).trace_with(Dropout(dropout_seed))
