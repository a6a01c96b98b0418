"""Which tutorial, in which variant: both in the URL; and the way from here to the walkthrough."""

import streamlit as st

from dashboard import leap
from dashboard.settings import Settings, link_problem
from encoder_core import RECIPES
from encoder_core.recipes import VARIANTS, Recipe, Variant

RECIPE, VARIANT = "recipe", "recipe_variant"  # their names in the URL


def pick(settings: Settings) -> tuple[Recipe, Variant]:
    """Draw both choices. At first, it is the recipe that the sidebar has, if it has one."""
    names = list(RECIPES)
    first = settings.encoder if settings.recipe else names[0]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        name = st.segmented_control(
            "Tutorial", names, default=first, key=RECIPE, bind="query-params", required=True, on_change=_forget_link
        )
        recipe = RECIPES[name if name in RECIPES else first]
        variant = VARIANTS[0]
        if recipe.differs:
            chosen = st.segmented_control(
                "Variant", VARIANTS, default=settings.variant, key=VARIANT, bind="query-params", required=True
            )
            variant = chosen if chosen in VARIANTS else variant
        st.space("stretch")
        _open_in_walkthrough(recipe, variant)
    link = st.session_state.get("link", {})
    for key, options, used in ((RECIPE, names, recipe.name), (VARIANT, VARIANTS, variant)):
        problem = link_problem(key, link.get(key, []), options, used)
        if problem:
            st.warning(problem, icon=":material/info:")
    return recipe, variant


def _open_in_walkthrough(recipe: Recipe, variant: Variant) -> None:
    """A button that sets the sidebar, and with it the URL, and goes to the map."""

    def opened() -> None:
        st.session_state["encoder"], st.session_state["variant"] = recipe.name, variant
        leap.to("map")

    st.button("Open in the walkthrough", icon=":material/arrow_forward:", type="primary", on_click=opened)


def _forget_link() -> None:
    for key in (RECIPE, VARIANT):
        st.session_state.get("link", {}).pop(key, None)
