"""The sizes and choices of an encoder that has them already: shown, and not to be changed."""

import streamlit as st

from dashboard.state.settings import OPTIONS, positions_of
from encoder_core import EncoderConfig

_NORMS = {"post": "after the sums (post-norm)", "pre": "before the sublayers (pre-norm)"}


def sizes(config: EncoderConfig, name: str) -> None:
    """The sliders of the random encoder, disabled. Their keys hold the encoder's name, because a control with a key
    keeps its first value."""
    found = {"d_model": config.d_model, "heads": config.num_heads, "layers": config.num_layers, "d_ff": config.d_ff}
    left, right = st.columns(2, gap="medium")
    for place, (key, value) in zip((left, right, left, right), found.items(), strict=True):
        options = sorted({*OPTIONS[key], value})
        place.select_slider(key, options, value, key=f"fixed_{key}_{name}", disabled=True)


def summary(config: EncoderConfig) -> None:
    """Everything that is no slider, in one line."""
    st.caption(
        f"Norms {_NORMS[config.norm]} · {config.activation} · positions: {positions_of(config).replace('_', ' ')} · "
        f"embedding scale: {config.embedding_scale} · d_head {config.d_head}"
        + ("" if config.qkv_width == config.d_model else f" (all heads: {config.qkv_width})")
        + (" · norm of the embeddings" if config.embedding_norm else "")
        + (f" · dropout {config.dropout:g} in training" if config.dropout else "")
        + (f" · output head to {config.vocab_size} ids" if config.output_head else "")
    )
