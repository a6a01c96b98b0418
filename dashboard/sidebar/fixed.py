"""The fixed sizes and choices of recipes and trained encoders."""

import streamlit as st

from dashboard.state.position_choice import positions_of
from dashboard.state.setting_parameters import OPTIONS
from encoder_core import EncoderConfig

_NORMS = {"post": "after the sums (post-norm)", "pre": "before the sublayers (pre-norm)"}


def render_sizes(config: EncoderConfig, name: str) -> None:
    """Render disabled sliders with the sizes of an encoder.

    Their keys contain the name of the encoder, because a slider with a key keeps its first value.
    """
    values = {"d_model": config.d_model, "heads": config.num_heads, "layers": config.num_layers, "d_ff": config.d_ff}
    rows = st.container(key="fixed_sizes")
    columns = (*rows.columns(2, gap="medium"), *rows.columns(2, gap="medium"))
    for column, (key, value) in zip(columns, values.items(), strict=True):
        options = sorted({*OPTIONS[key], value})
        column.select_slider(key, options, value, format_func="{:,}".format, key=f"fixed_{key}_{name}", disabled=True)


def render_summary(config: EncoderConfig) -> None:
    """Render all other choices of an encoder in one line."""
    st.caption(
        f"Norms {_NORMS[config.norm]} · {config.activation} · positions: {positions_of(config).replace('_', ' ')} · "
        f"embedding scale: {config.embedding_scale} · d_head {config.d_head}"
        + ("" if config.qkv_width == config.d_model else f" (all heads: {config.qkv_width})")
        + (" · norm of the embeddings" if config.embedding_norm else "")
        + (f" · dropout {config.dropout:g} in training" if config.dropout else "")
        + (f" · output head to {config.vocab_size:,} ids" if config.output_head else "")
    )
