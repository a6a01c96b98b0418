"""The kinds of controls in the sidebar, one for each kind of setting."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from dashboard.state.settings import OPTIONS, SETTINGS
from dashboard.state.widgets import shows


def slider(key: str, label: str, help_text: str, changed: Callable[[Any], None] | None = None) -> None:
    """A slider over the options of a setting."""
    bound = shows(SETTINGS[key], changed=changed)
    st.select_slider(label, OPTIONS[key], help=help_text, **bound)


def choice(key: str, label: str, help_text: str) -> None:
    """A list of the options of a setting."""
    st.selectbox(label, OPTIONS[key], help=help_text, filter_mode=None, **shows(SETTINGS[key], begins=OPTIONS[key]))


def row(key: str, label: str, help_text: str) -> None:
    """The options of a setting in one row."""
    st.segmented_control(
        label,
        OPTIONS[key],
        required=True,
        width="stretch",
        help=help_text,
        **shows(SETTINGS[key], begins="default"),
    )


def switch(key: str, label: str) -> None:
    """A setting that is on or off."""
    st.toggle(label, **shows(SETTINGS[key]))
