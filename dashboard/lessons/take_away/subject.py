"""The current model as what `encoder_core.export` exports."""

from pathlib import Path

from dashboard.models.model import Model, sentences_of
from encoder_core.export import Pretrained, Random, SomeRecipe, Subject
from encoder_core.export.subject import Origin


def subject_of(model: Model, link: str = "") -> Subject:
    """The run of a model with its edits.

    link  to the app in this state
    """
    return Subject(model.run, origin_of(model), sentences_of(model), link)


def origin_of(model: Model) -> Origin:
    """How the encoder of a model came about. One from a folder of the server, or trained
    in this app, has no name elsewhere."""
    settings = model.settings
    if settings.recipe:
        return SomeRecipe(settings.recipe.name, settings.variant, settings.seed)
    if settings.trained:
        return Pretrained("" if Path(settings.trained).expanduser().is_dir() else settings.trained)
    if settings.task:
        return Pretrained("")
    return Random(settings.seed)
