"""A window on a wide matrix: so many columns that each is still a cell to look at."""

import streamlit as st

from encoder_core.figures import numbered

__all__ = ["WINDOW", "numbered", "window"]

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
