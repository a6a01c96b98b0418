"""The sidebar of the random encoder: text, sizes and all choices."""

from functools import partial
from typing import Literal

import streamlit as st

from dashboard.sidebar.controls import render_select_box, render_slider, render_switch
from dashboard.sidebar.mask import render_mask
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS
from dashboard.state.settings import Settings, current_settings
from dashboard.state.user_changes import set_size, set_text
from dashboard.state.widgets import bind_widget


def render_controls() -> Settings:
    """Render the controls and return the settings."""
    settings = current_settings()
    render_text()
    left, right = st.columns(2, gap="medium")
    with left:
        render_slider("d_model", "d_model", "Length of each token's vector", partial(set_size, "d_model"))
    with right:
        render_slider(
            "heads", "heads", "Attention heads, each with d_model / heads dimensions", partial(set_size, "heads")
        )
    left, right = st.columns(2, gap="medium")  # rows, so that the Tab key goes from row to row, as the eye does
    with left:
        render_slider("layers", "layers", "Number of encoder layers")
    with right:
        render_slider("d_ff", "d_ff", "Hidden size of the feed-forward network")
    corrected = session().notes.get("d_model")
    st.caption(
        f":orange[{corrected}]"
        if corrected
        else f"d_head = d_model / heads = {settings.d_model} / {settings.heads} = {settings.d_model // settings.heads}"
    )
    render_mask("mask")
    more = st.expander("More choices", key="more_choices", on_change="rerun")
    if more.open:
        with more:
            _render_more_choices()
    return settings


def _render_more_choices() -> None:
    render_select_box("norm", "Norm", "post: after each residual sum, as in the paper. pre: before each sublayer.")
    render_select_box(
        "activation", "Activation", "Activation of the feed-forward network. gelu_tanh approximates GELU with tanh."
    )
    render_select_box(
        "positions",
        "Positions",
        "sinusoidal: sines and cosines interleaved, as in the paper. concatenated: first sines, then cosines.",
    )
    render_select_box(
        "scale", "Embedding scale", "Multiplies the embeddings by √d_model (sqrt_d) or by 1 / √d_model (inv_sqrt_d)."
    )
    render_switch("scaled", "Divide scores by √d_head")
    render_switch("bias", "Biases")
    render_slider("seed", "Seed", "Seed of the random parameters")


def render_text() -> None:
    """Render the field for the user's text."""
    st.text_area(
        "Text",
        height=168,
        help="One sentence per line. Several lines make a padded batch.",
        **bind_widget(SETTINGS["text"], on_change=set_text),
    )
    render_apply_button("text")


def render_apply_button(field: Literal["text", "input"]) -> None:
    """Render the button below a text field, which style.css shows on phones only.

    It has nothing to do: the field sends its text when it loses the focus, to this button or to any other control.
    """
    st.button("Apply", icon=":material/check:", key=f"apply_{field}", width="stretch")
