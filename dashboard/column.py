"""One column of those that are shown: picked by its number, or by a click on a cell of it."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from dashboard import focus
from encoder_core.figures import Selection, Window


def column_picker(
    what: str, columns: Window, *, key: str, first: int | None = None, width: int | Literal["stretch"] = "stretch"
) -> int:
    """One of the columns in a window; until one is picked there, `first`, or else the window's first."""
    if not columns.start <= st.session_state.get(key, -1) < columns.stop:
        st.session_state[key] = columns.start if first is None else first
    picked = st.number_input(what, columns.start, columns.stop - 1, key=key, persist_state="session", width=width)
    return int(picked)


def follow_column(axis: Literal["dimension", "neuron"], key: str) -> Callable[[Selection], None]:
    """For a click: the focus follows as everywhere, and the column picker follows on panels with this axis."""

    def clicked(selection: Selection) -> None:
        focus.follow(selection)
        if axis in selection:
            st.session_state[key] = selection[axis]

    return clicked
