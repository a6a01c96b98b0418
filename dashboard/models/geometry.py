"""The plane of the view Geometry; cached by model, edits and tokens."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.models.model import Model
from dashboard.models.variants import edited_model
from dashboard.state.settings import Settings
from encoder_core import Edit
from encoder_core.analysis import PrincipalPlane, principal_plane, residual_stages, stage_vectors

TokenPlaces = tuple[tuple[int, int], ...]  # (sentence, token) of each token, from 0


def vectors_of(model: Model, places: TokenPlaces) -> Float[np.ndarray, "stage point d_model"]:
    """The vectors of these tokens at every stage of the residual stream."""
    rows = tuple(np.array(places).T)
    return np.stack([stage_vectors(model.trace, stage)[rows] for stage in residual_stages(model.config)])


def plane_of(model: Model, places: TokenPlaces) -> PrincipalPlane:
    """The plane in which the vectors of these tokens vary most."""
    return _plane(model.settings, model.edits, places)


@st.cache_resource(max_entries=256, show_spinner=False)
def _plane(settings: Settings, edits: tuple[Edit, ...], places: TokenPlaces) -> PrincipalPlane:
    model = edited_model(settings, edits)
    return principal_plane(vectors_of(model, places))
