"""The models of the recipes page: those of a recipe, of its demos and of its notes, and a trained one."""

from dataclasses import replace

import streamlit as st

from dashboard.models.loading import encoder_named
from dashboard.models.model import Model, model_for
from dashboard.state.offered_encoders import OFFERED
from dashboard.state.setting_parameters import DEFAULTS
from dashboard.state.settings import Settings
from encoder_core import RECIPES, Encoder, EncoderConfig
from encoder_core.recipes import Variant
from encoder_core.recipes.article import SENTENCE


def recipe_settings(name: str, variant: Variant, seed: int) -> Settings:
    """The settings with this recipe chosen in the sidebar."""
    return Settings.from_state(DEFAULTS | {"encoder": name, "variant": variant, "seed": seed})


def trained_model(name: str) -> Model | None:
    """A trained encoder of the sidebar with the article's sentence, or None until it is loaded."""
    if encoder_named(OFFERED[name]) is None:
        return None
    return model_for(Settings.from_state(DEFAULTS | {"encoder": name, "text": SENTENCE}))


@st.cache_resource(max_entries=4, show_spinner=False)
def figure_model(name: str, variant: Variant, seed: int) -> Model:
    """The recipe's model with its batch, or with the longer sentences of its figures (`figures_seq`)."""
    model, recipe = model_for(recipe_settings(name, variant, seed)), RECIPES[name]
    if not recipe.figures_seq:
        return model
    batch, mask, _ = replace(recipe.example, seq=recipe.figures_seq).draw(recipe.config(variant), seed)
    return replace(model, batch=batch, mask=mask)


@st.cache_resource(max_entries=8, show_spinner=False)
def demo_model(name: str, demo_name: str, variant: Variant, seed: int) -> Model:
    """The model of a smaller example of the tutorial."""
    demo = RECIPES[name].demos[demo_name]
    batch, mask, _ = demo.inputs(seed)
    encoder = Encoder.from_parameters(demo.config_of(variant), demo.parameters(seed))
    vocabulary = demo.example.vocabulary(demo.config)
    return Model(recipe_settings(name, variant, seed), encoder, vocabulary, batch, mask)


@st.cache_resource(max_entries=6, show_spinner=False)
def note_model(name: str, config: EncoderConfig, seed: int) -> Model:
    """The recipe's batch in one of the two configs of a note. Parts that both have get the same parameters."""
    model, recipe = model_for(recipe_settings(name, "as intended", seed)), RECIPES[name]
    parameters = replace(recipe, variants={"as intended": config, "as written": config}).parameters(seed=seed)
    return replace(model, encoder=Encoder.from_parameters(config, parameters))
