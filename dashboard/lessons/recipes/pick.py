"""Which tutorial, in which variant: both in the URL; and the way from here to the walkthrough."""

import streamlit as st

from dashboard.navigation import open_page
from dashboard.selection.view_choice import choice
from dashboard.state.choices import RECIPE, RECIPE_VARIANT
from dashboard.state.session import session
from dashboard.state.settings import SETTINGS, Settings
from encoder_core import RECIPES
from encoder_core.recipes import VARIANTS, Recipe, Variant


def pick(settings: Settings) -> tuple[Recipe, Variant]:
    """Draw both choices. At first, it is the recipe that the sidebar has, if it has one."""
    names = list(RECIPES)
    first = settings.encoder if settings.recipe else names[0]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        recipe = RECIPES[choice("Tutorial", names, RECIPE, default=first)]
        variant = VARIANTS[0]
        if recipe.differs:
            variant = choice("Variant", VARIANTS, RECIPE_VARIANT, default=settings.variant)
        st.space("stretch")
        _open_in_walkthrough(recipe, variant)
    return recipe, variant


def _open_in_walkthrough(recipe: Recipe, variant: Variant) -> None:
    """A button that sets the sidebar, and with it the URL, and goes to the map."""

    def opened() -> None:
        session().set(SETTINGS["encoder"], recipe.name)
        session().set(SETTINGS["variant"], variant)
        open_page("map")

    st.button("Open in the walkthrough", icon=":material/arrow_forward:", type="primary", on_click=opened)
