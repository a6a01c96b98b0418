"""The sidebar of a recipe: variant, seed and mask; the tutorial's sizes are fixed."""

import streamlit as st

from dashboard.models.model import model_for
from dashboard.sidebar.controls import render_option_row, render_slider
from dashboard.sidebar.fixed import render_sizes, render_summary
from dashboard.sidebar.mask import render_mask
from dashboard.state.settings import Settings, current_settings
from encoder_core.recipes import Recipe


def render_controls(recipe: Recipe) -> Settings:
    """Render the controls and return the settings."""
    if recipe.has_two_variants:
        render_option_row(
            "variant",
            "Variant",
            "as intended: follows the tutorial's text (or the paper). as written: follows its code.",
        )
    render_slider("seed", "Seed", "Seed of the random parameters and of the batch")
    settings = current_settings()
    current = model_for(settings)
    config = current.config
    batch, replaced = ("Batch", "") if settings.recipe_mask == "tutorial" else (
        "The tutorial's batch", " Instead of the tutorial's mask, the one chosen below is used.")  # fmt: skip
    st.caption(f"**{recipe.title}** ({recipe.library}). {batch}: {recipe.inputs(settings.seed).description}.{replaced}")
    render_sizes(config, recipe.name)
    render_mask("recipe_mask")
    render_summary(config)
    return settings
