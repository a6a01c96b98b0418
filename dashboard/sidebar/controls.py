"""Controls of the sidebar, by kind of widget."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from dashboard.state.setting_parameters import OPTIONS, SETTINGS
from dashboard.state.widgets import bind_widget


def render_slider(key: str, label: str, help_text: str, on_change: Callable[[Any], None] | None = None) -> None:
    """Render a slider over the options of a setting."""
    bound = bind_widget(SETTINGS[key], on_change=on_change)
    st.select_slider(label, OPTIONS[key], help=help_text, format_func="{:,}".format, **bound)


def render_select_box(key: str, label: str, help_text: str) -> None:
    """Render a select box with the options of a setting."""
    st.selectbox(
        label, OPTIONS[key], help=help_text, filter_mode=None, **bind_widget(SETTINGS[key], index_of=OPTIONS[key])
    )


def render_option_row(key: str, label: str, help_text: str, on_change: Callable[[Any], None] | None = None) -> None:
    """Render the options of a setting in one row."""
    st.segmented_control(
        label,
        OPTIONS[key],
        required=True,
        width="stretch",
        help=help_text,
        **bind_widget(SETTINGS[key], value_argument="default", on_change=on_change),
    )


def render_switch(key: str, label: str) -> None:
    """Render a toggle for a setting that is on or off."""
    st.toggle(label, **bind_widget(SETTINGS[key]))
