"""The model of this session, with its edits."""

from typing import NamedTuple

from dashboard.models.loading import encoder_loader
from dashboard.models.model import Model, model_for
from dashboard.models.variants import edited_model
from dashboard.state import edit_history
from dashboard.state.settings import Settings, current_settings
from encoder_core.edits.compatible import CompatibleEdits, IgnoredEdit


def current_model() -> Model:
    """The model of this session with its edits, shared by all sessions with the same choices."""
    model, compatible = _unedited_model_and_edits()
    return edited_model(model.settings, compatible.edits) if compatible.edits else model


class ModelKey(NamedTuple):
    """A value that changes with the model of this session: a page that was rendered with another key is outdated."""

    settings: Settings
    edits: tuple[str, ...]
    is_loaded: bool


def model_key() -> ModelKey:
    """The key of the model of this session."""
    settings = current_settings()
    is_loaded = settings.trained is None or encoder_loader(settings.trained).encoder is not None
    return ModelKey(settings, edit_history.edit_texts(), is_loaded)


def edit_problems() -> tuple[IgnoredEdit, ...]:
    """A sentence for each edit of this session that cannot be applied to its model."""
    model, (edits, problems) = _unedited_model_and_edits()
    return (*problems, *(edited_model(model.settings, edits).edit_problems if edits else ()))


def _unedited_model_and_edits() -> tuple[Model, CompatibleEdits]:
    """The model of the settings, and the edits that can be used with it."""
    model = model_for(current_settings())
    batch, seq = model.batch.ids.shape
    return model, edit_history.compatible_session_edits(model.config, batch, seq)
