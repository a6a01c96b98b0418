"""The sidebar of a trained encoder: text and mask; its sizes are fixed."""

import streamlit as st

from dashboard.models.loading import encoder_named
from dashboard.sidebar import random_encoder
from dashboard.sidebar.fixed import render_sizes, render_summary
from dashboard.sidebar.mask import render_mask
from dashboard.state.settings import Settings, current_settings


def render_controls(name: str) -> Settings:
    """Render the controls and return the settings."""
    random_encoder.render_text()
    encoder = encoder_named(name)
    if encoder:
        render_sizes(encoder.config, name)
    render_mask("mask")
    if encoder:
        st.caption(
            f"**{name.rpartition('/')[2]}**, trained. Its vocabulary has {encoder.config.vocab_size:,} word "
            f"pieces; here, a sentence has at most {encoder.config.max_len}, including [CLS] and [SEP]."
        )
        render_summary(encoder.config)
    return current_settings()
