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
from encoder_core.support.read_only import ReadOnlyMapping
from encoder_core.support.validation import short_repr


class UnknownRecipe(ValueError, KeyError):
    """The error for a name that no recipe has; it lists the names."""

    __str__ = Exception.__str__  # that of KeyError is the text in quotation marks


class _Recipes(ReadOnlyMapping[str, Recipe]):
    """The recipes by name."""

    def __getitem__(self, name: str) -> Recipe:
        if not isinstance(name, str) or name not in self._items:
            raise UnknownRecipe(f"recipe {short_repr(name)} is not one of {', '.join(map(repr, self))}.")
        return super().__getitem__(name)

    def __repr__(self) -> str:
        return f"<recipes {', '.join(map(repr, self))}>"


RECIPES: Mapping[str, Recipe] = _Recipes({recipe.name: recipe for recipe in (NNX, HAIKU, NANOLM, ANNOTATED, ARTICLE)})


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
    "UnknownRecipe",
    "Variant",
    "find_recipe",
]
