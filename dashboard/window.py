"""A window on a wide matrix: so many columns that each is still a cell to look at."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import streamlit as st

from dashboard import focus
from dashboard.focus import Cell

WINDOW = 64


def window(what: str, count: int, *, key: str, size: int = WINDOW) -> slice:
    """Which of `count` columns to show: all of them, or a chosen window of `size`, counted from 0 as in code."""
    if count <= size:
        return slice(0, count)
    starts = range(0, count, size)
    if st.session_state.get(key) not in starts:
        st.session_state[key] = 0
    start = st.selectbox(
        f"{what} shown, of {count}",
        starts,
        format_func=lambda start: f"{start} to {min(start + size, count) - 1}",
        key=key,
        persist_state="session",
        filter_mode=None,
        width=190,
    )
    return slice(start, min(start + size, count))


def column_picker(
    what: str, columns: slice, *, key: str, first: int = 0, width: int | Literal["stretch"] = "stretch"
) -> int:
    """One column of those in a window; until one is picked there, the window's `first`."""
    if not columns.start <= st.session_state.get(key, -1) < columns.stop:
        st.session_state[key] = columns.start + first
    picked = st.number_input(what, columns.start, columns.stop - 1, key=key, persist_state="session", width=width)
    return int(picked)


def follow_column(axis: str, key: str) -> Callable[[Cell, Mapping[str, Any]], None]:
    """For a click: the focus follows as everywhere, and the column picker follows on panels with this column axis."""

    def clicked(cell: Cell, meta: Mapping[str, Any]) -> None:
        focus.follow(cell, meta)
        if meta["column_axis"] == axis:
            st.session_state[key] = int(meta["columns"][cell.column])

    return clicked
