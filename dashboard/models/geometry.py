"""The plane of the view Geometry; cached by model and tokens."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.models.model import Model
from encoder_core.analysis import PrincipalPlane, principal_plane, residual_stages, stage_vectors

TokenPlaces = tuple[tuple[int, int], ...]  # (sentence, token) of each token, from 0


def vectors_of(model: Model, places: TokenPlaces) -> Float[np.ndarray, "stage point d_model"]:
    """The vectors of these tokens at every stage of the residual stream."""
    rows = tuple(np.array(places).T)
    return np.stack([stage_vectors(model.trace, stage)[rows] for stage in residual_stages(model.config)])


def plane_of(model: Model, places: TokenPlaces) -> PrincipalPlane:
    """The plane in which the vectors of these tokens vary most."""
    return _plane(model.number, places, model)


@st.cache_resource(max_entries=256, show_spinner=False)
def _plane(model_number: int, places: TokenPlaces, _model: Model) -> PrincipalPlane:
    return principal_plane(vectors_of(_model, places))
