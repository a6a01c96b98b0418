"""Select one column of a plot, by its number or by a click on one of its cells."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from dashboard.selection import focus
from dashboard.state.parameter import Parameter
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from encoder_core.figures import Selection, Window


def render_column_picker(
    label: str,
    columns: Window,
    parameter: Parameter[int | None],
    *,
    first: int | None = None,
    width: int | Literal["stretch"] = "stretch",
) -> int:
    """Render the number field and return the column: the chosen one if it is in the window, else the default.

    first  the default; the first column of the window if None
    """
    default = columns.start if first is None else first
    column = session().get_option(parameter, range(columns.start, columns.stop), default)
    bound = bind_widget(parameter, column, (columns.start, columns.stop))
    st.number_input(label, columns.start, columns.stop - 1, width=width, **bound)
    return column


def move_focus_and_column(
    axis: Literal["dimension", "neuron"], parameter: Parameter[int | None]
) -> Callable[[Selection], None]:
    """A callback for clicks that moves the focus and, on panels with this axis, selects the column."""

    def on_click(selection: Selection) -> None:
        focus.move_focus(selection)
        if axis in selection:
            session().set(parameter, selection[axis])

    return on_click
