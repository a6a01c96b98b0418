"""The same model with other edits, in its initial state, or with the other placement of norms."""

from dataclasses import dataclass, replace

import numpy as np

from dashboard.models.cache import cached_by_size
from dashboard.models.model import Model, model_for
from dashboard.state.offered_encoders import CHECKPOINT
from dashboard.state.settings import Settings
from encoder_core import Edit, Encoder
from encoder_core.config import Norm
from encoder_core.parameters.cost import stacked_bytes
from encoder_core.training.shipped import initial_encoder


def untrained_model(model: Model) -> Model | None:
    """The same input, mask and edits in the initial state of the encoder; None if that is not known."""
    return _untrained_model(model.settings, model.edits) if model.settings.task else None


@cached_by_size
def _untrained_model(settings: Settings, edits: tuple[Edit, ...]) -> Model:
    if settings.encoder == CHECKPOINT:
        untrained = model_for(replace(settings, checkpoint=0))
    else:
        untrained = replace(model_for(settings), encoder=initial_encoder(settings.encoder))
    return with_edits(untrained, edits) if edits else untrained


def edited_model(settings: Settings, edits: tuple[Edit, ...]) -> Model:
    """The model of the settings with these edits, if there are any; its batch contains the replaced tokens."""
    return _edited_model(settings, edits) if edits else model_for(settings)


@cached_by_size
def _edited_model(settings: Settings, edits: tuple[Edit, ...]) -> Model:
    return with_edits(model_for(settings), edits)


def with_edits(model: Model, edits: tuple[Edit, ...]) -> Model:
    """A model with these edits instead of its own, as far as they can be applied together."""
    run, problems = model.encoder.run_with_compatible_edits(model.batch, model.mask, edits)
    batch = model.batch
    if run.trace.ids is not None:
        tokens = [list(words) for words in run.trace.tokens]
        for (sentence, place), token_id in run.effects.ids.items():  # the encoder of a recipe has no vocabulary
            tokens[sentence][place] = model.vocabulary[int(token_id)]
        batch = batch._replace(tokens=tuple(map(tuple, tokens)), ids=run.trace.ids)
    edited = replace(model, batch=batch, edits=run.edits, edit_problems=problems)
    vars(edited)["run"] = run  # sets the `cached_property`, so that the encoder does not run twice
    return edited


@cached_by_size
def model_with_norm(settings: Settings, norm: Norm, edits: tuple[Edit, ...]) -> Model:
    """The model of the settings with the other placement of norms; pre-norm adds a final norm (scale 1, bias 0)."""
    if edits:
        return with_edits(model_with_norm(settings, norm, ()), edits)
    model = model_for(settings)
    if settings.has_custom_mask:
        return replace(model_with_norm(settings.without_custom_mask, norm, ()), settings=settings, mask=model.mask)
    encoder = (
        _shared_with_norm(model.encoder, norm).encoder if model.shares_encoder else _with_norm(model.encoder, norm)
    )
    return replace(model, encoder=encoder)


@dataclass(frozen=True)
class _SharedEncoder:
    """An encoder that the models of all texts share, and the memory that it does not share with the trained one."""

    encoder: Encoder
    num_bytes: int


@cached_by_size
def _shared_with_norm(encoder: Encoder, norm: Norm) -> _SharedEncoder:
    # The stack of its parameters takes 55 MB in MiniLM: one for each text would fill the memory.
    other = _with_norm(encoder, norm)
    return _SharedEncoder(other, stacked_bytes(other.config, other.config.max_len))


def _with_norm(encoder: Encoder, norm: Norm) -> Encoder:
    config = replace(encoder.config, norm=norm, final_norm=norm == "pre")
    new = {"final_norm.scale": np.ones(config.d_model, np.float32),
           "final_norm.bias": np.zeros(config.d_model, np.float32)}  # fmt: skip
    return encoder.with_config(config, None if encoder.is_drawn else new)  # drawn norms have scale 1 and bias 0
