"""Five tutorials as recipes: what they build, at their sizes, as their text intends it and as their code does it.

Parameters and batches are drawn by NumPy from a seed, not from the tutorials' keys, so the numbers are not those that
the tutorials print; biases are drawn with a standard deviation of 0.02, where the libraries start them at 0.
"""

from encoder_core.recipes.annotated import ANNOTATED
from encoder_core.recipes.article import ARTICLE
from encoder_core.recipes.haiku import HAIKU
from encoder_core.recipes.nanolm import NANOLM
from encoder_core.recipes.nnx import NNX
from encoder_core.recipes.recipe import VARIANTS, Demo, Example, Note, Recipe, RecipeInputs, Variant

RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in (NNX, HAIKU, NANOLM, ANNOTATED, ARTICLE)}


def find_recipe(name: str) -> Recipe:
    """The recipe of this name. Raises ValueError that lists the names."""
    if not isinstance(name, str) or name not in RECIPES:
        raise ValueError(f"recipe {name!r} is not one of {', '.join(map(repr, RECIPES))}.")
    return RECIPES[name]


__all__ = ["RECIPES", "VARIANTS", "Demo", "Example", "Note", "Recipe", "RecipeInputs", "Variant", "find_recipe"]
