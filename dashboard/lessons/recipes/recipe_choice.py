"""The choice of a tutorial and its variant, and the button that opens it in the walkthrough."""

import streamlit as st

from dashboard.navigation import open_page
from dashboard.selection.view_choice import render_choice
from dashboard.state.choices import RECIPE, RECIPE_VARIANT
from dashboard.state.session import session
from dashboard.state.setting_parameters import OPTIONS, SETTINGS
from dashboard.state.settings import Settings
from dashboard.state.widgets import bind_widget
from encoder_core import RECIPES
from encoder_core.recipes import VARIANTS, Recipe, Variant


def chosen_recipe(settings: Settings) -> tuple[Recipe, Variant]:
    """The chosen recipe and variant. The default is that of the encoder."""
    names = list(RECIPES)
    recipe = RECIPES[session().get_option(RECIPE, names, settings.encoder if settings.recipe else names[0])]
    if not recipe.has_two_variants:
        return recipe, VARIANTS[0]
    return recipe, session().get_option(RECIPE_VARIANT, VARIANTS, settings.variant)


def render_recipe_choice(recipe: Recipe, variant: Variant) -> None:
    """Render the choices and the seed. They stand below the heading, which depends on them and is rendered first."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="recipe_choice"):
        render_choice("Tutorial", list(RECIPES), RECIPE, default=recipe.name)
        if recipe.has_two_variants:
            render_choice("Variant", VARIANTS, RECIPE_VARIANT, default=variant)
        st.select_slider("Seed", OPTIONS["seed"], width=150, help="Seed of the random parameters",
                         **bind_widget(SETTINGS["seed"]))  # fmt: skip
        st.space("stretch")
        _render_open_button(recipe, variant)


def _render_open_button(recipe: Recipe, variant: Variant) -> None:
    """Render a button that chooses the recipe in the sidebar and opens the map."""

    def open_map() -> None:
        session().set(SETTINGS["encoder"], recipe.name)
        session().set(SETTINGS["variant"], variant)
        open_page("map")

    st.button("Open in the walkthrough", icon=":material/arrow_forward:", type="primary", key="open_recipe",
              on_click=open_map)  # fmt: skip
