"""The points in which a tutorial's code, its text and the paper differ, and their effect."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.lessons.recipes import demonstrations
from dashboard.lessons.recipes.items import render_row_buttons
from dashboard.lessons.recipes.models import note_model
from dashboard.models.model import Model
from dashboard.theme import current_theme
from encoder_core.recipes import Note, Recipe
from encoder_core.scenes import recipes as scenes
from encoder_core.support.number_format import format_number

Rows = Float[np.ndarray, "row column"]
_OF_HEADS = ("q", "k", "v", "dot_products", "pattern", "z")


def render_notes(recipe: Recipe, seed: int) -> None:
    """Render all notes, each with its effect on the first tensor that it changes."""
    for number, note in enumerate(recipe.notes):
        with st.container(border=True):
            st.markdown(f"**{number + 1}. {note.title}**")
            _render_sources(note)
            if note.as_intended and note.as_written and note.tensor:
                intended = note_model(recipe.name, note.as_intended, seed)
                written = note_model(recipe.name, note.as_written, seed)
                _render_effect(intended, written, note.tensor, key=f"recipes_note_{number}")
                if note.demonstration == "one affine map":
                    demonstrations.render_affine_map(written, key=f"recipes_demonstration_{number}")
                elif note.demonstration == "rank of a head":
                    demonstrations.render_head_ranks(intended, written, key=f"recipes_demonstration_{number}")
            elif recipe.has_two_variants:
                st.caption("In evaluation mode, both variants give the same numbers.")
            render_row_buttons(recipe.name, note.rows, key=f"recipes_note_{number}")


def _render_sources(note: Note) -> None:
    """Render what the paper (if the note has it), the tutorial's text and the tutorial's code say, side by side."""
    sources = {"The paper": note.paper, "The tutorial's text": note.text, "The tutorial's code": note.code}
    texts = {name: text for name, text in sources.items() if text is not None}
    for column, (name, text) in zip(st.columns(len(texts), gap="medium"), texts.items(), strict=True):
        column.markdown(f":gray[{name}]  \n{text}")


def _render_effect(intended: Model, written: Model, tensor: str, key: str) -> None:
    before, after, layer = _first_difference(tensor, intended, written)
    location = "" if layer is None else f", layer {layer + 1}" + (", head 1" if tensor in _OF_HEADS else "")
    labels = intended.batch.tokens[0]
    parts = scenes.effect(
        before, after, tensor=f"{tensor.replace('_', ' ')}{location}", tokens=labels, weights=tensor == "pattern",
        theme=current_theme(),
    )  # fmt: skip
    render_plot(parts, key=key)
    st.caption(f"Sentence 1. As intended: {_summary(before)}. As written: {_summary(after)}.")


def _first_difference(tensor: str, intended: Model, written: Model) -> tuple[Rows, Rows, int | None]:
    """The tensor of sentence 1 (and head 1) in both models, and the first layer in which it differs.

    The layer is None for a tensor of the trace that is in no layer.
    """
    if hasattr(intended.trace, tensor):
        values = [getattr(model.trace, tensor) for model in (intended, written)]
        before, after = (x if x.ndim == 2 else x[0] for x in values)
        return before, after, None
    for layer in range(intended.config.num_layers):
        values = [getattr(model.trace.layers[layer], tensor)[0] for model in (intended, written)]
        before, after = (x if x.ndim == 2 else x[0] for x in values)
        if before.shape != after.shape or np.abs(before - after).max() > 1e-6:
            break
    return before, after, layer


def _summary(values: Rows) -> str:
    low, high, deviation = (format_number(x, 3) for x in (values.min(), values.max(), values.std()))
    return f"from {low} to {high}, standard deviation **{deviation}**"
