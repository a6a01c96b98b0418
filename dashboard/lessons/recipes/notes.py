"""Where a tutorial's code, its text and the paper differ, and what that changes."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.lessons.recipes import demonstrations
from dashboard.lessons.recipes.models import changed_model
from dashboard.models.model import Model
from dashboard.theme import current_theme
from encoder_core.explain.number_format import format_number
from encoder_core.recipes import Note, Recipe
from encoder_core.scenes import recipes as scenes

Rows = Float[np.ndarray, "row column"]


def show(recipe: Recipe, seed: int) -> None:
    """All notes, each with its effect on the first tensor that it changes."""
    for number, note in enumerate(recipe.notes):
        with st.container(border=True):
            st.markdown(f"**{number + 1}. {note.title}**")
            _sources(note)
            if note.as_intended and note.as_written and note.shows:
                intended = changed_model(recipe.name, note.as_intended, seed)
                written = changed_model(recipe.name, note.as_written, seed)
                _effect(intended, written, note.shows, key=f"recipes_note_{number}")
                if note.demonstration == "one affine map":
                    demonstrations.one_affine_map(written, key=f"recipes_demonstration_{number}")
                elif note.demonstration == "rank of a head":
                    demonstrations.rank_of_head(intended, written, key=f"recipes_demonstration_{number}")
            else:
                st.caption("In evaluation mode, no number of this model depends on it.")


def _sources(note: Note) -> None:
    """What the paper (where it is needed), the tutorial's text and the tutorial's code say, side by side."""
    said = {"The paper": note.paper, "The tutorial's text": note.text, "The tutorial's code": note.code}
    columns = {name: words for name, words in said.items() if words is not None}
    for place, (name, words) in zip(st.columns(len(columns), gap="medium"), columns.items(), strict=True):
        place.markdown(f":gray[{name}]  \n{words}")


def _effect(intended: Model, written: Model, tensor: str, key: str) -> None:
    before, after, layer = _where(tensor, intended, written)
    where = "" if layer is None else f", block {layer + 1}" + (", head 1" if tensor in ("q", "pattern") else "")
    labels = intended.batch.tokens[0]
    parts = scenes.effect(
        before, after, tensor=f"{tensor.replace('_', ' ')}{where}", tokens=labels, weights=tensor == "pattern",
        theme=current_theme(),
    )  # fmt: skip
    plot(parts, key=key)
    st.caption(f"Sentence 1. As intended: {_measures(before)}. As written: {_measures(after)}.")


def _where(tensor: str, intended: Model, written: Model) -> tuple[Rows, Rows, int | None]:
    """The tensor of sentence 1 (and head 1) in both models, at the first layer at which they differ."""
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


def _measures(values: Rows) -> str:
    low, high, deviation = (format_number(x, 3) for x in (values.min(), values.max(), values.std()))
    return f"from {low} to {high}, standard deviation **{deviation}**"
