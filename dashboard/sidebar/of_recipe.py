"""The sidebar of a recipe: its variant and seed can be chosen; its sizes are the tutorial's, and only shown."""

import streamlit as st

from dashboard.model import model_for
from dashboard.settings import OPTIONS, Settings, positions_of
from dashboard.sidebar.controls import row, slider
from encoder_core.recipes import Recipe

_CHOICES = {"post": "after the sums (post-norm)", "pre": "before the sublayers (pre-norm)"}


def controls(recipe: Recipe) -> Settings:
    """Draw them, and return what they say."""
    if recipe.differs:
        row("variant", "Variant", "As intended by the tutorial's text, or as written in its code.")
    slider("seed", "Seed", "Another seed draws other parameters and another batch")
    settings = Settings.from_state(st.session_state.to_dict())
    current = model_for(settings)
    config = current.config
    st.caption(f"**{recipe.title}** ({recipe.library}). Its own batch: {recipe.inputs(settings.seed).description}.")
    left, right = st.columns(2, gap="medium")
    sizes = {"d_model": config.d_model, "heads": config.num_heads, "layers": config.num_layers, "d_ff": config.d_ff}
    for place, (key, value) in zip((left, right, left, right), sizes.items(), strict=True):
        # The key names the recipe, because a control with a key keeps its first value.
        place.select_slider(key, OPTIONS[key], value, key=f"{recipe.name}_{key}", disabled=True)
    st.caption(
        f"Norms {_CHOICES[config.norm]} · {config.activation} · positions: {positions_of(config).replace('_', ' ')} · "
        f"embedding scale: {config.embedding_scale} · d_head {config.d_head}"
        + ("" if config.attention_dim == config.d_model else f" (all heads: {config.attention_dim})")
        + (f" · dropout {config.dropout:g} in training" if config.dropout else "")
        + (f" · output head to {config.vocab_size} ids" if config.output_head else "")
    )
    return settings
