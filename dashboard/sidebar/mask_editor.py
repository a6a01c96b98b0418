"""The editor of a custom mask: its axes, starting points, a grid to click and a field to type."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Bool

from dashboard.components.mask_grid import render_mask_grid
from dashboard.markdown import capitalize
from dashboard.models.model import Model
from dashboard.selection.focus import MAX_PILLS
from dashboard.state.parameter import PARAMETERS
from dashboard.state.session import session
from dashboard.state.user_changes import (
    CUSTOM_MASK,
    previous_masks,
    reject_mask,
    set_custom_mask,
    undo_custom_mask,
)
from dashboard.state.widgets import bind_value, set_widget_value
from encoder_core.inputs.custom_mask import SHAPES, STARTS, WINDOW, Axes, CustomMask, Start
from encoder_core.inputs.mask_text import format_mask_text, parse_mask_text

_AXES: dict[Axes, str] = {
    "2": "(seq, seq): all sentences and heads",
    "3": "(batch, seq, seq): each sentence",
    "keys": "(batch, 1, seq): keys of each sentence",
    "4": "(batch, heads, seq, seq): each head",
}
_STARTS: dict[Start, str] = {
    "all": "all visible",
    "nothing": "all masked",
    "causal": "causal",
    "padding": "padding",
    "both": "causal + padding",
    "window": f"window ±{WINDOW}",
}
EDITOR = "edit_mask"  # the key of the popover


class _Slice(NamedTuple):
    """The part of the mask that the grid shows."""

    mask: CustomMask
    model: Model
    sentence: int
    head: int

    @property
    def place(self) -> tuple[int | slice, ...]:
        """The index of its rows and columns in the array of all cells."""
        places: dict[Axes, tuple[int | slice, ...]] = {
            "2": (),
            "3": (self.sentence,),
            "keys": (slice(self.sentence, self.sentence + 1),),
            "4": (self.sentence, self.head),
        }
        return places[self.mask.axes]

    @property
    def all_visible(self) -> Bool[np.ndarray, "..."]:
        """The visible cells of the whole mask."""
        return self.mask.visible(self.model.batch.real, self.model.config.num_heads)

    @property
    def visible(self) -> Bool[np.ndarray, "row column"]:
        """The visible cells of this part."""
        return self.all_visible[self.place]


def render_mask_editor(model: Model) -> None:
    """Render the controls of the custom mask of this session."""
    mask = session().get(CUSTOM_MASK)
    part = _render_pickers(mask, model)
    _render_starts(part)
    labels = model.batch.tokens[part.sentence]
    rows = ("every query",) if mask.axes == "keys" else labels
    render_mask_grid(part.visible, rows, labels, key=_grid_key(part), on_change=partial(_set_part, part))
    st.caption(
        "Purple: the query may attend to the key. Grey: masked. Click cells or drag over them; a click on a token sets "
        "its whole row or column. New tokens follow the starting point."
    )
    _render_text_field(part)
    if "custom_mask" in session().notes:
        st.warning(session().notes["custom_mask"], icon=":material/info:")
    st.button("Done", key="mask_done", on_click=_close, width="stretch")


def _render_pickers(mask: CustomMask, model: Model) -> _Slice:
    """Render the choice of the axes, and of the sentence and head that the grid shows."""
    sentence = head = 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        axes = st.container(width=330)
        if mask.axes != "2":
            sentence = _render_number("sentence", len(model.batch.tokens))
        if mask.axes == "4":
            head = _render_number("head", model.config.num_heads)
    part = _Slice(mask, model, sentence - 1, head - 1)
    options = list(SHAPES)
    with axes:
        st.selectbox("Axes", options, format_func=_AXES.__getitem__, filter_mode=None,
                     **bind_value("mask_axes", mask.axes, partial(_set_axes, part), index_of=options))  # fmt: skip
    return part


def _render_number(name: str, count: int) -> int:
    """Render the picker of a sentence or head and return its number; it begins with that of the page."""
    start = min(session().get(PARAMETERS[name]), count)
    if count == 1:
        return 1
    numbers, label, key = range(1, count + 1), name.capitalize(), f"mask_{name}_{count}"
    if count > MAX_PILLS:
        return st.selectbox(label, numbers, start - 1, key=key, filter_mode=None, width=90)
    return st.pills(label, numbers, default=start, required=True, key=key)


def _render_starts(part: _Slice) -> None:
    """Render a button for each starting point, and Undo."""
    with st.container(horizontal=True, gap="xsmall", key="mask_starts"):
        for start in STARTS[part.mask.axes]:
            st.button(_STARTS[start], key=f"mask_start_{start}", on_click=set_custom_mask,
                      args=(CustomMask(part.mask.axes, start),), help="Start again from this mask")  # fmt: skip
        st.button("Undo", icon=":material/undo:", key="mask_undo", disabled=not previous_masks(),
                  on_click=undo_custom_mask)  # fmt: skip


def _render_text_field(part: _Slice) -> None:
    """Render the field with the rows of the grid as text."""
    value = session().notes.get("mask_text", format_mask_text(part.visible))
    bound = bind_value("mask_text", value, partial(_set_text, part), _grid_key(part))
    st.text_area(
        "As text",
        height=110,
        help="Rows of 0 and 1, on lines or between slashes: 100/110/111. Nested lists with all axes work too, such as "
        "[[1, 0], [1, 1]] or what NumPy and JAX print. Press Ctrl + Enter to apply.",
        **bound,
    )


def _close() -> None:
    set_widget_value(EDITOR, False)


def _grid_key(part: _Slice) -> str:
    sizes = "x".join(map(str, part.all_visible.shape))
    return f"mask_grid_{part.mask.axes}_{sizes}_{part.sentence}_{part.head}"


def _set_axes(part: _Slice, axes: Axes) -> None:
    real, heads = part.model.batch.real, part.model.config.num_heads
    set_custom_mask(part.mask.with_axes(axes, real, heads, part.sentence, part.head))


def _set_part(part: _Slice, visible: Bool[np.ndarray, "row column"]) -> None:
    """Set the cells of the grid, in the mask as it is when the message arrives."""
    latest = part._replace(mask=session().get(CUSTOM_MASK))
    if latest.mask.axes != part.mask.axes:
        return
    cells = latest.all_visible.copy()
    cells[part.place] = visible
    set_custom_mask(latest.mask.with_visible(cells, part.model.batch.real, part.model.config.num_heads))


def _set_text(part: _Slice, text: str) -> None:
    """Set what was typed: the rows of the grid, or a whole mask of any axes."""
    try:
        set_custom_mask(_typed_mask(part, parse_mask_text(text)))
    except ValueError as error:
        message = str(error)
        reject_mask(f"{capitalize(message)} The mask is as before.", text)


def _typed_mask(part: _Slice, typed: Bool[np.ndarray, "..."]) -> CustomMask:
    """The mask with the typed cells. Raises ValueError, which lists the possible shapes, if their shape is none."""
    real, heads = part.model.batch.real, part.model.config.num_heads
    if typed.shape == part.visible.shape:
        cells = part.all_visible.copy()
        cells[part.place] = typed
        return part.mask.nearest_start(cells, real, heads)
    shapes: dict[Axes, Sequence[int]] = {axes: CustomMask(axes).array(real, heads).shape for axes in SHAPES}
    for axes, shape in shapes.items():
        if typed.shape == shape:
            mask = part.mask if part.mask.axes == axes else CustomMask(axes)
            return mask.nearest_start(typed[:, 0] if axes == "keys" else typed, real, heads)
    listed = ", ".join(f"{shape} for {SHAPES[axes]}" for axes, shape in shapes.items())
    raise ValueError(f"the mask has the shape {typed.shape}: allowed are {listed}.")
