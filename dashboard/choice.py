"""A choice between the views of a page: one is always chosen, and it is kept while the session lasts."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

Option = TypeVar("Option")


def choice(
    label: str,
    options: Sequence[Option],
    *,
    key: str,
    default: Option,
    spoken: Callable[[Any], str] = str,
    silent: bool = False,
) -> Option:
    """What is chosen of `options`, `default` at first. `silent` leaves the label to those who cannot see the page."""
    return st.segmented_control(
        label,
        options,
        default=default,
        format_func=spoken,
        key=key,
        persist_state="session",
        required=True,
        label_visibility="collapsed" if silent else "visible",
    )
