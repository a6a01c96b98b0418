"""The sidebar of a recipe: its variant and seed can be chosen; its sizes are the tutorial's, and only shown."""

import streamlit as st

from dashboard.models.model import model_for
from dashboard.sidebar.controls import row, slider
from dashboard.sidebar.fixed import sizes, summary
from dashboard.state.settings import Settings, current_settings
from encoder_core.recipes import Recipe


def controls(recipe: Recipe) -> Settings:
    """Render the controls and return the settings."""
    if recipe.differs:
        row("variant", "Variant", "As intended by the tutorial's text (or the paper), or as written in its code.")
    slider("seed", "Seed", "Another seed draws other parameters and another batch")
    settings = current_settings()
    current = model_for(settings)
    config = current.config
    st.caption(f"**{recipe.title}** ({recipe.library}). Its own batch: {recipe.inputs(settings.seed).description}.")
    sizes(config, recipe.name)
    summary(config)
    return settings
