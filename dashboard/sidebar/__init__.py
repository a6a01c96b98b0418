"""The sidebar: all settings of the model, shared by all pages."""

import streamlit as st

from dashboard.models.checkpoints import settle_checkpoint
from dashboard.models.model import Model, model_for
from dashboard.sidebar import checkpoint, random_encoder, recipe, task_encoder, trained_encoder
from dashboard.sidebar.notices import text_notices, tutorial_differences
from dashboard.state.offered_encoders import CHECKPOINT, TASK_ENCODERS
from dashboard.state.session import session
from dashboard.state.setting_parameters import OPTIONS, SETTINGS
from dashboard.state.settings import Settings, current_settings
from dashboard.state.widgets import bind_widget
from encoder_core.support.number_format import with_unit_prefix

__all__ = ["render_sidebar", "text_notices", "tutorial_differences"]


def render_sidebar() -> Settings:
    """Render the controls and return the settings."""
    settle_checkpoint()  # the sidebar is rendered before the page in the first run of a session
    chosen = current_settings()
    can_be_checkpoint = chosen.encoder == CHECKPOINT or session().get(SETTINGS["run"])
    encoders = tuple(name for name in OPTIONS["encoder"] if name != CHECKPOINT or can_be_checkpoint)
    with st.sidebar:
        st.selectbox(
            "Encoder",
            encoders,
            filter_mode=None,
            help="random: random parameters, any size, your text. minilm: a trained encoder, your text. "
            f"{', '.join(TASK_ENCODERS)}: small encoders, each trained on one task. The others are tutorials with "
            "their own sizes and batch; see the page Recipes in the menu Lab.",
            **bind_widget(SETTINGS["encoder"], options=encoders, index_of=encoders),
        )
        settings = _render_controls(current_settings())
        _render_cost(model_for(settings))
    return settings


def _render_controls(settings: Settings) -> Settings:
    if settings.trained:
        return trained_encoder.render_controls(settings.trained)
    if settings.task and settings.encoder == CHECKPOINT:
        return checkpoint.render_controls(settings.task)
    if settings.task:
        return task_encoder.render_controls(settings.encoder, settings.task)
    return recipe.render_controls(settings.recipe) if settings.recipe else random_encoder.render_controls()


def _render_cost(current: Model) -> None:
    batch, seq = current.batch.ids.shape
    flops = current.encoder.flops(seq, batch)
    st.caption(
        f"{with_unit_prefix(current.encoder.num_parameters)} parameters · "
        f"{with_unit_prefix(current.encoder.num_bytes, 'B')}  \n{with_unit_prefix(flops, 'FLOP')} a pass",
        help="Floating-point operations of the matrix products of one forward pass.",
    )
