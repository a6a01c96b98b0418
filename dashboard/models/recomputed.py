"""The largest difference between tensors of a model's run and their recomputation; cached by model and place."""

from collections.abc import Callable

import streamlit as st

from dashboard.models.model import Model
from encoder_core import Run

Recompute = Callable[..., float]  # a function of `explain.recompute`: (run, *place) -> difference


def difference_of(model: Model, recompute: Recompute, *place: int) -> float:
    """What `recompute` returns for the run of a model and a place in it, such as a layer and a sentence."""
    return _difference(model.number, f"{recompute.__module__}.{recompute.__qualname__}", place, model.run, recompute)


@st.cache_resource(max_entries=4096, show_spinner=False)
def _difference(model_number: int, name: str, place: tuple[int, ...], _run: Run, _recompute: Recompute) -> float:
    return _recompute(_run, *place)
