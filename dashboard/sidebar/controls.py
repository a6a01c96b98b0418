"""The kinds of controls in the sidebar: each has a place in the URL under its key."""

from collections.abc import Callable

import streamlit as st

from dashboard.settings import DEFAULTS, OPTIONS


def slider(key: str, label: str, help_text: str, on_change: Callable[[], None] | None = None) -> None:
    """A slider over the options of a setting."""
    st.select_slider(
        label, OPTIONS[key], DEFAULTS[key], key=key, bind="query-params", help=help_text, on_change=on_change
    )


def choice(key: str, label: str, help_text: str) -> None:
    """A list of the options of a setting, shown as they are: a format function would put its labels into the URL."""
    index = OPTIONS[key].index(DEFAULTS[key])
    st.selectbox(label, OPTIONS[key], index, key=key, bind="query-params", help=help_text, filter_mode=None)


def row(key: str, label: str, help_text: str) -> None:
    """The options of a setting in one row."""
    st.segmented_control(
        label,
        OPTIONS[key],
        default=DEFAULTS[key],
        key=key,
        bind="query-params",
        required=True,
        width="stretch",
        help=help_text,
    )


def switch(key: str, label: str) -> None:
    """A setting that is on or off."""
    st.toggle(label, DEFAULTS[key], key=key, bind="query-params")
