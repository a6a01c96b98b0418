"""The sidebar of a trained encoder: the text and the mask can be chosen; its sizes were chosen when it was trained."""

import streamlit as st

from dashboard.models.loading import encoder_named
from dashboard.sidebar import random_encoder
from dashboard.sidebar.fixed import sizes, summary
from dashboard.state.settings import Settings, current_settings


def controls(name: str) -> Settings:
    """Render the controls and return the settings."""
    random_encoder.text()
    encoder = encoder_named(name)
    if encoder:
        sizes(encoder.config, name)
    random_encoder.mask()
    if encoder:
        st.caption(
            f"**{name.rpartition('/')[2]}**, trained. It reads pieces of words, of which it knows "
            f"{encoder.config.vocab_size:,}; at most {encoder.config.max_len} a sentence, [CLS] and [SEP] "
            "included."
        )
        summary(encoder.config)
    return current_settings()
