"""The sidebar: everything that makes the model, kept across pages and in the URL."""

import streamlit as st

from dashboard.models.model import Model, model_for
from dashboard.sidebar import random_encoder, recipe, trained_encoder
from dashboard.sidebar.notices import notices, quirks
from dashboard.state.offered_encoders import OFFERED
from dashboard.state.settings import OPTIONS, SETTINGS, Settings, current_settings
from dashboard.state.widgets import shows
from encoder_core import RECIPES
from encoder_core.figures import format_number

__all__ = ["in_units", "notices", "quirks", "show"]


def show() -> Settings:
    """Render all controls and return the settings."""
    with st.sidebar:
        st.selectbox(
            "Encoder",
            OPTIONS["encoder"],
            filter_mode=None,
            help="random: your own text through random parameters, at any size. minilm: through a trained "
            "encoder. The others are tutorials at their own sizes, with their own batch: see Recipes in the group Lab.",
            **shows(SETTINGS["encoder"], begins=OPTIONS["encoder"]),
        )
        settings = _controls(current_settings().encoder)
        _cost(model_for(settings))
    return settings


def _controls(encoder: str) -> Settings:
    if encoder in OFFERED:
        return trained_encoder.controls(OFFERED[encoder])
    return recipe.controls(RECIPES[encoder]) if encoder in RECIPES else random_encoder.controls()


def _cost(current: Model) -> None:
    batch, seq = current.batch.ids.shape
    flops = current.encoder.flops(seq, batch)
    st.caption(
        f"{in_units(current.encoder.num_parameters)} parameters · {in_units(current.encoder.num_bytes)}B · "
        f"{in_units(flops)}FLOP a pass",
        help="Floating-point operations of the matrix products of one forward pass.",
    )


def in_units(count: int) -> str:
    """1234567 -> "1.23 M": three significant digits and a prefix."""
    for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 0.9995 * size:  # 999,999 is 1 M, not 1,000 k
            return f"{format_number(count / size, 3)} {prefix}"
    return f"{count} "
