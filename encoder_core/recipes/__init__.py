"""Five tutorials as recipes: the models that they build, as their text intends them and as their code is written.

Parameters and batches are drawn by NumPy from a seed, not with the tutorials' keys, so the numbers differ from those
that the tutorials print. Biases have a standard deviation of 0.02; the libraries initialize them to 0.
"""

from collections.abc import Mapping

from encoder_core.recipes.annotated import ANNOTATED
from encoder_core.recipes.article import ARTICLE
from encoder_core.recipes.example import Example, RecipeInputs
from encoder_core.recipes.haiku import HAIKU
from encoder_core.recipes.nanolm import NANOLM
from encoder_core.recipes.nnx import NNX
from encoder_core.recipes.recipe import NOTE_TENSORS, VARIANTS, Demo, Note, Recipe, Variant
from encoder_core.support.registry import Registry

RECIPES: Mapping[str, Recipe] = Registry(
    "recipe", {recipe.name: recipe for recipe in (NNX, HAIKU, NANOLM, ANNOTATED, ARTICLE)}
)


def find_recipe(name: str) -> Recipe:
    """The recipe of this name. Raises ValueError, which lists the names, if there is none."""
    return RECIPES[name]


__all__ = [
    "NOTE_TENSORS",
    "RECIPES",
    "VARIANTS",
    "Demo",
    "Example",
    "Note",
    "Recipe",
    "RecipeInputs",
    "Variant",
    "find_recipe",
]
