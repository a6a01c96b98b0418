"""The current model as what `encoder_core.export` exports."""

from dashboard.models.model import Model, sentences_of
from dashboard.state.offered_encoders import CHECKPOINT
from encoder_core.export import FromFile, Pretrained, Random, SomeRecipe, Subject
from encoder_core.export.subject import Origin
from encoder_core.pretrained.find import is_folder


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
    if settings.encoder == CHECKPOINT and settings.task:
        return FromFile(f"encoder of a training run, task {settings.train_task}, checkpoint {settings.checkpoint}")
    if settings.task:
        return FromFile(f"small trained encoder {settings.encoder}")
    if settings.trained:
        is_local = is_folder(settings.trained)
        return FromFile(f"trained encoder {settings.encoder}") if is_local else Pretrained(settings.trained)
    return Random(settings.seed)
