"""Sections of the embedding: how large the rows are, which are alike, and analogies."""

from dashboard.models.model import Model


def source_of_rows(model: Model) -> str:
    """What a recipe without an embedding table has in its place; nothing for other models."""
    recipe = model.settings.recipe
    if recipe is None or recipe.has_table:
        return ""
    return (
        " This tutorial has no table: it draws a row for each token from a normal distribution, and here a table of "
        "such rows stands for them."
    )


def of_padding(model: Model) -> str:
    """What [PAD] is in this batch; nothing where there is none."""
    if model.batch.real.all():
        return ""
    if model.settings.recipe:
        return " [PAD] is a token that the recipe's random mask hides as key; it has a row of its own."
    return " [PAD] fills up a shorter sentence: it has a row like any token."
