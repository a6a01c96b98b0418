"""The sidebar of the random encoder: the person's own text and every size and choice."""

import streamlit as st

from dashboard.settings import DEFAULTS, OF_RECIPES, Settings, fit_text, nearest_width
from dashboard.sidebar.controls import choice, row, slider, switch


def controls() -> Settings:
    """Draw them, and return what they say."""
    if st.session_state.pop("snap", False):
        snap_width()
    text()
    left, right = st.columns(2, gap="medium")
    with left:
        slider("d_model", "d_model", "Width of every token's vector", on_change=snap_width)
        slider("layers", "layers", "Encoder blocks, one after another")
    with right:
        slider("heads", "heads", "Attention heads; each has d_model / heads dimensions", on_change=snap_width)
        slider("d_ff", "d_ff", "Hidden width of the feed-forward network")
    width_note = st.empty()
    mask()
    with st.expander("More choices"):
        choice("norm", "Norm", "post: after each residual sum, as in the paper. pre: before each sublayer.")
        choice("activation", "Activation", "Of the feed-forward network. gelu_tanh is GELU's tanh approximation.")
        choice("positions", "Positions", "Sinusoidal is interleaved as in the paper; concatenated puts sines first.")
        choice("scale", "Embedding scale", "Looked-up rows times √d_model (sqrt_d) or divided by it (inv_sqrt_d).")
        switch("scaled", "Divide scores by √d_head")
        switch("bias", "Biases")
        slider("seed", "Seed", "Another seed draws other random parameters")
    settings = Settings.from_state(st.session_state.to_dict())
    if settings.d_model != st.session_state["d_model"]:
        # A link asked for what cannot be. A widget's value can only be changed before it is drawn.
        st.session_state["snap"] = True
        st.rerun()
    st.session_state["last_width"] = settings.d_model
    width_note.caption(
        st.session_state.pop("width_note", "")
        or f"d_head = d_model / heads = {settings.d_model} / {settings.heads} = {settings.d_model // settings.heads}"
    )
    keep()
    return settings


def text() -> None:
    """The person's own text."""
    st.text_area(
        "Text",
        DEFAULTS["text"],
        height=104,
        key="text",
        bind="query-params",
        on_change=_cut_text,
        help="Your own sentence, in any language. One sentence a line makes a padded batch.",
    )


def mask() -> None:
    """What a token may see."""
    row("mask", "Mask", "Causal: no token sees a later one. Padding: no token sees [PAD].")


def restore() -> None:
    """Give the controls what they said when they were last drawn; call it from a callback, before they are."""
    st.session_state.update(st.session_state.get("own", {}))


def snap_width() -> None:
    """d_model must be a multiple of heads: move it to the nearest one, onwards in the direction it was moved."""
    width, heads = st.session_state["d_model"], st.session_state["heads"]
    before = st.session_state.get("last_width", width)
    valid = nearest_width(width, heads, direction=(width > before) - (width < before))
    if valid != width:
        st.session_state["d_model"] = valid
        st.session_state["width_note"] = f":orange[{width} is not a multiple of {heads} heads: d_model is {valid} now.]"


def keep() -> None:
    """Streamlit forgets the value of a control that is not drawn, as with a recipe or a trained encoder."""
    keys = [key for key in DEFAULTS if key not in OF_RECIPES and key in st.session_state]
    st.session_state["own"] = st.session_state.get("own", {}) | {key: st.session_state[key] for key in keys}


def _cut_text() -> None:
    text, st.session_state["text_notice"] = fit_text(st.session_state["text"])
    if st.session_state["text_notice"]:
        st.session_state["text"] = text
