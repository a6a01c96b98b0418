"""The output without one head, and its change without each head and each token; cached by model."""

from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.models.model import Model
from encoder_core import HeadFactor, ablate_heads, ablate_tokens


class Ablation(NamedTuple):
    """The norm of the change of each token's output, without each head and with each token hidden as key."""

    heads: Float[np.ndarray, "layer head seq"]
    tokens: Float[np.ndarray, "token seq"]


def output_without_head(model: Model, sentence: int, layer: int, head: int) -> Float[np.ndarray, "seq d_model"]:
    """The output of a sentence without one head."""
    return _output_without_head(model.number, sentence, layer, head, model)


def ablation(model: Model, sentence: int) -> Ablation:
    """Ablate each head and each token of a sentence in turn."""
    return _ablation(model.number, sentence, model)


@st.cache_resource(max_entries=256, show_spinner=False)
def _output_without_head(
    model_number: int, sentence: int, layer: int, head: int, _model: Model
) -> Float[np.ndarray, "seq d_model"]:
    _, without = _model.encoder.outputs_with_edits(
        _model.batch, _model.mask, _model.edits, edit_lists=[[HeadFactor(layer, head, 0.0)]], sentence=sentence
    )
    return without


@st.cache_resource(max_entries=32, show_spinner="Ablating each head and each token in turn …")
def _ablation(model_number: int, sentence: int, _model: Model) -> Ablation:
    run = (_model.encoder, _model.batch, _model.mask, _model.edits, sentence)
    return Ablation(ablate_heads(*run), ablate_tokens(*run))
