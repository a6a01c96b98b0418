"""One column of those that are drawn: picked by its number, or by a click on a cell of it."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from dashboard.selection import focus
from dashboard.state.parameter import Parameter
from dashboard.state.session import session
from dashboard.state.widgets import shows
from encoder_core.figures import Selection, Window


def column_picker(
    label: str,
    columns: Window,
    parameter: Parameter[int | None],
    *,
    first: int | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> int:
    """Render the picker and return one of the columns in the window: the chosen one, else `first`, else the window's
    first."""
    default = columns.start if first is None else first
    picked = session().among(parameter, range(columns.start, columns.stop), default)
    bound = shows(parameter, picked, (columns.start, columns.stop))
    st.number_input(label, columns.start, columns.stop - 1, width=width, **bound)
    return picked


def follow_column(
    axis: Literal["dimension", "neuron"], parameter: Parameter[int | None]
) -> Callable[[Selection], None]:
    """For a click: the position follows as everywhere, and the column on panels with this axis."""

    def clicked(selection: Selection) -> None:
        focus.follow(selection)
        if axis in selection:
            session().set(parameter, selection[axis])

    return clicked
