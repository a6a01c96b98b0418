"""Controls that edit the inspected number, a token, a head, a residual connection or the temperature."""

import math
from typing import Literal

import streamlit as st

from dashboard.inspect.cell_edit import CellEdit, find_cell_edit, sets_score_of
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.state import edit_history
from dashboard.state.choices import HIDE_ROW
from dashboard.state.session import session
from dashboard.state.widgets import bind_value
from encoder_core import Edit
from encoder_core.edits import (
    FACTOR_RANGE,
    LARGEST_VALUE,
    HeadFactor,
    HideToken,
    ReplaceToken,
    ResidualFactor,
    Temperature,
    Unscaled,
)

NUMBER_KEY, SLIDER_KEY = "what_if_number", "what_if_slider"
MAX_LISTED = 1_000
_WITHOUT_CELL = (
    "“Other edits” change a token, a head or a residual. To set a number, open “the cell” above and its operands."
)
_FULL = (
    f"{edit_history.MAX_EDITS} edits are in use, the most at once. "
    "One of them can be changed; remove one to make another."
)
SLIDER_REACH = 3.0  # the slider ends at this multiple of the largest number in the derivation


def render_edit_panel(model: Model, inspection: Inspection, *, has_derivation: bool) -> None:
    """Render a number field and a slider for the inspected cell, and the other kinds of edits.

    has_derivation  whether the page shows the derivation of the cell, from which its operands can be opened
    """
    cell_edit = find_cell_edit(inspection.trail[-1], inspection.run)
    if edit_history.is_full():
        st.caption(_FULL)
    is_masked = cell_edit is not None and _is_masked_by_page(cell_edit, inspection.at)
    has_fields = cell_edit is not None and not is_masked
    with st.container(horizontal=True, vertical_alignment="bottom" if has_fields else "center", gap="small"):
        if is_masked:
            st.caption(
                "“Mask every key” is on for the query of this score, so an edit of it has no effect on this page."
            )
        elif cell_edit:
            _render_value_controls(cell_edit, inspection)
        else:
            st.caption(_without_edit(inspection) if has_derivation else _WITHOUT_CELL)
        others = st.popover("Other edits", icon=":material/experiment:", key="other_edits", on_change="rerun")
        with others, st.container(gap="xsmall", key="other_edits_menu"):
            if others.open:
                _render_other_edits(model, inspection.at)
            else:
                st.space()  # an empty container would not be there; its height is in style.css


def _is_masked_by_page(cell_edit: CellEdit, at: focus.Focus) -> bool:
    """Whether the page Softmax masks every key of the row, which leaves out edits of its scores."""
    is_on = session().page == "softmax" and session().get(HIDE_ROW)
    return is_on and sets_score_of(cell_edit.make_edit(0.0), at)


def _without_edit(inspection: Inspection) -> str:
    """Where a number can be changed that no edit sets."""
    cell, operands = inspection.trail[-1], inspection.derivation.operand_cells
    if cell.parameter is not None:
        return "No edit sets this parameter. Edits set cells of E, W_Q, W_K, W_V and W_O."
    if cell.tensor == "ids":
        return "This is an input. “Other edits” replace a token."
    if cell.tensor == "position_encoding":
        return "No edit sets this number, which depends on no token. Edits set the input of the first layer."
    if any(find_cell_edit(operand, inspection.run) for operand in operands):
        return "This number is computed from others. Open an operand to edit it."
    further = "Open operands until one can be edited; " if operands else ""
    return f"This number is computed from others. {further}“Other edits” change a token, a head or a residual."


def _render_value_controls(cell_edit: CellEdit, inspection: Inspection) -> None:
    limit = FACTOR_RANGE[1] if cell_edit.is_factor else LARGEST_VALUE
    value = min(max(cell_edit.value, -limit), limit) if math.isfinite(cell_edit.value) else 0.0
    reach = (
        max(2.0, abs(value))
        if cell_edit.is_factor
        else min(SLIDER_REACH * max(inspection.derivation.scale, abs(value), 1e-3), limit)
    )
    exponent = math.floor(math.log10(reach / 50))
    step = 10.0**exponent
    # The browser rounds the ends to the digits of the step; an end outside the bounds would not be accepted.
    reach = round(math.ceil(reach / step) * step, max(0, -exponent))

    def add_edit(new: float) -> None:
        edit_history.add(cell_edit.make_edit(float(new)))

    # Each cell and each of its values has a separate widget, so that a late message of an old widget sets nothing.
    number, slider = (bind_value(key, value, add_edit, str(inspection.trail[-1])) for key in (NUMBER_KEY, SLIDER_KEY))
    masked = "" if math.isfinite(cell_edit.value) else " (masked: any number unmasks it)"
    st.number_input(
        f"Set {cell_edit.name} to{masked}", -limit, limit, step=step, format="%.6g", width=210, **number
    )  # fmt: skip
    st.slider(
        "New value", -reach, reach, step=step, format="%.6g", label_visibility="collapsed", width=220, **slider
    )  # fmt: skip


def _render_other_edits(model: Model, at: focus.Focus) -> None:
    """Render edits of the selected token, head and layer, and of all scores."""
    token = f"{at.token + 1} · {escape_token(at.labels[at.token])}"
    _render_replacement(token, model.vocabulary, at)
    _render_edit_button(f"Hide token {token} as key", HideToken(at.sentence, at.token))
    _render_edit_button(f"Switch off head {at.head + 1} of layer {at.layer + 1}", HeadFactor(at.layer, at.head, 0.0))
    _render_edit_button(
        f"Remove the residual around attention {at.layer + 1}", ResidualFactor(at.layer, "attention", 0.0)
    )
    _render_edit_button(f"Remove the residual around feed-forward {at.layer + 1}", ResidualFactor(at.layer, "mlp", 0.0))
    _render_edit_button("Do not divide scores by √d_head", Unscaled())
    temperature = st.select_slider("Temperature of every softmax", (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0), 1.0,
                              key="what_if_temperature")  # fmt: skip
    if temperature != 1.0:
        _render_edit_button(f"Set temperature {temperature:g}", Temperature(temperature))


def _render_replacement(token: str, words: tuple[str, ...], at: focus.Focus) -> None:
    """Render the choice of another token: a list, or a text field for a large vocabulary."""
    label, typed = f"Replace token {token} by", ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if len(words) <= MAX_LISTED:
            new_id = st.selectbox(label, range(len(words)), None, format_func=lambda i: words[i], key="what_if_token",
                                  placeholder="another token of the vocabulary")  # fmt: skip
        else:
            typed = st.text_input(label, key="what_if_piece", placeholder="a piece, such as dog or ##ing").strip()
            new_id = next((words.index(piece) for piece in (typed, typed.lower()) if typed and piece in words), None)
        if new_id is not None:
            _render_edit_button("Replace", ReplaceToken(at.sentence, at.token, new_id), width="content")
    if typed and new_id is None:
        st.caption(
            f":orange[“{escape_token(typed)}” is not in the vocabulary ({len(words):,} pieces). Try a more "
            "common word.]"
        )


def _render_edit_button(label: str, edit: Edit, width: Literal["stretch", "content"] = "stretch") -> None:
    st.button(label, on_click=edit_history.add, args=(edit,), key=f"what_if_{type(edit).__name__}_{label}", width=width)
