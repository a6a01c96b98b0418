"""The sidebar of the random encoder: the user's own text and every size and choice."""

from functools import partial

import streamlit as st

from dashboard.sidebar.controls import choice, row, slider, switch
from dashboard.state.session import session
from dashboard.state.settings import SETTINGS, Settings, change_text, current_settings, move_size
from dashboard.state.widgets import shows


def controls() -> Settings:
    """Render the controls and return the settings."""
    settings = current_settings()
    text()
    left, right = st.columns(2, gap="medium")
    with left:
        slider("d_model", "d_model", "Width of every token's vector", partial(move_size, "d_model"))
        slider("layers", "layers", "Encoder blocks, one after another")
    with right:
        slider("heads", "heads", "Attention heads; each has d_model / heads dimensions", partial(move_size, "heads"))
        slider("d_ff", "d_ff", "Hidden width of the feed-forward network")
    corrected = session().notes.get("d_model")
    st.caption(
        f":orange[{corrected}]"
        if corrected
        else f"d_head = d_model / heads = {settings.d_model} / {settings.heads} = {settings.d_model // settings.heads}"
    )
    mask()
    with st.expander("More choices"):
        choice("norm", "Norm", "post: after each residual sum, as in the paper. pre: before each sublayer.")
        choice("activation", "Activation", "Of the feed-forward network. gelu_tanh is GELU's tanh approximation.")
        choice("positions", "Positions", "Sinusoidal is interleaved as in the paper; concatenated puts sines first.")
        choice("scale", "Embedding scale", "Looked-up rows times √d_model (sqrt_d) or divided by it (inv_sqrt_d).")
        switch("scaled", "Divide scores by √d_head")
        switch("bias", "Biases")
        slider("seed", "Seed", "Another seed draws other random parameters")
    return settings


def text() -> None:
    """The user's own text."""
    st.text_area(
        "Text",
        height=104,
        help="Your own text. Several lines make a padded batch: one sentence a line.",
        **shows(SETTINGS["text"], changed=change_text),
    )


def mask() -> None:
    """Which keys a query may attend to."""
    row("mask", "Mask", "Causal: no token attends to a later one. Padding: no token attends to [PAD].")
